"""The settings of a design, and the settings that researchers fill in (`study.toml`)."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias, get_args

from annotated_types import Ge

from ...data.configuration import Configuration, field_comments, toml_value
from ...data.errors import InputError
from ...data.files import read_text
from ...data.languages import checked_language
from ...data.registry import nearest
from ...data.validate import faults_in, raise_all, validate_record
from ..judgments.rules import RULES, RULES_TABLE, Rules, rules_of
from .texts import Texts
from .texts import texts as texts_of

SETTINGS = "study.toml"
Task: TypeAlias = Literal["form", "sentence", "rating"]
"""What people do: choose a form after a prefix, choose between two sentences, or rate a
sentence."""
Scale: TypeAlias = Literal["5", "7", "slider", "magnitude"]
"""The scale of ratings: 5 or 7 points, a slider from 0 to 100, or any number above 0."""
TASKS = get_args(Task)
POINTS: Mapping[str, range] = {"5": range(1, 6), "7": range(1, 8), "slider": range(101)}
"""Scale → the ratings that are possible on it; the scale magnitude has no list."""
Natural: TypeAlias = Annotated[int, Ge(0)]
Positive: TypeAlias = Annotated[int, Ge(1)]


@dataclass(frozen=True, kw_only=True)
class DesignSettings(Configuration):
    """The settings of a study's design that few researchers change.

    Attributes:
        lists: number of lists, without `participants`;
            none: as many as the source with most versions has.
        drop_flagged: leave out sources with flags that speak against them (docs/sets.md).
        checks: number of attention checks; none: one for 25 trials, or as many as there are.
        practice: number of trials with feedback before all others.
        blocks: number of parts, with a break between them.
        scale: of ratings: 5 or 7 points, slider (0 to 100) or magnitude (any number above 0).
        texts: file with the page's texts, for a language that has none bundled;
            where it is needed and missing, a file to fill in is written.
        language: BCP-47 code of sentences and page; empty: the items'.
    """

    NOUN = "settings"
    DEFAULT = "default"
    NAMED = MappingProxyType(
        {DEFAULT: {"drop_flagged": False, "practice": 3, "blocks": 1, "scale": 7, "language": ""}}
    )

    lists: Positive | None = None
    drop_flagged: bool | None = None
    checks: Natural | None = None
    practice: Natural | None = None
    blocks: Positive | None = None
    scale: Literal[5, 7, "slider", "magnitude"] | None = None
    texts: Path | None = None
    language: str | None = None

    def conflicts(self) -> Iterable[InputError]:
        """Yield an error for a scale such as 7.0, and one for an invalid language code."""
        if isinstance(self.scale, float):
            yield InputError("scale", repr(self.scale), "a whole number", kind="value")
        try:
            checked_language(self.language or "", "language")
        except InputError as error:
            yield error


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """The plan of a study: what the user of `design_study` asks for. It is checked when made.

    Attributes:
        task: form, sentence or rating.
        participants: number of people, each with a list; None: `settings.lists` lists.
        versions: number of versions of a source that one person sees.
        construction: names or patterns of the targets' constructions; empty: all constructions but
            determiner–noun ones.
        per_construction: maximum number of sources of a construction; None: all.
        settings: further settings.
        language: BCP-47 code of the trials; "" until it is taken from the items.
        texts: checks and practice sentences; None: those that come with the language, if any.
        seed: the same arguments and seed give the same design.
    """

    task: Task = "form"
    participants: Positive | None = None
    versions: Positive = 1
    construction: tuple[str, ...] = ()
    per_construction: Positive | None = None
    settings: DesignSettings
    language: str = ""
    texts: Texts | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise `InputError` with all faults of the plan."""
        faults = faults_in(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        lists = self.settings.lists if isinstance(self.settings, DesignSettings) else None
        if lists is not None and self.participants is not None:
            wrong = f"{lists} lists for {self.participants} people"
            faults.append(InputError("lists", wrong, "participants, a list each", kind="conflict"))
        raise_all(faults)

    @property
    def wording(self) -> Texts | None:
        """The texts given, else those that come with the language; None if there are none."""
        return self.texts or texts_of(self.language)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a study in `study.toml`, with the same comments there; empty texts, 0 and
    empty lists mean not filled in.

    Attributes:
        title: as participants see it
        language: BCP-47 code of sentences and page
        task: set by the design: form, sentence or rating
        seed: of the design
        scale: of task rating, set by the design: 5, 7, slider or magnitude
        deadline_ms: time for an answer; 0 for none (people differ: see WCAG 2.2.1 before you set
            one)
        minimum_rt_ms: earlier answers are taken for slips of the finger and ignored
        debriefing: what people are told at the end: what the study was about
        redirect_seconds: until people are sent to [completion] (20 by WCAG 2.2.1); 0: a link alone
        researcher: who runs the study
        institution: of the researcher
        contact_email: for questions and withdrawal
        ethics_board: who approved the study
        approval_number: of that approval
        purpose: what the study is about, without giving away what is tested
        procedure: what people will do
        duration_minutes: how long it takes
        payment: how much, when and how; or that there is none
        risks: or that none are known
        data_kept: what is stored: answers, times, age, native language …
        retention_until: how long
        withdrawal: how, and until when, people can have their data deleted
        data_sharing: with whom, in what form
        consent_statement: what people agree to
        minimum_age: in years
        languages_required: native languages that people must have, as BCP-47 codes
        completion: `complete` and `no_consent` → the address where people go at the end
        exclusion: the rules of exclusion
    """

    title: str
    language: str
    task: Task
    seed: Natural
    scale: Scale = "7"
    deadline_ms: Natural = 0
    minimum_rt_ms: Natural = 150
    debriefing: str = ""
    redirect_seconds: Natural = 20
    researcher: str = ""  # the table [consent] begins here
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
    languages_required: tuple[str, ...] = ()  # and ends here
    completion: Mapping[str, str] = field(default_factory=dict)
    exclusion: Rules = field(default_factory=Rules)


NAMES = tuple(setting.name for setting in fields(Settings))
CONSENT = NAMES[NAMES.index("researcher") : NAMES.index("completion")]
REQUIRED = ("title", "language", *CONSENT)
"""Settings that must be filled in before the page starts."""
OUTCOMES = {  # how a session can end, each with a completion address of its own
    "complete": "https://…",
    "no_consent": "for those who decline",
}
HEAD = """\
# What participants are told, and how the page behaves. Fill in every text of [consent]: the page
# does not start while one is empty. Where something does not apply, say so ("no risks are known").
# Trials and answers are in other files of this folder; do not edit those.
"""
COMPLETION = """
[completion]  # where people go at the end, as Prolific gives it; sent only once all is stored"""
EXCLUDE = """
# Whose answers count: decide before you look at any (colorless humans import --study THIS_FILE).
[exclude]"""
NATIVE = """\
# To exclude people whose native language is not in languages_required: required.native = "yes".
"""
EXCLUDED_BY = (
    *("max_filler_errors", "max_failed_checks", "min_answered_fraction"),
    *("min_median_rt_ms", "first_session_only"),
)


def missing_settings(settings: Settings) -> tuple[str, ...]:
    """List the required settings that are empty; the page does not start while there are any.

    Args:
        settings: of a study.

    Returns:
        Their names, in the order of the file.

    >>> missing_settings(Settings("Agreement", "en", "form", seed=0))[:3]
    ('researcher', 'institution', 'contact_email')
    """
    values = {name: getattr(settings, name) for name in REQUIRED}
    return tuple(
        name for name, value in values.items() if value in (0, ()) or not str(value).strip()
    )


def read_settings(path: Path) -> Settings:
    """Read the settings of a study.

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
    exclusion = rules_of(path, ())
    content = tomllib.loads(read_text(path))
    tables = {name: content.pop(name, {}) for name in ("consent", "completion", RULES_TABLE)}
    for name, table in tables.items():
        if not isinstance(table, dict):
            right = f"a table [{name}]"
            raise InputError(f"{path}: {name}", f"{table!r}", right, kind="format")
    consent, completion = tables["consent"], dict.fromkeys(OUTCOMES, "") | tables["completion"]
    locations = {name: f"{path}: consent.{name}" for name in consent}
    misplaced = [name for name in content if name in CONSENT]
    misplaced += [name for name in consent if name not in CONSENT]
    if misplaced:
        name, *_ = misplaced
        right = f"{nearest(name, CONSENT)} in [consent]; others above it"
        location = locations.get(name, f"{path}: {name}")
        raise InputError(location, "no such setting", right, kind="unknown")
    for outcome, address in completion.items():
        location = f"{path}: completion.{outcome}"
        if outcome not in OUTCOMES:
            raise InputError(location, f"{outcome!r}", nearest(outcome, OUTCOMES), kind="unknown")
        if not isinstance(address, str) or (address and not address.startswith("https://")):
            right = "an address that begins with https://, or none"
            raise InputError(location, f"{address!r}", right, kind="value")
    values = {**content, **consent, "completion": completion, "exclusion": exclusion}
    try:
        return validate_record(Settings, values, str(path))
    except InputError as error:
        name = error.location.removeprefix(f"{path}: ")
        raise error.at(locations.get(name, error.location)) from None


def to_toml(settings: Settings) -> str:
    """Write settings as the text of `study.toml`, with a comment on each.

    Args:
        settings: of a study; `exclusion` is not used: every study starts with the same rules.

    Returns:
        TOML, which `read_settings` reads.

    >>> to_toml(Settings("Agreement", "en", "form", seed=0)).splitlines()[4]
    'title = "Agreement"  # as participants see it'
    """
    comments = field_comments(Settings)

    def line(name: str, value: object, comment: str) -> str:
        """Return `name = value  # comment`, with the value as TOML."""
        return f"{name} = {toml_value(value)}  # {comment}"

    lines = {
        name: line(name, getattr(settings, name), " ".join(comments[name]))
        for name in NAMES
        if name not in ("completion", "exclusion")  # tables of their own, below
    }
    return "\n".join(
        [
            HEAD,
            *(text for name, text in lines.items() if name not in CONSENT),
            "\n[consent]",
            *(lines[name] for name in CONSENT),
            COMPLETION,
            *(
                line(outcome, settings.completion.get(outcome, ""), comment)
                for outcome, comment in OUTCOMES.items()
            ),
            EXCLUDE,
            *(f"{name} = {RULES[name].default}" for name in EXCLUDED_BY),
            NATIVE,
        ]
    )
