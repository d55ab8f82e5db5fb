"""Template grammars: a lexicon with features, templates with agreement indices, trees for free.

One way through the package: `load_grammar` reads a TOML file (`_file` its keys, `_lexicon` its
words, `_notation` its rules) into the records of `grammar`; `_shapes` multiplies the phrases out
into flat rows of slots, and `_checks` checks both; `expand` counts, enumerates and samples the
fillings of those rows; `written_tokens` turns a filling into words as they are written (articles,
elision, contractions), and writes the tree; `items` says which fillings are one item, and makes it.
`generate` is what users call.
"""
