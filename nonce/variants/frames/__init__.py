"""Frames: what a word is used with, learned from a treebank, for the matching level `+frame`."""
