"""The verbs nonce, grammar, import and export (`mining.py` has mine): read, call the pure part,
write."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row
from colorless_green.miner.mine import repair_for, rule_named
from colorless_green.miner.paradigms import (
    Analysis,
    count_analyses,
    paradigms_of,
    surface_forms,
)
from colorless_green.miner.repair import REPAIRS
from colorless_green.miner.rows import load_mining, mined_files
from colorless_green.miner.treebank import Treebank, sentences, treebank
from colorless_green.miner.vocabulary import read_vocabulary
from colorless_green.nonce.formats import format_of
from colorless_green.nonce.item import Item
from colorless_green.nonce.lexicon import Lexicon
from colorless_green.nonce.rows import (
    load_suite,
    mining_of_item,
    newest_suite,
    originals_of_mining,
    save_suite,
    suite_named,
)
from colorless_green.nonce.substitute import Shortfall, variants
from colorless_green.nonce.suite import Suite


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
    suite, treebank_id = _originals(originals, store)
    items = [item for item in suite.items if item.kind == "original"]
    if not items:
        wrong = "this mining gave no originals" if originals is None else "no originals in it"
        raise InputError(suite.name, wrong, "another treebank, rule or feature")
    if treebank_id is None:
        treebank_id = mining_of_item(store, items[0].item_id)
    source, vocabulary = _source_of(store, treebank_id, treebanks, vocabulary)
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        groups.setdefault(_conditions(item), []).append(item)
    made: list[Item] = []
    shortfalls: list[Shortfall] = []
    for (rule, repair), own in groups.items():
        lexicon = _lexicon(source, vocabulary, rule, repair, strictly=bool(treebanks))
        more, short = variants(
            own,
            lexicon,
            n_variants=n_variants,
            seed=seed,
            progress=lambda n_done: progress("nonce variants", n_done, len(items)),
        )
        made += more
        shortfalls += short
    result = Suite(f"{suite.name.removesuffix('/originals')}/nonce", tuple(made))
    with store.transaction():
        save_suite(store, result, "nonce", treebank_id=treebank_id, now=now)
    if out is not None:
        format_of(out, "").write(result, out, None)
    said = f"vocabulary {vocabulary.name}" if vocabulary else "vocabulary of the treebank"
    return Result(
        list(_nonce_rows(result, shortfalls)),
        ("construction", "n_originals", "n_variants", "n_short"),
        [
            f"{result.name}: words of {source.name}, {said}, seed {seed}",
            *_unchanged(made),
            *_shortfall_messages(items, shortfalls),
        ],
        found=any(item.kind == "nonce" for item in made),
    )


def _originals(path: Path | None, store: Store) -> tuple[Suite, int | None]:
    """The suite of a file, or that of the newest mining with the mining's id."""
    if path is not None:
        return format_of(path, "").read(path), None
    row = load_mining(store)
    if row is None:
        return load_suite(store, newest_suite(store, ("originals",))), None
    suite_id = originals_of_mining(store, int(row["treebank_id"]))
    if suite_id is None:
        return Suite(str(row["name"]), ()), int(row["treebank_id"])
    return load_suite(store, suite_id), int(row["treebank_id"])


def _source_of(
    store: Store, treebank_id: int | None, treebanks: Sequence[Path], vocabulary: Path | None
) -> tuple[Treebank, Path | None]:
    """The treebank that was named, or the one that was mined; the vocabulary likewise."""
    row = load_mining(store, treebank_id) if treebank_id is not None else None
    if vocabulary is None and row is not None and row["vocabulary"]:
        vocabulary = Path(row["vocabulary"])
    if treebanks:
        return treebank(treebanks), vocabulary
    files = mined_files(row) if row is not None else []
    if row is None or not files:
        raise InputError(
            "--treebank", "the store does not know where these originals come from", "name it"
        )
    return treebank(files, name=str(row["name"]), language=str(row["language"])), vocabulary


def _conditions(item: Item) -> tuple[str, str]:
    """(rule, repair) that an original was mined under."""
    if item.agreement is None:
        raise InputError(f"item {item.item_id}", "no facts of agreement", "mined originals")
    return item.agreement.rule, item.facts.get("repair", "auto")


def _lexicon(
    source: Treebank,
    vocabulary: Path | None,
    rule_name: str,
    repair_name: str,
    *,
    strictly: bool,
) -> Lexicon:
    """The words of a treebank under a rule and a repair. `strictly`: a bad sentence is an error
    (of a treebank that was mined, the bad ones were told then)."""
    rule = rule_named(rule_name)
    repair = REPAIRS.get(repair_for(source, repair_name))
    analyses: Counter[Analysis] = Counter()
    on_bad = None if strictly else lambda fault: None
    for _, sentence in sentences(source, repair=repair, on_bad=on_bad):
        count_analyses([sentence], analyses)
    known = read_vocabulary(vocabulary) if vocabulary else surface_forms(analyses)
    paradigms = paradigms_of(analyses, letters_only=rule.letters_only)
    return Lexicon(paradigms, known, rule.replacement, rule.partner)


def _nonce_rows(suite: Suite, shortfalls: Sequence[Shortfall]) -> Iterator[dict[str, str | int]]:
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


def _unchanged(items: Sequence[Item]) -> Iterator[str]:
    """How many variants have the target of their original, where some do."""
    targets = {item.item_id: item.agreement.right for item in items if item.agreement}
    variants = [item for item in items if item.kind == "nonce" and item.agreement]
    n_kept = sum(
        item.agreement.right == targets.get(item.cluster_id) for item in variants if item.agreement
    )
    if n_kept:
        yield f"{n_kept} of {len(variants)} variants keep the target: no other pair of forms fits"


def _shortfall_messages(items: Sequence[Item], shortfalls: Sequence[Shortfall]) -> Iterator[str]:
    by_id = {item.item_id: item for item in items}
    for each in shortfalls:
        agreement = by_id[each.item_id].agreement
        assert agreement is not None
        yield (
            f"{agreement.construction} {agreement.number} ({agreement.sent_id}): {each.n_made} of "
            f"{each.n_asked} variants; {each.reason}"
        )


def import_suite(path: Path, store: Store, *, format_name: str, language: str, now: str) -> Result:
    """Another format's file as a suite of the store; `language` where the file does not say it."""
    suite = format_of(path, format_name).read(path)
    if language:
        items = tuple(replace(item, language=language) for item in suite.items)
        suite = replace(suite, items=items)
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
    suite, suite_id = find_suite(store, name)
    format_of(out, format_name).write(suite, out, _vocabulary_of(store, suite_id))
    rows: list[Row] = [{"suite": suite.name, "n_items": len(suite.items), "file": str(out)}]
    return Result(rows, ("suite", "n_items", "file"))


def _vocabulary_of(store: Store, suite_id: int | None) -> frozenset[str] | None:
    """The vocabulary that a stored suite was mined with, if there was one and it is still there."""
    row = store.one(
        "SELECT vocabulary FROM suite JOIN treebank USING (treebank_id) WHERE suite_id = ?",
        (suite_id,),
    )
    if row is None or not row["vocabulary"] or not Path(row["vocabulary"]).is_file():
        return None
    return read_vocabulary(Path(row["vocabulary"]))


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
