"""Measure how often `mine --rule tested` accepts constructions whose words do not agree.

It also measures how many instances the rule needs to accept constructions that do agree.

    python -m bench.agreement FOLDER [--runs N] [--seed N]

FOLDER has the treebanks named below: thirteen on which the floors of the rule were chosen, eight
held out. Six kinds of null runs make corpora in which words agree by chance alone:

- sentence: values are shuffled among the words of one POS in a sentence;
- stratum: the same in a document, or in fifty sentences if documents are not marked;
- doubled: the same as stratum, with every pair of words counted twice;
- role: the values of the targets are rotated among the instances of each construction;
- document: they are shuffled among its instances in a document, or in fifty sentences;
- lemmas: they are shuffled among its instances with the same pair of lemmas.

An acceptance is false if no grammar of the language has such an agreement (`is_denied`): with a
noun as object, oblique or attribute of another word, with a complement clause. Other constructions
(subject and verb) may be accepted rightly even in a null run, since shuffling changes nothing in a
sentence with one noun and one verb.
"""

import argparse
from collections.abc import Iterator, Mapping
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
from colorless_green.miner.verdict.construction import Construction, Thresholds
from colorless_green.miner.verdict.counts import MIN_DOCUMENTS, instance_table
from colorless_green.miner.verdict.evidence import evidence

CHOOSING_TREEBANKS = [
    "Slovenian-SSJ", "Polish-PDB", "German-GSD", "English-EWT", "Finnish-TDT", "Turkish-IMST",
    "Hebrew-HTB", "Basque-BDT", "Hindi-PUD", "Indonesian-GSD", "Afrikaans-AfriBooms",
    "Hungarian-Szeged", "Arabic-PUD",
]  # fmt: skip
HELD_OUT_TREEBANKS = [
    "Italian-ParTUT", "Russian-GSD", "Czech-FicTree", "Spanish-GSD", "French-Sequoia", "Greek-GDT",
    "Romanian-RRT", "Croatian-SET",
]  # fmt: skip
NULL_KINDS = ("sentence", "stratum", "doubled", "role", "document", "lemmas")
SENTENCES_PER_BLOCK = 50  # if documents are not marked
MIN_RATE, MAX_P = 0.85, 0.005  # to accept a sample: bound of its rate of agreement, and p
MIN_LARGE = 60  # instances of a construction from which samples are drawn
DECIDE = Rule().procedure.decide  # (instances, thresholds) → verdicts on constructions
N_SAMPLES = 20  # of each size from each construction
DENIED_RELATIONS = {
    "obj",
    "iobj",
    "obl",
    "nmod",
    "ccomp",
    "parataxis",
    "vocative",
    "discourse",
    "dislocated",
}
WITH_OBJECT_AGREEMENT = {"eu", "hu", "ka", "hi", "ur"}  # the verb agrees with objects too
WITH_POSSESSOR_AGREEMENT = {"hu", "tr", "fi", "ug"}  # the noun agrees with its possessor
SAMPLE_SIZES = (12, 16, 20, 30, 50, 80, 120, 200)


def is_denied(construction: Construction, language: str) -> bool:
    """Tell whether grammars of the language deny that the words of a construction agree."""
    direction, cue, target, relation = (construction.base or construction.name).split("__")
    # L: the cue depends on the target; R: the target on the cue
    dependent, head = (cue, target) if direction == "L" else (target, cue)
    relation = relation.partition(":")[0]
    if relation not in DENIED_RELATIONS:
        return False
    if relation in ("ccomp", "parataxis"):
        return True
    if dependent not in ("NOUN", "PROPN"):  # reflexives, possessives and relatives do agree
        return False
    if relation == "nmod":
        return head in ("NOUN", "PROPN") and language not in WITH_POSSESSOR_AGREEMENT
    return head == "VERB" and not (
        relation in ("obj", "iobj", "obl") and language in WITH_OBJECT_AGREEMENT
    )


