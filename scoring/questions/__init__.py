"""Suites to questions for a model, and its answers, in columns."""
