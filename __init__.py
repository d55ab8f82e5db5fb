"""Targeted syntactic evaluation of language models, from treebanks to people."""

__version__ = "0.1.0"
