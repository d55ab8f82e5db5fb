"""Doubts about a pair's label: reasons why the wrong form may be right, each a flag.

A pair is doubtful if the wrong form is right under another parse of the words before it, or if
those words do not decide between the two forms. Of the pairs of the published sets, 10 to 23 % were
doubtful (docs/method.md). A test uses the tree and the counts of forms in the treebank; the few
further facts about a language are in `languages.toml`. `findings.toml` lists the doubts, each of
which has the name of its test, and the notes.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.resources import files
from typing import NamedTuple

from ....miner.originals.cue_words import LEAK_KINDS
from . import _forms as forms
from . import _parses as parses
from .pair import MinimalPair

AMBIGUOUS = "ambiguous"  # common flag of the doubts of the family `parse`


class Finding(NamedTuple):
    """A kind of remark on a pair: a doubt about its label, a leak or a note.

    Attributes:
        name: a flag, or the kind of a leak.
        family: `form`: one of the target forms or the cue can be something else; `parse`: another
            parse of the words before the target, or another controller; `fault`: the sentence is
            misspelt, cut off or no sentence; `leak`: another word shows the value; `note`: a fact
            that raises no doubt about the label.
        meaning: what it means, for people; for a doubt, its test's docstring.
        example: words that show it, or "".
        languages: codes of the languages in which pairs with it were read, separated by blanks.
        test: returns the reason for a doubt, naming the words, or "" for none; None for leaks and
            notes.
        settled_later: whether the words after the target mostly remove the doubt.
        undecidable: whether pairs with it are left out by default at every level, even
            `morphology`.
    """

    name: str
    family: str
    meaning: str
    example: str = ""
    languages: str = ""
    test: Callable[[MinimalPair], str] | None = None
    settled_later: bool = False
    undecidable: bool = False


def _meaning_from(docstring: str) -> str:
    """Return what a doubt means, as users read it: the part of its test's docstring after *Return a
    reason for doubt if*."""
    words = " ".join(docstring.split()).partition(" doubt if ")[2].removesuffix(".")
    return f"{words[:1].upper()}{words[1:]}"


def _findings() -> Iterator[Finding]:
    """Yield the findings: the doubts of `findings.toml`, each with the test that has its name, then
    the kinds of leaks, then the file's notes."""
    families = tomllib.loads((files(__package__) / "findings.toml").read_text("utf-8"))
    notes, tests = families.pop("note"), {**vars(forms), **vars(parses)}
    for family, facts_of_doubts in families.items():
        for name, facts in facts_of_doubts.items():
            test = tests[name]
            yield Finding(name, family, _meaning_from(test.__doc__ or ""), test=test, **facts)
    for kind, meaning in LEAK_KINDS.items():
        yield Finding(kind, "leak", meaning, languages="en it")
    for name, facts in notes.items():
        yield Finding(name, "note", **facts)


FINDINGS: Mapping[str, Finding] = {finding.name: finding for finding in _findings()}
"""Name → finding: doubts in the order of their tests, then leaks, then notes."""
FLAGS: Mapping[str, Finding] = {
    name: finding for name, finding in FINDINGS.items() if finding.test is not None
}
"""Name → finding, for doubts only: these are flags of an item."""


class AmbiguityReason(NamedTuple):
    """One reason why a pair's label is doubtful.

    Attributes:
        flag: a key of `FLAGS`.
        reason: a short clause for people, naming the words.
    """

    flag: str
    reason: str


def doubts(pair: MinimalPair) -> tuple[AmbiguityReason, ...]:
    """Return the doubts about a pair: reasons why its wrong form may be right.

    They depend on the pair alone, never on other items.

    Args:
        pair: cue, target and both forms in their sentence.

    Returns:
        The doubts in the order of `FLAGS`; none for a sound pair.

    >>> from colorless_green.miner import Paradigms, TreeView
    >>> from colorless_green.data import Tree
    >>> noun = "sheep", "sheep", "NOUN", "Number=Sing"
    >>> verb = "sleeps", "sleep", "VERB", "Number=Sing|VerbForm=Fin"
    >>> tree = Tree(*zip(noun, verb), heads=(1, -1), deprels=("nsubj", "root"), tokens=(0, 1))
    >>> seen = Paradigms({noun: 9, ("sheep", "sheep", "NOUN", "Number=Plur"): 9, verb: 9})
    >>> doubts(MinimalPair(view=TreeView(tree), cue=0, target=1, feature="Number", value="Sing",
    ...     forms=seen.form_readings, right="sleeps", wrong="sleep", lemma="sleep", language="en"))
    (AmbiguityReason(flag='ambiguous_cue', reason='sheep is Sing or Plur'),)
    """
    reasons = (
        (name, finding.test(pair)) for name, finding in FLAGS.items() if finding.test is not None
    )
    return tuple(AmbiguityReason(name, reason) for name, reason in reasons if reason)


def flags_of(reasons: Iterable[AmbiguityReason]) -> tuple[str, ...]:
    """Return the flags that an item gets for the doubts about it.

    Args:
        reasons: doubts about it, as `doubts` finds them.

    Returns:
        Their flags, sorted; with `ambiguous` where another parse could license the target.

    >>> flags_of([AmbiguityReason("object_first", "die Aufträge may be the object")])
    ('ambiguous', 'object_first')
    """
    flags = {doubt.flag for doubt in reasons}
    if any(FLAGS[flag].family == "parse" for flag in flags):
        flags.add(AMBIGUOUS)
    return tuple(sorted(flags))
