"""Test items and suites: as records, as columns, and what items need of trees and FEATS."""
