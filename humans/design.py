"""A suite becomes a study, list by list, in a folder."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ..data.errors import InputError
from ..data.files import write_whole
from ..data.formats.detect import detect_format
from ..data.items.item import Item
from ..data.items.suite import Suite, select_items
from ..data.languages import checked_language
from ..data.load import find_suite
from ..data.registry import Names, listed, look_up
from ..data.result import Result
from ..data.store import Store, StoreLike, open_store
from ..data.tables import Row
from .exports.write import write_preview
from .judgments.itemtable import read_items
from .study import notes
from .study.fillers import TRIALS_PER_CHECK, FillerPool, deciding_fillers
from .study.fillers import checks as checks_of
from .study.fillers import fillers as fillers_of
from .study.fillers import practice as practice_of
from .study.lists import (
    SourceFacts,
    SourceVersions,
    flag_counts,
    latin_square,
    limited,
    one_per_sentence,
    source_facts,
    sources_of,
)
from .study.notes import LeftOutSources
from .study.order import TrialOrder, add_sides, arrange, list_trials
from .study.power import about_power
from .study.settings import SCALES, SETTINGS, TASKS, Scale, Settings, Task, missing
from .study.stimulus import Stimulus, Version, is_determiner_noun, stimulus
from .study.stimulus import versions as versions_of
from .study.study import Trial, write_study
from .study.texts import Texts, texts_in, write_model
from .study.texts import texts as texts_of

NONE, REST = "none", "rest"  # values of --fillers
UNKNOWN = ("", "und")  # languages
MOST_SHOWN = 8  # rows of lists
FALLBACK = "en"  # the language of instructions where there are none in the study's own
COLUMNS = (
    *("list", "n_targets", "n_fillers", "n_checks", "n_practice", "n_blocks"),
    *("right_first", "relaxed"),
)


@dataclass(frozen=True, slots=True)
class StudyDesign:
    """A study before it is written.

    Attributes:
        trials: of all lists, list by list, each in the order shown.
        key: trial_id → the right option; "" where there is none.
        rows: one per list: how many trials of each kind, how many blocks, right options first.
        messages: what should be known before anybody takes part.
        unambiguous: the fillers whose errors may exclude people; None where nothing says which.
        lists: the versions of targets that each list shows.
    """

    trials: tuple[Trial, ...]
    key: Mapping[str, str]
    rows: tuple[Row, ...]
    messages: tuple[str, ...]
    unambiguous: frozenset[str] | None
    lists: tuple[tuple[Version, ...], ...]


def design_study(
    suite: Suite | str | Path = "",
    out: str | Path = "study",
    *,
    task: str = "form",
    participants: int | None = None,
    versions: int = 1,
    lists: int | None = None,
    construction: Names = None,
    per_construction: int | None = None,
    drop_flagged: bool = False,
    fillers: Suite | str | Path = "",
    checks: int | None = None,
    practice: int = 3,
    blocks: int = 1,
    scale: str = "7",
    texts: str | Path | None = None,
    language: str = "",
    preview: bool = False,
    seed: int = 0,
    store: StoreLike = None,
) -> Result:
    """Design an experiment from a suite: lists, order, fillers, checks and practice trials, in a
    folder whose texts are then filled in.

    Without `construction` the targets are all items but those of determiner–noun constructions
    (*these big ___*), which nobody can judge in isolation.

    Args:
        suite: a suite, its file, or its name in the store; by default the newest there.
        out: a new folder for the study.
        task: form, sentence or rating.
        participants: how many people will take part: everybody gets a list and an order of their
            own; judgments by item and the power are worked out for so many.
        versions: how many versions of a source (the original, its variants) one person sees;
            sources that have fewer are left out.
        lists: how many; by default as many as the source with most versions has.
        construction: names, or patterns with `*` and `?`: only their items are targets.
        per_construction: maximum number of sources per construction; by default all.
        drop_flagged: leave out sources with flags that speak against them (docs/sets.md).
        fillers: a table or suite to draw as many fillers as targets from; rest, the constructions
            that `construction` leaves; or none. By default as many of the rest as there are.
        checks: attention checks; by default one for 25 trials, or as many as there are.
        practice: trials with feedback before all others.
        blocks: parts with a break between them.
        scale: of ratings: 5, 7, slider or magnitude.
        texts: a file with the page's texts, for a language that comes without. Where they are
            needed and not given, a file to fill in is written.
        language: BCP-47 code; by default the items'.
        preview: also write the page with placeholder texts, to look at: `preview/index.html`.
        seed: the same suite, options and seed give the same bytes.
        store: where suites that are named lie.

    Returns:
        A row for each list. The messages say what a researcher should know before anybody sees it,
        with twenty items as people see them and the power of the design.

    Raises:
        InputError: where the items do not suffice for the options, or the folder is not empty.

    >>> import colorless_green as cg
    >>> _ = Path("pairs.csv").write_text("good,bad\\n" + "".join(
    ...     f"The {noun} is here.,The {noun} are here.\\n" for noun in ("key", "door", "wall")))
    >>> suite = cg.load_suite("pairs.csv", language="en")
    >>> study = cg.design_study(suite, task="rating", fillers="none", checks=0)
    >>> study.to_frame().select("list", "n_targets", "n_practice").rows()
    [(1, 3, 3), (2, 3, 3)]
    """
    language = checked_language(language)
    own_store = suite.kept.store if isinstance(suite, Suite) and suite.kept is not None else None
    with open_store(store if store is not None else own_store) as keeper:
        chosen_suite, _ = find_suite(keeper, suite)
        language = language or _language(chosen_suite.items)
        pool = _pool(keeper, chosen_suite.items, fillers, listed(construction), language)
    words = texts_in(Path(texts)) if texts is not None else texts_of(language)
    folder = Path(out)
    if words is None:
        _demand_texts(language, pool or FillerPool(), practice, checks, folder)
    designed = laid_out(
        chosen_suite.items,
        pool,
        task=task,
        participants=participants,
        versions=versions,
        lists=lists,
        texts=words,
        construction=listed(construction),
        per_construction=per_construction,
        drop_flagged=drop_flagged,
        checks=checks,
        practice=practice,
        blocks=blocks,
        scale=scale,
        language=language,
        seed=seed,
    )
    settings = Settings(
        title="",
        language=language,
        task=cast("Task", task),  # `laid_out` has checked both
        seed=seed,
        scale=cast("Scale", scale),
        minimum_age=18,
        languages_required=(language.partition("-")[0],),
    )
    entries: dict[str, object] = {
        "task": task,
        "seed": seed,
        "scale": scale,
        "suite": chosen_suite.name,
        "lists": len(designed.rows),
    }
    if designed.unambiguous is not None:
        entries["unambiguous"] = sorted(designed.unambiguous)
    shipped = words or texts_of(FALLBACK)
    assert shipped is not None
    kinds = {trial.kind for trial in designed.trials}
    nonce = any("nonce" in trial.condition for trial in designed.trials)
    has = {"checks": "check" in kinds, "practice": "practice" in kinds, "nonce": nonce}
    parts = [name for name, is_there in has.items() if is_there]
    text = shipped.instructions_for(task, parts)
    write_study(folder, settings, designed.trials, designed.key, {language: text}, entries)
    if texts is not None:
        with write_whole(folder / f"page.{language}.json") as stream:
            stream.write(json.dumps(shipped.page, ensure_ascii=False, indent=1) + "\n")
    messages = [
        *notes.about_study(designed.rows),
        *designed.messages,
        *notes.about_items(designed.trials, folder),
        *about_power(designed.lists, task, participants, seed),
    ]
    if words is None:
        messages.append(
            f"no instructions come with the language {language!r}: instructions.{language}.md is "
            "in English and has to be translated"
        )
    messages.append(
        f"next: fill in the {len(missing(settings))} empty texts of {folder / SETTINGS}, then "
        f"colorless humans export {folder} --to jatos (or datapipe, pcibex, download, csv)"
    )
    if preview:
        messages.append(f"open {write_preview(folder)} in a browser to see the page")
    n_hidden = max(0, len(designed.rows) - MOST_SHOWN)
    return Result(designed.rows, COLUMNS, messages, n_hidden=n_hidden)


def _demand_texts(
    language: str, pool: FillerPool, practice: int, checks: int | None, folder: Path
) -> None:
    """Raises `InputError` with all that a language lacks, and lays a file to fill in beside the
    study's folder; where neither practice nor checks are asked for, English texts do."""
    lacking = {}  # what → how to do without
    if practice and not pool.of("practice"):
        lacking["practice sentences"] = "--practice 0"
    if checks and not pool.of("check"):
        lacking["attention checks"] = "--checks 0"
    if not lacking:
        return
    model = folder.with_name(f"texts.{language}.toml")
    if not model.exists():
        write_model(model)
    absent = ", ".join(["instructions", *lacking, "the words of the page"])
    without = " ".join(lacking.values())
    right = f"fill in {model}, which is there now, and name it with --texts; or {without}"
    raise InputError(
        f"--language {language}", f"none come with it: {absent}", right, kind="missing"
    )


