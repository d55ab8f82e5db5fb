"""Answers joined to the items they are about: checked, recomputed, counted, never dropped.

Every import format yields judgments as its file tells them; this is the one place where they are
held against the suite.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from colorless_green.data.errors import InputError
from colorless_green.humans.judgment import Judgment
from colorless_green.humans.lookup import forms, normal, plain, prefix, sentences
from colorless_green.humans.tally import construction
from colorless_green.nonce.item import Item, sentence_text

OFFENDERS = 5  # how many of many the message of an error lists


@dataclass(frozen=True, slots=True)
class Joined:
    """The judgments in the order of the file, and how the join went."""

    judgments: tuple[Judgment, ...]
    n_items_matched: int
    n_items_unmatched: int
    n_duplicates: int


def join(
    claimed: Iterable[Judgment],
    items: Sequence[Item],
    missing: Collection[str] = (),
    *,
    in_order: bool = False,
) -> Joined:
    """`claimed` with all that the items know filled in and `correct` recomputed.

    In `claimed` the field `correct` is the file's own verdict, or None. A row whose `trial_id`
    came before with the same content is dropped and counted; without a `trial_id` one is made
    from session, participant, item and position. A chosen text that is one of `missing` is no
    answer, unless it is one of the options. Whole sentences that people chose between become the
    item's forms. `in_order` says that the rows of a session stand in the order shown: where none
    of them has a position, they are numbered from 1.

    Raises `InputError` where a trial_id comes twice with different content; a target's item is
    unknown; the options are not the item's forms; the chosen text is neither option; or the file's
    verdict is not the recomputed one.
    """
    known = {item.item_id: item for item in items}
    kept, n_duplicates = _without_repeats(claimed)
    kept = _numbered(kept) if in_order else kept
    demand_known(((each.item, each.origin) for each in kept if each.kind == "target"), known)
    filled = [_filled(_answered(each, known, missing), known.get(each.item)) for each in kept]
    _demand_options(filled, known)
    about = dict.fromkeys(each.item for each in filled)
    n_matched = sum(item in known for item in about)
    return Joined(
        judgments=tuple(map(_judged, filled)),
        n_items_matched=n_matched,
        n_items_unmatched=len(about) - n_matched,
        n_duplicates=n_duplicates,
    )


def _without_repeats(claimed: Iterable[Judgment]) -> tuple[list[Judgment], int]:
    first: dict[str, Judgment] = {}
    n_rows = 0
    for each in claimed:
        n_rows += 1
        trial_id = each.trial_id or "/".join(
            (each.session, each.participant, each.item, str(each.position or ""))
        )
        before = first.setdefault(trial_id, replace(each, trial_id=trial_id))
        if replace(before, origin="", trial_id="") != replace(each, origin="", trial_id=""):
            raise InputError(
                each.origin,
                f"the trial {trial_id!r} of {before.origin} again, with other content",
                "a trial_id or a position that tells the two answers apart",
                kind="conflict",
            )
    return list(first.values()), n_rows - len(first)


def _numbered(judgments: Sequence[Judgment]) -> list[Judgment]:
    stated = {(each.participant, each.session) for each in judgments if each.position is not None}
    counts: Counter[tuple[str, str]] = Counter()
    result = []
    for each in judgments:
        session = (each.participant, each.session)
        counts[session] += 1
        number = each.position if session in stated else counts[session]
        result.append(replace(each, position=number))
    return result


def demand_known(asked: Iterable[tuple[str, str]], known: Mapping[str, Item]) -> None:
    """Raises `InputError` where an item of `asked`, pairs of item id and place, is not known."""
    unknown: dict[str, str] = {}
    for item, place in asked:
        if item not in known:
            unknown.setdefault(item, place)
    if unknown:
        raise InputError(
            next(iter(unknown.values())),
            f"{_listed(list(unknown))}: no such item among the {len(known)} known",
            "the item_id of an item in the suite, or another `kind` for fillers and checks",
            kind="unknown",
        )


def _filled(judgment: Judgment, item: Item | None) -> Judgment:
    """With what the item knows; the options stay as the file has them, for only it knows the order
    in which they were shown."""
    if item is None:
        return judgment
    judgment = replace(
        judgment,
        source=item.cluster_id,
        construction=construction(item),
        condition=judgment.condition or item.kind,
    )
    if is_rating(judgment, item):
        return replace(judgment, correct_form="")
    pair = forms(item)
    judgment = _in_forms(judgment, item)
    right = pair[0] if pair else judgment.correct_form
    if judgment.correct_form and normal(judgment.correct_form) != normal(right):
        raise InputError(
            judgment.origin,
            f"the correct form of item {item.item_id} is {judgment.correct_form!r}",
            f"{right!r}, as in the suite",
            kind="format",
        )
    shown = {normal(judgment.option_1), normal(judgment.option_2)} - {""}
    if pair and shown and shown != {normal(form) for form in pair}:
        raise InputError(
            judgment.origin,
            f"item {item.item_id} shown with {judgment.option_1!r} and {judgment.option_2!r}",
            f"the item's own forms, {pair[0]!r} and {pair[1]!r}",
            kind="format",
        )
    return replace(judgment, correct_form=right, prefix=judgment.prefix or prefix(item))


def is_rating(judgment: Judgment, item: Item) -> bool:
    """Whether one sentence was judged for itself: there is a rating and no choice, or (where the
    answer is missing) one text was shown and it is a sentence of the item."""
    if judgment.chosen or judgment.option_2:
        return False
    if judgment.rating is not None:
        return True
    shown = plain(judgment.option_1)
    return bool(shown) and any(
        shown == plain(sentence_text(wording))
        for wordings in item.conditions.values()
        for wording in wordings
    )


def _in_forms(judgment: Judgment, item: Item) -> Judgment:
    """A choice between the item's sentences as one between its forms, where these are not the
    sentences themselves."""
    pair, wholes = forms(item), sentences(item)
    if pair is None or wholes is None or pair == wholes:
        return judgment
    as_form = dict(zip(map(plain, wholes), pair, strict=True))

    def short(text: str) -> str:
        return as_form.get(plain(text), text)

    return replace(
        judgment,
        option_1=short(judgment.option_1),
        option_2=short(judgment.option_2),
        chosen=short(judgment.chosen),
        correct_form=short(judgment.correct_form),
    )


def _answered(judgment: Judgment, known: Mapping[str, Item], missing: Collection[str]) -> Judgment:
    if judgment.chosen in missing and normal(judgment.chosen) not in _options(judgment, known):
        return replace(judgment, chosen="")
    return judgment


def _options(judgment: Judgment, known: Mapping[str, Item]) -> list[str]:
    """The forms as shown; if the file has none, the item's; if that is unknown, none."""
    shown = [form for form in (judgment.option_1, judgment.option_2) if form]
    item = known.get(judgment.item)
    return [normal(form) for form in shown or (item and forms(item)) or ()]


