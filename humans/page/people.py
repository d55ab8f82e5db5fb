"""Sections about people: who was asked, whose answers do not count, how sentences were rated."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from colorless_green.humans.answers import (
    ImportedSet,
    left_by,
)
from colorless_green.humans.coding import levels
from colorless_green.humans.exclusion import Excluded
from colorless_green.humans.judgment import answered, rates, session_of
from colorless_green.humans.measures.measure import Measure
from colorless_green.humans.measures.ratings import (
    DIFFERENCE,
    FLAT,
    GIVEN,
    HIGHER,
    LOGARITHM,
    MEANS,
    NO_MAGNITUDE,
    RIGHT,
    UNPLACED,
    WRONG,
    Z,
)
from colorless_green.humans.page.material import Material, People
from colorless_green.humans.page.parts import (
    NO_NUMBER,
    NONE,
    Cell,
    Section,
    Table,
    code,
    count,
    counted,
    interval,
    panel_name,
    share,
    short,
    signed,
    table,
)
from colorless_green.humans.rules import REQUIRED, RULES
from colorless_green.humans.statistics.accuracy import FEW_SOURCES, item_accuracy, pooled_accuracy
from colorless_green.humans.statistics.people import AnswerTable, people_limits
from colorless_green.nonce.intervals import wilson

FACTS: Mapping[str, str] = {  # of a study file, in the order of the page
    "title": "title", "task": "task", "language": "language", "scale": "scale",
    "researcher": "researcher", "institution": "institution", "ethics_board": "ethics board",
    "approval_number": "approval number", "minimum_age": "minimum age, years",
    "languages_required": "native languages required", "procedure": "procedure",
    "duration_minutes": "duration told, minutes", "payment": "payment",
    "payment_amount": "payment, amount", "payment_currency": "payment, currency",
    "deadline_ms": "deadline, ms", "minimum_rt_ms": "shortest time taken for an answer, ms",
    "data_sharing": "data sharing", "seed": "seed of the design",
}  # fmt: skip
SHOWN_DIGEST = 16  # hex digits
BY_ITSELF = ("practice", "duplicate")  # rules that say nothing of people
WHOLE = ("person", "session")  # levels at which people go, or a session of theirs
APART = {  # ratings that stand outside, and why
    FLAT: "people gave one rating to all sentences: they have no z-scores and are left out of"
    " these",
    UNPLACED: "ratings are of sentences that are not known to be the right or the wrong one of"
    " their item; they count only in the mean and spread of who gave them",
    NO_MAGNITUDE: "magnitudes are not above 0 and count nowhere",
}
SCORED = {GIVEN: "as given", LOGARITHM: "logarithm", Z: "z"}  # in the order of a table


def speaking(imports: Sequence[ImportedSet]) -> list[ImportedSet]:
    """Imports that hold answers or words read; a table of items alone says nothing of people."""
    return [e for e in imports if e.summary.get("n_judgments") or e.summary.get("n_readings")]


def files_of(imports: Sequence[ImportedSet]) -> str:
    """`a.csv, b.csv`: the names of their files, each once."""
    names = (name for each in imports for name, _ in each.files or ((each.name, ""),))
    return ", ".join(dict.fromkeys(names))


def stated_with(imports: Sequence[ImportedSet], gone: Excluded) -> str:
    """The files whose import had the rule of `gone` with its threshold; empty where all imports
    have the same rules, so that nothing has to be told apart, and for rules without a threshold."""
    told = speaking(imports)
    if len({each.rules_digest for each in told}) < 2:
        return ""
    return files_of([each for each in told if _has(each.rules, gone.rule, gone.threshold)])


def _has(rules: Mapping[str, Any], rule: str, threshold: str) -> bool:
    fact = rule.removeprefix("required.")
    if fact != rule:
        return threshold == " or ".join(rules.get("required", {}).get(fact, ()))
    value = rules.get(rule)
    return isinstance(value, int | float) and f"{value:g}" == threshold


def study(material: Material) -> Iterator[Section]:
    """Where the judgments come from, as a reviewer asks for it."""
    answers = material.people.answers
    if answers.imports:
        tables = (*_who(material.people), *_facts(answers.imports), *_imports(answers.imports))
        yield Section("study", "Who was asked", tables=tables)


def _who(people: People) -> Sequence[Table]:
    """Counts, and what the sessions say of themselves; nothing of files without answers."""
    answers = people.answers
    tests, everyone = left_by(answers, "test_run"), people.recorded
    visits = {*map(session_of, everyone), *map(session_of, answers.readings)}
    targets = [each for each in answers.counted if each.kind == "target"]
    kinds = [each.kind for each in answers.counted]
    rows = {
        "people": len({participant for participant, _ in visits}),
        "people whose answers count": len({each.participant for each in answers.counted}),
        "people who read word by word": len({each.participant for each in answers.readings}),
        "sessions": len(visits),
        "sessions made by the researchers, not among these": len(tests),
        "lists": len({each.list for each in everyone} - {""}),
        "trials with target sentences that count": len(targets),
        "ratings among them": sum(map(rates, targets)),
        "without an answer": sum(not answered(each) for each in targets),
        "trials with fillers that count": kinds.count("filler"),
        "attention checks that count": kinds.count("check"),
    }
    shown = {what: count(n) for what, n in rows.items() if n}
    if not visits:
        total = sum(each.summary.get("n_judgments") or 0 for each in answers.imports)
        shown = {"answers (only totals are known)": count(total)} if total else {}
    days = sorted(each.at[:10] for each in everyone if each.at)
    if days:
        when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]} (UTC)"
        shown["answered on"] = when
    minutes = [e.duration_s / 60 for e in answers.sessions if e.duration_s and not e.test_run]
    if minutes:
        shown["median duration of a session"] = f"{median(minutes):.1f} minutes"
    consents = {each.facts["consent"] for each in answers.sessions if each.facts.get("consent")}
    if consents:
        told = ", ".join(version[:SHOWN_DIGEST] for version in sorted(consents))
        shown["version of the consent (SHA-256)"] = told
    return _pairs("study-people", "People", shown)


def _facts(imports: Sequence[ImportedSet]) -> Sequence[Table]:
    """What the study files say; each only once."""
    told: dict[str, dict[str, None]] = {}
    for each in speaking(imports):
        for name in FACTS:
            if name in each.study:
                value = each.study[name]
                shown_as = f"{value:.2f}" if name == "payment_amount" else str(value)
                told.setdefault(name, {}).setdefault(shown_as)
    shown = {FACTS[name]: "; ".join(told[name]) for name in FACTS if name in told}
    return _pairs("study-facts", "The study", shown)


def _pairs(name: str, title: str, rows: Mapping[str, str]) -> Sequence[Table]:
    columns = {"what": lambda row: Cell(row[0]), "value": lambda row: Cell(row[1])}
    return table(name, title, rows.items(), columns)


def _imports(imports: Sequence[ImportedSet]) -> Sequence[Table]:
    def rules(imported: ImportedSet) -> Cell:
        """Whether its rules are the first ones; totals have nobody to leave out."""
        if imported.is_simulated:
            return Cell("simulated")
        if not speaking([imported]):
            return Cell("none: no answers")
        if imported.summary.get("n_participants", 0) is None:
            return Cell("none: only totals")
        if imported.is_post_hoc:
            return Cell("others than the first import's (post hoc)", sort="no")
        return Cell("those of the first import of single answers")

    return table(
        "study-imports",
        "Files of judgments",
        [
            (each, place, name, digest)
            for each in imports
            for place, (name, digest) in enumerate(each.files or ((each.name, ""),))
        ],
        {
            "file": lambda row: Cell(row[2]),
            "format": lambda row: Cell(row[0].format or NONE),
            "answers of the import": lambda row: (
                Cell("", sort="number") if row[1] else counted(row[0].summary.get("n_judgments"))
            ),
            "rules": lambda row: rules(row[0]),
            "SHA-256": lambda row: code(row[3]),
        },
    )


def exclusions(material: Material) -> Iterator[Section]:
    """Whose answers do not count, by which rule, and what the numbers were with them."""
    answers = material.people.answers
    if not answers.counted and not answers.left_out:
        return
    told = [each for each in answers.gone if each.rule not in BY_ITSELF]
    later = [each for each in speaking(answers.imports) if each.is_post_hoc]
    undefined: dict[str, set[str]] = {}
    for each in answers.undefined:
        undefined.setdefault(each.rule, set()).add(each.participant)
    yield Section(
        "exclusions",
        "Whose answers do not count",
        {"told": told, "later": files_of(later)},
        tables=(
            *_rules(answers.gone, answers.imports),
            *table(
                "exclusion-undefined",
                "Rules with nothing to measure",
                undefined.items(),
                {
                    "rule": lambda row: Cell(rule_in_words(row[0]), row[0]),
                    "people, who stay in": lambda row: counted(len(row[1])),
                },
            ),
            *(_gone(answers.gone) if told else ()),
            *(_with_everybody(material) if told else ()),
        ),
    )


def rule_in_words(name: str) -> str:
    """A rule of exclusion; one of the researchers' own by its name."""
    fact = name.removeprefix(REQUIRED)
    known = RULES[name].words if name in RULES else name
    return f"answer on “{fact}”" if fact != name else known


