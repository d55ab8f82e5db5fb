"""What a store holds, and what this installation can do: the verbs status and doctor."""

import json
import platform
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from colorless_green.data.fetch.folder import cache_folder
from colorless_green.data.registry import EXTRAS
from colorless_green.data.result import Result
from colorless_green.data.store import Store, Where, open_store
from colorless_green.data.tables import Row
from colorless_green.data.version import __version__

PACKAGES = {  # package → what it is for
    "numpy": "arrays",
    "polars": "tables",
    "ufal.kenlm": "n-gram models",
    "torch": "neural models, on a GPU where there is one",
    "transformers": "causal, masked and seq2seq models",
    "scipy": "statistics of people",
    "glmm": "mixed models",
    "matplotlib": "figures",
    "starlette": "the page of an experiment",
    "stanza": "parsing raw text",
    "ray": "work on a cluster",
    "wordfreq": "word frequencies of forty languages",
    "pandas": "to_pandas()",
}


def status(*, store: Where = None) -> Result:
    """Tells what a store holds: minings, suites, models with their language, runs, judgments.

    Args:
        store: the store, or its file.

    Returns:
        A row each, in the order of their making: what it is, its name, language, how many items
        (originals, outcomes, answers) it has, and more about it.

    Raises:
        InputError: there is no such store.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> mining = cg.mine(str(sample.treebank("it")), language="it")
    >>> status(store=mining.kept.store).to_frame().select("what", "language", "n").rows()
    [('mining', 'it', 256), ('suite', 'it', 256)]
    """
    with open_store(store, existing=True) as kept:
        rows = [*_minings(kept), *_suites(kept), *_models(kept), *_runs(kept), *_judgments(kept)]
        messages = [] if rows else [f"{kept.path} is empty; colorless mine TREEBANK begins"]
    return Result(rows, ("what", "name", "language", "n", "about", "created"), messages)


def _minings(store: Store) -> Iterator[Row]:
    query = (
        "SELECT treebank.*, count(construction.position) AS n_judged, "
        "sum(construction.verdict = 'accepted') AS n_accepted, "
        "sum(construction.n_originals) AS n_originals FROM treebank "
        "LEFT JOIN construction USING (treebank_id) GROUP BY treebank_id"
    )
    for row in store.rows(query):
        accepted = f"{row['n_accepted'] or 0} of {row['n_judged']} constructions accepted"
        about = f"rule {row['rule']}, {row['feature']}; {accepted}"
        yield _row("mining", row["name"], row["language"], row["n_originals"] or 0, about, row)


def _suites(store: Store) -> Iterator[Row]:
    for row in store.rows("SELECT * FROM suite ORDER BY suite_id"):
        kinds: dict[str, int] = json.loads(row["kinds"])
        about = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()))
        yield _row("suite", row["name"], row["language"], sum(kinds.values()), about, row)


def _models(store: Store) -> Iterator[Row]:
    query = (
        "SELECT trained.*, treebank.name AS treebank, treebank.language AS language FROM trained "
        "LEFT JOIN treebank USING (treebank_id) ORDER BY trained_id"
    )
    for row in store.rows(query):
        folder = Path(str(row["path"]))
        try:
            facts = json.loads((folder / "model.json").read_text("utf-8"))
        except (OSError, ValueError):
            facts = {}
        source = facts.get("treebank") or row["treebank"]
        about = f"{row['kind']}, trained on {source or 'text'}"
        about += "" if facts else "; its folder is gone"
        language = facts.get("language") or row["language"]
        yield _row("model", row["path"], language, facts.get("n_sentences"), about, row)


def _runs(store: Store) -> Iterator[Row]:
    query = (
        "SELECT run.*, model.name AS model, suite.name AS suite "
        "FROM run JOIN model USING (model_id) JOIN suite USING (suite_id) ORDER BY run_id"
    )
    for row in store.rows(query):
        about = f"on {row['suite']}, {row['method']}"
        yield _row("run", row["model"], None, row["n_items"], about, row)


def _judgments(store: Store) -> Iterator[Row]:
    query = (
        "SELECT judgment_set.*, suite.name AS suite, (SELECT count(*) FROM judgment WHERE "
        "judgment.judgment_set_id = judgment_set.judgment_set_id) AS n, (SELECT count(*) FROM "
        "tally WHERE tally.judgment_set_id = judgment_set.judgment_set_id) AS n_tallies "
        "FROM judgment_set LEFT JOIN suite USING (suite_id) ORDER BY judgment_set_id"
    )
    for row in store.rows(query):
        n, unit = (row["n"], "answers") if row["n"] else (row["n_tallies"], "items with totals")
        about = f"{unit} on {row['suite']}" + ("; SIMULATED" if row["simulated"] else "")
        yield _row("judgments", row["name"], None, n, about, row)


def _row(what: str, name: object, language: object, n: object, about: str, row: object) -> Row:
    assert isinstance(row, dict)
    code = None if language is None else str(language)
    count = None if n is None else int(str(n))
    created = str(row["created"])
    return {
        "what": what, "name": str(name), "language": code, "n": count, "about": about,
        "created": created,
    }  # fmt: skip


def doctor() -> Result:
    """Shows the installation: versions, extras, GPU and cache.

    Returns:
        A row each for Python, this package, its packages, the GPU and the cache: its version (or
        size), and what it is for or how to get it.

    Raises:
        Nothing: what is not there is a row too.

    >>> doctor().to_frame().select("what", "version").row(1)[0]
    'colorless-green'
    """
    rows: list[Row] = [
        {"what": "python", "version": platform.python_version(), "about": sys.executable},
        {
            "what": "colorless-green",
            "version": __version__,
            "about": str(Path(__file__).parents[1]),
        },
    ]
    for package, purpose in PACKAGES.items():
        try:
            rows.append({"what": package, "version": version(package), "about": purpose})
        except PackageNotFoundError:
            how = EXTRAS.get(package, "pip install 'colorless-green[all]'")
            rows.append({"what": package, "version": None, "about": f"{purpose}: {how}"})
    rows += [_gpu(), _cache()]
    missing = [str(row["what"]) for row in rows if row["version"] is None and row["what"] != "GPU"]
    messages = [f"not here: {', '.join(missing)}"] if missing else []
    return Result(rows, ("what", "version", "about"), messages)


def _gpu() -> Row:
    if find_spec("torch") is None:
        return {"what": "GPU", "version": None, "about": "torch is needed to look for one"}
    try:
        import torch
    except Exception as error:  # of whatever kind: the doctor is asked because something is broken
        return {"what": "GPU", "version": None, "about": f"torch cannot be imported: {error}"}
    if not torch.cuda.is_available():
        return {"what": "GPU", "version": None, "about": "none that torch can use; the CPU works"}
    n = torch.cuda.device_count()
    memory = torch.cuda.get_device_properties(0).total_memory / 2**30
    about = f"{memory:.0f} GiB" + (f"; {n} devices" if n > 1 else "")
    return {"what": "GPU", "version": torch.cuda.get_device_name(0), "about": about}


def _cache() -> Row:
    folder = cache_folder()
    size = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # one that somebody has just removed
            size += path.stat().st_size if path.is_file() else 0
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free / 2**30
    about = f"{folder}; {free:.0f} GiB free there"
    return {"what": "cache", "version": f"{size / 2**20:.0f} MiB", "about": about}
