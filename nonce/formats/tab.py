"""The paper's `.tab`: two rows a sentence (`correct`, `wrong`), TAB-separated, quoted as CSV does.

Gulordava et al. 2018, `generated.tab` (mining facts §1.7). `sent_id` is the number of the variant,
`constr_id` that of the original within its construction, `len_context` the gap plus one, `n_attr`
the scripts' count by form look-up, `punct` whether any word up to the target is a punctuation mark.
A blank within a word is written as U+00A0, since blanks stand between words.
What the format cannot hold: indices of the cue in a multiword language, POS, FEATS, spacing, lemma,
provenance. Read back, a token's spacing is a blank before each. Language, source and licence are
the paper's where folder and file are named as the authors name them (`Italian/generated.tab`), else
unknown.
"""

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.records import (
    as_published,
    kept,
    malformed,
    stem,
    table,
    write_table,
)
from colorless_green.nonce.item import Agreement, Item, item_id, pair
from colorless_green.nonce.suite import Suite, checked

COLUMNS = (
    "pattern", "constr_id", "sent_id", "correct_number", "form", "class", "type", "prefix",
    "n_attr", "punct", "len_context", "len_prefix", "sent",
)  # fmt: skip
SAME = ("pattern", "constr_id", "sent_id", "len_prefix")  # in the two rows of a sentence
INTEGERS = ("constr_id", "sent_id", "len_prefix", "len_context", "n_attr")
EOS = " <eos>"
UNKNOWN = "<unk>"
NUMBERS = {"sing": "Sing", "plur": "Plur"}
KIND_OF_TYPE = {"original": "original", "generated": "nonce"}
LANGUAGES = {"English": "en", "Hebrew": "he", "Italian": "it", "Russian": "ru"}  # their folders
RELEASED = ("generated", "best_model", "best_model_mturk", "all_models")  # and files in them
SOURCE, LICENCE = "Gulordava et al. 2018", "CC-BY-NC-4.0"
ENDINGS = (".tab", ".gold", ".text", ".eval")  # one set's files share a name


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """The agreement items of a suite; words outside `vocabulary` become `<unk>` in `prefix`."""
    rows = [
        row
        for item in suite.items
        for row in as_published("tab", item.facts, list(_rows(item, vocabulary)))
    ]
    write_table(path, "\t", rows, () if rows else COLUMNS)


def _rows(item: Item, vocabulary: frozenset[str] | None) -> Iterator[dict[str, str]]:
    agreement = item.agreement
    if agreement is None or agreement.feature != "Number":
        wrong, right = "no facts of agreement, which .tab is about", "another format"
        if agreement is not None:
            wrong, right = f"{agreement.feature} agreement; .tab is about Number", "jsonl"
        raise InputError(f"item {item.item_id}", wrong, right, kind="unsupported")
    before = agreement.tokens[: agreement.target_index]
    known = [word if vocabulary is None or word in vocabulary else UNKNOWN for word in before]
    words = (*before, agreement.right)
    for form, kind in ((agreement.right, "correct"), (agreement.wrong, "wrong")):
        cells = (
            agreement.construction,
            agreement.number,
            agreement.variant,
            agreement.value.lower(),
            form,
            kind,
            "original" if agreement.variant == 0 else "generated",
            _joined(known),
            item.facts.get("n_attr", len(agreement.attractors)),
            any(word in string.punctuation for word in words if len(word) == 1),
            agreement.target_index - agreement.cue_index,
            agreement.target_index,
            _joined(agreement.tokens) + EOS,
        )
        yield dict(zip(COLUMNS, map(str, cells), strict=True))


def _joined(words: Sequence[str]) -> str:
    """Words with a blank between; a blank within a word becomes U+00A0."""
    return " ".join(word.replace(" ", "\u00a0") for word in words)


def read(path: Path) -> Suite:
    """The suite of a `.tab` file, the published ones among them.

    Every variant belongs to the cluster (pattern, constr_id). The form that is evaluated is put
    into the sentence at `len_prefix`, where the published variants have another word.
    """
    rows = list(_records(path))
    items = [
        _item(path, place, right, wrong)
        for (place, right), (_, wrong) in zip(rows[::2], rows[1::2], strict=True)
    ]
    return checked(Suite(stem(path, ENDINGS), clustered(items)), str(path))


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


