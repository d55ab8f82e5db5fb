"""Whether a pair's wrong form is really wrong: everything that speaks against it, by name.

A pair is doubtful where the wrong form is right under another parse of the words before it, or
where those words cannot say which of the two is right. Of the published sets' pairs 10 to 23 % were
(docs/quality.md). A test looks at the tree and at what the treebank shows of the forms; the little
that must be known of a language beside stands in `languages.toml`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from colorless_green.miner.cues.readings import Forms
from colorless_green.miner.cues.telling import Telling
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.tree import Tree
from colorless_green.nonce.doubts import faults, rivals, spelling, subjects
from colorless_green.nonce.doubts.place import Place

AMBIGUOUS = "ambiguous"  # the common mark of a target that another word could license


class Doubt(NamedTuple):
    """One reason why a pair's label is doubtful."""

    flag: str  # a name in `FLAGS`
    reason: str  # one short clause for people, naming the words


FORMS: Mapping[str, Callable[[Place], str]] = {
    "equal_forms": spelling.equal_forms,
    "ambiguous_cue": spelling.ambiguous_cue,
    "ambiguous_target": spelling.ambiguous_target,
    "clitic_spelling": spelling.clitic_spelling,
    "odd_spelling": spelling.odd_spelling,
    "other_tense": spelling.other_tense,
    "unmarked": spelling.unmarked,
}
FAMILY: Mapping[str, Callable[[Place], str]] = {
    "other_word": spelling.other_word,
    "other_noun": rivals.other_noun,
    "object_relative": rivals.object_relative,
    "oblique_relative": rivals.oblique_relative,
    "infinitive_before": rivals.infinitive_before,
    "other_conjunct": rivals.other_conjunct,
    "unspoken_subject": rivals.unspoken_subject,
    "own_subject": rivals.own_subject,
    "infinitive_marker": rivals.infinitive_marker,
    "later_auxiliary": rivals.later_auxiliary,
    "nearer_subject": rivals.nearer_subject,
    "object_first": rivals.object_first,
    "subject_follows": rivals.subject_follows,
    "copula_of_predicate": rivals.copula_of_predicate,
    "predicate_noun": rivals.predicate_noun,
    "compound": rivals.compound,
    "participle_alone": subjects.participle_alone,
    "quantity": subjects.quantity,
    "coordinated_cue": subjects.coordinated_cue,
    "unrelated": subjects.unrelated,
    "honorific": subjects.honorific,
}
LEFT_TO_RIGHT = frozenset(
    {
        "other_word", "object_relative", "oblique_relative", "infinitive_marker", "later_auxiliary",
        "object_first", "subject_follows", "copula_of_predicate", "compound",
    }
)  # fmt: skip
"""Flags of the family that mostly vanish where whole sentences are scored: what follows decides."""
FAULTS: Mapping[str, Callable[[Place], str]] = {
    "faulty_word": faults.faulty_word,
    "fragment": faults.fragment,
    "unbalanced": faults.unbalanced,
    "contradiction": faults.contradiction,
}
FLAGS: Mapping[str, Callable[[Place], str]] = {**FORMS, **FAMILY, **FAULTS}
"""Flag → the test that raises it: the reason, or nothing. Its docstring is what users read."""


def doubts(
    tree: Tree,
    cue: int,
    target: int,
    *,
    feature: str,
    value: str,
    right: str,
    wrong: str,
    lemma: str,
    paradigms: Paradigms,
    language: str,
    telling: Telling | None = None,
) -> tuple[Doubt, ...]:
    """Every doubt about a pair, in the order of `FLAGS`; none for a sound one.

    `cue` and `target` are 0-based words of the tree, cue before target; `feature` may name two
    (`Number~Number[abs]`); `right` and `wrong` are words, without what a multiword token adds;
    `language` is BCP-47; `telling` says which words tell the value beyond FEATS. Depends on these
    alone, never on other items.
    """
    place = Place(
        tree, cue, target, feature, value, right, wrong, lemma, Forms.of(paradigms),
        language.partition("-")[0], telling,
    )  # fmt: skip
    found = ((flag, test(place)) for flag, test in FLAGS.items())
    return tuple(Doubt(flag, reason) for flag, reason in found if reason)


def marks(found: Iterable[Doubt]) -> tuple[str, ...]:
    """The flags of an item with these doubts, sorted; `ambiguous` among them if any is of the
    family of targets that another word could license."""
    flags = {each.flag for each in found}
    return tuple(sorted(flags | ({AMBIGUOUS} if flags & FAMILY.keys() else set())))
