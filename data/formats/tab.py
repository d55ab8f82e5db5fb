"""The format `.tab` of Gulordava et al. 2018: a table with two rows per sentence (correct, wrong).

Columns are separated by tabs and quoted as in CSV. `sent_id` is the number of the variant,
`constr_id` the number of the original within its construction, `len_context` the gap plus one,
`n_attr` the number of attractors as the paper's scripts count them, by looking forms up, `punct`
whether any word up to the target is a punctuation mark. Words are separated by blanks, so a blank
within a word is written as U+00A0. The format cannot hold: indices of the cue in a language with
multiword tokens, POS, FEATS, spacing, lemma, provenance. In a suite that is read there is a blank
before each token.

Language, source and licence are those of the paper if folder and file are named as the authors name
them (`Italian/generated.tab`), else unknown.
"""

import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..items.item import Agreement, Item, item_id, pair
from ..items.suite import Suite, checked
from ..records import malformed, stem, table, write_table
from .format import Format, as_published, published_fact

TAB_COLUMNS = (
    "pattern", "constr_id", "sent_id", "correct_number", "form", "class", "type", "prefix",
    "n_attr", "punct", "len_context", "len_prefix", "sent",
)  # fmt: skip
SAME_IN_BOTH_ROWS = ("pattern", "constr_id", "sent_id", "len_prefix")
EOS, UNKNOWN = "<eos>", "<unk>"
NUMBERS = {"sing": "Sing", "plur": "Plur"}
KIND_OF_TYPE = {"original": "original", "generated": "nonce"}
# The authors' folders and the files in them:
LANGUAGES = {"english": "en", "hebrew": "he", "italian": "it", "russian": "ru"}
RELEASED = ("generated", "best_model", "best_model_mturk", "all_models")
SOURCE, LICENCE = "Gulordava et al. 2018", "CC-BY-NC-4.0"
ENDINGS = (".tab", ".gold", ".text", ".eval")  # of the files of one set, which share a name
NUMBER_LIMIT = 10**9  # numbers are smaller


def language_of_folder(path: Path) -> str:
    """Return the code of the language in the name of a file's folder, as given by the authors or by
    `fetch`; "" for none.

    >>> language_of_folder(Path("/cache/gulordava2018-italian/generated.tab"))
    'it'
    """
    folder = path.resolve().parent.name.casefold()
    return next((code for name, code in LANGUAGES.items() if folder.endswith(name)), "")


def released_item(
    path: Path, tokens: Sequence[str], span: tuple[int, int], forms: tuple[str, str], **details: Any
) -> Item:
    """Return an item of one of the paper's files, without its cluster.

    Args:
        path: the file.
        tokens: the tokens of the sentence; that of the target is replaced by the right form.
        span: the indices of cue and target, from 0.
        forms: the right and the wrong form.
        details: construction, number, variant, value, and other fields of its `Agreement`.
    """
    (cue, target), (right, wrong) = span, forms
    name = stem(path, ENDINGS)
    _, _, tags = details["construction"].partition("__")  # as NOUN_VERB_VERB
    cue_upos, *_ = tags.split("_")
    *_, target_upos = tags.split("_")
    words = (*tokens[:target], right, *tokens[target + 1 :])
    wrong_value = {"Sing": "Plur", "Plur": "Sing"}.get(details["value"], "")
    facts: dict[str, Any] = {
        "values": ("Plur", "Sing"), "cue_upos": cue_upos, "target_upos": target_upos,
        "target_feats": "_", "lemma": "_", **details,
    }  # fmt: skip
    agreement = Agreement(
        treebank=name, file=path.name, sent_id="", rule="released", feature="Number",
        cue_index=cue, target_index=target, cue=words[cue], right=right, wrong=wrong,
        attractors=(), tokens=words, upos=(), feats=(),
        spaces=("", *[" "] * (len(words) - 1)), flags=("equal_forms",) if right == wrong else (),
        wrong_value=wrong_value, wrong_forms={wrong_value: wrong} if wrong_value else {}, **facts,
    )  # fmt: skip
    language = language_of_folder(path) if name in RELEASED else ""
    origin = (language, SOURCE, LICENCE) if language else ("und", name, "")
    identity = item_id(name, agreement.construction, agreement.number, agreement.variant)
    kind = "nonce" if agreement.variant else "original"
    return Item(identity, kind, "", *origin, conditions=pair(agreement), agreement=agreement)


