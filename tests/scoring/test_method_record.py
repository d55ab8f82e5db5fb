"""Component oracle. The record `Method`: published set-ups, bad values, what it keeps of itself
with a run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import sentence_text, sentence_words
from colorless_green.data.configuration import configured
from colorless_green.scoring import ELICITATIONS, METRICS, prepare_suite
from colorless_green.scoring.outcomes.method import method_of
from colorless_green.scoring.questions.region_surprisals import MEASURES
from tests.builders import mistake

WORDS = ("measure", "metric", "eos", "period", "oov", "ties", "predictions", "dtype", "boundary")
TEXTS = ("lead", "premise", "bos", "frequencies")
WHOLE = ("sample", "seed")
BAD: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(WORDS, st.text("xyz", min_size=1) | st.integers() | st.booleans()),
    **dict.fromkeys(TEXTS, st.lists(st.integers())),
    **dict.fromkeys(WHOLE, st.floats() | st.booleans() | st.text("xyz", min_size=1)),
    "sample": st.integers(max_value=0) | st.floats() | st.booleans(),
    "compile": st.integers() | st.text("xyz", min_size=1),
    "unigrams": st.lists(st.integers()),
}
FIELDS = st.sampled_from(sorted(BAD)).flatmap(lambda name: st.tuples(st.just(name), BAD[name]))


def toml(value: Any) -> str:
    """Return a value of the law as TOML has it."""
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


@given(FIELDS)
def test_a_bad_value_is_refused_with_its_field_whoever_gives_it(field: tuple[str, Any]) -> None:
    name, value = field
    makers: list[tuple[str, Callable[[], object]]] = [
        (f"Method: {name}", lambda: cg.Method(**{name: value})),
        (f"--set: {name}", lambda: configured(cg.Method, None, [f"{name}={toml(value)}"])),
        (name, lambda: configured(cg.Method, None, **{name: value})),
    ]
    for location, make in makers:
        with pytest.raises(cg.InputError) as caught:
            make()
        assert caught.value.location == location
        assert caught.value.kind in ("value", "unknown")


def test_every_fault_of_a_file_is_told_with_its_field(tmp_path: Path) -> None:
    path = tmp_path / "m.toml"
    path.write_text('measure = "best"\nsample = 0\ntiess = "wrong"\n', encoding="utf-8")
    with pytest.raises(cg.InputError) as caught:
        configured(cg.Method, path)
    for name in ("measure", "sample", "tiess"):
        assert f"{path}: {name}" in str(caught.value)


@pytest.mark.parametrize("name", sorted(cg.Method.known()))
def test_a_named_method_is_read_back_from_what_is_shown_of_it(name: str, tmp_path: Path) -> None:
    method = configured(cg.Method, name)
    assert (method.label, method.extends) == (name, name)
    (tmp_path / "m.toml").write_text(method.to_toml(), encoding="utf-8")
    assert configured(cg.Method, tmp_path / "m.toml") == method
    comments = [line for line in method.to_toml().splitlines() if line.startswith("# ")]
    assert len(comments) > len(BAD)


def test_measures_and_metrics_are_those_that_there_are() -> None:
    hints = get_type_hints(cg.Method)
    assert set(get_args(hints["measure"])) == {*ELICITATIONS, *MEASURES}
    assert set(get_args(hints["metric"])) == {"suite", *METRICS}
    assert set(cg.Method.known()) > set(get_args(hints["measure"]))


def test_published_set_ups_are_what_their_scripts_do() -> None:
    marvin = cg.Method(extends="marvin2018")
    told = (marvin.measure, marvin.period, marvin.eos, marvin.ties, marvin.oov)
    assert told == ("sentence", "add", "none", "wrong", "keep")
    assert cg.Method(extends="marvin2018", ties="share").ties == "share"
    ngram = cg.Method(extends="marvin2018-ngram")
    assert ngram.asking_text() == "sentence eos=sentence period=add"
    assert cg.Method(extends="linzen2016").run_options() == {"oov": "exclude", "ties": "wrong"}


@pytest.mark.parametrize(
    ("settings", "field", "kind"),
    [
        ({"premise": "So"}, "premise", "unsupported"),
        ({"unigrams": Path("text.txt")}, "unigrams", "conflict"),
        ({"measure": "meanlp", "unigrams": Path("text.txt")}, "unigrams", "conflict"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(
    settings: dict[str, Any], field: str, kind: Any
) -> None:
    with mistake(kind, f"Method: {field}"):
        cg.Method(**settings)


def test_a_measure_with_frequencies_can_be_named_and_is_refused_without_them() -> None:
    for name in ("slor", "normlp-div", "normlp-sub"):
        assert cg.Method(extends=name).unigrams is None
        with mistake("missing", "unigrams"):
            cg.score_pairs([("a", "b")], "uniform:x", method=name)


@given(
    st.sampled_from(sorted({*ELICITATIONS, *MEASURES})),
    st.sampled_from(["suite", "max"]),
    st.sampled_from(["none", "region"]),
    st.sampled_from(["keep", "drop"]),
    st.none() | st.integers(1, 9),
    st.integers(0, 3),
)
def test_the_method_of_a_stored_run_is_found_again(
    measure: Any, metric: Any, eos: Any, period: Any, sample: int | None, seed: int
) -> None:
    premise = "So it is" if measure == "pmi" else ""
    lead = "In fact," if seed else ""
    method = cg.Method(
        measure=measure, metric=metric, eos=eos, period=period, sample=sample, premise=premise,
        seed=seed if sample else 0, lead=lead,
    )  # fmt: skip
    assert method_of(method.asking_text(), method.run_options()) == method


@pytest.mark.parametrize(
    ("given", "field", "kind"),
    [
        ({"limit": 0}, "limit", "value"),
        ({"limit": 2.5}, "limit", "value"),
        ({"limit": "4"}, "limit", "value"),
        ({"workers": 0}, "workers", "value"),
        ({"by": "gap"}, "by", "unknown"),
        ({"method": "slor"}, "unigrams", "missing"),
        ({"method": "best"}, "method", "unknown"),
        ({"method": ["target", "sentence"]}, "method", "conflict"),
        ({"device": "cuda:0,cuda:1", "workers": 2}, "device", "conflict"),
        ({"device": "cuda:0,cuda:1", "ray": "local"}, "device", "conflict"),
    ],
)
def test_a_bad_request_names_its_parameter(given: dict[str, Any], field: str, kind: Any) -> None:
    with mistake(kind, field):
        cg.score("pairs.csv", "uniform:words.txt", **given)


def test_accuracies_by_a_column_are_shown_and_nothing_else_changes(tmp_path: Path) -> None:
    lines = [
        f'{{"sentence_good": "a b{n}", "sentence_bad": "a c{n}", "UID": "u{n % 2}"}}'
        for n in range(4)
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "words.txt").write_text("a b0 b1 c0 c1", encoding="utf-8")
    method = cg.Method(oov="keep", ties="wrong")
    model = f"uniform:{tmp_path / 'words.txt'}"
    usual = cg.score(tmp_path / "p.jsonl", model, method=method)
    found = cg.score(tmp_path / "p.jsonl", model, method=method, by="construction")
    assert found.shown()["construction"].to_list() == ["u0", "u1"]
    assert (
        found.shown()["accuracy"].to_list() == found.accuracy("construction")["accuracy"].to_list()
    )
    assert found.messages == usual.messages
    assert sorted(map(str, found.to_frame().rows())) == sorted(map(str, usual.to_frame().rows()))


@pytest.mark.parametrize("prefix", ["The keys", "A key", "I", "UN keys", "keys"])
@pytest.mark.parametrize("lead", ["So it is.", "In fact,"])
def test_a_lead_stands_before_each_sentence(prefix: str, lead: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text(f"right\twrong\n{prefix} were here .\t{prefix} was here .\n", "utf-8")
    [item] = prepare_suite(cg.load_suite(path), cg.Method(lead=lead)).items
    keeps = lead.endswith(".") or prefix in ("I", "UN keys", "keys")
    begin = prefix if keeps else prefix[0].lower() + prefix[1:]
    for sentence, verb in zip(item.conditions.values(), ("were", "was"), strict=True):
        assert sentence_text(sentence[0]) == f"{lead} {begin} {verb} here ."
        assert sentence_words(sentence[0])[0] == lead.split()[0]


@pytest.mark.parametrize("text", ["the keys are", " the keys are"])
def test_a_blank_stands_before_each_sentence_once(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    row = {"sentence_good": text, "sentence_bad": text.replace("are", "is")}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    suite = cg.load_suite(path)
    [item] = prepare_suite(suite, cg.Method(extends="lm-eval-blimp")).items
    assert sentence_text(item.conditions["right"][0]) == " the keys are"
    assert sentence_words(item.conditions["right"][0]) == ("the", "keys", "are")
    assert cg.Method(extends="lm-eval-blimp").asking_text() == "sentence blank"
