"""The whole way on real data, held by its figures.

Rewritten only by `pytest --update-golden tests/test_golden_run.py`, with the difference looked at
and a line under *Numbers* in CHANGELOG.md. No text of a treebank or a suite stands in the tables:
of items there are counts and a hash.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.builders import colorless, shared

pytestmark = [pytest.mark.shared, pytest.mark.slow]

TABLES = Path(__file__).with_name("golden")
SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample" / "en.conllu"
PARTS = {
    "de": ("UD_German-GSD", "de_gsd-ud-dev.conllu.gz"),
    "fr": ("UD_French-Sequoia", "fr_sequoia-ud-dev.conllu.gz"),
    "ru": ("UD_Russian-GSD", "ru_gsd-ud-dev.conllu.gz"),
}
SUITES = {
    "syntaxgym": ("syntaxgym", "suites", "json", "number_prep.json"),
    "blimp": ("blimp", "data", "distractor_agreement_relational_noun.jsonl"),
    "marvin_linzen": ("marvin_linzen", "pickles", "vp_coord.pickle"),
}
Check = Callable[..., None]
Rows = list[dict[str, object]]


def told(folder: Path, *arguments: str) -> Rows:
    """Return the rows that a verb prints; it must succeed."""
    done = colorless(*arguments, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def fact(table: str, row: str, **figures: object) -> dict[str, object]:
    """One line of a table of figures, floats with six digits."""
    shown = {k: f"{v:.6g}" if isinstance(v, float) else str(v) for k, v in figures.items()}
    return {"table": table, "row": row, "figures": ", ".join(f"{k} {v}" for k, v in shown.items())}


def facts(table: str, rows: Rows, key: Sequence[str], figures: Sequence[str]) -> Rows:
    return [
        fact(
            table,
            " ".join(str(row[name]) for name in key if row.get(name)),
            **{name: row[name] for name in figures},
        )
        for row in rows
    ]


def items_of(path: Path) -> Rows:
    """How many items a file has, of each kind and level, and which they are."""
    text = path.read_bytes()
    lines = [json.loads(line) for line in text.splitlines()]
    n = Counter((each["kind"], each.get("level") or "") for each in lines)
    counted = [fact("items", " ".join(filter(None, key)), n=n[key]) for key in sorted(n)]
    return [*counted, fact("items", "all", sha256=hashlib.sha256(text).hexdigest())]


def headline(rows: Rows) -> Rows:
    """Accuracies over all constructions and over each, by kind and model."""
    finer = ("value", "n_attractors")
    return [row for row in rows if row["kind"] and not any(row.get(name) for name in finer)]


def accuracies(rows: Rows) -> Rows:
    figures = ("n_items", "accuracy", "low", "high", "n_ties", "n_oov")
    return facts("accuracy", headline(rows), ("model", "suite", "kind", "construction"), figures)


@pytest.mark.parametrize("language", PARTS)
def test_a_treebank_goes_the_whole_way(tmp_path: Path, language: str, golden: Check) -> None:
    path = str(shared("treebanks", *PARTS[language]))
    mined = told(tmp_path, "mine", path, "--rule", "tested", "--name", language, "--out", "m")
    accepted = [row for row in mined if row["verdict"] == "accepted"]
    told(tmp_path, "nonce", "-n", "3", "--level", "+frequency", "--out", "n.jsonl")
    columns = ("construction", "value", "kind", "relation", "first_noun")
    audited = [row for row in told(tmp_path, "audit") if not any(map(row.get, columns))]
    for kind in ("unigram", "ngram"):
        told(tmp_path, "train", kind, path, "--out", kind)
    scored = told(tmp_path, "score", "--model", "unigram", "--model", "ngram", "--set", "oov=keep")
    verdicts = Counter(str(row["verdict"]) for row in mined)
    found = [
        *(fact("constructions", name, n=n) for name, n in sorted(verdicts.items())),
        *facts("constructions", accepted, ("construction",), ("n", "n_agree", "n_originals", "q")),
        *items_of(tmp_path / "m" / "originals.jsonl"),
        *items_of(tmp_path / "n.jsonl"),
        *facts("audit", audited, ("baseline",), ("n_items", "accuracy")),
        *accuracies([row for row in scored if not row.get("construction")]),
    ]
    golden(TABLES / f"whole_way_{language}.tsv", found)


def test_published_suites_are_scored_as_ever(tmp_path: Path, golden: Check) -> None:
    for kind in ("unigram", "ngram"):
        told(tmp_path, "train", kind, str(SAMPLE), "--out", kind)
    found: Rows = []
    for parts in SUITES.values():
        path = str(shared("published", *parts))
        models = ("--model", "unigram", "--model", "ngram")
        options = ("--set", "oov=keep", "--set", "sample=100", "--set", "predictions=each")
        rows = told(tmp_path, "score", path, *models, *options)
        figures = ("n_items", "accuracy", "n_ties", "n_oov")
        whole = [row for row in rows if not row.get("kind") and not row.get("construction")]
        found += facts("accuracy", whole, ("suite", "model", "prediction"), figures)
    golden(TABLES / "suites.tsv", found)


def test_a_published_import_of_judgments_has_its_figures(tmp_path: Path, golden: Check) -> None:
    """The answers beside the best model of Gulordava et al. 2018, as released: Italian."""
    path = shared("published", "colorless", "evaluation_output", "Italian", "best_model_mturk.tab")
    told(tmp_path, "humans", "import", str(path))
    kept = ("accuracy over items", "accuracy pooled", "ρ of", "split-half", "Krippendorff")
    rows = [
        row
        for row in told(tmp_path, "humans", "analyse")
        if str(row["statistic"]).startswith(kept) and not row.get("construction")
    ]
    key, figures = ("statistic", "kind", "rater", "level"), ("n", "value", "low", "high")
    golden(TABLES / "judgments.tsv", facts("measures", rows, key, figures))
