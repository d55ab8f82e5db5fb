"""Sets in line-aligned files, as Gulordava et al. 2018 release them.

`NAME.text` has a sentence a line (words between blanks, then `<eos>`), `NAME.gold` what is known of
it in TAB-separated cells without a header, and `NAME.eval`, if it is there, the index of the target
again. Each may be packed (`.gz`). Written are all three, beside each other or in a folder; what has
no cell is left out.

`gold`: the paper's own sets. The `.gold` has twelve cells (mining facts §1.7): pattern, number of
the original, variant, index of the target, its POS and FEATS, right and wrong form, lemma, index
and POS of the cue, and the words of the original or, in the Italian set, the tags between. It tells
more than the `.tab` of the same set; the items are the same, under the same ids.
`linzen2016`: the sentences of Linzen, Dupoux & Goldberg 2016 as Gulordava et al. (§4) tested them.
Four cells: index of the target verb, right form, wrong form, number of attractors (nouns between
subject and verb whose number is not the subject's). English from Wikipedia, lower case. Where the
cue is, is not said.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.folder import named_in, written
from colorless_green.nonce.formats.records import as_published, kept, lines, one_line
from colorless_green.nonce.formats.tab import clustered, released_item
from colorless_green.nonce.item import (
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    WRONG,
    Item,
    item_id,
    sentence_words,
    wording,
)
from colorless_green.nonce.suite import Suite, checked

ENDINGS = (".gold", ".text", ".eval")
EOS = "<eos>"
LARGEST_INDEX = 9  # digits


class Line(NamedTuple):
    """One sentence with its cells."""

    place: str  # in the `.gold`; "" of one to be written
    tokens: tuple[str, ...]  # without `<eos>`
    cells: tuple[str, ...]


def gold_of(path: Path) -> Path | None:
    """The `.gold` that a file of a set belongs to, or the one in a folder; `None` if there is none,
    or in a folder more than one."""
    if path.is_dir():
        found = sorted({_plain(each) for each in path.iterdir() if _ending(each) == ".gold"})
        return _there(path / found[0]) if len(found) == 1 else None
    if _ending(path) not in ENDINGS:
        return None
    return _there(path.with_name(_plain(path).removesuffix(_ending(path)) + ".gold"))


def _plain(path: Path) -> str:
    return path.name.removesuffix(".gz")


def _ending(path: Path) -> str:
    return Path(_plain(path)).suffix


def _there(path: Path) -> Path | None:
    """A file or its packed twin, the plain one first."""
    candidates = (path, path.with_name(path.name + ".gz"))
    return next((each for each in candidates if each.is_file()), None)


def read_lines(path: Path, n_cells: int, target: int) -> Iterator[Line]:
    """The lines of the set that `path` (any of its files, or their folder) belongs to.

    `target` is the cell (0-based) with the target's index, which `.eval` must repeat. Raises
    `InputError` where a file is missing, where they differ in length, and for a line with other
    cells than `n_cells` or without a sentence.
    """
    gold = gold_of(path)
    if gold is None:
        raise InputError(
            str(path), "no .gold beside it", "a set of .text and .gold files", kind="missing"
        )
    stem = _plain(gold).removesuffix(".gold")
    text = _there(gold.with_name(stem + ".text"))
    if text is None:
        raise InputError(
            str(gold), f"no {stem}.text beside it", "a set of .text and .gold files", kind="missing"
        )
    indices = _there(gold.with_name(stem + ".eval"))
    own = zip_longest(lines(gold), lines(text), lines(indices) if indices else ())
    for answer, sentence, index in own:
        if answer is None or sentence is None or (indices and index is None):
            short = gold if answer is None else text if sentence is None else indices
            raise InputError(
                str(short), "it ends before the others", "files of one length", kind="format"
            )
        place, cells = answer[0], tuple(answer[1].rstrip("\r\n").split("\t"))
        if len(cells) != n_cells:
            raise InputError(
                place, f"{len(cells)} cells", f"{n_cells}, as in every line", kind="format"
            )
        if index is not None and index[1].strip() != cells[target]:
            wrong = f"the target's index is {index[1].strip()!r:.20}"
            raise InputError(index[0], wrong, f"{cells[target]!r}, as in the .gold", kind="format")
        tokens = tuple(sentence[1].rstrip("\r\n").removesuffix(EOS).rstrip(" ").split(" "))
        if not tokens[0]:
            raise InputError(
                sentence[0], "no sentence", "words with a blank between", kind="format"
            )
        yield Line(place, tokens, cells)


def whole(cell: str, place: str, limit: int) -> int:
    """A cell as an index below `limit`. Raises `InputError` for anything else."""
    is_number = cell.isascii() and cell.isdigit() and len(cell) <= LARGEST_INDEX
    if not is_number or int(cell) >= limit:
        raise InputError(
            place, f"{cell!r:.20} for an index", f"a whole number below {limit}", kind="format"
        )
    return int(cell)


GOLD_CELLS = (
    "pattern", "constr_id", "sent_id", "target", "upos", "feats", "right", "wrong", "lemma", "cue",
    "cue_upos", "between",
)  # fmt: skip
PATTERN = re.compile(
    r"(?P<direction>[LR])!(?P<tags>[^!]+)!Number=(?P<one>[^!]+)!Number=(?P<other>[^!]+)"
)
CONSTRUCTION_NAME = re.compile(r"([LR])__([^!\s]+)")
NUMBER = re.compile(r"(?:^|\|)Number=(?P<value>[^|]+)")
LARGEST = 10**9
LINZEN_CELLS = ("target", "right", "wrong", "n_attr")
SOURCE, LICENCE = "Linzen et al. 2016 (Gulordava et al. 2018)", "CC-BY-NC-4.0"
CONSTRUCTION = "subject verb"
MOST_ATTRACTORS = 1_000
NAME = "subj_agr_filtered"  # the released files; others of the form may be in any language


def read_gold(path: Path) -> Suite:
    """The suite of a set of the paper, by any of its files or their folder; named after the
    `.gold`.

    The right form is put into the sentence, where the published variants have another word.
    Raises `InputError` with the line of what is not of the format.
    """
    gold = gold_of(path) or path
    items = clustered([_gold_item(gold, line) for line in read_lines(path, len(GOLD_CELLS), 3)])
    if not items:
        raise InputError(str(gold), "no line in it", "twelve cells a line", kind="empty")
    return checked(Suite(_name(path, gold), items), str(gold))


def _name(path: Path, gold: Path) -> str:
    """The name of the suite that was written as the folder, or of the `.gold`."""
    name = named_in(path, "suite")
    return _stem(gold) if name is None else name


def _stem(path: Path) -> str:
    return _plain(path).removesuffix(_ending(path))


def _gold_item(path: Path, line: Line) -> Item:
    cells = dict(zip(GOLD_CELLS, line.cells, strict=True))
    match = PATTERN.fullmatch(cells["pattern"])
    value = NUMBER.search(cells["feats"])
    if match is None or value is None:
        wrong_cell = repr(cells["feats" if match else "pattern"])[:60]
        right = "a pattern like L!NOUN_VERB!Number=Plur!Number=…"
        raise InputError(line.place, wrong_cell, right, kind="format")
    target = whole(cells["target"], line.place, len(line.tokens))
    made = released_item(
        path,
        construction=f"{match['direction']}__{match['tags']}",
        number=whole(cells["constr_id"], line.place, LARGEST),
        variant=whole(cells["sent_id"], line.place, LARGEST),
        value=value["value"],
        tokens=line.tokens,
        span=(whole(cells["cue"], line.place, target), target),
        forms=(cells["right"], cells["wrong"]),
    )
    assert made.agreement is not None
    agreement = replace(
        made.agreement,
        values=tuple(sorted((match["one"], match["other"]))),
        cue_upos=cells["cue_upos"],
        target_upos=cells["upos"],
        target_feats=cells["feats"],
        lemma=cells["lemma"],
    )
    item = replace(made, agreement=agreement)
    raw = {**cells, "word": line.tokens[target]}
    return replace(item, facts=kept("gold", [raw], [_gold_record(item)]))


def _gold_record(item: Item) -> dict[str, str]:
    """The cells of an item, and the word at the target's place in its sentence."""
    own = item.agreement
    parts = CONSTRUCTION_NAME.fullmatch(own.construction) if own is not None else None
    if own is None or parts is None or own.feature != "Number" or len(own.values) != 2:
        wrong = "no agreement in Number of two values over tags, which .gold is about"
        raise InputError(f"item {item.item_id}", wrong, "another format", kind="unsupported")
    feats = own.target_feats if NUMBER.search(own.target_feats) else f"Number={own.value}"
    cells = (
        f"{parts[1]}!{parts[2]}!Number={own.values[0]}!Number={own.values[1]}", own.number,
        own.variant, own.target_index, own.target_upos, feats, own.right, own.wrong, own.lemma,
        own.cue_index, own.cue_upos, " ".join(own.tokens[: own.target_index + 1]),
    )  # fmt: skip
    return {**dict(zip(GOLD_CELLS, map(str, cells), strict=True)), "word": own.right}


