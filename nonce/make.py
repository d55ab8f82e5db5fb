"""Nonce variants of mined originals: the public function `make_nonce`."""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from ..data import schema
from ..data.errors import InputError
from ..data.files import Paths, demand_file, listed_paths
from ..data.formats import format_to_write, write_suite
from ..data.items.item import Item
from ..data.items.item_table import table_of
from ..data.items.suite import Suite, select_items
from ..data.load import (
    find_suite,
    mark_newest,
    mining_of_item,
    newest_suite,
    originals_of_mining,
    saved,
    stored_suite,
)
from ..data.memo import remember, remembered_result, request_key
from ..data.progress import Progress, silent
from ..data.registry import Names, listed, look_up, plugin_file
from ..data.store import Store, StoreLike, home, open_store
from ..data.tables import demand_ending, frame, write_table
from ..miner.mine import Mining
from ..miner.mining_rows import load_mining, mined_treebank
from ..miner.treebank.treebank import UNDETERMINED, Treebank, treebank
from .compose import compose
from .page.marks import honoured, read_marks
from .variants.ambiguity import AMBIGUOUS, FLAGS
from .variants.annotate import DOUBTS, annotate, with_near_duplicates
from .variants.frequencies import frequencies_named
from .variants.levels import GROUP, LEVELS, LOWEST, MORPHOLOGY
from .variants.nonce_account import (
    LeftOut,
    NonceAccount,
    account_messages,
    account_rows,
    advice,
    facts_of,
)
from .variants.slots import Matching
from .variants.sources import Sources, VariantKind, matching_for
from .variants.variant import VariantSet, variants

AS_PUBLISHED = ("equal_forms",)  # what even the published sets should not have held
UNDECIDABLE = tuple(name for name, flag in FLAGS.items() if flag.undecidable)  # by forms alone
ALL, NONE = "all", "none"
TAILS = ("replace", "keep")  # what becomes of words after the target
UNSEEN = "unseen"  # the level that looks at further text
HIGHEST = f"+{list(LEVELS)[-1]}"  # where no level is asked for, the first that is tried
PRESETS: Mapping[str, str] = {"gulordava2018": MORPHOLOGY}
"""The level of published sets; words after the target replaced, as is the default there."""
PER_ORIGINAL = {MORPHOLOGY: 9}  # variants by level, as published
FEW_EACH = 3  # of all others: more of one original tell little that is new
ORIGIN = ("treebank", "sent_id", "cue_index", "target_index", "construction")  # of an original


