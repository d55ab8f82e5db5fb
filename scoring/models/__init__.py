"""Models that answer questions: how they are named, loaded, read and checked."""