def _language(items: Sequence[Item]) -> str:
    codes = list(dict.fromkeys(item.language for item in items))
    if len(codes) != 1 or codes[0] in UNKNOWN:
        languages = ", ".join(map(repr, codes)) or "nothing"
        raise InputError(
            "--language", f"the items say {languages}", "a BCP-47 code, as in it", kind="missing"
        )
    return codes[0]


def _pool(
    store: Store,
    items: Sequence[Item],
    fillers: Suite | str | Path,
    constructions: Sequence[str],
    language: str,
) -> FillerPool | None:
    """Return where fillers come from; None for none."""
    if isinstance(fillers, Suite):
        return _suite_pool(fillers.items)
    if fillers == NONE:
        return None
    if fillers == REST and not constructions:
        right = "--construction, once or more"
        raise InputError("--fillers", "rest of no constructions", right, kind="missing")
    if not fillers or fillers == REST:
        targets = {item.item_id for item in select_items(items, constructions)}
        remaining = (item for item in items if item.item_id not in targets)
        return replace(_suite_pool(remaining), is_default=not fillers)
    path = Path(fillers)
    if path.is_file() and not detect_format(path):
        table = read_items(path, language)
        default_kinds = {"target": "filler"}  # of a table whose rows do not say
        kind_of = {item.item_id: table.kinds.get(item.item_id, "target") for item in table.items}
        kinds = {item: default_kinds.get(kind, kind) for item, kind in kind_of.items()}
        return FillerPool(table.items, kinds, table.unambiguous)
    return _suite_pool(find_suite(store, fillers)[0].items)


