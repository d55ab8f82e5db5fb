"""CoNLL-U to sentences: lines, trees, surface tokens, repairs, and the forms words have."""
