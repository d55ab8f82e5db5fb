"""The sets of Gulordava et al. 2018 in the files that they release.

`tab`: two rows a sentence (`correct`, `wrong`), TAB-separated, quoted as CSV does. `sent_id` is the
number of the variant, `constr_id` that of the original within its construction, `len_context` the
gap plus one, `n_attr` the scripts' count by form look-up, `punct` whether any word up to the target
is a punctuation mark. A blank within a word is written as U+00A0, since blanks stand between words.
What it cannot hold: indices of the cue in a multiword language, POS, FEATS, spacing, lemma,
provenance. Read back, a token's spacing is a blank before each.

`gold` and `linzen2016` are line-aligned: `NAME.text` has a sentence a line (words between blanks,
then `<eos>`), `NAME.gold` what is known of it in TAB-separated cells without a header, and
`NAME.eval`, if it is there, the index of the target again. Each may be packed (`.gz`). Written are
all three, beside each other or in a folder; what has no cell is left out.
`gold` is the paper's own set in twelve cells: pattern, number of the original, variant, index of
the target, its POS and FEATS, right and wrong form, lemma, index and POS of the cue, and the words
of the original or, in the Italian set, the tags between. It tells more than the `.tab` of the same
set; the items are the same, under the same ids.
`linzen2016` has the sentences of Linzen, Dupoux & Goldberg 2016 as Gulordava et al. (§4) tested
them, in four cells: index of the target verb, right form, wrong form, number of attractors (nouns
between subject and verb whose number is not the subject's). English from Wikipedia, lower case;
where the cue is, is not said.

Language, source and licence are the paper's where folder and file are named as the authors name
them (`Italian/generated.tab`, `subj_agr_filtered.gold`), else unknown.
"""

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.folder import plain_name, suite_name, written
from colorless_green.nonce.formats.records import (
    as_published,
    kept,
    lines,
    malformed,
    one_line,
    stem,
    table,
    unpacked_name,
    write_table,
)
from colorless_green.nonce.item import (
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    WRONG,
    Agreement,
    Item,
    item_id,
    pair,
    sentence_words,
    wording,
)
from colorless_green.nonce.suite import Suite, checked

TAB_COLUMNS = (
    "pattern", "constr_id", "sent_id", "correct_number", "form", "class", "type", "prefix",
    "n_attr", "punct", "len_context", "len_prefix", "sent",
)  # fmt: skip
SAME = ("pattern", "constr_id", "sent_id", "len_prefix")  # in the two rows of a sentence
EOS, UNKNOWN = "<eos>", "<unk>"
NUMBERS = {"sing": "Sing", "plur": "Plur"}
KIND_OF_TYPE = {"original": "original", "generated": "nonce"}
LANGUAGES = {"English": "en", "Hebrew": "he", "Italian": "it", "Russian": "ru"}  # their folders
RELEASED = ("generated", "best_model", "best_model_mturk", "all_models")  # and files in them
SOURCE, LICENCE = "Gulordava et al. 2018", "CC-BY-NC-4.0"
LINZEN_SOURCE, LINZEN_NAME = "Linzen et al. 2016 (Gulordava et al. 2018)", "subj_agr_filtered"
LINZEN_CONSTRUCTION = "subject verb"
ALIGNED = (".gold", ".text", ".eval")
ENDINGS = (".tab", *ALIGNED)  # one set's files share a name
PATTERN = re.compile(
    r"(?P<direction>[LR])!(?P<tags>[^!]+)!Number=(?P<one>[^!]+)!Number=(?P<other>[^!]+)"
)
CONSTRUCTION_NAME = re.compile(r"([LR])__([^!\s]+)")
NUMBER = re.compile(r"(?:^|\|)Number=(?P<value>[^|]+)")
LARGEST = 10**9
MOST_ATTRACTORS = 1_000


