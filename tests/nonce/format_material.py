"""Suites as odd as a file may meet them, and the law that every format keeps."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from colorless_green.data import (
    Item,
    Region,
    Suite,
    Target,
    Wording,
    parse_prediction,
    read_suite,
    write_suite,
)
from colorless_green.data.errors import ErrorKind, InputError
from tests.builders import mistake
from tests.nonce.agreeing import agreeing

ENDINGS = {
    "blimp": "",
    "blimp file": ".jsonl",
    "gold": "",
    "gold file": ".gold",
    "harness": "",
    "huggingface": "",
    "jsonl": ".jsonl",
    "multiblimp": ".tsv",
    "pair_table": ".tsv",
    "pair_table file": ".csv",
    "syntaxgym": ".json",
    "tab": ".tab",
}
ODD = (
    '"', "''", "\t", "a\tb", "\n", "a\r\nb", "\r", "=1+1", "@SUM(A1)", "-2", "+3", ",", ";", "\\",
    "\\n", "ספר", "اَلْ", "𝔊", "\u00a0", "\u2028", "<b>", "a|b", "{{x}}", "5", "\x00", "\ufeff",
    "null",
)  # fmt: skip
TEXTS = (
    ("The keys to the cabinet", " are", " is", " here."),
    ("The key to the cabinets", " is", " are", " here, or there."),
    ("Ключи от шкафа", " лежат", " лежит", " здесь."),
    ("ספר זה", " כאן", " שם", "."),
    ("The key", " is", " is", " here."),  # a tie
    ("", "The keys", "The key", " are here."),
    ("l'", "amie", "amies", " est là"),
)
texts = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
words = texts.filter(lambda word: word.strip() != "")
plain_words = st.text("aBאв𝔊\"'=+-@<|5,;.", min_size=1, max_size=4)  # no blanks
facts = st.dictionaries(texts, texts, max_size=3)
pieces = st.sampled_from(("", " ")) | texts


def refuses(kind: ErrorKind, place: object, path: Path, format_name: str = "") -> None:
    """Assert that a file is no suite, for a mistake of this kind at this place, told in one
    short line."""
    with pytest.raises(InputError) as caught:
        read_suite(path, format_name)
    assert (caught.value.kind, caught.value.location) == (kind, str(place))
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 400 + len(str(path))


def told(item: Item) -> dict[str, str]:
    """Return the facts of an item, less what only its own format writes again."""
    return {name: value for name, value in item.facts.items() if name != "published"}


def holds_not(kind: ErrorKind, place: str, suite: Suite, path: Path, format_name: str = "") -> None:
    """Assert that a format refuses a suite, and that nothing is written."""
    with mistake(kind, place):
        write_suite(suite, path, format_name)
    assert not path.exists()


def pair(number: int, prefix: str, right: str, wrong: str, rest: str, other: str = "") -> Item:
    """Return an item from texts; `other` is the prefix of the wrong sentence where it has
    another."""

    def wording(before: str, word: str) -> tuple[Region, ...]:
        names = ("prefix", "target", "rest")
        texts = zip(names, (before, word, rest), strict=True)
        return tuple(Region(name, tuple(text.split()), text) for name, text in texts)

    return Item(
        item_id=f"{number:016x}",
        kind="suite",
        cluster_id="c",
        language="und",
        source="s",
        licence="MIT",
        conditions={
            "right": (wording(prefix, right),),
            "wrong": (wording(other or prefix, wrong),),
        },
        facts={"construction": "one" if number % 2 else "two"},
    )


def rare_suite() -> Suite:
    """Pairs in several scripts: a tie, an empty prefix, an elision, two prefixes."""
    items = [pair(number, *texts) for number, texts in enumerate(TEXTS)]
    return Suite("keys/and cabinets", (*items, pair(8, "a", " b", " c", ".", other="an")))


@st.composite
def agreement_items(draw: st.DrawFn) -> Item:
    """Return an original or a variant whose words are anything but blank."""
    tokens = tuple(draw(st.lists(words, min_size=2, max_size=6)))
    target = draw(st.integers(1, len(tokens) - 1))
    cue = draw(st.integers(0, target - 1))
    variant = draw(st.integers(0, 2))
    return agreeing(
        draw(st.uuids()).hex[:16],
        tokens,
        cue,
        target,
        draw(words),
        item={
            "kind": "nonce" if variant else "original",
            "cluster_id": draw(texts),
            "language": draw(st.sampled_from(["it", "he", "pt-BR", "und"])),
            "licence": draw(st.sampled_from(["", "CC-BY-SA-4.0", "CC-BY-NC-SA-2.5"])),
            "targets": (Target(draw(words), draw(words), "l"),),
            "facts": draw(facts),
        },
        sent_id=draw(texts),
        construction=draw(st.sampled_from(["L__NOUN_VERB", "l__NOUN_VERB", "R[erg]", "R_erg_"])),
        number=draw(st.integers(0, 40)),
        value=draw(st.sampled_from(["Plur", "Sing"])),
        lemma=draw(texts),
        attractors=tuple(draw(st.lists(st.integers(0, 4), max_size=2))),
        substitutions=tuple(draw(st.lists(st.integers(0, 4), max_size=3))),
        spaces=("", *(draw(st.sampled_from(["", " "])) for _ in tokens[1:])),
        level=draw(st.sampled_from(["", "morphology"])),
        seed=draw(st.none() | st.integers(0, 2**40)),
        variant=variant,
        flags=tuple(draw(st.lists(st.sampled_from(["ghost", "same_target"]), max_size=2))),
    )


@st.composite
def plain_items(draw: st.DrawFn, conditions: tuple[str, ...], regions: tuple[str, ...]) -> Item:
    """Return an item of given conditions and regions, some of them empty, none of its sentences."""
    return Item(
        item_id=draw(st.uuids()).hex[:16],
        kind=draw(st.sampled_from(["suite", "template"])),
        cluster_id="c",
        language="en",
        source=draw(texts),
        licence="MIT",
        conditions={
            name: tuple(draw(st.lists(wordings(regions), min_size=1, max_size=1)))
            for name in draw(st.permutations(conditions))
        },
        set_id=draw(texts),
        cell=draw(texts),
        facts=draw(facts),
    )


@st.composite
def wordings(draw: st.DrawFn, regions: tuple[str, ...]) -> Wording:
    found = [Region(name, (draw(words),), draw(pieces)) for name in regions]
    full = draw(st.integers(0, len(found) - 1))
    found[full] = Region(regions[full], ("w",), draw(pieces) + "w" + draw(pieces))
    return tuple(found)


def _suites(items: st.SearchStrategy[Item]) -> st.SearchStrategy[tuple[Item, ...]]:
    unique = st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item.item_id)
    return unique.map(tuple)


def pair_suites() -> st.SearchStrategy[Suite]:
    """MinedTreebank pairs, and pairs of other makers with and without prefix, target and rest."""
    parts = plain_items(("right", "wrong"), ("prefix", "target", "rest"))
    whole = plain_items(("right", "wrong"), ("sentence",))
    return st.builds(Suite, texts, _suites(agreement_items() | parts | whole), st.just(()))


def agreement_suites() -> st.SearchStrategy[Suite]:
    """Suites of mined pairs and their variants."""
    return st.builds(Suite, texts, _suites(agreement_items()))


@st.composite
def designed_suites(draw: st.DrawFn, n_sentences: int = 2) -> Suite:
    """Suites of one design: up to three conditions and regions, `n_sentences` at most in each."""
    names = tuple(draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True)))
    regions = tuple(draw(st.lists(texts, min_size=1, max_size=3, unique=True)))
    items = []
    for item in draw(_suites(plain_items(names, regions))):
        more = draw(st.lists(wordings(regions), max_size=n_sentences - 1))
        conditions = {name: (*own, *more) for name, own in item.conditions.items()}
        items.append(replace(item, conditions=conditions))
    formula = parse_prediction(f"(*;%{names[0]}%) < 5.5", draw(texts), "here")
    metric = draw(st.sampled_from(["sum", "mean"]))
    return Suite(draw(texts), tuple(items), (formula,), metric, draw(facts))


def numbered(suite: Suite) -> Suite:
    """Return the suite with another number for each item, which is what `.tab` knows an item by."""
    items = tuple(
        replace(item, agreement=replace(item.agreement, number=number))
        for number, item in enumerate(suite.items)
        if item.agreement
    )
    return replace(suite, items=items)


def again(suite: Suite, name: str, path: Path) -> Suite:
    """Return a suite as it is read from what was written of it, in a format of ENDINGS."""
    form = name.partition(" ")[0]
    write_suite(suite, path, form, licence_ok=True)
    return read_suite(path, form)


def twice(suite: Suite, name: str, folder: Path) -> tuple[Path, Path]:
    """Return a suite exported, and what was read from that exported again."""
    first, second = (folder / each / f"suite{ENDINGS[name]}" for each in ("first", "second"))
    again(again(suite, name, first), name, second)
    return first, second


def content(path: Path) -> dict[str, bytes]:
    """Return the bytes of a file, or of every file of a folder."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return {file.name: file.read_bytes() for file in files}


@st.composite
def tagged_suites(draw: st.DrawFn) -> Suite:
    """Mined pairs of plain words in constructions of tags."""
    items = []
    for number in range(draw(st.integers(1, 3))):
        tokens = tuple(draw(st.lists(plain_words, min_size=2, max_size=5)))
        value = draw(st.sampled_from(["Plur", "Sing"]))
        items.append(
            agreeing(
                f"{number:016x}", tokens, 0, len(tokens) - 1, draw(plain_words),
                construction="L__NOUN_VERB", number=number, value=value, lemma=draw(texts),
            )
        )  # fmt: skip
    return Suite("s", tuple(items))


SUITES = {
    "blimp": pair_suites(),
    "blimp file": pair_suites(),
    "gold": tagged_suites(),
    "gold file": tagged_suites(),
    "harness": pair_suites(),
    "huggingface": pair_suites(),
    "jsonl": agreement_suites(),
    "multiblimp": pair_suites(),
    "pair_table": pair_suites(),
    "pair_table file": pair_suites(),
    "syntaxgym": designed_suites() | agreement_suites(),
    "tab": agreement_suites().map(numbered),
}
