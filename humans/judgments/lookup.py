"""Items found by what people saw of them, where a file does not give their ids."""

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...data.errors import InputError
from ...data.items.item import Item, Wording, sentence_text

GAP = " _…"  # how a place for a form is drawn at the end of a prefix
TARGET = "target"  # the region of the form in a pair


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
