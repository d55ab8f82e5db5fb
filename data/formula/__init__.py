"""The language of predictions: its tree, its parser, what a tie is worth, and what chance gives."""
