"""The verb humans design: a suite becomes a study, list by list, in a folder."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from colorless_green.data.errors import InputError
from colorless_green.data.languages import checked_language
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row
from colorless_green.humans.doubtful import Known, flags_told, known_of
from colorless_green.humans.fillers import (
    Pool,
    checks,
    deciding,
    fillers,
    n_checks,
    practice,
)
from colorless_green.humans.itemtable import read_items
from colorless_green.humans.judgment import QUESTION
from colorless_green.humans.lists import Source, apart, latin_square, limited, sources_of
from colorless_green.humans.notes import (
    Left,
    about_fillers,
    about_lengths,
    about_lists,
    about_targets,
)
from colorless_green.humans.order import Ordered, ordered, sided
from colorless_green.humans.placing import list_trials, practice_trials, sided_questions
from colorless_green.humans.questions import (
    Asked,
    Question,
    about_questions,
    asked,
    demand_fitting,
    read_questions,
    shipped_questions,
)
from colorless_green.humans.rulefile import rules_of
from colorless_green.humans.settings import (
    QUESTION_RULE,
    SCALES,
    SETTINGS,
    TASKS,
    Scale,
    Settings,
    Task,
    missing,
)
from colorless_green.humans.stimulus import Stimulus, stimulus, usable
from colorless_green.humans.study import Trial, write_study
from colorless_green.humans.tally import construction
from colorless_green.humans.texts import WITH_QUESTIONS, texts
from colorless_green.nonce.formats.told import format_told
from colorless_green.nonce.item import Item
from colorless_green.nonce.rows import find_suite
from colorless_green.nonce.suite import Suite

NONE, REST = "none", "rest"  # values of --fillers
UNKNOWN = ("", "und")  # languages
FALLBACK = "en"  # the language of instructions where there are none in the study's own
PRACTISED = ("practice", QUESTION)  # a question that belongs to a practice sentence
COLUMNS = (
    *("list", "n_targets", "n_fillers", "n_questions", "n_checks", "n_practice", "n_blocks"),
    *("right_first", "relaxed"),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How a study is to be made; each field is an option of the command line."""

    task: str
    n_lists: int | None = None  # None: as many as the source with most versions has
    constructions: Sequence[str] = ()  # whose items are targets; none: all
    per_construction: int | None = None  # sources; None: all
    fillers: str = ""  # a file, a suite, REST or NONE
    n_checks: int | None = None  # None: one for about 25 trials
    n_practice: int = 3
    n_blocks: int = 1
    seed: int = 0
    language: str = ""  # "": that of the items
    scale: str = "7"
    questions: Path | None = None  # on what is read: a table
    question_share: float = 1 / 3  # of targets, and of fillers, that a question comes after
    drop_flagged: bool = False  # no targets of sources that something is known against


@dataclass(frozen=True, slots=True)
class Designed:
    """What goes into the folder, and what is said of it."""

    trials: tuple[Trial, ...]
    key: Mapping[str, str]
    rows: tuple[Row, ...]
    messages: tuple[str, ...]
    unambiguous: frozenset[str] | None  # fillers that may decide on people; None: nobody says


def design_study(name: str, store: Store, plan: Plan, *, out: Path) -> Result:
    """A study of a suite's items in the folder `out`. The same suite, plan and fillers give the
    same bytes."""
    told = checked_language(plan.language)
    suite, _ = find_suite(store, name)
    language = told or _language(suite.items)
    pool = _pool(store, suite, plan, language)
    questions = read_questions(plan.questions) if plan.questions is not None else ()
    designed = design(suite.items, pool, plan, language, questions)
    settings = Settings(
        title="",
        language=language,
        task=cast("Task", plan.task),  # checked when the plan was
        seed=plan.seed,
        scale=cast("Scale", plan.scale),
        minimum_age=18,
        languages_required=(language.partition("-")[0],),
        exclusion=rules_of(None, [QUESTION_RULE] if questions else []),
    )
    about: dict[str, object] = {
        "task": plan.task,
        "seed": plan.seed,
        "scale": plan.scale,
        "suite": suite.name,
        "lists": len(designed.rows),
    }
    if designed.unambiguous is not None:
        about["unambiguous"] = sorted(designed.unambiguous)
    own = texts(language)
    shipped = own or texts(FALLBACK)
    assert shipped is not None
    text = WITH_QUESTIONS if questions else plan.task
    instructions = {language: shipped.instructions[text].lstrip("\n")}
    write_study(out, settings, designed.trials, designed.key, instructions, about)
    messages = [*designed.messages]
    if own is None:
        messages.append(
            f"no instructions come with the language {language!r}: instructions.{language}.md is "
            "in English, write it anew"
        )
    empty = len(missing(settings))
    messages.append(f"{out / SETTINGS} has {empty} texts to fill in before the page can start")
    return Result(designed.rows, COLUMNS, messages)


