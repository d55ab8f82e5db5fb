"""What each baseline can and cannot know: laws, planted leaks, one example of each; linear rules
against plain code; and the verdict."""

import math
from collections import Counter
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.nonce import (
    ABOVE_CHANCE,
    BELOW_CHANCE,
    AuditResult,
    BaselineAccuracy,
    audit_items,
    frequencies_from,
)
from tests.builders import few_examples
from tests.nonce.audit_material import agreeing_pair, best, sentences

WORD = st.text("abc", min_size=1, max_size=3)
FRAME = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
FRAMES = st.lists(st.tuples(FRAME, st.tuples(WORD, WORD)), min_size=2, max_size=8)


def found(audit: AuditResult, baseline: str) -> BaselineAccuracy:
    """Return the figure of a baseline for the whole."""
    (figure,) = [each for each in audit.figures if not each.cell and each.baseline == baseline]
    return figure


def run(*items: Item, counts: dict[str, float] | None = None, by: str = "kind") -> AuditResult:
    return audit_items(items, frequencies_from(counts) if counts else None, by=(by,))


@given(st.lists(FRAME, min_size=6, max_size=9, unique=True), st.data())
def test_a_word_planted_in_every_right_sentence_is_found(
    frames: list[str], data: st.DataObject
) -> None:
    items = []
    for number, frame in enumerate(frames):
        words = frame.split()
        at = data.draw(st.integers(0, len(words)))
        right, wrong = (
            " ".join([*words[:at], word, *words[at:]]) for word in ("leak", f"w{number}")
        )
        items.append(sentences(right, wrong))
    figure = found(run(*items), "words")
    assert (figure.accuracy, figure.warning) == (1.0, ABOVE_CHANCE)


@given(st.lists(FRAME, min_size=6, max_size=9, unique=True))
def test_an_order_planted_in_every_right_sentence_is_found_by_bigrams_alone(
    frames: list[str],
) -> None:
    result = run(*(sentences(f"{frame} x y", f"{frame} y x") for frame in frames))
    assert found(result, "bigrams").accuracy == 1.0
    assert found(result, "bigrams").warning == ABOVE_CHANCE
    for name in ("words", "unigram", "target_letters", "shorter_in_words"):
        assert found(result, name).accuracy == 0.5, name


@given(st.lists(st.tuples(st.booleans(), FRAME), min_size=4, max_size=10))
def test_a_word_planted_by_value_in_the_prefix_is_found(rows: list[tuple[bool, str]]) -> None:
    counts = Counter(is_plural for is_plural, _ in rows)
    assume(min(counts[True], counts[False]) >= 2)  # else a value is not seen elsewhere
    items = [
        agreeing_pair(f"x{n} {'these' if plural else 'this'} v/{'Plur' if plural else 'Sing'}", "w")
        for n, (plural, _) in enumerate(rows)
    ]
    figure = found(run(*items), "prefix_words")
    assert (figure.accuracy, figure.warning) == (1.0, ABOVE_CHANCE)


@given(st.lists(st.tuples(FRAME, FRAME), min_size=1, max_size=8))
def test_bags_of_words_are_what_training_anew_for_each_cluster_gives(
    rows: list[tuple[str, str]],
) -> None:
    """Brute force: ln((g+.5)/(b+.5)) over types, from all other clusters; a tie, too, where the
    cluster back in, as it is or turned, makes one."""
    pairs = [(n % 3, f"{a} {n}".split(), b.split()) for n, (a, b) in enumerate(rows)]
    result = run(*(sentences(" ".join(a), " ".join(b), cluster=str(n)) for n, a, b in pairs))
    credits = [brute_force(pair, pairs) for pair in pairs]
    assert found(result, "words").accuracy == pytest.approx(sum(credits) / len(credits))


Sides: TypeAlias = tuple[int, list[str], list[str]]  # cluster, right and wrong words


def brute_force(pair: Sides, pairs: list[Sides]) -> float:
    others = [(right, wrong) for cluster, right, wrong in pairs if cluster != pair[0]]
    own = [(right, wrong) for cluster, right, wrong in pairs if cluster == pair[0]]
    known = {word for sides in others for side in sides for word in side}
    verdicts = []
    for train in (others, others + own, others + [(wrong, right) for right, wrong in own]):
        good = Counter(word for right, _ in train for word in set(right) & known)
        bad = Counter(word for _, wrong in train for word in set(wrong) & known)
        margin = sum(
            sign * math.log((good[word] + 0.5) / (bad[word] + 0.5))
            for sign, side in ((1, pair[1]), (-1, pair[2]))
            for word in sorted(set(side))
        )
        verdicts.append(0.5 if abs(margin) < 1e-9 else float(margin > 0))
    return 0.5 if 0.5 in verdicts else verdicts[0]


