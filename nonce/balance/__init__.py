"""The same words in other inflections: one sentence in every cell of a factorial block."""
