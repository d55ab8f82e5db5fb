"""One pass over a treebank: agreements per construction, where they stand, and the paradigms."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from colorless_green.miner.features import Values
from colorless_green.miner.paradigms import Analysis, count_analyses
from colorless_green.miner.rule import Rule
from colorless_green.miner.surface import surface_of
from colorless_green.miner.tree import Sentence


@dataclass(frozen=True, slots=True)
class Stages:
    """How many arcs reached each stage of a rule (mining facts §1.3, "Stage counts")."""

    n_sentences: int
    n_words: int
    n_withheld: int  # words whose form is "_": text that may not be distributed
    n_ranges: int
    n_arcs: int
    n_near: int
    n_kept: int
    n_with_feature: int
    n_keys: int


@dataclass(slots=True)
class Counts:
    """What a pass has counted. It grows with the distinct keys and analyses, and by one small
    tuple for each instance."""

    tables: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """key → (file index, sentence number) of its instances"""
    analyses: Counter[Analysis] = field(default_factory=Counter)
    n_sentences: int = 0
    n_words: int = 0
    n_ranges: int = 0
    n_arcs: int = 0
    n_near: int = 0
    n_kept: int = 0
    n_with_feature: int = 0

    def stages(self) -> Stages:
        """The totals, for the run's record."""
        return Stages(
            self.n_sentences,
            self.n_words,
            sum(n for (form, *_), n in self.analyses.items() if form == "_"),
            self.n_ranges,
            self.n_arcs,
            self.n_near,
            self.n_kept,
            self.n_with_feature,
            len(self.tables),
        )


def count(
    numbered: Iterable[tuple[int, Sentence]], rule: Rule, feature: str, *, ghosts: bool
) -> Counts:
    """Counts over all sentences, given with the index of their file."""
    counts = Counts()
    values = Values(feature)
    for file_index, sentence in numbered:
        count_analyses(sentence, counts.analyses)
        found = rule.instances(surface_of(sentence, ghosts=ghosts), values)
        counts.n_sentences += 1
        counts.n_words += len(sentence)
        counts.n_ranges += len(sentence.ranges)
        counts.n_arcs += found.n_arcs
        counts.n_near += found.n_near
        counts.n_kept += found.n_kept
        counts.n_with_feature += len(found.instances)
        for key, cue_value, target_value, _ in found.instances:
            table = counts.tables.setdefault(key, {})
            cell = (cue_value, target_value)
            table[cell] = table.get(cell, 0) + 1
            counts.places.setdefault(key, []).append((file_index, sentence.number))
    return counts
