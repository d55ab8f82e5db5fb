"""The review page of a suite, on which people read its items and mark them; and their marks.

The page is one self-contained HTML file, the same bytes for the same suite. The text of items is
treated as hostile. It is on the page as JSON from which no HTML parser can break out, and the
script inserts it as text only; the page's content policy forbids all other scripts, styles and
addresses, and making markup from text.

To make the page about half as long, text that items share is stored once, in `texts`, and referred
to by its index; and an item leaves out those of SHARED_KEYS in which it has the same value as the
first item of its group.

The page saves the reader's marks as CSV, one line an item (`scripts/table.js`). Spreadsheet
programs may change these files: comma, semicolon or tab, with or without a byte order mark, any
line end, empty cells missing at the end of a row.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

from ...data.errors import InputError
from ...data.files import write_whole
from ...data.items.item import (
    RIGHT,
    TARGET,
    WRONG,
    Agreement,
    Item,
    sentence_text,
)
from ...data.items.marked import has_right_to_left, is_right_to_left, pair_wording, text_by_token
from ...data.items.suite import Suite, content_hash
from ...data.opening import head_of, head_text
from ...data.records import headers, lines, malformed, rows
from ...data.shell import csp_source, resource, style_sheet, template

Verdict = Literal["accept", "reject", ""]
VERDICTS: dict[str, Verdict] = {"accept": "accept", "reject": "reject", "": ""}
COLUMNS = ("item_id", "mark", "note")
HEADER = f"a header with {', '.join(COLUMNS)}"
MAX_LISTED = 5  # unknown ids that an error names

# Cells that a spreadsheet would take for a formula or a number (it rounds long ids of digits) are
# written with an apostrophe before them; so are cells that begin with apostrophes and such text.
GUARDED = re.compile(r"'*(?:[=+\-@\t\r\n＝＋－＠]|[0-9][0-9eE.,:/ \-]*\Z)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A reader's verdict on one item.

    Attributes:
        verdict: accept, reject, or "" for nothing yet.
        note: the reader's comment.
        line: its line in the file, from 1; 0 if it was not read from one.
    """

    verdict: Verdict
    note: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Marks:
    """The verdicts of a reader on the items of a suite. An item without a mark is undecided.

    Attributes:
        by_id: item id → mark, in the order of their file.
        location: the file that they were read from, for messages.
    """

    by_id: Mapping[str, Mark] = field(default_factory=dict)
    location: str = "marks"

    def of(self, item_id: str) -> Verdict:
        """Return the verdict on an item: "accept", "reject", or "" for nothing yet."""
        return self.by_id[item_id].verdict if item_id in self.by_id else ""

    def note(self, item_id: str) -> str:
        """Return the note on an item; "" for none."""
        return self.by_id[item_id].note if item_id in self.by_id else ""


def read_marks(path: Path) -> Marks:
    """Read marks from a table with the columns `item_id`, `mark` and optionally `note`.

    Other columns are ignored, as are rows in which these three are empty. An item that comes twice
    gets the verdict of either row, and both notes.

    Args:
        path: of a CSV file, as the page or a spreadsheet program writes it: comma, semicolon or
            tab.

    Returns:
        The marks, in the order of the file.

    Raises:
        InputError: with the line: a column that is missing or comes twice, a cell beyond the
            header, a mark other than accept and reject or without an id, an item with two different
            verdicts, broken quoting; also for an empty file and bytes that are not UTF-8.

    >>> _ = Path("marks.csv").write_text("item_id,mark,note\\na,reject,two right forms\\n")
    >>> marks = read_marks(Path("marks.csv"))
    >>> marks.of("a"), marks.note("a"), marks.of("b")
    ('reject', 'two right forms', '')
    """
    marks: dict[str, Mark] = {}
    for location, row in _rows_of_marks(path):
        item_id, text, note = (row.get(column, "") for column in COLUMNS)
        verdict = VERDICTS.get(text.strip().lower())
        if verdict is None:
            raise malformed(location, f"mark is {text!r}", "accept, reject, or nothing")
        if item_id in marks:
            earlier = marks[item_id]
            if earlier.verdict and verdict and earlier.verdict != verdict:
                was = f"{earlier.verdict} in line {earlier.line}"
                wrong = f"item {item_id!r} is marked {verdict}, but {was}"
                right = "one mark for each item"
                raise InputError(location, wrong, right, kind="conflict")
            new_note = note if note not in earlier.note else ""
            notes = "\n".join(filter(None, (earlier.note, new_note)))
            marks[item_id] = Mark(earlier.verdict or verdict, notes, earlier.line)
        elif item_id:
            _, _, line = location.rpartition(":")
            marks[item_id] = Mark(verdict, note, int(line))
        elif verdict or note:
            raise malformed(location, "a mark without an item_id", "the id of its item")
    return Marks(marks, str(path))


