"""Doubts about a pair's label: reasons why the wrong form may be right, each a flag.

A pair is doubtful if the wrong form is right under another parse of the words before it, or if
those words do not decide between the two forms. Of the pairs of the published sets, 10 to 23 % were
doubtful (docs/method.md). A test uses the tree and the counts of forms in the treebank; the few
further facts about a language are in `languages.toml`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    example: str
    languages: str
    test: Callable[[MinimalPair], str] | None = None
    settled_later: bool = False
    undecidable: bool = False


LATER, UNDECIDABLE = "settled later", "undecidable"  # marks of tests, see `Finding`
_TESTS: Mapping[str, Sequence[tuple[Callable[[MinimalPair], str], str, str, str]]] = {
    # family: test, languages, example, mark
    "form": (
        (forms.equal_forms, "", "*put*, *put*", UNDECIDABLE),
        (forms.ambiguous_cue, "de en fr ru", "*sheep*, German *die*, Czech *situace*", UNDECIDABLE),
        (forms.ambiguous_target, "", "Italian *città*", UNDECIDABLE),
        (forms.other_tense, "de en ru", "*cost*, *put*", ""),
        (forms.unmarked, "en", "English past tenses", ""),
        (forms.person_too, "", "*sono* for *è*, as of *io*", ""),
        (forms.other_marking, "eu", "Basque *denean*, *diren*", ""),
    ),
    "parse": (
        (parses.other_word, "en fr", "*questions or needs*", LATER),
        (parses.other_noun, "en es fr he it", "Italian *squadre di calcio più forte*", ""),
        (parses.object_relative, "he it", "Italian *stranieri che conosce*", LATER),
        (parses.other_genitive, "", "Ukrainian *інших, залучених до школи переходу*", ""),
        (parses.impersonal, "", "Greek *μπορεί*, Italian *bisogna*", ""),
        (parses.infinitive_before, "en", "*who will eat and deliver*, *help her grow*", ""),
        (parses.unspoken_subject, "", "Italian *arriva e partono*", ""),
        (parses.relative_form, "eu", "Basque *zuten*", LATER),
        (parses.infinitive_marker, "en", "*to*", LATER),
        (parses.later_auxiliary, "de", "German *wenn es darum gehen …* soll", LATER),
        (parses.nearer_subject, "de ru", "German *dass die Wirtschaft Auswege finden*", ""),
        (parses.object_first, "de en ru", "*die Aufträge hat er*, *документы даёт он*", LATER),
        (parses.subject_follows, "de it ru", "Italian *al quale apparteneva il maestro*", LATER),
        (parses.copula_of_predicate, "de es he it", "Italian *il problema sono i soldi*",
         LATER),
        (parses.predicate_noun, "", "*the answer was keys*", ""),
        (parses.participle_alone, "fr it", "Italian *ha pensato*", ""),
        (parses.quantity, "en es fr he it", "*a number of*, *three years*, *the team*", ""),
        (parses.coordinated_cue, "de en es fr he it ru", "*the school and the home*", ""),
        (parses.company, "", "Russian *музыкант с переводчиком*, Polish *z*, Greek *με*", ""),
        (parses.unrelated, "de en fr it ru", "", ""),
        (forms.quoted_title, "", "*the film \"Some Birds\"*", ""),
    ),
    "fault": (
        (forms.fragment, "fr", "*Main points:*", ""),
        (forms.unbalanced, "de en es fr he it ru", "*(*, *\"*", ""),
        (forms.contradiction, "de es fr it", "Spanish *aquella canciones*", ""),
        (forms.doubled_word, "", "*the the*, German *zur dieser*, *they are, are*", ""),
        (forms.pronoun_cue, "", "*they*, *who*", ""),
        (forms.likely_typo, "de en fi hu it ru", "*enviroment*, *Mit scheint*", ""),
        (forms.odd_capital, "de en", "*he Asked them*, German *der preis*", ""),
    ),
}  # fmt: skip
NOTES: Mapping[str, str] = {
    "ghost": "Cue or target is a word inside a multiword token, counted at the token after it",
    "multiword": "The target is part of a multiword token",
    "same_sentence": "Another original comes from the same sentence",
    "same_target": "Another original has the same target in the same sentence",
    "unimorph": "The wrong form comes from a UniMorph list",
    "null_subject": "The target is a second verb, and subjects may be unspoken in the language",
    "kept_target": "A variant with the target of its original",
    "unrestrained": "A variant in which words of fixed use are replaced, too: no level serves its"
    " original otherwise",
    "repeated_frame": "What stays of the words before the target, half of the content words or"
    " more, comes back in other variants, always with this value",
    "prefix_differs": "The right and the wrong sentence differ before the target, too",
    "rest_differs": "The right and the wrong sentence differ behind the target, too",
    "pseudo": "The new words of a variant are coined",
    AMBIGUOUS: "Another word could license the target: one of the flags of the place is raised",
}
"""Flags that are not doubts about the label → what they mean."""


def _meaning_from(docstring: str) -> str:
    """Return what a doubt means, as users read it: the part of its test's docstring after *Return a
    reason for doubt if*."""
    words = " ".join(docstring.split()).partition(" doubt if ")[2].removesuffix(".")
    return f"{words[:1].upper()}{words[1:]}"


FINDINGS: Mapping[str, Finding] = {
    **{
        test.__name__: Finding(
            name=test.__name__,
            family=family,
            meaning=_meaning_from(test.__doc__ or ""),
            example=example,
            languages=languages,
            test=test,
            settled_later=mark == LATER,
            undecidable=mark == UNDECIDABLE,
        )
        for family, tests in _TESTS.items()
        for test, languages, example, mark in tests
    },
    **{
        kind: Finding(kind, "leak", meaning, example="", languages="en it")
        for kind, meaning in LEAK_KINDS.items()
    },
    **{
        name: Finding(name, "note", meaning, example="", languages="")
        for name, meaning in NOTES.items()
    },
}
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
