"""What counts as a pair of words that might agree: any dependency (`arc`), or a named path."""
