"""The verb nonce: variants of mined originals, into the store, a file and a page."""

import json
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from colorless_green.data import schema
from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, demand_ending, frame, write_table
from colorless_green.miner.rows import load_mining, mined_files
from colorless_green.miner.treebank import UNDETERMINED, Treebank, treebank
from colorless_green.nonce.doubts import AMBIGUOUS, FLAGS
from colorless_green.nonce.formats import read_suite, write_suite
from colorless_green.nonce.item import Agreement, Item
from colorless_green.nonce.levels import MORPHOLOGY
from colorless_green.nonce.matching import Matching
from colorless_green.nonce.page.marks import Marks, honoured, read_marks
from colorless_green.nonce.quality.described import DOUBTS, described
from colorless_green.nonce.rows import (
    load_suite,
    mining_of_item,
    newest_suite,
    originals_of_mining,
    save_suite,
)
from colorless_green.nonce.sources import Kind, Sources, matching_for
from colorless_green.nonce.substitute import KEPT_TARGET, Made, Shortfall, Wanted, variants
from colorless_green.nonce.suite import Suite

AS_PUBLISHED = ("equal_forms",)  # what even the published sets should not have held
UNDECIDABLE = ("equal_forms", "ambiguous_cue", "ambiguous_target")  # by their forms alone
ALL, NONE = "all", "none"
UNSEEN = "unseen"  # the level that looks at further text


@dataclass(frozen=True, slots=True)
class Review:
    """What of the originals and variants is left out."""

    exclude: tuple[str, ...] = ()  # flags; empty: what the level asks for
    marks: Path | None = None


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is written beside the store."""

    out: Path | None = None
    page: Path | None = None
    rejections: Path | None = None


@dataclass(frozen=True, slots=True)
class _Left:
    """An original that was left out, and why."""

    item: Item
    flags: tuple[str, ...]  # those that it was left out for
    reason: str


def make_nonce(
    originals: Path | None,
    store: Store,
    *,
    sources: Sources = Sources(),
    kind: Kind = Kind(),
    wanted: Wanted = Wanted(),
    review: Review = Review(),
    outputs: Outputs = Outputs(),
    now: str,
    progress: Progress = silent,
) -> Result:
    """Variants of the originals of a file, or of the newest mining in the store."""
    if outputs.rejections is not None:
        demand_ending(outputs.rejections, "--rejections")
    flags = _flags(review.exclude)
    marks = read_marks(review.marks) if review.marks is not None else None
    suite, treebank_id = _originals(originals, store)
    items = [item for item in suite.items if item.kind == "original"]
    if not items:
        wrong = "this mining gave no originals" if originals is None else "no originals in it"
        raise InputError(suite.name, wrong, "another treebank, rule or feature", kind="empty")
    if treebank_id is None:
        treebank_id = mining_of_item(store, items[0].item_id)
    source, sources = _source_of(store, treebank_id, sources)
    _check(source, items[0], sources, kind, wanted)
    parts: list[Made] = []
    left: list[_Left] = []
    for (rule, repair), own in _groups(items).items():
        features = dict.fromkeys(_cue_feature(item) for item in own)
        matching = matching_for(source, sources, rule, repair, kind, features)
        if source.name != own[0].source:
            matching = replace(matching, words_from=(source.name, source.licence))
        kept, out = _sifted(own, matching, flags or _excluded(matching))
        left += out
        parts.append(
            variants(
                kept,
                matching,
                wanted,
                progress=lambda n_done: progress("nonce variants", n_done, len(items)),
            )
        )
    meta = {"left_out": json.dumps([[each.item.item_id, each.reason] for each in left])}
    made = tuple(item for part in parts for item in part.items)
    result = Suite(_name(suite.name, kind, wanted), made, meta=meta if left else {})
    told = list(_messages(result, items, parts, left))
    if marks is not None:
        result, counts = honoured(result, marks)
        told.append(_marked(counts))
    if result.items:
        with store.transaction():
            save_suite(store, result, "nonce", treebank_id=treebank_id, now=now)
    _write(result, outputs, left, marks)
    vocabulary = sources.vocabulary
    said = f"vocabulary {vocabulary.name}" if vocabulary else "vocabulary of the treebank"
    shortfalls = [each for part in parts for each in part.shortfalls]
    return Result(
        list(_nonce_rows(result, items, shortfalls, left)),
        ("construction", "n_originals", "n_variants", "n_short", "n_left_out"),
        [f"{result.name}: words of {source.name}, {said}, seed {wanted.seed}", *told],
        found=any(item.kind == "nonce" for item in result.items),
    )


def _check(source: Treebank, item: Item, sources: Sources, kind: Kind, wanted: Wanted) -> None:
    """Raises `InputError` for what does not go together."""
    ours, theirs = (each.partition("-")[0] for each in (source.language, item.language))
    if UNDETERMINED not in (ours, theirs) and ours != theirs:
        raise InputError(
            "--treebank",
            f"words of {ours!r} for originals of {theirs!r}",
            "one language",
            kind="conflict",
        )
    if sources.texts and kind.level.removeprefix("+") != UNSEEN:
        raise InputError(
            "--seen-in", "only one level looks at it", "--level +unseen", kind="conflict"
        )
    if kind.pseudo and wanted.all_targets:
        raise InputError(
            "--all-targets", "pseudo-words have no lexicon", "--words real", kind="conflict"
        )


def _flags(names: Sequence[str]) -> tuple[str, ...]:
    """The flags of `--exclude`. Raises `InputError` for one that there is not."""
    if tuple(names) == (NONE,):
        return AS_PUBLISHED
    if ALL in names:
        return (*FLAGS, AMBIGUOUS)
    for name in names:
        named({**FLAGS, AMBIGUOUS: None, ALL: None, NONE: None}, name, "--exclude")
    return tuple(names)


def _excluded(matching: Matching) -> tuple[str, ...]:
    """What is left out where nothing was said: above `morphology` every doubtful original; of the
    published rule's sets as little as there, of other sets what forms alone leave undecided."""
    if matching.levels:
        return (*FLAGS, AMBIGUOUS)
    return AS_PUBLISHED if matching.lexicon.conditions.same_class else UNDECIDABLE


