"""The report: one HTML page on what models and people did on the same items."""
