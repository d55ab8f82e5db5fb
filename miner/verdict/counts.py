"""One pass over a treebank: the instances as a table, and the paradigms."""

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import polars as pl

from ...data.arrays import Integers, Truths
from ...data.errors import InputError
from ...data.items.features import agreement_value, parse_feats, value_of
from ...data.items.tree import Sentence
from ..search.instances import Finder, Search, feature_name
from ..search.token_columns import Block, InstanceColumns, joined, ranges
from ..treebank.paradigms import MISSING, Analysis, count_analyses
from ..treebank.surface import Surface, surface_of
from ..treebank.treebank import Repair
from .construction import ConstructionKey

COUNT_BATCH = 64  # sentences whose words are counted in one call: fewer calls, a tenth of counting
STRATUM = 50  # sentences that count as a document where none is marked
NEW_DOCUMENT = "newdoc"
OVERT = 0.95  # share of clauses with a subject below which subjects may be unspoken
SHOWN_UNKNOWN = 3  # words outside a vocabulary that are named
MIN_DOCUMENTS = 10  # fewer, and strata stand for them

COUNTED = (
    *("sentences", "words", "ranges", "arcs", "near", "kept", "clauses", "with_subject"),
    "contradicted",
)
"""The numbers that are counted as sentences are read."""
INSTANCES = {
    "feature": pl.Categorical,
    "construction": pl.Categorical,
    "cue_value": pl.Categorical,
    "target_value": pl.Categorical,
    "sentence": pl.UInt32,  # its number in the part, faulty ones counted
    "controller": pl.UInt32,  # positions in the sentence
    "agreeing": pl.UInt32,
    "ghost": pl.Int32,  # number of the ghost that is the controller, or −1
}
"""Columns of the table of instances. Rules that test have those of `EVIDENCE` too."""
EVIDENCE = {
    "digest": pl.UInt64,  # of the sentence's words in small letters
    "document": pl.UInt32,
    "target_upos": pl.Categorical,
    "cue_feats": pl.Categorical,
    "target_feats": pl.Categorical,
    "cue": pl.Categorical,  # forms in small letters
    "target": pl.Categorical,
    "cue_lemma": pl.Categorical,
    "target_lemma": pl.Categorical,
    "n_alike": pl.UInt32,  # the cue and words like it in the sentence
    "n_matching": pl.UInt32,  # of these, those whose value is the target's
}


class Instance(NamedTuple):
    """Two words that both carry the feature: a row of the table of instances."""

    feature: str  # `Number`, or `Number~Number[abs]` where the two carry it under two names
    construction: str
    cue_value: str
    target_value: str
    controller: int
    agreeing: int
    ghost: int

    @property
    def cue(self) -> int:
        """The position of whichever of the two comes first."""
        return min(self.controller, self.agreeing)

    @property
    def target(self) -> int:
        """The position of whichever of the two comes second."""
        return max(self.controller, self.agreeing)

    @property
    def features(self) -> tuple[str, str]:
        """The names under which cue and target carry the feature."""
        of_controller, _, of_agreeing = self.feature.partition("~")
        names = of_controller, of_agreeing or of_controller
        return names if self.controller < self.agreeing else names[::-1]


@dataclass(frozen=True, slots=True)
class Stages:
    """Numbers of what reached each stage of a rule."""

    n_sentences: int
    n_words: int
    n_withheld: int  # words whose form is "_": text that may not be distributed
    n_ranges: int
    n_arcs: int
    n_near: int
    n_kept: int
    n_with_feature: int  # instances
    n_keys: int
    n_by_pattern: dict[str, int]  # instances that a path found
    n_left_out: dict[str, int]  # instances that each filter left out
    annotated: dict[str, int]  # feature → words that carry it
    carried: dict[str, int]  # the same of every feature, the most frequent first
    n_clauses: int = 0  # with a finite verb that is no imperative, second conjuncts left aside
    n_with_subject: int = 0  # of these, those with an overt subject
    n_analyses: int = 0  # words, multiword tokens and empty nodes
    n_lemmas: int = 0  # of these, those with a lemma
    n_contradicted: int = 0  # sentences whose `# text` has other words
    n_known: int | None = None  # analyses whose form is in the vocabulary, where one is given
    unknown: tuple[str, ...] = ()  # the most frequent of those that are not

    @property
    def null_subjects(self) -> bool:
        """True where subjects may be unspoken, as far as the treebank's annotation tells."""
        return self.n_with_subject < OVERT * self.n_clauses or not self.n_clauses