def _suite_pool(items: Iterable[Item]) -> FillerPool:
    return FillerPool(tuple(item for item in items if not is_determiner_noun(item)))


def laid_out(
    items: Sequence[Item],
    pool: FillerPool | None,
    *,
    task: str,
    language: str,
    participants: int | None = None,
    versions: int = 1,
    lists: int | None = None,
    texts: Texts | None = None,
    construction: Sequence[str] = (),
    per_construction: int | None = None,
    drop_flagged: bool = False,
    checks: int | None = None,
    practice: int = 3,
    blocks: int = 1,
    scale: str = "7",
    seed: int = 0,
) -> StudyDesign:
    """Lay out the lists of a study, without writing anything.

    Args:
        items: of the suite; the targets are those of `construction`.
        pool: fillers, and perhaps checks and practice sentences of one's own; None: no fillers.
        task: form, sentence or rating.
        language: BCP-47 code of the trials.
        participants: one list for each of so many people; not together with `lists`.
        versions: how many versions of a source one person sees.
        lists: how many; None: as many as the source with most versions has.
        texts: checks and practice sentences; None: those that come with the language, if any.
        construction: names or patterns; empty: all but determiner–noun constructions.
        per_construction: most sources of a construction; None: all.
        drop_flagged: leave out sources with flags that speak against them.
        checks: attention checks; None: one for 25 trials, or as many as there are.
        practice: practice trials.
        blocks: parts with a break between them.
        scale: of ratings: 5, 7, slider or magnitude.
        seed: the same arguments and seed give the same design.

    Returns:
        The trials of all lists with their key, a row for each list, and messages.

    Raises:
        InputError: where the items do not suffice for the options, or options exclude each other.
    """
    if lists is not None and participants is not None:
        wrong = f"{lists} lists for {participants} people"
        raise InputError("--lists", wrong, "--participants alone: a list each", kind="conflict")
    words = texts or texts_of(language)
    for value, names, option in ((task, TASKS, "--task"), (scale, SCALES, "--scale")):
        look_up(dict.fromkeys(names), value, option)
    extras = pool or FillerPool()
    facts = source_facts((*items, *extras.items))
    testable = select_items(items, construction)
    if not construction:
        testable = tuple(item for item in testable if not is_determiner_noun(item))
        if items and not testable:
            wrong = "all items are of determiner–noun constructions, hard to judge in isolation"
            right = "--construction with a pattern that names them"
            raise InputError("humans design", wrong, right, kind="empty")
    by_item = [versions_of(item, task) for item in testable]
    every = (version for versions in by_item for version in versions)
    clear, gone = _eligible(sources_of(every), facts, drop_flagged, versions, seed)
    sources = limited(clear, per_construction, seed)
    n_max = max((len(source.versions) for source in sources), default=0)
    square = latin_square(sources, participants or lists or n_max, seed, versions)
    n_targets = len(square[0])
    nontargets: tuple[Stimulus, ...] = ()  # each list's targets: the same for all lists
    if pool is not None:
        nontargets = fillers_of(
            pool.of("filler"),
            n_targets,
            task,
            seed,
            language=language,
            barred=frozenset(source.source for source in sources),
            tested=frozenset(source.construction for source in sources),
            facts=pool.with_unclear(facts),
            demand_all=not pool.is_default,
        )
    n_fillers = len(nontargets)
    if extras.is_default and 2 * n_fillers < n_targets:  # they would not keep targets apart
        nontargets = ()
    n_trials = n_targets + len(nontargets)
    if n_trials < blocks:
        wrong = f"{blocks} blocks for {n_trials} trials"
        raise InputError("--blocks", wrong, "fewer blocks", kind="value")
    usual = round(n_trials / TRIALS_PER_CHECK)  # none for a dozen
    n_there = len(extras.of("check")) or (len(words.words) if words else 0)
    n_checks = min(usual, n_there) if checks is None else checks
    checked = checks_of(extras, n_checks, task, language=language, scale=scale, shipped=words)
    nontargets = (*nontargets, *checked)
    practised = practice_of(extras, practice, task, language=language, shipped=words)
    target_lists = [
        [stimulus(version, task, "target", language) for version in of_list] for of_list in square
    ]
    keyed: list[tuple[Trial, str]] = []
    rows = []
    for number, targets in enumerate(target_lists, start=1):
        label = f"list {number}"
        order = arrange(add_sides((*targets, *nontargets), seed, label), blocks, seed, label)
        sides = {
            stimulus.item: stimulus for stimulus in add_sides(practised, seed, f"{label}, practice")
        }
        warmups = [sides[trial.item] for trial in practised]  # in the order told, not that of sides
        keyed_trials = list(list_trials(warmups, order, number))
        keyed += keyed_trials
        rows.append(_row(number, [trial for trial, _ in keyed_trials], order))
    decide = deciding_fillers(nontargets, extras, facts, task)
    tested = {source.construction for source in sources}
    messages = [
        *notes.about_lists(square, sources, n_max, sum(not versions for versions in by_item), rows),
        *notes.about_determiners(items, testable, construction),
        *notes.about_targets(items, square, gone, facts),
        *(
            notes.about_default(n_fillers, n_trials - n_targets, n_targets)
            if extras.is_default
            else ()
        ),
        *notes.about_fillers(nontargets, extras, extras.with_unclear(facts), decide, tested),
        *notes.about_lengths(target_lists, nontargets),
        *(notes.about_people(square) if participants else ()),
    ]
    if checks is None and n_checks < usual:
        messages.append(
            f"{n_checks} attention checks for {n_trials} trials, since there are no more; {usual} "
            "are usual (rows of kind check in the file of --fillers)"
        )
    key = {trial.trial_id: right for trial, right in keyed}
    trials = tuple(trial for trial, _ in keyed)
    return StudyDesign(trials, key, tuple(rows), tuple(messages), decide, square)


