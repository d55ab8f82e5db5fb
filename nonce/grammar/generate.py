"""A template grammar, of a file or of those that come with the tool, to items or sentences."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Literal

from ...data.files import demand_file, write_whole
from ...data.formats import write_suite
from ...data.formats.detect import ENDINGS
from ...data.items.item import Item
from ...data.items.item_record import to_record
from ...data.items.suite import AGREEMENT, Suite
from ...data.records import to_json
from ...data.registry import Names, listed, look_up
from ...data.result import Result
from ...data.tables import Row
from ...data.validate import demand_at_least
from .grammar import Grammar
from .items import COUNTED, grammar_items, item_counts, predictions_of
from .load_grammar import load_grammar
from .templates import GRAMMARS
from .written_tokens import grammar_treebank

N_SENTENCES = 100  # of a treebank, where no number is asked for


def generate(
    grammar: str = "",
    *,
    list_: bool = False,
    count: bool = False,
    only: Names = None,
    sample: int | None = None,
    make: Literal["suite", "treebank"] | None = None,
    seed: int = 0,
    out: str | Path | None = None,
) -> Result:
    """Make items or sentences of a template grammar: all, some drawn, or their number.

    Args:
        grammar: a TOML file, or a name from --list
        list_: list the bundled grammars
        count: print the number of items (or sentences) by template and cell, and make none
        only: only this template
        sample: draw so many at random [default: all items; 100 sentences]
        make: items, or a treebank in CoNLL-U [default: items if the grammar has a section [suite]]
        seed: seed of the random numbers
        out: file to write: items in the format of its ending, or CoNLL-U [default: stdout]

    Returns:
        The grammars or the counts that were asked for; else nothing but messages.

    Raises:
        InputError: for a grammar that is unknown or broken, or cannot make what is asked.

    Commands:
        colorless grammar --list
        colorless grammar marvin_linzen --sample 200 --out marvin_linzen.jsonl

    >>> generate(list_=True).to_frame().columns
    ['grammar', 'makes']
    """
    if list_:
        rows: list[Row] = [{"grammar": name, "makes": text} for name, text in GRAMMARS.items()]
        return Result(rows, ("grammar", "makes"))
    if make is not None:
        look_up(dict.fromkeys(("suite", "treebank")), make, "make")
    if out is not None:
        demand_file(Path(out))
    demand_at_least(1, sample=sample)
    demand_at_least(0, seed=seed)
    parsed = load_grammar(grammar, only=listed(only))
    if count:
        return count_rows(parsed)
    lines: Iterable[str]
    if make == "treebank" or (make is None and parsed.file.suite is None):
        lines = grammar_treebank(parsed, N_SENTENCES if sample is None else sample, seed)
    else:
        items = grammar_items(parsed, n=sample, seed=seed)
        ending = "" if out is None else Path(str(out).removesuffix(".gz")).suffix
        if out is not None and ENDINGS.get(ending, "jsonl") != "jsonl":
            write_suite(Suite(parsed.file.name, tuple(items), predictions_of(parsed)), Path(out))
            return Result()
        lines = _item_lines(parsed, items)
    with nullcontext(sys.stdout) if out is None else write_whole(Path(out)) as stream:
        stream.writelines(lines)
    return Result()


def _item_lines(grammar: Grammar, items: Iterable[Item]) -> Iterator[str]:
    """Yield items as JSON lines; one of which more is predicted than of a mined pair has
    `predictions`, name to formula."""
    for item in items:
        record = to_record(item)
        predictions = predictions_of(grammar, item)
        if predictions != (AGREEMENT,):
            record["predictions"] = {
                prediction.name: prediction.source for prediction in predictions
            }
        yield to_json(record) + "\n"


def count_rows(grammar: Grammar) -> Result:
    """Count the items of each template in each cell, or the sentences of a grammar without the
    section [suite]. Nothing is generated."""
    if grammar.file.suite is not None:
        rows = list(item_counts(grammar))
        total = sum(int(str(row["n_items"])) for row in rows)
        return Result(rows, COUNTED, [f"{total:,} items"])
    n_sentences: Counter[str] = Counter()
    for shape in grammar.shapes:
        n_sentences[shape.template] += shape.n
    rows = [{"template": template, "n_sentences": n} for template, n in n_sentences.items()]
    return Result(rows, ("template", "n_sentences"), [f"{n_sentences.total():,} sentences"])
