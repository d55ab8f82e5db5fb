"""The first pass over a treebank: count words' analyses, and make a table of the instances.

An *instance* is a pair of words that both carry the feature. A *document* is a stretch of sentences
from one `# newdoc` to the next, a *stratum* a stretch of fifty sentences.
"""

import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import numpy as np
import polars as pl

from ...data.arrays import Integers, Truths
from ...data.errors import InputError
from ...data.items.features import agreement_value, parse_feats, value_of
from ...data.items.tree import Sentence
from ..parse import parsed_by
from ..search.construction_names import construction_names
from ..search.instances import Finder, Search, feature_name
from ..search.token_columns import Block, InstanceColumns, joined, ranges
from ..treebank.paradigms import MISSING, Analysis, count_analyses
from ..treebank.surface import Surface, contradicts_text, surface_of
from ..treebank.treebank import Repair
from .construction import ConstructionKey

COUNT_BATCH = 64  # sentences whose words are counted in one call, to save a tenth of the time
SENTENCES_PER_STRATUM = 50  # which stand for a document if few are marked
NEW_DOCUMENT, SENT_ID = "newdoc", "sent_id"  # names of comments
MAX_SENT_IDS = 250_000  # sentence ids kept to find repeats: more than any treebank has
MIN_WITH_SUBJECT = 0.95  # if a smaller share of clauses has a subject, subjects may be unspoken
MAX_SHOWN_UNKNOWN = 3  # words outside the vocabulary that a message names
MIN_DOCUMENTS = 10  # with fewer documents, strata are used instead

STAGE_NAMES = (
    *("sentences", "words", "ranges", "arcs", "near", "kept", "clauses", "with_subject"),
    "contradicted",
)
"""The names of the numbers in `Counts.n` that become fields of `Stages`."""
INSTANCES = {
    "feature": pl.Categorical,
    "construction": pl.Categorical,
    "cue_value": pl.Categorical,
    "target_value": pl.Categorical,
    "sentence": pl.UInt32,  # its number in the part of a file, counting faulty ones too
    "controller": pl.UInt32,  # positions in the sentence
    "agreeing": pl.UInt32,
    "ghost": pl.Int32,  # the ghost's word, if the controller is a ghost, or −1
}
"""The columns of the table of instances; for rules that test, those of `EVIDENCE` follow."""
EVIDENCE = {
    "digest": pl.UInt64,  # of the sentence's lowercase words
    "document": pl.UInt32,
    "target_upos": pl.Categorical,
    "cue_feats": pl.Categorical,
    "target_feats": pl.Categorical,
    "cue": pl.Categorical,  # lowercase forms
    "target": pl.Categorical,
    "cue_lemma": pl.Categorical,
    "target_lemma": pl.Categorical,
    "n_alike": pl.UInt32,  # number of words in the sentence like the cue, itself included
    "n_matching": pl.UInt32,  # number of these that have the target's value
}


class Instance(NamedTuple):
    """Two words that both carry the feature: a row of the table of instances."""

    feature: str  # `Number`, or `Number~Number[abs]` if the two carry it under two names
    construction: str
    cue_value: str
    target_value: str
    controller: int
    agreeing: int
    ghost: int

    @property
    def cue(self) -> int:
        """The position of the word that comes first."""
        return min(self.controller, self.agreeing)

    @property
    def target(self) -> int:
        """The position of the word that comes second."""
        return max(self.controller, self.agreeing)

    @property
    def features(self) -> tuple[str, str]:
        """The names under which cue and target carry the feature, in this order."""
        controller_name, _, agreeing_name = self.feature.partition("~")
        names = controller_name, agreeing_name or controller_name
        return names if self.controller < self.agreeing else names[::-1]


