"""Surprisals of other tools: what a table answers, and what it refuses to answer."""

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import load_model
from colorless_green.data import Item, Suite, format_named
from colorless_green.data.errors import ErrorKind
from colorless_green.scoring import (
    METRICS,
    JudgingRules,
    Outcome,
    Plan,
    Query,
    Score,
    Scorer,
    answer_plan,
    plan_sentences,
    plan_suite,
    region_frame,
    surprisal_of,
)
from tests.builders import mistake, shared
from tests.scoring.contract import CLAIMS, OF_TEXT, Case, Claim, claim_name
from tests.scoring.judging import Given, outcomes

HEADER = "sentence_id\ttoken_id\ttoken\tsurprisal\n"
KEYS = (
    ("The", 1.5), ("keys", 7.25), ("are", 2.0), (".", 0.5), ("<eos>", 0.125),
)  # fmt: skip


def table(path: Path, *sentences: Sequence[tuple[str, float | str]], spec: str = "") -> Scorer:
    """Return a table of tokens in a file, and the scorer of it."""
    rows = [
        f"{number}\t{index}\t{token}\t{bits}\n"
        for number, sentence in enumerate(sentences, start=1)
        for index, (token, bits) in enumerate(sentence, start=1)
    ]
    path.write_text(HEADER + "".join(rows), "utf-8")
    return load(f"{path}{spec}")


def load(spec: object) -> Scorer:
    return load_model(f"table:{spec}").scorer


def ask(scorer: Scorer, prefix: str, continuation: str, *rest: Any) -> Score:
    (score,) = scorer.score([Query(prefix, (continuation,), *rest)])
    return score


def all_answers(scorer: Scorer, wanted: Plan) -> Given:
    return list(answer_plan(scorer, wanted))


def region_bits(wanted: Plan, given_ones: Given, metric: str) -> list[dict[str, float]]:
    """Region → bits, of each sentence."""
    found = region_frame(wanted, surprisal_of(wanted, given_ones, metric))
    sentences = found.group_by("item_id", "condition", "sentence_index", maintain_order=True)
    return [dict(own.select("region", "surprisal_bits").iter_rows()) for _, own in sentences]


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Case:
    folder = tmp_path_factory.mktemp("tables")
    cues = ("The keys", "The key to the cabinets")
    rows = [
        [(word, n + 1.0) for n, word in enumerate(f"{cue} {verb}".split())]
        for cue in cues
        for verb in ("are", "is", "is here", "<unk>")
    ]

    def loads(name: str, more: float) -> Scorer:
        return table(folder / name, *([(t, bits + more) for t, bits in row] for row in rows))

    return Case(
        load=lambda: loads("one.tsv", 0),
        other=lambda: loads("other.tsv", 1),
        queries=tuple(Query(cue, (" are", " is here", " is")) for cue in cues),
        unknown=" blorf",
        why_not=OF_TEXT,
    )


@pytest.mark.parametrize("claim", CLAIMS, ids=claim_name)
def test_keeps_the_contract(claim: Claim, case: Case) -> None:
    claim(case)


def test_a_target_has_the_tokens_that_lie_in_it(tmp_path: Path) -> None:
    score = ask(table(tmp_path / "t", KEYS), "The keys", " are.", "")
    assert score.continuations[0].bits == (2.0, 0.5)
    assert score.continuations[0].spans == ((1, 4), (4, 5))


def test_the_end_of_a_sentence_stands_apart_and_is_said_on_request(tmp_path: Path) -> None:
    scorer: Any = table(tmp_path / "t", KEYS)
    found = ask(scorer, "The keys", " are.", "", True).continuations[0]
    assert found.bits == (2.0, 0.5, 0.125)
    assert found.spans == ((1, 4), (4, 5), (5, 5))
    assert ask(scorer, "The keys are.", "", "", True).continuations[0].bits == (0.125,)
    assert scorer.end
    without: Any = table(tmp_path / "u", KEYS, KEYS[:4])
    assert not without.end


def test_a_sentence_is_told_from_one_that_begins_alike_by_its_end(tmp_path: Path) -> None:
    """Numbers of a model that looks ahead."""
    scorer = table(tmp_path / "t", [("It", 1), ("is", 2), ("so", 3)], [("It", 5), ("was", 6)])
    assert ask(scorer, "", "It", " is so").continuations[0].bits == (1.0,)
    assert ask(scorer, "", "It", " was").continuations[0].bits == (5.0,)
    for following in ((" is",), (), (" is so?",)):
        with mistake("missing", tmp_path / "t"):
            ask(scorer, "", "It", *following)


