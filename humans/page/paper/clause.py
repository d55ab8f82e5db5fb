"""Sentences that can be pasted into a paper, each with the works it cites."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from colorless_green.humans.page.numbers import count
from colorless_green.humans.page.references import cited


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence without its full stop, and the keys of the works that stand behind it."""

    text: str
    cites: tuple[str, ...] = ()

    def __str__(self) -> str:
        works = f" ({'; '.join(map(cited, self.cites))})" if self.cites else ""
        return f"{self.text}{works}."


def clause(text: str, *cites: str) -> Clause:
    """With the keys of works to cite behind it, each once."""
    return Clause(text, tuple(dict.fromkeys(cites)))


def paragraph(clauses: Iterable[Clause]) -> str:
    """The sentences one after the other; empty for none."""
    return " ".join(map(str, clauses))


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def several(n: int, name: str, plural: str = "") -> str:
    """`1 item`, `1,071 items`."""
    return f"{count(n)} {name if n == 1 else plural or f'{name}s'}"


def verb(n: int, one: str = "was", more: str = "were") -> str:
    """The form that agrees with so many."""
    return one if n == 1 else more


def spread(values: Sequence[float]) -> str:
    """`20`, or `10 to 21`: the least and the most of some counts."""
    low, high = count(min(values)), count(max(values))
    return low if low == high else f"{low} to {high}"
