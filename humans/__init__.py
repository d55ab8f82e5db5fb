"""Judgments, statistics, the comparison of models and people, the report."""