def _language(items: Sequence[Item]) -> str:
    found = list(dict.fromkeys(item.language for item in items))
    if len(found) != 1 or found[0] in UNKNOWN:
        told = ", ".join(map(repr, found)) or "nothing"
        raise InputError(
            "--language", f"the items say {told}", "a BCP-47 code, as in it", kind="missing"
        )
    return found[0]


def _pool(store: Store, suite: Suite, plan: Plan, language: str) -> Pool:
    """Where fillers come from."""
    path = Path(plan.fillers)
    if plan.fillers == NONE:
        return Pool()
    if plan.fillers == REST or (not plan.fillers and plan.constructions):
        if not plan.constructions:
            raise InputError(
                "--fillers",
                "the rest of what?",
                "--construction beside it, once or more",
                kind="missing",
            )
        rest = [item for item in suite.items if construction(item) not in plan.constructions]
        return Pool(tuple(rest))
    if not plan.fillers:
        raise InputError(
            "--fillers",
            "not said where fillers come from",
            "a file, a suite, rest (the constructions that --construction leaves), or none",
            kind="missing",
        )
    if path.is_file() and not format_told(path):
        table = read_items(path, language)
        others = {"target": "filler"}  # of a table whose rows do not say
        told = {item.item_id: table.kinds.get(item.item_id, "target") for item in table.items}
        kinds = {item: others.get(kind, kind) for item, kind in told.items()}
        return Pool(table.items, kinds, table.unambiguous)
    return Pool(find_suite(store, plan.fillers)[0].items)


def design(
    items: Sequence[Item],
    pool: Pool,
    plan: Plan,
    language: str,
    questions: Sequence[Question] = (),
) -> Designed:
    """The lists of a study: pure, and the same for the same arguments."""
    _demand_possible(plan, questions)
    demand_fitting(questions, (*items, *pool.items))
    known = known_of((*items, *pool.items))
    chosen = _chosen(items, plan.constructions)
    versions, n_same = usable(chosen, plan.task)
    sources, left = _shown(sources_of(versions), known, plan)
    most = max((len(each.versions) for each in sources), default=0)
    lists = latin_square(sources, plan.n_lists or most, plan.seed)
    around = _around(sources, pool, known, plan, language)
    practised = practice(pool, plan.n_practice, plan.task, language=language)
    read = [[stimulus(each, plan.task, "target", language) for each in own] for own in lists]
    posed = _posed(read, around, practised, pool, plan, language, questions)
    trials: list[Trial] = []
    key: dict[str, str] = {}
    rows = []
    for number, (targets, asks) in enumerate(zip(read, posed, strict=True), start=1):
        label = f"list {number}"
        own = sided((*targets, *around), plan.seed, label)
        order = ordered(own, plan.n_blocks, plan.seed, label)
        first = sided(practised, plan.seed, f"{label}, practice")
        after = sided_questions(asks, plan.seed, f"{label}, questions")
        placed = (
            *practice_trials(first, practised, number, after),
            *list_trials(order, number, after),
        )
        for trial, right in placed:
            trials.append(trial)
            key[trial.trial_id] = right
        rows.append(_row(number, [trial for trial, _ in placed], order))
    tested = {each.construction for each in sources}
    decide = deciding(around, pool, known, plan.task)
    messages = [
        *about_lists(lists, sources, most, n_same, rows),
        *about_targets(items, lists, left, known),
        *about_fillers(around, pool, pool.known(known), decide, tested),
        *about_lengths(read, around),
    ]
    if plan.task == "reading":
        messages += about_questions(questions, [(*own, *around) for own in read], posed)
    return Designed(tuple(trials), key, tuple(rows), tuple(messages), decide)