def _sifted(
    items: Sequence[Item], matching: Matching, excluded: Container[str]
) -> tuple[list[Item], list[_Left]]:
    """Originals with what their trees say of them; those that are left out apart."""
    kept: list[Item] = []
    left: list[_Left] = []
    for item in items:
        telling = matching.tellings.get(_facts(item).feature)
        told = described(item, matching.all_paradigms, telling)
        assert told.agreement is not None
        found = tuple(flag for flag in told.agreement.flags if flag in excluded)
        if found:
            left.append(_Left(told, found, told.facts.get(DOUBTS, "; ".join(found))))
        else:
            kept.append(told)
    return kept, left


def _name(originals: str, kind: Kind, wanted: Wanted) -> str:
    """The suite's name: the mining's, and in what the variants are not the usual ones."""
    name = f"{originals.removesuffix('/originals')}/nonce"
    level = kind.level.removeprefix("+")
    if level != MORPHOLOGY:
        name += f"+{level}"
    parts = [name, "pseudo" * kind.pseudo, "balanced" * kind.balanced]
    parts.append(f"seed{wanted.seed}" if wanted.seed else "")
    return "/".join(filter(None, parts))


def _originals(path: Path | None, store: Store) -> tuple[Suite, int | None]:
    """The suite of a file, or that of the newest mining with the mining's id."""
    if path is not None:
        return read_suite(path), None
    row = load_mining(store)
    if row is None:
        return load_suite(store, newest_suite(store, ("originals",))), None
    suite_id = originals_of_mining(store, int(row["treebank_id"]))
    if suite_id is None:
        return Suite(str(row["name"]), ()), int(row["treebank_id"])
    return load_suite(store, suite_id), int(row["treebank_id"])


def _source_of(store: Store, treebank_id: int | None, sources: Sources) -> tuple[Treebank, Sources]:
    """The treebank that was named, or the one that was mined; the vocabulary likewise."""
    row = load_mining(store, treebank_id) if treebank_id is not None else None
    if sources.vocabulary is None and row is not None and row["vocabulary"]:
        sources = replace(sources, vocabulary=Path(row["vocabulary"]))
    if sources.treebanks:
        return treebank(sources.treebanks), sources
    files = mined_files(row) if row is not None else []
    if row is None or not files:
        raise InputError(
            "--treebank",
            "the store does not know where these originals come from",
            "name it",
            kind="missing",
        )
    return treebank(files, name=str(row["name"]), language=str(row["language"])), sources


def _facts(item: Item) -> Agreement:
    if item.agreement is None:
        raise InputError(
            f"item {item.item_id}", "no facts of agreement", "mined originals", kind="unsupported"
        )
    return item.agreement


