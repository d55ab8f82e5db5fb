"""Example sentences with their parts marked: cue, target with both forms, attractors, new words."""

from collections.abc import Sequence
from dataclasses import dataclass

from colorless_green.data.languages import direction
from colorless_green.humans.lookup import printed
from colorless_green.humans.page.constructions import in_words
from colorless_green.humans.page.material import Example, Material
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.tables import plural, signed
from colorless_green.humans.rated import HUMANS
from colorless_green.humans.tally import construction
from colorless_green.nonce.item import Agreement, Item, sentence_text


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a sentence, with the blank before it."""

    before: str
    text: str
    role: str = ""  # "cue", "attractor", "target" or ""
    wrong: str = ""  # the rival of a target
    new: bool = False  # not the original's word


@dataclass(frozen=True, slots=True)
class Shown:
    """One sentence as the page shows it."""

    name: str  # "original", "nonce variant 1", …
    language: str
    direction: str  # "ltr" or "rtl"
    pieces: tuple[Piece, ...]
    verdicts: tuple[tuple[str, str, bool | None], ...]  # rater, what it did, right (None: a tie)


@dataclass(frozen=True, slots=True)
class Group:
    """An original and its variants, under their construction."""

    construction: str
    words: str  # what the construction is
    about: str  # feature, value, gap
    sentences: tuple[Shown, ...]


def groups(material: Material, raters: Sequence[Rater]) -> list[Group]:
    """All examples of the material, in order."""
    return [_group(example, material, raters) for example in material.examples]


def _group(example: Example, material: Material, raters: Sequence[Rater]) -> Group:
    agreement = example.original.agreement
    about = ""
    if agreement is not None:
        between = plural(agreement.gap, "word")
        about = f"{agreement.feature}={agreement.value}, {between} between"
    named = [("original", example.original)]
    named += [(f"nonce variant {n}", item) for n, item in enumerate(example.variants, start=1)]
    name = construction(example.original)
    sentences = [
        shown
        for label, item in named
        for shown in _sentences(label, item, agreement, _verdicts(item, material, raters))
    ]
    return Group(name, in_words(name), about, tuple(sentences))


def _sentences(
    name: str,
    item: Item,
    original: Agreement | None,
    verdicts: tuple[tuple[str, str, bool | None], ...],
) -> list[Shown]:
    """The item's sentence with marks; an item without agreement shows each of its conditions."""
    side = direction(item.language)
    if item.agreement is not None:
        base = original if item.kind == "nonce" else None
        return [Shown(name, item.language, side, _pieces(item.agreement, base), verdicts)]
    last = len(item.conditions) - 1
    return [
        Shown(
            condition,
            item.language,
            side,
            (Piece("", printed(sentence_text(wordings[0]).strip())),),
            verdicts if place == last else (),
        )
        for place, (condition, wordings) in enumerate(item.conditions.items())
    ]


def _pieces(agreement: Agreement, original: Agreement | None) -> tuple[Piece, ...]:
    """The right sentence in pieces. Words are new where they are not those of `original` at the
    same index (if it has as many), or where the item says that it changed them."""
    tokens = agreement.tokens
    blanks = agreement.spaces or ("", *[" "] * (len(tokens) - 1))
    changed = set(agreement.substitutions)
    if original is not None and len(original.tokens) == len(tokens):
        changed = {i for i, word in enumerate(tokens) if word != original.tokens[i]}
    result = []
    for index, (before, word) in enumerate(zip(blanks, tokens, strict=True)):
        role = "attractor" if index in agreement.attractors else ""
        role = "cue" if index == agreement.cue_index else role
        new = index in changed
        if index == agreement.target_index:
            result.append(Piece(before, agreement.right, "target", agreement.wrong, new))
        else:
            result.append(Piece(before, printed(word), role, new=new))
    return tuple(result)


def _verdicts(
    item: Item, material: Material, raters: Sequence[Rater]
) -> tuple[tuple[str, str, bool | None], ...]:
    result: list[tuple[str, str, bool | None]] = []
    tally = next((each for each in material.tallies if each.item == item.item_id), None)
    for rater in raters:
        if rater.name == HUMANS and tally is not None and tally.total:
            holds = None if 2 * tally.right == tally.total else 2 * tally.right > tally.total
            result.append((rater.label, f"{tally.right} of {tally.total} right", holds))
        credit, margin = material.outcomes.get(rater.name, {}).get(item.item_id, (None, None))
        if credit is not None and margin is not None:
            verdict = None if 0 < credit < 1 else credit == 1
            result.append((rater.label, f"{bits(margin)} bits", verdict))
    return tuple(result)


def bits(margin: float) -> str:
    """A margin; of a small one so many decimals that it says who won."""
    return signed(margin, 1 if abs(margin) >= 0.1 else 3)