@dataclass(slots=True)
class Counts:
    """Counts over a part, or over several. They grow with the instances and with the distinct
    analyses."""

    instances: pl.DataFrame = field(default_factory=pl.DataFrame)
    analyses: Counter[Analysis] = field(default_factory=Counter)
    n_by_pattern: Counter[str] = field(default_factory=Counter)
    n_left_out: Counter[str] = field(default_factory=Counter)
    n: Counter[str] = field(default_factory=Counter)
    """Numbers of `COUNTED`, and of documents."""
    faults: list[InputError] = field(default_factory=list)  # of sentences left out
    parsers: dict[str, None] = field(default_factory=dict)  # what first sentences say of them
    relations: dict[str, None] = field(default_factory=dict)

    def add(self, part: "Counts") -> None:
        """Add what another part, later in the treebank, has counted, but for its instances."""
        for name in ("analyses", "n_by_pattern", "n_left_out", "n", "parsers", "relations"):
            getattr(self, name).update(getattr(part, name))
        self.faults += part.faults

    def finish(self, repair: Repair | None = None) -> None:
        """Leave out the instances of sentences whose words another one had before, and mark each
        target whose form the treebank has with several values."""
        sentence_key = pl.col("part").cast(pl.UInt64) * 2**32 + pl.col("sentence")
        unrepeated = self.instances.filter(sentence_key == sentence_key.first().over("digest"))
        if n_repeated := len(self.instances) - len(unrepeated):
            self.n_left_out["repeats"] = n_repeated
        nth = pl.col("stratum").rank("dense") - 1  # small files, too, are odd and even by turns
        block = nth if self.n["documents"] < MIN_DOCUMENTS else pl.col("document")
        unrepeated = unrepeated.with_columns(block=block.cast(pl.UInt32))
        rows: set[tuple[str, str, str, bool]] = set()  # forms that have several values
        classes = set(unrepeated["target_upos"].unique())
        repairs = {feats: repair(feats) if repair else feats for *_, feats in self.analyses}
        for label in unrepeated["feature"].unique():
            for name in label.split("~"):
                values = {feats: value_of(repaired, name) for feats, repaired in repairs.items()}
                value_of_word: dict[tuple[str, str], str] = {}
                for form, _, upos, feats in self.analyses:
                    if upos in classes and (written := values[feats]) is not None:
                        value = agreement_value(name, written)
                        word = (upos, form.lower())
                        if value_of_word.setdefault(word, value) != value:
                            rows.add((label, *word, True))
        on = ["feature", "target_upos", "target"]
        schema = {**dict.fromkeys(on, pl.Categorical), "syncretic": pl.Boolean}
        syncretic = pl.DataFrame(list(rows), schema=schema, orient="row")
        self.instances = unrepeated.join(
            syncretic, on, how="left", maintain_order="left"
        ).with_columns(pl.col("syncretic").fill_null(value=False))

    def stages(
        self,
        features: Sequence[str],
        repair: Repair | None = None,
        vocabulary: Container[str] | None = None,
    ) -> Stages:
        """Return the totals, for the run's record."""
        of_feats: Counter[str] = Counter()
        n_withheld = n_lemmas = 0
        for (form, lemma, _, feats), n in self.analyses.items():
            of_feats[feats] += n
            n_withheld += n if form == MISSING else 0
            n_lemmas += n if lemma != MISSING else 0
        repaired = [(repair(feats) if repair else feats, n) for feats, n in of_feats.items()]
        annotated = {
            feature: sum(n for feats, n in repaired if value_of(feats, feature))
            for feature in features
        }
        carried: Counter[str] = Counter()
        for feats, n in of_feats.items():
            carried.update(dict.fromkeys(parse_feats(feats), n))
        unknown: Counter[str] = Counter()
        if vocabulary is not None:
            for (form, *_), n in self.analyses.items():
                if form not in vocabulary:
                    unknown[form] += n
        return Stages(
            **{f"n_{name}": self.n[name] for name in COUNTED},
            n_withheld=n_withheld,
            n_with_feature=len(self.instances),
            n_keys=self.instances.select(pl.struct("feature", "construction").n_unique()).item(),
            n_by_pattern=dict(self.n_by_pattern),
            n_left_out=dict(self.n_left_out),
            annotated=annotated,
            carried=dict(carried.most_common()),
            n_analyses=self.analyses.total(),
            n_lemmas=n_lemmas,
            n_known=None if vocabulary is None else self.analyses.total() - unknown.total(),
            unknown=tuple(form for form, _ in unknown.most_common(SHOWN_UNKNOWN)),
        )


