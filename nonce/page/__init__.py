"""A set to read: one HTML page on which a linguist reviews items, and the marks that come back."""
