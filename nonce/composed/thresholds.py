"""What counts as productive, how far words are spread (`thresholds.tsv`, each value with its
reason); and what must be known of a language beyond what its treebank shows (`languages.toml`).

The values are those of a prototype read in twelve languages, mended by later readings.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from ...data.tables import read_tsv


class Threshold(NamedTuple):
    """A value, and the reading or count that chose it."""

    name: str
    value: float
    reason: str


THRESHOLDS = tuple(
    Threshold(row["name"], float(row["value"]), row["reason"])
    for row in read_tsv(Path(__file__).parent / "thresholds.tsv")
)
T = {threshold.name: threshold.value for threshold in THRESHOLDS}


@dataclass(frozen=True)
class CompositionRules:
    """The table of a language; each field is described where it stands first in the file."""

    collective: Sequence[str] = ()
    dated: Sequence[str] = ()
    impersonal: Sequence[str] = ()
    weak: Sequence[str] = ()
    matrix: Sequence[str] = ()
    no_matrix: Sequence[str] = ()
    no_front: Sequence[str] = ()
    motion: Sequence[str] = ()
    past_matrix: bool = True
    object_suffixes: bool = False
    verbs_alone: bool = False
    raised_subjects: bool = False
    front_comma: bool = False
    bound_endings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    subject_endings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    perfective_needs_particle: bool = False


@cache
def language_named(code: str) -> CompositionRules:
    """Return what is known of a language, by its BCP-47 code; a region is ignored.

    >>> language_named("ru-RU").bound_endings
    {'Loc': ['у', 'ю']}
    """
    text = (files(__package__) / "languages.toml").read_text("utf-8")
    return CompositionRules(**tomllib.loads(text).get(code.partition("-")[0], {}))
