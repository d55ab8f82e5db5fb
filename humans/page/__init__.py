"""The report: one figure or table a file, joined by `page.py`."""