@given(st.lists(st.tuples(FRAME, FRAME), min_size=1, max_size=8))
def test_equal_bags_of_words_leave_words_and_frequency_undecided(
    rows: list[tuple[str, str]],
) -> None:
    items = [sentences(f"{a} {b}.", f"{b} {a}?") for a, b in rows]
    result = run(*items, counts={"a": 3, "b": 100, "ab": 1})
    assert found(result, "words").accuracy == 0.5
    assert found(result, "unigram").accuracy == 0.5


ANNOTATED = agreeing_pair(
    "keys/NOUN/Plur to/ADP/- the/DET/- cabinet/NOUN/Sing that/PRON/- were/AUX/Plur rust/VERB/Plur",
    "rusts",
)
UNTOLD = agreeing_pair("he/PRON/- goes/VERB/Sing", "go")
DUAL = agreeing_pair("he/PRON/- a/VERB/Dual", "b", values=("Dual", "Plur", "Sing"))
LENGTHS = [sentences("a bbb.", "a b c."), sentences("aa bb cc.", "a b.")]
ARE = sentences("they Are", "they is")
VALUES = [agreeing_pair(f"c{n} v/Sing", "w", cluster=str(n)) for n in range(3)]
VALUES += [agreeing_pair(f"d{n} w/Plur", "v", cluster=str(n)) for n in (3, 4)]
COPULAS = [
    agreeing_pair("a is/Sing", "are", cluster="1"),
    agreeing_pair("b is/Sing", "are", cluster="2"),
    agreeing_pair("c is/Sing", "are", cluster="3"),
    agreeing_pair("d are/Plur", "is", cluster="3", kind="nonce"),
]
STEMS = [
    agreeing_pair(f"c{n} {stem}s/Sing", stem)
    for n, stem in enumerate(["kick", "sing", "pat", "rub", "lick", "pick"])
]
PRONOUN = agreeing_pair("they/PRON/Plur go/VERB/Plur", "goes")
LONG = [
    agreeing_pair(f"{'x ' * n_words}{cue} v/{value}", "w")
    for value, n_words, cues in (("Sing", 1, "abc"), ("Plur", 7, "def"))
    for cue in cues
]
EXAMPLES = {
    "the nearest word agrees": ([ANNOTATED], "nearest_word", 1),
    "a pronoun counts": ([PRONOUN], "nearest_noun", 1),
    "no verb comes again": (STEMS, "adjacent_word", 1 / 2),
    "as long before as the others of its value": (LONG, "length", 1),
    "no word differs": ([sentences("a b", "a b")], "words", 1 / 2),
    "a word has both values": (
        [agreeing_pair("fish/NOUN/Plur,Sing swim/VERB/Plur", "swims")], "nearest_word", 1 / 2,
    ),
    "one of three values": ([DUAL], "nearest_word", 1 / 3),
    "2 < 3 words, 3 > 2": (LENGTHS, "shorter_in_words", 1 / 2),
    "6 = 6 letters, 9 > 4": (LENGTHS, "shorter_in_letters", 1 / 4),
    "2:2 is left for Sing, 3:1 against Plur": (VALUES, "majority_value", 3 * 0.5 / 5),
    "two more of Sing": (
        [*VALUES, *(agreeing_pair(f"e{n} v/Sing", "w", cluster=str(n)) for n in (5, 6))],
        "majority_value", 5 / 7,
    ),
    "each cluster sees two originals: is": (COPULAS, "unigram", 3 / 4),
    "no trigram comes twice": (STEMS[:4], "target_letters", 1 / 2),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_baseline_is_worth_what_its_name_says(name: str) -> None:
    items, baseline, accuracy = EXAMPLES[name]
    assert found(run(*items), baseline).accuracy == pytest.approx(accuracy)


def test_letters_of_the_target_that_are_right_elsewhere_are_guessed() -> None:
    assert found(run(*STEMS), "target_letters").accuracy > 0.5


def test_chance_is_one_in_as_many_values_as_there_are() -> None:
    assert found(run(DUAL), "nearest_word").chance == pytest.approx(1 / 3)
    assert found(run(ANNOTATED), "nearest_word").chance == 1 / 2


def test_unigram_takes_the_more_frequent_form_by_the_table_given() -> None:
    counts = {"is": 10.0, "are": 20.0}
    assert found(run(sentences("it is", "it are"), ARE, counts=counts), "unigram").accuracy == 0.5
    assert found(run(ARE, counts=counts), "unigram").accuracy == 1.0


def test_without_annotation_or_agreement_it_is_told_which_baselines_are_left_out() -> None:
    by_value = {"majority_value", "prefix_words"}
    by_word = {
        "nearest_noun", "nearest_word", "first_noun", "first_word", "second_noun",
        "after_subordinator", "vote_of_nouns",
    }  # fmt: skip
    plain, bare = run(sentences("a b", "a c")), run(agreeing_pair("key x opens/Sing", "open"))
    assert plain.left_out.keys() == by_value | by_word
    assert bare.left_out.keys() == by_word
    assert not set(bare.left_out.values()) & set(plain.left_out.values())


def test_a_rule_that_is_always_wrong_is_a_rule() -> None:
    items = [sentences(f"a{n} b c", f"a{n} b") for n in range(4)]
    assert found(run(*items), "shorter_in_words").warning == BELOW_CHANCE


def test_a_set_that_is_balanced_over_its_clusters_leaves_learners_undecided() -> None:
    """Two singulars, two plurals: what is left without one always has more of the other."""
    items = [agreeing_pair(f"c{n} v/Sing", "w") for n in range(2)]
    items += [agreeing_pair(f"d{n} w/Plur", "v") for n in range(2)]
    result = run(*items)
    for name in ("majority_value", "unigram", "words", "target_letters"):
        figure = found(result, name)
        assert (figure.accuracy, figure.warning) == (0.5, ""), name


def test_what_is_learnt_and_wrong_is_no_rule_turned_round() -> None:
    items = [agreeing_pair(f"a{n} v/Sing", "w") for n in range(4)]
    items += [agreeing_pair(f"b{n} w/Plur", "v", construction="rare") for n in range(2)]
    result = run(*items, by="construction")
    (rare,) = [
        each
        for each in result.figures
        if each.cell == ("rare",) and each.baseline == "majority_value"
    ]
    assert (rare.accuracy, rare.warning) == (0.0, "")


Word: TypeAlias = tuple[str, str, str]
"""Form, part of speech, number."""
WORDS: list[Word] = [
    ("key", "NOUN", "Sing"), ("keys", "NOUN", "Plur"), ("Ann", "PROPN", "Sing"),
    ("it", "PRON", "Sing"), ("they", "PRON", "Plur"), ("these", "DET", "Plur"), ("the", "DET", "-"),
    ("sheep", "NOUN", "-"), ("that", "SCONJ", "-"), (",", "PUNCT", "-"), ("sees", "VERB", "Sing"),
]  # fmt: skip
NOMINALS = ("NOUN", "PROPN", "PRON")
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
    """Return the credit of a guess at the one number; half of it where there is none."""
    return float(numbers[0] == value) if numbers else 0.5


def plain_rules(words: list[Word], value: str) -> dict[str, float]:
    """Return what each rule is worth on an item."""
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
        "nearest_noun": share(
            [n for _, upos, n in words[::-1] if upos in NOMINALS and n != "-"], value
        ),
        "nearest_word": share([n for _, _, n in words[::-1] if n != "-"], value),
        "vote_of_nouns": 0.5
        * (1 + (votes[value] > len(nouns) / 2) - (votes[value] < len(nouns) / 2)),
    }


