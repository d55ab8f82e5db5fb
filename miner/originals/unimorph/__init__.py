"""UniMorph: what its bundles mean beside UD's tags, and its word lists (docs/mining.md)."""
