"""The commands such as `colorless mine` ("verbs"), each made from a public function of the package:
parameters become options, the docstring becomes the help. `cli.py` gives the commands their names.
"""