def test_the_same_sentence_twice_is_no_matter_if_its_numbers_are_the_same(tmp_path: Path) -> None:
    near = [(token, bits + 1e-5) for token, bits in KEYS]
    scorer = table(tmp_path / "t", KEYS, near)
    assert ask(scorer, "The keys", " are", ".").continuations[0].bits == (2.0,)
    far = table(tmp_path / "t", KEYS, [(token, bits + 1) for token, bits in KEYS])
    with mistake("conflict", f"{tmp_path / 't'}: sentence 2"):
        ask(far, "The keys", " are", ".")


def test_an_unknown_word_is_a_word_and_flagged(tmp_path: Path) -> None:
    row = [("The", 1), ("<unk>", 2), ("<unk>", 3), (".", 4)]
    scorer = table(tmp_path / "t", row)
    score = ask(scorer, "The blorf", " zinks.", "")
    assert score.prefix_oov == 1
    assert score.continuations[0].oov == (True, False)
    assert score.continuations[0].spans == ((1, 6), (6, 7))


def test_an_unknown_word_ends_where_words_do_also_if_the_text_ends_there(tmp_path: Path) -> None:
    clitic = table(tmp_path / "t", [("the", 1), ("<unk>", 2), ("'s", 3)])
    assert ask(clitic, "the", " company's").continuations[0].bits == (2.0, 3.0)
    inner = table(tmp_path / "u", [("a", 1), ("<unk>", 2), ("that", 3)])
    assert ask(inner, "a", " girlthat").continuations[0].bits == (2.0, 3.0)


def test_a_sentence_of_known_words_goes_before_one_with_unknown_ones(tmp_path: Path) -> None:
    scorer = table(tmp_path / "t", [("The", 1), ("<unk>", 2)], [("The", 1), ("keys", 3)])
    assert ask(scorer, "The", " keys", "").continuations[0].bits == (3.0,)
    assert ask(scorer, "The", " cups", "").continuations[0].bits == (2.0,)


def test_a_table_without_capitals_is_read_without_those_of_the_text(tmp_path: Path) -> None:
    small = table(tmp_path / "t", [("the", 1), ("usa", 2)])
    assert ask(small, "The", " USA", "").continuations[0].bits == (2.0,)
    cased = table(tmp_path / "u", [("the", 1), ("USA", 2)])
    with mistake("missing", tmp_path / "u"):
        ask(cased, "The", " USA", "")


@pytest.mark.parametrize(
    ("token", "letters"),
    [
        ("\u0120keys", "keys"), ("\u2581keys", "keys"), ("\u2581", ""), ("##s", "s"),
        ("##", "##"), ("key@@", "key"), ("key</w>", "key"), ("@-@", "-"), ("@", "@"),
        ("``", '"'), ("-LRB-", "("), ("“", '"'), ("a b", "ab"),
    ],
)  # fmt: skip
def test_tokens_are_spelt_as_the_text_is(token: str, letters: str, tmp_path: Path) -> None:
    scorer = table(tmp_path / "t", [("x", 1.0), (token, 2.0), ("y", 4.0)])
    found = ask(scorer, "x", f" {letters} y" if letters else " y", "").continuations[0]
    assert found.bits == (2.0, 4.0)
    (start, end), _ = found.spans
    assert f" {letters} y"[start:end].strip() == letters


words = st.lists(st.text("abcé-'.", min_size=1, max_size=5), min_size=1, max_size=6)


@given(words, st.data())
def test_tokens_are_laid_where_they_were_cut(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[str], data: st.DataObject
) -> None:
    """Wherever they are cut: what is asked for has the blanks of the text, the tokens have none."""
    letters = "".join(chunks)
    inner = data.draw(st.sets(st.integers(1, max(1, len(letters) - 1))))
    cuts = [0, *sorted(cut for cut in inner if cut < len(letters)), len(letters)]
    tokens = [(letters[start:end], float(n)) for n, (start, end) in enumerate(pairwise(cuts))]
    scorer = table(tmp_path_factory.mktemp("laid") / "t", tokens)
    text = " ".join(chunks)
    found = ask(scorer, "", text).continuations[0]
    assert found.bits == tuple(range(len(tokens)))
    bare = [text[start:end].replace(" ", "") for start, end in found.spans]
    assert bare == [token for token, _ in tokens]


@given(st.lists(st.sampled_from(("a", "ab", "bc", "abc")), min_size=1, max_size=8), st.data())
def test_unknown_words_are_laid_over_words(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[str], data: st.DataObject
) -> None:
    known = data.draw(st.lists(st.booleans(), min_size=len(chunks), max_size=len(chunks)))
    tokens = [
        (chunk if is_known else "<unk>", float(n))
        for n, (chunk, is_known) in enumerate(zip(chunks, known, strict=True))
    ]
    scorer = table(tmp_path_factory.mktemp("laid") / "t", tokens)
    text = " ".join(chunks)
    found = ask(scorer, "", text).continuations[0]
    assert [text[start:end].strip() for start, end in found.spans] == chunks
    assert found.oov == tuple(not each for each in known)


