"""Items of an experiment: read from a table of what was shown, and found by what people saw.

A table of items came with an experiment: its fillers and checks, or all it showed. Columns by name,
first found: `item`; `correct_form` (or `good`, `sentence_good`); `wrong_form` (or `bad`,
`sentence_bad`); and, where there are, `prefix`, `kind`, `source`, `construction` (or `paradigm`,
`uid`), `condition`, `n_attr`, `unambiguous`. Other columns become facts of the item. A table
without ids gets them from the texts. Of an item without a kind the study or the answers say what it
is.

Where a file of answers does not give the ids of items, they are found by the texts.
"""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...data.errors import InputError
from ...data.items.item import KINDS as ITEM_KINDS
from ...data.items.item import Item, Region, Wording, item_id, sentence_text
from ...data.items.sentences import penn
from .judgment import kind_at
from .sheet import ColumnNames, first_of, read_sheet

GAP = " _…"  # how a place for a form is drawn at the end of a prefix
TARGET = "target"  # the region of the form in a pair
ALIASES: ColumnNames = {
    "item": ("item", "item_id"),
    "correct_form": ("correct_form", "good", "sentence_good"),
    "wrong_form": ("wrong_form", "bad", "sentence_bad"),
    "prefix": ("prefix",),
    "kind": ("kind",),
    "source": ("source", "cluster_id"),
    "construction": ("construction", "paradigm", "uid"),
    "condition": ("condition",),
    "n_attr": ("n_attr", "n_attractors"),
    "unambiguous": ("unambiguous",),
}
NO = ("0", "false", "no", "f")


def printed(text: str) -> str:
    """Return a text as people are shown it: the quotation marks of treebanks (two accents, two
    apostrophes) are those of print.

    >>> printed("``Yes'', she said")
    '“Yes”, she said'
    """
    return text.replace("``", "“").replace("''", "”")


def normal(text: str) -> str:
    """Return a form as it is compared: NFC, quotes as printed, without white space around it."""
    return unicodedata.normalize("NFC", printed(text)).strip()


def plain(text: str) -> str:
    """Return a sentence or prefix as it is compared: as `normal`, single blanks, no drawn gap."""
    return " ".join(normal(text).split()).rstrip(GAP)


def forms(item: Item) -> tuple[str, str] | None:
    """Return the right and the wrong form that people choose between.

    These are the two forms of an agreement item's target; else the targets of the conditions right
    and wrong, if these differ in nothing else; else the two whole sentences.

    Args:
        item: an item of a suite.

    Returns:
        (right, wrong); None where the item has no two conditions right and wrong.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("prefix,correct_form,wrong_form\\nthe keys,are,is\\n")
    >>> item = read_items(Path("items.csv"), "en").items[0]
    >>> forms(item)
    ('are', 'is')
    """
    if item.agreement is not None:
        return item.agreement.right, item.agreement.wrong
    wholes = sentences(item)
    if wholes is None:
        return None
    parts = [_around_target(item.conditions[name][0]) for name in ("right", "wrong")]
    right, wrong = parts
    if right is not None and wrong is not None and right[0] == wrong[0] and right[2] == wrong[2]:
        return right[1].strip(), wrong[1].strip()
    return wholes


def sentences(item: Item) -> tuple[str, str] | None:
    """Return the right and the wrong sentence of an item.

    Args:
        item: an item of a suite; of several sentences of a condition the first is taken.

    Returns:
        (right, wrong); None where the item has no two conditions right and wrong.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("prefix,correct_form,wrong_form\\nthe keys,are,is\\n")
    >>> item = read_items(Path("items.csv"), "en").items[0]
    >>> sentences(item)
    ('the keys are', 'the keys is')
    """
    if not {"right", "wrong"} <= item.conditions.keys():
        return None
    right, wrong = (sentence_text(item.conditions[name][0]).strip() for name in ("right", "wrong"))
    return right, wrong


def prefix(item: Item) -> str:
    """Return the text before the form that people choose.

    Args:
        item: an item of a suite.

    Returns:
        The text; "" where people choose between whole sentences.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("prefix,correct_form,wrong_form\\nthe keys,are,is\\n")
    >>> item = read_items(Path("items.csv"), "en").items[0]
    >>> prefix(item)
    'the keys'
    """
    if "right" not in item.conditions or forms(item) == sentences(item):
        return ""
    parts = _around_target(item.conditions["right"][0])
    return parts[0].strip() if parts else ""


