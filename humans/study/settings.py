"""What researchers say of a study: `study.toml`, which they fill in and a page is made from."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

from annotated_types import Ge

from ...data.errors import InputError
from ...data.files import read_text
from ...data.registry import nearest
from ...data.validate import validated
from ..judgments.rules import RULES, TABLE, Rules, rules_of

SETTINGS = "study.toml"
Task: TypeAlias = Literal["form", "sentence", "rating"]
"""What people do: choose a form after a prefix, choose between two sentences, or rate a
sentence."""
Scale: TypeAlias = Literal["5", "7", "slider", "magnitude"]
"""What ratings are given on: 5 or 7 points, a slider from 0 to 100, or any number above 0."""
TASKS, SCALES = get_args(Task), get_args(Scale)
POINTS: Mapping[str, range] = {"5": range(1, 6), "7": range(1, 8), "slider": range(101)}
"""Scale → what a rating on it can be; a magnitude is any number above 0."""
Natural: TypeAlias = Annotated[int, Ge(0)]
OUTCOMES = ("complete", "no_consent")
"""How a session can end, each with a completion address of its own."""
CONSENT = (  # the table [consent]
    *("researcher", "institution", "contact_email", "ethics_board", "approval_number"),
    *("purpose", "procedure", "duration_minutes", "payment", "risks"),
    *("data_kept", "retention_until", "withdrawal", "data_sharing"),
    *("consent_statement", "minimum_age", "languages_required"),
)
FORMER = {  # table → settings of version 1, which only its server used; passed over
    "": ("abandon_minutes",),
    "consent": ("payment_amount", "payment_currency"),
    "completion": ("failed_check",),
}
REQUIRED = ("title", "language", *CONSENT)
"""Settings that must be filled in before the page starts."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a study (`study.toml`); empty texts, 0 and empty lists mean not filled in.

    Attributes:
        title: as participants see it.
        language: BCP-47 code of the sentences and of the page.
        task: form, sentence or rating; set by the design.
        seed: of the design.
        researcher: who runs the study.
        institution: of the researcher.
        contact_email: for questions and withdrawal.
        ethics_board: who approved the study.
        approval_number: of that approval.
        purpose: what the study is about.
        procedure: what people will do.
        duration_minutes: how long it takes.
        payment: how much, when and how.
        risks: that people are told of.
        data_kept: what is stored.
        retention_until: how long it is stored.
        withdrawal: how people can have their data deleted.
        data_sharing: with whom data are shared, in what form.
        consent_statement: what people agree to.
        minimum_age: in years.
        languages_required: native languages that people must have, as BCP-47 codes.
        scale: of ratings: 5, 7, slider or magnitude.
        deadline_ms: time for an answer in milliseconds; 0: no limit.
        minimum_rt_ms: faster answers are ignored as slips, in milliseconds.
        redirect_seconds: until people are sent to their `completion` address; 0: by a link alone.
        completion: complete and no_consent → address; "": none.
        debriefing: what people are told at the end.
        exclusion: the rules of exclusion, from the table `exclude`.
    """

    title: str
    language: str
    task: Task
    seed: Natural
    researcher: str = ""
    institution: str = ""
    contact_email: str = ""
    ethics_board: str = ""
    approval_number: str = ""
    purpose: str = ""
    procedure: str = ""
    duration_minutes: Natural = 0
    payment: str = ""
    risks: str = ""
    data_kept: str = ""
    retention_until: str = ""
    withdrawal: str = ""
    data_sharing: str = ""
    consent_statement: str = ""
    minimum_age: Natural = 0
    languages_required: tuple[str, ...] = ()
    scale: Scale = "7"
    deadline_ms: Natural = 0
    minimum_rt_ms: Natural = 150
    redirect_seconds: Natural = 20
    completion: Mapping[str, str] = field(default_factory=dict)
    debriefing: str = ""
    exclusion: Rules = field(default_factory=Rules)


def missing(settings: Settings) -> tuple[str, ...]:
    """Lists the required settings that are empty; the page does not start while there are any.

    Args:
        settings: of a study.

    Returns:
        Their names, in the order of the file.

    >>> missing(Settings("Agreement", "en", "form", seed=0))[:3]
    ('researcher', 'institution', 'contact_email')
    """
    values = {name: getattr(settings, name) for name in REQUIRED}
    return tuple(n for n, value in values.items() if value in (0, ()) or not str(value).strip())


def read_settings(path: Path) -> Settings:
    """Reads the settings of a study.

    Args:
        path: a study's `study.toml`.

    Returns:
        The settings; those that the file leaves out have their usual values.

    Raises:
        InputError: for a file that is not TOML, an unknown setting, or a wrong value.

    >>> _ = Path("study.toml").write_text(to_toml(Settings("Agreement", "en", "form", seed=0)))
    >>> read_settings(Path("study.toml")).title
    'Agreement'
    """
    location = str(path)
    try:
        content = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(
            location, f"not TOML ({error})", "texts in quotes, as it was made", kind="format"
        ) from None
    tables = {name: content.pop(name, {}) for name in ("consent", "completion", TABLE)}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputError(
                f"{location}: {name}", f"{table!r}", f"a table [{name}]", kind="format"
            )
    for table, names in FORMER.items():
        for name in names:
            tables.get(table, content).pop(name, None)
    consent = tables["consent"]
    unknown = [name for name in content if name in CONSENT]
    unknown += [f"consent.{name}" for name in consent if name not in CONSENT]
    if unknown:
        right = f"{nearest(unknown[0], CONSENT)} in [consent], the others above it"
        raise InputError(f"{location}: {unknown[0]}", "no such setting", right, kind="unknown")
    completion = dict.fromkeys(OUTCOMES, "") | tables["completion"]
    for outcome, address in completion.items():
        entry = f"{location}: completion.{outcome}"
        if outcome not in OUTCOMES:
            right = nearest(outcome, OUTCOMES)
            raise InputError(entry, f"{outcome!r}", right, kind="unknown")
        if not isinstance(address, str) or (address and not address.startswith("https://")):
            right = "an address that begins with https://, or none"
            raise InputError(entry, f"{address!r}", right, kind="value")
    derived = {"completion": completion, "exclusion": rules_of(path, ())}
    try:
        return validated(Settings, {**content, **consent, **derived}, location)
    except InputError as error:
        name = error.location.removeprefix(f"{location}: ")
        raise error.at(
            f"{location}: consent.{name}" if name in consent else error.location
        ) from None


def to_toml(settings: Settings) -> str:
    """Writes settings as the text of `study.toml`, with a comment for each.

    Args:
        settings: of a study; `exclusion` is not used, since every study starts with the same
            rules.

    Returns:
        TOML, which `read_settings` reads.

    >>> to_toml(Settings("Agreement", "en", "form", seed=0)).splitlines()[4]
    'title = "Agreement"  # as participants see it'
    """
    lines, names = [], {setting.name for setting in fields(Settings)}
    for line in TEMPLATE.splitlines():
        name, _, comment = line.partition(" = ")
        if name in OUTCOMES:
            lines.append(f"{name} = {_written(settings.completion.get(name, ''))}  # {comment}")
        elif name in RULES:
            lines.append(f"{name} = {RULES[name].default}")
        elif name in names:
            lines.append(f"{name} = {_written(getattr(settings, name))}  # {comment}")
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


def _written(value: object) -> str:
    """A value as TOML, whose texts, numbers and lists are JSON's but for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


