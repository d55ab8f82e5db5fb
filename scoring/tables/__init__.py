"""Surprisals found elsewhere: tables of tokens or of regions, laid over the texts of a suite."""
