"""What must be true of words that change with the condition: they can, and it shows.

A pair whose members are equal tests nothing, so that every condition must show on a word whose
forms are all different there (no syncretism), and every word must have the forms it is marked for.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from colorless_green.data.errors import InputError
from colorless_green.nonce.grammar.count import admits
from colorless_green.nonce.grammar.language import Change, Entry, Other, Shape, Slot, base, resolved

Domains = Mapping[str, tuple[str, ...]]
"""Feature → values."""


def check_marks(shape: Shape, features: Domains, at: str) -> None:
    """Raises `InputError` where words are marked for different numbers of conditions or by
    different indices, lack a form they are marked for, or look the same in two conditions."""
    marked = [(slot, feature, term) for slot, feature, term in _changes(shape)]
    if not marked:
        return
    about = f"the template {shape.template!r}"
    if len({(feature, base(term)) for _, feature, term in marked}) > 1:
        wrong = f"{about} marks words of different indices with !"
        raise InputError(at, wrong, "one index: the marked words flip together", kind="conflict")
    if len({len(term.terms) for _, _, term in marked}) > 1:
        wrong = f"{about} marks words for different numbers of conditions"
        raise InputError(at, wrong, "as many values in all its marks", kind="conflict")
    for slot, feature, term in marked:
        for entry, keys in _fitting(slot):
            for values in _values(term, features[feature]):
                if not _can(entry, keys, feature, values):
                    wrong = f"{about} marks {entry.lemma!r} with !"
                    right = f"words that have a form for every value of {feature}"
                    raise InputError(at, wrong, right, kind="format")
    for number in range(1, shape.n_conditions):
        same = [_same(*each, number, features) for each in marked]
        if all(same):
            wrong = f"{about} has {same[-1]!r} in its conditions 1 and {number + 1} alike"
            raise InputError(
                at, wrong, "a marked word that always looks different there", kind="conflict"
            )


def _changes(shape: Shape) -> Iterator[tuple[Slot, str, Change]]:
    for slot in shape.slots:
        for feature, term in slot.terms:
            if isinstance(term, Change):
                yield slot, feature, term


def _values(term: Change, domain: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The values a change can have in its conditions, for each choice of its variables."""
    parts = (each.variable if isinstance(each, Other) else each for each in term.terms)
    variables = sorted({each for each in parts if isinstance(each, int)})
    found = [""] * (max(variables, default=-1) + 1)
    for chosen in product(domain, repeat=len(variables)):
        for variable, value in zip(variables, chosen, strict=True):
            found[variable] = value
        yield tuple(resolved(term, tuple(found), n) for n in range(len(term.terms)))


def _fitting(slot: Slot) -> Iterator[tuple[Entry, list[dict[str, str]]]]:
    """The entries that fit the slot's fixed values, with what their forms stand under."""
    bases = ((feature, base(term)) for feature, term in slot.terms if not isinstance(term, Change))
    fixed = {feature: value for feature, value in bases if isinstance(value, str)}
    for entry in slot.words.entries:
        if all(value in entry.only.get(name, (value,)) for name, value in fixed.items()):
            keys = [dict(zip(entry.varies, key, strict=True)) for key in entry.forms]
            yield (
                entry,
                [
                    key
                    for key in keys
                    if all(fixed.get(name, each) == each for name, each in key.items())
                ],
            )


def _can(entry: Entry, keys: list[dict[str, str]], feature: str, values: tuple[str, ...]) -> bool:
    """Whether an entry that has a form for the first of these values has one for all."""
    first, *others = values
    if first not in entry.only.get(feature, (first,)):
        return True
    only = {name: allowed[0] for name, allowed in entry.only.items()}
    here = [only | key for key in keys if key.get(feature, first) == first]
    return all(admits(entry, key | {feature: value}) for key in here for value in others)


def _same(slot: Slot, feature: str, term: Change, number: int, features: Domains) -> str:
    """A word of the slot that can look the same in the first condition and that one; or ""."""
    for values in _values(term, features[feature]):
        for entry, keys in _fitting(slot):
            if _alike(entry, keys, feature, values[0], values[number]):
                return entry.lemma
    return ""


def _alike(entry: Entry, keys: list[dict[str, str]], feature: str, first: str, other: str) -> bool:
    if first not in entry.only.get(feature, (first,)):
        return False
    if feature not in entry.varies or first == other:
        return True
    pairs = ((key, key | {feature: other}) for key in keys if key[feature] == first)
    return any(
        entry.forms[tuple(one.values())].words == entry.forms[tuple(two.values())].words
        for one, two in pairs
    )
