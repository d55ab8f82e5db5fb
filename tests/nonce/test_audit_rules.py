"""Linear rules, the cells of first noun and attractor, and the verdict: laws against plain code."""

from collections import Counter
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.nonce import BELOW, Audit, BaselineAccuracy, audit_items
from tests.builders import few_examples
from tests.nonce.audit_material import agreeing_pair

Word: TypeAlias = tuple[str, str, str]
"""Form, part of speech, number."""
WORDS: list[Word] = [
    ("key", "NOUN", "Sing"), ("keys", "NOUN", "Plur"), ("Ann", "PROPN", "Sing"),
    ("it", "PRON", "Sing"), ("they", "PRON", "Plur"), ("these", "DET", "Plur"), ("the", "DET", "-"),
    ("sheep", "NOUN", "-"), ("that", "SCONJ", "-"), (",", "PUNCT", "-"), ("sees", "VERB", "Sing"),
]  # fmt: skip
PREFIXES = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=8), st.sampled_from(["Sing", "Plur"])),
    min_size=1,
    max_size=10,
)
Prefixes: TypeAlias = list[tuple[list[Word], str]]


def items_of(prefixes: Prefixes) -> list[Item]:
    """Items whose cue is a first word that carries nothing."""
    items = []
    for number, (words, value) in enumerate(prefixes):
        right, wrong = ("w", "v") if value == "Plur" else ("v", "w")
        tokens = [("a", "ADV", "-"), *words, (right, "VERB", value)]
        text = " ".join("/".join(word) for word in tokens)
        items.append(agreeing_pair(text, wrong, cluster=str(number)))
    return items


def share(numbers: list[str], value: str) -> float:
    """The credit of a guess at the one number; half of it where there is none."""
    return float(numbers[0] == value) if numbers else 0.5


def brute_force(words: list[Word], value: str) -> dict[str, float]:
    """What each rule is worth on an item."""
    nouns = [number for _, upos, number in words if upos in ("NOUN", "PROPN") and number != "-"]
    after: list[str] = []
    for form, upos, number in words:
        if upos == "SCONJ" or form == ",":
            after = []
        elif upos in ("NOUN", "PROPN") and number != "-":
            after.append(number)
    votes = Counter(nouns)
    return {
        "first_noun": share(nouns, value),
        "second_noun": share(nouns[1:], value),
        "first_word": share([number for _, _, number in words if number != "-"], value),
        "after_subordinator": share(after, value),
        "vote_of_nouns": 0.5
        * (1 + (votes[value] > len(nouns) / 2) - (votes[value] < len(nouns) / 2)),
    }


@few_examples
@given(PREFIXES)
def test_a_rule_is_worth_what_plain_code_counts(prefixes: Prefixes) -> None:
    figures = audit_items(items_of(prefixes), by=("kind",)).figures
    found = {each.baseline: each.accuracy for each in figures if each.cell == ()}
    credits = [brute_force(words, value) for words, value in prefixes]
    for name in credits[0]:
        mean = sum(credit[name] for credit in credits) / len(credits)
        assert found[name] == pytest.approx(mean), name


def test_a_relative_word_and_a_conjunction_within_a_token_open_a_clause() -> None:
    rows = (("that", "PRON", "PronType=Rel"), ("sheha", "SCONJ+DET", "_"))
    for form, upos, feats in rows:
        (item,) = items_of([([WORDS[1], ("x", "X", "-"), WORDS[0]], "Sing")])
        facts = item.agreement
        assert facts is not None
        columns: dict[str, Any] = {
            name: (*getattr(facts, name)[:2], given, *getattr(facts, name)[3:])
            for name, given in (("tokens", form), ("upos", upos), ("feats", feats))
        }
        audit = audit_items([replace(item, agreement=replace(facts, **columns))])
        found = {each.baseline: each.accuracy for each in audit.figures if each.cell == ()}
        assert (found["first_noun"], found["after_subordinator"]) == (0, 1)


def test_the_token_of_a_subordinator_that_is_no_word_of_its_own_may_be_a_fact() -> None:
    (item,) = items_of([([WORDS[1], WORDS[0]], "Sing")])
    for facts, accuracy in (({}, 0), ({"subordinator": "2"}, 1)):
        audit = audit_items([replace(item, facts=facts)])
        found = {each.baseline: each.accuracy for each in audit.figures if each.cell == ()}
        assert found["after_subordinator"] == accuracy


