"""The page of a set: one self-contained HTML file, the same bytes for the same suite.

Text of items is hostile until proved otherwise. It stands on the page as JSON that no parser of
HTML can leave, and the script puts it in as text; the page's own policy forbids every other script
and style, every address, and every way to make markup from text.

Words that many items share are kept once, in `texts`, and named by their place there; what an item
says alike with the first of its group it leaves out (`ABOUT`). Both together make the page of a
large set about half as long.

What a reader decides there are marks, as CSV, one line an item. The page writes these files
(`scripts/table.js`), and spreadsheet programs change them on the way:
comma, semicolon or tab, with or without a byte order mark, any line end, cells lost at the end of a
row.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
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
from ...data.items.marked import has_right_to_left, is_right_to_left, pair_wording, pieces
from ...data.items.suite import Suite, content_hash
from ...data.opening import head_of, head_text
from ...data.records import headers, lines, malformed, rows
from ...data.shell import resource, source_of, style_sheet, template

Verdict = Literal["accept", "reject", ""]
VERDICTS: dict[str, Verdict] = {"accept": "accept", "reject": "reject", "": ""}
COLUMNS = ("item_id", "mark", "note")
HEADER = f"a header with {', '.join(COLUMNS)}"
MAX_LISTED = 5  # unknown ids that an error names

# What a spreadsheet takes for a formula or a number (an id of digits loses its end in one) gets an
# apostrophe before it, and so does what looks as if it already had one.
GUARDED = re.compile(r"'*(?:[=+\-@\t\r\n＝＋－＠]|[0-9][0-9eE.,:/ \-]*\Z)")


@dataclass(frozen=True, slots=True)
class Mark:
    """A reader's verdict on one item.

    Attributes:
        verdict: accept, reject, or "" for nothing yet.
        note: what was written beside it.
        line: of the file that it was read from, from 1; 0 where there is none.
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
    """Read marks from a table with the columns `item_id`, `mark` and, if there, `note`.

    Other columns are passed over, as are rows without anything in these three. An item that comes
    twice has the one verdict that was given, and both notes.

    Args:
        path: of a CSV file, as the page or a spreadsheet program writes it: comma, semicolon or
            tab.

    Returns:
        The marks, in the order of the file.

    Raises:
        InputError: with the line: a column that is missing or comes twice, a cell beyond the
            header, a mark that is none or has no id, an item with two verdicts, broken quoting;
            also for an empty file and bytes that are not UTF-8.

    >>> _ = Path("marks.csv").write_text("item_id,mark,note\\na,reject,two right forms\\n")
    >>> marks = read_marks(Path("marks.csv"))
    >>> marks.of("a"), marks.note("a"), marks.of("b")
    ('reject', 'two right forms', '')
    """
    under = headers(head_text(head_of(path)))
    delimiter = max(under, key=lambda mark: len({*COLUMNS}.intersection(_names(under[mark]))))
    records = rows(lines(path), delimiter)
    start, header = next(records, ("", []))
    if not start:
        raise InputError(str(path), "the file is empty", HEADER, kind="empty")
    names = _names(header)
    for column in COLUMNS:
        if column not in names and column != "note":
            raise InputError(start, f"no column {column!r}", HEADER, kind="missing")
        if names.count(column) > 1:
            raise InputError(start, f"two columns {column!r}", HEADER, kind="conflict")
    marks: dict[str, Mark] = {}
    for location, cells in records:
        if any(cells[len(names) :]):
            raise malformed(location, f"{len(cells)} cells", f"{len(names)}, as in the header")
        row = dict(zip(names, map(unguarded, cells), strict=False))
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
            more = note if note not in earlier.note else ""
            notes = "\n".join(filter(None, (earlier.note, more)))
            marks[item_id] = Mark(earlier.verdict or verdict, notes, earlier.line)
        elif item_id:
            marks[item_id] = Mark(verdict, note, int(location.rpartition(":")[2]))
        elif verdict or note:
            raise malformed(location, "a mark without an item_id", "the id of its item")
    return Marks(marks, str(path))


