"""Sentences to instances of constructions: patterns, pairs of words, filters, values."""
