"""Sets in line-aligned files, as Gulordava et al. 2018 release them: `gold` and `linzen2016`.

A set is two or three files whose lines belong together; each may be packed (`.gz`). `NAME.text` has
one sentence a line (words between blanks, then `<eos>`), `NAME.gold` has the facts of the sentence
in TAB-separated cells without a header, and `NAME.eval`, if it is there, repeats the index of the
target. The format `gold` is written as all three files; facts without a cell are lost. `linzen2016`
can only be read.

`gold` is the paper's own set, in twelve cells: pattern, number of the original, variant, index of
the target, its POS and FEATS, right and wrong form, lemma, index and POS of the cue, and the words
of the original or, in the Italian set, the tags between. It has more facts than the `.tab` of the
same set, whose items are the same and have the same ids.

`linzen2016` has the sentences of Linzen, Dupoux & Goldberg 2016 as Gulordava et al. (§4) tested
them, in four cells: index of the target verb, right form, wrong form, number of attractors (nouns
between subject and verb whose number is not the subject's). They are English, from Wikipedia, in
lower case; the index of the cue is not given. Source and licence of `subj_agr_filtered.gold` are
the paper's.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from ..errors import InputError
from ..files import write_whole
from ..items.item import RIGHT, WRONG, Item, item_id, wording
from ..items.suite import Suite, checked
from ..records import lines, malformed, one_line, stem, unpacked_name
from .format import Format, as_published, export_to, manifest_value, plain_name, published_fact
from .tab import EOS, LICENCE, released_item, whole_number, with_cluster_ids

GOLD_NAME = "gold"
ALIGNED = (".gold", ".text", ".eval")  # endings of the files of a set
LINZEN_SOURCE, LINZEN_NAME = "Linzen et al. 2016 (Gulordava et al. 2018)", "subj_agr_filtered"
LINZEN_CONSTRUCTION = "subject verb"
PATTERN = re.compile(
    r"(?P<direction>[LR])!(?P<tags>[^!]+)!Number=(?P<one>[^!]+)!Number=(?P<other>[^!]+)"
)
CONSTRUCTION_NAME = re.compile(r"(?P<direction>[LR])__(?P<tags>[^!\s]+)")
NUMBER_FEATURE = re.compile(r"(?:^|\|)Number=(?P<value>[^|]+)")
ATTRACTOR_LIMIT = 1_000  # a sentence has fewer


GOLD_CELLS = (
    "pattern", "constr_id", "sent_id", "target", "upos", "feats", "right", "wrong", "lemma",
    "cue", "cue_upos", "between",
)  # fmt: skip
LINZEN_CELLS = ("target", "right", "wrong", "n_attr")
ReadItem: TypeAlias = Callable[[Path, int, str, Sequence[str], Mapping[str, str]], Item]
"""A function that makes an item; it gets the `.gold`, the line's number and location, the tokens of
the sentence, and the cells of the line (name → text)"""


def gold_of(path: Path) -> Path | None:
    """Return the path of the `.gold` file that belongs to a file of a set, or of the only one in a
    folder. Return None if there is no such file, or if the folder has several."""
    if path.is_dir():
        names = set(map(unpacked_name, path.iterdir()))
        matches = [name for name in names if Path(name).suffix == ".gold"]
        return _existing_file(path / matches[0]) if len(matches) == 1 else None
    if not unpacked_name(path).endswith(ALIGNED):
        return None
    return _existing_file(path.with_name(stem(path, ALIGNED) + ".gold"))


def _existing_file(path: Path) -> Path | None:
    """Return a file if it exists, else the same name with `.gz` if that exists, else None."""
    candidates = (path, path.with_name(path.name + ".gz"))
    return next((candidate for candidate in candidates if candidate.is_file()), None)


def read_aligned(cell_names: Sequence[str], read_item: ReadItem, path: Path) -> Suite:
    """Read the suite of a set, named after its `.gold`.

    Args:
        cell_names: the names of the cells in a line; `target` is the index of the tested word.
        read_item: the function that makes an item of a line.
        path: any file of the set, or its folder.

    If a sentence has another word at the target, it is replaced by the right form. Raises
    `InputError` if a file is missing or the files differ in length, and, with its line, for a line
    that does not fit the format.
    """
    gold = gold_of(path)
    text = gold and _existing_file(gold.with_name(f"{stem(gold, ALIGNED)}.text"))
    if gold is None or text is None:
        wrong = "no .gold beside it" if gold is None else f"no {stem(gold, ALIGNED)}.text beside it"
        right = "a set of .text and .gold files"
        raise InputError(str(gold or path), wrong, right, kind="missing")
    items = [
        read_item(gold, number, *line) for number, line in enumerate(_lines(gold, text, cell_names))
    ]
    written_name = manifest_value(path, "suite")
    name = stem(gold, ALIGNED) if written_name is None else written_name
    suite = Suite(name, with_cluster_ids(items))
    return checked(suite, str(gold), f"{len(cell_names)} cells a line")


def _lines(
    gold: Path, text: Path, cell_names: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...], dict[str, str]]]:
    """Read the files of a set in parallel. For each line yield its location in the `.gold`, the
    tokens of its sentence without `<eos>`, and the cells of the `.gold`: name → text."""
    indices = _existing_file(gold.with_name(f"{stem(gold, ALIGNED)}.eval"))
    aligned = zip_longest(lines(gold), lines(text), lines(indices) if indices else ())
    for gold_line, text_line, index_line in aligned:
        if gold_line is None or text_line is None or (indices and index_line is None):
            short = gold if gold_line is None else text if text_line is None else indices
            raise malformed(str(short), "it ends before the others", "files of one length")
        (location, raw_cells), (text_location, sentence) = gold_line, text_line
        cells = raw_cells.rstrip("\r\n").split("\t")
        if len(cells) != len(cell_names):
            right = f"{len(cell_names)}, as in every line"
            raise malformed(location, f"{len(cells)} cells", right)
        row = dict(zip(cell_names, cells, strict=True))
        if index_line is not None:
            index_location, index = index_line
            if index.strip() != row["target"]:
                wrong = f"the target's index is {index.strip()!r:.20}"
                raise malformed(index_location, wrong, f"{row['target']!r}, as in the .gold")
        tokens = tuple(sentence.rstrip("\r\n").removesuffix(EOS).rstrip(" ").split(" "))
        if not tokens[0]:
            raise malformed(text_location, "no sentence", "words with a blank between")
        yield location, tokens, row


def write_gold(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write a suite as `.text`, `.gold` and `.eval`.

    If `path` has one of these endings, the files stand in its folder under its name; else `path` is
    the folder. Raises `InputError` for an item that lacks the facts of a cell.
    """
    contents: dict[str, list[str]] = {ending: [] for ending in ALIGNED}
    for item in suite.items:
        tokens, fields = _gold_line(item)
        (record,) = as_published(GOLD_NAME, item.facts, [fields])
        index = int(fields["target"])
        words = (*tokens[:index], str(record["word"]), *tokens[index + 1 :], EOS)
        # Blanks separate words; one inside a word is written as U+00A0.
        contents[".text"].append(" ".join(re.sub("[ \t\r\n]", "\u00a0", word) for word in words))
        cells = [one_line(str(record.get(name, ""))) for name in GOLD_CELLS]
        contents[".gold"].append("\t".join(cells))
        contents[".eval"].append(cells[GOLD_CELLS.index("target")])

    def write_files(folder: Path, name: str, gz: str = "") -> None:
        """Write a file for each ending, packed if `gz` is ".gz"."""
        for ending, rows in contents.items():
            with write_whole(folder / f"{name}{ending}{gz}") as stream:
                stream.writelines(f"{row}\n" for row in rows)

    if unpacked_name(path).endswith(ALIGNED):
        write_files(path.parent, stem(path, ALIGNED), ".gz" if path.name.endswith(".gz") else "")
        return
    with export_to(path, GOLD_NAME, {"suite": suite.name}) as folder:
        write_files(folder, plain_name(suite.name))


