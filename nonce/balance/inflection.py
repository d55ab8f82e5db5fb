"""A noun with another value of a feature, as a treebank has it, and all that agrees with it.

*The key to the old cabinets that he opens is* → *The keys to the old cabinets that he opens are*.
What belongs together is found through the tree (`concord`); what cannot follow, or would be left
behind in bad company (*a keys*, *two key*, *between the man*), is a reason not to do it
(`cooccurrence`). The law that holds it all: taking a change back gives the sentence it was made
from.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from colorless_green.miner.features import (
    UNTOLD_IN_PLURALS,
    conflict,
    loosened,
    parse_feats,
    value_of,
    with_value,
)
from colorless_green.miner.filters import nouns
from colorless_green.miner.paradigms import MISSING, Paradigms
from colorless_green.miner.tree import Tree
from colorless_green.miner.view import TreeView
from colorless_green.miner.wrong_form import USUAL, common_ending, distance
from colorless_green.nonce.balance.concord import (
    NOMINAL,
    Concord,
    ConcordGroup,
    Words,
    concord_of,
    group_of,
)
from colorless_green.nonce.balance.cooccurrence import (
    Cooccurrence,
    cooccurrence_of,
    determiner_of,
    is_indefinite,
    obstacles,
)
from colorless_green.nonce.realise.layout import pattern_of

SEVERAL = 3  # analyses against which a single one counts for nothing
RIVAL = 0.25  # uses beside the most frequent form from which a form is a variant, not an error


Changes: TypeAlias = Mapping[int, tuple[str, str]]
"""Word of the tree → (form, FEATS)"""


class AnalysedWord(NamedTuple):
    """What is to be inflected."""

    form: str
    lemma: str
    upos: str
    feats: str


class InflectedForm(NamedTuple):
    """A word with another value."""

    form: str
    feats: str


@dataclass(frozen=True)
class Inflection:
    """What a treebank shows of a feature's forms, and of where they agree. Built by `inflection`.

    Attributes:
        paradigms: all forms of the treebank.
        vocabulary: words that may be written.
        concord: which words of a tree have one value of the feature together.
        cooccurrence: what stands beside what: determiners, numerals, endings of adjectives.
        language: BCP-47 code.
    """

    paradigms: Paradigms
    vocabulary: Container[str]
    concord: Concord
    cooccurrence: Cooccurrence
    language: str = "und"

    @property
    def feature(self) -> str:
        """The feature whose values are exchanged."""
        return self.concord.feature

    @cached_property
    def _analyses(self) -> Mapping[tuple[str, str], list[tuple[str, str, int]]]:
        """(lemma, POS) → (form, FEATS, count), in the order first seen."""
        table: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
        for (form, lemma, upos, feats), n in self.paradigms.counts.items():
            if lemma != MISSING:
                table.setdefault((lemma, upos), []).append((form, feats, n))
        return table

    @cached_property
    def _personal(self) -> list[tuple[str, str, int]]:
        """(form, FEATS, count) of all personal pronouns: *he* and *they* are one word here."""
        return [
            (form, feats, n)
            for (form, _, upos, feats), n in self.paradigms.counts.items()
            if upos == "PRON" and value_of(feats, "PronType") == "Prs"
        ]

    @cached_property
    def quantities(self) -> frozenset[str]:
        """Lemmas of nouns that say how much of something there is."""
        return nouns("quantity", self.language.partition("-")[0])

    def definite(self, article: AnalysedWord) -> AnalysedWord | None:
        """The definite article that may stand for an indefinite one: equal in whatever both tell,
        and of these the most frequent."""
        if article.upos != "DET" or not is_indefinite(article.feats):
            return None
        entries = parse_feats(article.feats)
        for word in self._definites:
            feats = parse_feats(word.feats)
            names = [name for name in feats if name in entries and name != "Definite"]
            fits = self.feature in feats or self.feature not in entries
            if fits and all(feats[name] == entries[name] for name in names):
                form = in_case_of(article, word.form)
                return word._replace(form=form) if form else None
        return None

    @cached_property
    def _definites(self) -> list[AnalysedWord]:
        """Definite articles, the most frequent first."""
        counts = [
            (n, AnalysedWord(form, lemma, upos, feats))
            for (form, lemma, upos, feats), n in self.paradigms.counts.items()
            if upos == "DET"
            and parse_feats(feats).get("Definite") == "Def"
            and parse_feats(feats).get("PronType") == "Art"
        ]
        return [word for _, word in sorted(counts, key=lambda pair: -pair[0])]

    def distinct(
        self, word: AnalysedWord, value: str, controller_feats: str = "_"
    ) -> InflectedForm | str:
        """A cue or attractor with another value, or why there is none: its two forms must differ,
        and neither may be a form of both values, else nobody could tell which it is."""
        candidates = self._forms(word, value, controller_feats)
        if not candidates:
            return f"no other form: {word.form} with {self.feature}={value}"
        old_forms = {word.form}
        old_forms |= {
            other.form for other in self._forms(word, value_of(word.feats, self.feature) or "", "_")
        }
        different = [
            candidate
            for candidate in candidates
            if candidate.form not in old_forms and self._is_clear(word, candidate.form, value)
        ]
        if not different or candidates[0].form in old_forms:
            return f"equal forms: {word.form} with {self.feature}={value} too"
        return self._nearest(word, different) or f"no known form: {different[0].form}"

    def _is_clear(self, word: AnalysedWord, form: str, value: str) -> bool:
        """Whether a form is more than a single analysis against several with another value, in
        whatever case: that one is likely an error (German *Staats* as a plural)."""
        counts = {True: 0, False: 0}
        for shown, feats, n in self._analyses.get((word.lemma, word.upos), ()):
            if shown == form:
                counts[value_of(feats, self.feature) == value] += n
        return counts[True] > 1 or counts[False] < SEVERAL

    def companion(
        self, word: AnalysedWord, value: str, controller_feats: str, determiner: str = ""
    ) -> InflectedForm | str:
        """A word that agrees with a noun, with the noun's new value; the form may stay the same.

        Where the word tells no Gender or Animacy, the form fits `controller_feats`. `determiner`:
        form of the noun's determiner, which decides the ending of German adjectives.
        """
        candidates = self._forms(word, value, controller_feats)
        if not candidates:
            return f"no other form: {word.form} with {self.feature}={value}"
        if word.upos == "ADJ":
            forms = [candidate.form for candidate in candidates]
            fitting = self.cooccurrence.ending(determiner, word.upos, candidates[0].feats, forms)
            candidates = [candidate for candidate in candidates if candidate.form in fitting]
            if not candidates:
                return f"no form for its determiner: {determiner} {word.form}"
        return self._nearest(word, candidates) or f"no known form: {candidates[0].form}"

    def _forms(self, word: AnalysedWord, value: str, controller_feats: str) -> list[InflectedForm]:
        """Forms of the lemma that differ in the feature alone, most frequent first, less the rare.

        Gender and Animacy, which plurals often do not tell, may be missing on one side, but not
        contradict what the word itself tells, nor its controller's where it tells none.
        """
        wanted = with_value(word.feats, self.feature, value)
        gender = _told(word.feats, controller_feats)
        analyses = self._analyses.get((word.lemma, word.upos), ())
        if word.upos == "PRON" and value_of(word.feats, "PronType") == "Prs":
            analyses = self._personal
        ways = [way for way in analyses if _may_be(way[1], wanted, gender, self.feature)]
        if word.upos == "PRON":  # *they* is no *he* unless something tells
            ways = [way for way in ways if gender or not _told(way[1])]
        exact = [way for way in ways if way[1] == wanted]
        if exact and gender == _told(word.feats):
            ways = exact
        counts: dict[str, int] = {}
        feats_of: dict[str, str] = {}
        for shown, feats, n in ways:
            headline = word.form[1:].islower() and pattern_of(shown) == "upper"
            form = shown.lower() if headline else shown
            counts[form] = counts.get(form, 0) + n
            feats_of.setdefault(form, feats)
        most = max(counts.values(), default=0)
        ranked = sorted(counts, key=lambda form: -counts[form])
        return [
            InflectedForm(form, feats_of[form])
            for form in ranked
            if counts[form] >= USUAL * most and (form != word.form or counts[form] >= RIVAL * most)
        ]

    def _nearest(
        self, word: AnalysedWord, candidates: Iterable[InflectedForm]
    ) -> InflectedForm | None:
        """The form spelled most like the word, in the word's letter case: among equally near ones
        that with its ending, then the more frequent."""
        cased = [
            InflectedForm(form, candidate.feats)
            for candidate in candidates
            if candidate.form in self.vocabulary and (form := in_case_of(word, candidate.form))
        ]
        return min(
            cased,
            key=lambda candidate: (
                distance(candidate.form.lower(), word.form.lower()),
                -common_ending(candidate.form, word.form),
            ),
            default=None,
        )


def inflection(
    paradigms: Paradigms,
    vocabulary: Container[str],
    sentences: Iterable[Words],
    feature: str,
    language: str = "und",
) -> Inflection:
    """What is needed to re-inflect the sentences of a treebank for one feature.

    Args:
        paradigms: all forms of the treebank.
        vocabulary: words that may be written.
        sentences: the treebank's own, or others of the same language and annotation.
        feature: whose values are exchanged, as `Number`.
        language: BCP-47 code.

    Returns:
        The forms, and where they agree, for `reinflected` and `cells`.
    """
    kept = list(sentences)
    concord, cooccurrence = concord_of(kept, feature), cooccurrence_of(kept, feature)
    return Inflection(paradigms, vocabulary, concord, cooccurrence, language)


def in_case_of(word: AnalysedWord, form: str) -> str:
    """A form with the capitals of a word that it stands for; nothing where a name (or a German
    noun) lacks its own, or only one of the two begins with a letter."""
    if word.form[:1].isalpha() != form[:1].isalpha():
        return ""
    if pattern_of(word.form) == "upper":
        return form.upper()
    if word.form[:1].isupper() == form[:1].isupper():
        return form
    if word.lemma[:1].isupper():
        return ""
    return form[:1].upper() + form[1:] if word.form[:1].isupper() else form[:1].lower() + form[1:]


def _told(*several: str) -> str:
    """Gender and Animacy as FEATS, each of the first word that tells it; empty if none does."""
    values = {
        name: value
        for feats in reversed(several)
        for name in UNTOLD_IN_PLURALS
        if (value := value_of(feats, name))
    }
    return "|".join(f"{name}={values[name]}" for name in UNTOLD_IN_PLURALS if name in values)


def _may_be(feats: str, wanted: str, gender: str, feature: str) -> bool:
    if loosened(feats, feature) != loosened(wanted, feature) or conflict(feats, wanted):
        return False
    return feature in UNTOLD_IN_PLURALS or not gender or not conflict(feats, gender)


def reinflected(
    tree: Tree, node: int, feature: str, value: str, forms: Inflection, *, target: int = -1
) -> Changes | str:
    """The changes that give a word another value, and all that agrees with it.

    A change is made only if taking it back gives the sentence that it was made from.

    Args:
        tree: the sentence.
        node: word of the tree, from 0.
        feature: the one that `forms` was built for.
        value: that the word gets.
        forms: what the treebank shows of the feature.
        target: word of the tree that is passed over, since the item has its two forms; −1 for none.

    Returns:
        Word of the tree → (form, FEATS) for each that changes, the word itself included; none where
        it has the value already. Or, as a text, why it cannot be done.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import sentences, tree_of, treebank
    >>> from colorless_green.nonce import Sources, VariantKind, matching_for
    >>> bank, kind = treebank([sample.treebank("en")]), VariantKind(balanced=True)
    >>> forms = matching_for(bank, Sources(), "tested", "none", kind).inflections["Number"]
    >>> tree = tree_of(next(sentences(bank))[1])  # Some old editors ignored that actor.
    >>> {node: word.form for node, word in reinflected(tree, 5, "Number", "Plur", forms).items()}
    {4: 'those', 5: 'actors'}
    >>> reinflected(tree, 2, "Number", "Sing", forms)
    'asks for Plur: some'
    """
    assert forms.feature == feature, "forms of another feature"
    old = value_of(tree.feats[node], feature)
    if old is None:
        return f"does not carry {feature}: {tree.forms[node]}"
    changes = _changes(tree, node, value, forms, target)
    if isinstance(changes, str):
        return changes
    back = _changes(with_changes(tree, changes), node, old, forms, target, tree.feats)
    if isinstance(back, str):
        return f"no way back: {back}"
    for index in sorted(changes):
        form, feats = back.get(index, changes[index])
        same = loosened(feats, feature) == loosened(tree.feats[index], feature)
        # of determiners any form with the same FEATS will do: their neighbour asks for *l'* or *lo*
        will_do = tree.upos[index] == "DET" and same and not conflict(feats, tree.feats[index])
        if index not in back or not (form == tree.forms[index] or will_do):
            return f"no way back: {tree.forms[index]}, {changes[index][0]}, {form}"
    return changes


def with_changes(tree: Tree, changes: Changes) -> Tree:
    """The tree of a sentence with other forms and FEATS.

    Args:
        tree: the sentence.
        changes: word of the tree, from 0 → (form, FEATS).

    Returns:
        A tree that is equal in all else.

    >>> tree = Tree(("two", "keys"), ("two", "key"), ("NUM", "NOUN"), ("_", "Number=Plur"),
    ...             (1, -1), ("nummod", "root"), (0, 1))
    >>> with_changes(tree, {0: ("one", "_"), 1: ("key", "Number=Sing")}).forms
    ('one', 'key')
    """
    forms, feats = list(tree.forms), list(tree.feats)
    for index, (form, new) in changes.items():
        forms[index], feats[index] = form, new
    return replace(tree, forms=tuple(forms), feats=tuple(feats))


def _changes(
    tree: Tree,
    node: int,
    value: str,
    forms: Inflection,
    target: int,
    known: Sequence[str] | None = None,
) -> Changes | str:
    """The other forms of the group: nouns first, then determiners, then what looks at both.
    `known`: FEATS of each word from which Gender and Animacy are taken where it tells none; else
    those of its controller."""
    if value_of(tree.feats[node], forms.feature) == value:
        return {}
    view = TreeView(tree)
    group = group_of(view, node, forms.concord, target)
    if group.clash:
        return f"does not agree: {group.clash}"
    for reason in obstacles(view, group, node, value, forms, target):
        return reason
    new: dict[int, tuple[str, str]] = {}
    for index in _controllers_first(tree, group, node):
        if index == target:
            continue
        word = AnalysedWord(
            tree.forms[index], tree.lemmas[index], tree.upos[index], tree.feats[index]
        )
        controller = group.controllers.get(index, index)
        feats = new[controller][1] if controller in new else tree.feats[controller]
        feats = known[index] if known is not None else feats
        determiner = determiner_of(view, view.children[controller])
        determiner_form = (
            "" if determiner < 0 else new.get(determiner, (tree.forms[determiner],))[0].lower()
        )
        if index == node or tree.upos[index] in NOMINAL:
            inflected = forms.distinct(word, value, feats)
        else:
            inflected = forms.companion(word, value, feats, determiner_form)
        if isinstance(inflected, str):
            return inflected
        new[index] = inflected
    return dict(sorted(new.items()))


def _controllers_first(tree: Tree, group: ConcordGroup, node: int) -> list[int]:
    """The members, each after what it agrees with, determiners before what looks at them."""

    def depth(index: int) -> int:
        seen = {index}
        while index in group.controllers and group.controllers[index] not in seen:
            index = group.controllers[index]
            seen.add(index)
        return len(seen)

    return sorted(
        group.members, key=lambda i: (i != node, depth(i), tree.upos[i] not in ("DET", "PRON"), i)
    )
