"""Template grammars: a lexicon with features, templates with agreement indices, trees for free.

One way through the package: `load` reads a TOML file (`file` its keys, `notation` its rules,
`lexicon` its words, `check` their sense) into the records of `language`; `shapes` multiplies the
phrases out into flat rows of slots; `expand` counts, enumerates and samples the fillings of those
rows; `surface` turns a filling into words as they are written (articles, elision, contractions),
and writes the tree; `items` says which fillings are one item, and makes it. `generate` is what
users call.
"""
