"""Which pairs of words are instances of which construction: instances.txt, request by request."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from colorless_green.miner import FILTERS, built_in
from tests.builders import relational
from tests.miner.mining import mined

TABLE = Path(__file__).with_name("instances.txt")


def requests() -> Iterator[tuple[str, str, str, str, str]]:
    """Claim, language, sentence, request and what is found, of every line that begins with `?`."""
    sentence = ""
    for block in TABLE.read_text(encoding="utf-8").split("\n\n")[1:]:
        head, *lines = block.strip().split("\n")
        claim, _, language = head.removeprefix("# ").rpartition(" | ")
        words = [line for line in lines if not line.startswith("?")]
        if words:
            sentence = relational(*(row for line in words for row in rows(line)))
        for line in lines:
            if line.startswith("? "):
                request, _, found = line[2:].partition(" :")
                yield claim, language, sentence, request, found.strip()


def rows(line: str) -> list[str]:
    words, _, times = line.partition(" * ")
    return [words if "-" in words.split()[0] else words.replace(" ", "/")] * int(times or 1)


def options(words: list[str]) -> dict[str, Any]:
    """`name=value` as a Rule has it, and `features`."""
    found: dict[str, Any] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name in ("features", "filters", "patterns", "relations", "value_from"):
            found[name] = tuple(value.split(","))
        elif value in ("yes", "no"):
            found[name] = value == "yes"
        else:
            found[name] = int(value) if value.isdigit() else value
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "language", "sentence", "request_", "expected"), list(requests())
)
def test_what_is_found_in_a_sentence_is_what_the_table_says(
    tmp_path: Path, claim: str, language: str, sentence: str, request_: str, expected: str
) -> None:
    rule, *asked = request_.split()
    mining = mined(tmp_path, rule, sentence, language=language, **options(asked))
    found = [
        each.name
        + (f"*{each.n}" if each.n > 1 else "")
        + (f"({each.feature})" if each.feature != "Number" else "")
        for each in mining.constructions
    ]
    found += [f"!{name}" for name, n in mining.stages.n_left_out.items() for _ in range(n)]
    assert " ".join(found) == expected, claim
    stages = mining.stages
    assert stages.n_with_feature == sum(each.n for each in mining.constructions)
    relations = {each.name.rpartition("__")[2]: each.n for each in mining.constructions}
    assert stages.n_by_pattern == {name: n for name, n in relations.items() if name in built_in()}


def test_there_is_a_case_for_every_filter() -> None:
    asked = {
        " ".join(request.split()[:2])
        for _, _, _, request, found in requests()
        if found.startswith("!")
    }
    assert {f"tested filters={name}" for name in FILTERS} <= asked


@pytest.mark.parametrize(
    ("language", "noun"),
    [
        ("bg", "мнозинство"), ("cs", "většina"), ("hr", "većina"), ("pl", "większość"),
        ("ru", "большинство"), ("sk", "množstvo"), ("sl", "polovica"), ("sr", "deo"),
        ("uk", "низка"), ("be", "палова"), ("lt", "daugelis"), ("lv", "daļa"),
        ("el", "πλειοψηφία"), ("grc", "πλῆθος"), ("la", "pars"), ("is", "fjöldi"),
        ("sq", "shumicë"), ("hu", "rész"),
    ],
)  # fmt: skip
def test_a_noun_of_quantity_is_left_out_in_languages_that_inflect_for_case(
    tmp_path: Path, language: str, noun: str
) -> None:
    """Its verb may agree with what is counted, or with nothing (*większość studentów zdało*)."""
    for lemma, left_out in ((noun, {"quantities": 1}), ("dom", {})):
        subject = f"{lemma.capitalize()}/{lemma}/NOUN/Case=Nom|Number=Sing/5/nsubj"
        rows = (subject, *["x/x/NOUN/Case=Gen|Number=Plur/1/nmod"] * 3)
        sentence = relational(*rows, "y/y/VERB/Number=Sing/0/root")
        assert mined(tmp_path, "tested", sentence, language=language).stages.n_left_out == left_out
