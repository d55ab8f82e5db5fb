"""Judgments of people: reading files, joining answers to items, exclusion, and storing."""
