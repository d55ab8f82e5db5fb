"""The suite: test items under one name, with the predictions that are made of each of them."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import polars as pl

from ..errors import InputError
from ..registry import Names, fits, listed, nearest
from ..result import Result, Shown, fold_text, terminal_width, to_pandas, to_table
from ..store import StoredResult, open_store
from ..tables import Row, frame, to_html
from .item import TEXT_FIELDS, Item, sentence_text
from .item_table import ItemTable, table_of
from .marked import suite_lines
from .prediction import WHOLE, Prediction, parse_prediction, to_list

if TYPE_CHECKING:
    import pandas as pd

MIN_LIKENESS = 0.85  # a name at least so similar (0 to 1) to a mistyped one is suggested

AGREEMENT = parse_prediction(
    "(target;%right%) < (target;%wrong%)", "agreement", "agreement prediction"
)
"""The prediction of every mined pair: the target is less surprising in its right form."""


@dataclass(frozen=True, slots=True, repr=False)
class Suite:
    """Items under one name, and what is predicted of each of them; `export` writes them to files.

    Attributes:
        name: of the suite.
        items: a tuple of `Item`, or an `ItemTable`, which looks like one.
        predictions: the claims about each item; an item is answered rightly if they hold.
        metric: the function that makes a region's surprisal of those of its subwords: sum, mean,
            median, range, max or min.
        meta: name → text, for what else its file says and how often its reader mended something.
        account: table and messages about how it was made; None for a suite from elsewhere.
        kept: the store that it is in and its number there; None if it is in no store.
    """

    name: str
    items: Sequence[Item]
    predictions: tuple[Prediction, ...] = (AGREEMENT,)
    metric: str = "sum"
    meta: dict[str, str] = field(default_factory=dict)
    account: Result | None = field(default=None, compare=False, repr=False)
    kept: StoredResult | None = field(default=None, compare=False, repr=False)
    _tables: list[ItemTable] = field(default_factory=list, init=False, compare=False, repr=False)
    # ^ the `table`, once it is made: a frozen class can fill a list, but not set a field

    @property
    def table(self) -> ItemTable:
        """The items as a table of columns, which is made once."""
        if not self._tables:
            self._tables.append(table_of(self.items))
        return self._tables[0]

    def to_frame(self) -> pl.DataFrame:
        """Return a frame with one row per item: its fields, the main facts of its agreement if it
        has one, and a column of sentences for each condition."""
        return frame(_frame_rows(self.items))

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows of `to_frame` as a pandas frame (extra `[pandas]`)."""
        return to_pandas(self.to_frame())

    def show(self, construction: Names = None, n: int | None = None) -> Shown:
        """Show what is in the suite: how it was made, how many items, and some of them, marked.

        Args:
            construction: only this construction, or those of a pattern such as 'L__NOUN*'.
            n: how many variants, sets, or other items of a construction.

        Returns:
            Text; its table has the number of items by construction, kind and value.

        Raises:
            InputError: no construction has this name, or `n` is below 1.
        """
        if n is not None and n < 1:
            raise InputError("n", f"{n} items", "at least 1", kind="value")
        chosen = replace(self, items=select_items(self.items, listed(construction))).table
        by = ("construction", "kind", "value")
        counts = chosen.frame.group_by(by, maintain_order=True).len("n_items")
        lines = [
            line
            for name, description in self._heading().items()
            if description
            for line in fold_text(f"{name}: {description}", terminal_width(), 2)
        ]
        text = "".join(f"{line}\n" for line in [*lines, "", *suite_lines(chosen, n)])
        return Shown(counts.to_dicts(), counts.columns, text=text)

    def _heading(self) -> dict[str, str]:
        """Return the lines about the whole suite that stand above its items: name → description."""
        columns = {
            name: ", ".join(self.table.frame[name].cast(pl.String).unique().sort().drop_nulls())
            for name in ("language", "source", "licence")
        }
        runs: list[str] = []
        number = ""
        if self.kept is not None:
            number = f" (@{self.kept.id})"
            query = (
                "SELECT DISTINCT model.name, run.method FROM run JOIN model USING (model_id) "
                "WHERE suite_id = ? ORDER BY run_id"
            )
            with open_store(self.kept.store) as store:
                runs = [
                    " ".join(map(str, row.values())) for row in store.rows(query, (self.kept.id,))
                ]
        return {
            "suite": f"{self.name}{number}", "items": f"{len(self.items):,}",
            "settings": self.meta.get("made", ""), "digest": content_hash(self)[:12],
            **columns, "scored by": ", ".join(runs),
        }  # fmt: skip

    def __repr__(self) -> str:
        head = f"{self.account!r}\n" if self.account is not None else ""
        n = len(self.items)
        table = to_table(self._frame_for_people())
        return f"{head}{self.name}: {n:,} item{'s' * (n != 1)}\n{table}".rstrip()

    def _repr_html_(self) -> str:
        head = self.account._repr_html_() if self.account is not None else ""
        return f"{head}{to_html(self._frame_for_people())}"

    def _frame_for_people(self) -> pl.DataFrame:
        """Return the frame of the first items, without empty columns and those for programs."""
        items = replace(self, items=self.items[:N_SHOWN]).to_frame()
        empty = {name for name in items.columns if items[name].null_count() == items.height}
        return items.select(name for name in items.columns if name not in {*HIDDEN_COLUMNS, *empty})


