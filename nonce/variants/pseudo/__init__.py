"""Pseudo-words, made in `pseudowords.py`: non-words that inflect as words of the language do."""