def released_item(
    path: Path, tokens: Sequence[str], span: tuple[int, int], forms: tuple[str, str], **known: Any
) -> Item:
    """An item of a file of the paper, less its cluster.

    Args:
        path: the file.
        tokens: of the sentence; the right form is put into it.
        span: cue and target (0-based, cue first).
        forms: the right and the wrong one.
        known: construction, number, variant, value, and what else is known of the agreement.
    """
    (cue, target), (right, wrong) = span, forms
    name = stem(path, ENDINGS)
    tags = known["construction"].partition("__")[2].split("_")
    words = (*tokens[:target], right, *tokens[target + 1 :])
    wrong_value = {"Sing": "Plur", "Plur": "Sing"}.get(known["value"], "")
    told: dict[str, Any] = {
        "values": ("Plur", "Sing"), "cue_upos": tags[0], "target_upos": tags[-1],
        "target_feats": "_", "lemma": "_", **known,
    }  # fmt: skip
    agreement = Agreement(
        treebank=name, file=path.name, sent_id="", rule="released", feature="Number",
        cue_index=cue, target_index=target, cue=words[cue], right=right, wrong=wrong,
        gap=target - cue - 1, attractors=(), tokens=words, upos=(), feats=(),
        spaces=("", *[" "] * (len(words) - 1)), flags=("equal_forms",) if right == wrong else (),
        wrong_value=wrong_value, wrong_forms={wrong_value: wrong} if wrong_value else {}, **told,
    )  # fmt: skip
    language = LANGUAGES.get(path.resolve().parent.name, "und") if name in RELEASED else "und"
    return Item(
        item_id=item_id(name, agreement.construction, agreement.number, agreement.variant),
        kind="nonce" if agreement.variant else "original",
        cluster_id="",
        language=language,
        source=SOURCE if language != "und" else name,
        licence=LICENCE if language != "und" else "",
        conditions=pair(agreement),
        agreement=agreement,
    )


def clustered(items: Sequence[Item]) -> tuple[Item, ...]:
    """The items with the cluster that each of agreement belongs to: its original's id, or where
    the original is not among them a name of construction and number."""
    originals = {_key(item): item.item_id for item in items if item.kind == "original"}
    return tuple(
        replace(item, cluster_id=originals.get(key, "{}__{}".format(*key)))
        if (key := _key(item))
        else item
        for item in items
    )


def _key(item: Item) -> tuple[str, int] | None:
    own = item.agreement
    return None if own is None else (own.construction, own.number)


def _whole(cell: str, place: str, limit: int = LARGEST) -> int:
    """A cell as a number below `limit`. Raises `InputError` for anything else."""
    if not (cell.isascii() and cell.isdigit() and len(cell) < 10 and int(cell) < limit):
        raise malformed(place, f"{cell!r:.20} for a number", f"a whole number below {limit}")
    return int(cell)


def read_tab(path: Path) -> Suite:
    """The suite of a `.tab` file, the published ones among them.

    Every variant belongs to the cluster (pattern, constr_id). The form that is evaluated is put
    into the sentence at `len_prefix`, where the published variants have another word.
    """
    rows = list(table(path, "\t", TAB_COLUMNS))
    for n, (place, row) in enumerate(rows):
        expected = "wrong" if n % 2 else "correct"
        if row["class"] != expected:
            raise malformed(place, f"class is {row['class']!r}", repr(expected))
    if not rows or len(rows) % 2:
        raise malformed(str(path), f"{len(rows)} rows", "two rows for each sentence")
    items = [
        _tab_item(path, place, right, wrong)
        for (place, right), (_, wrong) in zip(rows[::2], rows[1::2], strict=True)
    ]
    return checked(Suite(stem(path, ENDINGS), clustered(items)), str(path))


def _tab_item(path: Path, place: str, right: Mapping[str, str], wrong: Mapping[str, str]) -> Item:
    kind = KIND_OF_TYPE.get(right["type"])
    if kind is None:
        raise malformed(place, f"type is {right['type']!r}", "original or generated")
    if any(right[name] != wrong[name] for name in SAME):
        raise malformed(place, "its two rows belong to different sentences", "two rows a sentence")
    tokens = right["sent"].removesuffix(EOS).rstrip(" ").split(" ")
    target, length = (_whole(right[name], place) for name in ("len_prefix", "len_context"))
    if not 0 < length <= target < len(tokens):
        told = f"len_prefix {target}, len_context {length}"
        raise malformed(place, told, f"a target below {len(tokens)}")
    made = released_item(
        path, tokens, (target - length, target), (right["form"], wrong["form"]),
        construction=right["pattern"],
        number=_whole(right["constr_id"], place),
        variant=_whole(right["sent_id"], place),
        value=NUMBERS.get(right["correct_number"], right["correct_number"]),
    )  # fmt: skip
    _whole(right["n_attr"], place)
    item = replace(made, kind=kind, facts={"n_attr": right["n_attr"]})
    return replace(item, facts={**item.facts, **kept("tab", (right, wrong), _tab_rows(item, None))})


