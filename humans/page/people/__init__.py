"""The part of the page that is about people: who was asked, who counts, and how models compare."""

from collections.abc import Callable, Sequence

from colorless_green.humans.page.material import Material
from colorless_green.humans.page.parts import Section
from colorless_green.humans.page.people import (
    beside,
    disagreements,
    exclusions,
    mixed,
    participants,
    ratings,
    reliability,
    study,
    times,
)
from colorless_green.humans.page.raters import Rater

PARTS: tuple[Callable[[Material, Sequence[Rater]], Section | None], ...] = (
    study.section,
    exclusions.section,
    beside.section,
    ratings.section,
    reliability.section,
    mixed.section,
    disagreements.section,
    times.section,
    participants.section,
)
"""In the order of the page; each gives nothing where there is nothing to tell."""


def sections(material: Material, raters: Sequence[Rater]) -> tuple[Section, ...]:
    """The sections about people. Without judgments one, that says so."""
    made = (part(material, raters) for part in PARTS)
    return tuple(each for each in made if each is not None)
