"""Component oracle. What each method asks, and what it makes of the answers, with models that are
tables."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from colorless_green import Method
from colorless_green.data import (
    AGREEMENT,
    Item,
    Region,
    Suite,
    Target,
    Wording,
    checked,
    parse_prediction,
    penn,
    sentence_text,
)
from colorless_green.scoring import (
    ELICITATIONS,
    JudgingRules,
    Outcome,
    Query,
    Score,
    Surprisals,
    answer_plan,
    cell_values,
    outcomes_in,
    outcomes_of,
    plan_suite,
    prepare_suite,
    refusal,
    surprisal_of,
)
from colorless_green.scoring.outcomes.asking import choose_items, with_added_predictions
from colorless_green.scoring.outcomes.elicitation import item_outcomes
from colorless_green.scoring.questions.region_surprisals import measure, word_counts
from tests.builders import mistake


@dataclass
class Bigrams:
    """Bits of a word after the word before it (default 1), a refusal after `too_long`."""

    bits: dict[tuple[str, str], float] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    too_long: str = ""
    unit: str = "words"
    signature: str = "bigrams"
    end: str = "</s>"
    asked: list[Query] = field(default_factory=list)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        for query in queries:
            self.asked.append(query)
            yield Score(tuple(self._of(query, each) for each in query.continuations))

    def _of(self, query: Query, continuation: str | tuple[str, ...]) -> Surprisals:
        assert not isinstance(continuation, str)
        if self.too_long and self.too_long in continuation:
            return refusal("too long")
        words = [*continuation, "</s>"] if query.ends else [*continuation]
        before = [*query.prefix[-1:], *words] if query.prefix else ["<s>", *words]
        bits = [self.bits.get(pair, 1.0) for pair in zip(before, words, strict=False)]
        spans = [(n, min(n + 1, len(continuation))) for n in range(len(words))]
        return Surprisals(tuple(bits), tuple(spans), tuple(w in self.unknown for w in words))


def region(name: str, words: str) -> Region:
    return Region(name, tuple(words.split()), f" {words}" if words else "")


def cut(prefix: str, target: str, rest: str) -> Wording:
    return region("prefix", prefix), region("target", target), region("rest", rest)


def item(
    number: int, right: Wording, wrong: Wording, *, targets: tuple[Target, ...] = (), **facts: str
) -> Item:
    return Item(
        item_id=f"i{number}",
        kind="suite",
        cluster_id=f"i{number}",
        language="en",
        source="here",
        licence="",
        conditions={"right": (right,), "wrong": (wrong,)},
        targets=targets,
        facts=facts,
    )


KEYS = item(1, cut("the keys", "are", "here ."), cut("the keys", "is", "here ."))


def asked(suite: Suite, method: str, model: Bigrams, **options: str) -> list[Outcome]:
    how = ELICITATIONS[method]
    asking = how.change(suite, options.pop("premise", ""))
    eos = options.pop("eos", "none")
    wanted = plan_suite(checked(asking.suite, "here"), model.unit, eos=eos, minus=asking.minus)
    found = surprisal_of(wanted, answer_plan(model, wanted))
    every = outcomes_of(
        asking.suite, wanted, found, JudgingRules(word_level=True, minus=asking.minus)
    )
    cells = [cell for each in asking.suite.predictions for cell in each.cells()]
    values = cell_values(wanted, found, cells, asking.minus)
    return list(outcomes_in(item_outcomes(suite, asking, how, every, values)))


def test_the_method_sentence_adds_what_follows_the_target() -> None:
    model = Bigrams({("keys", "are"): 3.0, ("keys", "is"): 2.0, ("is", "here"): 4.0})
    suite = Suite("s", (KEYS,))
    (by_target,), (by_sentence,) = asked(suite, "target", model), asked(suite, "sentence", model)
    assert (by_target.credit, by_target.margin_bits) == (0.0, -1.0)
    assert (by_sentence.credit, by_sentence.margin_bits) == (1.0, 2.0)
    assert model.asked[-1].prefix == ()


def test_the_method_sentence_refuses_to_compare_a_sentence_with_itself() -> None:
    within = parse_prediction("(target;%right%) < (rest;%right%)", "within", "here")
    with mistake("unsupported", "s: prediction within"):
        ELICITATIONS["sentence"].change(Suite("s", (KEYS,), (within,)), "")


def test_one_prefix_cuts_uncut_pairs_where_they_first_differ() -> None:
    uncut = item(
        2,
        (region("sentence", "no dog has ever barked"),),
        (region("sentence", "the dog has ever barked"),),
    )
    model = Bigrams({("<s>", "no"): 5.0, ("<s>", "the"): 1.0})
    (outcome,) = asked(Suite("s", (uncut,)), "one-prefix", model)
    assert (outcome.credit, outcome.margin_bits) == (0.0, -4.0)
    assert model.asked == [Query((), (("no",), ("the",)))]


def test_one_prefix_leaves_out_what_its_makers_do_not_allow() -> None:
    barred = replace(KEYS, item_id="barred", facts={"methods": "simple_LM_method"})
    (first, second) = asked(Suite("s", (KEYS, barred)), "one-prefix", Bigrams())
    assert first.credit is not None
    assert second == Outcome("barred", "prefix", None, None, False, False, "no_pair")


def test_two_prefixes_ask_for_one_word_and_leave_other_pairs_out() -> None:
    two = item(3, cut("the key", "is", ""), cut("the keys", "is", ""))
    model = Bigrams({("key", "is"): 1.0, ("keys", "is"): 6.0})
    (left_out, outcome) = asked(Suite("s", (KEYS, two)), "two-prefix", model)
    assert left_out.note == "no_pair"
    assert (outcome.credit, outcome.margin_bits) == (1.0, 5.0)
    assert [query.continuations for query in model.asked] == [(("is",),), (("is",),)]


def test_pmi_takes_off_what_the_form_has_without_its_context() -> None:
    model = Bigrams(
        {("keys", "are"): 5.0, ("keys", "is"): 4.0, ("<s>", "are"): 9.0, ("<s>", "is"): 3.0}
    )
    (outcome,) = asked(Suite("s", (KEYS,)), "pmi", model)
    assert outcome.margin_bits == (4.0 - 3.0) - (5.0 - 9.0)
    assert outcome.credit == 1.0


def test_a_tie_under_pmi_is_worth_what_a_tie_is_worth() -> None:
    (outcome,) = asked(Suite("s", (KEYS,)), "pmi", Bigrams())
    assert (outcome.credit, outcome.tie) == (0.5, True)


def test_pmi_refuses_whole_sentences_and_asks_of_regions_beside_them() -> None:
    whole = parse_prediction("(*;%right%) < (*;%wrong%)", "full", "here")
    found = asked(Suite("s", (KEYS,), (whole, AGREEMENT)), "pmi", Bigrams())
    assert [each.prediction for each in found] == [AGREEMENT.name]
    with mistake("unsupported", "s"):
        ELICITATIONS["pmi"].change(Suite("s", (KEYS,), (whole,)), "")


def test_pmi_sets_targets_after_the_premise() -> None:
    model = Bigrams({("what", "are"): 7.0})
    (outcome,) = asked(Suite("s", (KEYS,)), "pmi", model, premise="say what")
    assert outcome.margin_bits == 6.0
    assert {query.prefix for query in model.asked} == {("the", "keys"), ("say", "what")}


def test_pmi_asks_a_text_without_premise_for_a_form_without_a_blank() -> None:
    asking = ELICITATIONS["pmi"].change(Suite("s", (KEYS,)), "")
    alone = asking.suite.items[0].conditions["alone-1"][0]
    assert sentence_text(alone) == "are"
    behind = ELICITATIONS["pmi"].change(Suite("s", (KEYS,)), "Say").suite.items[0]
    assert sentence_text(behind.conditions["alone-1"][0]) == "Say are"


LEMMAS = (
    Target("are", "is", "be"),
    Target("have", "has", "have"),
    Target("go", "goes", "go"),
)
BITS = {
    ("keys", "are"): 1.0, ("keys", "is"): 2.0,
    ("keys", "have"): 3.0, ("keys", "has"): 2.0,
    ("keys", "go"): 6.0, ("keys", "goes"): 7.0,
}  # fmt: skip


def test_ew_counts_every_lemma_the_same() -> None:
    suite = Suite("s", (replace(KEYS, targets=LEMMAS),))
    (outcome,) = asked(suite, "ew", Bigrams(BITS))
    assert outcome.item_id == "i1"
    assert outcome.credit == pytest.approx(2 / 3)


def test_mw_weighs_lemmas_by_the_probability_of_their_forms() -> None:
    suite = Suite("s", (replace(KEYS, targets=LEMMAS),))
    (outcome,) = asked(suite, "mw", Bigrams(BITS))
    right = 2**-1.0 + 2**-3.0 + 2**-6.0
    wrong = 2**-2.0 + 2**-2.0 + 2**-7.0
    assert outcome.credit == pytest.approx(right / (right + wrong))
    assert outcome.margin_bits == pytest.approx(math.log2(right / wrong))


def test_many_lemmas_of_a_prefix_are_one_query() -> None:
    model = Bigrams(BITS)
    asked(Suite("s", (replace(KEYS, targets=LEMMAS),)), "ew", model)
    (query,) = model.asked
    assert len(query.continuations) == 6


def test_a_lemma_with_an_unknown_form_is_left_out_of_the_mean() -> None:
    suite = Suite("s", (replace(KEYS, targets=LEMMAS),))
    (outcome,) = asked(suite, "ew", Bigrams(BITS, unknown=frozenset({"has"})))
    assert (outcome.credit, outcome.oov, outcome.note) == (1.0, True, "lemmas_left_out")
    unknown = frozenset({"has", "is", "goes"})
    (none,) = asked(suite, "ew", Bigrams(BITS, unknown=unknown))
    assert (none.credit, none.note) == (None, "oov")


def test_an_item_without_lemmas_is_left_out_and_said_so() -> None:
    (outcome,) = asked(Suite("s", (KEYS,)), "mw", Bigrams())
    assert outcome == Outcome("i1", AGREEMENT.name, None, None, False, False, "no_pair")


def test_a_text_that_the_model_cannot_read_leaves_its_item_out_and_no_other() -> None:
    other = item(2, cut("the keys", "lie", ""), cut("the keys", "lies", ""))
    suite = Suite("s", (KEYS, other))
    first, second = asked(suite, "target", Bigrams(too_long="lies"))
    assert first.credit is not None
    assert (second.credit, second.margin_bits, second.note) == (None, None, "refused")


def test_the_end_of_the_sentence_counts_to_the_whole_or_also_to_the_last_region() -> None:
    whole = parse_prediction("(*;%right%) < (*;%wrong%)", "full", "here")
    last = parse_prediction("(rest;%right%) < (rest;%wrong%)", "last", "here")
    suite = Suite("s", (KEYS,), (whole, last))
    model = Bigrams({(".", "</s>"): 8.0})

    def values(eos: str) -> tuple[float, float]:
        wanted = plan_suite(suite, "words", eos=eos)
        found = surprisal_of(wanted, answer_plan(model, wanted))
        cells = ("right", "*"), ("right", "rest")
        values = cell_values(wanted, found, cells, {})
        return values[cells[0]][0], values[cells[1]][0]

    assert values("none") == (5.0, 2.0)
    assert values("sentence") == (13.0, 2.0)
    assert values("region") == (13.0, 10.0)


def test_the_end_is_not_asked_for_where_no_prediction_can_feel_it() -> None:
    model = Bigrams()
    asked(Suite("s", (KEYS,)), "target", model, eos="sentence")
    asked(Suite("s", (KEYS,)), "target", model, eos="region")
    assert not any(query.ends for query in model.asked)


def test_lau_clark_and_lappins_measures_by_hand() -> None:
    """Lau, Clark & Lappin (2017), Table 1, turned round: less is more acceptable."""
    units = word_counts(
        [("the", "keys"), ("the", "end")]
    )  # 4 words and 2 ends: N 6, V 4 with the end
    whole = parse_prediction("(*;%right%) < (*;%wrong%)", "full", "here")
    wanted = plan_suite(Suite("s", (KEYS,), (whole,)), "words")
    ((rows, found),) = answer_plan(Bigrams(), wanted)
    (questions,) = wanted.questions
    assert questions.continuations[0].split("\x1f") == ["the", "keys", "are", "here", "."]
    unigram = -sum(math.log2((n + 1) / 11) for n in (2, 1, 0, 0, 0))  # the keys are here .

    def worth(name: str) -> float:
        counts = units if name not in ("meanlp", "penlp") else None
        return float(measure(name, counts)(questions, found)[0])

    assert rows.tolist() == [0, 1]
    assert worth("meanlp") == 1.0
    assert worth("slor") == pytest.approx((5 - unigram) / 5)
    assert worth("normlp-sub") == pytest.approx(5 - unigram)
    assert worth("normlp-div") == pytest.approx(5 / unigram)
    assert worth("penlp") == pytest.approx(5 / (10 / 6) ** 0.8)


def test_several_predictions_are_told_together_and_their_inequalities_apart() -> None:
    first = parse_prediction(
        "(target;%right%) < (target;%wrong%) & (*;%right%) < (*;%wrong%)", "a", "here"
    )
    second = parse_prediction("(rest;%right%) < (rest;%wrong%)", "b", "here")
    names = [
        each.name
        for each in with_added_predictions(Suite("s", (KEYS,), (first, second))).predictions
    ]
    assert names == [
        "a",
        "b",
        "all",
        "a: (target;%right%) < (target;%wrong%)",
        "a: (*;%right%) < (*;%wrong%)",
    ]
    assert with_added_predictions(Suite("s", (KEYS,))).predictions == (AGREEMENT,)


def test_periods_are_added_and_dropped_with_their_regions() -> None:
    bare = item(2, cut("the keys", "are", "here"), cut("the keys", "is", "here"))
    suite = Suite("s", (KEYS, bare))
    added = prepare_suite(suite, Method(period="add")).items
    assert [sentence_text(each.conditions["right"][0]) for each in added] == [
        " the keys are here .",
        " the keys are here.",
    ]
    dropped = prepare_suite(suite, Method(period="drop")).items
    assert [sentence_text(each.conditions["right"][0]) for each in dropped] == [
        " the keys are here",
        " the keys are here",
    ]
    assert dropped[0].conditions["right"][0][2].words == ("here",)


@pytest.mark.parametrize(
    ("sentence", "without"),
    [
        ('He said "no ." )', 'He said "no" )'),
        ("他 走了 。", "他 走了"),
        ("他 走了 ！", "他 走了"),
        ("وہ گھر گیا ۔", "وہ گھر گیا"),
        ("እሱ ሄደ ።", "እሱ ሄደ"),
        ("He left …", "He left"),
        ("Is it ? !", "Is it"),
        ("U.S. dollars", "U.S. dollars"),
    ],
)
def test_a_period_goes_from_text_and_words_alike_and_what_closes_behind_it_stays(
    sentence: str, without: str
) -> None:
    whole = (Region("sentence", penn(sentence), sentence),)
    asked_of = Suite("s", (item(1, whole, whole),))
    (dropped,) = prepare_suite(asked_of, Method(period="drop")).items
    (left,) = dropped.conditions["right"][0]
    assert "".join(left.text.split()) == "".join(without.split())
    assert left.words == penn(left.text)
    added = prepare_suite(asked_of, Method(period="add")).items[0].conditions["right"][0]
    assert len(added) == (1 if sentence != without else 2)


def test_a_pair_with_an_added_period_stays_a_pair_for_every_method() -> None:
    bare = item(
        2, cut("the key", "is", "here"), cut("the keys", "is", "here"),
        targets=(Target("is", "are", "be"),),
    )  # fmt: skip
    suite = prepare_suite(Suite("s", (bare,)), Method(period="add"))
    assert sentence_text(suite.items[0].conditions["right"][0]) == " the key is here."
    for method in ("two-prefix", "ew", "mw"):
        assert not ELICITATIONS[method].change(suite, "").left_out


def test_a_sample_is_the_same_for_every_order_of_the_items_and_keeps_sets_together() -> None:
    items = tuple(
        replace(KEYS, item_id=f"i{n}", set_id=f"s{n // 2}", facts={"construction": "ab"[n % 3 > 0]})
        for n in range(60)
    )
    told = Method(sample=5, seed=3)
    found = choose_items(items, told)
    assert {each.item_id for each in choose_items(items[::-1], told)} == {
        each.item_id for each in found
    }
    for name in "ab":
        own = [each for each in items if each.facts["construction"] == name]
        kept = [each for each in found if each.facts["construction"] == name]
        assert 5 <= len(kept) <= 6
        sets = {each.set_id for each in kept}
        assert [each for each in own if each.set_id in sets] == kept
    assert choose_items(items, Method(sample=5, seed=4)) != found


def test_a_limit_takes_the_first_items_and_what_stands_in_a_set_with_them() -> None:
    alone = tuple(replace(KEYS, item_id=f"a{n}") for n in range(5))
    assert choose_items(alone, Method(), limit=3) == alone[:3]
    in_sets = tuple(replace(KEYS, item_id=f"i{n}", set_id=f"s{n % 4}") for n in range(8))
    found = choose_items(in_sets, Method(), limit=2)
    assert [each.item_id for each in found] == ["i0", "i1", "i4", "i5"]


def test_an_optional_prediction_speaks_of_the_items_that_have_its_conditions() -> None:
    third = parse_prediction("(*;%right%) < (*;%other%)", "third", "here", optional=True)
    triple = replace(
        KEYS, item_id="triple", conditions={**KEYS.conditions, "other": (cut("a", "b", "c"),)}
    )
    suite = checked(Suite("s", (KEYS, triple), (AGREEMENT, third)), "here")
    found = asked(suite, "target", Bigrams({("a", "b"): 20.0}))
    assert [(each.item_id, each.prediction) for each in found] == [
        ("i1", AGREEMENT.name),
        ("triple", AGREEMENT.name),
        ("triple", "third"),
    ]
    assert found[2].credit == 1.0
    names = [each.name for each in with_added_predictions(suite).predictions]
    assert names == [AGREEMENT.name, "third"]
    assert len(asked(suite, "sentence", Bigrams())) == 3
    assert len(asked(suite, "pmi", Bigrams())) == 2  # the third is of whole sentences
