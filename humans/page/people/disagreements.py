"""Section: items on which most people and a model disagree, both ways round."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colorless_green.humans.common import on_common
from colorless_green.humans.judgment import Tally
from colorless_green.humans.lookup import forms, prefix, sentences
from colorless_green.humans.page.marginals import panel_name
from colorless_green.humans.page.material import Material
from colorless_green.humans.page.numbers import NONE, THIN, count, signed
from colorless_green.humans.page.parts import Cell, Section, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.sources import repository
from colorless_green.humans.rated import HUMANS, Credits
from colorless_green.humans.statistics import wilson
from colorless_green.humans.tally import construction
from colorless_green.nonce.intervals import Interval
from colorless_green.nonce.item import Item, factors_of

SHOWN = 20  # of each sort, per model
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """An item that people answered and a model was asked."""

    item: str
    right: int  # answers of people
    total: int
    margin: float  # of the model, in bits

    @property
    def limits(self) -> Interval:
        """Wilson's 95 % interval of the share of right answers."""
        found = wilson(self.right, self.total)
        assert found is not None  # somebody answered
        return found


@dataclass(frozen=True, slots=True)
class Disagreements:
    """Items on which most people and the model disagree, the surest first."""

    n_items: int  # that both have
    only_people: tuple[Case, ...]  # most people are right, the model is wrong
    only_model: tuple[Case, ...]  # the other way round