def crossed(n_sets: int, *, first: bool) -> list[Item]:
    """Head and attractor of either number; before them another noun of either, or none."""
    numbers = {"Sing": "key", "Plur": "keys"}
    items = []
    for n in range(n_sets):
        for head in numbers:
            for attractor in numbers:
                for before in numbers if first else ["-"]:
                    words: list[Word] = [(f"n{n}", "NOUN", before), ("said", "VERB", "-")]
                    words += [("that", "SCONJ", "-"), (f"{numbers[head]}{n}", "NOUN", head)]
                    words += [("of", "ADP", "-"), (f"x{numbers[attractor]}{n}", "NOUN", attractor)]
                    (item,) = items_of([(words, head)])
                    facts = item.agreement
                    assert facts is not None
                    facts = replace(facts, cue_index=4, cue=facts.tokens[4], cue_upos="NOUN")
                    items.append(replace(item, agreement=facts, cluster_id=str(n)))
    return items


def rows_of(audit: Audit, **fixed: str) -> dict[str, BaselineAccuracy]:
    """The figures of the cell that holds nothing else fixed; of the whole without any."""
    cell = tuple(fixed.get(column) for column in audit.columns) if fixed else ()
    return {each.baseline: each for each in audit.figures if each.cell == cell}


def test_without_other_first_nouns_the_first_noun_solves_the_set() -> None:
    items = crossed(8, first=False)
    audit = audit_items(items)
    assert "first_noun" not in audit.columns
    assert audit.best == "first_noun"
    assert "first noun solves the set" in audit.verdict
    assert audit.headline == (None, None, None, "opposite")
    assert rows_of(audit, relation="opposite")["first_noun"].n_items == 16


def test_with_other_first_nouns_the_headline_is_where_both_oppose() -> None:
    audit = audit_items(crossed(4, first=True))
    assert audit.headline == (None, None, None, "opposite", "opposite")
    whole, both = rows_of(audit), rows_of(audit, first_noun="opposite", relation="opposite")
    assert both["first_noun"].n_items == 8
    assert [both[name].accuracy for name in ("first_noun", "nearest_noun", "vote_of_nouns")] == [
        0
    ] * 3
    assert not any(each.warning.startswith(BELOW) for each in both.values())
    assert [whole[name].accuracy for name in ("first_noun", "nearest_noun")] == [0.5, 0.5]
    assert whole["vote_of_nouns"].accuracy == 0.75
    assert audit.best in ("second_noun", "after_subordinator")  # both find the head here
    assert "solves the set" not in audit.verdict
    assert "oppose the cue" in audit.verdict
    sizes = {value: rows_of(audit, first_noun=value)["words"].n_items
             for value in ("same", "opposite", "same, opposite")}  # fmt: skip
    assert sizes == {"same": 16, "opposite": 16, "same, opposite": 32}


def test_a_fact_of_an_item_comes_before_what_its_annotation_tells() -> None:
    items = [replace(item, facts={"first_noun": "none"}) for item in crossed(2, first=True)]
    assert "first_noun" not in audit_items(items).columns
    assert "first_noun" in audit_items(items, by=["first_noun"]).columns


def test_nouns_between_are_known_of_an_item_as_it_was_mined() -> None:
    """Before words were exchanged: `nominals` are not filled in yet."""
    items = crossed(2, first=False)
    assert not any(item.agreement.nominals for item in items if item.agreement)
    audit = audit_items(items)
    sizes = {value: rows_of(audit, relation=value)["words"].n_items
             for value in ("same", "opposite", "same, opposite")}  # fmt: skip
    assert sizes == {"same": 4, "opposite": 4, "same, opposite": 8}


def gain(figure: BaselineAccuracy) -> float:
    """How far a baseline or its opposite is above chance."""
    return (figure.accuracy - figure.chance) * (-1 if figure.warning.startswith(BELOW) else 1)


@few_examples
@given(PREFIXES)
def test_the_verdict_is_that_of_the_rows_and_contradicts_none(prefixes: Prefixes) -> None:
    audit = audit_items(items_of(prefixes))
    claims = audit.verdict.split("; where ")
    assert len(claims) == 1 + bool(audit.headline)
    for claim, cell in zip(claims, ((), audit.headline), strict=False):
        rows = [each for each in audit.figures if each.cell == cell]
        above = [each for each in rows if each.warning]
        assert ("no baseline is reliably above chance" in claim) == (not above)
        top = max(map(gain, above or rows))
        shares = {
            f"{round(100 * each.accuracy, 1):g} %" if 0 < each.accuracy < 1 else "in all"
            for each in above or rows
            if gain(each) == pytest.approx(top)
        }
        assert any(each in claim for each in shares)
        assert f"{rows[0].n_items:,} item" in claim
