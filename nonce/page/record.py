"""A suite as the plain values its page is drawn from.

Words that many items share are kept once, in `texts`, and named by their place there; what an item
says alike with the first of its group it leaves out (`ABOUT`). Both together make the page of a
large set about half as long.
"""

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any

from colorless_green.nonce.item import (
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    WRONG,
    Agreement,
    Item,
    Wording,
    sentence_text,
)
from colorless_green.nonce.page.marks import Marks
from colorless_green.nonce.page.pieces import BLANKS, has_right_to_left, is_right_to_left, pieces
from colorless_green.nonce.suite import Suite, content_hash

ABOUT = (
    "language",
    "source",
    "licence",
    "construction",
    "value",
    "rule",
    "file",
    "sent_id",
    "set_id",
    "tags",
    "facts",
)
MOST_TARGETS = 8  # further pairs that an item shows; it says how many there are

Record = dict[str, Any]


def page_data(suite: Suite, marks: Marks) -> Record:
    """Everything the page shows, as JSON takes it.

    `groups`: lists of items, each an original with what was made from it (a cluster, in order of
    first appearance; the original first). `texts`: the words that items name by number, "" first.
    `about`: the keys that an item has from its group's first item where it lacks them. `marks`:
    item id → [verdict, note]. `content`: the suite's hash, under which a browser keeps marks.
    """
    texts: dict[str, int] = {"": 0}
    sides = _sides(suite.items)
    groups = []
    for cluster in _clusters(suite.items):
        original = cluster[0] if cluster[0].item_id == cluster[0].cluster_id else None
        first, *others = (_record(item, original, texts, sides[item.language]) for item in cluster)
        groups.append([first, *(_without(each, first) for each in others)])
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


def _without(record: Record, first: Record) -> Record:
    return {k: v for k, v in record.items() if k not in ABOUT or v != first[k]}


def _clusters(items: Iterable[Item]) -> list[list[Item]]:
    clusters: dict[str, list[Item]] = {}
    for item in items:
        clusters.setdefault(item.cluster_id, []).append(item)
    return [
        sorted(cluster, key=lambda item: item.item_id != item.cluster_id)
        for cluster in clusters.values()
    ]


def _sides(items: Iterable[Item]) -> dict[str, bool]:
    """Language → whether most of its text runs from right to left. A sentence alone would be
    misled by a long foreign name."""
    sentences: dict[str, list[str]] = {}
    for item in items:
        wordings = next(iter(item.conditions.values()))
        sentences.setdefault(item.language, []).append(sentence_text(wordings[0]))
    return {language: is_right_to_left(own) for language, own in sentences.items()}


def _record(item: Item, original: Item | None, texts: dict[str, int], rtl: bool) -> Record:
    """An item; what is empty or 0 is left out, but for the keys of `ABOUT`."""
    agreement = item.agreement
    base = original.agreement if original else None
    record: Record = {
        "id": item.item_id,
        "kind": _known(item.kind, texts),
        "is_original": int(item is original),
        "cell": item.cell,
        "targets": [[each.right, each.wrong] for each in item.targets[:MOST_TARGETS]],
        "n_targets": len(item.targets),
        "rtl": int(rtl and any(map(has_right_to_left, _sentences(item)))),
    }
    marked = None
    if agreement is not None:
        marked = _marked(item, agreement)
        record |= {
            "level": _known(agreement.level, texts),
            "seed": "" if agreement.seed is None else str(agreement.seed),
            "variant": agreement.variant,
            "flags": [_known(flag, texts) for flag in agreement.flags],
            "new": _replaced(agreement, base) if marked else {},
        }
    record |= marked or {"lines": _lines(item)}
    full = {key: value for key, value in record.items() if value not in ("", 0, [], {})}
    return full | _about(item, texts)


def _about(item: Item, texts: dict[str, int]) -> Record:
    """What the items of a group mostly share."""
    agreement = item.agreement
    names = {
        "language": item.language,
        "source": item.source,
        "licence": item.licence,
        "construction": item.facts.get("construction", ""),
        "value": "",
        "rule": "",
        "file": "",
    }
    if agreement is not None:
        names |= {
            "construction": agreement.construction,
            "value": f"{agreement.feature}={agreement.value}",
            "rule": agreement.rule,
            "file": agreement.file,
        }
    return {
        **{key: _known(name, texts) for key, name in names.items()},
        "sent_id": agreement.sent_id if agreement else "",
        "set_id": item.set_id,
        "tags": [_known(tag, texts) for tag in _tags(agreement)],
        "facts": [[_known(name, texts), _known(fact, texts)] for name, fact in item.facts.items()],
    }


def _known(text: str, texts: dict[str, int]) -> int:
    return texts.setdefault(text, len(texts))


def _sentences(item: Item) -> list[str]:
    return [sentence_text(wording) for each in item.conditions.values() for wording in each]


def _tags(agreement: Agreement | None) -> list[str]:
    """POS and FEATS of each token, as one text."""
    if agreement is None or not agreement.upos or not agreement.feats:
        return []
    return [
        upos if feats in ("", "_") else f"{upos} {feats}"
        for upos, feats in zip(agreement.upos, agreement.feats, strict=True)
    ]


def _marked(item: Item, agreement: Agreement) -> Record | None:
    """The right sentence by its tokens, with what is marked in it; none if the item's conditions
    are not the two sentences that its facts tell of."""
    right, wrong = (_pair_wording(item, name) for name in (RIGHT, WRONG))
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
    alike = all(
        ours.text == theirs.text
        for ours, theirs in zip(right, wrong, strict=True)
        if ours.region != TARGET
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
        "other": [] if alike else [region.text for region in wrong],
        "gap": agreement.gap,
        "attractors": list(agreement.attractors),
        "nominals": [list(each) for each in agreement.nominals],
        "leaks": [list(each) for each in agreement.leaks],
    }


def _pair_wording(item: Item, condition: str) -> Wording | None:
    """The one sentence of a condition, if it has prefix, target (one token) and rest."""
    wordings = item.conditions.get(condition, ())
    if len(wordings) != 1:
        return None
    names = tuple(region.region for region in wordings[0])
    if names != (PREFIX, TARGET, REST) or len(wordings[0][1].words) != 1:
        return None
    return wordings[0]


def _replaced(agreement: Agreement, original: Agreement | None) -> Mapping[int, str]:
    """Index of each word that is not the original's → the word that stood there; "" where that
    is not to be told (the original is not there, or has another number of tokens at that place)."""
    if original is None:
        return dict.fromkeys(agreement.substitutions, "")
    ours, theirs = agreement.tokens, original.tokens
    if len(ours) == len(theirs):
        return {i: theirs[i] for i in range(len(ours)) if ours[i] != theirs[i]}
    old = dict.fromkeys(agreement.substitutions, "")
    for kind, start, stop, first, last in SequenceMatcher(
        None, theirs, ours, autojunk=False
    ).get_opcodes():
        if kind == "replace" and stop - start == last - first:
            old |= zip(range(first, last), theirs[start:stop], strict=True)
    return dict(sorted(old.items()))


def _lines(item: Item) -> list[Any]:
    """Each sentence of each condition: [condition, [[region, text], …]]."""
    return [
        [condition, [[region.region, region.text] for region in wording]]
        for condition, wordings in item.conditions.items()
        for wording in wordings
    ]
