"""The verbs of the command `colorless`: each is a function whose parameters are its options and
whose docstring is its help. It calls one function of a room and prints what that returns.
`cli.py` gives the verbs their names; what is heavy is imported inside the functions."""
