"""Import formats of judgments, one a file: `read(paths, items, options) -> Imported`."""
