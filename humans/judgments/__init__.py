"""Judgments: formats that are read, exclusion, and the rows of the store."""