@dataclass(frozen=True, slots=True)
class Stages:
    """The numbers of a run: sentences, words, dependencies and instances at each stage."""

    n_sentences: int
    n_words: int
    n_withheld: int  # words whose form is "_": text that may not be distributed
    n_ranges: int  # multiword tokens
    n_arcs: int  # dependencies
    n_near: int  # of these, those with the right gap and direction
    n_kept: int  # of these, those that meet the other conditions
    n_with_feature: int  # instances
    n_keys: int  # constructions
    n_by_pattern: dict[str, int]  # pattern → instances that it found
    n_left_out: dict[str, int]  # filter → instances that it left out
    annotated: dict[str, int]  # mined feature → words that carry it, after repair
    carried: dict[str, int]  # any feature → words that carry it, the most frequent first
    n_clauses: int = 0  # with a finite verb that is no imperative; second conjuncts do not count
    n_with_subject: int = 0  # of these, those with an overt subject
    n_analyses: int = 0  # words, multiword tokens and empty nodes
    n_lemmas: int = 0  # of these, those with a lemma
    n_contradicted: int = 0  # sentences whose `# text` has other words
    n_known: int | None = None  # analyses with a form in the vocabulary; `None`: none was given
    unknown: tuple[str, ...] = ()  # the most frequent forms that are not in it

    @property
    def null_subjects(self) -> bool:
        """True if many clauses of the treebank lack a subject: subjects may be unspoken."""
        return self.n_with_subject < MIN_WITH_SUBJECT * self.n_clauses or not self.n_clauses


@dataclass(slots=True)
class Counts:
    """The counts of one part of a treebank, or the sum over several; memory grows with the number
    of instances and of distinct analyses."""

    instances: pl.DataFrame = field(default_factory=pl.DataFrame)
    analyses: Counter[Analysis] = field(default_factory=Counter)
    n_by_pattern: Counter[str] = field(default_factory=Counter)
    n_left_out: Counter[str] = field(default_factory=Counter)
    n: Counter[str] = field(default_factory=Counter)
    """The numbers named in `STAGE_NAMES`, and that of documents."""
    faults: list[InputError] = field(default_factory=list)  # of sentences left out
    parsers: dict[str, None] = field(default_factory=dict)  # named by the files' first sentences
    relations: dict[str, None] = field(default_factory=dict)  # all that occur
    ids: set[str] = field(default_factory=set)  # of the sentences of this part; `add` leaves it
    has_repeats: bool = False  # an id comes twice in this part; `add` leaves it

    def note_source(self, sentence: Sentence) -> None:
        """Note the id of a sentence and, if it is a file's first one, the parser that made it."""
        starts_file = sentence.line <= len(sentence.comments) + 1  # only its comments before it
        if sentence.number == 0 and starts_file:
            self.parsers[parsed_by(sentence.comments)] = None
        sent_id = sentence.comment(SENT_ID)
        if sent_id is not None and len(self.ids) < MAX_SENT_IDS:
            self.has_repeats |= sent_id in self.ids
            self.ids.add(sent_id)

    def add(self, part: "Counts") -> None:
        """Add the counts of a later part of the treebank, without its table of instances."""
        for name in ("analyses", "n_by_pattern", "n_left_out", "n", "parsers", "relations"):
            getattr(self, name).update(getattr(part, name))
        self.faults += part.faults

    def finish(self, repair: Repair | None = None) -> None:
        """Complete the table of instances for a rule that tests.

        Leave out the instances of repeated sentences; add the column `block` (the document, or the
        stratum if there are few documents) and `syncretic` (the treebank has the target's form with
        several values).
        """
        # One number for (part, number of the sentence in it), which is below 2³².
        sentence_key = pl.col("part").cast(pl.UInt64) * 2**32 + pl.col("sentence")
        unrepeated = self.instances.filter(sentence_key == sentence_key.first().over("digest"))
        if n_repeated := len(self.instances) - len(unrepeated):
            self.n_left_out["repeats"] = n_repeated
        rank = pl.col("stratum").rank("dense") - 1  # so that small files, too, alternate in parity
        block = rank if self.n["documents"] < MIN_DOCUMENTS else pl.col("document")
        unrepeated = unrepeated.with_columns(block=block.cast(pl.UInt32))
        syncretic = self._syncretic_forms(unrepeated, repair)
        columns = ["feature", "target_upos", "target"]
        joined_tables = unrepeated.join(syncretic, columns, how="left", maintain_order="left")
        self.instances = joined_tables.with_columns(pl.col("syncretic").fill_null(value=False))

    def _syncretic_forms(self, instances: pl.DataFrame, repair: Repair | None) -> pl.DataFrame:
        """Return a table of the forms that the treebank has with several values of a feature, with
        the columns `feature`, `target_upos`, `target` (the form) and `syncretic`, always True."""
        rows: set[tuple[str, str, str, bool]] = set()
        target_tags = set(instances["target_upos"].unique())
        repairs = {feats: repair(feats) if repair else feats for *_, feats in self.analyses}
        for feature in instances["feature"].unique():
            for name in feature.split("~"):  # two names if the two words carry it under two
                values = {feats: value_of(repaired, name) for feats, repaired in repairs.items()}
                first_values: dict[tuple[str, str], str] = {}
                for form, _, upos, feats in self.analyses:
                    if upos in target_tags and (annotated := values[feats]) is not None:
                        value = agreement_value(name, annotated)
                        word = (upos, form.lower())
                        if first_values.setdefault(word, value) != value:
                            rows.add((feature, *word, True))
        columns = ("feature", "target_upos", "target")
        schema = {**dict.fromkeys(columns, pl.Categorical), "syncretic": pl.Boolean}
        return pl.DataFrame(list(rows), schema=schema, orient="row")

    def stages(
        self,
        features: Sequence[str],
        repair: Repair | None = None,
        vocabulary: Container[str] | None = None,
    ) -> Stages:
        """Return the numbers of the run; words are compared with `vocabulary` if it is given."""
        n_by_feats, unknown = Counter[str](), Counter[str]()
        n_withheld = n_lemmas = 0
        for (form, lemma, _, feats), n in self.analyses.items():
            n_by_feats[feats] += n
            n_withheld += n if form == MISSING else 0
            n_lemmas += n if lemma != MISSING else 0
            if vocabulary is not None and form not in vocabulary:
                unknown[form] += n
        repaired = [(repair(feats) if repair else feats, n) for feats, n in n_by_feats.items()]
        annotated = {
            feature: sum(n for feats, n in repaired if value_of(feats, feature))
            for feature in features
        }
        carried = Counter[str]()
        for feats, n in n_by_feats.items():
            carried.update(dict.fromkeys(parse_feats(feats), n))
        return Stages(
            **{f"n_{name}": self.n[name] for name in STAGE_NAMES},
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
            unknown=tuple(form for form, _ in unknown.most_common(MAX_SHOWN_UNKNOWN)),
        )


