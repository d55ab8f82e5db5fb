"""Models behind a server, and the alignment of their tokens (Component oracle): the numbers are
those of the same model in process, and whatever a server does is one line."""

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data.errors import InputError
from colorless_green.scoring.models.backends import served as backend
from tests.builders import mistake
from tests.scoring.completion_server import MODEL, Answer, Change, Completions, served
from tests.scoring.tiny_models import causal_folder, gpt2

PAIRS = [
    ("the keys to the cabinet are old .", "the keys to the cabinet is old ."),
    ("Zwölf Männer häkeln 日本 .", "Zwölf Männer häkelt 日本 ."),
    ("a dog barks", "a dog bark"),
]
SHAPES = ("prompt_logprobs", "echo")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal_folder(tmp_path_factory.mktemp("served") / "model", gpt2())


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "WAIT_FACTOR", 0.0)
    monkeypatch.delenv(backend.KEY_VARIABLE, raising=False)


def end_of(folder: Path) -> str:
    scorer: Any = cg.load_model(folder).scorer
    return str(scorer.end)


@contextmanager
def error(kind: str) -> Iterator[None]:
    with pytest.raises(InputError) as caught:
        yield
    assert caught.value.kind == kind


def margins(model: str | cg.Model, **options: Any) -> list[float]:
    return cg.score_pairs(PAIRS, model, **options)["margin_bits"].to_list()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", ["sentence", "target"])
def test_a_served_model_scores_as_in_process(folder: Path, shape: str, method: str) -> None:
    expected = margins(str(folder), method=method)
    end = end_of(folder)
    with served(Completions(folder, lead=end), shape) as (url, _):
        found = margins(f"api:{url}?model={MODEL}", method=method)
    assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_first_token_comes_before_each_text_where_it_is_given(folder: Path, shape: str) -> None:
    """A server that puts nothing before a text cannot say how probable its first word is."""
    end = end_of(folder)
    with served(Completions(folder), shape) as (url, _):
        with error("unsupported"):
            margins(f"api:{url}", method="sentence")
        assert margins(f"api:{url}", method="target")
        found = margins(cg.load_model(f"api:{url}", bos=end), method="sentence")
    assert found == pytest.approx(margins(str(folder), method="sentence"), abs=1e-4)


def test_the_words_of_a_text_have_the_surprisals_that_they_have_in_process(folder: Path) -> None:
    text, end = "Zwölf Männer häkeln 日本 .", end_of(folder)
    expected = cg.load_model(folder).surprisals(text)
    with served(Completions(folder, lead=end), "echo") as (url, _):
        found = cg.load_model(f"api:{url}").surprisals(text)
    assert found["word"].to_list() == expected["word"].to_list()
    bits = expected["surprisal_bits"].to_list()
    assert found["surprisal_bits"].to_list() == pytest.approx(bits, abs=1e-4)


def test_what_was_answered_before_a_server_died_is_not_asked_again(
    folder: Path, tmp_path: Path
) -> None:
    pairs = tmp_path / "pairs.csv"
    rows = [f"the key {n} is old,the key {n} are old\n" for n in range(400)]
    pairs.write_text("good,bad\n" + "".join(rows), encoding="utf-8")
    completions = Completions(folder, lead=end_of(folder))
    alive = 600

    def dies(_: Answer, answer: Answer) -> Answer | tuple[int, bytes]:
        return (503, b"gone") if completions.n_asked > alive else answer

    store = tmp_path / "s.db"
    with served(completions, "echo", change=dies) as (url, _):
        with mistake("network", url):
            cg.score(pairs, f"api:{url}", method="sentence", store=store)
        n_first, alive = completions.n_asked, 10**9
        scores = cg.score(pairs, f"api:{url}", method="sentence", store=store)
    assert scores.outcomes.height == 400
    assert completions.n_asked - n_first < 800


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("format", lambda _, answer: (200, b"<html><h1>Bad gateway</h1></html>")),
        ("format", lambda _, answer: {**answer, "model": "another"}),
        ("format", lambda _, answer: {**answer, "choices": answer["choices"][1:]}),
        ("format", lambda _, answer: [answer]),
        ("network", lambda _, answer: (500, b"out of memory")),
        ("network", lambda _, answer: (401, b"who are you?")),
    ],
)
def test_whatever_a_server_answers_is_one_line(folder: Path, kind: Any, change: Any) -> None:
    with served(Completions(folder), "echo", change=change) as (url, _), mistake(kind, url):
        margins(f"api:{url}?model={MODEL}")


