"""Settings of nonce variants and composed sets, under names: the record `Recipe`."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Le

from ...data.configuration import Configuration
from ...data.errors import InputError
from ...data.registry import look_up
from ...data.validate import raise_all
from .ambiguity import AMBIGUOUS, FLAGS
from .frequencies import TREEBANK
from .levels import LEVELS, MORPHOLOGY, levels_up_to

ALL, NONE = "all", "none"
HIGHEST = f"+{list(LEVELS)[-1]}"  # where no level is asked for, the first that is tried


@dataclass(frozen=True, kw_only=True)
class Recipe(Configuration):
    """Settings of nonce variants and composed sets: how new words are drawn.

    Attributes:
        n: number of variants per original.
        level: how similar a replacement must be: morphology, +frequency, +frame or +unseen.
            "": for each original the highest level that can serve it, at least +frequency.
        words: real, or pseudo for words with invented stems.
        fallback: true: use a lower level (down to +frequency) for originals that `level` cannot
            serve; words that the level keeps are still kept.
        tail: replace or keep the words after the target. "": keep them from +frame on.
        all_targets: true: list every pair of target forms that fits each prefix.
        exclude: leave out originals with these flags (docs/sets.md), or all or none.
            []: all; at level morphology only those whose forms decide nothing.
        lexicon: further CoNLL-U files or folders of the language, for evidence and words.
        vocabulary: file of the words that models know. Without it, the vocabulary of the mining.
        unimorph: LANGUAGE=FILE of UniMorph lists, for forms missing from the treebank.
        frequencies: word frequencies: treebank, wordfreq, or a file of words and counts.
        seen_in: texts whose word pairs the level +unseen avoids, too.
        marks: file of marks from the review page; rejected items are left out.
        attractors: of composed sets: maximum number of modifiers between head and target, 1 or 2.
    """

    FILES = ("unimorph", "frequencies")
    NOUN = "recipe"
    DEFAULT = "default"
    NAMED: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "default": {
            "n": 3, "level": "", "words": "real", "fallback": False, "tail": "",
            "all_targets": False, "exclude": (), "lexicon": (), "unimorph": (),
            "frequencies": TREEBANK, "seen_in": (), "attractors": 2,
        },
        "gulordava2018": {"n": 9, "level": MORPHOLOGY},
    }  # fmt: skip

    n: Annotated[int, Ge(1)] | None = None
    level: str | None = None
    words: Literal["real", "pseudo"] | None = None
    fallback: bool | None = None
    tail: Literal["replace", "keep", ""] | None = None
    all_targets: bool | None = None
    exclude: tuple[str, ...] | None = None
    lexicon: tuple[Path, ...] | None = None
    vocabulary: Path | None = None
    unimorph: tuple[str, ...] | None = None
    frequencies: str | None = None
    seen_in: tuple[Path, ...] | None = None
    marks: Path | None = None
    attractors: Annotated[int, Ge(1), Le(2)] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        bare = str(self.level).removeprefix("+")  # `frame` is `+frame`
        level = bare if bare in ("", MORPHOLOGY) else f"+{bare}"
        object.__setattr__(self, "level", level)

    def conflicts(self) -> Iterable[InputError]:
        """Return the faults of names, and of settings that do not go together."""
        for name in self.exclude or ():
            try:
                look_up({**FLAGS, AMBIGUOUS: None, ALL: None, NONE: None}, name, "exclude")
            except InputError as error:
                yield error
        levels: tuple[str, ...] = ()
        try:
            levels = tuple(level.name for level in levels_up_to(self.level or HIGHEST))
        except InputError as error:
            yield error.at("level")
        if self.seen_in and HIGHEST.removeprefix("+") not in levels:
            wrong, right = "only one level looks at such texts", f"level {HIGHEST}"
            yield InputError("seen_in", wrong, right, kind="conflict")
        if self.words == "pseudo" and self.all_targets:
            wrong, right = "pseudo-words have no lexicon", "words real"
            yield InputError("all_targets", wrong, right, kind="conflict")

    def contents(self) -> dict[str, Any]:
        """Return all settings as JSON has them, a file's content in place of its path."""
        excluded = [ALL] if ALL in (self.exclude or ()) else sorted(set(self.exclude or ()))
        return {**super().contents(), "exclude": excluded}

    def demand_unchanged(self, names: Collection[str], product: str) -> None:
        """Refuse any of these settings that is not the usual one, since `product` has none.

        Raises:
            InputError: all such settings.
        """
        usual, contents = type(self)().contents(), self.contents()
        right = f"leave it out: {product} have no such setting"
        raise_all(
            InputError(name, f"{self.NOUN} {self.label} sets it", right, kind="unsupported")
            for name in names
            if contents[name] != usual[name]
        )
