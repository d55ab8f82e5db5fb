"""The embedded sample: a small treebank for each of two languages, and the grammar that made it.

The sentences are the project's own and under its licence (MIT): `N_SENTENCES` drawn from each
grammar with `SEED` (a test draws them again). Among plain short sentences there is agreement over a
distance, with attractors of either number, that both rules of the miner accept.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from ..registry import look_up

LANGUAGES = ("en", "it")  # BCP-47
N_SENTENCES = 450
SEED = 0


def treebank(language: str) -> Traversable:
    """Return the sample treebank of a language.

    Args:
        language: `en` or `it`.

    Returns:
        The CoNLL-U file.

    Raises:
        InputError: the sample lacks the language.

    >>> treebank("en").name
    'en.conllu'
    """
    return _sample_file(language, "conllu")


def grammar(language: str) -> Traversable:
    """Return the template grammar that the sample treebank of a language was drawn from.

    Args:
        language: `en` or `it`.

    Returns:
        The TOML file.

    Raises:
        InputError: the sample lacks the language.

    >>> grammar("it").name
    'it.toml'
    """
    return _sample_file(language, "toml")


def _sample_file(language: str, ending: str) -> Traversable:
    """Return the sample's file of a language with this ending."""
    look_up(dict.fromkeys(LANGUAGES), language, "the embedded sample")  # refuses another language
    return files(__name__) / f"{language}.{ending}"
