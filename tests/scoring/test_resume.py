"""Scoring that was cut off goes on where it was, and what is stored is what was computed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green import Model
from colorless_green.data import Item, Region, Suite, parse_prediction
from colorless_green.data.store import Store
from colorless_green.scoring import Query, Score, Surprisals, refusal

CHUNK = 4
NOUNS = ("key", "keys", "cabinet", "author", "authors", "dog")
PREDICTIONS = (
    parse_prediction("(target;%right%) < (target;%wrong%)", "target", "here"),
    parse_prediction("(*;%right%) < (*;%wrong%)", "whole", "here"),
)


def item(noun: str) -> Item:
    def wording(form: str) -> tuple[Region, ...]:
        texts = (f"The {noun}", f" {form}", " here.")
        names = ("prefix", "target", "rest")
        return tuple(Region(n, tuple(t.split()), t) for n, t in zip(names, texts, strict=True))

    conditions = {"right": (wording("are"),), "wrong": (wording("is"),)}
    return Item(noun, "suite", noun, "en", "here", "", conditions)


SUITE = Suite("s", tuple(map(item, NOUNS)), PREDICTIONS)
N = 2 * len(NOUNS)  # questions: whole sentences


@dataclass(frozen=True)
class Thirds:
    """Bits that no decimal has; refuses one sentence, does not know a word, is cut off at times."""

    cut_off: int = -1  # at this chunk
    asked: list[str] = field(default_factory=list)
    signature: str = "model:thirds"
    unit: str = "text"
    chunk: int = CHUNK

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        every = list(queries)
        if len(self.asked) == self.cut_off * CHUNK:
            self.stop()
        for query in every:
            self.asked.extend(map(str, query.continuations))
            yield Score(tuple(self._of(str(each)) for each in query.continuations), 1)

    def stop(self) -> None:
        raise KeyboardInterrupt

    def _of(self, text: str) -> Surprisals:
        if "author is" in text:
            return refusal("too long")
        places = [0, *(n for n, each in enumerate(text) if each == " "), len(text)]
        spans = tuple(pairwise(places))
        bits = tuple((len(text) + n) / 3 for n, _ in enumerate(spans))
        return Surprisals(bits, spans, tuple(text[a:b] == " dog" for a, b in spans))


def scored(scorer: Thirds, store: Path | None) -> cg.Scores:
    return cg.score(
        SUITE, Model("thirds", "thirds", scorer), store=store, method=cg.Method(oov="keep")
    )


def equal(one: cg.Scores, other: cg.Scores) -> bool:
    """Whether two have the same numbers, to the last bit, whatever their runs are called."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in ("outcomes", "surprisals")]
    pairs.append((one.to_frame(), other.to_frame()))
    return all(a.drop("run").equals(b.drop("run")) for a, b in pairs)


def kept(path: Path) -> int:
    with Store(path) as store:
        row = store.one("SELECT sum(length(keys)) / 16 AS n FROM score")
        assert row is not None
        return int(row["n"] or 0)


def test_what_is_stored_is_what_was_computed(tmp_path: Path) -> None:
    first, second = Thirds(), Thirds()
    fresh = scored(first, tmp_path / "s.db")
    stored = scored(second, tmp_path / "s.db")
    assert (len(first.asked), second.asked) == (N, [])
    assert kept(tmp_path / "s.db") == N
    assert equal(stored, fresh)
    assert equal(scored(Thirds(), None), fresh)
    assert fresh.outcomes.filter(note="refused")["item_id"].unique().to_list() == ["author"]
    assert fresh.surprisals["surprisal_bits"].null_count() == 0


SCORING = """
import os, signal, sys
from pathlib import Path
from tests.scoring.test_resume import Thirds, scored
class Killed(Thirds):
    def stop(self): os.kill(os.getpid(), signal.{name})
scored(Killed(int(sys.argv[2])), Path(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "cut_off"), [("SIGKILL", 0), ("SIGKILL", 1), ("SIGKILL", 2), ("SIGINT", 1)]
)
def test_who_is_killed_loses_no_more_than_the_chunk_in_hand(
    name: str, cut_off: int, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    command = [sys.executable, "-c", SCORING.format(name=name), str(path), str(cut_off)]
    root = Path(__file__).resolve().parents[2]
    paths = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, env=env, check=False)
    assert done.returncode == -getattr(signal, name), done.stderr
    assert kept(path) == cut_off * CHUNK
    rest = Thirds()
    assert equal(scored(rest, path), scored(Thirds(), None))
    assert len(rest.asked) == N - cut_off * CHUNK


def test_what_the_store_lost_is_asked_again_and_never_taken_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    found = scored(Thirds(), path)
    with Store(path) as store:
        store.execute("DELETE FROM score WHERE score_id = 2")
    scorer = Thirds()
    assert equal(scored(scorer, path), found)
    assert len(scorer.asked) == CHUNK


@pytest.mark.parametrize("text", ["", " ", "\u00a0"])
def test_a_condition_without_any_text_is_refused_and_earns_nothing(text: str) -> None:
    """No text is no surprise: of a pair it would always be the better one."""
    names = ("prefix", "target", "rest")
    nothing = tuple(Region(name, (), text if name == "target" else "") for name in names)
    key = item("key")
    empty = replace(key, conditions={**key.conditions, "right": (nothing,)})
    suite = Suite("s", (empty, item("dog")), PREDICTIONS)
    scores = cg.score(suite, Model("thirds", "thirds", Thirds()), method=cg.Method(oov="keep"))
    of_empty = scores.outcomes.filter(item_id="key")
    assert of_empty["credit"].to_list() == of_empty["margin_bits"].to_list()
    assert of_empty["credit"].null_count() == len(of_empty) == 3
    assert set(of_empty["note"]) == {"refused"}
    asked = scores.runs[0].asked
    assert asked is not None
    assert all(asked.surprisal.refused.values())
    assert scores.outcomes.filter(item_id="dog")["credit"].null_count() == 0
    assert set(scores.surprisals.filter(item_id="key")["condition"]) == {"wrong"}
    assert scores.accuracy()["n_items"].to_list() == [1, 1, 1]


def test_a_pair_of_which_one_is_refused_has_no_number_for_it() -> None:
    pairs = [("The author are.", "The author is."), ("The dog are.", "The dog is.")]
    model = Model("thirds", "thirds", Thirds())
    refused, other = cg.score_pairs(pairs, model, method="sentence").to_dicts()
    assert (refused["wrong_bits"], refused["margin_bits"], refused["credit"]) == (None, None, None)
    assert refused["note"] == "refused"
    assert other["wrong_bits"] > 0