def _gold_item(
    gold: Path, number: int, location: str, tokens: Sequence[str], cells: Mapping[str, str]
) -> Item:
    """Make the item that a line of a `gold` file describes. The parameters are those of `ReadItem`;
    `number` is not used."""
    pattern = PATTERN.fullmatch(cells["pattern"])
    number_feature = NUMBER_FEATURE.search(cells["feats"])
    if pattern is None or number_feature is None:
        wrong_cell = repr(cells["feats" if pattern else "pattern"])[:60]
        raise malformed(location, wrong_cell, "a pattern like L!NOUN_VERB!Number=Plur!Number=…")
    target = whole_number(cells["target"], location, len(tokens))
    span = (whole_number(cells["cue"], location, target), target)
    item = released_item(
        gold, tokens, span, (cells["right"], cells["wrong"]),
        construction=f"{pattern['direction']}__{pattern['tags']}",
        number=whole_number(cells["constr_id"], location),
        variant=whole_number(cells["sent_id"], location),
        value=number_feature["value"],
        values=tuple(sorted((pattern["one"], pattern["other"]))),
        cue_upos=cells["cue_upos"],
        target_upos=cells["upos"],
        target_feats=cells["feats"],
        lemma=cells["lemma"],
    )  # fmt: skip
    _, ours = _gold_line(item)
    published = {**cells, "word": tokens[target]}
    facts = {**item.facts, **published_fact(GOLD_NAME, [published], [ours])}
    return replace(item, facts=facts)