def disagreements(tallies: Iterable[Tally], credits: Credits) -> Disagreements:
    """Where most people are right and the model is wrong, and the other way round.

    Sorted by how sure it is that most people are right (the lower limit of Wilson's 95 % interval
    of their share, the greatest first) or wrong (in `only_model` the upper limit, the least first),
    so that one answer of one person comes after nine of ten; then by how far the model is on the
    other side, then by item id. A tie, of people or of the model, is on no side; items that either
    lacks count nowhere.
    """
    n_items = 0
    only_people: list[Case] = []
    only_model: list[Case] = []
    for each in tallies:
        credit, margin = credits.get(each.item, (None, None))
        if not each.total or credit is None or margin is None:
            continue
        n_items += 1
        case = Case(each.item, each.right, each.total, margin)
        if 2 * each.right > each.total and credit < HALF:
            only_people.append(case)
        elif 2 * each.right < each.total and credit > HALF:
            only_model.append(case)
    return Disagreements(
        n_items,
        tuple(sorted(only_people, key=lambda case: (-case.limits.low, case.margin, case.item))),
        tuple(sorted(only_model, key=lambda case: (case.limits.high, -case.margin, case.item))),
    )


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where no model and people have an item in common."""
    tallies, outcomes = on_common(material.common, material.tallies, material.outcomes)
    found = {
        rater: disagreements(tallies, outcomes[rater.name])
        for rater in _best_first(outcomes, tallies, raters)
    }
    if not found:
        return None
    people = "people (simulated)" if material.simulated else "people"
    tables = []
    for number, (rater, own) in enumerate(found.items(), start=1):
        for name, cases, title in (
            ("people", own.only_people, f"Most {people} right, {rater.label} wrong"),
            ("model", own.only_model, f"{rater.label} right, most {people} wrong"),
        ):
            if cases:
                tables.append(_table(f"disagree-{name}-{number}", title, cases, material))
    return Section(
        name="disagreements",
        title="Where models and people disagree",
        text=tuple(_text(found)),
        tables=tuple(tables),
    )


def _best_first(
    outcomes: Mapping[str, Credits], tallies: Sequence[Tally], raters: Sequence[Rater]
) -> list[Rater]:
    """The models that were asked what people were, by accuracy on what all of them were asked."""
    answered = {each.item for each in tallies if each.total}
    accuracy: dict[str, float] = {}
    for rater in raters:
        own = [
            credit
            for item, (credit, margin) in outcomes.get(rater.name, {}).items()
            if item in answered and credit is not None and margin is not None
        ]
        if own and rater.name != HUMANS:
            accuracy[rater.name] = sum(own) / len(own)
    named = [rater for rater in raters if rater.name in accuracy]
    return sorted(named, key=lambda rater: -accuracy[rater.name])  # stable


def _text(found: Mapping[Rater, Disagreements]) -> Iterator[str]:
    yield (
        f"Up to {SHOWN} items of each sort, the surest first: by the lower limit of the 95{THIN}%"
        " interval of the share of right answers where most people are right, by the upper where"
        " most are wrong (Wilson), so that nine answers of ten go before one of one. Equals stand"
        " by how far the model's margin is on the other side, then by their id. Where as"
        " many people are right as wrong, or a model finds both as surprising, nobody is said to be"
        " right."
    )
    for rater, own in found.items():
        yield (
            f"{rater.label}: of {count(own.n_items)} items that people judged too,"
            f" {count(len(own.only_people))} most people get right and the model wrong, and"
            f" {count(len(own.only_model))} the other way round."
        )


_Column: TypeAlias = tuple[Cell, Callable[[Case, Item], Cell]]
"""A heading, and what stands below it."""


def _table(name: str, title: str, cases: Sequence[Case], material: Material) -> Table:
    """The first cases, as far as their items are known."""
    known = [
        (case, material.items[case.item]) for case in cases[:SHOWN] if case.item in material.items
    ]
    columns = [
        *_stimuli([item for _, item in known]),
        *_numbers("right (simulated)" if material.simulated else "people right"),
        *_facts(material, known),
    ]
    more = len(cases) - len(known)
    return Table(
        name=name,
        title=title,
        columns=tuple(head for head, _ in columns),
        rows=tuple(tuple(make(case, item) for _, make in columns) for case, item in known),
        note=f"{count(len(cases))} in all, {count(more)} not shown." if more else "",
    )


def _stimuli(items: Sequence[Item]) -> list[_Column]:
    """What was read: the beginning and two forms, or where that is not known of all, sentences."""
    if all(item.agreement is not None for item in items):
        return [
            (heading("sentence up to the form"), lambda _, item: _said(item, prefix(item))),
            (heading("right / wrong"), lambda _, item: _forms(item)),
        ]
    return [
        (heading("right sentence"), lambda _, item: _sentence(item, 0)),
        (heading("wrong sentence"), lambda _, item: _sentence(item, 1)),
    ]


def _forms(item: Item) -> Cell:
    pair = forms(item)
    assert pair is not None  # agreement items have them
    return _said(item, " / ".join(pair))


def _said(item: Item, text: str) -> Cell:
    return Cell(text, language=item.language) if text else Cell(NONE)


def _sentence(item: Item, place: int) -> Cell:
    """The right (0) or wrong (1) sentence; of an item without these, its id and nothing."""
    pair = sentences(item)
    if pair is not None:
        return _said(item, pair[place])
    return Cell(NONE) if place else Cell(item.item_id, sort="code")


def _numbers(right: str) -> list[_Column]:
    return [
        (
            heading(right, "number"),
            lambda case, _: Cell(
                count(case.right), f"of {count(case.total)}", sort="number", value=case.right
            ),
        ),
        (heading("margin, bits", "number"), lambda case, _: _margin(case.margin)),
    ]


def _margin(bits: float) -> Cell:
    decimals = 1 if abs(bits) >= 0.1 else 3  # `0.0 bits` would not say who won
    return Cell(signed(bits, decimals), sort="number", value=bits)


def _facts(material: Material, known: Sequence[tuple[Case, Item]]) -> list[_Column]:
    items = [item for _, item in known]
    columns: list[_Column] = [
        (
            heading("construction", "code"),
            lambda _, item: Cell(
                construction(item) or NONE, panel_name(item.kind).removesuffix("s"), sort="code"
            ),
        )
    ]
    if any(factors_of(item)["n_attractors"] for item in items):
        columns.append((heading("attractors"), lambda _, item: _attractors(item)))
    columns.append((heading("from"), lambda _, item: _source(item)))
    if any(_original(material, item) for item in items):
        columns.append((heading("its original"), lambda _, item: _its_original(material, item)))
    return columns


def _attractors(item: Item) -> Cell:
    """The words, where they are known, else how many."""
    agreement = item.agreement
    if agreement is not None and agreement.attractors:
        words = ", ".join(agreement.tokens[index] for index in agreement.attractors)
        return Cell(words, language=item.language)
    n = factors_of(item)["n_attractors"]
    return Cell("none" if n == "0" else n or NONE)


def _source(item: Item) -> Cell:
    """The treebank or publication, and which of its sentences."""
    agreement = item.agreement
    if agreement is None:
        return Cell(item.source or NONE, item.item_id)
    which = agreement.sent_id or f"number {agreement.number}"
    if item.kind == "nonce":
        which = f"variant {agreement.variant} of {which}"
    return Cell(item.source or agreement.treebank, which, link=repository(agreement.treebank))


def _original(material: Material, item: Item) -> Item | None:
    """What a variant is of, if the material has it."""
    found = material.items.get(item.cluster_id) if item.kind == "nonce" else None
    return found if found is not None and found.agreement is not None else None


def _its_original(material: Material, item: Item) -> Cell:
    """Up to its own target, with that."""
    found = _original(material, item)
    if found is None or found.agreement is None:
        return Cell(NONE)
    return _said(found, f"{prefix(found)} {found.agreement.right}")