def _rules(gone: Sequence[Excluded], imports: Sequence[ImportedSet]) -> Sequence[Table]:
    """A line for each rule, threshold and level; below the threshold the files whose import had it,
    where not all had the same rules."""
    found: dict[tuple[str, str, str], list[Excluded]] = {}
    for each in gone:
        found.setdefault((each.rule, each.threshold, each.level), []).append(each)
    with_sessions = any(each.level == "session" for each in gone)
    return table(
        "exclusion-rules",
        "Rules that left something out",
        found.values(),
        {
            "rule": lambda own: Cell(rule_in_words(own[0].rule), own[0].rule),
            "threshold": lambda own: Cell(own[0].threshold or NONE, stated_with(imports, own[0])),
            "people": lambda own: counted(
                len({each.participant for each in own}) if own[0].level in WHOLE else None
            ),
            "sessions": (lambda own: counted(len(own) if own[0].level == "session" else None))
            if with_sessions
            else None,
            "trials": lambda own: counted(sum(each.n_trials for each in own)),
        },
    )


def _gone(gone: Sequence[Excluded]) -> Sequence[Table]:
    return table(
        "exclusion-people",
        "People, sessions and items left out",
        [each for each in gone if each.level != "trial"],
        {
            "who or what": lambda each: code(each.item or each.participant, each.session),
            "rule": lambda each: Cell(rule_in_words(each.rule), each.rule),
            "measured": lambda each: Cell(each.value or NONE),
            "threshold": lambda each: Cell(each.threshold or NONE),
            "trials": "n_trials count",
        },
        "People are listed under pseudonyms, which cannot be traced without the study's key.",
    )


