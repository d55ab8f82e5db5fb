"""What could be solved without grammar: baselines on every item of a suite, cell by cell."""