def honoured(suite: Suite, marks: Marks) -> tuple[Suite, dict[str, int]]:
    """Leave out the items that a reader rejected.

    A rejected original takes with it whatever was made from it (the items of its cluster), except
    an item that is itself accepted: that was read and found good as it stands. Undecided items
    stay. A set that loses an item loses all. An item whose original is gone keeps its `cluster_id`.

    Args:
        suite: that was read.
        marks: of its items.

    Returns:
        The suite that is left, and counts: `n_items` before, `n_rejected` by their own mark,
        `n_with_original` left out with theirs, `n_kept`, of which `n_accepted`; `n_broken_sets`:
        sets left out whole though some of their items were not rejected.

    Raises:
        InputError: the marks name an item that the suite has not.

    >>> from colorless_green.data import Item
    >>> suite = Suite("mine", [Item(name, "suite", name, "en", "mine", "", {}) for name in "ab"])
    >>> left, counts = honoured(suite, Marks({"a": Mark("reject")}))
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
    fates = Counter[str]()
    sets: dict[str, set[bool]] = {}
    remaining = []
    for item in suite.items:
        verdict = verdicts[item.item_id]
        orphan = not verdict and verdicts.get(item.cluster_id) == "reject"
        dropped = orphan or verdict == "reject"
        if not dropped:
            remaining.append(item)
        fates["with_original" if orphan else verdict] += 1
        if item.set_id:
            sets.setdefault(item.set_id, set()).add(dropped)
    broken = {set_id for set_id, fate in sets.items() if len(fate) == 2}
    remaining = [item for item in remaining if item.set_id not in broken]
    counts = {
        "n_items": len(suite.items),
        "n_rejected": fates["reject"],
        "n_with_original": fates["with_original"],
        "n_kept": len(remaining),
        "n_accepted": sum(verdicts[item.item_id] == "accept" for item in remaining),
        "n_broken_sets": len(broken),
    }
    return replace(suite, items=tuple(remaining)), counts


def unguarded(cell: str) -> str:
    """Return a cell without the apostrophe that keeps it from spreadsheets."""
    return cell[1:] if cell.startswith("'") and GUARDED.match(cell) else cell


def _names(header: Sequence[str]) -> list[str]:
    """Return the names of columns without blanks, in small letters."""
    return [cell.strip().lower() for cell in header]


ABOUT = (
    "language", "source", "licence", "construction", "value", "rule", "file", "sent_id", "set_id",
    "tags", "facts",
)  # fmt: skip
BLANKS = " \t\n\u00a0\u3000"  # what may stand before a token in its piece; `draw.js` has the same
MOST_TARGETS = 8  # further pairs that an item shows; it says how many there are

Record = dict[str, Any]


def page_data(suite: Suite, marks: Marks) -> Record:
    """Return everything the page shows, as JSON takes it.

    `groups`: lists of items, each an original with what was made from it (a cluster, in order of
    first appearance; the original first). `texts`: the words that items name by number, "" first.
    `about`: the keys that an item has from its group's first item where it lacks them. `marks`:
    item id → [verdict, note]. `content`: the suite's hash, under which a browser keeps marks.
    """
    texts: dict[str, int] = {"": 0}
    sentences: dict[str, list[str]] = {}  # by language: one alone can have a long foreign name
    clusters: dict[str, list[Item]] = {}
    for item in suite.items:
        wordings = next(iter(item.conditions.values()))
        sentences.setdefault(item.language, []).append(sentence_text(wordings[0]))
        clusters.setdefault(item.cluster_id, []).append(item)
    is_rtl = {language: is_right_to_left(lines) for language, lines in sentences.items()}
    groups = []
    for cluster in clusters.values():
        cluster.sort(key=lambda item: item.item_id != item.cluster_id)
        original = cluster[0] if cluster[0].item_id == cluster[0].cluster_id else None
        first, *others = (_record(item, original, texts, is_rtl[item.language]) for item in cluster)
        reduced = (
            {key: value for key, value in other.items() if key not in ABOUT or value != first[key]}
            for other in others
        )
        groups.append([first, *reduced])
    return {
        "suite": suite.name,
        "content": content_hash(suite),
        "about": list(ABOUT),
        "texts": list(texts),
        "groups": groups,
        "marks": {
            item.item_id: [marks.of(item.item_id), marks.note(item.item_id)]
            for item in suite.items
            if item.item_id in marks.by_id
        },
    }


def _record(item: Item, original: Item | None, texts: dict[str, int], rtl: bool) -> Record:
    """Return an item as plain values, without what is empty or 0, but for the keys of `ABOUT`."""

    def text_number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    agreement = item.agreement
    sentences = (sentence_text(wording) for group in item.conditions.values() for wording in group)
    record: Record = {
        "id": item.item_id,
        "kind": text_number(item.kind),
        "is_original": int(item is original),
        "cell": item.cell,
        "targets": [[target.right, target.wrong] for target in item.targets[:MOST_TARGETS]],
        "n_targets": len(item.targets),
        "rtl": int(rtl and any(map(has_right_to_left, sentences))),
    }
    marked = _marked(item, agreement) if agreement is not None else None
    tags: list[str] = []  # POS and FEATS of each token, as one text
    origin = (item.facts.get("construction", ""), "", "", "")
    sent_id = ""
    if agreement is not None:
        base = original.agreement if original else None
        record |= {
            "level": text_number(agreement.level),
            "seed": "" if agreement.seed is None else str(agreement.seed),
            "variant": agreement.variant,
            "flags": [text_number(flag) for flag in agreement.flags],
            "new": _replaced(agreement, base) if marked else {},
        }
        value = f"{agreement.feature}={agreement.value}"
        origin = (agreement.construction, value, agreement.rule, agreement.file)
        sent_id = agreement.sent_id
        if agreement.upos and agreement.feats:
            tags = [
                upos if feats in ("", "_") else f"{upos} {feats}"
                for upos, feats in zip(agreement.upos, agreement.feats, strict=True)
            ]
    record |= marked or {
        "lines": [  # each sentence of each condition
            [condition, [[region.region, region.text] for region in wording]]
            for condition, wordings in item.conditions.items()
            for wording in wordings
        ]
    }
    full = {key: value for key, value in record.items() if value not in ("", 0, [], {})}
    names = map(text_number, (item.language, item.source, item.licence, *origin))
    return full | dict(
        zip(
            ABOUT,
            (
                *names, sent_id, item.set_id, [text_number(tag) for tag in tags],
                [[text_number(name), text_number(fact)] for name, fact in item.facts.items()],
            ),
            strict=True,
        )
    )  # fmt: skip


def _marked(item: Item, agreement: Agreement) -> Record | None:
    """Return the right sentence by its tokens, with what is marked in it; None if the item's
    conditions are not the two sentences that its facts describe."""
    right, wrong = (pair_wording(item, name) for name in (RIGHT, WRONG))
    if right is None or wrong is None:
        return None
    if tuple(word for region in right for word in region.words) != agreement.tokens:
        return None
    words: list[str] = []
    for region in right:
        start, stop = len(words), len(words) + len(region.words)
        words += pieces(region.words, agreement.spaces[start:stop], region.text)
        if region.text and not region.words:
            return None
    is_ghost = "ghost" in agreement.flags and agreement.cue != agreement.tokens[agreement.cue_index]
    same_context = all(
        right_region.text == wrong_region.text
        for right_region, wrong_region in zip(right, wrong, strict=True)
        if right_region.region != TARGET
    )
    return {
        "words": words,
        "forms": {
            index: token
            for index, (token, piece) in enumerate(zip(agreement.tokens, words, strict=True))
            if token != piece.lstrip(BLANKS)
        },
        "cue": -1 if is_ghost else agreement.cue_index,
        "ghost": agreement.cue if is_ghost else "",
        "target": agreement.target_index,
        "wrong": wrong[1].text.lstrip(BLANKS),
        "other": [] if same_context else [region.text for region in wrong],
        "gap": agreement.gap,
        "attractors": list(agreement.attractors),
        "nominals": [list(nominal) for nominal in agreement.nominals],
        "leaks": [list(leak) for leak in agreement.leaks],
    }


def _replaced(agreement: Agreement, original: Agreement | None) -> Mapping[int, str]:
    """Return the index of each word that is not the original's → the word that was there; "" where
    that is not known (the original is not there, or has another number of tokens there)."""
    if original is None:
        return dict.fromkeys(agreement.substitutions, "")
    tokens, source = agreement.tokens, original.tokens
    if len(tokens) == len(source):
        return {i: source[i] for i in range(len(tokens)) if tokens[i] != source[i]}
    old = dict.fromkeys(agreement.substitutions, "")
    for kind, start, stop, new_start, new_stop in SequenceMatcher(
        None, source, tokens, autojunk=False
    ).get_opcodes():
        if kind == "replace" and stop - start == new_stop - new_start:
            old |= zip(range(new_start, new_stop), source[start:stop], strict=True)
    return dict(sorted(old.items()))


SCRIPTS = ("table.js", "draw.js", "review.js")
HARMFUL = re.compile("[<>&\u2028\u2029\ud800-\udfff]")  # ends an element or a line, or no UTF-8


def write_page(suite: Suite, path: Path, marks: Marks | None = None) -> None:
    """Write the page of a suite, on which its items are read and marked, whole or not at all.

    The page asks nothing of any other file or host, and names no time: the same suite and marks
    give the same bytes. An empty suite has a page without items.

    Args:
        suite: what is shown.
        path: of the HTML file.
        marks: that the page opens with; None for none. A browser that keeps marks of its own for
            the same items shows those.

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
    data = HARMFUL.sub(lambda match: f"\\u{ord(match[0]):04x}", data)  # it stays in its element
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
        style_source=Markup(source_of(style)),
        script_source=Markup(source_of(script)),
        style=Markup(style),  # both ours, and neither holds a `</`
        script=Markup(script),
        data=Markup(data),
    )  # fmt: skip
    with write_whole(path) as stream:
        stream.write(page)
