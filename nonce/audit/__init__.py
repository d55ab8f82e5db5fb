"""Audit: baselines measure how much of a suite, cell by cell, can be solved without grammar."""
