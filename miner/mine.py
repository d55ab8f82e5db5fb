"""A treebank's constructions and originals: the public function `mine`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from ..data import schema
from ..data.configuration import configured, digest_suffix
from ..data.errors import InputError
from ..data.executor import executor
from ..data.files import (
    STDIN,
    Paths,
    demand_writable_folder,
    listed_paths,
    spool_stdin,
    write_folder,
)
from ..data.items.item import Item
from ..data.items.item_record import to_record
from ..data.items.suite import Suite
from ..data.languages import checked_language
from ..data.progress import Progress, silent
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.store import MEMORY, Store, StoredResult, StoreLike, now, open_store, reference_to
from ..data.stored_suites import originals_of_mining, save_suite, stored_suite
from ..data.tables import frame, write_jsonl, write_table
from ..data.vocabulary import read_vocabulary
from .mining_rows import (
    MiningRequest,
    load_rows,
    mining_advice,
    mining_messages,
    save_mining,
    skipped_messages,
    touch_mining,
)
from .originals.wordlist import word_list_of
from .rule import Rule
from .treebank.treebank import Treebank, demand_language, named_word_lists, treebank
from .treebank_mining import MinedTreebank, mine_treebank
from .verdict.counts import Stages

MADE_BY = "colorless mine"
SHOWN_COLUMNS = (
    *("verdict", "construction", "values", "n_originals", "n", "n_informative", "rate", "bound"),
    "reason",
)
UNTESTED_COLUMNS = ("verdict", "construction", "values", "n_originals", "n_by_value", "reason")
NONE_ACCEPTED_COLUMNS = ("verdict", "construction", "n", "rate", "reason")
EXCEPTION_COLUMNS = ("verdict", "construction", "cue", "target", "text", "sent_id")
MINING_OF_REQUEST = "SELECT * FROM treebank WHERE key = ?"  # that table has a row per mining
MAX_SHOWN_REJECTED = 5  # constructions that were not accepted, shown after those that were


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Mining(Result):
    """The constructions and original sentences of a treebank, as a `Result`.

    The table that it shows lists the constructions, accepted ones first; with `show_exceptions`
    it lists instead the sentences in which the words do not agree.

    Attributes:
        constructions: one row per construction, as in constructions.tsv.
        originals: the sentences with their wrong forms, as a suite.
        rejections: one row per instance that gave no original, as in rejections.tsv.
        language: BCP-47 code.
        kept: the store that keeps the mining, and the mining's number there.
    """

    constructions: pl.DataFrame
    originals: Suite
    rejections: pl.DataFrame
    language: str
    kept: StoredResult


def mine(
    paths: Paths,
    *,
    rule: Rule | str | Path | None = None,
    feature: Names = None,
    vocabulary: str | Path | None = None,
    unimorph: Names = None,
    name: str = "",
    language: str = "",
    show_exceptions: bool = False,
    skip_bad: bool = False,
    workers: int | None = None,
    ray: str = "",
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Mining:
    """Mine agreement constructions and original sentences from a treebank.

    Args:
        paths: treebank: CoNLL-U files or folders, which together are one; - for standard input
        rule: tested (statistical test of agreement), strict (the criteria stated in Gulordava et
            al. 2018), released (those of the scripts behind their sets), or a TOML file
            [default: tested]
        feature: feature that agrees; repeat for several [default: Number]
        vocabulary: file with the models' vocabulary [default: the words of the treebank]
        unimorph: LANGUAGE=FILE: a UniMorph list for forms missing from the treebank
        name: name of the treebank [default: from the path]
        language: BCP-47 code of the language [default: from the path]
        show_exceptions: show sentences in which the words do not agree
        skip_bad: skip malformed sentences and report them
        workers: number of worker processes [default: 1; with --ray, the whole cluster]
        ray: run on a Ray cluster: auto, HOST:PORT, ray://HOST:10001 or local
        out: folder for constructions.tsv, originals.jsonl and rejections.tsv
        store: where the mining is kept; what was mined before with the same options is taken
            from there
        progress: called with (task, done, total) as the work proceeds

    Returns:
        A `Mining`: `constructions`, `rejections` (frames), `originals` (a `Suite`).

    Raises:
        InputError: for files that are no treebank, and settings that do not go together.

    Commands:
        colorless mine UD_German-GSD
        colorless mine UD_English-EWT --rule released --vocabulary vocab.txt --out mined

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> mining = cg.mine(str(sample.treebank("en")))
    >>> mining.constructions.select("construction", "rate", "n_originals").row(0)
    ('L__NOUN__VERB__subject-second-verb', 1.0, 30)
    """
    settings = configured(Rule, rule)
    named_paths = listed_paths(paths)
    if not named_paths:
        raise InputError("paths", "no path is given", "CoNLL-U files or folders", kind="missing")
    if out is not None:
        demand_writable_folder(Path(out), MADE_BY)
    with (
        open_store(store) as opened_store,
        executor(workers, ray) as workforce,
        spool_stdin(named_paths, ".conllu") as (files, translated),
    ):
        source = treebank(files, name=name, language=checked_language(language))
        if not language:
            demand_language(source)
        request = MiningRequest(
            source=source,
            rule=settings,
            features=listed(feature) or ("Number",),
            vocabulary=Path(vocabulary) if vocabulary is not None else None,
            word_list=named_word_lists(listed(unimorph)).get(source.language.partition("-")[0]),
            skip_bad=skip_bad,
            from_stdin=STDIN in named_paths,
        )
        words = read_vocabulary(request.vocabulary) if request.vocabulary else None
        mining = None if show_exceptions else _stored_mining(opened_store, request)
        if mining is None:
            faults: list[str] = []
            result = mine_treebank(
                source,
                settings,
                features=request.features,
                vocabulary=words,
                unimorph=word_list_of(request.word_list, source.language),
                exceptions=show_exceptions,
                on_bad=(lambda fault: faults.append(str(translated(fault)))) if skip_bad else None,
                run=workforce.map,
                progress=progress,
            )
            mining = _saved_mining(opened_store, request, result, faults)
            if show_exceptions:
                mining = _with_exceptions(mining, result, faults)
    if out is not None:
        _write_tables(mining, Path(out))
    return mining


def _stored_mining(store: Store, request: MiningRequest) -> Mining | None:
    """Return the mining that the store has for the same request (treebank, rule, word lists), and
    mark it as used last; return `None` if the store has none."""
    row = store.one(MINING_OF_REQUEST, (request.key,))
    if row is None:
        return None
    with store.transaction():
        touch_mining(store, int(row["treebank_id"]), request)
    messages = [
        f"{row['name']}: mined before with the same options (rule {request.rule.label} "
        f"({request.rule.digest})); taken from the store",
        *skipped_messages(json.loads(row["skipped"])),
    ]
    return _load_as_result(store, request, messages)


def _saved_mining(
    store: Store, request: MiningRequest, result: MinedTreebank, faults: Sequence[str]
) -> Mining:
    """Save a mined treebank in the store unless it is already there, and return it as a `Mining`.

    If no word carries any of the features (their names may be mistyped), it is kept in memory only.
    """
    if not any(result.stages.annotated.values()):
        store = Store(MEMORY)
    suite = suite_of(result, request.differing)
    with store.transaction():
        if store.one(MINING_OF_REQUEST, (request.key,)) is None:  # no other process was faster
            treebank_id = save_mining(store, result, request=request, skipped=faults)
            if suite.items:
                save_suite(store, suite, "originals", treebank_id=treebank_id, now=now())
    return _load_as_result(store, request, list(mining_messages(result, faults)))


def _with_exceptions(mining: Mining, result: MinedTreebank, faults: Sequence[str]) -> Mining:
    """Return the mining with its exceptions as the table, and without advice on what to try next.

    An exception is an instance (pair of words) whose cue and target have different values. Those of
    accepted constructions come first; within these and within the others, those of the highest
    agreement rate.
    """
    rank_of = {
        (construction.feature, construction.name): (not construction.accepted, -construction.rate)
        for construction in result.constructions
    }
    exceptions = sorted(
        result.disagreements, key=lambda instance: rank_of[instance.feature, instance.construction]
    )
    return replace(
        mining,
        rows=[*map(asdict, exceptions)],
        columns=EXCEPTION_COLUMNS,
        messages=list(mining_messages(result, faults)),
        found=bool(exceptions),
        n_hidden=0,
    )


def _write_tables(mining: Mining, folder: Path) -> None:
    """Write constructions.tsv, originals.jsonl and rejections.tsv to a folder."""
    with write_folder(folder, {"made_by": MADE_BY}) as fresh:
        write_table(fresh / "constructions.tsv", mining.constructions)
        write_jsonl(fresh / "originals.jsonl", map(to_record, mining.originals.items))
        write_table(fresh / "rejections.tsv", mining.rejections)


def suite_of(mining: MinedTreebank, differing: Mapping[str, Any] | None = None) -> Suite:
    """Return the originals of a mining as a suite.

    Args:
        mining: what `mine_treebank` returned.
        differing: settings that differ from the named rule, and files that the user gave; `None`:
            the settings alone, from the rule.

    Returns:
        One item per original, in their order, with the licence of its file. The suite is named
        after treebank, rule (with six digits of a digest if settings differ), and feature unless
        this is Number.

    >>> from colorless_green.data import sample
    >>> source = treebank([sample.treebank("en")])
    >>> suite_of(mine_treebank(source, Rule())).name
    'en/tested/originals'
    """
    differing = mining.rule.differing() if differing is None else differing
    features = mining.search.features
    return _originals_suite(mining.treebank, mining.rule, features, differing, mining.originals)


def _originals_suite(
    source: Treebank,
    rule: Rule,
    features: Sequence[str],
    differing: Mapping[str, Any],
    items: Sequence[Item],
) -> Suite:
    """Return originals as a suite, named after treebank, rule and features.

    `differing` are the settings that differ from the named rule; the suite's `made` lists them.
    """
    joined_features = ",".join(dict.fromkeys(features))
    feature_part = "" if joined_features == "Number" else f"/{joined_features}"
    # `differing` has JSON values, such as a digest for a file, so take those of the rule itself;
    # the rule has no `vocabulary` and `unimorph`, the files that the user named
    shown = {name: vars(rule).get(name, value) for name, value in differing.items()}
    settings = (f"{name} {_as_text(value)}" for name, value in shown.items())
    made = "; ".join([f"rule {rule.extends}", *settings])
    name = f"{source.name}/{rule.extends}{digest_suffix(differing)}{feature_part}/originals"
    return Suite(name, tuple(items), meta={"made": made})


def _as_text(value: object) -> str:
    """Return a setting's value as text: a list joined by commas (`none` if empty), a file by its
    name without the folder."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return value.name if isinstance(value, Path) else str(value)


