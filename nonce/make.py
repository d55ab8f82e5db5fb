"""Nonce variants of mined originals: the public function `make_nonce`."""

import json
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from ..data.configuration import configured
from ..data.errors import InputError
from ..data.files import Paths, demand_file, listed_paths
from ..data.formats import format_to_write, write_suite
from ..data.items.item import Item, Leak, Nominal
from ..data.items.item_table import table_of
from ..data.items.suite import Suite, select_items
from ..data.memo import request_key
from ..data.progress import Progress, silent
from ..data.registry import Names, listed, plugin_file
from ..data.store import Store, StoreLike, open_store, reference_to
from ..data.stored_suites import (
    find_suite,
    mining_of_item,
    newest_suite,
    originals_of_mining,
    stored_suite,
)
from ..miner.mine import Mining
from ..miner.mining_rows import load_mining, mined_treebank
from ..miner.treebank.treebank import UNDETERMINED, Treebank
from ..miner.treebank.treebank import treebank as treebank_of
from .page.review_page import read_marks, without_rejected
from .variants.ambiguity import AMBIGUOUS, FLAGS, doubts, flags_of
from .variants.frequencies import TREEBANK, frequencies_named
from .variants.levels import GROUP, LEVELS
from .variants.nonce_account import (
    LeftOut,
    NonceAccount,
    account_from,
    account_messages,
    account_rows,
    facts_of,
    rejections_frame,
)
from .variants.recipe import (
    ALL,
    HIGHEST,
    NONE,
    Recipe,
    SuiteRequest,
    make_once,
    with_newest_mining_note,
)
from .variants.repeated_frames import with_repeated_frames
from .variants.slots import Matching
from .variants.sources import matching_for
from .variants.variant import VariantSet, variants

SHOWN_COLUMNS = ("construction", "n_originals", "n_variants", "n_left_out")
DOUBTS_FACT = "doubts"  # name of the fact that gives the reasons for an item's flags
EXCLUDED_AS_PUBLISHED = ("equal_forms",)  # flags left out even of sets like the published ones
# flags of originals whose forms decide nothing: these are left out by default at every level
UNDECIDABLE_FLAGS = tuple(name for name, flag in FLAGS.items() if flag.undecidable)


