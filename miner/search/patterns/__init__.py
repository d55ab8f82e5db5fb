"""Pairs of words that might agree: along any dependency (`arc`), or along a named path."""
