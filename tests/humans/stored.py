"""A store with what the verbs put there: a suite, runs of models, answers of people."""

import atexit
import json
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from colorless_green import analyse, compare, report
from colorless_green.data import Item, Prediction, Suite, save_suite
from colorless_green.data.result import Result
from colorless_green.data.store import MEMORY, Store
from colorless_green.data.tables import Row
from colorless_green.humans import Credits, write_judgments, write_sessions
from colorless_green.scoring import Outcome, outcomes_frame, save_run
from tests.builders import without_matplotlib
from tests.humans.answer_material import Session, import_answers, session_frame
from tests.humans.pages import Page
from tests.humans.trial_records import Judgment, trials_of

NOW = "2026-01-01"
NEAR = 1e-9


def folder() -> Path:
    """Return a new folder, gone when the tests are over."""
    return Path(tempfile.mkdtemp(dir=_root()))


@cache
def _root() -> str:
    root = tempfile.mkdtemp(prefix="colorless-tests-")
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


class Kept:
    """A store in memory, and a folder for files."""

    def __init__(self) -> None:
        self.folder = folder()
        self.store = Store(MEMORY)
        weakref.finalize(self, self.store.connection.close)

    def suite(
        self,
        items: Sequence[Item],
        name: str = "synthetic",
        predictions: Sequence[Prediction] = (),
        *,
        kind: str = "nonce",
        mined: Sequence[Row] = (),
        rejected: Sequence[str] = (),
    ) -> int:
        """Return the id of a suite; of one that was mined with these constructions and
        rejections."""
        treebank_id = self._mining(mined, rejected) if mined or rejected else None
        suite = Suite(name, tuple(items), tuple(predictions))
        with self.store.transaction():
            return save_suite(self.store, suite, kind, treebank_id=treebank_id, now=NOW)

    def _mining(self, mined: Sequence[Row], rejected: Sequence[str]) -> int:
        texts = ("key", "name", "language", "licence", "vocabulary", "rule", "feature", "repair")
        lists = ("files", "stages", "skipped", "digests")
        row = {**dict.fromkeys(texts, "x"), **dict.fromkeys(lists, "[]"), "used": 1, "created": ""}
        usual: Row = {
            **dict.fromkeys(("treebank", "rule", "feature", "values", "n_by_value", "reason"), ""),
            **dict.fromkeys(("n", "n_agree", "n_originals"), 0),
        }
        place: Row = {"treebank": "x", "sent_id": "", "cue_index": 0, "target_index": 0}
        with self.store.transaction():
            treebank_id = self.store.insert("treebank", row)
            for n, each in enumerate(mined):
                own = {**usual, **each, "treebank_id": treebank_id, "position": n}
                self.store.insert("construction", own)
            for n, reason in enumerate(rejected):
                gone: Row = {**place, "construction": "", "reason": reason, "position": n}
                self.store.insert("rejection", {**gone, "treebank_id": treebank_id})
        return treebank_id

    def run(
        self,
        suite_id: int,
        model: str,
        outcomes: Credits | Sequence[Outcome],
        *,
        signature: str = "",
        group: str = "",
        method: str = "target",
        prediction: str = "agreement",
        about: Mapping[str, object] | None = None,
        exposed: int | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Store what a model made of items: (credit, margin in bits), both None where it left
        one out."""
        told = signature or f"model:{model}|torch:2.0.0"
        with self.store.transaction():
            known = self.store.one("SELECT model_id FROM model WHERE signature = ?", (told,))
            row = {"signature": told, "name": model, "spec": "", "group": group, "device": "cpu"}
            model_id = (
                int(known["model_id"])
                if known
                else self.store.insert("model", {**row, "about": json.dumps(about or {})})
            )
            save_run(
                self.store,
                model_id=model_id,
                suite_id=suite_id,
                method=method,
                options=options or {},
                exposed=exposed,
                outcomes=outcomes_frame(
                    [outcome(item, *each, prediction) for item, each in outcomes.items()]
                    if isinstance(outcomes, Mapping)
                    else outcomes
                ),
                now=NOW,
            )

    def scored(
        self, items: Sequence[Item], n_right: Mapping[str, int], name: str = "synthetic",
        **about: object,
    ) -> None:  # fmt: skip
        """Store a suite and what models made of it: so many of its first items right, the others
        wrong, by one bit."""
        suite_id = self.suite(items, name)
        for model, n in n_right.items():
            margins = {item.item_id: 1.0 if k < n else -1.0 for k, item in enumerate(items)}
            self.run(suite_id, model, of_margins(margins), about=about)

    def people(
        self,
        judgments: Sequence[Judgment] = (),
        sessions: Sequence[Session] = (),
        *,
        name: str = "answers",
        **request: Any,
    ) -> Result:
        """Answers, imported under the names that people have here."""
        folder = self.folder / name
        folder.mkdir()
        paths = [folder / f"{name}-{what}.jsonl" for what in ("judgments", "sessions")]
        records = (judgments, sessions)
        write_judgments(paths[0], trials_of(judgments))
        write_sessions(paths[1], session_frame(sessions))
        there = [path for path, own in zip(paths, records, strict=True) if own]
        return self.imported(*there, hashed=False, **request)

    def imported(self, *paths: Path, **request: Any) -> Result:
        return import_answers(paths, store=self.store, **request)

    def totals(self, counts: Mapping[str, tuple[int, int]], **request: Any) -> Result:
        """How many of how many were right on an item."""
        lines = (f"{item},{right},{total}\n" for item, (right, total) in counts.items())
        return self.imported(
            self.file("totals.csv", f"item,right,total\n{''.join(lines)}"), **request
        )

    def file(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def report(self, *names: str, drawn: bool = False) -> Page:
        """Return the page; with drawings only where they are looked at, since they take their
        time."""
        out = self.folder / "report.html"
        with nullcontext() if drawn else without_matplotlib():
            report(names, out=out, store=self.store)
        return Page(out.read_text(encoding="utf-8"))

    def compare(self, *names: str, published: str = "", out: Path | None = None) -> Result:
        return compare(names, published=published, out=out, store=self.store)

    def analyse(self, name: str = "", **options: Any) -> Result:
        return analyse(name, store=self.store, **options)


def outcome(item: str, credit: float | None, margin: float | None, prediction: str) -> Outcome:
    tie = margin is not None and abs(margin) < NEAR
    left_out = credit is None
    return Outcome(item, prediction, credit, margin, tie, left_out, "oov" if left_out else "")


def of_margins(margins: Mapping[str, float | None]) -> dict[str, Any]:
    """Credits: right where the margin is above 0, half where it is 0, left out where it is None."""
    return {
        item: (None, None)
        if margin is None
        else (0.5 if abs(margin) < NEAR else float(margin > 0), margin)
        for item, margin in margins.items()
    }