N_SHOWN = 10  # items that a notebook shows
# Fields of an item's agreement that are columns of a suite's frame:
FRAME_FACTS = ("construction", "feature", "value", "cue", "right", "wrong", "gap")
HIDDEN_COLUMNS = (  # columns that a notebook does not show
    "item_id", "cluster_id", "set_id", "language", "source", "feature", "cue", "gap", "variant",
    "flags", "wrong_sentence",
)  # fmt: skip


def select_items(items: Sequence[Item], patterns: Sequence[str]) -> Sequence[Item]:
    """Return the items whose construction (or paradigm) fits one of the patterns.

    Args:
        items: the items of a suite.
        patterns: names of constructions, or patterns with `*` and `?`; with none, all items are
            returned.

    Raises:
        InputError: no construction fits a pattern; the message names the nearest one.
    """
    if not patterns:
        return items
    table = table_of(items)
    names = table.frame["construction"]
    fitting = names_fitting(names, patterns)
    return table.take(names.is_in(fitting).arg_true().to_numpy())


def names_fitting(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Return the names that fit at least one of the patterns, each name once.

    Raises:
        InputError: no name fits a pattern; the message gives the nearest name.
    """
    distinct = dict.fromkeys(names)
    for pattern in patterns:
        if not any(fits(name, pattern) for name in distinct):
            likeness = {name: _likeness(name, pattern) for name in distinct}
            by_likeness = sorted(distinct, key=lambda name: (-likeness[name], name))
            best = by_likeness[0] if by_likeness else ""
            # `nearest` suggests `best` if it is given that very name, and nothing if it is given ""
            is_similar = best and likeness[best] >= MIN_LIKENESS
            right = nearest(best if is_similar else "", by_likeness)
            raise InputError("construction", f"no such name {pattern!r}", right, kind="unknown")
    return [name for name in distinct if any(fits(name, pattern) for pattern in patterns)]


def _likeness(name: str, pattern: str) -> float:
    """Return the similarity, 0 to 1, of a pattern and the beginning of a construction's name."""
    beginning = pattern.casefold().rstrip("*")
    return SequenceMatcher(None, beginning, name.casefold()[: len(beginning)]).ratio()


def _frame_rows(items: Sequence[Item]) -> Iterator[Row]:
    """Yield the row of each item in a suite's frame."""
    for item in items:
        row: dict[str, str | int | None] = {name: getattr(item, name) for name in TEXT_FIELDS}
        row |= {"set_id": item.set_id or None, "cell": item.cell or None}
        del row["licence"]
        facts = item.agreement
        if facts is not None:
            row |= {name: getattr(facts, name) for name in FRAME_FACTS}
            row |= {
                "n_attractors": len(facts.attractors),
                "level": facts.level or None,
                "variant": facts.variant,
                "flags": " ".join(facts.flags) or None,
            }
        for name, wordings in item.conditions.items():
            column = f"{name}_sentence" if facts is not None else name
            row[column] = " / ".join(map(sentence_text, wordings))
        yield row


def checked(suite: Suite, location: str, expected: str = "") -> Suite:
    """Check that every item has the conditions and regions of every prediction.

    An item may lack those of an optional prediction.

    Args:
        suite: the suite to check.
        location: its file, for messages.
        expected: what its file should have held, for the message if the suite has no items; "": it
            may have none.

    Returns:
        The same suite.

    Raises:
        InputError: an item lacks a condition or region, an item id comes twice, or there is none.

    >>> from colorless_green.data import Region
    >>> words = {name: ((Region("target", (name,), name),),) for name in ("right", "wrong")}
    >>> checked(Suite("mine", (Item("i", "suite", "i", "en", "mine", "", words),)), "mine.json")
    mine: 1 item
    kind: suite
    right: right
    wrong: wrong
    """
    if expected and not suite.items:
        raise InputError(location, "no item in it", expected, kind="empty")
    table = suite.table
    ids = table.frame["item_id"]
    if ids.n_unique() < len(ids):
        twice = ids.filter(ids.is_duplicated())[0]
        origin = f"{location}: item {twice}"
        wrong, right = "this item_id comes twice", "one line for each item"
        raise InputError(origin, wrong, right, kind="conflict")
    for prediction in suite.predictions:
        if not prediction.optional:
            is_inapplicable = ~table.applies(prediction.cells())
            if is_inapplicable.any():
                item = suite.items[int(is_inapplicable.argmax())]
                raise _missing_region(item, prediction, location)
    return suite


def _missing_region(item: Item, prediction: Prediction, location: str) -> InputError:
    """Return the error that an item lacks a condition or region which a prediction is about."""
    origin, claim = f"{location}: item {item.item_id}", f"the prediction {prediction.name!r}"
    for condition, region in prediction.cells():
        if condition not in item.conditions:
            wrong = f"{claim} names the condition {condition!r}, which the item lacks"
            return InputError(origin, wrong, nearest(condition, item.conditions), kind="unknown")
        for wording in item.conditions[condition]:
            names = [part.region for part in wording]
            if region not in (WHOLE, *names):
                wrong = f"{claim} names the region {region!r}, which condition {condition!r} lacks"
                return InputError(origin, wrong, nearest(region, names), kind="unknown")
    raise AssertionError("nothing is lacking")


def content_hash(suite: Suite) -> str:
    """Return the SHA-256 (hex) of a suite's items and predictions: all that its scores, outcomes
    and accuracies can depend on."""
    predictions = [to_list(prediction) for prediction in suite.predictions]
    return hashlib.sha256(repr((suite.table.digest, predictions)).encode()).hexdigest()
