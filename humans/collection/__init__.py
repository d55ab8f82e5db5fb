"""Several suites at once: scores over them, tests between raters, surprisal by region."""
