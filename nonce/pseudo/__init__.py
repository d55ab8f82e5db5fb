"""Pseudo-words: non-words that inflect as words of the language do. They are made in `coin.py`."""