def _gold_line(item: Item) -> tuple[Sequence[str], dict[str, str]]:
    """Return the tokens of an item, and the cells to write for it in the `.gold`: name → text.

    A further cell, `word`, is the word in the sentence at the target's index. Raises `InputError`
    for an item that is not about agreement in Number.
    """
    facts = item.agreement
    name = CONSTRUCTION_NAME.fullmatch(facts.construction) if facts is not None else None
    if facts is None or name is None or facts.feature != "Number" or len(facts.values) != 2:
        wrong = "no agreement in Number of two values over tags, which .gold is about"
        raise InputError(f"item {item.item_id}", wrong, "another format", kind="unsupported")
    feats = (
        facts.target_feats if NUMBER_FEATURE.search(facts.target_feats) else f"Number={facts.value}"
    )
    value, other_value = facts.values
    cells = (
        f"{name['direction']}!{name['tags']}!Number={value}!Number={other_value}", facts.number,
        facts.variant, facts.target_index, facts.target_upos, feats,
        facts.right, facts.wrong, facts.lemma, facts.cue_index, facts.cue_upos,
        " ".join(facts.tokens[: facts.target_index + 1]),
    )  # fmt: skip
    record = dict(zip(GOLD_CELLS, map(str, cells), strict=True))
    return facts.tokens, {**record, "word": facts.tokens[facts.target_index]}


def _linzen_item(
    gold: Path, number: int, location: str, tokens: Sequence[str], cells: Mapping[str, str]
) -> Item:
    """Make the item that a line of a `linzen2016` file describes, as `ReadItem` does.

    The fact `n_attr` is the number of attractors. Both forms are written as in the `.gold`, even if
    the sentence has them with other capitals.
    """
    file_stem = stem(gold, ALIGNED)
    index = whole_number(cells["target"], location, len(tokens))
    if not (cells["right"].strip() and cells["wrong"].strip()):
        raise malformed(location, "a form is empty", "the right and the wrong form")
    spaces = ("", *[" "] * (len(tokens) - 1))
    language, source, licence = ("und", file_stem, "")
    if file_stem == LINZEN_NAME:
        language, source, licence = ("en", LINZEN_SOURCE, LICENCE)
    identity = item_id(file_stem, number, " ".join(tokens))
    right, wrong = (
        wording((*tokens[:index], form, *tokens[index + 1 :]), spaces, index)
        for form in (cells["right"], cells["wrong"])
    )
    return Item(
        item_id=identity,
        kind="suite",
        cluster_id=identity,
        language=language,
        source=source,
        licence=licence,
        conditions={RIGHT: (right,), WRONG: (wrong,)},
        facts={
            "construction": LINZEN_CONSTRUCTION,
            "n_attr": str(whole_number(cells["n_attr"], location, ATTRACTOR_LIMIT)),
            "item_number": str(number),
        },
    )


GOLD = Format(partial(read_aligned, GOLD_CELLS, _gold_item), write_gold)
LINZEN = Format(partial(read_aligned, LINZEN_CELLS, _linzen_item))