def count(sentences: Iterable[Sentence], search: Search, repair: Repair | None = None) -> Counts:
    """Count instances and analyses over sentences: the first pass of mining.

    Args:
        sentences: sentences as they were read; their analyses are counted unrepaired.
        search: which pairs of words are instances.
        repair: FEATS → repaired FEATS, for instances; `None`: as annotated.

    Returns:
        The counts; `instances` has one row per instance, in the order of the sentences.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import Rule, read, search_for
    >>> search = search_for(Rule(extends="strict"), ["Number"], "en")
    >>> counts = count(read(sample.treebank("en")), search)
    >>> counts.n["sentences"], tables(counts.instances)["Number", "X__NOUN_NOUN_VERB"]
    (450, {('Sing', 'Sing'): 17, ('Plur', 'Plur'): 17})
    """
    finder = Finder(search, repair)
    frames = [_table({}, search.evidence)]
    counts = Counts()
    documents: list[int] = []  # of the sentences of a block
    waiting: list[Sentence] = []

    merging, evidence = search.selection.merging, search.evidence

    def surfaces() -> Iterator[Surface]:
        n_words = n_ranges = n_documents = 0
        for sentence in sentences:
            waiting.append(sentence)
            if len(waiting) == COUNT_BATCH:
                count_analyses(waiting, counts.analyses)
                waiting.clear()
            n_words += len(sentence.forms)
            n_ranges += len(sentence.ranges)
            if evidence:
                n_documents += sum(
                    x.lstrip("# \t").startswith(NEW_DOCUMENT) for x in sentence.comments
                )
            documents.append(n_documents)
            yield surface_of(sentence, merging)
        counts.n.update(words=n_words, ranges=n_ranges, documents=n_documents)

    paths = [pattern.name for pattern in search.patterns]
    for block in finder.blocks(surfaces()):
        instances, left_out, stages = finder.find(block)
        counts.n.update({"sentences": len(documents), **stages})
        for names, numbers, counter in (
            (finder.left_out, left_out, counts.n_left_out),
            (paths, instances.pattern[instances.pattern >= 0], counts.n_by_pattern),
        ):
            for number, n in enumerate(np.bincount(numbers).tolist()):
                if n:
                    counter[names[number]] += n
        if len(instances):
            frames.append(count_block(finder, block, instances, documents))
        if evidence:
            counts.n.update(_subject_counts(block))
        documents.clear()
    count_analyses(waiting, counts.analyses)
    counts.instances = pl.concat(frames)
    counts.relations = dict.fromkeys(finder.strings.deprels)
    return counts


def _table(columns: dict[str, pl.Series], evidence: bool) -> pl.DataFrame:
    schema = {**INSTANCES, **EVIDENCE} if evidence else INSTANCES
    return pl.DataFrame(columns, schema=schema)