def _around_target(wording: Wording) -> tuple[str, str, str] | None:
    """Return text before, target and text after; None without a target."""
    names = [region.region for region in wording]
    if names.count(TARGET) != 1:
        return None
    index = names.index(TARGET)
    before, after = sentence_text(wording[:index]), sentence_text(wording[index + 1 :])
    return before, wording[index].text, after


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item with the texts by which answers to it are known."""

    item: Item
    forms: tuple[str, str] | None
    form_in: Mapping[str, str]  # whole sentence that people chose → the form that differs
    prefix: str
    wordings: frozenset[str]  # its sentences of every condition

    def as_form(self, text: str) -> str:
        """Return the form that differs, for a whole sentence of the item; other text as it is."""
        return self.form_in.get(plain(text), text) if self.form_in else text


@dataclass(frozen=True, slots=True)
class Lookup:
    """Items by id and by their texts."""

    by_id: Mapping[str, KnownItem]
    by_forms: Mapping[tuple[str, frozenset[str]], tuple[str, ...]]  # (prefix, forms)
    by_sentences: Mapping[frozenset[str], tuple[str, ...]]
    by_prefix: Mapping[str, tuple[str, ...]]
    by_sentence: Mapping[str, tuple[tuple[str, str], ...]]  # or its MD5 → (item, condition)

    def item_of(self, claim: Mapping[str, str]) -> str:
        """Return the id of the item that an answer is about: its own if that is known, else that
        of the one item with its texts, else its own or the text shown. Raises `InputError` where
        several items have these texts."""
        get = claim.get
        if get("item", "") in self.by_id:
            return claim["item"]
        candidates = self._candidates(claim)
        if len(candidates) > 1:
            wrong = f"{len(candidates)} items have these texts ({', '.join(candidates[:5])})"
            right = "a column with the item's id (--map item=COLUMN)"
            raise InputError(claim["origin"], wrong, right, kind="format")
        if candidates:
            return candidates[0]
        return get("item") or plain(
            get("prefix") or get("option_1") or get("correct_form") or "",
        )

    def _candidates(self, claim: Mapping[str, str]) -> tuple[str, ...]:
        pair = frozenset(plain(t) for n in ("option_1", "option_2") if (t := claim.get(n, "")))
        context = plain(claim.get("prefix", ""))
        if len(pair) == 2:
            return self.by_forms.get((context, pair), ()) or self.by_sentences.get(pair, ())
        if pair and not context:  # a sentence that is rated
            (sentence,) = pair
            return tuple(dict.fromkeys(item for item, _ in self.by_sentence.get(sentence, ())))
        candidates = self.by_prefix.get(context, ()) if context else ()
        if len(candidates) > 1:
            seen = {normal(claim.get(name, "")) for name in ("chosen", "correct_form")} - {""}
            candidates = tuple(
                name for name in candidates if seen <= {*map(normal, self.by_id[name].forms or ())}
            )
        return candidates


def lookup_of(items: Iterable[Item]) -> Lookup:
    """Return the items, ready to be found. Texts that several items share find all of them."""
    by_id: dict[str, KnownItem] = {}
    by_forms = defaultdict[tuple[str, frozenset[str]], tuple[str, ...]](tuple)
    by_sentences = defaultdict[frozenset[str], tuple[str, ...]](tuple)
    by_prefix = defaultdict[str, tuple[str, ...]](tuple)
    by_sentence = defaultdict[str, tuple[tuple[str, str], ...]](tuple)
    for item in items:
        identity = item.item_id
        wordings = {
            plain(sentence_text(wording)): condition
            for condition, of_condition in item.conditions.items()
            for wording in of_condition
        }
        for sentence, condition in wordings.items():
            # Ibex writes the MD5 of a sentence for it where the experiment says so
            digest = hashlib.md5(sentence.encode(), usedforsecurity=False).hexdigest()
            by_sentence[sentence] += ((identity, condition),)
            by_sentence[digest] += ((identity, condition),)
        pair, wholes, text_before = forms(item), sentences(item), prefix(item)
        form_in = {}
        if pair is not None and wholes is not None and pair != wholes:
            form_in = dict(zip(map(plain, wholes), pair, strict=True))
        by_id[identity] = KnownItem(item, pair, form_in, text_before, frozenset(wordings))
        if pair is None or wholes is None:
            continue
        context = plain(text_before)
        by_forms[context, frozenset(map(plain, pair))] += (identity,)
        by_sentences[frozenset(map(plain, wholes))] += (identity,)
        if context:
            by_prefix[context] += (identity,)
    return Lookup(by_id, by_forms, by_sentences, by_prefix, by_sentence)


def option_index(answer: str, options: Sequence[str], keys: Mapping[str, int] = {}) -> int | None:
    """Return which of the two options an answer is: that with its text, else that whose key it
    names; None if neither or both."""
    texts = [normal(option) for option in options]
    if texts.count(normal(answer)) == 1:
        return texts.index(normal(answer))
    return keys.get(answer.lower())


@dataclass(frozen=True, slots=True)
class ItemSheet:
    """Items of a table with the kind of trial of each, as `read_items` returns them.

    Attributes:
        items: in the order of the table.
        kinds: item id → target, filler, check or practice, where the table says it.
        unambiguous: ids of fillers with no doubt about the right answer; None without this column.
    """

    items: tuple[Item, ...]
    kinds: Mapping[str, str]
    unambiguous: frozenset[str] | None

    def targets(self) -> tuple[Item, ...]:
        """Return the items that the experiment is about, or may be for all that is known."""
        kinds = (self.kinds.get(item.item_id, "target") for item in self.items)
        return tuple(e for e, kind in zip(self.items, kinds, strict=True) if kind == "target")


def read_items(path: Path, language: str) -> ItemSheet:
    """Read a table of the items that people were shown: all of them, or fillers and checks only.

    Args:
        path: a CSV or TSV file; its columns are in this module's docstring.
        language: BCP-47 code of the items; "": und (undetermined).

    Returns:
        The items, each with the conditions right and wrong and the regions prefix, target and rest,
        and what kind of trial each is.

    Raises:
        InputError: for a missing column, an item without two different forms, an unknown kind, and
            an item that comes twice.

    >>> _ = Path("items.csv").write_text(
    ...     "item,kind,prefix,correct_form,wrong_form\\ni1,target,the keys,are,is\\n")
    >>> found = read_items(Path("items.csv"), "en")
    >>> [region.text for region in found.items[0].conditions["right"][0]], found.kinds
    (['the keys', ' are', ''], {'i1': 'target'})
    """
    sheet = read_sheet(path, [alias for names in ALIASES.values() for alias in names])
    for name in ("correct_form", "wrong_form"):
        if {*ALIASES[name]}.isdisjoint(sheet.columns):
            wrong = f"no column {name}; the columns are {', '.join(sheet.columns)}"
            right = f"one of {', '.join(ALIASES[name])}"
            raise InputError(f"{path}:1", wrong, right, kind="missing")
    used = {next((n for n in names if n in sheet.columns), "") for names in ALIASES.values()}
    items: dict[str, Item] = {}
    kinds: dict[str, str] = {}
    clear = set()
    for location, row in sheet.rows:
        cells = first_of(row, ALIASES)
        extra = {name: cell for name, cell in row.items() if name not in used}
        item = item_of(cells, path.stem, language, location, extra)
        if item.item_id in items:
            wrong, right = f"item {item.item_id!r} comes twice", "one row for each item"
            raise InputError(location, wrong, right, kind="conflict")
        items[item.item_id] = item
        if cells["kind"]:
            kinds[item.item_id] = kind_at(cells["kind"], location)
        if cells["unambiguous"].lower() not in ("", *NO):
            clear.add(item.item_id)
    unambiguous = frozenset(clear) if "unambiguous" in sheet.columns else None
    return ItemSheet(tuple(items.values()), kinds, unambiguous)


def item_of(
    cells: Mapping[str, str],
    source: str,
    language: str,
    location: str,
    extra: Mapping[str, str] | None = None,
) -> Item:
    """Return the item that cells describe, with further cells among its facts. Raises `InputError`
    without two different forms."""
    right, wrong, prefix = cells["correct_form"], cells["wrong_form"], cells["prefix"]
    if not right or not wrong or right == wrong:
        problem = f"the forms are {right!r} and {wrong!r}"
        raise InputError(location, problem, "two different forms of the item", kind="conflict")

    def wording(form: str) -> tuple[Region, ...]:
        """Return prefix, target and nothing more; without a prefix the target is the sentence."""
        parts = ("prefix", prefix), ("target", f" {form}" if prefix else form), ("rest", "")
        return tuple(Region(name, penn(text), text) for name, text in parts)

    identity = cells["item"] or item_id(source, prefix, right, wrong)
    facts = {name: cells.get(name, "") for name in ("construction", "condition", "n_attr")}
    return Item(
        item_id=identity,
        kind=cells["condition"] if cells["condition"] in ITEM_KINDS else "suite",
        cluster_id=cells["source"] or identity,
        language=language or "und",
        source=source,
        licence="",
        conditions={"right": (wording(right),), "wrong": (wording(wrong),)},
        facts={name: value for name, value in {**(extra or {}), **facts}.items() if value},
    )