def _gold_line(item: Item) -> Line:
    (record,) = as_published("gold", item.facts, [_gold_record(item)])
    assert item.agreement is not None
    index, tokens = item.agreement.target_index, item.agreement.tokens
    tokens = (*tokens[:index], str(record["word"]), *tokens[index + 1 :])
    return Line("", tokens, tuple(str(record.get(name, "")) for name in GOLD_CELLS))


def read_linzen(path: Path) -> Suite:
    """The suite of a set with four cells, by any of its files or their folder; named after the
    `.gold`.

    Its prediction is that of agreement; the fact `n_attr` is the number of attractors. Both forms
    are those of the `.gold`, also where the sentence has another case of the letters. Raises
    `InputError` with the line of what is not of the format.
    """
    gold = gold_of(path) or path
    found = read_lines(path, len(LINZEN_CELLS), 0)
    items = tuple(_linzen_item(_stem(gold), n, line) for n, line in enumerate(found))
    if not items:
        raise InputError(str(gold), "no line in it", "four cells a line", kind="empty")
    return checked(Suite(_name(path, gold), items), str(gold))


def _linzen_item(name: str, number: int, line: Line) -> Item:
    target, right, wrong, n_attr = line.cells
    index = whole(target, line.place, len(line.tokens))
    if not (right.strip() and wrong.strip()):
        remedy = "the right and the wrong form"
        raise InputError(line.place, "a form is empty", remedy, kind="format")
    spaces = ("", *[" "] * (len(line.tokens) - 1))
    before, after = line.tokens[:index], line.tokens[index + 1 :]
    is_released = name == NAME
    identity = item_id(name, number, " ".join(line.tokens))
    facts = {
        "construction": CONSTRUCTION,
        "n_attr": str(whole(n_attr, line.place, MOST_ATTRACTORS)),
        "item_number": str(number),
    }
    item = Item(
        item_id=identity,
        kind="suite",
        cluster_id=identity,
        language="en" if is_released else "und",
        source=SOURCE if is_released else name,
        licence=LICENCE if is_released else "",
        conditions={
            condition: (wording((*before, form, *after), spaces, index),)
            for condition, form in ((RIGHT, right), (WRONG, wrong))
        },
        facts=facts,
    )
    raw = {**dict(zip(LINZEN_CELLS, line.cells, strict=True)), "word": line.tokens[index]}
    return replace(item, facts=facts | kept("linzen2016", [raw], [_linzen_record(item)]))


