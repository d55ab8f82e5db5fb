"""The parts of the page on controlled suites, one figure or table a file."""
