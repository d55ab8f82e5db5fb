"""Sentences and treebanks for tests, written as short as they can be read."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from colorless_green.data import Sentence
from colorless_green.data.errors import ErrorKind, InputError

few_examples = settings(max_examples=settings().max_examples // 3)
"""For a law of which each example takes long: a third of the examples of the profile."""

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def shared(*parts: str) -> Path:
    """Return a path of the shared data beside the checkout; skips the test if it is not there."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {path}")
    return path


def conllu(*rows: str, sent_id: str = "s1") -> str:
    """Return a sentence's block from rows `form/UPOS/Number/head` (head from 1, 0 for the root;
    the lemma is the form in lower case). `-` for no Number; `Number` may be a whole FEATS string
    with `=`. A row `1-2 form` is a multiword token."""
    lines = [f"# sent_id = {sent_id}"]
    number = 0
    for row in rows:
        if "/" not in row:
            span, form = row.split(" ")
            lines.append(f"{span}\t{form}" + "\t_" * 8)
            continue
        form, upos, value, head = row.rsplit("/", 3)
        number += 1
        feats = "_" if value == "-" else value if "=" in value else f"Number={value}"
        relation = "root" if head == "0" else "dep"
        cells = (str(number), form, form.lower(), upos, "_", feats, head, relation, "_", "_")
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"


def relational(*rows: str, sent_id: str = "s1") -> str:
    """Return a sentence's block from rows `form/lemma/UPOS/FEATS/head/deprel`; `1-2 form` is a
    multiword token."""
    lines = [f"# sent_id = {sent_id}"]
    number = 0
    for row in rows:
        if "/" not in row:
            span, form = row.split(" ")
            lines.append(f"{span}\t{form}" + "\t_" * 8)
            continue
        form, lemma, upos, feats, head, relation = row.split("/")
        number += 1
        cells = (str(number), form, lemma, upos, "_", feats, head, relation, "_", "_")
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n\n"


def write_conllu(path: Path, *blocks: str) -> Path:
    """Return a file of blocks, in a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(blocks), encoding="utf-8", newline="\n")
    return path


def sentence(*rows: str) -> Sentence:
    """Return the sentence of `conllu(*rows)`, read by the reader."""
    import tempfile

    from colorless_green.miner import read

    with tempfile.TemporaryDirectory() as folder:
        return next(read(write_conllu(Path(folder) / "x.conllu", conllu(*rows))))


@dataclass(frozen=True)
class Run:
    """What one command line did: exit code, both streams, and the mistake it ended with, if any."""

    returncode: int
    stdout: str
    stderr: str
    error: InputError | None = None
    made: frozenset[Path] = frozenset()  # files and folders that were not there before


def colorless(
    *arguments: str, cwd: Path, stdin: str = "", env: dict[str, str] | None = None
) -> Run:
    """One command line, as words or as a line of them, in this process; with `env` (hash seeds,
    caches, libraries that read the environment when they are imported) in one of its own."""
    if len(arguments) == 1:
        arguments = tuple(arguments[0].split())
    if env is not None:
        done = subprocess.run(
            [sys.executable, "-m", "colorless_green", *arguments],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": "0", **env},
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr)

    from colorless_green.verbs import console

    mistakes: list[InputError] = []

    def app(*given: Any, **options: Any) -> Any:
        try:
            return whole_command()(*given, **options)
        except InputError as error:
            mistakes.append(error)
            raise

    before = set(cwd.rglob("*"))
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    sys.stdout, sys.stderr = out, err
    try:
        with contextlib.chdir(cwd):
            code = console.run(app, arguments)
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    said = [_text_of(stream) for stream in (out, err)]
    made = frozenset(cwd.rglob("*")) - before
    return Run(code, said[0], said[1], mistakes[0] if mistakes else None, made)


@contextmanager
def without_matplotlib() -> Iterator[None]:
    """As where it is not installed. (Nothing else that is imported here may be forgotten.)"""
    known = sys.modules.pop("matplotlib", None)
    sys.modules["matplotlib"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["matplotlib"]
        if known is not None:
            sys.modules["matplotlib"] = known


@cache
def whole_command() -> Any:
    """Return the whole command, all of whose options Typer would declare anew each time."""
    from typer.main import get_command

    from colorless_green import cli

    return get_command(cli.app)


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode("utf-8")


@contextmanager
def mistake(kind: ErrorKind, place: object) -> Iterator[None]:
    """Expect what is done inside to end with an `InputError` of this kind at this place.

    The wording is not looked at: it stands in `tests/messages` alone.
    """
    with pytest.raises(InputError) as caught:
        yield
    assert (caught.value.kind, caught.value.location) == (kind, str(place))


def refused(run: Run, kind: ErrorKind, place: object) -> None:
    """Assert that a command line ended with one line on stderr, nothing on stdout, exit code 2,
    a mistake of this kind at this place, and no file that was not there before."""
    assert run.error is not None, run.stderr
    assert (run.error.kind, run.error.location) == (kind, str(place))
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (2, "", 1)
    assert not run.made


def agreeing(upos: Sequence[str], value: str, sent_id: str) -> str:
    """Return a sentence whose first word is the cue and whose last is the target (its head): all
    the words between hang on the target, so that they are the context."""
    last = len(upos)
    rows = [f"w{index}/{tag}/-/{last}" for index, tag in enumerate(upos[:-1])]
    rows[0] = f"c{value}/{upos[0]}/{value}/{last}"
    rows.append(f"t{value}/{upos[-1]}/{value}/0")
    return conllu(*rows, sent_id=sent_id)
