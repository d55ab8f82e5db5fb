"""Well-formed text after words were exchanged: articles, elision, contractions, capitals.

One file a language in `languages/` says which words change with the sound of their neighbour and
which are written as one; `realiser` makes a `Realiser` of it.
"""
