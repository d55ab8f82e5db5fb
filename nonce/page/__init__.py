"""The review page: one HTML file on which a linguist marks items, and the reading of the marks."""
