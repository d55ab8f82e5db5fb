"""A mining (the run of a rule over a treebank) as rows of tables and of the store, its treebank
found again, and its messages: what the run did, what it left out, and what to try next.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..data import schema
from ..data.errors import InputError
from ..data.files import sha256_file
from ..data.memo import request_key
from ..data.registry import did_you_mean, plugin_file
from ..data.store import Store, now
from ..data.tables import Row
from .rule import TESTED, Rule
from .rules import GROUP, RULES
from .search.pattern import ARC
from .treebank.treebank import Treebank, treebank
from .treebank_mining import MinedTreebank
from .verdict.counts import Stages

STORED_COLUMNS = {"construction": schema.CONSTRUCTIONS, "rejection": schema.REJECTIONS}
"""Table of the store → its columns that hold a mining's rows."""


def construction_rows(mining: MinedTreebank) -> Iterator[Row]:
    """Yield a row of constructions.tsv for each construction and pair of values that the rule
    judged. Under a rule without a test, the columns from `p` to `judged_on` are empty."""
    n_originals = Counter((x.feature, x.construction, x.values) for x in mining.agreements)
    for construction in mining.constructions:
        name, values, evidence = construction.name, construction.values, construction.evidence
        pair_counts = (f"{cue}-{target}:{n}" for (cue, target), n in construction.table.items())
        derived: dict[str, Any] = {  # the other columns are fields of construction or evidence
            "treebank": mining.treebank.name,
            "rule": mining.rule.extends,
            "construction": name,
            "values": "|".join(values),
            "n_by_value": " ".join(pair_counts),
            "n_originals": n_originals[construction.feature, name, values],
            "design_effect": evidence and evidence.deff,
            "judged_on": evidence and ("half of the documents" if construction.halved else "all"),
        }
        fields = {
            column: getattr(construction, column, getattr(evidence, column, None))
            for column in schema.CONSTRUCTIONS
        }
        yield fields | derived


def rejection_rows(mining: MinedTreebank) -> Iterator[Row]:
    """Yield a row of rejections.tsv for each instance of an accepted construction that gave no
    original (a sentence with a right and a wrong form)."""
    for rejection in mining.rejections:
        yield {"treebank": mining.treebank.name, **asdict(rejection)}


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningRequest:
    """A request to mine: a treebank, a rule, and the word lists to use.

    Attributes:
        source: the treebank.
        rule: the rule.
        features: names of the features that agree.
        vocabulary: the file with the models' vocabulary; `None`: the words of the treebank.
        word_list: the UniMorph list of the treebank's language; `None`: none.
        skip_bad: leave out bad sentences and report them.
        from_stdin: the treebank came from standard input, and its files are gone afterwards.
    """

    source: Treebank
    rule: Rule
    features: tuple[str, ...]
    vocabulary: Path | None
    word_list: Path | None
    skip_bad: bool
    from_stdin: bool

    @property
    def key(self) -> str:
        """A digest of everything the result depends on."""
        return request_key(
            "mine", self.source.name, self.source.language, *self.source.files,
            sorted(self.rule.contents().items()), self.features,
            *plugin_file(RULES, self.rule.extends, "rule", GROUP), self.skip_bad, self.vocabulary,
            self.word_list,
        )  # fmt: skip

    @property
    def differing(self) -> dict[str, Any]:
        """The settings that differ from those of the named rule, and the word lists given."""
        files = {"vocabulary": self.vocabulary, "unimorph": self.word_list}
        return self.rule.differing() | {name: path for name, path in files.items() if path}