def count(sentences: Iterable[Sentence], search: Search, repair: Repair | None = None) -> Counts:
    """Count instances and analyses over sentences: the first pass of mining.

    Args:
        sentences: sentences as they were read; their analyses are counted unrepaired.
        search: the conditions that make a pair of words an instance.
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
    finder, counts = Finder(search, repair), Counts()
    documents: list[int] = []  # of each sentence of the block
    frames = [pl.DataFrame(schema=INSTANCES | (EVIDENCE if search.evidence else {}))]
    for block in finder.blocks(_counted_surfaces(sentences, search, counts, documents)):
        instances, left_out, stages = finder.find(block)
        counts.n.update({"sentences": len(documents), **stages})
        counts.n_left_out.update(_name_counts(finder.left_out, left_out))
        pattern_names = [pattern.name for pattern in search.patterns]
        by_path = instances.pattern[instances.pattern >= 0]
        counts.n_by_pattern.update(_name_counts(pattern_names, by_path))
        if len(instances):
            frames.append(instance_table(finder, block, instances, documents))
        if search.evidence:
            counts.n.update(_subject_counts(block))
        documents.clear()
    counts.instances = pl.concat(frames)
    counts.relations = dict.fromkeys(finder.strings.deprels)
    return counts


def _counted_surfaces(
    sentences: Iterable[Sentence], search: Search, counts: Counts, documents: list[int]
) -> Iterator[Surface]:
    """Yield each sentence as its surface, and add it to `counts`.

    The number of its document, 0 before the first `# newdoc`, is added to `documents`.
    """
    remaining = iter(sentences)
    while batch := list(islice(remaining, COUNT_BATCH)):
        count_analyses(batch, counts.analyses)
        for sentence in batch:
            counts.note_source(sentence)
            counts.n["words"] += len(sentence.forms)
            counts.n["ranges"] += len(sentence.ranges)
            counts.n["contradicted"] += contradicts_text(sentence)
            if search.evidence:
                comments = (comment.lstrip("# \t") for comment in sentence.comments)
                starts = sum(comment.startswith(NEW_DOCUMENT) for comment in comments)
                counts.n["documents"] += starts
            documents.append(counts.n["documents"])
            yield surface_of(sentence, search.selection.merging)


def _name_counts(names: Sequence[str], indices: Integers) -> dict[str, int]:
    """Return name → number of the indices that mean it, without names that none of them means."""
    n_by_index = np.bincount(indices, minlength=len(names)).tolist()
    return {name: n for name, n in zip(names, n_by_index, strict=True) if n}


def instance_table(
    finder: Finder, block: Block, instances: InstanceColumns, documents: Sequence[int]
) -> pl.DataFrame:
    """Make the table of a block's instances; `documents` has the document of each sentence."""

    def categorical(names: Iterable[str], codes: Integers) -> pl.Series:
        """Return a column with the name that each code means."""
        return pl.Series(names, dtype=pl.Categorical).gather(codes)

    cue, target = instances.ends
    sentence = block.sentence[instances.agreeing]
    forward, (of_controller, of_agreeing) = instances.forward, finder.compared(instances)
    construction = construction_names(finder, block, instances)
    values = list(finder.values)
    columns = {
        "feature": categorical(map(feature_name, finder.kinds), instances.kind),
        "construction": pl.Series(construction, dtype=pl.Categorical),
        "cue_value": categorical(values, np.where(forward, of_controller, of_agreeing)),
        "target_value": categorical(values, np.where(forward, of_agreeing, of_controller)),
        "sentence": pl.Series(block.numbers, dtype=pl.UInt32).gather(sentence),
        "controller": pl.Series(instances.controller - block.starts[sentence], dtype=pl.UInt32),
        "agreeing": pl.Series(instances.agreeing - block.starts[sentence], dtype=pl.UInt32),
        "ghost": pl.Series(instances.ghost, dtype=pl.Int32),
    }
    if finder.search.evidence:
        numbers, rank = np.unique(sentence, return_inverse=True)
        digests = pl.Series([_digest(block.forms[number]) for number in numbers], dtype=pl.UInt64)
        n_alike, n_matching = matching_counts(finder, block, instances)
        feats = list(finder.strings.feats)
        columns |= {
            "digest": digests.gather(rank),
            "document": pl.Series(documents, dtype=pl.UInt32).gather(sentence),
            "target_upos": categorical(list(finder.strings.upos), block.upos[target]),
            "cue_feats": categorical(feats, block.feats[cue]),
            "target_feats": categorical(feats, block.feats[target]),
            "cue": pl.Series(block.lowercase_forms(cue), dtype=pl.Categorical),
            "target": pl.Series(block.lowercase_forms(target), dtype=pl.Categorical),
            "cue_lemma": pl.Series(block.annotated_lemmas(cue), dtype=pl.Categorical),
            "target_lemma": pl.Series(block.annotated_lemmas(target), dtype=pl.Categorical),
            "n_alike": pl.Series(n_alike, dtype=pl.UInt32),
            "n_matching": pl.Series(n_matching, dtype=pl.UInt32),
        }
    return pl.DataFrame(columns)


