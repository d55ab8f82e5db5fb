"""Composed sets: short beginnings built from what a treebank shows to be productive."""