def count_block(
    finder: Finder, block: Block, instances: InstanceColumns, documents: Sequence[int]
) -> pl.DataFrame:
    """Return the rows of a block's instances; `documents`: of each of its sentences."""

    def chosen(names: Iterable[str], codes: Integers) -> pl.Series:
        return pl.Series(names, dtype=pl.Categorical).gather(codes)

    cue, target = instances.ends
    sentence = block.sentence[instances.agreeing]
    controller_values, agreeing_values = finder.compared(instances)
    values = list(finder.values)
    columns = {
        "feature": chosen(map(feature_name, finder.kinds), instances.kind),
        "construction": pl.Series(finder.keys(block, instances), dtype=pl.Categorical),
        "cue_value": chosen(
            values, np.where(instances.forward, controller_values, agreeing_values)
        ),
        "target_value": chosen(
            values, np.where(instances.forward, agreeing_values, controller_values)
        ),
        "sentence": pl.Series(block.numbers, dtype=pl.UInt32).gather(sentence),
        "controller": pl.Series(instances.controller - block.starts[sentence], dtype=pl.UInt32),
        "agreeing": pl.Series(instances.agreeing - block.starts[sentence], dtype=pl.UInt32),
        "ghost": pl.Series(instances.ghost, dtype=pl.Int32),
    }
    if finder.search.evidence:
        numbers, nth = np.unique(sentence, return_inverse=True)
        digests = pl.Series([_digest(block.forms[number]) for number in numbers], dtype=pl.UInt64)
        n_alike, n_matching = matching_counts(finder, block, instances)
        feats = list(finder.strings.feats)
        columns |= {
            "digest": digests.gather(nth),
            "document": pl.Series(documents, dtype=pl.UInt32).gather(sentence),
            "target_upos": chosen(list(finder.strings.upos), block.upos[target]),
            "cue_feats": chosen(feats, block.feats[cue]),
            "target_feats": chosen(feats, block.feats[target]),
            "cue": pl.Series(block.lowercase_forms(cue), dtype=pl.Categorical),
            "target": pl.Series(block.lowercase_forms(target), dtype=pl.Categorical),
            "cue_lemma": pl.Series(block.annotated_lemmas(cue), dtype=pl.Categorical),
            "target_lemma": pl.Series(block.annotated_lemmas(target), dtype=pl.Categorical),
            "n_alike": pl.Series(n_alike, dtype=pl.UInt32),
            "n_matching": pl.Series(n_matching, dtype=pl.UInt32),
        }
    return _table(columns, finder.search.evidence)


def _digest(forms: Sequence[str]) -> int:
    words = "\x1f".join(forms).lower().encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "big")


def matching_counts(
    finder: Finder, block: Block, instances: InstanceColumns
) -> tuple[Integers, Integers]:
    """Count for each instance the words of its sentence that might be the cue, and those of them
    that match the target.

    Those are the cue and every other word of its POS that has a value, but for the target, other
    words that stand to the target as the cue does, and words coordinated with the cue.
    """
    n_alike, n_matching = np.zeros((2, len(instances)), np.int64)
    forward = instances.forward
    cue_features = np.where(forward, *np.array(finder.kinds, object)[instances.kind].T)
    conjunct = block.has_relation(frozenset({"conj"})) & (block.heads >= 0)
    chain = np.where(conjunct, block.heads, np.arange(len(block)))
    for _ in range(len(block).bit_length()):  # the first of those that a word is coordinated with
        chain = chain[chain]
    width, n_values = len(finder.strings.upos), len(finder.values) + 1
    groups = [block.sentence * width + block.upos, chain * width + block.upos]
    bits: dict[str, int] = {}
    atoms = [[bits.setdefault(atom, len(bits)) for atom in v.split(",")] for v in finder.values]
    masks = np.array([sum({1 << bit for bit in parts if bit < 63}) for parts in atoms], np.int64)

    def meets(left: Integers, right: Integers) -> Integers:
        """Tell whether two values, which may be sets (`Fem,Masc`), have one in common."""
        met: Truths = (left == right) | (masks[left] & masks[right] != 0)
        return met.astype(np.int64)

    for feature in dict.fromkeys(cue_features.tolist()):
        rows = np.flatnonzero(cue_features == feature)
        part = instances.where(rows)
        cue = part.ends[0]
        values = finder.values_of(feature, block.feats)
        target_values = np.where(part.forward, part.agreed, part.value)
        # words of one sentence and POS are a group, those of one value in it a cell; so are those
        # of one coordination and POS, which may be long: they are counted, not gone through
        total, matching = np.ones(len(rows)), meets(values[cue], target_values).astype(float)
        for group, sign in zip(groups, (1, -1), strict=True):
            cells, sizes = np.unique((group * n_values + values)[values >= 0], return_counts=True)
            start = np.searchsorted(cells, group[cue] * n_values)
            row, cell = ranges(start, np.searchsorted(cells, (group[cue] + 1) * n_values) - start)
            hit = meets(cells[cell] % n_values, target_values[row])
            total += sign * np.bincount(row, sizes[cell], len(rows))
            matching += sign * np.bincount(row, sizes[cell] * hit, len(rows))
        row, word = _not_exchangeable(block, part)
        out = (groups[0][word] == groups[0][cue[row]]) & (values[word] >= 0)
        out &= chain[word] != chain[cue[row]]
        row, word = row[out], word[out]
        total -= np.bincount(row, minlength=len(rows))
        matching -= np.bincount(row, meets(values[word], target_values[row]), len(rows))
        n_alike[rows], n_matching[rows] = total, matching
    return n_alike, n_matching


