"""Treebanks and published test sets by name: found, transferred, checked, kept with licence."""
