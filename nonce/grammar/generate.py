"""A template grammar, of a file or of those that come with the tool, to items or sentences."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from ...data.errors import InputError
from ...data.files import demand_file, write_whole
from ...data.formats import write_suite
from ...data.formats.detect import ENDINGS
from ...data.items.item import Item
from ...data.items.item_record import to_record
from ...data.items.suite import AGREEMENT, Suite
from ...data.registry import Names, listed, nearest
from ...data.result import Result
from ...data.tables import Row, to_json_line
from .expand import of_templates
from .grammar import Grammar
from .items import (
    COUNTED,
    ItemGrammar,
    all_items,
    item_counts,
    material,
    predictions_for,
    predictions_of,
    sampled_items,
)
from .load_grammar import load_grammar, parse_grammar
from .templates import GRAMMARS, template_text
from .written_tokens import grammar_treebank

N_SENTENCES = 100  # of a treebank, where no number is asked for


def generate(
    file: str = "",
    *,
    shipped: bool = False,
    count: bool = False,
    suite: bool = False,
    conllu: bool = False,
    only: Names = None,
    sample: int | None = None,
    capital: bool | None = None,
    period: bool | None = None,
    seed: int = 0,
    out: str | Path | None = None,
    write: Callable[[str], object] = lambda line: None,
) -> Result:
    """Makes items or sentences of a template grammar: all, some drawn, or their number.

    Args:
        file: a TOML file, or the name of a grammar that comes with the tool.
        shipped: only list those.
        count: only say how many items (or sentences) there are, by template and cell.
        suite, conllu: items, or a treebank; neither: items where the grammar has a section [suite].
        only: templates; None: all.
        sample: draw so many; None: all items, or 100 sentences.
        capital, period: how a sentence begins and ends; None: as the grammar has it.
        seed: of the drawing.
        out: a file: items in the format its ending says, a treebank as CoNLL-U.
        write: gets the lines one by one where there is no `out`.

    Returns:
        The grammars or the counts that were asked for; else nothing but messages.

    Raises:
        InputError: for a grammar that is unknown or broken, or cannot make what is asked.

    >>> generate(shipped=True).to_frame().columns
    ['grammar', 'makes']
    """
    if shipped:
        rows: list[Row] = [{"grammar": name, "makes": text} for name, text in GRAMMARS.items()]
        return Result(rows, ("grammar", "makes"))
    if suite and conllu:
        raise InputError(
            "colorless grammar", "--suite and --conllu", "one of them", kind="conflict"
        )
    if out is not None:
        demand_file(Path(out))
    grammar = grammar_of(file, only=listed(only), capital=capital, period=period)
    if count:
        return count_rows(grammar)
    lines: Iterable[str]
    if conllu or not (suite or grammar.design):
        lines = grammar_treebank(grammar, N_SENTENCES if sample is None else sample, seed)
    else:
        prepared = material(grammar)
        items = all_items(prepared) if sample is None else sampled_items(prepared, sample, seed)
        ending = "" if out is None else Path(str(out).removesuffix(".gz")).suffix
        if out is not None and ENDINGS.get(ending, "jsonl") != "jsonl":
            write_suite(Suite(grammar.name, tuple(items), predictions_of(prepared)), Path(out))
            return Result()
        lines = _item_lines(prepared, items)
    with nullcontext() if out is None else write_whole(Path(out)) as stream:
        for line in lines:
            (write if stream is None else stream.write)(line)
    return Result()


def _item_lines(prepared: ItemGrammar, items: Iterable[Item]) -> Iterator[str]:
    """Items as JSON lines; one of which more is predicted than of a mined pair has `predictions`,
    name to formula."""
    for item in items:
        record = to_record(item)
        predictions = predictions_for(prepared, item)
        if predictions != (AGREEMENT,):
            record["predictions"] = {
                prediction.name: prediction.source for prediction in predictions
            }
        yield to_json_line(record) + "\n"


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


def count_rows(grammar: Grammar) -> Result:
    """How many items each template makes in each cell; how many sentences, where the grammar has no
    section [suite]. Nothing is generated."""
    if grammar.design is not None:
        rows = list(item_counts(material(grammar)))
        total = sum(int(str(row["n_items"])) for row in rows)
        return Result(rows, COUNTED, [f"{total:,} items"])
    n_sentences: Counter[str] = Counter()
    for shape in grammar.shapes:
        n_sentences[shape.template] += shape.n
    rows = [{"template": template, "n_sentences": n} for template, n in n_sentences.items()]
    return Result(rows, ("template", "n_sentences"), [f"{n_sentences.total():,} sentences"])