def with_cluster_ids(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return items whose `cluster_id` is set so that a sentence and its variants are one cluster.

    It is the id of the original or, if that is not among the items, CONSTRUCTION__NUMBER. Other
    items stay as they are.
    """
    originals = {_original_key(item): item.item_id for item in items if item.kind == "original"}
    changed = []
    for item in items:
        if key := _original_key(item):
            construction, number = key
            cluster_id = originals.get(key, f"{construction}__{number}")
            item = replace(item, cluster_id=cluster_id)
        changed.append(item)
    return tuple(changed)


def _original_key(item: Item) -> tuple[str, int] | None:
    """Return construction and number of the sentence that an item was made from (its original),
    which identify it in a file. Return None for an item without agreement."""
    facts = item.agreement
    return None if facts is None else (facts.construction, facts.number)


def whole_number(cell: str, location: str, limit: int = NUMBER_LIMIT) -> int:
    """Return a cell as a whole number. Raises `InputError` if it is not one below `limit`."""
    # `int` refuses very long texts with an error of its own, so the length is compared first.
    if not (cell.isascii() and cell.isdigit() and len(cell) < 10 and int(cell) < limit):
        raise malformed(location, f"{cell!r:.20} for a number", f"a whole number below {limit}")
    return int(cell)


def read_tab(path: Path) -> Suite:
    """Read the suite of a `.tab` file, published or our own.

    Items with the same pattern and constr_id are a cluster. Published variants have another word
    than the tested form at `len_prefix`; it is replaced by the right form.
    """
    rows = list(table(path, TAB_COLUMNS))
    for n, (location, row) in enumerate(rows):
        expected = "wrong" if n % 2 else "correct"
        if row["class"] != expected:
            raise malformed(location, f"class is {row['class']!r}", repr(expected))
    if not rows or len(rows) % 2:
        raise malformed(str(path), f"{len(rows)} rows", "two rows for each sentence")
    items = [
        _tab_item(path, location, right, wrong)
        for (location, right), (_, wrong) in zip(rows[::2], rows[1::2], strict=True)
    ]
    return checked(Suite(stem(path, ENDINGS), with_cluster_ids(items)), str(path))


def _tab_item(
    path: Path, location: str, right: Mapping[str, str], wrong: Mapping[str, str]
) -> Item:
    """Make an item of the two rows of a sentence; `location` is that of the first, in messages."""
    kind = KIND_OF_TYPE.get(right["type"])
    if kind is None:
        raise malformed(location, f"type is {right['type']!r}", "original or generated")
    if any(right[name] != wrong[name] for name in SAME_IN_BOTH_ROWS):
        raise malformed(
            location, "its two rows belong to different sentences", "two rows a sentence"
        )
    tokens = right["sent"].removesuffix(EOS).rstrip(" ").split(" ")
    target = whole_number(right["len_prefix"], location)
    distance = whole_number(right["len_context"], location)  # from the cue to the target
    if not 0 < distance <= target < len(tokens):
        lengths = f"len_prefix {target}, len_context {distance}"
        raise malformed(location, lengths, f"a target below {len(tokens)}")
    released = released_item(
        path, tokens, (target - distance, target), (right["form"], wrong["form"]),
        construction=right["pattern"],
        number=whole_number(right["constr_id"], location),
        variant=whole_number(right["sent_id"], location),
        value=NUMBERS.get(right["correct_number"], right["correct_number"]),
    )  # fmt: skip
    whole_number(right["n_attr"], location)  # it must be a number, but stays as it is written
    item = replace(released, kind=kind, facts={"n_attr": right["n_attr"]})
    return replace(
        item, facts={**item.facts, **published_fact("tab", (right, wrong), _tab_rows(item, None))}
    )


def write_tab(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write the agreement items of a suite.

    In the column `prefix`, words that are not in `vocabulary` become `<unk>`; None: all are known.
    """
    rows = [
        row
        for item in suite.items
        for row in as_published("tab", item.facts, _tab_rows(item, vocabulary))
    ]
    write_table(path, rows, () if rows else TAB_COLUMNS)


def _tab_rows(item: Item, vocabulary: frozenset[str] | None) -> list[dict[str, str]]:
    """Return the two rows to write for an item, with the right and the wrong form (column → cell).

    Words that are not in `vocabulary` become `<unk>` in the prefix. Raises `InputError` for an item
    that is not about agreement in Number.
    """
    facts = item.agreement
    if facts is None or facts.feature != "Number":
        wrong, right = "no facts of agreement, which .tab is about", "another format"
        if facts is not None:
            wrong, right = f"{facts.feature} agreement; .tab is about Number", "jsonl"
        raise InputError(f"item {item.item_id}", wrong, right, kind="unsupported")
    context = facts.tokens[: facts.target_index]
    masked = [word if vocabulary is None or word in vocabulary else UNKNOWN for word in context]
    prefix, sentence = (
        " ".join(word.replace(" ", "\u00a0") for word in words)
        for words in (masked, (*facts.tokens, EOS))
    )
    is_punctuated = any(
        len(word) == 1 and word in string.punctuation for word in (*context, facts.right)
    )
    return [
        dict(zip(TAB_COLUMNS, map(str, (
            facts.construction, facts.number, facts.variant, facts.value.lower(), form, label,
            "original" if facts.variant == 0 else "generated", prefix,
            item.facts.get("n_attr", len(facts.attractors)), is_punctuated,
            facts.target_index - facts.cue_index, facts.target_index, sentence,
        )), strict=True))
        for form, label in ((facts.right, "correct"), (facts.wrong, "wrong"))
    ]  # fmt: skip


FORMAT = Format(read_tab, write_tab)
