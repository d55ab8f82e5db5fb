"""Several suites at once: scores over them, tests between raters, what else predicts success."""
