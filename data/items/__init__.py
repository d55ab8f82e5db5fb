"""Test items and suites, as records and as columns; trees of sentences, and their FEATS."""
