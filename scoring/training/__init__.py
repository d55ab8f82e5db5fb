"""The small models, one a file: text in, a model folder out."""
