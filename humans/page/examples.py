"""Example sentences with their parts marked: cue, target with both forms, attractors, new words."""

from collections.abc import Sequence
from dataclasses import dataclass

from colorless_green.humans.page.material import Example, Material
from colorless_green.humans.page.numbers import signed
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.tally import construction
from colorless_green.nonce.item import Agreement, Item, sentence_text

RTL_LANGUAGES = frozenset(  # languages usually written from right to left
    (
        *("ar", "arc", "ary", "arz", "azb", "ckb", "dv", "fa", "glk", "he", "iw", "khw", "ks"),
        *("lrc", "mzn", "nqo", "pnb", "prs", "ps", "sd", "syc", "syr", "ug", "ur", "yi"),
    )
)
RTL_SCRIPTS = frozenset(("adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a sentence, with the blank before it."""

    before: str
    text: str
    role: str = ""  # "cue", "attractor", "target" or ""
    wrong: str = ""  # the rival of a target
    new: bool = False  # not the original's word


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rater made of the item: `holds` is None for a tie."""

    label: str
    text: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Shown:
    """One sentence as the page shows it."""

    name: str  # "original", "nonce variant 1", …
    language: str
    direction: str  # "ltr" or "rtl"
    pieces: tuple[Piece, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """An original and its variants, under their construction."""

    construction: str
    about: str  # feature, value, gap
    sentences: tuple[Shown, ...]


def groups(material: Material, raters: Sequence[Rater]) -> list[Group]:
    """All examples of the material, in order."""
    return [_group(example, material, raters) for example in material.examples]


def direction(language: str) -> str:
    """`rtl` or `ltr` for a BCP-47 code; a script in the code outranks the language's usual one."""
    primary, *rest = language.lower().replace("_", "-").split("-")
    scripts = [part for part in rest if len(part) == 4 and part.isalpha()]
    if scripts:
        return "rtl" if scripts[0] in RTL_SCRIPTS else "ltr"
    return "rtl" if primary in RTL_LANGUAGES else "ltr"


def pieces(agreement: Agreement, original: Agreement | None = None) -> tuple[Piece, ...]:
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
        if index == agreement.target_index:
            result.append(
                Piece(before, agreement.right, "target", agreement.wrong, index in changed)
            )
        else:
            result.append(Piece(before, word, role, new=index in changed))
    return tuple(result)


def _group(example: Example, material: Material, raters: Sequence[Rater]) -> Group:
    agreement = example.original.agreement
    about = ""
    if agreement is not None:
        between = "word" if agreement.gap == 1 else "words"
        about = f"{agreement.feature}={agreement.value}, {agreement.gap} {between} between"
    named = [("original", example.original)] + [
        (f"nonce variant {number}", item) for number, item in enumerate(example.variants, start=1)
    ]
    return Group(
        construction=construction(example.original),
        about=about,
        sentences=tuple(
            shown
            for name, item in named
            for shown in _sentences(name, item, agreement, material, raters)
        ),
    )


def _sentences(
    name: str,
    item: Item,
    original: Agreement | None,
    material: Material,
    raters: Sequence[Rater],
) -> list[Shown]:
    """The item's sentence with marks; an item without agreement shows each of its conditions."""
    verdicts = _verdicts(item, material, raters)
    side = direction(item.language)
    if item.agreement is not None:
        base = original if item.kind == "nonce" else None
        return [Shown(name, item.language, side, pieces(item.agreement, base), verdicts)]
    last = len(item.conditions) - 1
    return [
        Shown(
            condition,
            item.language,
            side,
            (Piece("", sentence_text(wordings[0]).strip()),),
            verdicts if place == last else (),
        )
        for place, (condition, wordings) in enumerate(item.conditions.items())
    ]


def _verdicts(item: Item, material: Material, raters: Sequence[Rater]) -> tuple[Verdict, ...]:
    tallies = {tally.item: tally for tally in material.tallies}
    result = []
    for rater in raters:
        tally = tallies.get(item.item_id)
        if rater.colour == 0 and tally is not None and tally.total:
            holds = None if 2 * tally.right == tally.total else 2 * tally.right > tally.total
            result.append(Verdict(rater.label, f"{tally.right} of {tally.total} right", holds))
        credit, margin = material.outcomes.get(rater.name, {}).get(item.item_id, (None, None))
        if credit is not None and margin is not None:
            verdict = None if 0 < credit < 1 else credit == 1
            decimals = 1 if abs(margin) >= 0.1 else 3  # `0.0 bits` would not say who won
            result.append(Verdict(rater.label, f"{signed(margin, decimals)} bits", verdict))
    return tuple(result)
