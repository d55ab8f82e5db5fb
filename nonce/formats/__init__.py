"""File formats of suites, one a file."""
