"""Which forms a lemma has, and how often each analysis of a form was seen."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text
from colorless_green.miner.features import normal, with_value
from colorless_green.miner.tree import Sentence

Analysis: TypeAlias = tuple[str, str, str, str]
"""(form, lemma, UPOS, FEATS as written)"""
MISSING = "_"  # a lemma the treebank does not give; never a lemma shared by everything


def count_analyses(sentences: Sequence[Sentence], counts: Counter[Analysis]) -> None:
    """Adds every row of the sentences to `counts`, as `collect_paradigms.py` of the paper does:
    multiword tokens come as (form, _, _, _), empty nodes as their line has them."""
    counts.update(chain.from_iterable(map(_analyses, sentences)))


def _analyses(sentence: Sentence) -> Iterable[Analysis]:
    words = zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.feats, strict=True)
    if not sentence.extras:
        return words
    rows = [line.split("\t") for _, line in sentence.extras if line[0] != "#"]
    return chain(words, [(cells[1], cells[2], cells[3], cells[5]) for cells in rows])


@dataclass(frozen=True)
class Paradigms:
    """The analyses of a treebank, in the order in which each was first seen.

    FEATS are normal (sorted by code point), so that equal sets of features are equal strings.
    """

    counts: Mapping[Analysis, int]

    @cached_property
    def forms(self) -> Mapping[tuple[str, str, str], tuple[tuple[str, int], ...]]:
        """(lemma, UPOS, FEATS) → its forms with counts, most frequent first, ties by first seen."""
        table: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
        for (form, lemma, upos, feats), n in self.counts.items():
            if lemma != MISSING:
                table.setdefault((lemma, upos, feats), []).append((form, n))
        return {key: tuple(sorted(seen, key=lambda one: -one[1])) for key, seen in table.items()}

    def partners(
        self, lemma: str, upos: str, feats: str, feature: str, value: str
    ) -> tuple[str, ...]:
        """Forms equal in all but `feature`, which is `value`; most frequent first."""
        counts = self.counted(lemma, upos, with_value(feats, feature, value))
        return tuple(sorted(counts, key=lambda form: -counts[form]))

    def counted(self, lemma: str, upos: str, feats: str) -> dict[str, int]:
        """The forms of a lemma with this POS and these normal FEATS, in the order first seen, and
        how often."""
        return self.counted_if(lemma, upos, lambda each: each == feats)

    def counted_if(self, lemma: str, upos: str, fits: Callable[[str], bool]) -> dict[str, int]:
        """The forms of a lemma with this POS and fitting FEATS, in the order first seen, and how
        often."""
        counts: dict[str, int] = {}
        for form, tag, feats, n in self._by_lemma.get(lemma, ()) if lemma != MISSING else ():
            if tag == upos and fits(feats):
                counts[form] = counts.get(form, 0) + n
        return counts

    @cached_property
    def _by_lemma(self) -> Mapping[str, Sequence[tuple[str, str, str, int]]]:
        """Lemma → its (form, UPOS, FEATS, count), in the order first seen: what looking up single
        words needs, at a fifth of the cost of `forms`."""
        table: dict[str, list[tuple[str, str, str, int]]] = {}
        for (form, lemma, upos, feats), n in self.counts.items():
            table.setdefault(lemma, []).append((form, upos, feats, n))
        return table

    @cached_property
    def by_form(self) -> Mapping[str, Sequence[tuple[str, str, int]]]:
        """Form → its analyses as (UPOS, FEATS, count), in the order first seen."""
        table: dict[str, list[tuple[str, str, int]]] = {}
        for (form, _, upos, feats), n in self.counts.items():
            table.setdefault(form, []).append((upos, feats, n))
        return table


def paradigms_of(
    counts: Mapping[Analysis, int],
    *,
    letters_only: bool,
    repair: Callable[[str], str] | None = None,
) -> Paradigms:
    """Paradigms from counted analyses, their FEATS repaired; `letters_only` keeps forms that are
    all letters, as the released scripts do (`str.isalpha`)."""
    sound = {
        feats: normal(repair(feats) if repair else feats) for feats in {key[3] for key in counts}
    }
    chosen: Mapping[Analysis, int] = counts
    if letters_only:
        chosen = {key: n for key, n in counts.items() if key[0].isalpha()}
    if all(feats == found for feats, found in sound.items()):
        return Paradigms(chosen)
    normalised: dict[Analysis, int] = {}
    for (form, lemma, upos, feats), n in chosen.items():
        key = (form, lemma, upos, sound[feats])
        normalised[key] = normalised.get(key, 0) + n
    return Paradigms(normalised)


def surface_forms(counts: Iterable[Analysis]) -> frozenset[str]:
    """Every form of the treebank, multiword tokens included: the vocabulary if none is given."""
    return frozenset(form for form, _, _, _ in counts)


def read_vocabulary(path: Path) -> frozenset[str]:
    """The words of a file, split at white space; case counts. Raises `InputError` if none."""
    words = frozenset(read_text(path).split())
    if not words:
        raise InputError(str(path), "no word in it", "one word a line", kind="empty")
    return words
