"""What users read when something is wrong: this folder is the one place where wording is asserted.

Everywhere else tests look at an error's class, kind and place; here some of the messages that are
met most stand word for word, and a law says what shape every message in the source has.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from colorless_green.data.errors import ErrorKind, InputError
from tests.builders import colorless, conllu, write_conllu

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("data", "miner", "nonce", "scoring", "humans", "verbs")


@cache
def raised() -> tuple[tuple[str, ast.Call], ...]:
    """(file:line, call) of every `InputError` that the source makes with a literal wording."""
    return tuple(
        (f"{path.relative_to(ROOT)}:{node.lineno}", node)
        for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
        if "InputError(" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "InputError"
    )


def literal(node: ast.expr) -> str:
    """Return the text of a literal, with `…` where an f-string puts a value; "" for anything
    else."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        parts = (str(p.value) if isinstance(p, ast.Constant) else "…" for p in node.values)
        return "".join(parts)
    return ""


@pytest.mark.slow
def test_every_message_is_one_line_that_says_what_would_be_right() -> None:
    kinds = set(get_args(ErrorKind))
    for place, call in raised():
        assert [keyword.arg for keyword in call.keywords] == ["kind"], place
        kind = call.keywords[0].value
        assert not isinstance(kind, ast.Constant) or kind.value in kinds, place
        for text in map(literal, call.args[1:3]):
            assert "\n" not in text, place
            assert text == text.strip(), place
            assert not re.search(r"[.;!]$", text), place


@pytest.mark.slow
def test_every_kind_is_used_and_survives_a_process() -> None:
    import pickle

    used = {
        call.keywords[0].value.value
        for _, call in raised()
        if isinstance(call.keywords[0].value, ast.Constant)
    }
    assert used == set(get_args(ErrorKind))
    error = pickle.loads(pickle.dumps(InputError("a:1", "wrong", "right", kind="format")))
    assert (str(error), error.kind) == ("a:1: wrong; right", "format")


MISTAKES = {
    ("walk",): "colorless: No such command 'walk'; see colorless --help",
    ("scroe",): "colorless: No such command 'scroe'; did you mean 'score'?; see colorless --help",
    ("mine",): "colorless mine: Missing argument 'PATHS'; see colorless mine --help",
    ("mine", "none.conllu"): (
        "none.conllu: there is no such file or folder; give a CoNLL-U file or a folder"
    ),
    ("mine", "toy.conllu", "--rule", "lenient"): (
        "--rule: no rule 'lenient'; give one of released, strict, tested, or a TOML file"
    ),
    ("mine", "toy.conllu", "--set", "repair=x"): (
        "--set: repair: 'x'; 'auto', 'none' or 'ewt-2.0'"
    ),
    ("mine", "toy.conllu", "--workers", "0"): "--workers: 0 is too few; 1 or more",
    ("mine", "toy.conllu", "--rule", "released", "--set", "min_n=5"): (
        "--set: min_n: the rule released makes no test; give the rule tested"
    ),
    ("mine", "toy.conllu", "--set", "min_gap"): ("--set: 'min_gap'; KEY=VALUE, such as patterns=…"),
    ("mine", "toy.conllu", "--min-gap", "4"): (
        "colorless mine --min-gap: not in version 2; use --set min_gap=VALUE"
    ),
    (
        "mine",
        "toy.conllu",
        "--language",
        "en",
        "--unimorph",
        "it",
    ): "--unimorph: 'it'; LANGUAGE=FILE, as it=ita.tsv",
    ("mine", "toy.conllu", "--language", "en", "--set", "patterns=own.toml"): (
        "own.toml: there is no such file; give the path of a file"
    ),
    ("mine", "toy.conllu", "--as", "tabel"): (
        "colorless mine: Invalid value for '--as': no such value 'tabel'; did you mean 'table'? "
        "one of table, csv, tsv, jsonl, markdown, latex; see colorless mine --help"
    ),
    ("mine", "toy.conllu", "--set", "min_n=0"): "--set: min_n: 0; at least 1",
    ("mine", "toy.conllu", "--set", "floor=x"): "--set: floor: 'x'; give a number",
    ("languages", "none"): "none: there is no such folder; give a folder of treebanks",
    ("mine", "toy.conllu", "--language", "deutsch"): (
        "--language: 'deutsch' is not the code of a language; did you mean de (German)? a BCP-47 "
        "code, as de, pt-BR, or und where none fits"
    ),
    ("mine", "toy.conllu", "--rule", "testd"): (
        "--rule: no rule 'testd'; did you mean 'tested'? one of released, strict, tested, or a "
        "TOML file"
    ),
    ("humans", "export", "nostudy", "--to", "csv", "--out", "o"): (
        "nostudy: there is no such folder; "
        "give the folder of a study, which colorless humans design "
        "makes"
    ),
    ("nonce",): (
        "colorless.db: no originals in the store yet; run colorless mine first, or name a file"
    ),
    ("score",): ("colorless.db: there is no store of this name; colorless mine makes one"),
    ("train", "x"): "MODEL: no such name 'x'; give one of all, causal, ngram, recurrent, unigram",
    ("train", "unigram"): (
        "TEXT: no text is named, and the store has no mining; "
        "name text files, or run `colorless mine` first (in Python: give store=)"
    ),
    ("report",): "colorless.db: there is no store of this name; colorless mine makes one",
    ("compare", "--store", "none"): (
        "--store: nothing is kept, and this only reads; give the file of a store"
    ),
    ("compare",): "colorless.db: there is no store of this name; colorless mine makes one",
    ("export", "x", "--out", "x.tab"): (
        "x: there is no such file, and no store colorless.db with a suite of this name; "
        "give a file, or a name that colorless "
        "status lists (--store names another store)"
    ),
    ("score", "x.json", "--model", "uniform:toy.conllu"): (
        "x.json: there is no such file, and no store colorless.db with a suite of this name; "
        "give a file, or a name that colorless "
        "status lists (--store names another store)"
    ),
    ("audit", "folder"): (
        "folder: this folder is no suite, and no store colorless.db with a suite of this name; "
        "give a file, or a name that colorless "
        "status lists (--store names another store)"
    ),
    ("import", "toy.conllu"): (
        "toy.conllu: its content does not tell its format; colorless mine toy.conllu"
    ),
    ("grammar", "toy.conllu"): (
        "toy.conllu:2: this is not TOML (Expected '=' after a key in a key/value pair); "
        "write valid TOML"
    ),
}


@pytest.mark.parametrize("arguments", MISTAKES, ids=" ".join)
def test_a_mistake_is_one_line_and_exit_code_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write_conllu(tmp_path / "toy.conllu", conllu("a/X/-/0"))
    (tmp_path / "folder").mkdir()
    done = colorless(*arguments, cwd=tmp_path)
    assert done.stderr == MISTAKES[arguments] + "\n"
    assert (done.returncode, done.stdout) == (2, "")
    if arguments[0] in ("report", "compare"):
        assert not (tmp_path / "colorless.db").exists()
