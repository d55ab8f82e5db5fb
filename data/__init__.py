"""Data at rest and how it is touched: errors with a place, files, tables, the store, the sample."""