def save_mining(
    store: Store,
    mining: MinedTreebank,
    *,
    request: MiningRequest,
    skipped: Sequence[str],
) -> int:
    """Add a mining (treebank, constructions, rejections) to the store; return its id.

    Call it in a transaction. Paths are not kept for a treebank from standard input.
    """
    source = mining.treebank
    treebank_id = store.insert(
        "treebank",
        {
            "key": request.key,
            "name": source.name,
            "language": source.language,
            "licence": source.licence,
            "files": _paths_json(() if request.from_stdin else source.files),
            "vocabulary": _path_text(request.vocabulary),
            "rule": mining.rule.label,
            "feature": mining.feature,
            "repair": mining.repair,
            "request": json.dumps(mining.rule.contents(), ensure_ascii=False),
            "parsed_by": mining.parsed_by,
            "stages": json.dumps(asdict(mining.stages)),
            "skipped": json.dumps(list(skipped), ensure_ascii=False),
            "digests": json.dumps([sha256_file(path) for path in source.files]),
            "used": store.tick(),
            "created": now(),
        },
    )
    for table, rows in (
        ("construction", construction_rows(mining)),
        ("rejection", rejection_rows(mining)),
    ):
        columns = STORED_COLUMNS[table]
        stored_rows = (
            (treebank_id, position, *map(row.get, columns)) for position, row in enumerate(rows)
        )
        store.insert_many(table, ("treebank_id", "position", *columns), stored_rows)
    return treebank_id


def _path_text(path: Path | None) -> str:
    """Return the absolute path as text; "" for `None`."""
    return str(path.resolve()) if path else ""


def _paths_json(paths: Sequence[Path]) -> str:
    """Return the absolute paths as a JSON list, as the store keeps them."""
    return json.dumps([str(path.resolve()) for path in paths])


def load_rows(store: Store, table: str, treebank_id: int) -> list[Row]:
    """Return a stored mining's rows of constructions.tsv (`construction`) or rejections.tsv
    (`rejection`)."""
    columns = ", ".join(f'"{column}"' for column in STORED_COLUMNS[table])
    query = f"SELECT {columns} FROM {table} WHERE treebank_id = ? ORDER BY position"
    return list(store.rows(query, (treebank_id,)))


def load_mining(store: Store, treebank_id: int | None = None) -> dict[str, Any] | None:
    """Return the store's row (column → value) of the mining with this id, or of that used last if
    the id is `None`. Return `None` if there is no such row. (The store's table `treebank` has one
    row per mining.)"""
    if treebank_id is None:
        return store.one("SELECT * FROM treebank ORDER BY used DESC LIMIT 1")
    return store.one("SELECT * FROM treebank WHERE treebank_id = ?", (treebank_id,))


def touch_mining(store: Store, treebank_id: int, request: MiningRequest) -> None:
    """Mark a stored mining and its suite of originals as used last, and store the present paths of
    its files. Call it in a transaction."""
    used = store.tick()
    store.execute(
        "UPDATE treebank SET used = ?, vocabulary = ? WHERE treebank_id = ?",
        (used, _path_text(request.vocabulary), treebank_id),
    )
    store.execute(  # a treebank from standard input has no files ('[]')
        "UPDATE treebank SET files = ? WHERE treebank_id = ? AND files != '[]'",
        (_paths_json(request.source.files), treebank_id),
    )
    store.execute(
        "UPDATE suite SET used = ? WHERE treebank_id = ? AND kind = 'originals'",
        (used, treebank_id),
    )


def mined_treebank(row: Mapping[str, Any] | None) -> Treebank | None:
    """Return the treebank that a store's row of a mining names.

    It is `None` for `None`, and for a treebank from standard input. Raises `InputError` if a file
    is gone or has changed since the mining.
    """
    if row is None:
        return None
    paths = [Path(name) for name in json.loads(row["files"])]
    if not paths:
        return None
    for path, digest in zip(paths, json.loads(row["digests"]), strict=False):
        if not path.is_file():
            wrong, right = "the mined file is gone", "mine it where it lies now, or name it"
            raise InputError(str(path), wrong, right, kind="changed")
        if sha256_file(path) != digest:
            wrong, right = "the file was changed since it was mined", "mine it again"
            raise InputError(str(path), wrong, right, kind="changed")
    return treebank(paths, name=row["name"], language=row["language"])


MIN_CARRIED_SHARE = 0.05  # of the words; a feature on fewer words can hardly agree
MAX_SHOWN_FEATURES = 8  # features that a warning proposes instead of a rare one
MAX_SHOWN_FAULTS = 10  # bad sentences that a message names; the store has them all