TEMPLATE = """\
# What participants are told, and how the page behaves. Fill in every text of [consent]: the page
# does not start while one is empty. Where something does not apply, say so ("no risks are known").
# Trials and answers are in other files of this folder; do not edit those.

title = as participants see it
language = BCP-47 code of sentences and page
task = set by the design: form, sentence or rating
seed = of the design
scale = of task rating, set by the design: 5, 7, slider or magnitude
deadline_ms = time for an answer; 0 for none (people differ: see WCAG 2.2.1 before you set one)
minimum_rt_ms = earlier answers are taken for slips of the finger and ignored
debriefing = what people are told at the end: what the study was about
redirect_seconds = until people are sent to [completion] (20 by WCAG 2.2.1); 0: a link alone

[consent]
researcher = who runs the study
institution = of the researcher
contact_email = for questions and withdrawal
ethics_board = who approved the study
approval_number = of that approval
purpose = what the study is about, without giving away what is tested
procedure = what people will do
duration_minutes = how long it takes
payment = how much, when and how; or that there is none
risks = or that none are known
data_kept = what is stored: answers, times, age, native language …
retention_until = how long
withdrawal = how, and until when, people can have their data deleted
data_sharing = with whom, in what form
consent_statement = what people agree to
minimum_age = in years
languages_required = native languages that people must have, as BCP-47 codes

[completion]  # where people go at the end, as Prolific gives it; sent only once all is stored
complete = https://…
no_consent = for those who decline

# Whose answers count: decide before you look at any (colorless humans import --study THIS_FILE).
[exclude]
max_filler_errors
max_failed_checks
min_answered_fraction
min_median_rt_ms
first_session_only
# To exclude people whose native language is not in languages_required: required.native = "yes".
"""
