"""Settings of nonce variants and composed sets (`Recipe`), and requests for such suites."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Le

from ...data.configuration import Configuration, digest_suffix
from ...data.errors import InputError
from ...data.items.suite import Suite
from ...data.memo import remember, remembered_result
from ...data.registry import look_up
from ...data.result import Result
from ...data.store import Store
from ...data.stored_suites import NUMBERED, mark_newest, save_in
from ...data.validate import check_fields, raise_all
from .ambiguity import AMBIGUOUS, FLAGS
from .frequencies import TREEBANK
from .levels import LEVELS, MORPHOLOGY, levels_up_to

ALL, NONE = "all", "none"  # values of `exclude`: every flag, no flag
HIGHEST = f"+{list(LEVELS)[-1]}"  # the first level tried if the recipe names none


@dataclass(frozen=True, kw_only=True)
class Recipe(Configuration):
    """Settings of nonce variants and composed sets: how new words are drawn.

    Attributes:
        n: number of variants per original.
        level: how similar a replacement must be: morphology, +frequency, +frame or +unseen.
            "": for each original the highest level that can serve it, at least +frequency.
        words: real, or pseudo for words with invented stems.
        all_targets: true: list every pair of target forms that fits each prefix.
        exclude: leave out originals with these flags (docs/sets.md), or all or none.
            []: all; at level morphology only those whose forms decide nothing.
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
            "n": 3, "level": "", "words": "real", "all_targets": False,
            "exclude": (), "unimorph": (), "frequencies": TREEBANK, "seen_in": (), "attractors": 2,
        },
        "gulordava2018": {"n": 9, "level": MORPHOLOGY},
    }  # fmt: skip

    n: Annotated[int, Ge(1)] | None = None
    level: str | None = None
    words: Literal["real", "pseudo"] | None = None
    all_targets: bool | None = None
    exclude: tuple[str, ...] | None = None
    vocabulary: Path | None = None
    unimorph: tuple[str, ...] | None = None
    frequencies: str | None = None
    seen_in: tuple[Path, ...] | None = None
    marks: Path | None = None
    attractors: Annotated[int, Ge(1), Le(2)] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        name = str(self.level).removeprefix("+")  # `frame` means `+frame`
        level = name if name in ("", MORPHOLOGY) else f"+{name}"
        object.__setattr__(self, "level", level)  # the dataclass is frozen

    def conflicts(self) -> Iterable[InputError]:
        """Yield an error for each fault of the settings: unknown names, and settings that exclude
        each other."""
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
        """Return all settings as JSON values, by name. For a file, its content stands in place of
        its path."""
        excluded = [ALL] if ALL in (self.exclude or ()) else sorted(set(self.exclude or ()))
        return {**super().contents(), "exclude": excluded}

    def demand_unchanged(self, names: Collection[str], product: str) -> None:
        """Refuse settings that `product` does not have, unless they have their default value.

        Raises:
            InputError: all such settings.
        """
        defaults, contents = type(self)().contents(), self.contents()
        right = f"leave it out: {product} have no such setting"
        raise_all(
            InputError(name, f"{self.NOUN} {self.label} sets it", right, kind="unsupported")
            for name in names
            if contents[name] != defaults[name]
        )


@dataclass(frozen=True)
class SuiteRequest:
    """A request for a suite: the recipe, and what else was asked for.

    Attributes:
        recipe: how words are drawn.
        constructions: names or patterns; none for all.
        treebanks: files of the treebank that words come from; none for the one that was mined.
        name: name of the suite; "" for one made from its origin and the recipe.
        seed: seed of the random numbers.
    """

    recipe: Recipe
    constructions: tuple[str, ...] = ()
    treebanks: tuple[Path, ...] = ()
    name: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if NUMBERED.fullmatch(self.name):
            right = "a name that is no number of a suite"
            raise InputError("name", repr(self.name), right, kind="value")

    @property
    def parameters(self) -> dict[str, Any]:
        """Return the requested parameters other than the recipe, by name. Those that have their
        default value are left out."""
        parameters: dict[str, Any] = {
            "construction": sorted(set(self.constructions)),
            "treebank": self.treebanks,
            "seed": self.seed,
        }
        return {name: value for name, value in parameters.items() if value}

    @cached_property
    def differing(self) -> dict[str, Any]:
        """Return, by name, the settings in which the request differs from the recipe that it
        names."""
        return self.recipe.differing() | self.parameters

    def suite_name(self, origin: str, kind: str) -> str:
        """Return the requested name of the suite or, if it is "", a name made of `origin`, the kind
        of suite, the recipe's name unless it is the default, and a mark (a digest) of all settings
        that differ from that recipe."""
        recipe = self.recipe.extends
        recipe_part = "" if recipe == Recipe.DEFAULT else f"/{recipe}"
        return self.name or f"{origin}/{kind}{recipe_part}{digest_suffix(self.differing)}"

    @property
    def recipe_line(self) -> str:
        """Return a line for people that says how the suite was made: the recipe's name, and the
        settings that differ from it."""
        values = {name: getattr(self.recipe, name, None) for name in self.differing}
        values |= self.parameters
        settings = [f"{name} {_setting_text(value)}" for name, value in values.items()]
        return "; ".join([f"recipe {self.recipe.extends}", *settings])


def make_once(
    store: Store,
    key: str,
    kind: str,
    mining: int | None,
    account_of: Callable[[Mapping[str, Any]], Result],
    make: Callable[[], Suite],
) -> Suite:
    """Return the suite that the same request has made before, or make it and keep it.

    Args:
        store: store in which it is looked up, and kept unless it is empty.
        key: digest of everything that it depends on.
        kind: kind of the suite.
        mining: number of the mining that it comes from.
        account_of: reads the suite's account as a store keeps it.
        make: returns the suite with its account.
    """
    previous = remembered_result(store, key)
    if previous is not None:
        suite_id, account = previous
        return replace(mark_newest(store, suite_id), account=account_of(account))
    suite = make()
    if suite.items:
        suite = save_in(store, suite, kind, mining)
        assert suite.kept is not None
        assert suite.account is not None
        remember(store, key, suite.account, suite.kept.id)
    return suite


def with_newest_mining_note(suite: Suite, mining: str) -> Suite:
    """Return the suite with a message added to its account: that it was made from the newest
    mining, whose name is `mining`."""
    assert suite.account is not None
    note = f"{mining}: the newest mining; name another, or @N, to change it"
    account = replace(suite.account, messages=[note, *suite.account.messages])
    return replace(suite, account=account)


def _setting_text(value: object) -> str:
    """Return the value of a setting as people read it: a list joined by commas, a file as its
    name."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return value.name if isinstance(value, Path) else str(value)
