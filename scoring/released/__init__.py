"""Results that others released item by item, and the figures that follow from them."""
