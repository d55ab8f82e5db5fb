"""Template grammars: a lexicon with features, templates with agreement indices, trees for free.

One way through the package: `load` reads a TOML file (`notation` its rules, `lexicon` its words,
`check` their sense) into the records of `language`; `shapes` multiplies the phrases out into flat
rows of slots; `count` and `expand` count, enumerate and sample the fillings of those rows;
`surface` turns a filling into words as they are written (articles, elision, contractions);
`conllu` writes the tree.
"""