def _linzen_record(item: Item) -> dict[str, str]:
    """The cells of a pair of two words after one prefix, and the word in its sentence."""
    place = f"item {item.item_id}"
    own = [wordings[0] for wordings in item.conditions.values() if len(wordings) == 1]
    if (
        set(item.conditions) != {RIGHT, WRONG}
        or [tuple(region.region for region in each) for each in own] != [(PREFIX, TARGET, REST)] * 2
    ):
        wrong = "no pair of prefix, target and rest"
        raise InputError(place, wrong, "pair_table, say", kind="unsupported")
    right, wrong_ = (item.conditions[name][0] for name in (RIGHT, WRONG))
    if right[0] != wrong_[0] or right[2] != wrong_[2] or len(right[1].words) != 1:
        wrong = "its sentences differ in more than one word"
        raise InputError(place, wrong, "pair_table, say", kind="unsupported")
    n_attr = item.facts.get("n_attr", "")
    if item.agreement is not None and not n_attr:
        n_attr = str(len(item.agreement.attractors))
    forms = (" ".join(each[1].words) for each in (right, wrong_))
    cells = (str(len(right[0].words)), *forms, n_attr or "0")
    return {**dict(zip(LINZEN_CELLS, cells, strict=True)), "word": right[1].words[0]}


def _linzen_line(item: Item) -> Line:
    (record,) = as_published("linzen2016", item.facts, [_linzen_record(item)])
    words = sentence_words(item.conditions[RIGHT][0])
    index = len(item.conditions[RIGHT][0][0].words)
    tokens = (*words[:index], str(record["word"]), *words[index + 1 :])
    return Line("", tokens, tuple(str(record.get(name, "")) for name in LINZEN_CELLS))


def write(
    line_of: Callable[[Item], Line],
    target: int,
    suite: Suite,
    path: Path,
    vocabulary: frozenset[str] | None = None,
) -> None:
    """A suite as `.text`, `.gold` and `.eval`: beside each other if `path` has one of these
    endings, else in a folder. Raises `InputError` for an item that has not what the cells ask."""
    found = [line_of(item) for item in suite.items]
    if _ending(path) in ENDINGS:
        packed = ".gz" if path.name.endswith(".gz") else ""
        _write_files(path.parent, _stem(path), packed, found, target)
        return
    form = "gold" if target else "linzen2016"
    name = re.sub(r"[^A-Za-z0-9_]+", "_", suite.name) or "set"
    with written(path, form, {"suite": suite.name}) as folder:
        _write_files(folder, name, "", found, target)


def _write_files(folder: Path, name: str, packed: str, found: list[Line], target: int) -> None:
    for ending in ENDINGS:
        with write_whole(folder / f"{name}{ending}{packed}") as stream:
            for line in found:
                if ending == ".text":
                    told = " ".join(
                        re.sub("[ \t\r\n]", "\u00a0", word) for word in (*line.tokens, EOS)
                    )
                else:
                    cells = line.cells if ending == ".gold" else (line.cells[target],)
                    told = "\t".join(map(one_line, cells))
                stream.write(told + "\n")


GOLD = Format(read_gold, partial(write, _gold_line, 3))
LINZEN = Format(read_linzen, partial(write, _linzen_line, 0))
