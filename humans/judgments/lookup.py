"""Items of an experiment: read them from a table, and find the item that an answer is about.

A table of items has what an experiment showed: all of it, or only fillers and checks. These columns
are read: `item`; `correct_form` (or `good`, `sentence_good`); `wrong_form` (or `bad`,
`sentence_bad`); and, if present, `prefix`, `kind`, `source`, `construction` (or `paradigm`, `uid`),
`condition`, `n_attr` and `unambiguous`. Other columns become facts of the item. In a table without
ids they are made from the texts. If the table gives no kind, the study or the answers do.

If a file of answers has no ids of items, items are found by the texts shown.
"""

import hashlib
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...data.errors import InputError
from ...data.items.item import KINDS as ITEM_KINDS
from ...data.items.item import Item, Region, Wording, item_id, sentence_text
from ...data.items.sentences import penn
from .judgment import kind_at
from .sheet import ColumnNames, our_cells, read_sheet

GAP_CHARACTERS = " _…"  # they draw the gap at the end of a prefix
TARGET_REGION = "target"  # name of the region with the form that people choose
ALIASES: ColumnNames = {  # our name of a column → names that it may have in a table of items
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
NO_WORDS = ("0", "false", "no", "f")  # cells of `unambiguous` that mean no


def printed_text(text: str) -> str:
    """Return a text as people see it: with printed quotation marks instead of those of treebanks
    (two accents, two apostrophes).

    >>> printed_text("``Yes'', she said")
    '“Yes”, she said'
    """
    return text.replace("``", "“").replace("''", "”")


def normal_form(text: str) -> str:
    """Normalise a form for comparison: NFC, printed quotation marks, no white space around it."""
    return unicodedata.normalize("NFC", printed_text(text)).strip()


def normal_sentence(text: str) -> str:
    """Normalise a sentence or prefix for comparison: as `normal_form`, with single blanks between
    words and without a drawn gap (`___`) at the end."""
    return " ".join(normal_form(text).split()).rstrip(GAP_CHARACTERS)


def forms_of(item: Item) -> tuple[str, str] | None:
    """Return the right and the wrong form that people choose between.

    For an agreement item these are the two forms of the target. For other items they are the
    targets of the conditions right and wrong if these differ in nothing else, or the two whole
    sentences.

    Args:
        item: an item of a suite.

    Returns:
        (right, wrong); None if the item lacks the conditions right and wrong.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("prefix,correct_form,wrong_form\\nthe keys,are,is\\n")
    >>> item = read_items(Path("items.csv"), "en").items[0]
    >>> forms_of(item)
    ('are', 'is')
    """
    if item.agreement is not None:
        return item.agreement.right, item.agreement.wrong
    wholes = sentences_of(item)
    if wholes is None:
        return None
    right, wrong = (_split_at_target(item.conditions[name][0]) for name in ("right", "wrong"))
    if right is not None and wrong is not None:
        (before, right_form, after), (wrong_before, wrong_form, wrong_after) = right, wrong
        if before == wrong_before and after == wrong_after:
            return right_form.strip(), wrong_form.strip()
    return wholes


def sentences_of(item: Item) -> tuple[str, str] | None:
    """Return the right and the wrong sentence of an item.

    Args:
        item: an item of a suite. If a condition has several sentences, the first one is used.

    Returns:
        (right, wrong); None if the item lacks the conditions right and wrong.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("prefix,correct_form,wrong_form\\nthe keys,are,is\\n")
    >>> item = read_items(Path("items.csv"), "en").items[0]
    >>> sentences_of(item)
    ('the keys are', 'the keys is')
    """
    if not {"right", "wrong"} <= item.conditions.keys():
        return None
    right, wrong = (sentence_text(item.conditions[name][0]).strip() for name in ("right", "wrong"))
    return right, wrong


def prefix_of(item: Item) -> str:
    """Return the text before the form that people choose.

    Args:
        item: an item of a suite.

    Returns:
        The text; "" if people choose between whole sentences.

    >>> from pathlib import Path
    >>> from colorless_green.humans import read_items
    >>> _ = Path("items.csv").write_text("prefix,correct_form,wrong_form\\nthe keys,are,is\\n")
    >>> item = read_items(Path("items.csv"), "en").items[0]
    >>> prefix_of(item)
    'the keys'
    """
    if "right" not in item.conditions or forms_of(item) == sentences_of(item):
        return ""
    parts = _split_at_target(item.conditions["right"][0])
    if parts is None:
        return ""
    before, _, _ = parts
    return before.strip()


def _split_at_target(wording: Wording) -> tuple[str, str, str] | None:
    """Split a sentence into (text before the target, target, text after it).

    Return None unless the sentence has exactly one region called target.
    """
    names = [region.region for region in wording]
    if names.count(TARGET_REGION) != 1:
        return None
    index = names.index(TARGET_REGION)
    before, after = sentence_text(wording[:index]), sentence_text(wording[index + 1 :])
    return before, wording[index].text, after


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item with the texts that answers to it can contain."""

    item: Item
    forms: tuple[str, str] | None  # (right, wrong) form, as `forms_of` returns them
    form_in: Mapping[str, str]  # whole sentence → the form in which it differs from the other
    prefix: str
    wordings: Mapping[str, str]  # as `wordings_of` returns them

    def as_form(self, text: str) -> str:
        """Return the form (the word people choose) that stands in a whole sentence of the item. Any
        other text is returned unchanged."""
        return self.form_in.get(normal_sentence(text), text) if self.form_in else text


@dataclass(frozen=True, slots=True)
class Lookup:
    """The known items, indexed by id and by their texts (normalised by `normal_sentence`).

    Attributes:
        by_id: item id → item.
        by_texts: texts of an item → the ids of all items with these texts. An item is under
            (prefix, its two forms), (prefix, nothing), (None, its two sentences) and, for each of
            its sentences, (None, the sentence or its MD5).
    """

    by_id: Mapping[str, KnownItem]
    by_texts: Mapping[tuple[str | None, frozenset[str]], Collection[str]]

    def item_of(self, claim: Mapping[str, str]) -> str:
        """Return the id of the item that an answer is about.

        `claim` is a row of a file of answers. Its own id is used if an item has it; else the item
        is found by the texts in the row. If no item has them, return the row's own id or else the
        text shown. Raises `InputError` if several items have these texts.
        """
        if claim.get("item", "") in self.by_id:
            return claim["item"]
        candidates = self._candidates(claim)
        if len(candidates) > 1:
            wrong = f"{len(candidates)} items have these texts ({', '.join(candidates[:5])})"
            right = "a column with the item's id (--map item=COLUMN)"
            raise InputError(claim["origin"], wrong, right, kind="format")
        if candidates:
            return candidates[0]
        texts = (claim.get(name) for name in ("prefix", "option_1", "correct_form"))
        return claim.get("item") or normal_sentence(next(filter(None, texts), ""))

    def _candidates(self, claim: Mapping[str, str]) -> list[str]:
        """Return the ids of all items with the texts of a row: its options, or its prefix."""
        shown = (claim.get(name, "") for name in ("option_1", "option_2"))
        options = frozenset(normal_sentence(text) for text in shown if text)
        context = normal_sentence(claim.get("prefix", ""))
        if len(options) == 2 or not context:  # a choice, or one sentence that is rated
            of_forms, of_sentences = (context, options), (None, options)
            return [*(self.by_texts.get(of_forms) or self.by_texts.get(of_sentences, ()))]
        candidates = [*self.by_texts.get((context, frozenset()), ())]
        if len(candidates) > 1:  # of these, the ones that have the forms which the answer mentions
            named = {normal_form(claim.get(name, "")) for name in ("chosen", "correct_form")} - {""}
            forms = {item: {*map(normal_form, self.by_id[item].forms or ())} for item in candidates}
            candidates = [item for item in candidates if named <= forms[item]]
        return candidates


def lookup_of(items: Iterable[Item]) -> Lookup:
    """Index items by id and by their texts; a text that several items share leads to all of
    them."""
    by_id: dict[str, KnownItem] = {}
    by_texts: dict[tuple[str | None, frozenset[str]], dict[str, None]] = {}
    for item in items:
        wordings = wordings_of(item)
        texts: list[tuple[str | None, Iterable[str]]] = [(None, [text]) for text in wordings]
        pair, wholes, prefix = forms_of(item), sentences_of(item), prefix_of(item)
        form_in = {}
        if pair is not None and wholes is not None:
            context, sentences = normal_sentence(prefix), [*map(normal_sentence, wholes)]
            texts += [(context, map(normal_sentence, pair)), (None, sentences)]
            texts += [(context, ())] if context else []
            if pair != wholes:
                form_in = dict(zip(sentences, pair, strict=True))  # right, wrong
        by_id[item.item_id] = KnownItem(item, pair, form_in, prefix, wordings)
        for before, shown in texts:
            by_texts.setdefault((before, frozenset(shown)), {})[item.item_id] = None
    return Lookup(by_id, by_texts)


def wordings_of(item: Item) -> dict[str, str]:
    """Return sentence → condition, for the sentences of all conditions of an item, normalised.

    The MD5 of a sentence stands for it, too: Ibex can be set to write it instead of the text.
    """
    condition_of = {
        normal_sentence(sentence_text(wording)): condition
        for condition, sentences in item.conditions.items()
        for wording in sentences
    }
    digests = {
        hashlib.md5(sentence.encode(), usedforsecurity=False).hexdigest(): condition
        for sentence, condition in condition_of.items()
    }
    return condition_of | digests


def option_index(answer: str, options: Sequence[str], keys: Mapping[str, int] = {}) -> int | None:
    """Return the place (0 or 1) of the option that an answer stands for; None if there is none.

    This is the only option with the answer's text, or else the option whose key the answer names
    (`keys`: key → place).
    """
    texts = [normal_form(option) for option in options]
    if texts.count(normal_form(answer)) == 1:
        return texts.index(normal_form(answer))
    return keys.get(answer.lower())


@dataclass(frozen=True, slots=True)
class ItemSheet:
    """The content of a table of items, as `read_items` returns it.

    Attributes:
        items: the items, in the order of the table.
        kinds: item id → target, filler, check or practice, for rows that have a kind.
        unambiguous: ids of fillers with no doubt about the right answer; None if the table has no
            such column.
    """

    items: tuple[Item, ...]
    kinds: Mapping[str, str]
    unambiguous: frozenset[str] | None

    def targets(self) -> tuple[Item, ...]:
        """Return the items whose kind is target, or is not known."""
        kind_of = self.kinds.get
        return tuple(item for item in self.items if kind_of(item.item_id, "target") == "target")


def read_items(path: Path, language: str) -> ItemSheet:
    """Read a table of the items that people were shown: all of them, or fillers and checks only.

    Args:
        path: a CSV or TSV file; this module's docstring lists its columns.
        language: BCP-47 code of the items; "" means und (undetermined).

    Returns:
        The items, with the kind of trial of each. An item has the conditions right and wrong, and
        each has the regions prefix, target and rest.

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
    # the columns that are read; the others become facts of the items
    used = {next((n for n in names if n in sheet.columns), "") for names in ALIASES.values()}
    items: dict[str, Item] = {}
    kinds: dict[str, str] = {}
    unambiguous = set()
    for location, row in sheet.rows:
        cells = our_cells(row, ALIASES)
        extra = {name: cell for name, cell in row.items() if name not in used}
        item = item_of(cells, path.stem, language, location, extra)
        if item.item_id in items:
            wrong, right = f"item {item.item_id!r} comes twice", "one row for each item"
            raise InputError(location, wrong, right, kind="conflict")
        items[item.item_id] = item
        if cells["kind"]:
            kinds[item.item_id] = kind_at(cells["kind"], location)
        if cells["unambiguous"].lower() not in ("", *NO_WORDS):
            unambiguous.add(item.item_id)
    has_column = "unambiguous" in sheet.columns
    return ItemSheet(tuple(items.values()), kinds, frozenset(unambiguous) if has_column else None)


def item_of(
    cells: Mapping[str, str],
    source: str,
    language: str,
    location: str,
    extra: Mapping[str, str] | None = None,
) -> Item:
    """Make an item from a row of a table of items.

    `cells` is our column name → cell, and `source` the name of the table; the cells in `extra`
    become facts of the item. Raises `InputError` unless there are two different forms.
    """
    right, wrong, prefix = cells["correct_form"], cells["wrong_form"], cells["prefix"]
    if not right or not wrong or right == wrong:
        problem = f"the forms are {right!r} and {wrong!r}"
        raise InputError(location, problem, "two different forms of the item", kind="conflict")

    def wording(form: str) -> tuple[Region, ...]:
        """Return the regions of a sentence that ends with a form."""
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
