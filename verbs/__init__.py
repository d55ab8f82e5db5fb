"""The verbs of the command `colorless`: each is a function whose parameters are its options and
whose docstring is its help. It returns the function of a room that does the work. `cli.py` gives
the verbs their names; what is heavy is imported inside the functions."""
