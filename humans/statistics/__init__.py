"""Statistics of people, and of models beside people; seeded, vectorised.

Everything here takes plain numbers, tallies or judgments and returns records. `None` stands for
"undefined" (a correlation with a constant, an interval from one source), never a number.
"""
