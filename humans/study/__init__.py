"""A study before it runs: stimuli, lists, fillers, orders, settings and texts."""
