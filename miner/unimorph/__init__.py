"""UniMorph word lists: reading them, comparing their bundles with UD's FEATS, and looking up the
form of a word with another value of a feature (docs/unimorph.md)."""
