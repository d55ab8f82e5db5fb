"""Data that are read, written and kept, for every room: errors, files, tables, the store, the
sample."""
