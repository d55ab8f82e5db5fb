"""What must be true of rules before they are multiplied out, and of shapes after."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.nonce.grammar.language import Shape, Slot, WordList, base
from colorless_green.nonce.grammar.marks import check_marks
from colorless_green.nonce.grammar.notation import Alternative, Argument, Item, walk
from colorless_green.nonce.grammar.places import Source, place
from colorless_green.nonce.grammar.shapes import Rules


def check_rules(
    written: Mapping[str, tuple[Alternative, ...]], section: str, rules: Rules, source: Source
) -> None:
    """Every name stands for something, and every alternative has one head."""
    for name, alternatives in written.items():
        at = place(source, section, name)
        for outer in alternatives:
            for alternative in walk(outer):
                _check_alternative(name, alternative, rules, at)


def check_levels(rules: Rules, source: Source) -> None:
    """No phrase holds itself: a grammar has finitely many sentences."""
    for name in rules.phrases:
        path = _way_to_itself(name, rules)
        if path:
            wrong = f"the phrase {name!r} holds itself ({' → '.join(path)})"
            raise InputError(
                place(source, "phrases", name), wrong, "a phrase for each level", kind="format"
            )


def _check_alternative(name: str, alternative: Alternative, rules: Rules, at: str) -> None:
    heads = [item for item in alternative.items if not item.relation]
    if alternative.items and len(heads) != 1:
        wrong = f"{name}: {len(heads)} items of one alternative have no relation"
        raise InputError(
            at, wrong, "exactly one, the head; the others say how they hang on it", kind="format"
        )
    if heads and any(not each.items for each in heads[0].group):
        raise InputError(
            at, f"{name}: the head can be absent", "a head that is always there", kind="format"
        )
    if not alternative.items and alternative.own:
        raise InputError(
            at,
            f"{name}: an empty alternative has values",
            "none, or words with them",
            kind="format",
        )
    _check_arguments(name, alternative.own, rules, at)
    if any(each.flips or each.others for each in alternative.own):
        right = "values that are the same in all conditions; mark the words"
        raise InputError(at, f"{name}: a phrase passes on what changes", right, kind="format")
    for item in alternative.items:
        if item.name and item.name not in rules.lists and item.name not in rules.phrases:
            raise InputError(
                at,
                f"{name}: no word list or phrase {item.name!r}",
                nearest(item.name, [*rules.lists, *rules.phrases]),
                kind="unknown",
            )
        if item.row and item.name not in rules.lists:
            wrong = f"{name}: the phrase {item.name!r} stands in a row"
            raise InputError(at, wrong, "word lists in rows", kind="format")
        _check_arguments(name, item.arguments, rules, at)
        _check_known(name, item, rules, at)


def _check_arguments(name: str, arguments: tuple[Argument, ...], rules: Rules, at: str) -> None:
    seen: dict[str, str] = {}
    for each in arguments:
        feature = rules.indices.get(each.name) or rules.owner.get(each.name)
        if feature is None:
            right = nearest(each.name, [*rules.indices, *rules.owner])
            wrong = f"{name}: no index or value {each.name!r}"
            raise InputError(at, wrong, right, kind="unknown")
        if feature in seen:
            wrong = f"{name}: {seen[feature]!r} and {each.name!r} are both of {feature}"
            raise InputError(at, wrong, "one of them", kind="conflict")
        seen[feature] = each.name
        for written in each.others:
            _check_other(name, written, feature, rules, at)


def _check_other(name: str, written: str, feature: str, rules: Rules, at: str) -> None:
    """What stands after a stroke is of the same feature; `-` needs one of two values."""
    bare = written.removeprefix("-")
    if (rules.indices.get(bare) or rules.owner.get(bare)) != feature:
        known = [each for each, owner in rules.indices.items() if owner == feature]
        right = nearest(bare, [*known, *rules.features[feature]])
        raise InputError(
            at, f"{name}: {bare!r} is no index or value of {feature}", right, kind="unknown"
        )
    if bare != written and len(rules.features[feature]) != 2:
        wrong = f"{name}: {written!r}, but {feature} has {len(rules.features[feature])} values"
        raise InputError(at, wrong, "- for features of two values", kind="format")


def _check_known(name: str, item: Item, rules: Rules, at: str) -> None:
    """What is asked of a word list must mean something to one of its words."""
    words = rules.lists.get(item.name)
    for argument in item.arguments if words else ():
        feature = rules.indices.get(argument.name) or rules.owner[argument.name]
        if words and not any(feature in e.varies or feature in e.only for e in words.entries):
            wrong = f"{name}: no word of {item.name!r} has to do with {feature} ({argument.name!r})"
            raise InputError(at, wrong, f"{item.name} without {argument.name}", kind="format")


def _way_to_itself(name: str, rules: Rules) -> list[str]:
    """The names on a way from a phrase back to itself; empty if there is none."""
    ways = [[name, each] for each in _phrases_in(name, rules)]
    seen: set[str] = set()
    while ways:
        way = ways.pop()
        if way[-1] == name:
            return way
        if way[-1] not in seen:
            seen.add(way[-1])
            ways += [[*way, each] for each in _phrases_in(way[-1], rules)]
    return []


def _phrases_in(name: str, rules: Rules) -> Iterator[str]:
    for outer in rules.phrases[name]:
        for alternative in walk(outer):
            for item in alternative.items:
                if item.name in rules.phrases:
                    yield item.name


def check_shape(shape: Shape, features: Mapping[str, tuple[str, ...]], at: str) -> None:
    """Every value is fixed by a word, and marked words have the form they flip to.

    A value on which no word depends would count, and yield, the same sentence once for each.
    """
    for number, feature in enumerate(shape.variables):
        if not any(_fixes(slot, number, feature) for slot in shape.slots):
            lists = [s.words.name for s in shape.slots if _stands_on(s, number, feature)]
            wrong = (
                f"the template {shape.template!r} leaves {feature} open on "
                f"{', '.join(lists)}: no word there always shows it"
            )
            raise InputError(
                at, wrong, "a value, or an index shared with a word that shows it", kind="format"
            )
    _check_rows(shape, at)
    check_marks(shape, features, at)


def _check_rows(shape: Shape, at: str) -> None:
    """The lists of a row are of one length, and what must not repeat stands in it alone."""
    for slot in shape.slots:
        row = [each for each in shape.slots if each.row is not None and each.row == slot.row]
        lengths = {each.words.name: len(each.words.entries) for each in row}
        if len(set(lengths.values())) > 1:
            found = ", ".join(f"{name} {n}" for name, n in lengths.items())
            wrong = f"the template {shape.template!r} has a row of lists of different lengths"
            raise InputError(at, f"{wrong} ({found})", "lists of one length", kind="format")
        elsewhere = [each for each in shape.slots if each not in row and each.words is slot.words]
        if row and elsewhere and not slot.words.repeat:
            wrong = (
                f"the template {shape.template!r} has {slot.words.name!r} in a row and elsewhere"
            )
            raise InputError(at, wrong, "repeat = true, or a list of its own", kind="format")


def _stands_on(slot: Slot, variable: int, feature: str) -> bool:
    return any(name == feature and base(term) == variable for name, term in slot.terms)


def _fixes(slot: Slot, variable: int, feature: str) -> bool:
    """Whether every word that can fill a slot goes with exactly one value of a variable on it."""
    if not _stands_on(slot, variable, feature):
        return False
    return _all_fix(slot.words, _fixed(slot), feature)


def _fixed(slot: Slot) -> tuple[tuple[str, str], ...]:
    terms = ((name, base(term)) for name, term in slot.terms)
    return tuple((name, term) for name, term in terms if isinstance(term, str))


@lru_cache(maxsize=4096)
def _all_fix(words: WordList, fixed: tuple[tuple[str, str], ...], feature: str) -> bool:
    return all(
        feature in entry.varies or len(entry.only.get(feature, ())) == 1
        for entry in words.entries
        if all(value in entry.only.get(name, (value,)) for name, value in fixed)
    )
