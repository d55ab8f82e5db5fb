"""Treebank to constructions and originals."""