def test_many_unknown_words_take_no_time_beyond_reason(tmp_path: Path) -> None:
    scorer = table(tmp_path / "t", [*[("<unk>", 1.0)] * 60, ("z", 1.0), ("<eos>", 1.0)])
    with mistake("missing", tmp_path / "t"):
        ask(scorer, "", ("ab " * 59).strip(), "", True)


def test_numbers_of_another_base_become_bits(tmp_path: Path) -> None:
    bits = ask(table(tmp_path / "t", KEYS), "", "The keys", " are.").continuations[0].bits
    for base, number in (("e", math.e), ("10", 10.0)):
        other = [(token, value / math.log2(number)) for token, value in KEYS]
        scorer = table(tmp_path / base, other, spec=f"?base={base}")
        found = ask(scorer, "", "The keys", " are.").continuations[0].bits
        assert found == pytest.approx(bits)
        assert f"|base:{base}|" in scorer.signature


def test_what_has_no_number_can_stand_before_what_is_asked(tmp_path: Path) -> None:
    scorer = table(tmp_path / "t", [("The", "NA"), *KEYS[1:]])
    assert ask(scorer, "The keys", " are", ".").continuations[0].bits == (2.0,)
    with mistake("missing", f"{tmp_path / 't'}: sentence 1"):
        ask(scorer, "", "The keys", " are.")


def test_a_text_that_the_table_lacks_is_named(tmp_path: Path) -> None:
    with mistake("missing", tmp_path / "t"):
        ask(table(tmp_path / "t", KEYS), "The keys", " is", ".")


@pytest.mark.parametrize("continuation", [" party", "ty."])
def test_a_token_is_not_cut(tmp_path: Path, continuation: str) -> None:
    scorer = table(tmp_path / "t", [("A", 1), ("party.", 2)])
    prefix, _, suffix = "A party.".partition(continuation)
    with mistake("unsupported", f"{tmp_path / 't'}: sentence 1"):
        ask(scorer, prefix, continuation, suffix)


@pytest.mark.parametrize(
    ("content", "place", "kind"),
    [
        ("", ":1", "missing"),
        (HEADER, "", "empty"),
        (HEADER + "1\t1\ta\n", ":2", "format"),
        (HEADER + "1\t1\ta\tx\n", ":2", "format"),
        (HEADER + "1\t1\ta\tinf\n", ":2", "format"),
        (HEADER + "1\t1\ta\t-2\n", ":2", "format"),
        (HEADER + "1\t2\ta\t2\n", ": sentence 1", "format"),
        (HEADER + "1\t1\ta\t2\n2\t1\tb\t2\n1\t2\ta\t2\n", ": sentence 1", "format"),
        ("{}", ":1", "missing"),
        (HEADER.replace("\t", ","), ":1", "missing"),
    ],
)
def test_a_broken_table_is_told_with_its_place(
    tmp_path: Path, content: str, place: str, kind: ErrorKind
) -> None:
    path = tmp_path / "t"
    path.write_text(content, "utf-8")
    with mistake(kind, f"{path}{place}"):
        load(path)


def test_what_a_spec_cannot_say_is_refused(tmp_path: Path) -> None:
    table(tmp_path / "t", KEYS)
    with mistake("unknown", f"{tmp_path / 't'}?base=3"):
        load(f"{tmp_path / 't'}?base=3")
    with mistake("unreadable", tmp_path):
        load(tmp_path)


def found(suite: Suite, scorer: Scorer) -> list[Outcome]:
    wanted = plan_suite(suite, scorer.unit, looks_ahead=getattr(scorer, "looks_ahead", False))
    how = JudgingRules(word_level=scorer.unit == "words")
    return outcomes(suite, wanted, all_answers(scorer, wanted), how)


def read(document: dict[str, Any], folder: Path) -> Suite:
    """Return a suite of SyntaxGym's from its document."""
    path = folder / "read.json"
    path.write_text(json.dumps(document), "utf-8")
    return format_named("syntaxgym").read(path)


def suite_of(regions: Sequence[str], folder: Path) -> Suite:
    contents = [{"region_number": n, "content": text} for n, text in enumerate(regions, start=1)]
    names = {str(n): str(n) for n in range(1, len(regions) + 1)}
    items = [{"item_number": 1, "conditions": [{"condition_name": "x", "regions": contents}]}]
    meta = {"name": "s", "metric": "sum"}
    document = {"meta": meta, "region_meta": names, "predictions": [], "items": items}
    return read(document, folder)


