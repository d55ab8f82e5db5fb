"""Every arc of fifty-eight treebanks against reference counts that two other programs agreed on
(treebank facts §6)."""

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from colorless_green.miner import ARC, Mining, Request, mine, treebank
from tests.builders import shared

Counted = dict[tuple[str, ...], tuple[int, int]]


def rows(name: str) -> Iterator[dict[str, str]]:
    with open(shared("treebanks", name), encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t")


def mined(folder: Path, by: str) -> Mining:
    request = Request(
        "tested", repair="none", patterns=(ARC,), filters=("none",), gap_in="tokens", by=by
    )
    return mine(treebank([folder]), request)


def folders() -> list[Path]:
    return sorted(path for path in shared("treebanks").iterdir() if path.is_dir())


@pytest.mark.shared
@pytest.mark.slow
def test_coarse_constructions_have_the_reference_counts() -> None:
    expected: dict[str, Counted] = defaultdict(dict)
    for row in rows("agreement_coarse.tsv"):
        key = (row["cue"], row["target"], row["deprel"], row["order"])
        expected[row["treebank"]][key] = (int(row["n"]), int(row["agree"]))
    n_compared = 0
    for folder in folders():
        sums: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
        for each in mined(folder, "coarse").constructions:
            direction, cue, target, relation = each.name.split("__")
            order = "head_second" if direction == "L" else "head_first"
            total = sums[(cue, target, relation.partition(":")[0], order)]
            total[0] += each.n
            total[1] += each.n_agree
        ours = {key: (n, agree) for key, (n, agree) in sums.items() if n >= 30}
        assert ours == expected.get(folder.name, {}), folder.name
        n_compared += len(ours)
    assert n_compared == 980


@pytest.mark.shared
@pytest.mark.slow
def test_constructions_by_pos_have_the_reference_counts() -> None:
    expected: dict[str, Counted] = defaultdict(dict)
    for row in rows("agreement_constructions.tsv"):
        key = (row["cue"], row["context"], row["target"])
        expected[row["treebank"]][key] = (int(row["n"]), int(row["agree"]))
    n_compared = 0
    for folder in folders():
        sums: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
        for each in mined(folder, "pos").constructions:
            cue, *context, target = each.name.partition("__")[2].split("_")
            kept = " ".join(upos for upos in context if upos != "PUNCT")
            total = sums[(cue, kept, target)]
            total[0] += each.n
            total[1] += each.n_agree
        for found, counts in expected.get(folder.name, {}).items():
            assert tuple(sums[found]) == counts, (folder.name, found)
            n_compared += 1
    assert n_compared == 210
