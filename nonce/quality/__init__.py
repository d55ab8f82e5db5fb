"""What a tree says for and against an item: leaks, rivals, and how its words hang together."""
