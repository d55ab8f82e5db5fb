"""Template grammars: a lexicon with features, templates with agreement indices, trees for free.

One way through the package: `load` reads a TOML file (`notation` its rules, `lexicon` its words,
`design` its section on suites, `check` and `marks` their sense) into the records of `language`;
`shapes` multiplies the phrases out into flat rows of slots; `count` and `expand` count, enumerate
and sample the fillings of those rows; `surface` turns a filling into words as they are written
(articles, elision, contractions). Then either `conllu` writes the tree, or `wordings` says which
fillings are one item and `items` makes it. `commands` is the verb.
"""
