"""The verb mine: a treebank's constructions and originals, into the store and a folder."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from colorless_green.data import schema
from colorless_green.data.files import STDIN, spooled, write_folder
from colorless_green.data.languages import checked_language
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import nearest
from colorless_green.data.store import Store
from colorless_green.data.tables import Result, Row, frame, write_jsonl, write_table
from colorless_green.miner.counts import Stages
from colorless_green.miner.mine import Mining, Request, mine
from colorless_green.miner.patterns.pattern import ARC
from colorless_green.miner.rows import (
    construction_rows,
    load_constructions,
    load_mining,
    load_rejections,
    mining_key,
    rejection_rows,
    save_mining,
    touch_mining,
)
from colorless_green.miner.shards import Run
from colorless_green.miner.treebank import Treebank, named_word_lists, treebank
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.nonce.formats.jsonl import to_record
from colorless_green.nonce.item import Item
from colorless_green.nonce.mined import suite_of
from colorless_green.nonce.rows import load_suite, originals_of_mining, save_suite
from colorless_green.nonce.suite import Suite

if TYPE_CHECKING:
    from colorless_green.miner.unimorph.wordlist import UniMorph

MINED_FILES = ("constructions.tsv", "originals.jsonl", "rejections.tsv")


def mine_originals(
    paths: Sequence[Path],
    store: Store | None,
    request: Request = Request(),
    *,
    vocabulary: Path | None = None,
    word_lists: Sequence[str] = (),
    second: Sequence[Path] = (),
    name: str = "",
    language: str = "",
    skip_bad: bool = False,
    exceptions: bool = False,
    out: Path | None = None,
    run: Run = map,
    now: str,
    progress: Progress = silent,
) -> Result:
    """Constructions and originals of one treebank, into the store (if there is one) and, if asked,
    a folder; with `exceptions`, the instances that disagree are shown in their stead."""
    with spooled(paths, ".conllu") as (files, told):
        source = treebank(files, name=name, language=checked_language(language))
        words = read_vocabulary(vocabulary) if vocabulary else None
        other = treebank(second) if second else None
        word_list = named_word_lists(word_lists).get(source.language.partition("-")[0])
        key = ""
        if store is not None:
            key = mining_key(
                source,
                request,
                skip_bad=skip_bad,
                vocabulary=vocabulary,
                word_list=word_list,
                second=other,
            )
            if _known(store, key) is not None and not exceptions:
                return _mined_before(store, key, source, vocabulary, out)
        faults: list[str] = []

        mining = mine(
            source,
            request,
            vocabulary=words,
            unimorph=_word_list(word_list, source.language),
            exceptions=exceptions,
            second=other,
            on_bad=(lambda fault: faults.append(str(told(fault)))) if skip_bad else None,
            run=run,
            progress=progress,
        )
        suite = suite_of(mining)
        rows = list(construction_rows(mining))
        if store is not None:
            kept = Kept(key, vocabulary, faults, from_stdin=STDIN in paths, now=now)
            _keep(store, mining, suite, rows, kept)
    if out is not None:
        _write_mined(out, rows, suite.items, list(rejection_rows(mining)))
    messages = list(_story(mining, faults))
    return _disagreements(mining, messages) if exceptions else _mined(rows, messages)


@dataclass(frozen=True, slots=True)
class Kept:
    """What the store is told of a mining beside its result."""

    key: str
    vocabulary: Path | None
    faults: Sequence[str]
    from_stdin: bool
    now: str


def _keep(store: Store, mining: Mining, suite: Suite, rows: Sequence[Row], kept: Kept) -> None:
    """Mining and originals into the store, unless another process was faster."""
    with store.transaction():
        if _known(store, kept.key) is not None:
            return
        treebank_id = save_mining(
            store,
            mining,
            rows,
            key=kept.key,
            vocabulary=kept.vocabulary,
            skipped=kept.faults,
            from_stdin=kept.from_stdin,
            now=kept.now,
        )
        if suite.items:
            save_suite(store, suite, "originals", treebank_id=treebank_id, now=kept.now)


def _word_list(path: Path | None, language: str) -> "UniMorph | None":
    if path is None:
        return None
    from colorless_green.miner.unimorph.wordlist import read_unimorph

    return read_unimorph(path, language=language)


def _disagreements(mining: Mining, messages: Sequence[str]) -> Result:
    """The exceptions, those of accepted constructions first, then by how rare they are."""
    rank = {
        (each.feature, each.name): (not each.accepted, -each.rate) for each in mining.constructions
    }
    found = sorted(mining.disagreements, key=lambda each: rank[(each.feature, each.construction)])
    rows = [asdict(each) for each in found]
    return Result(rows, schema.EXCEPTIONS, messages, found=bool(rows))


def _known(store: Store, key: str) -> int | None:
    row = store.one("SELECT treebank_id FROM treebank WHERE key = ?", (key,))
    return int(row["treebank_id"]) if row else None


def _mined_before(
    store: Store, key: str, source: Treebank, vocabulary: Path | None, out: Path | None
) -> Result:
    treebank_id = _known(store, key)
    assert treebank_id is not None
    with store.transaction():
        touch_mining(store, treebank_id, source, vocabulary)
    row = load_mining(store, treebank_id)
    assert row is not None
    rows = load_constructions(store, treebank_id)
    if out is not None:
        suite_id = originals_of_mining(store, treebank_id)
        items = load_suite(store, suite_id).items if suite_id is not None else ()
        _write_mined(out, rows, items, load_rejections(store, treebank_id))
    messages = [
        f"{row['name']}: mined before with the same options (rule {row['rule']}, repair "
        f"{row['repair']}); taken from the store",
        *_skipped(json.loads(row["skipped"])),
    ]
    return _mined(rows, messages)


def _write_mined(
    out: Path, rows: Sequence[Row], items: Sequence[Item], rejections: Sequence[Row]
) -> None:
    constructions, originals, rejected = MINED_FILES
    with write_folder(out, {"made_by": "colorless mine"}) as folder:
        write_table(folder / constructions, frame(rows, schema.CONSTRUCTIONS))
        write_jsonl(folder / originals, map(to_record, items))
        write_table(folder / rejected, frame(rejections, schema.REJECTIONS))


SHOWN_REJECTED = 10  # constructions that fell short, shown to people beside those accepted


def _mined(rows: Sequence[Row], messages: Sequence[str]) -> Result:
    """Accepted constructions first, then the rejected ones by how often they were seen."""
    accepted = [row for row in rows if row["verdict"] == "accepted"]
    rejected = [row for row in rows if row["verdict"] == "rejected"]
    rejected.sort(key=lambda row: -int(row["n"] or 0))
    columns = ("verdict", "construction", "values", "n_originals", "n_by_value", "reason")
    return Result(
        [*accepted, *rejected],
        columns,
        messages,
        found=bool(accepted),
        n_hidden=max(0, len(rejected) - SHOWN_REJECTED),
    )


def _story(mining: Mining, faults: Sequence[str]) -> Iterator[str]:
    """The run in sentences, for stderr."""
    stages: Stages = mining.stages
    selection = mining.search.selection
    yield (
        f"{mining.treebank.name}: {stages.n_sentences:,} sentences, {stages.n_words:,} words, "
        f"{stages.n_ranges:,} multiword tokens; language {mining.treebank.language}; "
        f"rule {mining.rule}; repair {mining.repair}"
    )
    if mining.parsed_by:
        yield f"parsed by {mining.parsed_by}: a parser's errors are in what follows"
    if stages.n_dropped:
        yield (
            f"{sum(stages.n_dropped.values()):,} sentences left out beside the second parse: "
            f"{_counted(stages.n_dropped)}"
        )
    accepted = sum(each.accepted for each in mining.constructions)
    end = (
        f"{stages.n_with_feature:,} → constructions {stages.n_keys:,} → accepted {accepted} → "
        f"originals {len(mining.originals)}"
    )
    if ARC in selection.patterns:
        yield (
            f"arcs {stages.n_arcs:,} → {selection.near} {stages.n_near:,} → {selection.kept} "
            f"{stages.n_kept:,} → both ends carry {mining.feature} {end}"
        )
    else:
        yield f"paths with {selection.near}, both ends carry {mining.feature} {end}"
    if stages.n_by_pattern:
        yield "of these instances along paths: " + _counted(stages.n_by_pattern)
    if selection.filters:
        left_out = _counted(stages.n_left_out) or "none"
        yield f"left out by filters ({', '.join(selection.filters)}): {left_out}"
    if mining.thresholds is not None:
        yield (
            f"accepted where q ≤ {mining.thresholds.alpha:g} and the rate ≥ "
            f"{mining.thresholds.floor:g}, of constructions with ≥ {mining.thresholds.min_n} "
            "instances"
        )
    yield from _skipped(faults)
    if 2 * stages.n_withheld > stages.n_words:
        yield "more than half of the forms are _: the text of this treebank is withheld"
    yield from _unannotated(mining)
    reasons = Counter(each.reason.partition(":")[0] for each in mining.rejections)
    if reasons:
        yield f"{len(mining.rejections)} instances gave no original: {_counted(reasons)}"
    flags = Counter(flag for each in mining.originals for flag in each.flags)
    if flags:
        yield "flagged originals: " + ", ".join(f"{flag} {n}" for flag, n in sorted(flags.items()))


def _counted(counts: Mapping[str, int]) -> str:
    """Names with their counts, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {n:,}" for name, n in ordered)


def _unannotated(mining: Mining) -> Iterator[str]:
    """Features that no word carries, and those that no two words share."""
    stages = mining.stages
    for feature, n_words in stages.annotated.items():
        if n_words == 0:
            right = nearest(feature, stages.carried) if stages.carried else "none has any feature"
            yield f"not annotated: no word of this treebank carries {feature}; {right}"
    if stages.n_with_feature == 0 and any(stages.annotated.values()):
        yield f"no two of the words that were looked for both carry {mining.feature}"


TOLD_FAULTS = 10  # of the sentences left out; the store has them all


def _skipped(faults: Sequence[str]) -> Iterator[str]:
    if faults:
        yield f"{len(faults)} bad sentences skipped:"
        yield from faults[:TOLD_FAULTS]
    if len(faults) > TOLD_FAULTS:
        yield f"… and {len(faults) - TOLD_FAULTS} more"