def make_nonce(
    originals: Mining | Suite | str | Path | None = None,
    *,
    n: int | None = None,
    level: str | None = None,
    fallback: bool = False,
    preset: str = "",
    construction: Names = None,
    words: Literal["real", "pseudo"] = "real",
    composed: bool = False,
    sets: int = 500,
    attractors: int | None = None,
    tail: Literal["replace", "keep"] | None = None,
    all_targets: bool = False,
    exclude: Names = None,
    treebank: Paths = None,
    lexicon: Paths = None,
    vocabulary: str | Path | None = None,
    unimorph: Names = None,
    frequencies: str = "treebank",
    seen_in: Paths = None,
    seed: int = 0,
    out: str | Path | None = None,
    page: str | Path | None = None,
    marks: str | Path | None = None,
    rejections: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Suite:
    """Make nonce variants of mined originals: same syntax and morphology, other words.

    Args:
        originals: a mining, its originals, their file or name in the store; None: the newest
            mining of the store.
        n: variants of each original; None: 3, at `morphology` 9 as in the published sets.
        level: how similar a replacement must be: `morphology`, `+frequency`, `+frame` or `+unseen`,
            each with all before it. None: for each original the highest that can serve it, at least
            `+frequency`. There, what `+frame` leaves alone (titles, measures, words of rare use)
            stays if it can; where the cue is such a word it is replaced (flag `unrestrained`).
        fallback: also with a level, a lower one (down to `+frequency`) where an original asks too
            much of it; what the level leaves alone stays.
        preset: `gulordava2018`: the level of the published sets, `morphology`.
        construction: only originals of these; names or patterns with `*`.
        words: `real`, or `pseudo` for words with invented stems.
        composed: in place of variants, sets of short beginnings as `compose` makes them; of the
            other options `attractors`, `treebank`, `unimorph`, `seed`, `out` and `store` count.
        sets: with `composed`: maximum number of sets.
        attractors: with `composed`: most modifiers between head and target.
        tail: whether words after the target are replaced or kept; None: kept from `+frame` on.
        all_targets: list every pair of forms that fits each prefix.
        exclude: flags of originals that are left out, `all` or `none`; None: forms that decide
            nothing, above `morphology` every doubt.
        treebank: where words come from; None: the treebank that was mined.
        lexicon: CoNLL-U files or folders of the same language, treebanks or parsed text: their
            sentences say, too, what words are used with, and where they are annotated alike their
            words may be drawn.
        vocabulary: a file of the words that models know; None: that of the mining.
        unimorph: `LANGUAGE=FILE` of UniMorph lists.
        frequencies: `treebank`, `wordfreq` (whose common words no pseudo-word is, then), or a file
            of words and counts; items say which.
        seen_in: texts whose word pairs `+unseen` avoids too.
        seed: the same seed gives the same set.
        out: a file for the set, in the format its ending says.
        page: a file for an HTML page for reviewing the items.
        marks: leave out what was rejected on such a page.
        rejections: a file for the originals that were left out, with reasons.
        store: where the set is kept, and originals and treebank are looked up; None: that of the
            originals, or in memory.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        The originals, each followed by its variants. Its `account` says what became of them.

    Raises:
        InputError: for originals or words that cannot be found, and options that do not go
            together.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> suite = cg.make_nonce(cg.mine(str(sample.treebank("en"))), n=2)
    >>> suite.to_frame()["kind"].value_counts().sort("kind").rows()
    [('nonce', 274), ('original', 137)]
    """
    if composed:
        if not (originals is None or isinstance(originals, Mining)):
            wrong = "composed sets are made of a mining, not of originals"
            raise InputError("--composed", wrong, "no originals", kind="conflict")
        return compose(
            originals, n_sets=sets, attractors=2 if attractors is None else attractors,
            treebank=treebank, unimorph=unimorph, seed=seed, out=out, store=store,
            progress=progress,
        )  # fmt: skip
    level_name = _level(level, preset)
    kind = VariantKind(
        level_name or HIGHEST, None if tail is None else tail == "keep", words == "pseudo"
    )
    if n is None:
        n = PER_ORIGINAL.get(level_name, FEW_EACH)
    elif n < 1:
        raise InputError("--per-original", f"{n} variants", "1 or more", kind="value")
    for value, valid, option in ((words, ("real", "pseudo"), "--words"), (tail, TAILS, "--tail")):
        look_up(dict.fromkeys(valid), value or valid[0], option)
    if attractors is not None:
        raise InputError(
            "--attractors", "no composed sets were asked for", "--composed", kind="conflict"
        )
    if rejections is not None:
        demand_ending(Path(rejections), "--rejections")
    if out is not None:
        format_to_write(Path(out))
        demand_file(Path(out))
    flags = _exclusion_flags(listed(exclude))
    marked = read_marks(Path(marks)) if marks is not None else None
    if isinstance(originals, Mining):
        originals = originals.originals
    if store is None and isinstance(originals, Suite) and originals.kept is not None:
        store = originals.kept.store
    origin = originals.kept.store if isinstance(originals, Suite) and originals.kept else None
    with open_store(store) as kept_in, open_store(origin or kept_in) as mined_in:
        suite, treebank_id = _originals(originals, mined_in)
        items = [item for item in suite.items if item.kind == "original"]
        if not items:
            wrong = "this mining gave no originals" if originals is None else "no originals in it"
            right = "another treebank, rule or feature"
            raise InputError(suite.name, wrong, right, kind="empty")
        items = list(select_items(items, listed(construction)))
        if treebank_id is None:
            treebank_id = mining_of_item(mined_in, items[0].item_id)
        sources = Sources(
            tuple(listed_paths(treebank)), None if vocabulary is None else Path(vocabulary),
            listed(unimorph), frequencies, tuple(listed_paths(seen_in)),
            tuple(listed_paths(lexicon)),
        )  # fmt: skip
        source, sources = _source_of(mined_in, treebank_id, sources, items[0].language)
        words_code, items_code = (
            code.partition("-")[0] for code in (source.language, items[0].language)
        )
        if UNDETERMINED not in (words_code, items_code) and words_code != items_code:
            wrong = f"words of {words_code!r} for originals of {items_code!r}"
            raise InputError("--treebank", wrong, "one language", kind="conflict")
        if sources.texts and kind.level.removeprefix("+") != UNSEEN:
            raise InputError(
                "--seen-in", "only one level looks at it", "--level +unseen", kind="conflict"
            )
        if kind.pseudo and all_targets:
            raise InputError(
                "--all-targets", "pseudo-words have no lexicon", "--words real", kind="conflict"
            )
        frequent = frequencies_named(frequencies, source.language)
        key = request_key(
            "nonce", suite.name, table_of(items).packed(), treebank_id, source.name,
            source.language, source.licence, *source.files, sources,
            *sources.files, frequent.name if frequent else "", kind, level_name, n, fallback,
            all_targets, flags, seed, *listed_paths(marks),
            *plugin_file(LEVELS, kind.level.removeprefix("+"), GROUP),
        )  # fmt: skip
        previous = remembered_result(kept_in, key)
        if previous is not None:
            suite_id, stored = previous
            nonce_suite = mark_newest(kept_in, suite_id)
            rejected = frame(stored.pop("rejections"), schema.REJECTIONS)
            account = NonceAccount(**stored, rejections=rejected)
        else:
            groups: dict[tuple[str, str], list[Item]] = {}  # as they were mined
            for item in items:
                mined_by = (facts_of(item).rule, item.facts.get("repair", "auto"))
                groups.setdefault(mined_by, []).append(item)
            parts: list[VariantSet] = []
            excluded: list[LeftOut] = []
            for (rule, repair), group in groups.items():
                features = dict.fromkeys(
                    fact.cue_feature or fact.feature for fact in map(facts_of, group)
                )
                matching = matching_for(source, sources, rule, repair, kind, features)
                if source.name != group[0].source:
                    matching = replace(matching, words_from=(source.name, source.licence))
                fit, unfit = _split_by_flags(group, matching, flags or _default_flags(matching))
                excluded += unfit
                parts.append(
                    variants(
                        fit,
                        matching,
                        n,
                        seed=seed,
                        lowest=LOWEST if fallback or not level_name else kind.level,
                        every=not level_name,
                        all_targets=all_targets,
                        progress=lambda n_done: progress("nonce variants", n_done, len(items)),
                    )
                )
            name = f"{suite.name.removesuffix('/originals')}/nonce"
            name += f"+{level_name.removeprefix('+')}" if level_name else ""
            unusual = ("pseudo" if kind.pseudo else "", f"seed{seed}" if seed else "")
            left_out = json.dumps([[entry.item.item_id, entry.reason] for entry in excluded])
            nonce_suite = Suite(  # its name tells in what the variants are not the usual ones
                "/".join(filter(None, (name, *unusual))),
                tuple(item for part in parts for item in with_near_duplicates(part.items)),
                meta={"left_out": left_out} if excluded else {},
            )
            vocabulary_name = "vocabulary of the treebank"
            if sources.vocabulary is not None:
                vocabulary_name = f"vocabulary {sources.vocabulary.name}"
            lexicon_names = [path.name for path in sources.lexicons]
            also = f" and {', '.join(lexicon_names)}" if lexicon_names else ""
            messages = [
                f"{nonce_suite.name}: new words from {source.name}{also}, {vocabulary_name}, "
                f"seed {seed}",
                *account_messages(nonce_suite, items, parts, excluded),
            ]
            if marked is not None:
                nonce_suite, counts = honoured(nonce_suite, marked)
                messages.append(
                    f"marks: {counts['n_items'] - counts['n_kept']} of {counts['n_items']} items "
                    f"left out ({counts['n_rejected']} rejected, {counts['n_with_original']} with "
                    "their original)"
                )
            has_variants = any(item.kind == "nonce" for item in nonce_suite.items)
            if not has_variants:
                messages.append(advice(excluded, parts, kind))
            shortfalls = [shortfall for part in parts for shortfall in part.shortfalls]
            rows = list(account_rows(nonce_suite, items, shortfalls, excluded))
            facts = [(facts_of(entry.item), entry.reason) for entry in excluded]
            rejected = frame(
                (
                    {**{name: getattr(agreement, name) for name in ORIGIN}, "reason": reason}
                    for agreement, reason in facts
                ),
                schema.REJECTIONS,
            )
            account = NonceAccount(
                rows=rows, columns=tuple(rows[0]), messages=messages, found=has_variants,
                rejections=rejected,
            )  # fmt: skip
            if nonce_suite.items:
                if home(mined_in) != home(kept_in):  # that store does not have the mining
                    treebank_id = None
                nonce_suite = saved(kept_in, nonce_suite, "nonce", treebank_id)
                assert nonce_suite.kept is not None
                remember(kept_in, key, account, nonce_suite.kept.id)
    nonce_suite = replace(nonce_suite, account=account)
    if out is not None and nonce_suite.items:
        write_suite(nonce_suite, Path(out))
    if page is not None and nonce_suite.items:
        from .page.review_page import write_page

        write_page(nonce_suite, Path(page), marked)
    if rejections is not None:
        write_table(Path(rejections), account.rejections)
    return nonce_suite


def _level(level: str | None, preset: str) -> str:
    """The level that is asked for, or "". Raises `InputError` where a preset has another."""
    if preset:
        preset_level = look_up(PRESETS, preset, "--preset")
        if level not in (None, preset_level):
            wrong = f"the preset {preset} has the level {preset_level}"
            raise InputError("--level", wrong, "--level or --preset", kind="conflict")
        level = preset_level
    if level in (None, MORPHOLOGY):
        return level or ""
    return f"+{level.removeprefix('+')}"


def _exclusion_flags(names: Sequence[str]) -> tuple[str, ...]:
    """The flags of `--exclude`. Raises `InputError` for one that there is not."""
    if tuple(names) == (NONE,):
        return AS_PUBLISHED
    if ALL in names:
        return (*FLAGS, AMBIGUOUS)
    for name in names:
        look_up({**FLAGS, AMBIGUOUS: None, ALL: None, NONE: None}, name, "--exclude")
    return tuple(names)


def _default_flags(matching: Matching) -> tuple[str, ...]:
    """What is left out where nothing was said: above `morphology` every doubtful original; of the
    published rule's sets as little as there, of other sets what forms alone leave undecided."""
    if matching.levels:
        return (*FLAGS, AMBIGUOUS)
    return AS_PUBLISHED if matching.lexicon.conditions.same_class else UNDECIDABLE


def _split_by_flags(
    items: Sequence[Item], matching: Matching, exclude: Container[str]
) -> tuple[list[Item], list[LeftOut]]:
    """Originals with what their trees say of them; those that are left out apart."""
    accepted: list[Item] = []
    excluded: list[LeftOut] = []
    for item in items:
        cue_counts = matching.cue_counts.get(facts_of(item).feature)
        item = annotate(item, matching.all_paradigms, cue_counts)
        flags = tuple(flag for flag in facts_of(item).flags if flag in exclude)
        if flags:
            excluded.append(LeftOut(item, flags, item.facts.get(DOUBTS, "; ".join(flags))))
        else:
            accepted.append(item)
    return accepted, excluded


def _originals(originals: Suite | str | Path | None, store: Store) -> tuple[Suite, int | None]:
    """The suite that is meant, or that of the newest mining with the mining's id."""
    if originals is not None:
        return find_suite(store, originals)[0], None
    row = load_mining(store)
    if row is None:
        return stored_suite(store, newest_suite(store, ("originals",))), None
    suite_id = originals_of_mining(store, int(row["treebank_id"]))
    if suite_id is None:
        return Suite(str(row["name"]), ()), int(row["treebank_id"])
    return stored_suite(store, suite_id), int(row["treebank_id"])


def _source_of(
    store: Store, treebank_id: int | None, sources: Sources, language: str
) -> tuple[Treebank, Sources]:
    """The treebank that was named (of the originals' language, where its path tells none), or the
    one that was mined; the vocabulary likewise."""
    row = load_mining(store, treebank_id) if treebank_id is not None else None
    if sources.vocabulary is None and row is not None and row["vocabulary"]:
        sources = replace(sources, vocabulary=Path(row["vocabulary"]))
    if sources.treebanks:
        named_bank = treebank(sources.treebanks)
        if named_bank.language == UNDETERMINED:
            named_bank = replace(named_bank, language=language)
        return named_bank, sources
    mined = mined_treebank(row)
    if mined is None:
        wrong = "the store does not say where these originals come from"
        raise InputError("--treebank", wrong, "name it", kind="missing")
    return mined, sources
