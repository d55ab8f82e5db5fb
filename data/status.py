"""The command `status`: what a store holds, and what this installation can do."""

import json
import platform
import shutil
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .fetch.fetched_folder import cache_folder
from .registry import EXTRAS, PURPOSES
from .result import Result
from .shell import resource
from .store import DEFAULT_STORE, Store, StoreLike, open_store
from .tables import Row
from .version import __version__

MODEL_FACTS = ("language", "n_sentences", "treebank")
COLUMNS = ("id", "what", "name", "n", "about", "created")
UNREAD_TABLES = {  # table of an earlier version that this one does not read → its content
    "reading": "reading times"
}
GPU_FILES = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")  # without any of these there is no GPU


def status(*, store: StoreLike = None) -> Result:
    """List what the store holds, and what is installed.

    Args:
        store: the project's database.

    Returns:
        One row for each thing in the store, the newest first: what it is, its name, language,
        number of items (originals, outcomes, answers), and more about it. Then the installation:
        versions of packages, or the commands to get them, the GPU, and the cache of downloads.

    Raises:
        InputError: there is no such store (`colorless.db` may be missing).

    Commands:
        colorless status
        colorless status --store german.db --json

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> mining = cg.mine(str(sample.treebank("it")), language="it")
    >>> status(store=mining.kept.store).to_frame().select("what", "language", "n").head(2).rows()
    [('mining', 'it', 256), ('suite', 'it', 256)]
    """
    rows: list[Row] = []
    hint = "run `colorless mine TREEBANK` to make one"
    messages = [f"there is no store {DEFAULT_STORE} here; {hint}"]
    if store is not None and (str(store) != DEFAULT_STORE or Path(DEFAULT_STORE).exists()):
        with open_store(store, existing=True) as opened:
            if damage := opened.damage():
                raise opened.damaged(damage)
            opened.connection.create_function("model_facts", 1, _model_facts)
            rows = [*opened.rows(resource(__package__, "status.sql"))]
            messages = [*_ambiguous_name_notes(opened), *_unread_table_notes(opened)]
            if not rows:
                messages.append(f"{opened.path} is empty; run `colorless mine TREEBANK` to begin")
    gpu = _gpu_row()
    installed = [*_package_rows(), gpu, _cache_row()]
    missing = [str(row["name"]) for row in installed if "not installed" in str(row["about"])]
    if rows:
        names = f"without {', '.join(missing)}" if missing else "with every package it can use"
        messages.append(f"colorless-green {__version__} {names}; GPU: {gpu['about']}")
    return Result([*rows, *installed], COLUMNS, messages, n_hidden=len(installed) if rows else 0)


def _row(what: str, name: str, about: str, n: int | None = None) -> Row:
    """Return a row about the installation, with the columns of a row about the store."""
    return {
        "id": None, "what": what, "name": name, "language": None, "n": n, "about": about,
        "created": None,
    }  # fmt: skip


def _model_facts(folder: str) -> str | None:
    """Return facts in the file model.json of a model's folder as JSON; None if it is gone."""
    try:
        facts = json.loads((Path(folder) / "model.json").read_text("utf-8"))
        return json.dumps({name: facts.get(name) for name in MODEL_FACTS})
    except (OSError, ValueError, AttributeError):  # AttributeError: it is JSON, but no object
        return None


def _unread_table_notes(store: Store) -> Iterator[str]:
    """Yield a message for each table with rows that only an earlier version could read."""
    for table, content in UNREAD_TABLES.items():
        row = store.one(f"SELECT count(*) AS n FROM {table}")
        if row is not None and row["n"]:
            yield (
                f"{store.path}: table {table} has {row['n']:,} rows ({content}) that this version "
                "does not read; they are left as they are"
            )


def _ambiguous_name_notes(store: Store) -> Iterator[str]:
    """Yield a message for each name that several suites with different contents have."""
    numbers: dict[str, dict[str, str]] = {}  # name of a suite → digest of its content → number
    for row in store.rows("SELECT suite_id, name, content FROM suite ORDER BY suite_id"):
        _, _, digest = str(row["content"]).rpartition(":")
        numbers.setdefault(str(row["name"]), {})[digest] = f"@{row['suite_id']}"
    for name, number_by_digest in numbers.items():
        if len(number_by_digest) > 1:
            several = " and ".join(number_by_digest.values())
            yield f"{name}: stands for {several}; name one of them by its number"


def _package_rows() -> Iterator[Row]:
    """Yield a row for each package: its version, or the command that installs it."""
    python = f"Python {platform.python_version()}; {Path(__file__).parents[1]}"
    yield _row("package", "colorless-green", f"{__version__}; {python}")
    for package, purpose in PURPOSES.items():
        try:
            about = f"{version(package)}; {purpose}"
        except PackageNotFoundError:
            about = f"not installed; for {purpose}: {EXTRAS.get(package, 'reinstall')}"
        yield _row("package", package, about)


def _gpu_row() -> Row:
    """Return the row about the GPU. PyTorch is imported only if there may be one."""
    if any(Path(path).exists() for path in GPU_FILES):
        try:
            import torch
        except Exception as error:  # users ask for the status because something is broken
            return _row("GPU", "-", f"torch cannot be imported: {error}")
        if n := torch.cuda.device_count():
            memory = torch.cuda.get_device_properties(0).total_memory / 2**30
            details = f"{torch.cuda.get_device_name(0)}, {memory:.0f} GiB"
            return _row("GPU", "cuda", details, n)
    return _row("GPU", "-", "none that torch can use; models run on the CPU")


def _cache_row() -> Row:
    """Return the row about the cache of downloads: its size, and the free space on its disk."""
    folder, size = cache_folder(), 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # a file that another process has just removed
            size += path.stat().st_size if path.is_file() else 0
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free / 2**30
    details = f"{size / 2**20:.0f} MiB of downloads; {free:.0f} GiB free"
    return _row("cache", str(folder), details)
