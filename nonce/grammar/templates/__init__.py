"""Template grammars that come with the tool: controlled suites of the literature with words of our
own, and agreement suites of three more languages (docs/suites.md). Licence: MIT, as the rest."""

from importlib.resources import files

GRAMMARS = {
    "marvin_linzen": "the 15 conditions of Marvin & Linzen 2018",
    "reflexives": "experiments 1a to 3 of Hu, Chen & Levy 2020",
    "finnish": "number and person agreement of Finnish verbs",
    "hebrew": "number and gender agreement of Hebrew verbs",
    "russian": "number and gender agreement of Russian verbs",
}
"""Name → what it makes."""


def template_text(name: str) -> str:
    """Return the text of a grammar that comes with the tool, by a key of `GRAMMARS`."""
    return (files(__name__) / f"{name}.toml").read_text(encoding="utf-8")