def _not_exchangeable(block: Block, part: InstanceColumns) -> tuple[Integers, Integers]:
    """Return (instance, word) for words that could not be its cue by chance, conjuncts aside: the
    target, sisters of the same relation, and cues of the target by the same path; each pair
    once."""
    cue, target = part.ends
    sisters = np.where(
        block.heads >= 0, block.heads * len(block.strings.deprels) + block.deprels, -1
    )
    arcs = np.flatnonzero((part.pattern < 0) & part.forward)
    paths = np.flatnonzero(part.pattern >= 0)
    by_path = part.pattern[paths] * len(block) + target[paths]
    row, sister = joined(sisters, sisters[cue[arcs]])
    path_row, path_mate = joined(by_path, by_path)
    rows = np.concatenate([np.arange(len(cue)), arcs[row], paths[path_row]])
    words = np.concatenate([target, sister, cue[paths[path_mate]]])
    pairs = np.unique(rows * len(block) + words)
    return pairs // len(block), pairs % len(block)


def _subject_counts(block: Block) -> dict[str, int]:
    """Count clauses with a finite verb that is no imperative, and those of them with a subject.
    Second conjuncts, which share the first one's subject, are left aside."""
    finite = block.has_feats({"VerbForm": frozenset({"Fin"})})
    finite &= ~block.has_feats({"Mood": frozenset({"Imp"})})
    finite &= block.has_upos(frozenset({"VERB", "AUX"}))
    words = np.flatnonzero(finite)
    auxiliary = block.has_relation(frozenset({"aux", "cop"}))[words] & (block.heads[words] >= 0)
    heads = np.unique(np.where(auxiliary, block.heads[words], words))
    heads = heads[~block.has_relation(frozenset({"conj"}))[heads]]
    subject = block.has_child(frozenset({"nsubj", "csubj", "expl"}))
    return {"clauses": len(heads), "with_subject": int(subject[heads].sum())}


def tables(instances: pl.DataFrame) -> Mapping[ConstructionKey, Mapping[tuple[str, str], int]]:
    """Tabulate instances: how often which values of cue and target meet.

    Args:
        instances: a frame with a row for each instance, as `count` makes it.

    Returns:
        Construction → (cue value, target value) → number, in the order first seen.

    >>> columns = ["feature", "construction", "cue_value", "target_value"]
    >>> row = ["Number", "L__NOUN_VERB", "Sing", "Sing"]
    >>> tables(pl.DataFrame([row, row], columns, orient="row"))
    {ConstructionKey(feature='Number', name='L__NOUN_VERB'): {('Sing', 'Sing'): 2}}
    """
    cells = instances.group_by(
        "feature", "construction", "cue_value", "target_value", maintain_order=True
    ).len()
    by_construction: dict[ConstructionKey, dict[tuple[str, str], int]] = {}
    for feature, name, cue, target, n in cells.iter_rows():
        by_construction.setdefault(ConstructionKey(feature, name), {})[(cue, target)] = n
    return by_construction


def rows_of(instances: pl.DataFrame) -> dict[ConstructionKey, Integers]:
    """Return construction → the rows of its instances in the table."""
    groups = instances.with_row_index("row").group_by("feature", "construction").agg("row")
    return {
        ConstructionKey(feature, name): np.array(rows) for feature, name, rows in groups.iter_rows()
    }
