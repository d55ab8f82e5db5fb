"""Targeted syntactic evaluation: mine agreement, make nonce twins, score models, compare with people."""

__version__ = "0.1.0"
