"""How often does `mine --rule tested` accept what is no agreement, and how much does it take?

    python -m bench.agreement FOLDER [--runs N] [--seed N]

FOLDER holds the treebanks named below: thirteen on which the floors of the rule were chosen, eight
held out. Four kinds of null runs make corpora in which words agree by chance alone:

- sentence: values are shuffled among the words of one POS in a sentence;
- stratum: the same in a document, or in fifty sentences where documents are not marked;
- doubled: the same as stratum, every pair of words counted twice;
- role: the values of the targets are rotated among the instances of each construction.

An acceptance is false where the grammar of the language denies the agreement (`is_denied`): a noun
as object, oblique or attribute of another word, a complement clause. Of other constructions
(subject and verb) a shuffle leaves some: a sentence with one noun and one verb is as it was.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from colorless_green.data.items.features import with_value
from colorless_green.miner.rule import Rule
from colorless_green.miner.search.instances import Finder
from colorless_green.miner.search.token_columns import Block, InstanceColumns
from colorless_green.miner.treebank.surface import surface_of
from colorless_green.miner.treebank.treebank import sentences, treebank
from colorless_green.miner.treebank_mining import search_for
from colorless_green.miner.verdict.construction import Construction
from colorless_green.miner.verdict.counts import count_block
from colorless_green.miner.verdict.evidence import evidence
from colorless_green.miner.verdict.procedure import Thresholds

CHOSEN = [
    "Slovenian-SSJ",
    "Polish-PDB",
    "German-GSD",
    "English-EWT",
    "Finnish-TDT",
    "Turkish-IMST",
    "Hebrew-HTB",
    "Basque-BDT",
    "Hindi-PUD",
    "Indonesian-GSD",
    "Afrikaans-AfriBooms",
    "Hungarian-Szeged",
    "Arabic-PUD",
]
HELD_OUT = [
    "Italian-ParTUT",
    "Russian-GSD",
    "Czech-FicTree",
    "Spanish-GSD",
    "French-Sequoia",
    "Greek-GDT",
    "Romanian-RRT",
    "Croatian-SET",
]
KINDS = ("sentence", "stratum", "doubled", "role")
STRATUM = 50
DENIED = {"obj", "iobj", "obl", "nmod", "ccomp", "parataxis", "vocative", "discourse", "dislocated"}
OBJECTS = {"eu", "hu", "ka", "hi", "ur"}  # the verb agrees with objects too
POSSESSED = {"hu", "tr", "fi", "ug"}  # the noun agrees with its possessor
SIZES = (12, 16, 20, 30, 50, 80, 120, 200)


def is_denied(each: Construction, language: str) -> bool:
    """Whether no grammar says of these two words that they agree."""
    direction, cue, target, relation = (each.base or each.name).split("__")
    dependent, head = (cue, target) if direction == "L" else (target, cue)
    relation = relation.partition(":")[0]
    if relation not in DENIED:
        return False
    if relation in ("ccomp", "parataxis"):
        return True
    if dependent not in ("NOUN", "PROPN"):  # reflexives, possessives, relatives do agree
        return False
    if relation == "nmod":
        return head in ("NOUN", "PROPN") and language not in POSSESSED
    return head == "VERB" and not (relation in ("obj", "iobj", "obl") and language in OBJECTS)


class Corpus:
    """A treebank in one block, of which null corpora can be made."""

    def __init__(self, folder: Path, name: str) -> None:
        source = treebank([folder / f"UD_{name}"])
        self.language = source.language
        self.decide = Rule().procedure.decide
        self.finder = Finder(search_for(Rule(), ["Number"], self.language))
        self.block = Block(self.finder.strings)
        self.documents: list[int] = []
        document, seen = 0, set()
        for number, (_, sentence) in enumerate(sentences(source)):
            words = "\x1f".join(sentence.forms).lower()
            if words in seen:  # repeated sentences count once
                continue
            seen.add(words)
            document += any(line.startswith("# newdoc") for line in sentence.comments)
            self.documents.append(document or number // STRATUM)
            self.block.add(surface_of(sentence, "apart"))
        if document < 10:
            self.documents = [number // STRATUM for number in range(len(self.documents))]
        self.feats = self.block.feats.copy()
        self.found = self.finder.find(self.block)[0]
        self.values = self.finder.values_of("Number", self.feats)

    def decided(self, found: InstanceColumns, *, doubled: bool = False) -> list[Construction]:
        """The verdicts on these instances."""
        instances = count_block(self.finder, self.block, found, self.documents)
        instances = instances.with_columns(syncretic=pl.lit(value=False))
        if doubled:
            instances = pl.concat([instances, instances])
        return self.decide(instances, Thresholds())

    def null(self, kind: str, rng: np.random.Generator) -> list[Construction]:
        """The verdicts on a null corpus."""
        if kind == "role":
            found = self.finder.find(self.block)[0]
            keys = np.unique(self.finder.keys(self.block, found), return_inverse=True)[1]
            for key in range(keys.max() + 1):
                rows = np.flatnonzero(keys == key)
                by = int(rng.integers(1, max(2, len(rows))))
                for column, mine in ((found.agreed, found.forward), (found.value, ~found.forward)):
                    own = rows[mine[rows]]
                    column[own] = np.roll(column[own], by)
            return self.decided(found)
        group = self.block.sentence
        if kind != "sentence":
            group = np.array(self.documents)[group]
        self.block.feats = self.shuffled(
            group * len(self.finder.strings.upos) + self.block.upos, rng
        )
        try:
            return self.decided(self.finder.find(self.block)[0], doubled=kind == "doubled")
        finally:
            self.block.feats = self.feats

    def shuffled(self, group: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """FEATS whose values were exchanged among the words of each group that have one."""
        words = np.flatnonzero(self.values >= 0)
        order = words[np.lexsort((rng.random(len(words)), group[words]))]
        places = words[np.argsort(group[words], kind="stable")]
        values = self.values.copy()
        values[places] = self.values[order]
        names, values_of = list(self.finder.strings.feats), list(self.finder.values)
        pairs, same = np.unique(
            np.stack([self.feats[words], values[words]]), axis=1, return_inverse=True
        )
        codes = [
            self.finder.strings.feats[with_value(names[feats], "Number", values_of[value])]
            for feats, value in pairs.T.tolist()
        ]
        feats = self.feats.copy()
        feats[words] = np.array(codes)[same.reshape(-1)]
        return feats


def power(corpora: dict[str, Corpus], rng: np.random.Generator) -> Iterator[str]:
    """The share of samples of n sentences of a true construction that would be accepted."""
    large: list[tuple[float, pl.DataFrame]] = []
    for corpus in corpora.values():
        instances = count_block(corpus.finder, corpus.block, corpus.found, corpus.documents)
        for part in instances.partition_by("construction"):
            each = evidence(part)
            if each.n >= 60 and each.passes(0.85) and each.p < 0.005:
                large.append((each.rate, part))
    yield "| n | rate ≥ .95 | .90 to .95 |"
    yield "|--:|--:|--:|"
    for size in SIZES:
        cells = []
        for low, high in ((0.95, 1.01), (0.9, 0.95)):
            passed = [
                each.passes(0.85) and each.p < 0.005
                for rate, part in large
                if low <= rate < high and len(part) >= size
                for _ in range(20)
                for each in [evidence(part.sample(size, seed=int(rng.integers(1 << 30))))]
            ]
            cells.append(f"{np.mean(passed):.2f}" if passed else "-")
        yield f"| {size} | {cells[0]} | {cells[1]} |"


def main() -> None:
    """Prints the tables of docs/method.md."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3, help="null runs a treebank and kind")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    corpora = {name: Corpus(asked.folder, name) for name in (*CHOSEN, *HELD_OUT)}
    for title, names in (("the thirteen", CHOSEN), ("held out", HELD_OUT)):
        figures = np.zeros(4, int)
        for name in names:
            corpus = corpora[name]
            verdicts = corpus.decided(corpus.found)
            denied = [
                each for each in verdicts if each.p is not None and is_denied(each, corpus.language)
            ]
            names = [each.name for each in denied if each.accepted]
            figures += (
                sum(each.accepted for each in verdicts),
                sum(each.undecided for each in verdicts),
                len(denied),
                len(names),
            )
            if names:
                print(f"{name}: {', '.join(names)}")
        print(
            f"as they are, {title}: accepted {figures[0]}, undecided {figures[1]}; of {figures[2]} "
            f"that grammars deny {figures[3]} accepted"
        )
    print("\n| null | runs | runs with a false acceptance | accepted a run, all | false |")
    print("|---|--:|--:|--:|--:|")
    total = np.zeros(2, int)
    for kind in KINDS:
        runs: list[tuple[int, int]] = []
        for name, corpus in corpora.items():
            for _ in range(asked.runs):
                verdicts = corpus.null(kind, rng)
                accepted = [each for each in verdicts if each.accepted]
                false = [each for each in accepted if is_denied(each, corpus.language)]
                runs.append((len(accepted), len(false)))
                for each in false:
                    print(f"<!-- {kind} {name} {each.name} {each.n_agree}/{each.n} -->")
        with_false = sum(false > 0 for _, false in runs)
        total += (len(runs), with_false)
        means = np.mean(runs, axis=0)
        print(
            f"| {kind} | {len(runs)} | {with_false} ({with_false / len(runs):.1%}) "
            f"| {means[0]:.2f} | {means[1]:.3f} |",
            flush=True,
        )
    print(f"| all | {total[0]} | {total[1]} ({total[1] / total[0]:.1%}) | | |\n")
    print("\n".join(power(corpora, rng)))


if __name__ == "__main__":
    main()
