"""Requests for suites: what variants and composed sets have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..data.configuration import mark_of
from ..data.errors import InputError
from ..data.items.suite import Suite
from ..data.memo import remember, remembered_result
from ..data.result import Result
from ..data.store import Store
from ..data.stored_suites import NUMBERED, mark_newest, saved
from ..data.validate import check_fields
from .variants.recipe import Recipe


@dataclass(frozen=True)
class SuiteRequest:
    """A request for a suite: the recipe, and what else was asked for.

    Attributes:
        recipe: how words are drawn.
        constructions: names or patterns; none for all.
        treebanks: that words come from; none for the one that was mined.
        name: of the suite; "" for one by its origin and the recipe.
        seed: of the random numbers.
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
    def given(self) -> dict[str, Any]:
        """Return the parameters that were asked for in addition to the recipe."""
        given = {"construction": sorted(set(self.constructions)), "treebank": self.treebanks}
        return {name: value for name, value in given.items() if value} | (
            {"seed": self.seed} if self.seed else {}
        )

    @cached_property
    def differing(self) -> dict[str, Any]:
        """Return the contents of all that differs from the named recipe."""
        return self.recipe.differing() | self.given

    def suite_name(self, origin: str, kind: str) -> str:
        """Return the name of the suite: `origin`, its kind, the recipe's name unless it is the
        default one, and a mark of what differs from that recipe."""
        recipe = self.recipe.extends
        named = "" if recipe == Recipe.DEFAULT else f"/{recipe}"
        return self.name or f"{origin}/{kind}{named}{mark_of(self.differing)}"

    @property
    def made(self) -> str:
        """Return the recipe's name and what differs from it, in one line for people."""
        values = {name: getattr(self.recipe, name, None) for name in self.differing} | self.given
        settings = [f"{name} {_text(value)}" for name, value in values.items()]
        return "; ".join([f"recipe {self.recipe.extends}", *settings])


def made_once(
    store: Store,
    key: str,
    kind: str,
    mining: int | None,
    account_of: Callable[[Mapping[str, Any]], Result],
    make: Callable[[], Suite],
) -> Suite:
    """Return the suite that the same request has made before, or make one and keep it.

    Args:
        store: where it is looked up and kept, unless it is empty.
        key: digest of everything that it depends on.
        kind: of the suite.
        mining: number of the mining that it comes from.
        account_of: reads the suite's account as a store keeps it.
        make: returns the suite with its account.
    """
    previous = remembered_result(store, key)
    if previous is not None:
        return replace(mark_newest(store, previous[0]), account=account_of(previous[1]))
    suite = make()
    if suite.items:
        suite = saved(store, suite, kind, mining)
        assert suite.kept is not None
        assert suite.account is not None
        remember(store, key, suite.account, suite.kept.id)
    return suite


def said_of_newest(suite: Suite, mining: str) -> Suite:
    """Return the suite with the message that it is made of the newest mining."""
    assert suite.account is not None
    note = f"{mining}: the newest mining; name another, or @N, to change it"
    account = replace(suite.account, messages=[note, *suite.account.messages])
    return replace(suite, account=account)


def _text(value: object) -> str:
    """Return a setting as people read it: files by their names."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return str(value).lower()
    return value.name if isinstance(value, Path) else str(value)
