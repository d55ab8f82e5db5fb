"""A treebank's constructions and originals: the public function `mine`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import polars as pl

from ..data import schema
from ..data.errors import InputError
from ..data.executor import executor
from ..data.files import STDIN, Paths, demand_writable_folder, listed_paths, spooled, write_folder
from ..data.items.item import Agreement, Item, item_id, pair
from ..data.items.item_record import to_record
from ..data.items.suite import Suite
from ..data.languages import checked_language
from ..data.load import originals_of_mining, save_suite, stored_suite
from ..data.progress import Progress, silent
from ..data.registry import Names, listed, look_up
from ..data.result import Result
from ..data.store import MEMORY, Store, StoredResult, StoreLike, home, now, open_store
from ..data.tables import Row, frame, write_jsonl, write_table
from ..data.vocabulary import read_vocabulary
from .mining_account import RULE, mining_advice, mining_messages, skipped_messages
from .mining_rows import (
    construction_rows,
    load_constructions,
    load_mining,
    load_rejections,
    mining_key,
    rejection_rows,
    save_mining,
    touch_mining,
)
from .originals.unimorph.wordlist import word_list_of
from .originals.wrong_form import UNIMORPH, UNIMORPH_LICENCE
from .treebank.treebank import licences_by_file, named_word_lists, treebank
from .treebank_mining import MinedTreebank, MineRequest, mine_treebank
from .verdict.construction import Original

PRESETS: Mapping[str, Mapping[str, str]] = {"gulordava2018": {"rule": "released"}}
"""The settings of published sets; everything else is as the rule has it."""
MADE_BY = "colorless mine"
SHOWN = ("verdict", "construction", "values", "n_originals", "n", "rate", "bound", "q", "reason")
SHOWN_UNTESTED = ("verdict", "construction", "values", "n_originals", "n_by_value", "reason")
SHOWN_REJECTED = 10  # constructions that fell short, shown to people beside those accepted
SHARED_FIELDS = [  # facts of agreement that an original has under the same name
    field.name for field in fields(Agreement)
    if field.name != "file" and field.name in {entry.name for entry in fields(Original)}
]  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Mining(Result):
    """What mining a treebank gave, as a `Result`.

    Its table has the constructions, those accepted first; or, where exceptions were asked for,
    these.

    Attributes:
        constructions: one row per construction, as in constructions.tsv.
        originals: the sentences with their wrong forms, as a suite.
        rejections: one row per instance that gave no original, as in rejections.tsv.
        language: BCP-47 code.
        kept: the store that the mining is in, and its number there.
    """

    constructions: pl.DataFrame
    originals: Suite
    rejections: pl.DataFrame
    language: str
    kept: StoredResult


def mine(
    paths: Paths,
    *,
    rule: str | None = None,
    preset: str = "",
    feature: Names = None,
    pattern: Names = None,
    by: str = "",
    min_gap: int | None = None,
    max_gap: int | None = None,
    gap_in: str = "",
    direction: str = "",
    relation: Names = None,
    projective: bool | None = None,
    filter: Names = None,
    min_n: int | None = None,
    alpha: float | None = None,
    floor: float | None = None,
    undecided: bool = False,
    value_from: Names = None,
    contrast: Names = None,
    distant: bool = False,
    vocabulary: str | Path | None = None,
    repair: str = "auto",
    no_ghosts: bool = False,
    show_exceptions: bool = False,
    name: str = "",
    language: str = "",
    unimorph: Names = None,
    skip_bad: bool = False,
    renumber: bool = False,
    workers: int | None = None,
    ray: str = "",
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Mining:
    """Mine agreement constructions and original sentences from a treebank.

    Args:
        paths: CoNLL-U files or folders, which together are one treebank; a folder's files come in
            the order train, dev, test. `-` is standard input.
        rule: `tested` (a statistical test of agreement: the default), `strict` (the criteria
            stated in Gulordava et al. 2018) or `released` (those of the scripts behind their sets).
        preset: `gulordava2018`: all settings as for the published sets.
        feature: names of features that agree; `Number` where none is named.
        pattern: `arc` (any dependency), the name of a path, `all`, or a TOML file of one's own.
        by: constructions by `pos`, `deprel` or `coarse`.
        min_gap, max_gap: least and most words between cue and target; a most of 0 is no limit.
        gap_in: `words` of the text, or `tokens` of the tree.
        direction: `dependent-first` or `head-first`.
        relation: dependencies of these relations only.
        projective: whether everything between must hang on the head.
        filter: filters by name, `all` or `none`.
        min_n, alpha, floor: the thresholds of `tested`: least instances (10), false-discovery
            rate (0.05), least lower bound of the share that agrees (0.85).
        undecided: take originals also of constructions whose rate is high (0.9) but whose instances
            are too few for the bound or the test.
        value_from: relations, as `det` or `clf`: a noun without the feature has the value of its
            dependents.
        contrast: `RIGHT:WRONG`: the wrong form's value beside a right one, for rule `tested`; else
            of Number `Sing:Plur`, `Plur:Sing` and all others to `Plur`, of another feature the
            value most often agreed in.
        distant: leave out originals in which a word between cue and target also reveals the value.
        vocabulary: a file with the models' vocabulary; else the words of the treebank.
        repair: `auto`, `none` or `ewt-2.0`.
        no_ghosts: leave out arcs of words inside multiword tokens.
        show_exceptions: show the sentences that do not agree, in place of the constructions.
        name, language: of the treebank; else from its path.
        unimorph: `LANGUAGE=FILE` of UniMorph lists, for forms missing from the treebank.
        skip_bad: leave out bad sentences and report them.
        renumber: sentence ids may come twice in a file: each gets its line, as `weblog-7@1234`.
        workers, ray: processes, or a Ray cluster, that share the work; the result is the same.
        out: a folder for constructions.tsv, originals.jsonl and rejections.tsv.
        store: where the mining is kept; what was mined before with the same options is taken
            from there. None: in memory.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        A `Mining`: `constructions`, `rejections` (frames), `originals` (a `Suite`).

    Raises:
        InputError: for files that are no treebank, and options that do not go together.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> mining = cg.mine(str(sample.treebank("en")))
    >>> mining.constructions.select("construction", "rate", "n_originals").row(0)
    ('L__NOUN__VERB__subject-second-verb', 1.0, 30)
    """
    if preset:
        preset_rule = look_up(PRESETS, preset, "--preset")["rule"]
        if rule not in (None, preset_rule):
            wrong = f"the preset {preset} has the rule {preset_rule}"
            raise InputError("--rule", wrong, "--rule or --preset", kind="conflict")
        rule = preset_rule
    request = MineRequest(
        rule or RULE, features=listed(feature) or ("Number",), repair=repair, ghosts=not no_ghosts,
        min_gap=min_gap, max_gap=max_gap, gap_in=gap_in, by=by, direction=direction,
        relations=listed(relation), projective=projective, patterns=listed(pattern),
        filters=listed(filter), min_n=min_n, alpha=alpha, floor=floor, undecided=undecided,
        renumber=renumber, contrasts=listed(contrast), value_from=listed(value_from),
        distant=distant,
    )  # fmt: skip
    named_paths = listed_paths(paths)
    if not named_paths:
        raise InputError("mine", "no path is given", "CoNLL-U files or folders", kind="missing")
    words_file = Path(vocabulary) if vocabulary is not None else None
    if out is not None:
        demand_writable_folder(Path(out), MADE_BY)
    with (
        open_store(store) as kept_in,
        executor(workers, ray) as workforce,
        spooled(named_paths, ".conllu") as (files, translated),
    ):
        source = treebank(files, name=name, language=checked_language(language))
        words = read_vocabulary(words_file) if words_file else None
        word_list = named_word_lists(listed(unimorph)).get(source.language.partition("-")[0])
        key = mining_key(
            source, request, skip_bad=skip_bad, vocabulary=words_file, word_list=word_list
        )
        stored_id = _stored_id(kept_in, key)
        if stored_id is not None and not show_exceptions:
            with kept_in.transaction():
                touch_mining(kept_in, stored_id, source, words_file)
            row = load_mining(kept_in, stored_id)
            assert row is not None
            mining = _load_stored(kept_in, row)
        else:
            faults: list[str] = []
            result = mine_treebank(
                source,
                request,
                vocabulary=words,
                unimorph=word_list_of(word_list, source.language),
                exceptions=show_exceptions,
                on_bad=(lambda fault: faults.append(str(translated(fault)))) if skip_bad else None,
                run=workforce.map,
                progress=progress,
            )
            suite = suite_of(result)
            rows = list(construction_rows(result))
            if not any(result.stages.annotated.values()):  # mistyped: the newest is still another
                kept_in = Store(MEMORY)
            with kept_in.transaction():
                treebank_id = _stored_id(kept_in, key)  # another process may have been faster
                if treebank_id is None:
                    treebank_id = save_mining(
                        kept_in, result, rows, key=key, vocabulary=words_file, skipped=faults,
                        from_stdin=STDIN in named_paths, now=now(),
                    )  # fmt: skip
                    if suite.items:
                        save_suite(kept_in, suite, "originals", treebank_id=treebank_id, now=now())
            messages = [*mining_messages(result, faults)]
            messages += () if show_exceptions else mining_advice(rows, result.rule)
            mining = _mining(
                kept_in, treebank_id, rows, suite, rejection_rows(result), source.language, messages
            )
            if show_exceptions:  # those of accepted constructions first, then the rarest
                rank = {
                    (c.feature, c.name): (not c.accepted, -c.rate) for c in result.constructions
                }
                exceptions = [
                    asdict(disagreement)
                    for disagreement in sorted(
                        result.disagreements, key=lambda case: rank[case.feature, case.construction]
                    )
                ]
                mining = replace(
                    mining, rows=exceptions, columns=schema.EXCEPTIONS, found=bool(exceptions),
                    n_hidden=0,
                )  # fmt: skip
    if out is not None:
        with write_folder(Path(out), {"made_by": MADE_BY}) as folder:
            write_table(folder / "constructions.tsv", mining.constructions)
            write_jsonl(folder / "originals.jsonl", map(to_record, mining.originals.items))
            write_table(folder / "rejections.tsv", mining.rejections)
    return mining


def item_of(original: Original, mining: MinedTreebank, licence: str) -> Item:
    """An original as an item with the conditions right and wrong, under its own file's licence."""
    source = mining.treebank
    agreement = Agreement(
        treebank=source.name,
        file=original.file.removesuffix(".gz"),
        rule=mining.rule,
        gap=original.target_index - original.cue_index - 1,
        tokens=original.forms,
        **{name: getattr(original, name) for name in SHARED_FIELDS},
    )
    identity = item_id(
        agreement.treebank, agreement.file, original.number_in_file, agreement.sent_id,
        agreement.cue_index, agreement.cue_upos, agreement.target_index, agreement.target_upos,
        agreement.construction, "|".join(agreement.values), agreement.feature, agreement.rule,
        agreement.level, agreement.seed, agreement.variant,
    )  # fmt: skip
    return Item(
        item_id=identity,
        kind="original",
        cluster_id=identity,
        language=source.language,
        source=source.name,
        licence=licence,
        conditions=pair(agreement),
        agreement=agreement,
        facts={
            "n_attr": str(original.n_attr),
            "repair": mining.repair,
            **({"parsed_by": mining.parsed_by} if mining.parsed_by else {}),
            **({"wrong_form_licence": UNIMORPH_LICENCE} if UNIMORPH in original.flags else {}),
        },
    )


