"""The verbs mine, nonce, grammar, import and export: read, call the pure part, write."""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_manifest, write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, write_jsonl, write_tsv
from colorless_green.miner.counts import Stages, count
from colorless_green.miner.mine import Mining, mine, repair_for, rule_named
from colorless_green.miner.paradigms import paradigms_of, surface_forms
from colorless_green.miner.rows import (
    CONSTRUCTION_COLUMNS,
    REJECTION_COLUMNS,
    construction_rows,
    load_constructions,
    load_rejections,
    mining_key,
    rejection_rows,
    save_mining,
)
from colorless_green.miner.rule import Rule
from colorless_green.miner.treebank import Treebank, sentences, treebank
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.nonce.formats import format_of
from colorless_green.nonce.formats.jsonl import to_record
from colorless_green.nonce.item import Item
from colorless_green.nonce.lexicon import Lexicon
from colorless_green.nonce.mined import suite_of
from colorless_green.nonce.rows import load_suite, newest_suite, save_suite, suite_named
from colorless_green.nonce.substitute import Shortfall, variants
from colorless_green.nonce.suite import Suite

STDIN = Path("-")
MINED_FILES = ("constructions.tsv", "originals.jsonl", "rejections.tsv")


@dataclass(frozen=True, slots=True)
class Result:
    """What a verb has to say: rows for stdout, messages for stderr, and whether it found any."""

    rows: Sequence[Row]
    columns: Sequence[str]
    messages: Sequence[str] = ()
    found: bool = True
    n_hidden: int = 0  # rows that a table for people leaves out; `rows` has them at its end


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
            source, rule=rule, feature=feature, repair=repair, ghosts=ghosts, vocabulary=vocabulary
        )
        known = store.one("SELECT treebank_id FROM treebank WHERE key = ?", (key,))
        if known is not None:
            return _mined_before(store, int(known["treebank_id"]), out)
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


@contextmanager
def _spooled(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The paths, with standard input as a file in the place of `-` (mining reads twice)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin.conllu"
        if STDIN in paths:
            with open(copy, "wb") as stream:
                while block := sys.stdin.buffer.read(1 << 20):
                    stream.write(block)
        yield [copy if path == STDIN else path for path in paths]


def _mined_before(store: Store, treebank_id: int, out: Path | None) -> Result:
    rows = load_constructions(store, treebank_id)
    if out is not None:
        known = store.one("SELECT suite_id FROM suite WHERE treebank_id = ?", (treebank_id,))
        items = load_suite(store, int(known["suite_id"])).items if known else ()
        _write_mined(out, rows, items, load_rejections(store, treebank_id))
    return _mined(rows, ["mined before with the same options: taken from the store"])


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
    if faults:
        yield f"{len(faults)} bad sentences skipped, the first: {faults[0]}"
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


def make_nonce(
    originals: Path | None,
    store: Store,
    *,
    n_variants: int,
    treebanks: Sequence[Path],
    vocabulary: Path | None,
    seed: int,
    out: Path | None,
    now: str,
    progress: Progress = silent,
) -> Result:
    """Variants of the originals of a file, or of the newest mining in the store."""
    if originals is not None:
        suite, treebank_id = format_of(originals, "").read(originals), None
    else:
        suite_id = newest_suite(store, ("originals",))
        suite = load_suite(store, suite_id)
        row = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (suite_id,))
        treebank_id = int(row["treebank_id"]) if row and row["treebank_id"] else None
    items = [item for item in suite.items if item.kind == "original"]
    if not items:
        raise InputError(suite.name, "no originals in it", "a file written by colorless mine")
    source, vocabulary = _source_of(store, treebank_id, treebanks, vocabulary)
    lexicon = _lexicon(items[0], source, vocabulary)
    made, shortfalls = variants(
        items,
        lexicon,
        n_variants=n_variants,
        seed=seed,
        progress=lambda n_done: progress("nonce variants", n_done, len(items)),
    )
    result = Suite(f"{suite.name.removesuffix('/originals')}/nonce", tuple(made))
    with store.transaction():
        save_suite(store, result, "nonce", treebank_id=treebank_id, now=now)
    if out is not None:
        format_of(out, "").write(result, out)
    return Result(
        list(_nonce_rows(result, shortfalls, n_variants)),
        ("construction", "n_originals", "n_variants", "n_short"),
        list(_shortfall_messages(items, shortfalls)),
        found=any(item.kind == "nonce" for item in made),
    )


