"""What a study is designed by: the options of `design_study`, and settings that have a name."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge

from ...data.configuration import Configuration
from ...data.errors import InputError
from ...data.languages import checked_language
from ...data.validate import faults_in, raise_all
from .settings import Natural, Task
from .texts import Texts
from .texts import texts as texts_of

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
        """Yield the faults of a scale with a fraction, which equals a whole number, and of a
        language that is none."""
        if isinstance(self.scale, float):
            yield InputError("scale", repr(self.scale), "a whole number", kind="value")
        try:
            checked_language(self.language or "", "language")
        except InputError as error:
            yield error


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """The plan of a study; checked whoever makes it.

    Attributes:
        task: form, sentence or rating.
        participants: one list for each of so many people; None: as the settings say.
        versions: number of versions of a source that one person sees.
        construction: names or patterns of the targets'; empty: all but determiner–noun ones.
        per_construction: maximum number of sources of a construction; None: all.
        settings: further settings.
        language: BCP-47 code of the trials; "" as long as nobody has asked the items.
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
        faults = faults_in(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        lists = self.settings.lists if isinstance(self.settings, DesignSettings) else None
        if lists is not None and self.participants is not None:
            wrong = f"{lists} lists for {self.participants} people"
            faults.append(InputError("lists", wrong, "participants, a list each", kind="conflict"))
        raise_all(faults)

    @property
    def wording(self) -> Texts | None:
        """The texts given, else those that come with the language; None where there are none."""
        return self.texts or texts_of(self.language)