def stumbling(n: int, fault: str) -> Change:
    """How a server answers whose first `n` answers are too slow, cut off or refused for now."""
    n_asked = itertools.count()

    def change(_: Answer, answer: Answer) -> Answer | tuple[int, bytes] | None:
        if next(n_asked) >= n:
            return answer
        if fault == "slow":
            time.sleep(0.6)
            return answer
        return None if fault == "cut off" else (429, b"later")

    return change


@pytest.mark.parametrize("fault", ["slow", "cut off", "busy"])
def test_a_server_that_stumbles_is_asked_again_with_patience(
    fault: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "TIMEOUT_S", 0.3)
    waits: list[float] = []
    monkeypatch.setattr(backend, "WAIT_FACTOR", 1.0)
    monkeypatch.setattr(backend, "time", SimpleNamespace(sleep=waits.append))
    completions = Completions(folder, lead=end_of(folder))
    with served(completions, "echo", change=stumbling(3, fault)) as (url, _):
        found = margins(f"api:{url}?model={MODEL}", method="sentence")
    assert found == pytest.approx(margins(str(folder), method="sentence"), abs=1e-4)
    assert waits == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("fault", ["slow", "cut off", "busy"])
def test_patience_ends_in_one_line(
    fault: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "TIMEOUT_S", 0.2)
    with served(Completions(folder), "echo", change=stumbling(99, fault)) as (url, heads):
        with mistake("network", url):
            margins(f"api:{url}?model={MODEL}")
        assert len(heads) == backend.N_TRIES


def test_a_server_that_tells_only_of_what_it_generates_is_refused(folder: Path) -> None:
    with served(Completions(folder)) as (url, _), mistake("unsupported", url):
        margins(f"api:{url}")


@pytest.mark.parametrize("spec", ["api:", "api:ftp://x/v1", "api:http://", "api:http://x/v1?a=b"])
def test_an_address_that_is_none_is_one_line(spec: str) -> None:
    with error("value"):
        margins(spec)


def test_nobody_who_listens_is_one_line() -> None:
    with error("network"):
        margins("api:http://127.0.0.1:9/v1?model=m")


def test_a_text_that_is_too_long_is_refused_and_the_others_are_read(folder: Path) -> None:
    def short(body: Answer, answer: Answer) -> Answer | tuple[int, bytes]:
        is_long = any(len(prompt) > 30 for prompt in body["prompt"])
        return (400, b"maximum context length is 8") if is_long else answer

    completions = Completions(folder, lead=end_of(folder))
    with served(completions, "echo", change=short) as (url, _):
        found = cg.score_pairs(PAIRS, f"api:{url}?model={MODEL}", method="sentence")
    assert [margin is None for margin in found["margin_bits"]] == [True, False, False]


def test_the_key_goes_to_the_server_and_nowhere_else(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(backend.KEY_VARIABLE, "s3cret")
    pairs, store = tmp_path / "pairs.csv", tmp_path / "s.db"
    pairs.write_text("good,bad\nthe keys are,the keys is\n", encoding="utf-8")
    with served(Completions(folder, lead=end_of(folder)), "echo") as (url, heads):
        cg.score(pairs, f"api:{url}", method="sentence", store=store, out=tmp_path / "out")
        assert {each["Authorization"] for each in heads} == {"Bearer s3cret"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"s3cret" in path.read_bytes()]
    with error("unsafe"):
        margins("api:http://example.org/v1?model=m")


LETTERS = st.text(st.sampled_from("ab é日"), min_size=1, max_size=3)


@given(st.lists(LETTERS, min_size=1, max_size=8), st.booleans())
def test_tokens_are_joined_to_the_characters_that_they_spell(
    tokens: list[str], has_sign: bool
) -> None:
    text = "".join(tokens)
    told = [("<s>", None)] * has_sign + [(token, 1.0) for token in tokens]
    found = backend.align_tokens(text, told)
    assert found is not None
    assert [text[token.start : token.end] for token in found] == tokens


def test_pieces_of_one_character_stand_for_it() -> None:
    found = backend.align_tokens(
        "日本 a", [("\ufffd", 1.0), ("\ufffd", 2.0), ("本", 3.0), (" a", 4.0)]
    )
    assert found is not None
    assert [(token.start, token.end) for token in found] == [(0, 1), (0, 1), (1, 2), (2, 4)]