def _eligible(
    sources: Sequence[SourceVersions],
    facts: SourceFacts,
    drop_flagged: bool,
    n_seen: int,
    seed: int,
) -> tuple[Sequence[SourceVersions], LeftOutSources]:
    """The sources that can be targets, and which cannot. Raises `InputError` where none is left."""
    out = facts.doubts if drop_flagged else {}
    doubts = tuple(out[source.source] for source in sources if source.source in out)
    unflagged = [source for source in sources if source.source not in out]
    if doubts and not unflagged:
        wrong = f"all {len(sources)} originals are flagged ({flag_counts(doubts)})"
        raise InputError("--drop-flagged", wrong, "other material, or all of it", kind="empty")
    enough = [source for source in unflagged if len(source.versions) >= n_seen]
    if unflagged and not enough:
        n_max = max(len(source.versions) for source in unflagged)
        wrong = f"{n_seen}, but no source has more than {n_max} versions (its original counts)"
        raise InputError("--versions", wrong, f"{n_max} or fewer", kind="value")
    single = one_per_sentence(enough, facts, seed)
    n_few, n_twins = len(unflagged) - len(enough), len(enough) - len(single)
    return single, LeftOutSources(len(sources), doubts, n_few, n_twins)


def _row(number: int, trials: Sequence[Trial], order: TrialOrder) -> Row:
    kinds = Counter(trial.kind for trial in trials)
    sides = Counter(trial.right_first for block in order.blocks for trial in block)
    return {
        "list": number,
        "n_targets": kinds["target"],
        "n_fillers": kinds["filler"],
        "n_checks": kinds["check"],
        "n_practice": kinds["practice"],
        "n_blocks": len(order.blocks),
        "right_first": sides[True],
        "relaxed": ", ".join(order.relaxed),
    }
