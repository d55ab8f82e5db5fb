"""All that people read in a language, but for the sentences of a study: one file each, `LANG.toml`.

Each holds the instructions for the three tasks, attention checks, practice sentences, which train
the task and nothing that agreement tests ask (prepositions, infinitives and participles), and what
the page itself says. A line that begins with `{checks}`, `{practice}` or `{nonce}` is shown only
where a study has them. Another language is another file, or one of a study's own
(`--set texts=FILE`).
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from ....data.errors import InputError
from ....data.files import read_text, write_whole

OPTIONAL_PARTS = ("checks", "practice", "nonce")  # of a study, that its instructions mention
TEMPLATE_LANGUAGE = "en"  # whose texts are there to be replaced where a language has none


@dataclass(frozen=True, slots=True)
class PracticeSentence:
    """A sentence to practise on, with the two forms of one of its words.

    Attributes:
        prefix: the text before the word.
        right: the right form.
        wrong: the wrong form.
        rest: the text after it, with the blank before it.
    """

    prefix: str
    right: str
    wrong: str
    rest: str


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that people read in one language, except for the sentences of a study.

    Attributes:
        instructions: task → Markdown.
        words: for `{word}` in the attention checks.
        check: form, right, wrong, lowest, highest and number → the text of an attention check.
        practice: sentences to practise on.
        page: the words of the page itself.
    """

    instructions: Mapping[str, str]
    words: Sequence[str]
    check: Mapping[str, str]
    practice: Sequence[PracticeSentence]
    page: Mapping[str, str]

    def instructions_for(self, task: str, has: Collection[str]) -> str:
        """Return the instructions of a task. A line that begins with a mark, such as `{checks}`, is
        in them if the study has this part, without the mark."""
        lines = []
        for line in self.instructions[task].strip("\n").split("\n"):
            part = next((name for name in OPTIONAL_PARTS if line.startswith(f"{{{name}}}")), "")
            if not part or part in has:
                lines.append(line.removeprefix(f"{{{part}}}"))
        return "\n".join(lines).rstrip() + "\n"


def languages() -> tuple[str, ...]:
    """List the languages that texts of a study come with.

    Returns:
        BCP-47 codes, in alphabetical order.

    >>> languages()
    ('de', 'en', 'es', 'fr', 'he', 'it', 'ru')
    """
    names = (file.name for file in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def texts(language: str) -> Texts | None:
    """Return the texts of a study that come with a language.

    Args:
        language: BCP-47 code; its region or script is ignored.

    Returns:
        The texts; None for a language without any.

    >>> texts("it-IT").words[:2]
    ('lampada', 'fiume')
    """
    code = language.lower().partition("-")[0]  # of the language alone
    return _read(_shipped(code), code) if code in languages() else None


def texts_in(path: Path) -> Texts:
    """Read texts that researchers wrote. Raises `InputError` for a file that lacks something."""
    return _read(read_text(path), str(path))


def write_template(path: Path) -> None:
    """Write the English texts to a file. Researchers replace them, and `texts_in` reads it."""
    with write_whole(path) as stream:
        stream.write(
            "# Replace every text; names in braces stay.\n\n" + _shipped(TEMPLATE_LANGUAGE)
        )


def _shipped(code: str) -> str:
    """Return the TOML text of a language that comes with the package."""
    return files(__package__).joinpath(f"{code}.toml").read_text(encoding="utf-8")


def _read(text: str, location: str) -> Texts:
    """Parse the TOML text of a study's texts. Raises `InputError` if something is missing."""
    try:
        tables: dict[str, Any] = tomllib.loads(text)
        words = tables["check"].pop("words")  # the others in this table are texts of checks
        return Texts(
            tables["instructions"],
            tuple(words),
            tables["check"],
            tuple(PracticeSentence(**example) for example in tables["practice"]),
            tables.get("page", {}),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        wrong, right = f"not the texts of a study ({error})", "the tables that the file had"
        raise InputError(location, wrong, right, kind="format") from None
