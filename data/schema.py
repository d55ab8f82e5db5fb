"""The columns of every kind of row that the tool prints, stores or writes: names and types.

A kind of row has one schema, wherever it appears: in a table on a terminal, a file, the store, JSON
lines or a data frame. A name means the same thing in all schemas. Counts begin with `n_`, units are
part of the name (`surprisal_bits`, `rt_ms`), indices count from 0, shares are 0 to 1. An empty cell
means that the row is about all values of that column, or that there is no number.

The file `schema.toml` lists the columns of each kind.
"""

import tomllib
from collections.abc import Mapping
from typing import TypeAlias

from .shell import resource

Schema: TypeAlias = Mapping[str, type]
"""Column → `str`, `int`, `float` or `bool`, in the order in which they are written."""

TYPES = {kind.__name__: kind for kind in (str, int, float, bool)}
SCHEMAS: Mapping[str, Schema] = {
    name: {column: TYPES[type_name] for column, type_name in columns.items()}
    for name, columns in tomllib.loads(resource(__package__, "schema.toml")).items()
}

# Results of mining (commands `mine` and `languages`).
CONSTRUCTIONS = SCHEMAS["constructions"]
REJECTIONS = SCHEMAS["rejections"]
LANGUAGES = SCHEMAS["languages"]
BENCHMARK = SCHEMAS["benchmark"]
# Results of scoring (command `score`).
SCORES = SCHEMAS["scores"]
OUTCOMES = SCHEMAS["outcomes"]
ACCURACY = SCHEMAS["accuracy"]
WORDS = SCHEMAS["words"]
CURVE = SCHEMAS["curve"]
# Comparisons with people and publications (commands `compare` and `humans analyse`).
COMPARISON = SCHEMAS["comparison"]
COLLECTION = SCHEMAS["collection"]
PAIRED = SCHEMAS["paired"]
CORRELATIONS = SCHEMAS["correlations"]
REGIONS = SCHEMAS["regions"]
PUBLISHED = SCHEMAS["published"]
MEASURES = SCHEMAS["measures"]
EXCLUSIONS = SCHEMAS["exclusions"]
