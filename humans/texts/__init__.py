"""All that people read in a language, but for the sentences of a study: one file each, `LANG.toml`.

Each holds the instructions for the four tasks (two for reading: without and with questions on it),
attention checks, practice sentences, which train the task and nothing that agreement tests ask
(prepositions, infinitives and participles), and what the page itself says. A line that begins with
`{checks}`, `{practice}` or `{nonce}` is told only where a study has them. Another language is
another file, or one of a study's own (`--texts`).
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, write_whole

WITH_QUESTIONS = "reading_with_questions"  # the instructions of reading where questions are asked
PARTS = ("checks", "practice", "nonce")  # what a study may have, and its instructions tell of
MODEL = "en"  # whose texts are there to be replaced where a language has none


@dataclass(frozen=True, slots=True)
class PracticeSentence:
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

    instructions: Mapping[str, str]  # task, or WITH_QUESTIONS → Markdown, with its parts
    words: Sequence[str]
    check: Mapping[str, str]  # form, right, wrong, lowest, highest, number
    practice: Sequence[PracticeSentence]
    page: Mapping[str, str]

    def told(self, task: str, has: Collection[str]) -> str:
        """The instructions of a task, with the lines on those of `PARTS` that the study has."""
        lines = []
        for line in self.instructions[task].strip("\n").split("\n"):
            part = next((name for name in PARTS if line.startswith(f"{{{name}}}")), "")
            if not part or part in has:
                lines.append(line.removeprefix(f"{{{part}}}"))
        return "\n".join(lines).rstrip() + "\n"


def languages() -> tuple[str, ...]:
    """The languages that come with texts, as their codes."""
    names = (file.name for file in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def texts(language: str) -> Texts | None:
    """The texts for a BCP-47 code, its region or script left aside; None where there are none."""
    code = language.partition("-")[0].lower()
    return _read(_shipped(code), code) if code in languages() else None


def texts_in(path: Path) -> Texts:
    """The texts of a study's own. Raises `InputError` for a file that lacks something."""
    return _read(read_text(path), str(path))


def write_model(path: Path) -> None:
    """A file for `texts_in` to be filled in: the English texts."""
    with write_whole(path) as stream:
        stream.write("# Replace every text; names in braces stay.\n\n" + _shipped(MODEL))


def _shipped(code: str) -> str:
    return files(__package__).joinpath(f"{code}.toml").read_text(encoding="utf-8")


def _read(text: str, place: str) -> Texts:
    try:
        tables: dict[str, Any] = tomllib.loads(text)
        return Texts(
            tables["instructions"],
            tuple(tables["check"].pop("words")),
            tables["check"],
            tuple(PracticeSentence(**example) for example in tables["practice"]),
            tables.get("page", {}),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        wrong, right = f"not the texts of a study ({error})", "the tables that the file had"
        raise InputError(place, wrong, right, kind="format") from None