def _rows_of_marks(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the location and the cells (column → text) of each row of a table of marks.

    Its delimiter is the one that gives the header most of COLUMNS. Raises `InputError` for a faulty
    header, and for a row with more cells than the header.
    """
    header_by_delimiter = headers(head_text(head_of(path)))
    n_found = {
        delimiter: len({*COLUMNS}.intersection(_column_names(header)))
        for delimiter, header in header_by_delimiter.items()
    }
    records = rows(lines(path), max(n_found, key=lambda delimiter: n_found[delimiter]))
    header_location, header = next(records, ("", []))
    if not header_location:
        raise InputError(str(path), "the file is empty", HEADER, kind="empty")
    names = _column_names(header)
    for column in COLUMNS:
        if column not in names and column != "note":
            raise InputError(header_location, f"no column {column!r}", HEADER, kind="missing")
        if names.count(column) > 1:
            raise InputError(header_location, f"two columns {column!r}", HEADER, kind="conflict")
    for location, cells in records:
        if any(cells[len(names) :]):
            raise malformed(location, f"{len(cells)} cells", f"{len(names)}, as in the header")
        yield location, dict(zip(names, map(without_apostrophe, cells), strict=False))


def without_rejected(suite: Suite, marks: Marks) -> tuple[Suite, dict[str, int]]:
    """Leave out the items that a reader rejected.

    With a rejected original, everything made from it (the items of its cluster) is left out, except
    items that are accepted themselves. Undecided items stay. A set that loses one item loses all.
    An item whose original is left out keeps its `cluster_id`.

    Args:
        suite: the suite that was read.
        marks: the reader's marks on its items.

    Returns:
        The remaining suite, and counts of items: `n_items` before, `n_rejected` by their own mark,
        `n_with_original` left out because their original was rejected, `n_kept`, of which
        `n_accepted`; and `n_broken_sets`, the number of sets of which only some items were rejected
        but all left out.

    Raises:
        InputError: a mark is on an item that the suite does not have.

    >>> from colorless_green.data import Item
    >>> suite = Suite("mine", [Item(name, "suite", name, "en", "mine", "", {}) for name in "ab"])
    >>> left, counts = without_rejected(suite, Marks({"a": Mark("reject")}))
    >>> [item.item_id for item in left.items], counts["n_rejected"]
    (['b'], 1)
    """
    ids = {item.item_id for item in suite.items}
    unknown = [item_id for item_id in marks.by_id if item_id not in ids]
    if unknown:
        line = marks.by_id[unknown[0]].line
        listed_ids = ", ".join(map(repr, unknown[:MAX_LISTED]))
        more = f" and {len(unknown) - MAX_LISTED} more" if len(unknown) > MAX_LISTED else ""
        location = f"{marks.location}:{line}" if line else marks.location
        wrong = f"no item {listed_ids}{more} in the suite {suite.name}"
        right = "marks that were made on a page of this very suite"
        raise InputError(location, wrong, right, kind="unknown")
    verdicts = {item.item_id: marks.of(item.item_id) for item in suite.items}
    outcomes = Counter[str]()  # "accept", "reject", "with_original" or "" → items
    sets_with_kept, sets_with_dropped = set[str](), set[str]()  # ids of sets
    remaining = []
    for item in suite.items:
        verdict = verdicts[item.item_id]
        is_orphan = not verdict and verdicts.get(item.cluster_id) == "reject"
        is_dropped = is_orphan or verdict == "reject"
        if not is_dropped:
            remaining.append(item)
        outcomes["with_original" if is_orphan else verdict] += 1
        if item.set_id:
            (sets_with_dropped if is_dropped else sets_with_kept).add(item.set_id)
    broken = sets_with_dropped & sets_with_kept
    remaining = [item for item in remaining if item.set_id not in broken]
    counts = {
        "n_items": len(suite.items),
        "n_rejected": outcomes["reject"],
        "n_with_original": outcomes["with_original"],
        "n_kept": len(remaining),
        "n_accepted": sum(verdicts[item.item_id] == "accept" for item in remaining),
        "n_broken_sets": len(broken),
    }
    return replace(suite, items=tuple(remaining)), counts


def without_apostrophe(cell: str) -> str:
    """Return a cell's content without the apostrophe that protects it from spreadsheets."""
    return cell[1:] if cell.startswith("'") and GUARDED.match(cell) else cell


def _column_names(header: Sequence[str]) -> list[str]:
    """Return the names of the columns in a header, without blanks around and in lowercase."""
    return [cell.strip().lower() for cell in header]


SHARED_KEYS = (
    "language", "source", "licence", "construction", "value", "rule", "file", "sent_id", "set_id",
    "tags", "facts",
)  # fmt: skip
BLANKS = " \t\n\u00a0\u3000"  # these may precede a token in its piece; `draw.js` has the same
MAX_TARGETS = 8  # target pairs of an item that the page shows; it also gives their number

Record = dict[str, Any]


def page_data(suite: Suite, marks: Marks) -> Record:
    """Return everything the page shows, as values for JSON.

    `groups`: the clusters (a mined sentence, the original, and all variants made from it) in order
    of first appearance, each a list of items with the original first. `texts`: the texts that items
    refer to by index, "" first. `about`: the keys that an item takes from the first item of its
    group if it lacks them. `marks`: item id → [verdict, note]. `content`: the suite's hash, under
    which a browser stores marks.
    """
    texts: dict[str, int] = {"": 0}
    # Writing direction is decided for each language: one sentence may have a long foreign name.
    sentences: dict[str, list[str]] = {}
    clusters: dict[str, list[Item]] = {}
    for item in suite.items:
        first_sentence, *_ = next(iter(item.conditions.values()))
        sentences.setdefault(item.language, []).append(sentence_text(first_sentence))
        clusters.setdefault(item.cluster_id, []).append(item)
    is_rtl = {language: is_right_to_left(group) for language, group in sentences.items()}
    groups = []
    for cluster in clusters.values():
        cluster.sort(key=lambda item: item.item_id != item.cluster_id)  # the original first
        first_item, *_ = cluster
        original = first_item if first_item.item_id == first_item.cluster_id else None
        first, *others = (_record(item, original, texts, is_rtl[item.language]) for item in cluster)
        # Leave out what an item has in common with the first.
        reduced = (
            {
                key: value
                for key, value in other.items()
                if key not in SHARED_KEYS or value != first[key]
            }
            for other in others
        )
        groups.append([first, *reduced])
    return {
        "suite": suite.name,
        "content": content_hash(suite),
        "about": list(SHARED_KEYS),
        "texts": list(texts),
        "groups": groups,
        "marks": {
            item.item_id: [marks.of(item.item_id), marks.note(item.item_id)]
            for item in suite.items
            if item.item_id in marks.by_id
        },
    }


def _record(item: Item, original: Item | None, texts: dict[str, int], rtl: bool) -> Record:
    """Return an item as plain values for JSON. Empty and zero values are left out except under
    SHARED_KEYS.

    New texts are added to `texts` (text → index). `original` is the sentence that the item was made
    from. `rtl`: whether the language is written right to left.
    """

    def text_index(text: str) -> int:
        """Return the index of a text in `texts`; a new text is added."""
        return texts.setdefault(text, len(texts))

    agreement = item.agreement
    sentences = (sentence_text(wording) for group in item.conditions.values() for wording in group)
    record: Record = {
        "id": item.item_id,
        "kind": text_index(item.kind),
        "is_original": int(item is original),
        "cell": item.cell,
        "targets": [[target.right, target.wrong] for target in item.targets[:MAX_TARGETS]],
        "n_targets": len(item.targets),
        "rtl": int(rtl and any(map(has_right_to_left, sentences))),
    }
    marked = _annotated_sentence(item, agreement) if agreement is not None else None
    tags: list[str] = []
    construction = item.facts.get("construction", "")
    value = rule = file = sent_id = ""
    if agreement is not None:
        of_original = original.agreement if original else None
        record |= {
            "level": text_index(agreement.level),
            "seed": "" if agreement.seed is None else str(agreement.seed),
            "variant": agreement.variant,
            "flags": [text_index(flag) for flag in agreement.flags],
            "new": _replaced_words(agreement, of_original) if marked else {},
        }
        construction, rule = agreement.construction, agreement.rule
        value = f"{agreement.feature}={agreement.value}"
        file, sent_id = agreement.file, agreement.sent_id
        tags = _tags(agreement)
    record |= marked or {
        "lines": [  # each sentence of each condition
            [condition, [[region.region, region.text] for region in wording]]
            for condition, wordings in item.conditions.items()
            for wording in wordings
        ]
    }
    not_empty = {key: content for key, content in record.items() if content not in ("", 0, [], {})}
    return not_empty | {
        "language": text_index(item.language),
        "source": text_index(item.source),
        "licence": text_index(item.licence),
        "construction": text_index(construction),
        "value": text_index(value),
        "rule": text_index(rule),
        "file": text_index(file),
        "sent_id": sent_id,
        "set_id": item.set_id,
        "tags": [text_index(tag) for tag in tags],
        "facts": [[text_index(name), text_index(fact)] for name, fact in item.facts.items()],
    }


def _tags(agreement: Agreement) -> list[str]:
    """Return POS and FEATS of each token as one text; nothing if the item has none."""
    if not (agreement.upos and agreement.feats):
        return []
    return [
        upos if feats in ("", "_") else f"{upos} {feats}"
        for upos, feats in zip(agreement.upos, agreement.feats, strict=True)
    ]


def _annotated_sentence(item: Item, agreement: Agreement) -> Record | None:
    """Return the right sentence as tokens, with the indices of the words that the page highlights:
    cue (the word that decides the form), target (the tested word), attractors and others. Return
    `None` if the item's sentences are not those of its agreement."""
    right, wrong = (pair_wording(item, name) for name in (RIGHT, WRONG))
    if right is None or wrong is None:
        return None
    if tuple(word for region in right for word in region.words) != agreement.tokens:
        return None
    _, wrong_target, _ = wrong
    words: list[str] = []  # as the page shows them, with the blanks before them
    for region in right:
        start, stop = len(words), len(words) + len(region.words)
        words += text_by_token(region.words, agreement.spaces[start:stop], region.text)
        if region.text and not region.words:
            return None
    # A ghost is a word inside a multiword token: the cue is not a token of the sentence.
    is_ghost = "ghost" in agreement.flags and agreement.cue != agreement.tokens[agreement.cue_index]
    same_context = all(
        right_region.text == wrong_region.text
        for right_region, wrong_region in zip(right, wrong, strict=True)
        if right_region.region != TARGET
    )
    return {
        "words": words,
        "forms": {  # tokens that are not what the sentence has in their place
            index: token
            for index, (token, piece) in enumerate(zip(agreement.tokens, words, strict=True))
            if token != piece.lstrip(BLANKS)
        },
        "cue": -1 if is_ghost else agreement.cue_index,
        "ghost": agreement.cue if is_ghost else "",
        "target": agreement.target_index,
        "wrong": wrong_target.text.lstrip(BLANKS),
        # The regions of the wrong sentence, if more than the target is different.
        "other": [] if same_context else [region.text for region in wrong],
        "gap": agreement.gap,
        "attractors": list(agreement.attractors),
        "nominals": [list(nominal) for nominal in agreement.nominals],
        "leaks": [list(leak) for leak in agreement.leaks],
    }


def _replaced_words(agreement: Agreement, original: Agreement | None) -> Mapping[int, str]:
    """Return, for a variant, index of a word that was put in → the word of the original sentence
    that it replaces. That word is "" if it is unknown: the original is missing, or has another
    number of tokens in this place."""
    if original is None:
        return dict.fromkeys(agreement.substitutions, "")
    tokens, source = agreement.tokens, original.tokens
    if len(tokens) == len(source):
        pairs = enumerate(zip(tokens, source, strict=True))
        return {index: before for index, (token, before) in pairs if token != before}
    replaced = dict.fromkeys(agreement.substitutions, "")
    for kind, start, stop, new_start, new_stop in SequenceMatcher(
        None, source, tokens, autojunk=False
    ).get_opcodes():
        if kind == "replace" and stop - start == new_stop - new_start:
            replaced |= zip(range(new_start, new_stop), source[start:stop], strict=True)
    return dict(sorted(replaced.items()))


SCRIPTS = ("table.js", "draw.js", "review.js")
# They could end an element or a line of the script, or have no UTF-8.
HARMFUL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def write_page(suite: Suite, path: Path, marks: Marks | None = None) -> None:
    """Write the page on which the items of a suite are read and marked, whole or not at all.

    The page needs no other file or host and contains no date: the same suite and marks give the
    same bytes. An empty suite has a page without items.

    Args:
        suite: the items to show.
        path: of the HTML file.
        marks: the marks that the page shows at first; None for none. A browser that has stored
            marks for the same items shows those instead.

    Raises:
        InputError: the file cannot be written.

    >>> write_page(Suite("mine", ()), Path("page.html"))
    >>> Path("page.html").read_text(encoding="utf-8").split("\\n")[0]
    '<!DOCTYPE html>'
    """
    from markupsafe import Markup

    style = style_sheet(resource(__package__, "page.css"))
    script = "\n".join(resource(__package__, f"scripts/{name}") for name in SCRIPTS)
    data = json.dumps(
        page_data(suite, marks or Marks()),
        ensure_ascii=False, separators=(",", ":"), allow_nan=False,
    )  # fmt: skip
    data = HARMFUL.sub(lambda match: f"\\u{ord(match[0]):04x}", data)
    kinds = Counter(item.kind for item in suite.items)
    n_others = kinds.total() - kinds["original"] - kinds["nonce"]
    page = template(resource(__package__, "page.html.jinja")).render(
        suite=suite,
        numbers={
            "originals": kinds["original"], "variants": kinds["nonce"], "others": n_others,
        },
        names={
            "language": sorted({item.language for item in suite.items}),
            "source": sorted({item.source for item in suite.items}),
            "licence": sorted({item.licence or "unknown" for item in suite.items}),
        },
        style_source=Markup(csp_source(style)),
        script_source=Markup(csp_source(script)),
        style=Markup(style),  # style and script are ours and contain no `</`
        script=Markup(script),
        data=Markup(data),
    )  # fmt: skip
    with write_whole(path) as stream:
        stream.write(page)
