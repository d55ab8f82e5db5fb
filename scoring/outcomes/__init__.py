"""Answers to outcomes, accuracies, and rows of the store."""