def _digest(forms: Sequence[str]) -> int:
    """Return a 64-bit digest of a sentence's words in small letters."""
    words = "\x1f".join(forms).lower().encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "big")


def matching_counts(
    finder: Finder, block: Block, instances: InstanceColumns
) -> tuple[Integers, Integers]:
    """Count for each instance the words of its sentence that are like the cue, and those among them
    that have the target's value. Return both numbers.

    Words like the cue are the cue itself and all others of its POS that carry the feature, except
    the target, words that have the cue's relation to the target, and conjuncts of the cue.
    """
    n_alike, n_matching = np.zeros((2, len(instances)), np.int64)
    controller_features, agreeing_features = np.array(finder.kinds, object)[instances.kind].T
    cue_features = np.where(instances.forward, controller_features, agreeing_features)
    conjunct = block.has_relation("conj") & (block.heads >= 0)
    first_conjunct = np.where(conjunct, block.heads, np.arange(len(block)))
    for _ in range(len(block).bit_length()):  # follow chains of conjuncts to their beginning
        first_conjunct = first_conjunct[first_conjunct]
    n_tags, n_values = len(finder.strings.upos), len(finder.values) + 1
    by_sentence = block.sentence * n_tags + block.upos  # numbers of groups of words
    by_coordination = first_conjunct * n_tags + block.upos
    # Values may be sets (`Fem,Masc`): each single value has a bit, up to the 63 of an integer.
    bits: dict[str, int] = {}
    sets = [{bits.setdefault(v, len(bits)) for v in text.split(",")} for text in finder.values]
    masks = np.array([sum(1 << bit for bit in values if bit < 63) for values in sets], np.int64)

    def meets(left: Integers, right: Integers) -> Integers:
        """Return 1 for each pair of values that are equal or have a single value in common."""
        met: Truths = (left == right) | (masks[left] & masks[right] != 0)
        return met.astype(np.int64)

    for feature in dict.fromkeys(cue_features.tolist()):
        rows = np.flatnonzero(cue_features == feature)
        part = instances.where(rows)
        cue, _ = part.ends
        values = finder.values_of(feature, block.feats)
        target_values = np.where(part.forward, part.agreeing_value, part.value)
        # Begin with the cue; add the words of its sentence and POS, subtract those of its
        # coordination and POS. In each such group, a cell is the words with one value.
        total, matching = np.ones(len(rows)), meets(values[cue], target_values).astype(float)
        for group, sign in ((by_sentence, 1), (by_coordination, -1)):
            cells, sizes = np.unique((group * n_values + values)[values >= 0], return_counts=True)
            start, stop = np.searchsorted(cells, (group[cue] + [[0], [1]]) * n_values)
            row, cell = ranges(start, stop - start)
            is_match = meets(cells[cell] % n_values, target_values[row])
            total += sign * np.bincount(row, sizes[cell], len(rows))
            matching += sign * np.bincount(row, sizes[cell] * is_match, len(rows))
        row, word = _not_exchangeable(block, part)
        was_added = (by_sentence[word] == by_sentence[cue[row]]) & (values[word] >= 0)
        was_added &= first_conjunct[word] != first_conjunct[cue[row]]
        row, word = row[was_added], word[was_added]
        total -= np.bincount(row, minlength=len(rows))
        matching -= np.bincount(row, meets(values[word], target_values[row]), len(rows))
        n_alike[rows], n_matching[rows] = total, matching
    return n_alike, n_matching