class Corpus:
    """A treebank as one block, from which null corpora (values shuffled) can be made."""

    def __init__(self, folder: Path, name: str) -> None:
        source = treebank([folder / f"UD_{name}"])
        self.language = source.language
        self.finder = Finder(search_for(Rule(), ["Number"], self.language))
        self.block = Block(self.finder.strings)
        self.documents: list[int] = []
        strata: list[int] = []
        seen: set[str] = set()
        document = 0
        for number, (_, sentence) in enumerate(sentences(source)):
            words = "\x1f".join(sentence.forms).lower()
            if words in seen:  # repeated sentences count once
                continue
            seen.add(words)
            document += any(line.startswith("# newdoc") for line in sentence.comments)
            self.documents.append(document)
            strata.append(number // SENTENCES_PER_BLOCK)
            self.block.add(surface_of(sentence, "apart"))
        self.text_blocks = np.array(strata if document < MIN_DOCUMENTS else self.documents)
        self.feats = self.block.feats.copy()
        self.found, _, _ = self.finder.find(self.block)
        self.values = self.finder.values_of("Number", self.feats)

    def instances(self, found: InstanceColumns) -> pl.DataFrame:
        """Return the table of instances, as the first pass of mining makes it."""
        sentence = self.block.sentence[found.agreeing]
        return instance_table(self.finder, self.block, found, self.documents).with_columns(
            block=pl.Series(self.text_blocks[sentence], dtype=pl.UInt32), syncretic=pl.lit(False)
        )

    def null(self, kind: str, rng: np.random.Generator) -> pl.DataFrame:
        """Return the table of instances of a null corpus of one of the `NULL_KINDS`."""
        if kind in ("role", "document", "lemmas"):
            return self.exchange_targets(kind, rng)
        place = self.block.sentence if kind == "sentence" else self.text_blocks[self.block.sentence]
        group = place * len(self.finder.strings.upos) + self.block.upos  # of words of one POS
        self.block.feats = self.shuffle(group, rng)
        try:
            found, _, _ = self.finder.find(self.block)
            instances = self.instances(found)
        finally:
            self.block.feats = self.feats
        return pl.concat([instances, instances]) if kind == "doubled" else instances

    def exchange_targets(self, kind: str, rng: np.random.Generator) -> pl.DataFrame:
        """Return the table of instances in which those of one construction exchanged their targets'
        values: `role`, rotated; `document` and `lemmas`, shuffled within these."""
        found, _, _ = self.finder.find(self.block)
        table = self.instances(found)
        columns = {"document": ["block"], "lemmas": ["cue_lemma", "target_lemma"]}.get(kind, [])
        group = table.select(pl.struct("construction", *columns).rank("dense")).to_series()
        groups = group.to_numpy().astype(np.int64)
        # the target is the second word: the agreeing one (`agreed`) where the controller is first
        for column, is_target in (
            (found.agreeing_value, found.forward),
            (found.value, ~found.forward),
        ):
            rows = np.flatnonzero(is_target)
            if kind == "role":
                for number in np.unique(groups[rows]).tolist():
                    members = rows[groups[rows] == number]
                    column[members] = np.roll(
                        column[members], int(rng.integers(1, max(2, len(members))))
                    )
            else:
                column[rows] = exchanged_values(column[rows], groups[rows], rng)
        return self.instances(found)

    def shuffle(self, group: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
        """Return codes of the words' FEATS, with their Numbers shuffled within each group."""
        words = np.flatnonzero(self.values >= 0)  # those that have a Number
        values = self.values.copy()
        values[words] = exchanged_values(values[words], group[words], rng)
        names, values_of = list(self.finder.strings.feats), list(self.finder.values)
        # each distinct pair of old FEATS and new Number is written once
        pairs, pair_of_word = np.unique(
            np.stack([self.feats[words], values[words]]), axis=1, return_inverse=True
        )
        codes = [
            self.finder.strings.feats[with_value(names[feats], "Number", values_of[value])]
            for feats, value in pairs.T.tolist()
        ]
        feats = self.feats.copy()
        feats[words] = np.array(codes)[pair_of_word.reshape(-1)]
        return feats


def exchanged_values(
    values: NDArray[np.int64], groups: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the values, shuffled within each group."""
    result = values.copy()
    shuffled = np.lexsort((rng.random(len(values)), groups))  # by group, at random within it
    result[np.argsort(groups, kind="stable")] = values[shuffled]
    return result


def power(corpora: Mapping[str, Corpus], rng: np.random.Generator) -> Iterator[str]:
    """Yield the lines of a table: the share of samples with n instances of a true construction that
    would be accepted.

    Instances are drawn one by one, or as whole documents until there are enough.
    """

    def is_accepted(part: pl.DataFrame) -> bool:
        """Tell whether the rule accepts a construction that has these instances."""
        found = evidence(part)
        return found.passes(MIN_RATE) and found.p is not None and found.p < MAX_P

    large = [
        (evidence(part).rate, part)
        for corpus in corpora.values()
        for part in corpus.instances(corpus.found).partition_by("construction")
        if len(part) >= MIN_LARGE and is_accepted(part)
    ]
    yield "| n | rate ≥ .95 | .90 to .95 | ≥ .95, whole documents |"
    yield "|--:|--:|--:|--:|"
    for size in SAMPLE_SIZES:
        cells = []
        # the columns: lowest rate, the rate that is above all, and if whole documents are drawn
        for low, high, whole in ((0.95, 1.01, False), (0.9, 0.95, False), (0.95, 1.01, True)):
            passed = [
                is_accepted(sample_of_size(part, size, rng, whole=whole))
                for rate, part in large
                if low <= rate < high and len(part) >= size
                for _ in range(N_SAMPLES)
            ]
            cells.append(f"{np.mean(passed):.2f}" if passed else "-")
        yield f"| {size} | {' | '.join(cells)} |"


def sample_of_size(
    part: pl.DataFrame, size: int, rng: np.random.Generator, *, whole: bool
) -> pl.DataFrame:
    """Draw `size` instances at random, or (`whole`) random documents until they have that many."""
    if not whole:
        return part.sample(size, seed=int(rng.integers(1 << 30)))
    blocks = rng.permutation(part["block"].unique(maintain_order=True).to_numpy())
    # the place of each instance's block in this random order
    place = pl.Series(np.argsort(blocks)[np.searchsorted(np.sort(blocks), part["block"])])
    ordered = part.with_columns(place=place).sort("place", maintain_order=True)
    last = ordered["place"][size - 1]
    return ordered.filter(pl.col("place") <= last)


def print_observed(title: str, corpora: Mapping[str, Corpus]) -> None:
    """Print how many constructions of treebanks are accepted, undecided, and accepted though
    grammars deny them; and the names of these last ones."""
    n_accepted = n_undecided = n_denied = n_false = 0
    for name, corpus in corpora.items():
        verdicts = DECIDE(corpus.instances(corpus.found), Thresholds())
        tested = [verdict for verdict in verdicts if verdict.evidence is not None]
        denied = [verdict for verdict in tested if is_denied(verdict, corpus.language)]
        false_names = [verdict.name for verdict in denied if verdict.accepted]
        n_accepted += sum(verdict.accepted for verdict in verdicts)
        n_undecided += sum(verdict.undecided for verdict in verdicts)
        n_denied += len(denied)
        n_false += len(false_names)
        if false_names:
            print(f"{name}: {', '.join(false_names)}")
    print(
        f"as they are, {title}: accepted {n_accepted}, undecided {n_undecided}; of {n_denied} "
        f"that grammars deny {n_false} accepted"
    )


def print_null_runs(corpora: Mapping[str, Corpus], n_runs: int, rng: np.random.Generator) -> None:
    """Print a table of null runs: how many accept a construction that grammars deny, and the mean
    numbers of all accepted constructions and of these."""
    print("\n| null | runs | runs with a false acceptance | accepted a run, all | false |")
    print("|---|--:|--:|--:|--:|")
    n_all_runs = n_all_with_false = 0
    for kind in NULL_KINDS:
        runs: list[tuple[int, int]] = []  # numbers of accepted and of falsely accepted ones
        for name, corpus in corpora.items():
            for _ in range(n_runs):
                verdicts = DECIDE(corpus.null(kind, rng), Thresholds())
                accepted = [verdict for verdict in verdicts if verdict.accepted]
                false = [verdict for verdict in accepted if is_denied(verdict, corpus.language)]
                runs.append((len(accepted), len(false)))
                for verdict in false:
                    print(f"<!-- {kind} {name} {verdict.name} {verdict.n_agree}/{verdict.n} -->")
        with_false = sum(n_false > 0 for _, n_false in runs)
        n_all_runs, n_all_with_false = n_all_runs + len(runs), n_all_with_false + with_false
        mean_accepted, mean_false = np.mean(runs, axis=0)
        print(
            f"| {kind} | {len(runs)} | {with_false} ({with_false / len(runs):.1%}) "
            f"| {mean_accepted:.2f} | {mean_false:.3f} |",
            flush=True,
        )
    share = n_all_with_false / n_all_runs
    print(f"| all | {n_all_runs} | {n_all_with_false} ({share:.1%}) | | |\n")


def main() -> None:
    """Print the tables of docs/method.md."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=3, help="null runs a treebank and kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    chosen = {name: Corpus(options.folder, name) for name in CHOOSING_TREEBANKS}
    held_out = {name: Corpus(options.folder, name) for name in HELD_OUT_TREEBANKS}
    print_observed("the thirteen", chosen)
    print_observed("held out", held_out)
    corpora = {**chosen, **held_out}
    print_null_runs(corpora, options.runs, rng)
    print("\n".join(power(corpora, rng)))


if __name__ == "__main__":
    main()
