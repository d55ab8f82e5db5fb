"""Template grammars: a lexicon with features, and templates with agreement indices and trees.

A way through the package: `load_grammar` in `generate` reads a TOML file and checks it.
`grammar_file` has its keys and word lists; `notation` parses its rules and expands them to
sequences of slots, which are the shapes of `grammar`. There, derivations are counted, enumerated
and drawn. `written_tokens` writes a derivation as a sentence (with elision and contractions) and as
CoNLL-U; `items` groups derivations into items. Users call `generate`.
"""