def mining_advice(rows: Sequence[Row], rule: str, stages: Stages) -> Iterator[str]:
    """Yield advice, line by line, after a mining with no accepted construction or few originals.

    `rows` are those of constructions.tsv, `rule` is the rule's label: its name, and `~` with a
    digest if settings differ.
    """
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    causes = list(_few_originals_causes(stages))
    yield from causes
    if accepted and not causes and not any(row["n_originals"] for row in accepted):
        yield (
            "no original: the treebank does not show the target's other form; try --unimorph "
            "LANGUAGE=FILE (colorless fetch unimorph:LANGUAGE brings such a list)"
        )
    undecided = [row for row in rows if row["verdict"] == "undecided"]
    if undecided and not any(row["n_originals"] for row in undecided):
        yield (
            f"{len(undecided)} constructions agree in at least 90 % of their instances, which are "
            "too few for a verdict; --set undecided=true includes their originals"
        )
    if accepted or not rows:
        return
    rule_name, _, _ = rule.partition("~")
    if rule_name != TESTED:
        yield f"nothing was accepted under the rule {rule}; try --rule {TESTED}"
        return
    tested = [row for row in rows if row["bound"] is not None]
    if not tested:
        largest = max(int(str(row["n"])) for row in rows)  # a cell may be of any type, so `str`
        yield (
            f"no construction has instances enough to be tested (the most frequent has {largest}); "
            f"try a larger treebank, or --set min_n={max(2, largest)}"
        )
        return
    best = max(tested, key=lambda row: (float(str(row["rate"])), int(str(row["n"]))))
    yield (
        f"the best of {len(tested)} constructions tested, {best['construction']}, agrees in "
        f"{float(str(best['rate'])):.0%} of {best['n']} instances: {best['reason']}; try another "
        "--feature, or see the exceptions with --show-exceptions"
    )


def _few_originals_causes(stages: Stages) -> Iterator[str]:
    """Yield a warning for each reason why mining finds few original sentences: most words are not
    in the vocabulary, or have no lemma."""
    n_words = stages.n_analyses  # a warning is given if fewer than half of them are good
    if stages.n_known is not None and 2 * stages.n_known < n_words:
        yield (
            f"only {stages.n_known:,} of {n_words:,} words are in the vocabulary; not in it are "
            f"{' '.join(map(repr, stages.unknown))}: give a text file of whole words, one a line"
        )
    if 2 * stages.n_lemmas < n_words:
        yield (
            f"only {stages.n_lemmas:,} of {n_words:,} words have a lemma, by which the other forms "
            "of a word are found; take a treebank with lemmas, or parse its text with colorless "
            "parse"
        )


def mining_messages(mining: MinedTreebank, faults: Sequence[str]) -> Iterator[str]:
    """Yield the report of a mining for stderr, line by line: sizes, stages, thresholds, faults,
    warnings, and why instances gave no original."""
    stages = mining.stages
    yield (
        f"{mining.treebank.name}: {stages.n_sentences:,} sentences, {stages.n_words:,} words, "
        f"{stages.n_ranges:,} multiword tokens; language {mining.treebank.language}; "
        f"rule {mining.rule.label} ({mining.rule.digest})"
        + (f"; annotation repaired: {mining.repair}" if mining.repair != "none" else "")
    )
    if mining.renumbered:
        yield (
            f"{', '.join(mining.renumbered)}: sentence ids come more than once, so that each has "
            "its line behind it, as weblog-7@1234"
        )
    if mining.parsed_by:
        yield f"parsed by {mining.parsed_by}: a parser's errors are in what follows"
    yield from _stage_messages(mining)
    if mining.thresholds is not None:
        yield (
            f"accepted where q ≤ {mining.thresholds.alpha:g} and the rate is at least "
            f"{mining.thresholds.floor:g} with 95 % confidence, of constructions with ≥ "
            f"{mining.thresholds.min_n} instances; bound: that limit of the rate; n_informative: "
            "sentences with another noun or pronoun of another value"
        )
        if stages.n_clauses:
            overt = stages.n_with_subject / stages.n_clauses
            note = "subjects may be unspoken" if stages.null_subjects else "subjects are spoken"
            yield f"{overt:.0%} of {stages.n_clauses:,} finite clauses have a subject: {note}"
    yield from skipped_messages(faults)
    if 2 * stages.n_withheld > stages.n_words:
        yield "more than half of the forms are _: the text of this treebank is withheld"
    if stages.n_contradicted:
        yield (
            f"{stages.n_contradicted:,} sentences have other words than their # text: their spaces "
            "are those of SpaceAfter"
        )
    yield from _rare_feature_warnings(mining)
    reasons = Counter[str]()
    for rejection in mining.rejections:
        reason, _, _ = rejection.reason.partition(":")  # without the words that it names
        reasons[reason] += 1
    if reasons:
        yield f"{len(mining.rejections)} instances have no original: {_tally(reasons)}"
    flags = Counter(flag for original in mining.agreements for flag in original.flags)
    if flags:
        yield "flagged originals: " + ", ".join(f"{flag} {n}" for flag, n in sorted(flags.items()))