def _shown(sources: Sequence[Source], known: Known, plan: Plan) -> tuple[tuple[Source, ...], Left]:
    """The sources that become targets, and which do not. Raises `InputError` where none is left."""
    out = known.doubts if plan.drop_flagged else {}
    doubts = tuple(out[each.source] for each in sources if each.source in out)
    kept = [each for each in sources if each.source not in out]
    if doubts and not kept:
        raise InputError(
            "--drop-flagged",
            f"all {len(sources)} sources are doubtful ({flags_told(doubts)})",
            "other material, or all of it",
            kind="empty",
        )
    single = apart(kept, known, plan.seed)
    left = Left(len(sources), doubts, len(kept) - len(single))
    return limited(single, plan.per_construction, plan.seed), left


def _demand_possible(plan: Plan, questions: Sequence[Question]) -> None:
    """Raises `InputError` for names that are none, and for questions where nobody reads."""
    for value, known, option in ((plan.task, TASKS, "--task"), (plan.scale, SCALES, "--scale")):
        named(dict.fromkeys(known), value, option)
    if questions and plan.task != "reading":
        raise InputError(
            "--questions",
            f"the task is {plan.task}",
            "--task reading, or no questions",
            kind="value",
        )


def _posed(
    read: Sequence[Sequence[Stimulus]],
    around: Sequence[Stimulus],
    practised: Sequence[Stimulus],
    pool: Pool,
    plan: Plan,
    language: str,
    questions: Sequence[Question],
) -> list[Asked]:
    """The questions of each list: after targets, after fillers (the same in every list), and after
    every practice sentence that has one."""
    if not questions:
        return [{} for _ in read]
    (of_fillers,) = asked(
        [[each for each in around if each.kind == "filler"]],
        questions,
        plan.question_share,
        plan.seed,
    )
    shipped = () if pool.of("practice") else shipped_questions(language)
    (of_practice,) = asked([practised], (*questions, *shipped), 1.0, plan.seed)
    of_targets = asked(read, questions, plan.question_share, plan.seed)
    return [{**of_practice, **own, **of_fillers} for own in of_targets]


def _chosen(items: Sequence[Item], constructions: Sequence[str]) -> Sequence[Item]:
    known = dict.fromkeys(map(construction, items))
    for name in constructions:
        named(known, name, "--construction")
    return [each for each in items if not constructions or construction(each) in constructions]


def _around(
    sources: Sequence[Source], pool: Pool, known: Known, plan: Plan, language: str
) -> tuple[Stimulus, ...]:
    """Fillers, as many as targets, and checks: the same in every list."""
    found: tuple[Stimulus, ...] = ()
    if plan.fillers != NONE:
        found = fillers(
            pool.of("filler"),
            len(sources),
            plan.task,
            plan.seed,
            language=language,
            taken=frozenset(each.source for each in sources),
            tested=frozenset(each.construction for each in sources),
            known=pool.known(known),
        )
    n_trials = len(sources) + len(found)
    if n_trials < plan.n_blocks:
        raise InputError(
            "--blocks",
            f"{plan.n_blocks} blocks for {n_trials} trials",
            "fewer blocks",
            kind="value",
        )
    wanted = n_checks(n_trials) if plan.n_checks is None else plan.n_checks
    return (*found, *checks(pool, wanted, plan.task, language=language, scale=plan.scale))


def _row(number: int, trials: Sequence[Trial], order: Ordered) -> Row:
    kinds = Counter(trial.kind for trial in trials if (trial.kind, trial.task) != PRACTISED)
    sides = Counter(each.right_first for block in order.blocks for each in block)
    return {
        "list": number,
        "n_targets": kinds["target"],
        "n_fillers": kinds["filler"],
        "n_questions": kinds[QUESTION],
        "n_checks": kinds["check"],
        "n_practice": kinds["practice"],
        "n_blocks": len(order.blocks),
        "right_first": sides[True],
        "relaxed": ", ".join(order.relaxed),
    }
