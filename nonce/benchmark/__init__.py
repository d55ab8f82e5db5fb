"""A benchmark: composed sets of many languages as one folder that a person can publish."""
