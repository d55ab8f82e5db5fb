"""The verbs of the command `colorless`, each made from a public function of the package: the
parameters become options, the docstring becomes the help. `cli.py` gives the verbs their names."""
