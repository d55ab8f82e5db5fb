"""Formulas of predictions: syntax trees, the parser, and evaluation on values or by chance."""
