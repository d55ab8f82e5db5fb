"""Treebanks and published sets: from the network, a mirror or the cache into folders."""