def suite_of(mining: MinedTreebank) -> Suite:
    """The originals of a mining as a suite.

    Args:
        mining: what `miner.mine` returned.

    Returns:
        An item for each original, in their order, under its own file's licence. The suite's name
        tells treebank and rule, and the feature unless it is Number.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import mine_treebank
    >>> source = treebank([sample.treebank("en")])
    >>> suite_of(mine_treebank(source, MineRequest("tested"))).name
    'en/tested/originals'
    """
    licences = licences_by_file(mining.treebank)
    items = tuple(
        item_of(original, mining, licences[original.file]) for original in mining.originals
    )
    suffix = "" if mining.feature == "Number" else f"/{mining.feature}"
    return Suite(f"{mining.treebank.name}/{mining.rule}{suffix}/originals", items)


def _stored_id(store: Store, key: str) -> int | None:
    row = store.one("SELECT treebank_id FROM treebank WHERE key = ?", (key,))
    return int(row["treebank_id"]) if row else None


def _load_stored(store: Store, row: Mapping[str, Any]) -> Mining:
    """A mining that was made before."""
    treebank_id = int(row["treebank_id"])
    suite_id = originals_of_mining(store, treebank_id)
    suite = Suite(str(row["name"]), ()) if suite_id is None else stored_suite(store, suite_id)
    rows = load_constructions(store, treebank_id)
    messages = [
        f"{row['name']}: mined before with the same options (rule {row['rule']}, repair "
        f"{row['repair']}); taken from the store",
        *skipped_messages(json.loads(row["skipped"])),
        *mining_advice(rows, str(row["rule"])),
    ]
    rejections = load_rejections(store, treebank_id)
    return _mining(store, treebank_id, rows, suite, rejections, str(row["language"]), messages)


def _mining(
    store: Store,
    treebank_id: int,
    rows: Sequence[Row],
    suite: Suite,
    rejections: Iterable[Row],
    language: str,
    messages: Sequence[str],
) -> Mining:
    """Accepted constructions first, then undecided and rejected ones by how often each was seen."""
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    not_accepted = [row for row in rows if row["verdict"] != "accepted"]
    not_accepted.sort(key=lambda row: (row["verdict"] != "undecided", -int(row["n"] or 0)))
    suite_id = originals_of_mining(store, treebank_id)
    if suite_id is not None:
        suite = replace(suite, kept=StoredResult(home(store), suite_id))
    return Mining(
        rows=[*accepted, *not_accepted],
        columns=SHOWN if any(row.get("bound") is not None for row in rows) else SHOWN_UNTESTED,
        messages=messages,
        found=bool(accepted) or any(row["n_originals"] for row in rows),
        n_hidden=max(0, len(not_accepted) - SHOWN_REJECTED),
        constructions=frame(rows, schema.CONSTRUCTIONS),
        originals=suite,
        rejections=frame(rejections, schema.REJECTIONS),
        language=language,
        kept=StoredResult(home(store), treebank_id),
    )
