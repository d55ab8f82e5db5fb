"""Instances to verdicts: counts, evidence, constructions and what a rule is made of."""