def _not_exchangeable(block: Block, part: InstanceColumns) -> tuple[Integers, Integers]:
    """Return two columns, instance and word, with the words that are not comparable with its cue:
    the target, sisters of the cue with the same relation, and other cues of the target by the same
    path. (Conjuncts of the cue are left out by `matching_counts`.) Each pair comes once."""
    cue, target = part.ends
    # A number for (head, relation), the same for sisters; −1 for roots.
    family = block.heads * len(block.strings.deprels) + block.deprels
    family[block.heads < 0] = -1
    arcs = np.flatnonzero((part.pattern < 0) & part.forward)
    paths = np.flatnonzero(part.pattern >= 0)
    by_path = part.pattern[paths] * len(block) + target[paths]  # a number for (path, target)
    row, sister = joined(family, family[cue[arcs]])
    path_row, same_path_row = joined(by_path, by_path)
    rows = np.concatenate([np.arange(len(cue)), arcs[row], paths[path_row]])
    words = np.concatenate([target, sister, cue[paths[same_path_row]]])
    pairs = np.unique(rows * len(block) + words)
    return pairs // len(block), pairs % len(block)


def _subject_counts(block: Block) -> dict[str, int]:
    """Count the clauses with a finite verb that is no imperative, and those among them with a
    subject. Second conjuncts do not count, since they share the first one's subject."""
    finite = block.has_feats(VerbForm={"Fin"}) & ~block.has_feats(Mood={"Imp"})
    finite &= block.has_upos("VERB", "AUX")
    words = np.flatnonzero(finite)
    auxiliary = block.has_relation("aux", "cop")[words] & (block.heads[words] >= 0)
    heads = np.unique(np.where(auxiliary, block.heads[words], words))
    heads = heads[~block.has_relation("conj")[heads]]
    subject = block.has_child("nsubj", "csubj", "expl")
    return {"clauses": len(heads), "with_subject": int(subject[heads].sum())}


def tables(instances: pl.DataFrame) -> Mapping[ConstructionKey, Mapping[tuple[str, str], int]]:
    """Count the pairs of cue value and target value in the instances of each construction.

    Args:
        instances: a frame with a row for each instance, as `count` makes it.

    Returns:
        Construction → (cue value, target value) → number of instances, in the order first seen.

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
    """Map each construction to the row numbers of its instances in the table `instances`."""
    groups = instances.with_row_index("row").group_by("feature", "construction").agg("row")
    return {
        ConstructionKey(feature, name): np.array(rows) for feature, name, rows in groups.iter_rows()
    }
