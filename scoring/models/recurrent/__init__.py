"""Recurrent networks: what they are, how they lie on disk, how they are asked and converted."""