def _stage_messages(mining: MinedTreebank) -> Iterator[str]:
    """Yield the numbers of dependencies, instances, constructions and originals, stage by stage,
    and the numbers of instances along each path and those that filters left out."""
    stages, selection = mining.stages, mining.search.selection
    n_accepted = sum(construction.accepted for construction in mining.constructions)
    last_stages = (
        f"{stages.n_with_feature:,} → constructions {stages.n_keys:,} → accepted {n_accepted} → "
        f"originals {len(mining.originals)}"
    )
    if ARC in selection.patterns:
        yield (
            f"arcs {stages.n_arcs:,} → {selection.gap_text} {stages.n_near:,} → "
            f"{selection.conditions_text} {stages.n_kept:,} → both ends carry {mining.feature} "
            f"{last_stages}"
        )
    else:
        yield f"paths with {selection.gap_text}, both ends carry {mining.feature} {last_stages}"
    if stages.n_by_pattern:
        yield "of these instances along paths: " + _tally(stages.n_by_pattern)
    if selection.filters:
        left_out = _tally(stages.n_left_out) or "none"
        yield f"left out by {len(selection.filters)} filters: {left_out}"


def _tally(counts: Mapping[str, int]) -> str:
    """Return names with their counts as one text (`conj 12, typo 3`), the most frequent first."""
    return ", ".join(f"{name} {n:,}" for name, n in Counter(counts).most_common())


def _rare_feature_warnings(mining: MinedTreebank) -> Iterator[str]:
    """Yield a warning for each mined feature that no word or hardly any word carries, and one if no
    two related words both carry it."""
    stages = mining.stages
    accepted = any(construction.accepted for construction in mining.constructions)
    other_features = [(x, n) for x, n in stages.carried.items() if x not in stages.annotated]
    advice = (
        f"try --feature with one of {_tally(dict(other_features[:MAX_SHOWN_FEATURES]))}"
        if other_features
        else "take a treebank whose FEATS are annotated, or parse its text with colorless parse"
    )
    for feature, n_words in stages.annotated.items():
        if n_words == 0:
            near = did_you_mean(feature, stages.carried)
            yield f"not annotated: no word of this treebank carries {feature}; {near}{advice}"
        elif not accepted and n_words < MIN_CARRIED_SHARE * stages.n_words:
            yield (
                f"only {n_words:,} of {stages.n_words:,} words carry {feature}, so that words can "
                f"hardly agree in it; {advice}"
            )
    if stages.n_with_feature == 0 and any(stages.annotated.values()):
        yield f"no two of the words that were looked for both carry {mining.feature}"


def skipped_messages(faults: Sequence[str]) -> Iterator[str]:
    """Yield the number of bad sentences that were skipped, then the first ten faults; nothing if
    there are none."""
    if faults:
        yield f"{len(faults)} bad sentences skipped:"
        yield from faults[:MAX_SHOWN_FAULTS]
    if len(faults) > MAX_SHOWN_FAULTS:
        yield f"… and {len(faults) - MAX_SHOWN_FAULTS} more"
