"""The same word with another value of a feature, as a treebank has it."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

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
from colorless_green.miner.partner import USUAL, common_ending, distance
from colorless_green.nonce.balance.company import Company, company_of, is_indefinite
from colorless_green.nonce.balance.concord import Concord, Words, concord_of
from colorless_green.nonce.realise.casing import pattern_of

SEVERAL = 3  # analyses against which a single one counts for nothing
RIVAL = 0.25  # uses beside the most frequent form from which a form is a variant, not an error


class Word(NamedTuple):
    """What is to be inflected."""

    form: str
    lemma: str
    upos: str
    feats: str


class Inflected(NamedTuple):
    """A word with another value."""

    form: str
    feats: str


@dataclass(frozen=True)
class Inflection:
    """What a treebank shows of a feature's forms, and of where they agree."""

    paradigms: Paradigms
    vocabulary: Container[str]
    concord: Concord
    company: Company
    language: str = "und"  # BCP-47

    @property
    def feature(self) -> str:
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

    def definite(self, article: Word) -> Word | None:
        """The definite article that may stand for an indefinite one: equal in whatever both tell,
        and of these the most frequent."""
        if article.upos != "DET" or not is_indefinite(article.feats):
            return None
        told = parse_feats(article.feats)
        for word in self._definites:
            feats = parse_feats(word.feats)
            names = [name for name in feats if name in told and name != "Definite"]
            fits = self.feature in feats or self.feature not in told
            if fits and all(feats[name] == told[name] for name in names):
                form = in_case_of(article, word.form)
                return word._replace(form=form) if form else None
        return None

    @cached_property
    def _definites(self) -> list[Word]:
        """Definite articles, the most frequent first."""
        counts = [
            (n, Word(form, lemma, upos, feats))
            for (form, lemma, upos, feats), n in self.paradigms.counts.items()
            if upos == "DET"
            and parse_feats(feats).get("Definite") == "Def"
            and parse_feats(feats).get("PronType") == "Art"
        ]
        return [word for _, word in sorted(counts, key=lambda pair: -pair[0])]

    def distinct(self, word: Word, value: str, controller_feats: str = "_") -> Inflected | str:
        """A cue or attractor with another value, or why there is none: its two forms must differ,
        and neither may be a form of both values, else nobody could tell which it is."""
        found = self._forms(word, value, controller_feats)
        if not found:
            return f"no other form: {word.form} with {self.feature}={value}"
        own = {word.form}
        own |= {each.form for each in self._forms(word, _value(word, self.feature), "_")}
        different = [
            each
            for each in found
            if each.form not in own and self._is_clear(word, each.form, value)
        ]
        if not different or found[0].form in own:
            return f"equal forms: {word.form} with {self.feature}={value} too"
        return self._nearest(word, different) or f"no known form: {different[0].form}"

    def _is_clear(self, word: Word, form: str, value: str) -> bool:
        """Whether a form is more than a single analysis against several with another value, in
        whatever case: that one is likely an error (German *Staats* as a plural)."""
        counts = {True: 0, False: 0}
        for each, feats, n in self._analyses.get((word.lemma, word.upos), ()):
            if each == form:
                counts[value_of(feats, self.feature) == value] += n
        return counts[True] > 1 or counts[False] < SEVERAL

    def companion(
        self, word: Word, value: str, controller_feats: str, determiner: str = ""
    ) -> Inflected | str:
        """A word that agrees with a noun, with the noun's new value; the form may stay the same.

        Where the word tells no Gender or Animacy, the form fits `controller_feats`. `determiner`:
        form of the noun's determiner, which decides the ending of German adjectives.
        """
        found = self._forms(word, value, controller_feats)
        if not found:
            return f"no other form: {word.form} with {self.feature}={value}"
        if word.upos == "ADJ":
            forms = [each.form for each in found]
            fitting = self.company.ending(determiner, word.upos, found[0].feats, forms)
            found = [each for each in found if each.form in fitting]
            if not found:
                return f"no form for its determiner: {determiner} {word.form}"
        return self._nearest(word, found) or f"no known form: {found[0].form}"

    def _forms(self, word: Word, value: str, controller_feats: str) -> list[Inflected]:
        """Forms of the lemma that differ in the feature alone, most frequent first, less the rare.

        Gender and Animacy, which plurals often do not tell, may be missing on one side, but not
        contradict what the word itself tells, nor its controller's where it tells none.
        """
        wanted = with_value(word.feats, self.feature, value)
        told = _told(word.feats, controller_feats)
        known = self._analyses.get((word.lemma, word.upos), ())
        if word.upos == "PRON" and value_of(word.feats, "PronType") == "Prs":
            known = self._personal
        ways = [each for each in known if _may_be(each[1], wanted, told, self.feature)]
        if word.upos == "PRON":  # *they* is no *he* unless something tells
            ways = [each for each in ways if told or not _told(each[1])]
        exact = [each for each in ways if each[1] == wanted]
        if exact and told == _told(word.feats):
            ways = exact
        counts: dict[str, int] = {}
        feats_of: dict[str, str] = {}
        for shown, feats, n in ways:
            form = plain(shown) if word.form[1:].islower() else shown
            counts[form] = counts.get(form, 0) + n
            feats_of.setdefault(form, feats)
        most = max(counts.values(), default=0)
        ranked = sorted(counts, key=lambda form: -counts[form])
        return [
            Inflected(form, feats_of[form])
            for form in ranked
            if counts[form] >= USUAL * most and (form != word.form or counts[form] >= RIVAL * most)
        ]

    def _nearest(self, word: Word, found: Iterable[Inflected]) -> Inflected | None:
        """The form spelled most like the word, in the word's letter case: among equally near ones
        that with its ending, then the more frequent."""
        cased = [
            Inflected(form, each.feats)
            for each in found
            if each.form in self.vocabulary and (form := in_case_of(word, each.form))
        ]
        return min(
            cased,
            key=lambda each: (
                distance(each.form.lower(), word.form.lower()),
                -common_ending(each.form, word.form),
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
    """What is needed to re-inflect the sentences of a treebank for one feature; `sentences` are
    the treebank's own, or any others of the language and annotation."""
    kept = list(sentences)
    return Inflection(
        paradigms, vocabulary, concord_of(kept, feature), company_of(kept, feature), language
    )


def plain(form: str) -> str:
    """A word in capitals, as in a headline, in small letters."""
    return form.lower() if pattern_of(form) == "upper" else form


def in_case_of(word: Word, form: str) -> str:
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


def _value(word: Word, feature: str) -> str:
    return value_of(word.feats, feature) or ""


def _told(*several: str) -> str:
    """Gender and Animacy as FEATS, each of the first word that tells it; empty if none does."""
    found = {
        name: value
        for feats in reversed(several)
        for name in UNTOLD_IN_PLURALS
        if (value := value_of(feats, name))
    }
    return "|".join(f"{name}={found[name]}" for name in UNTOLD_IN_PLURALS if name in found)


def _may_be(feats: str, wanted: str, told: str, feature: str) -> bool:
    if loosened(feats, feature) != loosened(wanted, feature) or conflict(feats, wanted):
        return False
    return feature in UNTOLD_IN_PLURALS or not told or not conflict(feats, told)
