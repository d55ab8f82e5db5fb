"""Template grammars that come with the tool: controlled suites of the literature with words of our
own, and agreement suites of three more languages (docs/suites.md). Licence: MIT, as the rest."""

from importlib.resources import files

from ....data.registry import look_up

GRAMMARS = {
    "marvin_linzen": "the 15 conditions of Marvin & Linzen 2018",
    "reflexives": "experiments 1a to 3 of Hu, Chen & Levy 2020",
    "finnish": "number and person agreement of Finnish verbs",
    "hebrew": "number and gender agreement of Hebrew verbs",
    "russian": "number and gender agreement of Russian verbs",
}
"""Name → what it makes."""


def template_text(name: str) -> str:
    """The text of a grammar that comes with the tool.

    Args:
        name: a key of `GRAMMARS`.

    Returns:
        TOML, as `parse_grammar` reads it.

    Raises:
        InputError: no grammar has this name.

    >>> "[suite]" in template_text("reflexives")
    True
    """
    stem = look_up({grammar: grammar for grammar in GRAMMARS}, name, "colorless grammar")
    return (files(__name__) / f"{stem}.toml").read_text(encoding="utf-8")
