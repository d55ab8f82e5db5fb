"""Design of a study: choose targets and fillers of a suite, lay out lists, write a folder."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from ..data.configuration import configured
from ..data.errors import InputError
from ..data.files import write_whole
from ..data.formats.detect import detect_format
from ..data.items.item import Item
from ..data.items.suite import Suite, select_items
from ..data.languages import checked_language
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.store import Store, StoreLike, open_store
from ..data.stored_suites import find_suite
from .exports.write import write_preview
from .judgments.lookup import read_items
from .study import is_determiner_noun, notes
from .study.list_layout import StudyDesign, lay_out_study
from .study.lists import FillerPool
from .study.power import about_power
from .study.settings import (
    SETTINGS,
    DesignSettings,
    Scale,
    Settings,
    StudyPlan,
    Task,
    missing_settings,
)
from .study.study import write_study
from .study.texts import texts as texts_of
from .study.texts import texts_in, write_template

NO_FILLERS, REST_OF_SUITE = "none", "rest"  # values of --fillers
UNKNOWN_LANGUAGES = ("", "und")
MAX_ROWS_SHOWN = 8  # rows that are printed; there is one for each list
FALLBACK_LANGUAGE = "en"  # of the instructions, if none come with the study's language
COLUMNS = (
    *("list", "n_targets", "n_fillers", "n_checks", "n_practice", "n_blocks"),
    *("right_first", "relaxed"),
)


def design_study(
    suite: Suite | str | Path = "",
    out: str | Path = "study",
    *,
    task: Task = "form",
    participants: int | None = None,
    versions: int = 1,
    construction: Names = None,
    per_construction: int | None = None,
    fillers: Suite | str | Path = "",
    settings: DesignSettings | str | Path | None = None,
    preview: bool = False,
    seed: int = 0,
    store: StoreLike = None,
) -> Result:
    """Design an experiment from a suite: lists, order, fillers, checks and practice trials.

    The study is a folder whose texts are then filled in. Without `construction` the targets are
    all items but those of determiner–noun constructions (*these big ___*), which nobody can judge
    in isolation.

    Args:
        suite: a suite, its file, or its name in the store [default: the newest there].
        out: new folder for the study.
        task: what people do: choose a form, choose a sentence, or rate a sentence.
        participants: number of people; each gets a list and an order of their own, and judgments
            by item and the power are worked out for so many.
        versions: number of versions (original, variants) of a source that one person sees;
            sources that have fewer are left out.
        construction: names or patterns with `*` and `?` of the targets' constructions.
        per_construction: maximum number of sources of a construction [default: all].
        fillers: a table or suite to draw as many fillers as targets from; rest (constructions
            that are no targets) or none [default: rest if it has enough, else none].
        settings: lists, blocks, checks, practice, scale and texts: a file, or their name.
        preview: also write the page with placeholder texts, to look at: `preview/index.html`.
        seed: random seed; the same suite, options and seed give the same bytes.
        store: where suites that are named are.

    Returns:
        A row for each list. The messages say what a researcher should know before anybody sees it,
        with twenty items as people see them and the power of the design.

    Raises:
        InputError: the items do not suffice for the options, or the folder is not empty.

    Commands:
        colorless humans design
        colorless humans design --construction "L__NOUN__VERB*" --participants 24 --set blocks=2

    >>> import colorless_green as cg
    >>> _ = Path("pairs.csv").write_text("good,bad\\n" + "".join(
    ...     f"The {noun} is here.,The {noun} are here.\\n" for noun in ("key", "door", "wall")))
    >>> suite = cg.load_suite("pairs.csv", language="en")
    >>> study = cg.design_study(suite, task="rating", fillers="none",
    ...                         settings=cg.DesignSettings(checks=0))
    >>> study.to_frame().select("list", "n_targets", "n_practice").rows()
    [(1, 3, 3), (2, 3, 3)]
    """
    folder, chosen_settings = Path(out), configured(DesignSettings, settings)
    plan = StudyPlan(
        task=task,
        participants=participants,
        versions=versions,
        construction=listed(construction),
        per_construction=per_construction,
        settings=chosen_settings,
        language=checked_language(chosen_settings.language or ""),
        seed=seed,
    )
    own_store = suite.kept.store if isinstance(suite, Suite) and suite.kept is not None else None
    with open_store(store if store is not None else own_store) as opened:
        chosen_suite, _ = find_suite(opened, suite)
        plan = replace(plan, language=plan.language or _only_language(chosen_suite.items))
        pool = _filler_pool(opened, chosen_suite.items, fillers, plan)
    if chosen_settings.texts is not None:
        plan = replace(plan, texts=texts_in(chosen_settings.texts))
    if plan.wording is None:  # no texts come with the language
        _demand_texts(plan, pool or FillerPool(), folder)
    designed = lay_out_study(chosen_suite.items, pool, plan)
    study_settings = _write_folder(folder, chosen_suite.name, designed, plan)
    messages = [*_messages(folder, designed, plan, study_settings)]
    if preview:
        messages.append(f"open {write_preview(folder)} in a browser to see the page")
    if not isinstance(suite, Suite) and not str(suite):  # no suite is named
        messages.insert(0, f"designed from {chosen_suite.name}, the newest suite of the store")
    n_hidden = max(0, len(designed.rows) - MAX_ROWS_SHOWN)
    return Result(designed.rows, COLUMNS, messages, n_hidden=n_hidden)


def _write_folder(folder: Path, suite: str, designed: StudyDesign, plan: StudyPlan) -> Settings:
    """Write the files of a designed study into `folder`, and return its settings, which the
    researchers complete. `suite` is the name of the suite."""
    language, scale = plan.language, str(plan.settings.scale)
    settings = Settings(
        title="",
        language=language,
        task=plan.task,
        seed=plan.seed,
        scale=cast("Scale", scale),
        minimum_age=18,
        languages_required=(language.partition("-")[0],),
    )
    n_lists = len(designed.rows)
    entries: dict[str, object] = {"task": plan.task, "seed": plan.seed, "scale": scale}
    entries |= {"suite": suite, "lists": n_lists}
    if designed.unambiguous is not None:
        entries["unambiguous"] = sorted(designed.unambiguous)
    wording = plan.wording or texts_of(FALLBACK_LANGUAGE)
    assert wording is not None
    # the instructions mention only what the study contains
    contents = {"checks" if trial.kind == "check" else trial.kind for trial in designed.trials}
    senseless = ("nonce", "composed")  # beginnings of conditions whose words are random
    if any(trial.condition.startswith(senseless) for trial in designed.trials):
        contents.add("nonce")
    instructions = wording.instructions_for(plan.task, contents)
    write_study(folder, settings, designed.trials, {language: instructions}, entries)
    if plan.texts is not None:
        # own texts of the page, which the user gave with the settings
        with write_whole(folder / f"page.{language}.json") as stream:
            stream.write(json.dumps(plan.texts.page, ensure_ascii=False, indent=1) + "\n")
    return settings


def _messages(
    folder: Path, designed: StudyDesign, plan: StudyPlan, settings: Settings
) -> Iterator[str]:
    """Yield the messages for the researcher: what the lists contain, the first trials as people
    see them, the power of the design, and what to do next."""
    yield from notes.about_study(designed.rows)
    yield f"settings {plan.settings.label} ({plan.settings.digest})"
    yield from designed.messages
    yield from notes.about_opening(designed.trials, folder)
    yield from about_power(designed.lists, plan.task, plan.participants, plan.seed)
    if plan.wording is None:
        yield (
            f"no instructions come with the language {plan.language!r}: "
            f"instructions.{plan.language}.md is in English and has to be translated"
        )
    n_empty = len(missing_settings(settings))
    yield (
        f"next: fill in the {n_empty} empty texts of {folder / SETTINGS}, then "
        f"colorless humans export {folder} --to jatos (or datapipe, pcibex, download, csv)"
    )


def _demand_texts(plan: StudyPlan, pool: FillerPool, folder: Path) -> None:
    """Raise `InputError` if the study needs texts that do not come with its language.

    These are practice sentences and attention checks that the pool does not have. Before raising,
    write a file of texts to fill in next to the study's folder. A study without practice and checks
    needs no texts: its page is in English.
    """
    settings_without = {}  # missing text → setting that does without it
    if plan.settings.practice and not pool.items_for("practice"):
        settings_without["practice sentences"] = "practice=0"
    if plan.settings.checks and not pool.items_for("check"):
        settings_without["attention checks"] = "checks=0"
    if not settings_without:
        return
    model = folder.with_name(f"texts.{plan.language}.toml")
    if not model.exists():
        write_template(model)
    absent = ", ".join(["instructions", *settings_without, "the words of the page"])
    without = " ".join(f"--set {setting}" for setting in settings_without.values())
    right = f"fill in {model}, which is there now, and name it: --set texts={model}; or {without}"
    wrong = f"{plan.language!r}, and none come with it: {absent}"
    raise InputError("language", wrong, right, kind="missing")


def _only_language(items: Sequence[Item]) -> str:
    """Return the language code of the items. Raises `InputError` unless they have just one."""
    codes = list(dict.fromkeys(item.language for item in items))
    if len(codes) != 1 or codes[0] in UNKNOWN_LANGUAGES:
        languages = ", ".join(map(repr, codes)) or "nothing"
        right = "a BCP-47 code: --set language=CODE"
        raise InputError("language", f"the items say {languages}", right, kind="missing")
    return codes[0]


def _filler_pool(
    store: Store, items: Sequence[Item], fillers: Suite | str | Path, plan: StudyPlan
) -> FillerPool | None:
    """Return the pool of items from which fillers (distractor sentences) are drawn; None if the
    study has no fillers.

    `fillers` is the argument of `design_study`: a suite, a table, `rest`, `none`, or "" for the
    default.
    """
    if isinstance(fillers, Suite):
        return _suite_pool(fillers.items)
    if fillers == NO_FILLERS:
        return None
    if fillers == REST_OF_SUITE and not plan.construction:
        right = "--construction, once or more"
        raise InputError("fillers", "rest of no constructions", right, kind="missing")
    if not fillers or fillers == REST_OF_SUITE:
        targets = {item.item_id for item in select_items(items, plan.construction)}
        remaining = (item for item in items if item.item_id not in targets)
        return replace(_suite_pool(remaining), is_default=not fillers)
    path = Path(fillers)
    if path.is_file() and not detect_format(path):
        table = read_items(path, plan.language)
        as_filler = {"target": "filler"}  # targets and rows without a kind become fillers
        kinds = {item.item_id: table.kinds.get(item.item_id, "target") for item in table.items}
        kinds = {item_id: as_filler.get(kind, kind) for item_id, kind in kinds.items()}
        return FillerPool(table.items, kinds, table.unambiguous)
    return _suite_pool(find_suite(store, fillers)[0].items)


def _suite_pool(items: Iterable[Item]) -> FillerPool:
    """Return a pool of fillers without the items that test determiner–noun agreement."""
    return FillerPool(tuple(item for item in items if not is_determiner_noun(item)))