def write_tab(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """The agreement items of a suite; words outside `vocabulary` become `<unk>` in `prefix`."""
    rows = [
        row
        for item in suite.items
        for row in as_published("tab", item.facts, _tab_rows(item, vocabulary))
    ]
    write_table(path, "\t", rows, () if rows else TAB_COLUMNS)


def _tab_rows(item: Item, vocabulary: frozenset[str] | None) -> list[dict[str, str]]:
    own = item.agreement
    if own is None or own.feature != "Number":
        wrong, right = "no facts of agreement, which .tab is about", "another format"
        if own is not None:
            wrong, right = f"{own.feature} agreement; .tab is about Number", "jsonl"
        raise InputError(f"item {item.item_id}", wrong, right, kind="unsupported")
    before = own.tokens[: own.target_index]
    known = [word if vocabulary is None or word in vocabulary else UNKNOWN for word in before]
    prefix, sentence = (
        " ".join(word.replace(" ", "\u00a0") for word in words)
        for words in (known, (*own.tokens, EOS))
    )
    is_punctuated = any(
        len(word) == 1 and word in string.punctuation for word in (*before, own.right)
    )
    return [
        dict(zip(TAB_COLUMNS, map(str, (
            own.construction, own.number, own.variant, own.value.lower(), form, which,
            "original" if own.variant == 0 else "generated", prefix,
            item.facts.get("n_attr", len(own.attractors)), is_punctuated,
            own.target_index - own.cue_index, own.target_index, sentence,
        )), strict=True))
        for form, which in ((own.right, "correct"), (own.wrong, "wrong"))
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Aligned:
    """A set with these cells, `target` among them, the index of the word that is tested."""

    name: str
    cells: tuple[str, ...]
    item: Callable[[Path, int, str, Sequence[str], Mapping[str, str]], Item]
    """The item of a `.gold`, by number and place, with the tokens and cells of its line"""
    line: Callable[[Item], tuple[Sequence[str], Sequence[object]]]
    """The tokens and cells of an item; raises `InputError` for one that has not what they ask"""

    def record(self, item: Item) -> tuple[Sequence[str], dict[str, str]]:
        """The tokens of an item, and its cells with the word at the target's place."""
        tokens, cells = self.line(item)
        record = dict(zip(self.cells, map(str, cells), strict=True))
        return tokens, {**record, "word": tokens[int(record["target"])]}


def gold_of(path: Path) -> Path | None:
    """The `.gold` that a file of a set belongs to, or the one in a folder; `None` if there is none,
    or in a folder more than one."""
    if path.is_dir():
        names = set(map(unpacked_name, path.iterdir()))
        found = [name for name in names if Path(name).suffix == ".gold"]
        return _there(path / found[0]) if len(found) == 1 else None
    if not unpacked_name(path).endswith(ALIGNED):
        return None
    return _there(path.with_name(stem(path, ALIGNED) + ".gold"))


def _there(path: Path) -> Path | None:
    """A file or its packed twin, the plain one first."""
    candidates = (path, path.with_name(path.name + ".gz"))
    return next((each for each in candidates if each.is_file()), None)


def read_aligned(form: Aligned, path: Path) -> Suite:
    """The suite of the set that `path` (any of its files, or their folder) belongs to; named after
    the `.gold`.

    The right form is put into the sentence, where it has another word. Raises `InputError` where a
    file is missing, where they differ in length, and with the line of what is not of the format.
    """
    gold = gold_of(path)
    text = gold and _there(gold.with_name(f"{stem(gold, ALIGNED)}.text"))
    if gold is None or text is None:
        wrong = "no .gold beside it" if gold is None else f"no {stem(gold, ALIGNED)}.text beside it"
        right = "a set of .text and .gold files"
        raise InputError(str(gold or path), wrong, right, kind="missing")
    items = []
    for number, (place, tokens, cells) in enumerate(_lines(gold, text, form)):
        item = form.item(gold, number, place, tokens, cells)
        raw = {**cells, "word": tokens[int(cells["target"])]}
        facts = {**item.facts, **kept(form.name, [raw], [form.record(item)[1]])}
        items.append(replace(item, facts=facts))
    if not items:
        right = f"{len(form.cells)} cells a line"
        raise InputError(str(gold), "no line in it", right, kind="empty")
    name = suite_name(path, stem(gold, ALIGNED))
    return checked(Suite(name, clustered(items)), str(gold))


def _lines(
    gold: Path, text: Path, form: Aligned
) -> Iterator[tuple[str, tuple[str, ...], dict[str, str]]]:
    """(place in the `.gold`, tokens without `<eos>`, cells) of each line."""
    indices = _there(gold.with_name(f"{stem(gold, ALIGNED)}.eval"))
    own = zip_longest(lines(gold), lines(text), lines(indices) if indices else ())
    for answer, sentence, index in own:
        if answer is None or sentence is None or (indices and index is None):
            short = gold if answer is None else text if sentence is None else indices
            raise malformed(str(short), "it ends before the others", "files of one length")
        place, cells = answer[0], answer[1].rstrip("\r\n").split("\t")
        if len(cells) != len(form.cells):
            right = f"{len(form.cells)}, as in every line"
            raise malformed(place, f"{len(cells)} cells", right)
        told = dict(zip(form.cells, cells, strict=True))
        if index is not None and index[1].strip() != told["target"]:
            wrong = f"the target's index is {index[1].strip()!r:.20}"
            raise malformed(index[0], wrong, f"{told['target']!r}, as in the .gold")
        tokens = tuple(sentence[1].rstrip("\r\n").removesuffix(EOS).rstrip(" ").split(" "))
        if not tokens[0]:
            raise malformed(sentence[0], "no sentence", "words with a blank between")
        yield place, tokens, told


def write_aligned(
    form: Aligned, suite: Suite, path: Path, vocabulary: frozenset[str] | None = None
) -> None:
    """A suite as `.text`, `.gold` and `.eval`: beside each other if `path` has one of these
    endings, else in a folder. Raises `InputError` for an item that has not what the cells ask."""
    found: dict[str, list[str]] = {ending: [] for ending in ALIGNED}
    for item in suite.items:
        tokens, own = form.record(item)
        (record,) = as_published(form.name, item.facts, [own])
        index = int(own["target"])
        words = (*tokens[:index], str(record["word"]), *tokens[index + 1 :], EOS)
        found[".text"].append(" ".join(re.sub("[ \t\r\n]", "\u00a0", word) for word in words))
        cells = [one_line(str(record.get(name, ""))) for name in form.cells]
        found[".gold"].append("\t".join(cells))
        found[".eval"].append(cells[form.cells.index("target")])

    def write_files(folder: Path, name: str, packed: str = "") -> None:
        for ending, rows in found.items():
            with write_whole(folder / f"{name}{ending}{packed}") as stream:
                stream.writelines(f"{row}\n" for row in rows)

    if unpacked_name(path).endswith(ALIGNED):
        write_files(path.parent, stem(path, ALIGNED), ".gz" if path.name.endswith(".gz") else "")
        return
    with written(path, form.name, {"suite": suite.name}) as folder:
        write_files(folder, plain_name(suite.name))


def _gold_item(
    gold: Path, number: int, place: str, tokens: Sequence[str], cells: Mapping[str, str]
) -> Item:
    match = PATTERN.fullmatch(cells["pattern"])
    value = NUMBER.search(cells["feats"])
    if match is None or value is None:
        wrong_cell = repr(cells["feats" if match else "pattern"])[:60]
        raise malformed(place, wrong_cell, "a pattern like L!NOUN_VERB!Number=Plur!Number=…")
    target = _whole(cells["target"], place, len(tokens))
    span = (_whole(cells["cue"], place, target), target)
    return released_item(
        gold, tokens, span, (cells["right"], cells["wrong"]),
        construction=f"{match['direction']}__{match['tags']}",
        number=_whole(cells["constr_id"], place),
        variant=_whole(cells["sent_id"], place),
        value=value["value"],
        values=tuple(sorted((match["one"], match["other"]))),
        cue_upos=cells["cue_upos"],
        target_upos=cells["upos"],
        target_feats=cells["feats"],
        lemma=cells["lemma"],
    )  # fmt: skip


def _gold_line(item: Item) -> tuple[Sequence[str], Sequence[object]]:
    own = item.agreement
    parts = CONSTRUCTION_NAME.fullmatch(own.construction) if own is not None else None
    if own is None or parts is None or own.feature != "Number" or len(own.values) != 2:
        wrong = "no agreement in Number of two values over tags, which .gold is about"
        raise InputError(f"item {item.item_id}", wrong, "another format", kind="unsupported")
    feats = own.target_feats if NUMBER.search(own.target_feats) else f"Number={own.value}"
    return own.tokens, (
        f"{parts[1]}!{parts[2]}!Number={own.values[0]}!Number={own.values[1]}", own.number,
        own.variant, own.target_index, own.target_upos, feats, own.right, own.wrong, own.lemma,
        own.cue_index, own.cue_upos, " ".join(own.tokens[: own.target_index + 1]),
    )  # fmt: skip


def _linzen_item(
    gold: Path, number: int, place: str, tokens: Sequence[str], cells: Mapping[str, str]
) -> Item:
    """The fact `n_attr` is the number of attractors. Both forms are those of the `.gold`, also
    where the sentence has another case of the letters."""
    file = stem(gold, ALIGNED)
    index = _whole(cells["target"], place, len(tokens))
    if not (cells["right"].strip() and cells["wrong"].strip()):
        raise malformed(place, "a form is empty", "the right and the wrong form")
    spaces = ("", *[" "] * (len(tokens) - 1))
    is_released = file == LINZEN_NAME
    identity = item_id(file, number, " ".join(tokens))
    return Item(
        item_id=identity,
        kind="suite",
        cluster_id=identity,
        language="en" if is_released else "und",
        source=LINZEN_SOURCE if is_released else file,
        licence=LICENCE if is_released else "",
        conditions={
            condition: (
                wording((*tokens[:index], cells[form], *tokens[index + 1 :]), spaces, index),
            )
            for condition, form in ((RIGHT, "right"), (WRONG, "wrong"))
        },
        facts={
            "construction": LINZEN_CONSTRUCTION,
            "n_attr": str(_whole(cells["n_attr"], place, MOST_ATTRACTORS)),
            "item_number": str(number),
        },
    )


def _linzen_line(item: Item) -> tuple[Sequence[str], Sequence[object]]:
    """The cells of a pair of two words after one prefix."""
    right, wrong = (item.conditions.get(name, ()) for name in (RIGHT, WRONG))
    names = [tuple(region.region for region in each) for each in (*right, *wrong)]
    told = ""
    if len(item.conditions) != 2 or names != [(PREFIX, TARGET, REST)] * 2 or len(right) != 1:
        told = "no pair of prefix, target and rest"
    elif right[0][::2] != wrong[0][::2] or len(right[0][1].words) != 1:
        told = "its sentences differ in more than one word"
    if told:
        raise InputError(f"item {item.item_id}", told, "pair_table, say", kind="unsupported")
    n_attr = item.facts.get("n_attr", "")
    if item.agreement is not None and not n_attr:
        n_attr = str(len(item.agreement.attractors))
    forms = (" ".join(each[0][1].words) for each in (right, wrong))
    return sentence_words(right[0]), (len(right[0][0].words), *forms, n_attr or "0")


GOLD_SET = Aligned(
    "gold",
    ("pattern", "constr_id", "sent_id", "target", "upos", "feats", "right", "wrong", "lemma",
     "cue", "cue_upos", "between"),
    _gold_item,
    _gold_line,
)  # fmt: skip
LINZEN_SET = Aligned(
    "linzen2016", ("target", "right", "wrong", "n_attr"), _linzen_item, _linzen_line
)
TAB = Format(read_tab, write_tab)
GOLD = Format(partial(read_aligned, GOLD_SET), partial(write_aligned, GOLD_SET))
LINZEN = Format(partial(read_aligned, LINZEN_SET), partial(write_aligned, LINZEN_SET))
