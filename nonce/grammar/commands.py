"""The verb grammar: a file or a grammar that comes with the tool to items, sentences or counts."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.data.registry import nearest
from colorless_green.data.tables import Result, Row, to_json_line
from colorless_green.nonce.formats import ENDINGS, write_suite
from colorless_green.nonce.formats.jsonl import to_record
from colorless_green.nonce.grammar.conllu import treebank
from colorless_green.nonce.grammar.expand import of_templates
from colorless_green.nonce.grammar.items import (
    COUNTED,
    Material,
    all_items,
    counts,
    material,
    predictions_for,
    predictions_of,
    sampled_items,
)
from colorless_green.nonce.grammar.language import Grammar
from colorless_green.nonce.grammar.load import load_grammar, parse_grammar
from colorless_green.nonce.item import Item
from colorless_green.nonce.suite import AGREEMENT, Suite
from colorless_green.nonce.templates import GRAMMARS, template_text

N_SENTENCES = 100  # of a treebank, where no number is asked for


def listed() -> Result:
    """The grammars that come with the tool."""
    rows: list[Row] = [{"grammar": name, "makes": what} for name, what in GRAMMARS.items()]
    return Result(rows, ("grammar", "makes"))


def grammar_of(
    name: str, *, only: Sequence[str] = (), capital: bool | None = None, period: bool | None = None
) -> Grammar:
    """The grammar in a file, or that of a name; of the templates in `only` if any are named.

    `capital` and `period` say whether a sentence begins with a capital letter and ends in a full
    stop, in place of what the grammar says; a stop that a template has stays. Raises `InputError`.
    """
    if name in GRAMMARS and not Path(name).is_file():
        grammar = parse_grammar(template_text(name), f"{name}.toml")
    elif Path(name).suffix or Path(name).is_file():
        grammar = load_grammar(Path(name))
    else:
        right = f"{nearest(name, GRAMMARS)}, or a TOML file"
        raise InputError("colorless grammar", f"no grammar {name!r}", right, kind="unknown")
    spelling = grammar.spelling
    if capital is not None:
        spelling = replace(spelling, capital=capital)
    if period is not None:
        spelling = replace(spelling, stop=(spelling.stop or ".") if period else "")
    return of_templates(replace(grammar, spelling=spelling), only)


def counted(grammar: Grammar) -> Result:
    """How many items each template makes in each cell; how many sentences, where the grammar has no
    section [suite]. Nothing is generated."""
    if grammar.design is not None:
        rows = list(counts(material(grammar)))
        total = sum(int(str(row["n_items"])) for row in rows)
        return Result(rows, COUNTED, [f"{total:,} items"])
    n_sentences: Counter[str] = Counter()
    for shape in grammar.shapes:
        n_sentences[shape.template] += shape.n
    found: list[Row] = [
        {"template": template, "n_sentences": n} for template, n in n_sentences.items()
    ]
    return Result(found, ("template", "n_sentences"), [f"{n_sentences.total():,} sentences"])


def conllu_lines(grammar: Grammar, n: int | None, seed: int) -> Iterator[str]:
    """Sentences drawn from a grammar as CoNLL-U, `N_SENTENCES` unless `n` says."""
    return treebank(grammar, N_SENTENCES if n is None else n, seed)


def item_lines(grammar: Grammar, n: int | None, seed: int) -> Iterator[str]:
    """Items as JSON lines: all in the grammar's order, or `n` drawn with a seed.

    Where more is predicted of an item than of a mined pair, its line has a key `predictions`, name
    to formula. Raises `InputError` for a grammar without a section [suite], or with fewer than `n`.
    """
    found = material(grammar)
    for item in _items(found, n, seed):
        record = to_record(item)
        own = predictions_for(found, item)
        if own != (AGREEMENT,):
            record["predictions"] = {each.name: each.source for each in own}
        yield to_json_line(record) + "\n"


def write_items(grammar: Grammar, n: int | None, seed: int, out: Path) -> None:
    """Items to a file: as JSON lines one by one, or in the format that the file's ending tells (a
    suite of one design, with its predictions)."""
    plain = out.name.removesuffix(".gz")
    if ENDINGS.get(Path(plain).suffix, "jsonl") == "jsonl":
        write_lines(item_lines(grammar, n, seed), out)
        return
    found = material(grammar)
    suite = Suite(grammar.name, tuple(_items(found, n, seed)), predictions_of(found))
    write_suite(suite, out)


def write_lines(lines: Iterable[str], out: Path) -> None:
    """Lines to a file, whole or not at all."""
    with write_whole(out) as stream:
        stream.writelines(lines)


def print_lines(lines: Iterable[str], stream: TextIO) -> None:
    """Lines to a stream as they are made; ends quietly where its reader has gone (`| head`)."""
    try:
        stream.writelines(lines)
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _items(found: Material, n: int | None, seed: int) -> Iterator[Item]:
    return all_items(found) if n is None else sampled_items(found, n, seed)
