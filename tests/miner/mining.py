"""Treebanks made of blocks, mined; and the files of the shared ones."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from colorless_green.data import Sentence
from colorless_green.miner import (
    ConstructionKey,
    MinedTreebank,
    Rule,
    UniMorph,
    mine_treebank,
    read,
    treebank,
)
from tests.builders import SHARED, relational, write_conllu

BETWEEN = ("x/x/ADP/_/5/obl",) * 3
"""Three words that hang on the fifth: the least that stands between cue and target."""


def _files() -> Iterator[Any]:
    """Every treebank file; in CI of each treebank the smallest, if it is a small one."""
    by_folder: dict[Path, list[Path]] = {}
    for path in sorted(SHARED.glob("treebanks/*/*.conllu.gz")):
        by_folder.setdefault(path.parent, []).append(path)
    for paths in by_folder.values():
        smallest = min(paths, key=lambda each: each.stat().st_size)
        for path in paths:
            in_ci = path == smallest and path.stat().st_size < 200_000
            marks = () if in_ci else pytest.mark.thorough
            yield pytest.param(path, id=path.name, marks=marks)


ALL_FILES = pytest.mark.parametrize(
    "path", [*_files()] or [pytest.param(SHARED / "treebanks", id="treebanks")]
)


def mined(
    folder: Path,
    rule: str,
    *blocks: str,
    language: str = "",
    vocabulary: frozenset[str] | None = None,
    unimorph: UniMorph | None = None,
    exceptions: bool = False,
    repeats: bool = False,
    features: Sequence[str] = ("Number",),
    **options: object,
) -> MinedTreebank:
    """Return what a rule finds in a treebank of these blocks, each with a number before its id.

    Sentences of the same words count once; so of blocks that are the same each but the first gets
    a word at its end, but for `repeats`."""
    different = blocks if repeats else told_apart(blocks)
    numbered = (block.replace("sent_id = ", f"sent_id = {n}-") for n, block in enumerate(different))
    path = write_conllu(folder / "xx-ud-train.conllu", *numbered)
    settings = Rule(extends=rule, **options)  # type: ignore[arg-type]
    return mine_treebank(
        treebank([path], language=language),
        settings,
        features=features,
        vocabulary=vocabulary,
        unimorph=unimorph,
        exceptions=exceptions,
    )


def told_apart(blocks: Iterable[str]) -> Iterator[str]:
    """Yield the blocks, with a word without features behind each that was there before."""
    seen: Counter[str] = Counter()
    for block in blocks:
        seen[block] += 1
        yield with_word(block, f"o{seen[block]}") if seen[block] > 1 else block


def with_word(block: str, form: str) -> str:
    """Return the sentence with one word more at its end, which hangs on the root."""
    rows = [line.split("\t") for line in block.split("\n") if line[:1].isdigit()]
    words = [row for row in rows if "-" not in row[0]]
    root = next(row[0] for row in words if row[6] == "0")
    more = (str(len(words) + 1), form, "o", "INTJ", "_", "_", root, "discourse", "_", "_")
    return block.rstrip("\n") + "\n" + "\t".join(more) + "\n\n"


SCHEMA = {
    **dict.fromkeys(("feature", "construction", "cue_value", "target_value"), pl.Categorical),
    **dict.fromkeys(("cue_feats", "target_feats", "cue", "target"), pl.Categorical),
    **dict.fromkeys(("cue_lemma", "target_lemma"), pl.Categorical),
    "digest": pl.UInt64,
    **dict.fromkeys(("document", "block", "n_alike", "n_matching"), pl.UInt32),
    "syncretic": pl.Boolean,
}
"""What a rule that tests looks at of the table of instances."""


def instances_of(tables: Mapping[ConstructionKey, Mapping[tuple[str, str], int]]) -> pl.DataFrame:
    """Instances that meet so often in these values, each in a sentence and a document of its own
    where another word like the cue has the other value."""
    return instances(
        {
            "feature": key.feature,
            "construction": key.name,
            "cue_value": cue,
            "target_value": target,
        }
        for key, table in tables.items()
        for (cue, target), n in table.items()
        for _ in range(n)
    )


def instances(rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """Return a table of instances. What a row leaves out is that of an instance in a sentence of
    its own, in which another word might as well be its cue."""
    full = [
        {
            "feature": "Number",
            "construction": "L__NOUN__VERB__nsubj",
            "cue_feats": f"Number={row['cue_value']}",
            "target_feats": f"Number={row['target_value']}",
            "cue": f"cue{number}",
            "target": f"target{number}",
            "digest": number,
            "cue_lemma": f"cue{number}",
            "target_lemma": f"target{number}",
            "document": number,
            "block": row.get("document", number),
            "n_alike": 2,
            "n_matching": 1,
            "syncretic": False,
            **row,
        }
        for number, row in enumerate(rows)
    ]
    return pl.DataFrame(full, schema=SCHEMA)


def events(path: Path, **options: Any) -> list[Sentence | str]:
    """Sentences and messages of faults, in the order in which they come."""
    found: list[Sentence | str] = []
    for sentence in read(path, on_bad=lambda fault: found.append(str(fault)), **options):
        found.append(sentence)
    return found


def clause(cue: str, target: str, *more: str) -> str:
    """Return a subject with the FEATS `cue`, three words, and a verb `form/lemma/FEATS`; then
    words from position 6 on, and last a noun with other values than the subject."""
    form, lemma, feats = target.split("/")
    subject = f"c{cue.rpartition('=')[2]}/cue/NOUN/{cue}/5/nsubj"
    other = "|".join(map(contrary, cue.split("|")))
    return relational(
        subject, *BETWEEN, f"{form}/{lemma}/VERB/{feats}/0/root", *more, f"o/o/NOUN/{other}/5/obl"
    )


def contrary(value: str) -> str:
    """Return number or Gender with another value than this."""
    others = {"Number=Sing": "Number=Plur", "Number": "Number=Sing", "Gender=Masc": "Gender=Fem"}
    return others.get(value, others.get(value.partition("=")[0], "Gender=Masc"))


def clauses(n: int, **forms: tuple[str, str]) -> list[str]:
    """`n` clauses for each Number: the form and lemma of its verb."""
    return [
        clause(f"Number={value}", f"{form}/{lemma}/Number={value}")
        for value, (form, lemma) in forms.items()
        for _ in range(n)
    ]


def numbered_clauses(n: int, **forms: tuple[str, str]) -> list[str]:
    """Return the same, each with an id and a last word of its own."""
    return [
        with_word(block.replace("s1", f"s{number}"), f"o{number}")
        for number, block in enumerate(clauses(n, **forms))
    ]


def pairs_of(mining: MinedTreebank) -> set[tuple[str, str]]:
    """Return the right and the wrong form of each original."""
    return {(each.right, each.wrong) for each in mining.agreements}


def accepted(mining: MinedTreebank) -> set[str]:
    """Return the names of the constructions that the rule accepts."""
    return {each.name for each in mining.constructions if each.accepted}
