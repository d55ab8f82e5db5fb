"""A benchmark: composed sets of many languages in one folder that is ready to publish."""
