"""Originals to variants: slots, donors, levels, frames, realisation, pseudo-words, flags."""