def _demand_options(judgments: Iterable[Judgment], known: Mapping[str, Item]) -> None:
    offenders = []
    for each in judgments:
        options = _options(each, known)
        if each.chosen and options and normal(each.chosen) not in options:
            offenders.append((each, options))
    if offenders:
        first, options = offenders[0]
        raise InputError(
            first.origin,
            f"{_listed([each.chosen for each, _ in offenders])}: chosen, but neither option",
            f"for item {first.item} {' or '.join(map(repr, options))}",
            kind="format",
        )


def _judged(judgment: Judgment) -> Judgment:
    if judgment.chosen_index is not None and not judgment.chosen:
        return judgment  # texts unknown: the file's own verdict, which its reader has checked
    if not judgment.chosen:
        if judgment.correct is not None:
            raise InputError(
                judgment.origin,
                f"correct is {judgment.correct}, but nothing was chosen",
                "an empty cell, or the chosen form",
                kind="format",
            )
        return replace(judgment, chosen_index=None)
    if not judgment.correct_form:
        raise InputError(
            judgment.origin,
            f"no correct form for item {judgment.item!r}",
            "a column correct_form for items that the suite does not have, or --items",
            kind="format",
        )
    correct = int(normal(judgment.chosen) == normal(judgment.correct_form))
    if judgment.correct not in (None, correct):
        raise InputError(
            judgment.origin,
            f"correct is {judgment.correct}, but {judgment.chosen!r} was chosen"
            f" and {judgment.correct_form!r} is the correct form",
            str(correct),
            kind="format",
        )
    return replace(judgment, correct=correct)


def _listed(values: Sequence[str]) -> str:
    """The first five, quoted, and how many more there are."""
    shown = ", ".join(repr(value) for value in values[:OFFENDERS])
    more = len(values) - OFFENDERS
    return f"{shown} and {more} more" if more > 0 else shown