def _with_everybody(material: Material) -> Sequence[Table]:
    """The main numbers as they stand on the page and as they would be with everybody, with the
    interval that people have everywhere."""
    answers, every = material.people.answers, material.people.everybody
    if not any(each.total for each in every):
        return ()
    sides = (
        (material.tallies, AnswerTable.of(answers.counted)),
        (every, AnswerTable.of(material.people.recorded)),
    )

    def cell(kind: str, pooled: bool, side: int) -> Cell:
        tallies, judgments = sides[side]
        own = [each for each in tallies if each.total and each.condition == kind]
        if not own:
            return NO_NUMBER
        n = sum(each.total for each in own)
        right = sum(each.right for each in own)
        found = wilson(right, n) if pooled else people_limits(own, judgments)
        low, high = (found.low, found.high) if found else (None, None)
        mean = pooled_accuracy(own) if pooled else item_accuracy(own)
        return share(mean, interval(low, high, n if pooled else len(own)))

    rows = [(k, p) for k in levels(e.condition for e in every if e.total) for p in (False, True)]
    return table(
        "exclusion-effect",
        "With and without exclusions",
        rows,
        {
            "people's accuracy, %": lambda row: Cell("pooled" if row[1] else "over items"),
            "sentences": lambda row: short(panel_name(row[0])),
            "without those left out": lambda row: cell(row[0], row[1], 0),
            "with everybody": lambda row: cell(row[0], row[1], 1),
        },
        "Practice and trials that were sent twice are in neither. Intervals over items are over"
        " people and originals; Wilson's of pooled answers treats these as independent.",
    )


def ratings(material: Material) -> Iterator[Section]:
    """How sentences were rated, right ones beside wrong ones."""
    found = {each.statistic: each for each in material.people.measures}
    own = [
        each
        for each in material.people.measures
        if each.statistic in (*MEANS.values(), DIFFERENCE, HIGHER)
    ]
    if own or UNPLACED in found:
        yield Section(
            "ratings",
            "How sentences were rated",
            {
                "levels": {each.level for each in own},
                "unknown_scale": any("not known" in each.note for each in own),
                "apart": [
                    (found[name].value, found[name].n, why)
                    for name, why in APART.items()
                    if name in found
                ],
            },
            tables=(
                *_ratings("ratings-kinds", "Ratings", [e for e in own if not e.construction]),
                *_ratings(
                    "ratings-constructions",
                    "Ratings by construction",
                    [each for each in own if each.construction],
                ),
            ),
        )


def _ratings(name: str, title: str, own: Sequence[Measure]) -> Sequence[Table]:
    cells: dict[tuple[str, str, str], dict[str, Measure]] = {}
    for level in SCORED:
        for each in own:
            if each.level == level:
                key = each.kind, each.construction, level
                cells.setdefault(key, {})[each.statistic] = each
    places = list(dict.fromkeys((each.kind, each.construction) for each in own))

    def rating(statistic: str, *, sign: bool = False) -> Callable[[Any], Cell]:
        def cell(key: tuple[str, str, str]) -> Cell:
            each = cells[key].get(statistic)
            if each is None or each.value is None:
                return NO_NUMBER
            told = [signed(v, 2) for v in (each.value, each.low, each.high) if v is not None]
            shown = [each if sign else each.removeprefix("+") for each in told]
            return Cell(shown[0], " to ".join(shown[1:]), "number", each.value)

        return cell

    def higher(key: tuple[str, str, str]) -> Cell:
        each = cells[key].get(HIGHER)
        return share(each.value, interval(each.low, each.high)) if each else share(None)

    return table(
        name,
        title,
        sorted(cells, key=lambda key: places.index(key[:2])),
        {
            "sentences": lambda key: (
                code(key[1], panel_name(key[0])) if key[1] else Cell(panel_name(key[0]))
            ),
            "scored": lambda key: short(SCORED[key[2]]),
            "right": rating(MEANS[RIGHT]),
            "wrong": rating(MEANS[WRONG]),
            "right − wrong": rating(DIFFERENCE, sign=True),
            "higher when right, %": higher,
            "items with both": lambda key: counted(
                cells[key][DIFFERENCE].n if DIFFERENCE in cells[key] else 0
            ),
        },
        f"Intervals from fewer than {FEW_SOURCES} sources are too narrow to be trusted;"
        " measures.csv says which those are."
        if any("only" in each.note for each in own)
        else "",
    )