def make_nonce(
    originals: Mining | Suite | str | Path | None = None,
    *,
    recipe: Recipe | str | Path | None = None,
    n: int | None = None,
    level: str | None = None,
    construction: Names = None,
    words: Literal["real", "pseudo"] | None = None,
    treebank: Paths = None,
    name: str = "",
    seed: int = 0,
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Suite:
    """Make nonce variants of mined originals: same syntax and morphology, other words.

    Args:
        originals: a file of originals, or their name in the store [default: the newest mining]
        recipe: how words are drawn: default, gulordava2018, or a TOML file
        n: number of variants per original [default: 3; gulordava2018: 9]
        level: how similar a replacement must be: morphology, +frequency, +frame or +unseen
            [default: the highest that an original allows, at least +frequency]
        construction: only originals of this construction, or of a pattern such as 'L__NOUN*'
        words: real words, or pseudo-words with invented stems [default: real]
        treebank: treebank that the new words come from [default: the one mined]
        name: name of the suite [default: by treebank, rule and recipe]
        seed: seed of the random numbers
        out: file to write; its ending tells the format
        store: where the suite is kept, and originals and their treebank are looked up
        progress: called with (task, done, total) as the work proceeds

    Returns:
        The originals, each followed by its variants. Its `account` says what became of them.

    Raises:
        InputError: for originals or words that cannot be found, and settings that do not go
            together.

    Commands:
        colorless nonce
        colorless nonce --construction 'L__NOUN*' --level +frame --out set.jsonl

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> suite = cg.make_nonce(cg.mine(str(sample.treebank("en"))), n=2)
    >>> suite.to_frame()["kind"].value_counts().sort("kind").rows()
    [('nonce', 274), ('original', 137)]
    """
    request = SuiteRequest(
        configured(Recipe, recipe, n=n, level=level, words=words),
        listed(construction), tuple(listed_paths(treebank)), name, seed,
    )  # fmt: skip
    request.recipe.demand_unchanged(["attractors"], "nonce variants")
    if out is not None:
        format_to_write(Path(out))
        demand_file(Path(out))
    if isinstance(originals, Mining):
        originals = originals.originals
    # originals from `mine` know the store that has their mining; variants may go to another one
    kept_in = originals.kept.store if isinstance(originals, Suite) and originals.kept else None
    with (
        open_store(kept_in if store is None else store) as suite_store,
        open_store(kept_in or suite_store) as mining_store,
    ):
        source = find_originals(originals, request, mining_store)
        bank, full_recipe = find_words(source, request, mining_store)
        key = nonce_key(source, bank, full_recipe, request)
        mining = source.mining if reference_to(mining_store) == reference_to(suite_store) else None
        make = partial(nonce_suite, source, bank, full_recipe, request, progress)
        suite = make_once(suite_store, key, "nonce", mining, account_from, make)
        if originals is None:
            suite = with_newest_mining_note(suite, source.name)
    if out is not None and suite.items:
        write_suite(suite, Path(out))
    return suite


@dataclass(frozen=True, slots=True)
class Originals:
    """The originals that variants are made of.

    Attributes:
        name: name of their suite, without `/originals`.
        items: the originals of the requested constructions, at least one.
        mining: number of the mining that they come from, if the store knows it.
    """

    name: str
    items: tuple[Item, ...]
    mining: int | None


def find_originals(
    source: Suite | str | Path | None, request: SuiteRequest, store: Store
) -> Originals:
    """Return the originals of the requested constructions. They are read from `source` (a suite,
    its file or its name in the store) or, if it is `None`, from the newest mining in the store.
    Raises `InputError` if there are none."""
    suite, mining = _originals_suite(source, store)
    items = [item for item in suite.items if item.kind == "original"]
    if not items:
        wrong = "this mining gave no originals" if source is None else "no originals in it"
        right = "another treebank, rule or feature"
        raise InputError(suite.name, wrong, right, kind="empty")
    selected = tuple(select_items(items, request.constructions))
    if mining is None:
        mining = mining_of_item(store, selected[0].item_id)
    return Originals(suite.name.removesuffix("/originals"), selected, mining)


def _originals_suite(source: Suite | str | Path | None, store: Store) -> tuple[Suite, int | None]:
    """Return the suite that has the originals, and the number of the mining that it comes from. If
    `source` is given, the suite is found by it, and the number is `None`. Otherwise the newest
    mining is taken; its suite is empty if it gave no originals. If the store has no mining, it is
    the newest suite of originals, and the number is `None`."""
    if source is not None:
        suite, _ = find_suite(store, source)
        return suite, None
    row = load_mining(store)
    if row is None:
        return stored_suite(store, newest_suite(store, ("originals",))), None
    mining = int(row["treebank_id"])
    suite_id = originals_of_mining(store, mining)
    suite = Suite(str(row["name"]), ()) if suite_id is None else stored_suite(store, suite_id)
    return suite, mining


def find_words(source: Originals, request: SuiteRequest, store: Store) -> tuple[Treebank, Recipe]:
    """Return the treebank that new words come from, and the recipe completed with a vocabulary (the
    file of words that may be written).

    The treebank is the one that the request names, or else the one that was mined. If the path of
    the treebank tells no language, it gets that of the originals. If the recipe names no
    vocabulary, that of the mining is used. Raises `InputError` if there is no treebank, or if its
    language is not that of the originals.
    """
    recipe = request.recipe
    row = load_mining(store, source.mining) if source.mining is not None else None
    if recipe.vocabulary is None and row is not None and row["vocabulary"]:
        recipe = replace(recipe, vocabulary=Path(row["vocabulary"]))
    language = source.items[0].language
    if request.treebanks:
        bank = treebank_of(request.treebanks)
        if bank.language == UNDETERMINED:
            bank = replace(bank, language=language)
    else:
        mined = mined_treebank(row)
        if mined is None:
            wrong = "the store does not say where these originals come from"
            raise InputError("treebank", wrong, "name it", kind="missing")
        bank = mined
    of_words, of_originals = (code.partition("-")[0] for code in (bank.language, language))
    if UNDETERMINED not in (of_words, of_originals) and of_words != of_originals:
        wrong = f"words of {of_words!r} for originals of {of_originals!r}"
        raise InputError("treebank", wrong, "one language", kind="conflict")
    return bank, recipe


def nonce_key(source: Originals, bank: Treebank, recipe: Recipe, request: SuiteRequest) -> str:
    """Return a digest of everything that the variants depend on. The store keeps the suite under
    it, so that the same request finds the suite again."""
    frequencies = frequencies_named(recipe.frequencies or TREEBANK, bank.language)
    level = (recipe.level or HIGHEST).removeprefix("+")
    return request_key(
        "nonce", request.suite_name(source.name, "nonce"), request.recipe_line,
        table_of(source.items).packed(), source.mining, bank.name, bank.language, bank.licence,
        *bank.files, bool(request.treebanks), recipe, recipe.contents(),
        frequencies.name if frequencies else "", request.seed,
        *plugin_file(LEVELS, level, "level", GROUP),
    )  # fmt: skip


def nonce_suite(
    source: Originals,
    bank: Treebank,
    recipe: Recipe,
    request: SuiteRequest,
    progress: Progress,
) -> Suite:
    """Make the variants, and return a suite of the originals, each followed by its variants, with
    its account (what became of each original). Items that the recipe's file of marks rejects are
    left out."""
    variant_set, excluded = make_variants(source, bank, recipe, request, progress)
    left_out = json.dumps([[entry.item.item_id, entry.reason] for entry in excluded])
    suite = Suite(
        request.suite_name(source.name, "nonce"),
        with_repeated_frames(variant_set.items),
        meta={"made": request.recipe_line, **({"left_out": left_out} if excluded else {})},
    )
    vocabulary = recipe.vocabulary.name if recipe.vocabulary else "of the treebank"
    messages = [
        f"{suite.name}: recipe {request.recipe.label} ({request.recipe.digest}), new words from "
        f"{bank.name}, vocabulary {vocabulary}, seed {request.seed}",
        *account_messages(suite, source.items, variant_set, excluded, recipe.level or HIGHEST),
    ]
    if recipe.marks:
        suite, counts = without_rejected(suite, read_marks(recipe.marks))
        messages.append(
            f"marks: {counts['n_items'] - counts['n_kept']} of {counts['n_items']} items left out "
            f"({counts['n_rejected']} rejected, {counts['n_with_original']} with their original)"
        )
    rows = list(account_rows(suite, source.items, variant_set.shortfalls, excluded))
    account = NonceAccount(
        rows=rows, columns=SHOWN_COLUMNS, messages=messages,
        found=any(item.kind == "nonce" for item in suite.items),
        rejections=rejections_frame(excluded),
    )  # fmt: skip
    return replace(suite, account=account)


def make_variants(
    source: Originals,
    bank: Treebank,
    recipe: Recipe,
    request: SuiteRequest,
    progress: Progress,
) -> tuple[VariantSet, list[LeftOut]]:
    """Make the variants of the originals. Return two things: the originals with their variants, and
    the originals that were left out because of their flags, with reasons."""
    groups: dict[tuple[str, str], list[Item]] = {}  # (rule, repair) of the mining → originals
    for item in source.items:
        mined_by = (facts_of(item).rule, item.facts.get("repair", "auto"))
        groups.setdefault(mined_by, []).append(item)
    variant_set = VariantSet((), (), {})
    excluded: list[LeftOut] = []
    on_bad = None if request.treebanks else lambda fault: None  # mining has reported bad sentences
    for (rule, repair), group in groups.items():
        agreements = map(facts_of, group)
        features = dict.fromkeys(x.cue_feature or x.feature for x in agreements)
        matching = matching_for(bank, recipe, rule, repair, features, on_bad)
        if bank.name != group[0].source:  # items say where their new words come from
            matching = replace(matching, words_from=(bank.name, bank.licence))
        fit, unfit = _split_by_flags(group, matching, _excluded_flags(recipe, matching))
        excluded += unfit
        variant_set += variants(
            fit,
            matching,
            recipe.n or 0,
            seed=request.seed,
            lower_levels=not recipe.level,
            all_targets=bool(recipe.all_targets),
            progress=lambda n_done: progress("nonce variants", n_done, len(source.items)),
        )
    return variant_set, excluded


def _excluded_flags(recipe: Recipe, matching: Matching) -> Sequence[str]:
    """Return the names of the flags for which an original is left out.

    If the recipe names no flags, these are all flags at levels above `morphology`. At `morphology`
    they are `EXCLUDED_AS_PUBLISHED` if the originals were mined by the published rule, else
    `UNDECIDABLE_FLAGS`.
    """
    names = recipe.exclude or ()
    if names == (NONE,):
        return EXCLUDED_AS_PUBLISHED
    if ALL in names or (not names and matching.levels):  # `levels` are those above `morphology`
        return (*FLAGS, AMBIGUOUS)
    if names:
        return names
    is_published_rule = matching.lexicon.conditions.same_class  # it alone has this condition
    return EXCLUDED_AS_PUBLISHED if is_published_rule else UNDECIDABLE_FLAGS


def annotate(item: Item, matching: Matching) -> Item:
    """Return an original with the facts that its tree shows: its nominals, its leaks (words before
    the target that show the value), a flag for each doubt (a reason why its label may be wrong),
    and the reasons for these flags. An item without a tree is returned unchanged."""
    agreement = item.agreement
    if agreement is None or agreement.tree is None:
        return item
    pair = matching.pair_of(item)
    item_doubts = doubts(pair)
    facts = {name: value for name, value in item.facts.items() if name != DOUBTS_FACT}
    if item_doubts:
        facts[DOUBTS_FACT] = "; ".join(f"{doubt.flag}: {doubt.reason}" for doubt in item_doubts)
    token_of = agreement.tree.tokens  # word of the tree → token
    agreement = replace(
        agreement,
        flags=tuple(sorted({*agreement.flags, *flags_of(item_doubts)})),
        nominals=tuple(
            Nominal(
                token_of[node], depth, distance=token_of[pair.target] - token_of[node], value=value
            )
            for node, depth, value in pair.nominals
        ),
        leaks=tuple(Leak(kind, token_of[node], pair.value) for kind, node in pair.leaks),
        **pair.cue_columns(token_of),
    )
    return replace(item, facts=facts, agreement=agreement)


def _split_by_flags(
    items: Sequence[Item], matching: Matching, exclude: Container[str]
) -> tuple[list[Item], list[LeftOut]]:
    """Annotate the originals, and return two lists: those that have none of the flags in `exclude`,
    and those that have one or more, with the reason."""
    accepted: list[Item] = []
    excluded: list[LeftOut] = []
    for item in items:
        annotated = annotate(item, matching)
        flags = tuple(flag for flag in facts_of(annotated).flags if flag in exclude)
        if flags:
            reason = annotated.facts.get(DOUBTS_FACT, "; ".join(flags))
            excluded.append(LeftOut(annotated, flags, reason))
        else:
            accepted.append(annotated)
    return accepted, excluded