def _source_of(
    store: Store, treebank_id: int | None, treebanks: Sequence[Path], vocabulary: Path | None
) -> tuple[Treebank, Path | None]:
    """The treebank that was named, or the one that was mined, with its vocabulary."""
    if treebanks:
        return treebank(treebanks), vocabulary
    row = treebank_row(store, treebank_id) if treebank_id is not None else None
    files = stored_files(row) if row is not None else []
    if row is None or not files:
        raise InputError(
            "--treebank", "the store does not know where these originals come from", "name it"
        )
    known = Path(row["vocabulary"]) if row["vocabulary"] else None
    source = treebank(files, name=str(row["name"]), language=str(row["language"]))
    return source, vocabulary or known


def treebank_row(store: Store, treebank_id: int | None = None) -> dict[str, Any] | None:
    """A mining's row of the store: the one of an id, or the newest; `None` if there is none."""
    if treebank_id is None:
        return store.one("SELECT * FROM treebank ORDER BY treebank_id DESC LIMIT 1")
    return store.one("SELECT * FROM treebank WHERE treebank_id = ?", (treebank_id,))


def stored_files(row: Mapping[str, Any]) -> list[Path]:
    """The treebank files of a mining; none where it came from standard input."""
    import json

    return [Path(name) for name in json.loads(row["files"])]


def _lexicon(example: Item, source: Treebank, vocabulary: Path | None) -> Lexicon:
    """The words of a treebank under the rule and repair that mined `example`."""
    agreement = example.agreement
    if agreement is None:
        raise InputError(f"item {example.item_id}", "no facts of agreement", "mined originals")
    rule = rule_named(agreement.rule)
    _, repair = repair_for(source, example.facts.get("repair", "auto"))
    counts = count(
        sentences(source, repair=repair, on_bad=lambda fault: None),
        rule,
        agreement.feature,
        ghosts=rule.ghosts,
    )
    known = read_vocabulary(vocabulary) if vocabulary else surface_forms(counts.analyses)
    paradigms = paradigms_of(counts.analyses, letters_only=rule.letters_only)
    return Lexicon(paradigms, known, rule.replacement)


def _nonce_rows(
    suite: Suite, shortfalls: Sequence[Shortfall], n_variants: int
) -> Iterator[dict[str, str | int]]:
    short = {each.item_id for each in shortfalls}
    groups: dict[str, list[Item]] = {}
    for item in suite.items:
        if item.agreement is not None:
            groups.setdefault(item.agreement.construction, []).append(item)
    for construction, items in groups.items():
        yield {
            "construction": construction,
            "n_originals": sum(item.kind == "original" for item in items),
            "n_variants": sum(item.kind == "nonce" for item in items),
            "n_short": sum(item.item_id in short for item in items),
        }


def _shortfall_messages(items: Sequence[Item], shortfalls: Sequence[Shortfall]) -> Iterator[str]:
    by_id = {item.item_id: item for item in items}
    for each in shortfalls:
        agreement = by_id[each.item_id].agreement
        assert agreement is not None
        yield (
            f"{agreement.construction} {agreement.number} ({agreement.sent_id}): {each.n_made} of "
            f"{each.n_asked} variants; {each.reason}"
        )


def import_suite(path: Path, store: Store, *, format_name: str, now: str) -> Result:
    """Another format's file as a suite of the store."""
    suite = format_of(path, format_name).read(path)
    with store.transaction():
        save_suite(store, suite, "imported", treebank_id=None, now=now)
    kinds = Counter(item.kind for item in suite.items)
    rows: list[Row] = [
        {"suite": suite.name, "kind": kind, "n_items": n} for kind, n in sorted(kinds.items())
    ]
    return Result(rows, ("suite", "kind", "n_items"))


def find_suite(store: Store, name: str) -> tuple[Suite, int | None]:
    """A suite by file, by name in the store, or (no name) the newest; its id if it is stored."""
    if not name:
        suite_id = newest_suite(store)
        return load_suite(store, suite_id), suite_id
    path = Path(name)
    if path.is_file():
        return format_of(path, "").read(path), None
    suite_id = suite_named(store, name)
    return load_suite(store, suite_id), suite_id


def export_suite(name: str, store: Store, *, format_name: str, out: Path) -> Result:
    """A suite of the store, or of a file, in another format."""
    suite, _ = find_suite(store, name)
    format_of(out, format_name).write(suite, out)
    rows: list[Row] = [{"suite": suite.name, "n_items": len(suite.items), "file": str(out)}]
    return Result(rows, ("suite", "n_items", "file"))


def grammar_treebank(path: Path, *, n_sentences: int, seed: int, out: Path | None) -> str:
    """CoNLL-U of sentences drawn from a template grammar; written to `out`, else returned."""
    from colorless_green.nonce.grammar.conllu import treebank as blocks_of
    from colorless_green.nonce.grammar.load import load_grammar

    blocks = blocks_of(load_grammar(path), n_sentences, seed)
    if out is None:
        return "".join(blocks)
    with write_whole(out) as stream:
        stream.writelines(blocks)
    return ""
