"""All test material: items, suites and their formats, predictions, nonce variants, grammars."""
