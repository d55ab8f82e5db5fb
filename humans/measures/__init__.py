"""What `humans analyse` tells, one kind of measure a file: a suite's results in, rows out."""