@few_examples
@given(PREFIXES)
def test_a_rule_is_worth_what_plain_code_counts(prefixes: Prefixes) -> None:
    figures = audit_items(items_of(prefixes), by=("kind",)).figures
    found = {each.baseline: each.accuracy for each in figures if each.cell == ()}
    credits = [plain_rules(words, value) for words, value in prefixes]
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


def rows_of(audit: AuditResult, **fixed: str) -> dict[str, BaselineAccuracy]:
    """Return the figures of the cell that holds nothing else fixed; of the whole without any."""
    cell = tuple(fixed.get(column) for column in audit.cell_columns) if fixed else ()
    return {each.baseline: each for each in audit.figures if each.cell == cell}


def test_without_other_first_nouns_the_first_noun_solves_the_set() -> None:
    items = crossed(8, first=False)
    audit = audit_items(items)
    assert "first_noun" not in audit.cell_columns
    assert best(audit) == "first_noun"
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
    assert not any(each.warning.startswith(BELOW_CHANCE) for each in both.values())
    assert [whole[name].accuracy for name in ("first_noun", "nearest_noun")] == [0.5, 0.5]
    assert whole["vote_of_nouns"].accuracy == 0.75
    assert best(audit) in ("second_noun", "after_subordinator")  # both find the head here
    assert "solves the set" not in audit.verdict
    assert "oppose the cue" in audit.verdict
    sizes = {value: rows_of(audit, first_noun=value)["words"].n_items
             for value in ("same", "opposite", "same, opposite")}  # fmt: skip
    assert sizes == {"same": 16, "opposite": 16, "same, opposite": 32}


def test_a_fact_of_an_item_comes_before_what_its_annotation_tells() -> None:
    items = [replace(item, facts={"first_noun": "none"}) for item in crossed(2, first=True)]
    assert "first_noun" not in audit_items(items).cell_columns
    assert "first_noun" in audit_items(items, by=["first_noun"]).cell_columns


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
    return (figure.accuracy - figure.chance) * (
        -1 if figure.warning.startswith(BELOW_CHANCE) else 1
    )


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
