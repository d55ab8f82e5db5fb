"""Words that may stand in another's place, and the pairs of forms, for a target, that differ in
more than the value."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...miner.originals.wrong_form import common_ending

TREEBANK = "treebank"  # where a wrong form is from, if not from UniMorph
MANY = 3  # lemmas that show an alternation of endings, or of a letter in the stem


class Donor(NamedTuple):
    """A word that may stand in another's place; for a target with its wrong form, which differs in
    the feature alone."""

    form: str  # as it is written in the middle of a sentence
    lemma: str
    wrong: str = ""
    source: str = TREEBANK  # where the wrong form is from


def odd_pairs(pairs: Iterable[Donor]) -> frozenset[Donor]:
    """Return the pairs of a cell whose stems differ in a letter as those of hardly any other do.

    One of the two forms is then spelled otherwise (Greek *επισκέφθηκε*, *επισκέφτηκαν*) or
    misspelt. Regular changes of stems are shown by several lemmas (German *gibt*, *geben*).

    Args:
        pairs: all pairs of lemmas with the same FEATS.

    >>> regular = ["ora", "amica", "casa", "rosa"]
    >>> pairs = [Donor(word, word, word[:-1] + "e") for word in regular]
    >>> odd = Donor("stella", "stella", "stalle")
    >>> odd_pairs([*pairs, odd]) == {odd}
    True
    """
    pairs = list(pairs)
    endings: dict[tuple[str, str], set[str]] = {}
    for pair in pairs:
        endings.setdefault(_endings(pair), set()).add(pair.lemma)
    usual = [ends for ends, lemmas in endings.items() if len(lemmas) >= MANY]
    changes: dict[tuple[str, str], set[str]] = {}
    by_pair: dict[Donor, set[tuple[str, str]]] = {}
    for pair in pairs:
        if _endings(pair) not in usual and (found := set(_stem_changes(pair, usual))):
            by_pair[pair] = found
            for change in found:
                changes.setdefault(change, set()).add(pair.lemma)
    return frozenset(
        pair
        for pair, found in by_pair.items()
        if all(len(changes[change]) < MANY for change in found)
    )


def _endings(pair: Donor) -> tuple[str, str]:
    """Return what follows the letters that the two forms begin with."""
    start = common_ending(pair.form[::-1], pair.wrong[::-1])
    return pair.form[start:], pair.wrong[start:]


def _stem_changes(pair: Donor, usual: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the letters by which the stems differ, one at most on either side, if the endings are
    usual ones."""
    for right_end, wrong_end in usual:
        if not (pair.form.endswith(right_end) and pair.wrong.endswith(wrong_end)):
            continue
        right = pair.form.removesuffix(right_end)
        wrong = pair.wrong.removesuffix(wrong_end)
        start, end = common_ending(right[::-1], wrong[::-1]), common_ending(right, wrong)
        end = min(end, len(right) - start, len(wrong) - start)
        change = right[start : len(right) - end], wrong[start : len(wrong) - end]
        inside = end or all(change)  # *relax*, *relaxes* is another ending
        if start and inside and max(map(len, change)) == 1:
            yield change
