"""What `humans analyse` tells, one kind of measure a file: evidence in, rows out."""
