"""The verb mine: a treebank's constructions and originals, into the store and a folder."""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_manifest
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, write_jsonl, write_tsv
from colorless_green.miner.counts import Stages
from colorless_green.miner.mine import Mining, mine, rule_named
from colorless_green.miner.rows import (
    CONSTRUCTION_COLUMNS,
    REJECTION_COLUMNS,
    construction_rows,
    load_constructions,
    load_mining,
    load_rejections,
    mining_key,
    rejection_rows,
    save_mining,
    touch_mining,
)
from colorless_green.miner.rule import Rule
from colorless_green.miner.treebank import Treebank, treebank
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.nonce.formats.jsonl import to_record
from colorless_green.nonce.item import Item
from colorless_green.nonce.mined import suite_of
from colorless_green.nonce.rows import load_suite, originals_of_mining, save_suite

STDIN = Path("-")
MINED_FILES = ("constructions.tsv", "originals.jsonl", "rejections.tsv")


def mine_originals(
    paths: Sequence[Path],
    store: Store,
    *,
    rule: str,
    feature: str,
    vocabulary: Path | None,
    repair: str,
    ghosts: bool,
    name: str,
    language: str,
    skip_bad: bool,
    out: Path | None,
    now: str,
    progress: Progress = silent,
) -> Result:
    """Constructions and originals of one treebank, into the store and, if asked, a folder."""
    chosen = rule_named(rule)
    with _spooled(paths) as files:
        source = treebank(files, name=name, language=language)
        words = read_vocabulary(vocabulary) if vocabulary else None
        key = mining_key(
            source,
            rule=rule,
            feature=feature,
            repair=repair,
            ghosts=ghosts,
            skip_bad=skip_bad,
            vocabulary=vocabulary,
        )
        if _known(store, key) is not None:
            return _mined_before(store, key, source, vocabulary, out)
        faults: list[str] = []
        mining = mine(
            source,
            chosen,
            feature=feature,
            vocabulary=words,
            repair=repair,
            ghosts=ghosts,
            on_bad=(lambda fault: faults.append(str(fault))) if skip_bad else None,
            progress=progress,
        )
        suite = suite_of(mining)
        with store.transaction():
            if _known(store, key) is None:  # another process may have been faster
                treebank_id = save_mining(
                    store,
                    mining,
                    key=key,
                    vocabulary=vocabulary,
                    skipped=faults,
                    from_stdin=STDIN in paths,
                    now=now,
                )
                if suite.items:
                    save_suite(store, suite, "originals", treebank_id=treebank_id, now=now)
    rows = list(construction_rows(mining))
    if out is not None:
        _write_mined(out, rows, suite.items, list(rejection_rows(mining)))
    return _mined(rows, list(_story(mining, chosen, faults)))


def _known(store: Store, key: str) -> int | None:
    row = store.one("SELECT treebank_id FROM treebank WHERE key = ?", (key,))
    return int(row["treebank_id"]) if row else None


@contextmanager
def _spooled(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The paths, with standard input as a file in the place of `-` (mining reads twice)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin.conllu"
        if STDIN in paths:
            with open(copy, "wb") as stream:
                while block := sys.stdin.buffer.read(1 << 20):
                    stream.write(block)
        try:
            yield [copy if path == STDIN else path for path in paths]
        except InputError as error:
            place = error.place.replace(str(copy), "standard input")
            raise InputError(place, error.wrong, error.right) from None


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
    write_tsv(out / constructions, CONSTRUCTION_COLUMNS, rows)
    write_jsonl(out / originals, map(to_record, items))
    write_tsv(out / rejected, REJECTION_COLUMNS, rejections)
    write_manifest(out, MINED_FILES, {"made_by": "colorless mine"})


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


def _story(mining: Mining, rule: Rule, faults: Sequence[str]) -> Iterator[str]:
    """The run in sentences, for stderr."""
    stages: Stages = mining.stages
    yield (
        f"{mining.treebank.name}: {stages.n_sentences:,} sentences, {stages.n_words:,} words, "
        f"{stages.n_ranges:,} multiword tokens; language {mining.treebank.language}; "
        f"rule {rule.name}; repair {mining.repair}"
    )
    accepted = sum(each.accepted for each in mining.constructions)
    yield (
        f"arcs {stages.n_arcs:,} → {rule.near} {stages.n_near:,} → {rule.kept} {stages.n_kept:,} "
        f"→ both ends carry {mining.feature} {stages.n_with_feature:,} → constructions "
        f"{stages.n_keys:,} → accepted {accepted} → originals {len(mining.originals)}"
    )
    yield from _skipped(faults)
    if 2 * stages.n_withheld > stages.n_words:
        yield "more than half of the forms are _: the text of this treebank is withheld"
    if stages.n_with_feature == 0:
        yield f"no pair of words carries {mining.feature}: the treebank does not annotate it"
    reasons = Counter(each.reason.partition(":")[0] for each in mining.rejections)
    if reasons:
        said = ", ".join(f"{reason} {n}" for reason, n in reasons.most_common())
        yield f"{len(mining.rejections)} instances gave no original: {said}"
    flags = Counter(flag for each in mining.originals for flag in each.flags)
    if flags:
        yield "flagged originals: " + ", ".join(f"{flag} {n}" for flag, n in sorted(flags.items()))


TOLD_FAULTS = 10  # of the sentences left out; the store has them all


def _skipped(faults: Sequence[str]) -> Iterator[str]:
    if faults:
        yield f"{len(faults)} bad sentences skipped:"
        yield from faults[:TOLD_FAULTS]
    if len(faults) > TOLD_FAULTS:
        yield f"… and {len(faults) - TOLD_FAULTS} more"
