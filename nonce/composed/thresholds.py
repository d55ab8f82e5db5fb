"""The thresholds of composed sets (`thresholds.tsv`, each value with its reason); and facts about a
language that its treebank does not show (`languages.toml`).

The values are those of a prototype whose sets were read in twelve languages, corrected after later
readings.
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
    """A threshold: its value, and the reading or count that it is based on."""

    name: str
    value: float
    reason: str


THRESHOLDS = tuple(
    Threshold(row["name"], float(row["value"]), row["reason"])
    for row in read_tsv(Path(__file__).parent / "thresholds.tsv")
)
LIMIT = {threshold.name: threshold.value for threshold in THRESHOLDS}
"""Name of a threshold in `thresholds.tsv` → its value, the least or largest that is allowed"""


@dataclass(frozen=True)
class CompositionRules:
    """The table of a language in `languages.toml`, which describes each field at its first use."""

    collective: Sequence[str] = ()
    dated: Sequence[str] = ()
    euphonic: Sequence[str] = ()
    impersonal: Sequence[str] = ()
    weak: Sequence[str] = ()
    matrix: Sequence[str] = ()
    no_matrix: Sequence[str] = ()
    no_front: Sequence[str] = ()
    motion: Sequence[str] = ()
    object_pronouns: Sequence[str] = ()
    past_matrix: bool = True
    object_suffixes: bool = False
    verbs_alone: bool = False
    raised_subjects: bool = False
    front_comma: bool = False
    bound_endings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    subject_endings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    perfective: Sequence[str] = ()
    perfective_needs_particle: bool = False

    def differ(self, form: str, other: str) -> bool:
        """Tell whether two forms of a word differ in more than a final letter that depends on the
        next word, such as the movable *n* of Ancient Greek."""

        def stem(form: str) -> str:
            ending = next(filter(form.endswith, self.euphonic), "")
            return form.lower().removesuffix(ending)

        return stem(form) != stem(other)


@cache
def composition_rules(code: str) -> CompositionRules:
    """Return the table of the language with a BCP-47 code; a region in the code is ignored.

    >>> composition_rules("ru-RU").bound_endings
    {'Loc': ['у', 'ю']}
    """
    text = (files(__package__) / "languages.toml").read_text("utf-8")
    return CompositionRules(**tomllib.loads(text).get(code.partition("-")[0], {}))
