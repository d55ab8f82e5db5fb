"""Sentences and treebanks for tests, written as short as they can be read."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from colorless_green.miner.tree import Sentence

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def shared(*parts: str) -> Path:
    """A path of the shared data beside the checkout; skips the test if it is not there."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {path}")
    return path


def conllu(*rows: str, sent_id: str = "s1") -> str:
    """A sentence's block from rows `form/UPOS/Number/head` (head from 1, 0 for the root; the lemma
    is the form in lower case). `-` for no Number; `Number` may be a whole FEATS string with `=`.
    A row `1-2 form` is a multiword token."""
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
    """A sentence's block from rows `form/lemma/UPOS/FEATS/head/deprel`; `1-2 form` is a multiword
    token."""
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
    """A file of blocks, in a folder that is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(blocks), encoding="utf-8", newline="\n")
    return path


def sentence(*rows: str) -> Sentence:
    """The sentence of `conllu(*rows)`, read by the reader."""
    import tempfile

    from colorless_green.miner.conllu import read

    with tempfile.TemporaryDirectory() as folder:
        return next(read(write_conllu(Path(folder) / "x.conllu", conllu(*rows))))


def colorless(
    *arguments: str, cwd: Path, stdin: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A run of the command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "colorless_green", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONHASHSEED": "0", **(env or {})},
        check=False,
    )


def agreeing(upos: Sequence[str], value: str, sent_id: str) -> str:
    """A sentence whose first word is the cue and whose last is the target (its head): all the words
    between hang on the target, so that they are the context."""
    last = len(upos)
    rows = [f"w{index}/{tag}/-/{last}" for index, tag in enumerate(upos[:-1])]
    rows[0] = f"c{value}/{upos[0]}/{value}/{last}"
    rows.append(f"t{value}/{upos[-1]}/{value}/0")
    return conllu(*rows, sent_id=sent_id)
