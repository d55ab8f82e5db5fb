"""Composed sets: short sentence beginnings built from productive phrases of a treebank."""