def _groups(items: Sequence[Item]) -> dict[tuple[str, str], list[Item]]:
    """Originals by the (rule, repair) that they were mined under."""
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        key = (_facts(item).rule, item.facts.get("repair", "auto"))
        groups.setdefault(key, []).append(item)
    return groups


def _cue_feature(item: Item) -> str:
    agreement = _facts(item)
    return agreement.cue_feature or agreement.feature


def _write(suite: Suite, outputs: Outputs, left: Sequence[_Left], marks: Marks | None) -> None:
    if outputs.out is not None and suite.items:
        write_suite(suite, outputs.out)
    if outputs.page is not None and suite.items:
        from colorless_green.nonce.page.page import write_page

        write_page(suite, outputs.page, marks)
    if outputs.rejections is not None:
        write_table(outputs.rejections, frame(map(_rejection, left), schema.REJECTIONS))


def _rejection(left: _Left) -> Row:
    agreement = _facts(left.item)
    return {
        "treebank": agreement.treebank,
        "sent_id": agreement.sent_id,
        "cue_index": agreement.cue_index,
        "target_index": agreement.target_index,
        "construction": agreement.construction,
        "reason": left.reason,
    }


def _nonce_rows(
    suite: Suite,
    originals: Sequence[Item],
    shortfalls: Sequence[Shortfall],
    left: Sequence[_Left],
) -> Iterator[Row]:
    by_id = {item.item_id: _facts(item).construction for item in originals}
    short = Counter(by_id[each.item_id] for each in shortfalls)
    out = Counter(_facts(each.item).construction for each in left)
    groups: dict[str, list[Item]] = {construction: [] for construction in by_id.values()}
    for item in suite.items:
        groups.setdefault(_facts(item).construction, []).append(item)
    for construction, items in groups.items():
        yield {
            "construction": construction,
            "n_originals": sum(item.kind == "original" for item in items),
            "n_variants": sum(item.kind == "nonce" for item in items),
            "n_short": short[construction],
            "n_left_out": out[construction],
        }


SHOWN = 20  # originals of which it is told why they fell short; all of them with --json


def _messages(
    suite: Suite, items: Sequence[Item], parts: Sequence[Made], left: Sequence[_Left]
) -> Iterator[str]:
    served: Counter[str] = Counter()
    for part in parts:
        served.update(part.served)
    if len(served) > 1:
        told = ", ".join(f"{level} {n}" for level, n in served.items())
        yield f"originals that each level can serve: {told}"
    if left:
        flags = Counter(flag for each in left for flag in each.flags if flag != AMBIGUOUS)
        told = ", ".join(f"{flag} {n}" for flag, n in flags.most_common())
        yield f"{len(left)} of {len(items)} originals left out: {told}"
    yield from _unchanged(suite.items)
    sets = {item.set_id for item in suite.items if item.set_id}
    if sets:
        cells = Counter(item.cell for item in suite.items)
        told = ", ".join(f"{cell} {n}" for cell, n in sorted(cells.items()))
        yield f"{len(sets)} sets: {told}"
    shortfalls = [each for part in parts for each in part.shortfalls]
    yield from _shortfall_messages(items, shortfalls)


def _unchanged(items: Sequence[Item]) -> Iterator[str]:
    """How many variants have the target of their original, where some do."""
    variants = [item for item in items if item.kind == "nonce"]
    n_kept = sum(KEPT_TARGET in _facts(item).flags for item in variants)
    if n_kept:
        yield f"{n_kept} of {len(variants)} variants keep the target: no other pair of forms fits"


def _shortfall_messages(items: Sequence[Item], shortfalls: Sequence[Shortfall]) -> Iterator[str]:
    by_id = {item.item_id: item for item in items}
    for each in shortfalls[:SHOWN]:
        agreement = _facts(by_id[each.item_id])
        yield (
            f"{agreement.construction} {agreement.number} ({agreement.sent_id}): {each.n_made} of "
            f"{each.n_asked} variants; {each.reason}"
        )
    if len(shortfalls) > SHOWN:
        yield f"… and {len(shortfalls) - SHOWN} more originals with fewer variants"


def _marked(counts: dict[str, int]) -> str:
    n_out = counts["n_items"] - counts["n_kept"]
    return (
        f"marks: {n_out} of {counts['n_items']} items left out "
        f"({counts['n_rejected']} rejected, {counts['n_with_original']} with their original)"
    )
