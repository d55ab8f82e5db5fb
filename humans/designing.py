"""The verb humans design: a suite becomes a study, list by list, in a folder."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import named
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row
from colorless_green.humans.fillers import Pool, checks, fillers, n_checks, practice
from colorless_green.humans.itemtable import read_items
from colorless_green.humans.lists import Source, latin_square, limited, sources_of
from colorless_green.humans.order import Ordered, Sided, ordered, sided
from colorless_green.humans.settings import SCALES, SETTINGS, TASKS, Settings, missing
from colorless_green.humans.stimulus import Stimulus, Version, condition, stimulus, usable
from colorless_green.humans.study import Trial, write_study
from colorless_green.humans.tally import construction
from colorless_green.humans.texts import texts
from colorless_green.nonce.commands import find_suite
from colorless_green.nonce.formats.told import format_told
from colorless_green.nonce.item import Item
from colorless_green.nonce.suite import Suite

NONE, REST = "none", "rest"  # values of --fillers
UNKNOWN = ("", "und")  # languages
FALLBACK = "en"  # the language of instructions where there are none in the study's own
COLUMNS = (
    *("list", "n_targets", "n_fillers", "n_checks", "n_practice", "n_blocks", "right_first"),
    "relaxed",
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


@dataclass(frozen=True, slots=True)
class Designed:
    """What goes into the folder, and what is said of it."""

    trials: tuple[Trial, ...]
    key: Mapping[str, str]
    rows: tuple[Row, ...]
    messages: tuple[str, ...]


def design_study(name: str, store: Store, plan: Plan, *, out: Path) -> Result:
    """A study of a suite's items in the folder `out`. The same suite, plan and fillers give the
    same bytes."""
    suite, _ = find_suite(store, name)
    language = plan.language or _language(suite.items)
    pool, unambiguous = _pool(store, suite, plan, language)
    designed = design(suite.items, pool, plan, language)
    settings = Settings(
        title="",
        language=language,
        task=plan.task,
        seed=plan.seed,
        scale=plan.scale,
        minimum_age=18,
        languages_required=(language.partition("-")[0],),
    )
    about: dict[str, object] = {
        "task": plan.task,
        "seed": plan.seed,
        "scale": plan.scale,
        "suite": suite.name,
        "lists": len(designed.rows),
    }
    if unambiguous is not None:
        about["unambiguous"] = sorted(unambiguous)
    own = texts(language)
    shipped = own or texts(FALLBACK)
    assert shipped is not None
    instructions = {language: shipped.instructions[plan.task].lstrip("\n")}
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
        raise InputError("--language", f"the items say {told}", "a BCP-47 code, as in it")
    return found[0]


def _pool(
    store: Store, suite: Suite, plan: Plan, language: str
) -> tuple[Pool, frozenset[str] | None]:
    """Where fillers come from, and which of them are beyond doubt, if their table says so."""
    path = Path(plan.fillers)
    if plan.fillers == NONE:
        return Pool(), None
    if plan.fillers == REST or (not plan.fillers and plan.constructions):
        if not plan.constructions:
            raise InputError(
                "--fillers", "the rest of what?", "--construction beside it, once or more"
            )
        rest = [item for item in suite.items if construction(item) not in plan.constructions]
        return Pool(tuple(rest)), None
    if not plan.fillers:
        raise InputError(
            "--fillers",
            "not said where fillers come from",
            "a file, a suite, rest (the constructions that --construction leaves), or none",
        )
    if path.is_file() and not format_told(path):
        table = read_items(path, language)
        others = {"target": "filler"}  # of a table whose rows do not say
        kinds = {item: others.get(kind, kind) for item, kind in table.kinds.items()}
        return Pool(table.items, kinds), table.unambiguous
    return Pool(find_suite(store, plan.fillers)[0].items), None


def design(items: Sequence[Item], pool: Pool, plan: Plan, language: str) -> Designed:
    """The lists of a study: pure, and the same for the same arguments."""
    for value, known, option in ((plan.task, TASKS, "--task"), (plan.scale, SCALES, "--scale")):
        named(dict.fromkeys(known), value, option)
    chosen = _chosen(items, plan.constructions)
    versions, n_without = usable(chosen, plan.task)
    sources = limited(sources_of(versions), plan.per_construction, plan.seed)
    most = max((len(each.versions) for each in sources), default=0)
    lists = latin_square(sources, plan.n_lists or most, plan.seed)
    around = _around(sources, pool, plan, language)
    practised = practice(pool, plan.n_practice, plan.task, language=language)
    trials: list[Trial] = []
    key: dict[str, str] = {}
    rows = []
    for number, shown in enumerate(lists, start=1):
        targets = [stimulus(each, plan.task, "target", language) for each in shown]
        label = f"list {number}"
        own = sided((*targets, *around), plan.seed, label)
        order = ordered(own, plan.n_blocks, plan.seed, label)
        first = sided(practised, plan.seed, f"{label}, practice")
        placed = (*_practice(first, practised, number), *_recorded(order, number))
        for trial, right in placed:
            trials.append(trial)
            key[trial.trial_id] = right
        rows.append(_row(number, [trial for trial, _ in placed], order))
    messages = _messages(lists, sources, most, n_without, rows)
    return Designed(tuple(trials), key, tuple(rows), tuple(messages))


def _chosen(items: Sequence[Item], constructions: Sequence[str]) -> Sequence[Item]:
    known = dict.fromkeys(map(construction, items))
    for name in constructions:
        named(known, name, "--construction")
    return [each for each in items if not constructions or construction(each) in constructions]


def _around(
    sources: Sequence[Source], pool: Pool, plan: Plan, language: str
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
        )
    n_trials = len(sources) + len(found)
    if n_trials < plan.n_blocks:
        raise InputError(
            "--blocks", f"{plan.n_blocks} blocks for {n_trials} trials", "fewer blocks"
        )
    wanted = n_checks(n_trials) if plan.n_checks is None else plan.n_checks
    return (*found, *checks(pool, wanted, plan.task, language=language, scale=plan.scale))


def _practice(
    sides: Sequence[Sided], order: Sequence[Stimulus], number: int
) -> Iterator[tuple[Trial, str]]:
    """In the order in which they were told, not that in which sides were dealt."""
    by_item = {each.stimulus.item: each for each in sides}
    for position, each in enumerate(order, start=1):
        yield _trial(by_item[each.item], f"{number}-p{position}", number, 1, position)


def _recorded(order: Ordered, number: int) -> Iterator[tuple[Trial, str]]:
    position = 0
    for block, own in enumerate(order.blocks, start=1):
        for each in own:
            position += 1
            yield _trial(each, f"{number}-{position}", number, block, position)


def _trial(each: Sided, trial_id: str, number: int, block: int, position: int) -> tuple[Trial, str]:
    """The trial and its right answer."""
    own = each.stimulus
    options = tuple(each.options[0].split()) if own.task == "reading" else each.options
    trial = Trial(
        trial_id=trial_id,
        list=number,
        block=block,
        position=position,
        kind=own.kind,
        task=own.task,
        item=own.item,
        source=own.source,
        construction=own.construction,
        condition=own.condition,
        prefix=own.prefix,
        options=options,
        language=own.language,
    )
    return trial, own.right


def _row(number: int, trials: Sequence[Trial], order: Ordered) -> Row:
    kinds = Counter(trial.kind for trial in trials)
    sides = Counter(each.right_first for block in order.blocks for each in block)
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


def _messages(
    lists: Sequence[Sequence[Version]],
    sources: Sequence[Source],
    most: int,
    n_without: int,
    rows: Sequence[Row],
) -> Iterator[str]:
    if n_without:
        yield f"{n_without} items left out: their two forms are the same"
    fewer = sum(len(each.versions) < most for each in sources)
    if fewer:
        yield (
            f"{fewer} of {len(sources)} sources have fewer than {most} versions: some of theirs "
            "are in several lists"
        )
    if len(lists) % most:
        yield f"{len(lists)} lists for {most} versions: not every version is shown equally often"
    worst = _imbalance(lists)
    if worst > 1:
        yield f"lists differ by up to {worst} in how often a construction comes in a condition"
    relaxed = Counter(name for row in rows for name in str(row["relaxed"]).split(", ") if name)
    for name, n in relaxed.items():
        yield f"the order of {n} of {len(rows)} lists could not keep the constraint {name!r}"


def _imbalance(lists: Sequence[Sequence[Version]]) -> int:
    """By how much two lists differ at most in the number of a construction × condition."""
    counts = [Counter((construction(v.item), condition(v)) for v in shown) for shown in lists]
    cells = {cell for count in counts for cell in count}
    spans = [[count[cell] for count in counts] for cell in cells]
    return max((max(span) - min(span) for span in spans), default=0)
