"""Template grammars: a lexicon with features, templates with agreement indices, trees for free.

One way through the package: `load_grammar` reads a TOML file (`grammar_file` its keys, `word_lists`
its words, `notation` its rules, which come out as flat rows of slots) into the records of `grammar`
and checks them; `expand` enumerates and samples the fillings of those rows; `written_tokens` turns
a filling into words as they are written (articles, elision, contractions), and writes the tree;
`items` says which fillings are one item, and makes it. `generate` is what users call.
"""