def _records(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    n_rows = 0
    for n_rows, (place, record) in enumerate(table(path, "\t", COLUMNS), start=1):
        expected = "correct" if n_rows % 2 else "wrong"
        if record["class"] != expected:
            raise malformed(place, f"class is {record['class']!r}", repr(expected))
        yield place, record
    if n_rows == 0 or n_rows % 2:
        raise malformed(str(path), f"{n_rows} rows", "two rows for each sentence")


def _item(path: Path, place: str, right: Mapping[str, str], wrong: Mapping[str, str]) -> Item:
    kind = KIND_OF_TYPE.get(right["type"])
    if kind is None:
        raise malformed(place, f"type is {right['type']!r}", "original or generated")
    if any(right[name] != wrong[name] for name in SAME):
        raise malformed(place, "its two rows belong to different sentences", "two rows a sentence")
    try:
        number, variant, target, length, _ = (int(right[name]) for name in INTEGERS)
    except ValueError as error:
        raise malformed(place, str(error), "whole numbers") from None
    tokens = right["sent"].removesuffix("<eos>").rstrip(" ").split(" ")
    if not 0 < length <= target < len(tokens):
        told = f"len_prefix {target}, len_context {length}"
        raise malformed(place, told, f"a target below {len(tokens)}")
    made = released_item(
        path,
        construction=right["pattern"],
        number=number,
        variant=variant,
        value=NUMBERS.get(right["correct_number"], right["correct_number"]),
        tokens=tokens,
        span=(target - length, target),
        forms=(right["form"], wrong["form"]),
    )
    facts = {"n_attr": right["n_attr"]}
    item = replace(made, kind=kind, facts=facts)
    return replace(item, facts=facts | kept("tab", (right, wrong), list(_rows(item, None))))


def released_item(
    path: Path,
    *,
    construction: str,
    number: int,
    variant: int,
    value: str,
    tokens: Sequence[str],
    span: tuple[int, int],
    forms: tuple[str, str],
) -> Item:
    """An item of a file of the paper: `span` is cue and target (0-based, cue first), `forms` the
    right and the wrong one; the right one is put into the sentence. Its cluster is left open."""
    cue, target = span
    tags = construction.partition("__")[2].split("_")
    words = (*tokens[:target], forms[0], *tokens[target + 1 :])
    wrong_value = {"Sing": "Plur", "Plur": "Sing"}.get(value, "")
    agreement = Agreement(
        treebank=stem(path, ENDINGS),
        file=path.name,
        sent_id="",
        rule="released",
        construction=construction,
        number=number,
        feature="Number",
        values=("Plur", "Sing"),
        value=value,
        cue_index=cue,
        target_index=target,
        cue=words[cue],
        cue_upos=tags[0],
        target_upos=tags[-1],
        target_feats="_",
        lemma="_",
        right=forms[0],
        wrong=forms[1],
        gap=target - cue - 1,
        attractors=(),
        tokens=words,
        upos=(),
        feats=(),
        spaces=("", *[" "] * (len(words) - 1)),
        variant=variant,
        flags=("equal_forms",) if forms[0] == forms[1] else (),
        wrong_value=wrong_value,
        wrong_forms={wrong_value: forms[1]} if wrong_value else {},
    )
    language, source, licence = _provenance(path)
    return Item(
        item_id=item_id(stem(path, ENDINGS), construction, number, variant),
        kind="nonce" if variant else "original",
        cluster_id="",
        language=language,
        source=source,
        licence=licence,
        conditions=pair(agreement),
        agreement=agreement,
    )


def _provenance(path: Path) -> tuple[str, str, str]:
    """Language, source and licence, as far as folder and file name tell them."""
    language = LANGUAGES.get(path.resolve().parent.name, "und")
    if language != "und" and stem(path, ENDINGS) in RELEASED:
        return language, SOURCE, LICENCE
    return "und", stem(path, ENDINGS), ""


FORMAT = Format(read, write)
