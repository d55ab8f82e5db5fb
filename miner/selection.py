"""Which pairs of words are instances, and what the construction they count for is called."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from colorless_green.miner.patterns.pattern import ARC
from colorless_green.miner.surface import Merging

GapIn: TypeAlias = Literal["words", "tokens"]
"""Gaps are counted in surface words, or in the syntactic words of the tree."""
By: TypeAlias = Literal["pos", "deprel", "coarse"]
"""Constructions by POS of cue, context and target (the paper's); the same and the relation; or
direction, POS of the two ends and relation, whatever stands between."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Every rule has one of its own, of which the command line may change parts."""

    min_gap: int  # tokens strictly between cue and target
    max_gap: int | None
    gap_in: GapIn
    merging: Merging
    projective: bool  # all between are descendants of the head
    punctuation: bool  # whether punctuation may be cue or target
    directed: bool  # whether the name tells which of the two depends on the other
    context: Literal["ends", "outside"]  # between: headed by cue or target, or from outside the gap
    by: By = "pos"
    direction: Literal["", "L", "R"] = ""  # dependent first, head first, or both
    relations: frozenset[str] = frozenset()  # of arcs; empty: all
    patterns: tuple[str, ...] = (ARC,)  # names or TOML files; `arc` is every dependency
    filters: tuple[str, ...] = ()  # names in `filters.FILTERS`

    @property
    def near(self) -> str:
        """The gap in words, for the run's story."""
        unit = "tokens" if self.merging != "apart" else self.gap_in
        if self.max_gap is None:
            return f"{self.min_gap} or more {unit} between"
        return f"{self.min_gap} to {self.max_gap} {unit} between"

    @property
    def kept(self) -> str:
        """What arcs must be beside near, in words."""
        asked = [
            "projective" if self.projective else "",
            "" if self.punctuation else "no punctuation at either end",
            {"": "", "L": "dependent first", "R": "head first"}[self.direction],
            " or ".join(sorted(self.relations)),
        ]
        return ", ".join(filter(None, asked)) or "all of these"
