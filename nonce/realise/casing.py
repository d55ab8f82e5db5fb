"""Capitals: a new word is written the way of the word whose place it takes."""

from typing import Literal, TypeAlias

Pattern: TypeAlias = Literal["none", "lower", "title", "upper", "mixed"]
Demand: TypeAlias = Literal["", "title", "upper"]

LONGEST_ABBREVIATION = 3  # letters; `TV` and `DNA` do not ask for a word in capitals
DOTTED = frozenset({"az", "tr"})  # languages in which i and ı are two letters
DIGRAPHS = {"nl": ("ij",)}  # beginnings that become capital together


def pattern_of(form: str) -> Pattern:
    """How a form is written; one capital letter alone is `title`, no letters with case `none`."""
    cased = [each for each in form if each.isupper() or each.islower()]
    if not cased:
        return "none"
    if all(each.islower() for each in cased):
        return "lower"
    if not cased[0].isupper():
        return "mixed"
    if len(cased) > 1 and all(each.isupper() for each in cased):
        return "upper"
    return "title" if all(each.islower() for each in cased[1:]) else "mixed"


def demand(like: str, upos: str, *, initial: bool, loud: bool) -> Demand:
    """What a place asks of the word that comes there: all capitals, a capital, or nothing.

    `like` is the word that stood there. At the beginning of a sentence (`initial`) its capital
    letter goes over to the new word; a word all in capitals (four letters or more: fewer may be an
    abbreviation), or any word of a sentence all in capitals (`loud`), makes the new one capitals
    too. A name (`upos` PROPN) keeps its own, and nothing is ever made small: a German noun stays as
    the lexicon has it.
    """
    if loud:
        return "upper"
    if upos == "PROPN":
        return ""
    pattern = pattern_of(like)
    if pattern == "upper" and sum(map(str.isalpha, like)) > LONGEST_ABBREVIATION:
        return "upper"
    return "title" if initial and pattern in ("title", "upper") else ""


def shaped(form: str, like: str, *, loud: bool = False, language: str = "") -> str:
    """A function word's new shape, in small letters, with the capitals of its old one."""
    pattern = pattern_of(like)
    if loud or pattern == "upper":
        return in_capitals(form, language)
    return capitalised(form, language) if pattern == "title" else form


def capitalised(form: str, language: str = "") -> str:
    """The form with its first letter, after any quote or dash, a capital; the rest as it is."""
    at = next((n for n, each in enumerate(form) if each.isalnum()), 0)
    size = next((len(each) for each in DIGRAPHS.get(language, ()) if form[at:].startswith(each)), 1)
    return form[:at] + in_capitals(form[at : at + size], language) + form[at + size :]


def in_capitals(form: str, language: str = "") -> str:
    """The form in capital letters."""
    return (form.replace("i", "İ") if language in DOTTED else form).upper()
