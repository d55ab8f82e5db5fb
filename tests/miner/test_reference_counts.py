"""Every arc of fifty-eight treebanks against reference counts that two other programs agreed
on."""

import csv
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

import pytest

from colorless_green.miner import (
    ARC,
    Request,
    count,
    rule_named,
    search_for,
    sentences,
    tables,
    treebank,
)
from tests.builders import shared

Counted = dict[tuple[str, ...], tuple[int, int]]


def coarse(name: str) -> tuple[str, ...]:
    """Cue, target, universal relation and order of a construction."""
    direction, cue, target, relation = name.split("__")
    order = "head_second" if direction == "L" else "head_first"
    return cue, target, relation.partition(":")[0], order


def by_pos(name: str) -> tuple[str, ...]:
    """Cue, context less punctuation, and target of a construction."""
    cue, *context, target = name.partition("__")[2].split("_")
    return cue, " ".join(upos for upos in context if upos != "PUNCT"), target


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "columns", "by", "key", "n_rows"),
    [
        ("agreement_coarse.tsv", ("cue", "target", "deprel", "order"), "coarse", coarse, 980),
        ("agreement_constructions.tsv", ("cue", "context", "target"), "pos", by_pos, 210),
    ],
)
def test_constructions_have_the_reference_counts(
    table: str,
    columns: tuple[str, ...],
    by: str,
    key: Callable[[str], tuple[str, ...]],
    n_rows: int,
) -> None:
    expected: dict[str, Counted] = defaultdict(dict)
    with open(shared("treebanks", table), encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            name = tuple(row[column] for column in columns)
            expected[row["treebank"]][name] = (int(row["n"]), int(row["agree"]))
    assert sum(map(len, expected.values())) == n_rows
    request = Request(
        "tested", repair="none", patterns=(ARC,), filters=("none",), gap_in="tokens", by=by
    )
    folders = [path for path in sorted(shared("treebanks").iterdir()) if path.is_dir()]
    assert {path.name for path in folders} >= expected.keys()
    for folder in folders:
        if by == "pos" and folder.name not in expected:
            continue
        found: Counted = defaultdict(lambda: (0, 0))
        source = treebank([folder])
        # every sentence, also those that come again, and values as they are written
        search = replace(search_for(request, rule_named("tested"), source.language), evidence=False)
        counts = count((sentence for _, sentence in sentences(source)), search)
        for each, cells in tables(counts.instances).items():
            n, n_agree = found[key(each.name)]
            same = sum(many for (cue, target), many in cells.items() if cue == target)
            found[key(each.name)] = (n + sum(cells.values()), n_agree + same)
        if by == "coarse":  # the table has all of thirty instances or more
            frequent = {name: each for name, each in found.items() if each[0] >= 30}
            assert frequent == expected.get(folder.name, {}), folder.name
        for name, figures in expected.get(folder.name, {}).items():
            assert found[name] == figures, (folder.name, name)