SIGNS = {"<eos>", "<s>", "[SEP]"}  # of those cases: in no region here, in one of them there
OTHERWISE: dict[int, dict[str, list[str]] | None] = {
    # several unknown words are a word each; there, all of them go to the first one's region
    5: {"1": ["The", "<unk>"], "2": ["<unk>"], "3": ["the", "guitar"]},
    7: {"1": ["The", "woman"], "2": ["<unk>"], "3": ["<unk>", "<unk>"]},
    8: None,  # the table ends before the text: there, in silence
    9: None,  # the table goes on: there, an IndexError
    19: {"1": ["He", "said"], "2": ['"', "hi", '"']},  # straight quotation marks: the same
    21: None,  # a comma that is no token: there, it can be told to be none
}


@pytest.mark.shared
def test_every_case_of_the_reference_alignment_comes_out_as_stated(tmp_path: Path) -> None:
    cases = json.loads(shared("published", "syntaxgym", "alignment_cases.json").read_text("utf-8"))
    assert len(cases["cases"]) == 28
    for number, told in enumerate(cases["cases"]):
        rows = [(token, n) for n, token in enumerate(told["tokens"])]
        scorer = table(tmp_path / "t", rows)
        items = suite_of(told["regions"], tmp_path).items
        wanted = plan_sentences(items, scorer.unit, looks_ahead=True, eos="none")
        reference = {
            region: [token for token in tokens if token not in SIGNS]
            for region, tokens in told.get("region_to_tokens", {}).items()
        }
        expected = OTHERWISE.get(number, reference)
        if expected is None:
            with mistake("missing", tmp_path / "t"):
                all_answers(scorer, wanted)
            continue
        ((numbers, answer),) = all_answers(scorer, wanted)
        assert numbers.tolist() == wanted.question.tolist() == [0]
        names = [wanted.table.sentences.names[n] for n in wanted.name]
        places = list(zip(names, wanted.start, wanted.end, strict=True))
        regions: dict[str, list[str]] = {name: [] for name in names}
        unknown: dict[str, list[str]] = {}
        text = "".join(region.text for region in items[0].conditions["x"][0])
        subwords = zip(answer.bits, answer.starts, answer.ends, answer.oov, strict=True)
        for bits, start, end, oov in subwords:
            place = next(name for name, first, last in places if first < end <= last)
            regions[place].append(told["tokens"][round(bits)])
            if oov:
                unknown.setdefault(place, []).append(text[start:end])
        assert regions == expected, number
        if number not in OTHERWISE:
            assert unknown == told["oovs"], number


@pytest.mark.shared
def test_the_published_token_table_gives_the_published_result() -> None:
    """Prediction 0 true for 17 of 24 items, prediction 1 for none."""
    folder = shared("published", "syntaxgym")
    path = folder / "suites" / "json" / "fgd_hierarchy.json"
    suite = format_named("syntaxgym").read(path)
    every = found(suite, load(folder / "token_surprisals" / "surprisals_fgd_hierarchy.txt"))
    numbers = {item.item_id: int(item.facts["item_number"]) for item in suite.items}
    right = [(each.prediction, numbers[each.item_id]) for each in every if each.credit]
    expected = (2, 3, 5, 6, 8, 9, 10, 13, 14, 16, 17, 18, 20, 21, 22, 23, 24)
    assert right == [("prediction_1", number) for number in expected]
    assert len(every) == 48


def examples(texts: str, folder: Path) -> Sequence[Item]:
    """Return the items of the reference's examples, whose predictions are of the oldest form."""
    published = shared("published", "syntaxgym", "token_surprisals", "core_examples")
    document = json.loads((published / texts).read_text("utf-8"))
    document["meta"]["metric"] = "sum"
    return read({**document, "predictions": []}, folder).items


@pytest.mark.shared
@pytest.mark.parametrize("model", ["grnn", "transformer-xl"])
@pytest.mark.parametrize("words", ["test", "unk"])
def test_the_six_metrics_are_those_of_the_reference(model: str, words: str, tmp_path: Path) -> None:
    """With the end of the sentence in its last region, as the reference has it."""
    folder = shared("published", "syntaxgym", "token_surprisals", "core_examples")
    scorer: Any = load(folder / f"{words}_surp_{model}.txt")
    assert scorer.end
    items = examples(f"{words}_in.json", tmp_path)
    wanted = plan_sentences(items, scorer.unit, looks_ahead=True, eos="region")
    given_answers = all_answers(scorer, wanted)
    told = json.loads((folder / f"{words}_out_{model}.json").read_text("utf-8"))
    conditions = [each for item in told["items"] for each in item["conditions"]]
    assert len(wanted.sentence) == len(conditions) == 4
    for metric in METRICS:
        every = region_bits(wanted, given_answers, metric)
        for bits, condition in zip(every, conditions, strict=True):
            expected = {
                str(region["region_number"]): region["metric_value"][metric]
                for region in condition["regions"]
            }
            assert {name: bits[name] for name in expected} == pytest.approx(expected)
