"""The page's words in each language that comes with them: one file a language, `LANG.toml`.

Each holds the instructions for the four tasks (two for reading: without and with questions on it),
attention checks, and practice sentences. Another language is another file.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

WITH_QUESTIONS = "reading_with_questions"  # the instructions of reading where questions are asked


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence to practise on, with the two forms of one of its words."""

    prefix: str
    right: str
    wrong: str
    rest: str  # with the blank before it, if there is one
    question: str = ""  # on what it says, with its right and its wrong answer
    answer: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """What comes with a language. In the checks `{word}` stands for one of `words`, `{number}` for
    a number."""

    instructions: Mapping[str, str]  # task, or WITH_QUESTIONS → Markdown
    words: Sequence[str]
    check: Mapping[str, str]  # form, right, wrong, lowest, highest, number
    practice: Sequence[Example]


def languages() -> tuple[str, ...]:
    """The languages that come with texts, as their codes."""
    names = (each.name for each in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def texts(language: str) -> Texts | None:
    """The texts for a BCP-47 code, its region or script left aside; None where there are none."""
    code = language.partition("-")[0].lower()
    if code not in languages():
        return None
    told: dict[str, Any] = tomllib.loads(
        files(__package__).joinpath(f"{code}.toml").read_text(encoding="utf-8")
    )
    return Texts(
        told["instructions"],
        tuple(told["check"].pop("words")),
        told["check"],
        tuple(Example(**each) for each in told["practice"]),
    )
