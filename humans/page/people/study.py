"""Section: where the judgments come from, as a reviewer asks for it."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from colorless_green.humans.judgment import answered
from colorless_green.humans.measures.ratings import rates
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, count
from colorless_green.humans.page.parts import Cell, Section, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.stated import speaking
from colorless_green.humans.stored import Answers, ImportedSet

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
CONSENT, LIST = "consent", "list"  # facts of a session
SHOWN_DIGEST = 16  # hex digits


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where nobody was asked."""
    answers = material.people.answers
    if not answers.imports:
        return None
    return Section(
        name="study",
        title="Who was asked",
        tables=(*_people(answers), *_facts(answers.imports), _imports(answers.imports)),
    )


def _people(answers: Answers) -> Iterator[Table]:
    """Counts, and what the sessions say of themselves; nothing of files without answers."""
    everyone = (*answers.counted, *answers.left_out)
    visits = {(each.participant, each.session) for each in everyone}
    visits |= {(each.participant, each.session) for each in answers.readings}
    targets = [each for each in answers.counted if each.kind == "target"]
    rows = [
        ("people", len({participant for participant, _ in visits})),
        ("people whose answers count", len({each.participant for each in answers.counted})),
        ("people who read word by word", len({each.participant for each in answers.readings})),
        ("sessions", len(visits)),
        ("lists", len({each.list for each in everyone} - {""})),
        ("trials with target sentences that count", len(targets)),
        ("ratings among them", sum(map(rates, targets))),
        ("without an answer", sum(not answered(each) for each in targets)),
        ("trials with fillers that count", _kind(answers, "filler")),
        ("attention checks that count", _kind(answers, "check")),
    ]
    shown = [(what, count(n)) for what, n in rows if n]
    if not visits:
        total = sum(each.summary.get("n_judgments") or 0 for each in answers.imports)
        shown = [("answers (only totals are known)", count(total))] if total else []
    shown += _told(answers)
    if shown:
        yield _pairs("study-people", "People", shown)


def _kind(answers: Answers, kind: str) -> int:
    return sum(each.kind == kind for each in answers.counted)


def _told(answers: Answers) -> Iterator[tuple[str, str]]:
    """When, how long, and under which consent."""
    days = sorted(at[:10] for each in (*answers.counted, *answers.left_out) if (at := each.at))
    if days:
        yield "answered on", days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]} (UTC)"
    minutes = [each.duration_s / 60 for each in answers.sessions if each.duration_s is not None]
    if minutes:
        yield "median duration of a session", f"{median(minutes):.1f} minutes"
    versions = sorted({each.facts[CONSENT] for each in answers.sessions if each.facts.get(CONSENT)})
    if versions:
        shown = ", ".join(version[:SHOWN_DIGEST] for version in versions)
        yield "version of the consent (SHA-256)", shown


def _facts(imports: Sequence[ImportedSet]) -> Iterator[Table]:
    """What the study files say; each only once."""
    told: dict[str, dict[str, None]] = {}
    for each in speaking(imports):
        for name in FACTS:
            if name in each.study:
                told.setdefault(name, {}).setdefault(str(each.study[name]))
    shown = [(FACTS[name], "; ".join(told[name])) for name in FACTS if name in told]
    if shown:
        yield _pairs("study-facts", "The study", shown)


def _pairs(name: str, title: str, rows: Sequence[tuple[str, str]]) -> Table:
    return Table(
        name=name,
        title=title,
        columns=(heading("what"), heading("value")),
        rows=tuple((Cell(what), Cell(value)) for what, value in rows),
    )


def _imports(imports: Sequence[ImportedSet]) -> Table:
    return Table(
        name="study-imports",
        title="Files of judgments",
        columns=(
            heading("file"),
            heading("format"),
            heading("answers of the import", "number"),
            heading("rules"),
            heading("SHA-256", "code"),
        ),
        rows=tuple(
            (
                Cell(name),
                Cell(each.format or NONE),
                Cell("" if place else count(each.summary.get("n_judgments")), sort="number"),
                _rules(each),
                Cell(digest, sort="code"),
            )
            for each in imports
            for place, (name, digest) in enumerate(each.files or ((each.name, ""),))
        ),
    )


def _rules(imported: ImportedSet) -> Cell:
    """Whether its rules of exclusion are the first ones; totals have nobody to leave out."""
    if imported.is_simulated:
        return Cell("simulated")
    if not speaking([imported]):
        return Cell("none: no answers")
    if imported.summary.get("n_participants", 0) is None:
        return Cell("none: only totals")
    if imported.is_post_hoc:
        return Cell("others than the first import's (post hoc)", sort="no")
    return Cell("those of the first import of single answers")