def _load_as_result(store: Store, request: MiningRequest, messages: Sequence[str]) -> Mining:
    """Load the mining of a request from the store as a `Mining`, and add advice on what to try
    next.

    Its constructions come in the order accepted, undecided, rejected; those not accepted are
    sorted by their number of instances.
    """
    treebank_row, rule = store.one(MINING_OF_REQUEST, (request.key,)), request.rule
    assert treebank_row is not None
    treebank_id = int(treebank_row["treebank_id"])
    rows = load_rows(store, "construction", treebank_id)
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    not_accepted = [row for row in rows if row["verdict"] != "accepted"]
    not_accepted.sort(key=lambda row: (row["verdict"] != "undecided", -int(row["n"] or 0)))
    suite_id = originals_of_mining(store, treebank_id)
    suite = (
        _originals_suite(request.source, rule, request.features, request.differing, ())
        if suite_id is None
        else stored_suite(store, suite_id)
    )
    stages = Stages(**json.loads(treebank_row["stages"]))
    rejections = load_rows(store, "rejection", treebank_id)
    has_tests = any(row.get("bound") is not None for row in rows)
    tested_columns = SHOWN_COLUMNS if accepted else NONE_ACCEPTED_COLUMNS
    return Mining(
        rows=[*accepted, *not_accepted],
        columns=tested_columns if has_tests else UNTESTED_COLUMNS,
        messages=[*messages, *mining_advice(rows, rule.label, stages)],
        found=bool(accepted) or any(row["n_originals"] for row in rows),
        n_hidden=max(0, len(not_accepted) - MAX_SHOWN_REJECTED),
        constructions=frame(rows, schema.CONSTRUCTIONS),
        originals=suite,
        rejections=frame(rejections, schema.REJECTIONS),
        language=str(treebank_row["language"]),
        kept=StoredResult(reference_to(store), treebank_id),
    )
