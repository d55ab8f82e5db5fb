"""What a word is used with at its place: facts that hold of it."""

from typing import NamedTuple, TypeAlias

Fact: TypeAlias = tuple[str, str]
"""(question, answer): one thing that is so of a use, `("args", "obj")`."""
BARE = "bare"


class Partner(NamedTuple):
    """The noun that a use was seen with, for facts of which one noun is no evidence."""

    fact: Fact
    lemma: str
    beside: str = ""  # the adposition of the word itself; or `BARE`, if the noun is bare


class Use(NamedTuple):
    """What a word is used with at its place."""

    facts: tuple[Fact, ...]
    bound: str = ""  # why no other word can stand here, or ""
    telling: bool = True  # whether the facts say what else the word can be used with
    partners: tuple[Partner, ...] = ()
    clause: int = -1  # of a noun: a relative clause below it whose gap no pronoun fills
