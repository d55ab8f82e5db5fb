"""Who was asked, what they saw and whose answers do not count, in words for a paper."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from colorless_green.humans.exclusion import Excluded
from colorless_green.humans.judgment import QUESTION, Judgment, Tally
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import THIN, count
from colorless_green.humans.page.paper.clause import (
    Clause,
    clause,
    listed,
    several,
    spread,
    verb,
)
from colorless_green.humans.page.stated import files_of, speaking, stated_with
from colorless_green.humans.stored import Answers, ImportedSet

TASKS: Mapping[str, str] = {
    "form": "read the beginning of a sentence and chose between two forms of the next word",
    "sentence": "read two sentences and chose the better one",
    "rating": "read a sentence and rated it",
    "reading": "read sentences word by word",
}
PUBLISHED = clause("taken from a published study", "gulordava2018")
COLLECTED: Mapping[str, Clause] = {  # how answers of a format were got
    "jspsych": clause("collected with jsPsych", "deleeuw2023"),
    "jatos": clause("collected with JATOS"),
    "pcibex": clause("collected with PCIbex"),
    "ibex": clause("collected with Ibex"),
    "mturk": clause("collected on Amazon Mechanical Turk"),
    "gulordava": PUBLISHED,
    "gulordava_raw": PUBLISHED,
}
OWN = "colorless"  # the format of our own pages
KINDS: Mapping[str, tuple[str, str]] = {  # of trials, in the order of a text
    "target": ("target trial", "target trials"), "filler": ("filler", "fillers"),
    "check": ("attention check", "attention checks"), QUESTION: ("question", "questions"),
}  # fmt: skip
RULES: Mapping[str, Callable[[Excluded], str]] = {  # why somebody or something went
    "status": lambda gone: f"their status on the platform was {gone.value}",
    "test_run": lambda _: "the researchers had made them to test the page",
    "first_session_only": lambda _: "the same people had taken part before",
    "min_answered_fraction": lambda gone: (
        f"they had answered less than {_percent(gone.threshold)} of their trials"
    ),
    "max_filler_errors": lambda gone: (
        f"they were wrong on more than {_percent(gone.threshold)} of the fillers they answered"
    ),
    "max_failed_checks": lambda gone: (
        "they had failed an attention check"
        if gone.threshold == "0"
        else f"they had failed more than {gone.threshold} attention checks"
    ),
    "max_question_errors": lambda gone: (
        f"they were wrong on more than {_percent(gone.threshold)} of the questions they answered"
    ),
    "min_median_rt_ms": lambda gone: f"their median response time was below {_ms(gone)}",
    "max_blurs": lambda gone: f"they had left the page more than {gone.threshold} times",
    "min_rt_ms": lambda gone: f"the answer came in less than {_ms(gone)}",
    "max_rt_ms": lambda gone: f"the answer took more than {_ms(gone)}",
    "min_judgments": lambda gone: f"they had fewer than {gone.threshold} answers",
}
ABOUT_PEOPLE = (  # the rules that have a threshold, in their order
    *("min_answered_fraction", "max_filler_errors", "max_failed_checks", "max_question_errors"),
    *("min_median_rt_ms", "max_blurs"),
)
UNITS: Mapping[str, tuple[str, str]] = {
    "person": ("participant", "participants"), "session": ("session", "sessions"),
    "trial": ("trial", "trials"), "item": ("item", "items"),
}  # fmt: skip


def people(material: Material) -> Iterator[Clause]:
    """Participants, task, platform, what each saw, exclusions, what is left; nothing where nobody
    was asked."""
    answers = material.people.answers
    every = (*answers.counted, *answers.left_out)
    if not every and not any(each.total for each in material.tallies):
        return
    if material.simulated:
        yield clause("All judgments were simulated by a program; nobody was asked")
    if every:
        yield from _participants(answers, every)
    yield from _task(answers, every)
    if every:
        yield from _seen(every)
        yield from _exclusions(answers)
    yield from _left(material)


def _participants(answers: Answers, every: Sequence[Judgment]) -> Iterator[Clause]:
    n = len({each.participant for each in every})
    n_sessions = len({(each.participant, each.session) for each in every})
    days = sorted({each.at[:10] for each in every} - {""})
    when = ""
    if days:
        when = f" on {days[0]}" if len(days) == 1 else f" between {days[0]} and {days[-1]}"
    sessions = f" in {several(n_sessions, 'session')}" if n_sessions != n else ""
    yield clause(f"{several(n, 'participant')} took part{sessions}{when}")
    minutes = [each.duration_s / 60 for each in answers.sessions if each.duration_s is not None]
    if minutes:
        yield clause(f"The median duration of a session was {median(minutes):.1f} minutes")
    yield from _conditions(_facts(answers))


def _facts(answers: Answers) -> dict[str, str]:
    """What the study files say where they do not contradict one another."""
    told: dict[str, dict[str, None]] = {}
    for each in speaking(answers.imports):
        for name, value in each.study.items():
            told.setdefault(name, {}).setdefault(str(value))
    return {name: next(iter(values)) for name, values in told.items() if len(values) == 1}


def _conditions(facts: Mapping[str, str]) -> Iterator[Clause]:
    if "languages_required" in facts or "minimum_age" in facts:
        needed = []
        if "minimum_age" in facts:
            needed.append(f"at least {facts['minimum_age']} years old")
        if "languages_required" in facts:
            needed.append(f"native speakers (language code: {facts['languages_required']})")
        yield clause(f"Participants had to be {listed(needed)}")
    if "payment_amount" in facts and "payment_currency" in facts:
        amount = f"{float(facts['payment_amount']):g} {facts['payment_currency']}"
        yield clause(f"Each was paid {amount}")
    if "ethics_board" in facts and "approval_number" in facts:
        board, number = facts["ethics_board"], facts["approval_number"]
        yield clause(f"The study was approved by {board} (number {number})")


def _task(answers: Answers, every: Sequence[Judgment]) -> Iterator[Clause]:
    """What people did, where it is known, and with what."""
    facts = _facts(answers)
    task = facts.get("task") or _done(every)
    if task in TASKS:
        deadline = f" within {facts['deadline_ms']} ms" if "deadline_ms" in facts else ""
        yield clause(f"In each trial, participants {TASKS[task]}{deadline}")
    yield from _collected(speaking(answers.imports))


def _collected(imports: Sequence[ImportedSet]) -> Iterator[Clause]:
    """How answers were got; of which files, where not all were got alike."""
    found: dict[Clause | None, list[ImportedSet]] = {}
    for each in imports:
        found.setdefault(_way(each), []).append(each)
    for way, own in found.items():
        if way is not None:
            whose = f"The answers in {files_of(own)}" if len(found) > 1 else "Answers"
            yield clause(f"{whose} were {way.text}", *way.cites)


def _way(imported: ImportedSet) -> Clause | None:
    if imported.format == OWN and imported.study.get("task") in TASKS:
        return clause("collected in an experiment designed with colorless-green")
    return COLLECTED.get(imported.format)


def _done(every: Sequence[Judgment]) -> str:
    """The task of most trials, as far as they show it."""
    targets = [each for each in every if each.kind == "target"]
    if any(each.rating is not None for each in targets):
        return "rating"
    if targets and all(each.option_1 and each.option_2 for each in targets):
        return "form" if all(each.prefix for each in targets) else "sentence"
    return ""


def _seen(every: Sequence[Judgment]) -> Iterator[Clause]:
    """How many trials of each kind a participant had; practice apart."""
    people = list(dict.fromkeys(each.participant for each in every))
    parts = []
    for kind, names in KINDS.items():
        counts = dict.fromkeys(people, 0)
        for each in every:
            if each.kind == kind:
                counts[each.participant] += 1
        if any(counts.values()):
            values = list(counts.values())
            parts.append(f"{spread(values)} {names[max(values) != 1]}")
    if parts:
        yield clause(f"Each participant was shown {listed(parts)}")
    n_lists = len({each.list for each in every} - {""})
    if n_lists > 1:
        yield clause(f"Items were distributed over {count(n_lists)} lists")


def _exclusions(answers: Answers) -> Iterator[Clause]:
    """Each rule that left something out, in its order, with counts."""
    found: dict[tuple[str, str, str, str], list[Excluded]] = {}
    for each in answers.gone:
        if each.rule not in ("practice", "duplicate"):
            value = each.value if each.rule == "status" or each.rule not in RULES else ""
            found.setdefault((each.level, each.rule, each.threshold, value), []).append(each)
    for (level, _, _, _), gone in found.items():
        n = len(gone) if level != "trial" else sum(each.n_trials for each in gone)
        name = several(n, *UNITS[level])
        trials = "" if level == "trial" else f" ({several(_trials(gone), 'trial')})"
        stated = stated_with(answers.imports, gone[0])
        whose = f" (the rule of {stated})" if stated else ""
        yield clause(f"{name}{trials} {verb(n)} excluded because {_why(gone[0])}{whose}")
    spared = list(dict.fromkeys(_spared(answers)))
    if spared:
        yield clause(f"Nobody was excluded because {' or because '.join(spared)}")
    later = [each for each in speaking(answers.imports) if each.is_post_hoc]
    if later:
        yield clause(
            f"The rules of exclusion of {files_of(later)} were not those of the first import of"
            " single answers (post hoc)"
        )
    practice = sum(each.n_trials for each in answers.gone if each.rule == "practice")
    if practice:
        yield clause(f"Practice ({several(practice, 'trial')}) was not analysed")


def _spared(answers: Answers) -> Iterator[str]:
    """The rules about people that were set, could judge somebody who stays and removed nobody, in
    words."""
    used = {(each.rule, each.threshold) for each in answers.gone}
    people = {each.participant for each in answers.counted or answers.left_out}
    unjudged: dict[tuple[str, str], set[str]] = {}
    for each in answers.undefined:
        unjudged.setdefault((each.rule, each.threshold), set()).add(each.participant)
    used |= {rule for rule, own in unjudged.items() if own >= people}
    for imported in speaking(answers.imports):
        for rule in ABOUT_PEOPLE:
            threshold = imported.rules.get(rule)
            if threshold is not None and (rule, f"{threshold:g}") not in used:
                spared = Excluded("person", "", "", "", rule, "", f"{threshold:g}", 0)
                stated = stated_with(answers.imports, spared)
                yield RULES[rule](spared) + (f" (the rule of {stated})" if stated else "")


def _trials(gone: Sequence[Excluded]) -> int:
    return sum(each.n_trials for each in gone)


def _why(gone: Excluded) -> str:
    if gone.rule in RULES:
        return RULES[gone.rule](gone)
    fact = gone.rule.removeprefix("required.")
    if fact != gone.rule:
        return f"their answer on “{fact}” was “{gone.value}”, not “{gone.threshold}”"
    return f"of the rule “{gone.rule}”"


def _ms(gone: Excluded) -> str:
    return f"{float(gone.threshold):,g} ms"


def _percent(share: str) -> str:
    return f"{100 * float(share):g}{THIN}%"


def _left(material: Material) -> Iterator[Clause]:
    """What the numbers are of."""
    own: list[Tally] = [each for each in material.tallies if each.total]
    if not own:
        return
    totals = [each.total for each in own]
    n = sum(totals)
    mean = f"mean {n / len(own):.1f}, " if min(totals) < max(totals) else ""
    each_item = f"({mean}{spread(totals)} an item)"
    answered = {
        each.participant
        for each in material.people.answers.counted
        if each.kind == "target" and each.correct is not None
    }
    whose = f" by {several(len(answered), 'participant')}" if answered else ""
    only_totals = bool(material.people.answers.imports) and not answered
    known = "; who gave them was not known" if only_totals else ""
    yield clause(
        f"The analyses were of {several(n, 'answer')}{whose} to {several(len(own), 'item')}"
        f" {each_item}{known}"
    )
