"""Several suites together: scores over them, tests between raters, mean surprisal by region."""
