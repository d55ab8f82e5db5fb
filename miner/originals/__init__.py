"""Instances of accepted constructions to originals: wrong forms, cue words, UniMorph."""
