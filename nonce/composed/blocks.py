"""The blocks of one language: kinds of targets, heads, modifiers, predicates that go together."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..variants.ambiguity.pair import entries
from ._language_facts import CompositionRules, language_named
from ._nouns import Nouns, usable_content_forms
from ._predicates import CLOSED, PredicateParadigm, is_transitive, takes_object, targets
from ._treebank_counts import (
    CONTROLLING,
    Kind,
    NounPosition,
    PositionCounts,
    PredicateWord,
    TreebankCounts,
    ValencyCounts,
)
from .phrase import (
    ComposedWord,
    Modifier,
    PhraseWriter,
    definite_of,
    has_article,
    modifiers,
    relatives,
)
from .suffixes import NUMBERS, FilledForm
from .thresholds import T

if TYPE_CHECKING:
    from ...miner.originals.unimorph.wordlist import UniMorph

UPOS = {
    "verb": ("VERB",),
    "participle": ("VERB", "ADJ"),
    "adjective": ("ADJ",),
    "auxiliary": ("AUX",),
    "copula": ("AUX",),
}  # of the targets of each kind, as constructions are named
BARE = ("adjective", "participle")
SUBJECT_PATHS = ("nsubj", "subject", "absolutive", "ergative", "nominative")
OTHER_PATHS = ("second", "antecedent", "possess")


NounPool: TypeAlias = dict[str, dict[str, list[ComposedWord]]]
"""Noun → number → its words"""


class PredicateOption(NamedTuple):
    """A predicate of a set: its target, and the word before it where the language has one there."""

    kind: Kind
    target: PredicateParadigm
    preceding: PredicateWord | None = None
    opener: ComposedWord | None = None  # what stands before the subject

    @property
    def name(self) -> str:
        """The predicate that counts for the spread; "" where text stops at copula or auxiliary."""
        if self.preceding is not None:
            return self.preceding.lemma
        return "" if self.kind.target in CLOSED else self.target.predicate.lemma

    @property
    def is_closed(self) -> bool:
        """Whether its target is a copula or auxiliary."""
        return self.kind.target in CLOSED


@dataclass
class SetMaterial:
    """What sets of one language are made from."""

    harvest: TreebankCounts
    language: str
    verdicts: Mapping[str, str]  # construction → accepted, undecided or rejected
    word_list: Path | None = None  # of UniMorph
    _pairs: dict[tuple[str, str], dict[str, dict[str, FilledForm]]] = field(default_factory=dict)
    _subjects: dict[str, NounPool] = field(default_factory=dict)
    _fitting: dict[int, dict[str, dict[str, FilledForm]]] = field(default_factory=dict)
    _clear: dict[str, frozenset[str]] = field(default_factory=dict)
    _oblique: dict[str, frozenset[str]] = field(default_factory=dict)
    _constructions: dict[str, str] = field(default_factory=dict)

    @cached_property
    def rules(self) -> CompositionRules:
        """What must be known of the language."""
        return language_named(self.language)

    @cached_property
    def nouns(self) -> Nouns:
        """The nouns of the language."""
        usable_forms = usable_content_forms(self.harvest, self.language)
        return Nouns(self.harvest, usable_forms, self.rules, self.unimorph)

    @cached_property
    def unimorph(self) -> "UniMorph | None":
        """The word list for missing forms."""
        if self.word_list is None:
            return None
        from ...miner.originals.unimorph.wordlist import read_unimorph

        return read_unimorph(self.word_list, language=self.language)

    @cached_property
    def writer(self) -> PhraseWriter:
        """How function words are written."""
        return PhraseWriter(self.harvest)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of targets that agree with subjects in a case, and whose construction the mining
        accepted (or left undecided for want of instances)."""
        best: dict[tuple[str, str], tuple[int, Kind]] = {}
        for kind, seen in sorted(self.harvest.agreement.items()):
            often = seen.total() >= T["agreement_uses"] and kind.case in CONTROLLING
            if often and seen[True] >= T["agreement"] * seen.total() and self.construction(kind):
                key = kind.target, kind.feature
                best[key] = max(best.get(key, (0, kind)), (seen.total(), kind))
        return tuple(kind for _, kind in best.values())

    def construction(self, kind: Kind) -> str:
        """Return the accepted construction that a kind of target is of; "" if there is none."""
        if kind.target not in self._constructions:
            self._constructions[kind.target] = self._find_construction(kind)
        return self._constructions[kind.target]

    def _find_construction(self, kind: Kind) -> str:
        paths = CLOSED if kind.target in CLOSED else SUBJECT_PATHS
        excluded_paths = OTHER_PATHS if kind.target in CLOSED else (*OTHER_PATHS, "object")
        for verdict in ("accepted", "undecided"):
            for name, recorded in sorted(self.verdicts.items()):
                side, cue, upos, path = (*name.split("__"), "", "", "")[:4]
                if (
                    recorded == verdict
                    and side in ("L", "X")
                    and cue == "NOUN"
                    and upos in UPOS[kind.target]
                    and any(relation in path for relation in paths)
                    and not any(relation in path for relation in excluded_paths)
                ):
                    return name
        return ""

    def subject(self, case: str) -> PositionCounts:
        """The subjects in a case."""
        return self.harvest.positions.get(
            NounPosition("subject", "", False, case), PositionCounts()
        )

    def definite(self, case: str) -> str:
        """The value of Definite of heads in a case."""
        return definite_of(self.subject(case))

    def pairs(self, case: str, definite: str) -> dict[str, dict[str, FilledForm]]:
        """Nouns with their forms in both numbers, in a case."""
        key = case, definite
        if key not in self._pairs:
            self._pairs[key] = {
                lemma: pair
                for lemma in self.nouns.usable
                if (pair := self.nouns.pair(lemma, case, definite)) is not None
            }
        return self._pairs[key]

    @cached_property
    def is_free(self) -> bool:
        """Whether objects stand before their verbs often enough to be read so."""
        order = self.harvest.object_order
        return order[True] > T["object_first"] * order.total()

    @cached_property
    def openers(self) -> tuple[ComposedWord, ...]:
        """The subordinators that sets begin with where these fix an order that is free in main
        clauses (German): the target ends the clause, so nothing can follow that it agrees with."""
        final = {key: seen[True] / seen.total() for key, seen in self.harvest.final.items()}
        if final.get(True, 0) < T["final_clause"] or final.get(False, 1) > T["final_main"]:
            return ()
        return tuple(
            ComposedWord(form, "SCONJ", "_", "", form)
            for form, n in sorted(self.harvest.subordinators.items())
            if n >= T["subordinator"]
            and form not in self.rules.dated
            and self.writer.is_subordinator(form)
        )

    @cached_property
    def object_openers(self) -> tuple[ComposedWord, ...]:
        """The object pronouns that can begin a clause, where order is free: what follows them is
        then no object (Russian *меня*). A plural accusative may have it as its apposition: *nas
        žene* is us women."""
        if not self.is_free:
            return ()
        rates = {
            form: seen["first"] / seen["object"]
            for form, seen in sorted(self.harvest.pronouns.items())
            if not seen["subject"]
            and not seen["apposition"]
            and seen["object"] >= T["opener_uses"]
            and min(seen["first"], seen["apart"]) >= 1
        }
        floor = T["opener_first"] * max(rates.values(), default=0)
        return tuple(
            ComposedWord(form, "PRON", "_", "", form) for form in rates if rates[form] >= floor
        )

    @cached_property
    def inner(self) -> dict[Modifier, NounPool]:
        """What can stand between head and target, with its nouns, enough in both numbers; less the
        verb of a clause."""
        cases = {kind.case for kind in self.kinds}
        articles = any(map(has_article, map(self.subject, cases)))
        company = entries("company", self.language.partition("-")[0])
        choices = modifiers(self.harvest, self.kinds, with_articles=articles, company=company)
        if choices and choices[0].position.kind == "nmod" and self.transitive and len(cases) == 1:
            case = min(cases)
            choices += relatives(
                self.harvest, case, with_articles=articles, definite=self.definite(case)
            )
        pools = {
            modifier: in_both_numbers(
                {
                    lemma: {
                        number: self.phrase(modifier, lemma, number, "attractor")
                        for number in NUMBERS
                    }
                    for lemma in self.pairs(modifier.position.case, modifier.definite)
                }
            )
            for modifier in choices
        }
        return {
            modifier: pool for modifier, pool in pools.items() if len(pool) >= T["modifier_nouns"]
        }

    @cached_property
    def targets(self) -> dict[Kind, tuple[list[PredicateParadigm], Counter[str]]]:
        """The predicates of each kind, and why others are none."""
        return {kind: targets(self.harvest, kind, self.rules, self.unimorph) for kind in self.kinds}

    @cached_property
    def transitive(self) -> tuple[PredicateParadigm, ...]:
        """Verbs for object relative clauses, one paradigm each: the most frequent."""
        best: dict[str, PredicateParadigm] = {}
        for kind, (seen, _) in self.targets.items():
            for target in seen if kind.target == "verb" else ():
                frame, lemma = target.frame, target.predicate.lemma
                if frame.n_nominal_object >= T["verb_transitive"] * frame.n and (
                    lemma not in best or target.n > best[lemma].n
                ):
                    best[lemma] = target
        return tuple(best[lemma] for lemma in sorted(best))

    @cached_property
    def options(self) -> tuple[PredicateOption, ...]:
        """The predicates that sets can have, in a fixed order."""
        options: list[PredicateOption] = []
        for kind, (seen, _) in self.targets.items():
            order = self.harvest.predicate_order
            predicate_first = order[kind.target, True] > order[kind.target, False] or self.openers
            for target in seen:
                if self.openers and kind.target in CLOSED and self._may_be_infinitive(target):
                    continue  # *dass die Bücher gelesen werden* may go on with *kann*
                if self.is_free and kind.target in BARE and "Case=" in target.predicate.feats:
                    continue  # may belong to a noun that follows (Lithuanian *laikomas vėliavas*)
                if not (predicate_first and kind.target in CLOSED):
                    if not self.openers:
                        options.append(PredicateOption(kind, target))
                        if kind.target not in CLOSED and is_transitive(target):
                            options += (
                                PredicateOption(kind, target, opener=word)
                                for word in self.object_openers
                            )
                    elif not (
                        takes_object(kind, target)
                        or target.frame.n_clause > T["verb_object"] * target.frame.n
                    ):
                        options += (
                            PredicateOption(kind, target, opener=word) for word in self.openers
                        )
                    continue
                key = target.predicate._replace(feats="")
                by_word: dict[PredicateWord, Counter[str]] = {}
                for (word, number, precedes, bare), n in self.harvest.predicates_of[key].items():
                    if bare if self.openers else precedes:
                        by_word.setdefault(word, Counter())[number] += n
                for word, numbers in sorted(by_word.items()):
                    in_both_numbers = min(numbers[number] for number in NUMBERS) >= 1
                    frame = self.harvest.frames.get(word.lemma, ValencyCounts())
                    if self.openers and frame.n_oblique > T["verb_oblique"] * frame.n:
                        continue  # *weil die Straße gestoßen war*
                    if numbers.total() >= 2 and (in_both_numbers or not word.has_number):
                        openers = self.openers or (None,)
                        options += (
                            PredicateOption(kind, target, word, opener) for opener in openers
                        )
        return tuple(options)

    def _may_be_infinitive(self, target: PredicateParadigm) -> bool:
        return any(
            form.form in self._infinitives
            for by_gender in target.forms.values()
            for form in by_gender.values()
        )

    @cached_property
    def _infinitives(self) -> frozenset[str]:
        """The forms that are infinitives, in small letters."""
        return frozenset(
            form.lower()
            for form, _, _, feats in self.harvest.analyses
            if "VerbForm=Inf" in feats.split("|")
        )

    def fitting(self, option: PredicateOption) -> dict[str, dict[str, FilledForm]]:
        """The heads that go with one of `options`, with the target's two forms."""
        if id(option) not in self._fitting:
            heads = self.subjects(option.kind.case)
            genders = {self.nouns.gender(head) for head in heads}
            pairs = {gender: option.target.pair(gender) for gender in genders}
            self._fitting[id(option)] = {
                head: pair
                for head in heads
                if (pair := pairs[self.nouns.gender(head)]) is not None
                and self._goes_with(option, head)
            }
        return self._fitting[id(option)]

    def _goes_with(self, option: PredicateOption, head: str) -> bool:
        """Tell whether only one form of a target is possible with a head."""
        kind = option.kind
        neuter = self.nouns.gender(head)[0] == "Neut"
        if kind.target == "adjective" and neuter and "Short" in option.target.predicate.feats:
            return False  # looks like an adverb
        if self.is_free and kind.feature == "Number" and self.nouns.is_adverbial(head):
            return False
        free = self.is_free and not self.openers and kind.feature == "Number"
        if free and head in self._oblique_heads(kind.case):
            return False
        doubtful = free and option.preceding is None and takes_object(kind, option.target)
        return not doubtful or (
            self.looks_like_object(head, kind.case) == (option.opener is not None)
        )

    def _oblique_heads(self, case: str) -> frozenset[str]:
        """Return the heads a form of which may be in another case that stands without an adposition
        below verbs: Lithuanian *kompanijos*, of the company, may begin a clause of negation."""
        if case not in self._oblique:
            seen = self.harvest.dependent_cases
            floor = T["bare_case"] * seen.total()
            cases = [each for each in ("Gen", "Dat") if seen[each] >= floor]
            definite = self.definite(case)
            self._oblique[case] = frozenset(
                head
                for head in (self.subjects(case) if case else ())
                if self.nouns.may_be_in(cases, head, case, definite)
            )
        return self._oblique[case]

    def looks_like_object(self, head: str, case: str) -> bool:
        """Whether a head may be read as an object, in either number."""
        return self.nouns.looks_like_object(head, case, self.definite(case))

    def reserved(self, option: PredicateOption) -> frozenset[str]:
        """The heads that other predicates have more need of: those that cannot look like objects
        where these are few."""
        closed_or_bare = option.opener is None and takes_object(option.kind, option.target)
        if not self.is_free or self.openers or closed_or_bare:
            return frozenset()
        case = option.kind.case
        if case not in self._clear:
            clear = frozenset(
                head for head in self.subjects(case) if not self.looks_like_object(head, case)
            )
            self._clear[case] = clear if len(clear) * T["spread_head"] < 1 else frozenset()
        return self._clear[case]

    def noun(
        self, lemma: str, number: str, case: str, definite: str, *, article: bool, role: str
    ) -> list[ComposedWord] | None:
        """A noun with its article, as words; none where the article's shape is not known."""
        form = self.pairs(case, definite)[lemma][number].form
        gender = self.nouns.gender(lemma)[0]
        ends = self.rules.subject_endings.get(gender, ())
        if ends and number == "Sing" and form.endswith(tuple(ends)) != (role == "cue"):
            return None
        entries = {"Case": case, "Definite": definite, "Gender": gender, "Number": number}
        feats = "|".join(f"{name}={value}" for name, value in entries.items() if value)
        noun = ComposedWord(form, "NOUN", feats, role, lemma)
        if not article:
            return [noun]
        shape = self.writer.article(number, gender, case, form)
        if shape is None:
            return None
        marking = f"Number={number}|" if shape in self._marking_articles else ""
        return [ComposedWord(shape, "DET", f"Definite=Def|{marking}PronType=Art", "", shape), noun]

    def subjects(self, case: str) -> NounPool:
        """The nouns that can be heads in a case, as words in both numbers."""
        if case not in self._subjects:
            definite, article = self.definite(case), has_article(self.subject(case))
            phrases = {
                lemma: {
                    number: self.noun(lemma, number, case, definite, article=article, role="cue")
                    for number in NUMBERS
                }
                for lemma in self.pairs(case, definite)
            }
            self._subjects[case] = in_both_numbers(phrases)
        return self._subjects[case]

    def between(
        self, modifier: Modifier, lemma: str, number: str, verb: PredicateParadigm | None
    ) -> list[ComposedWord] | None:
        """What stands between, as words, its noun in a number."""
        words = self.inner[modifier][lemma][number]
        if not modifier.relative:
            return words
        pair = verb.pair(self.nouns.gender(lemma)) if verb else None
        if pair is None or verb is None:
            return None
        word = ComposedWord(modifier.relative, "PRON", "PronType=Rel", "", modifier.relative)
        comma = [ComposedWord(",", "PUNCT", "_", "", ",")] if modifier.comma else []
        predicate = ComposedWord(
            pair[number].form, "VERB", f"Number={number}", "", verb.predicate.lemma
        )
        return [*comma, word, *words, predicate, *comma]

    @cached_property
    def _marking_articles(self) -> frozenset[str]:
        """The articles that stand with one number alone."""
        numbers: dict[str, Counter[str]] = {}
        for (number, _, _), seen in self.harvest.articles.items():
            for (form, _), n in seen.items():
                numbers.setdefault(form, Counter())[number] += n
        return frozenset(
            form
            for form, seen in numbers.items()
            if max(seen["Sing"], seen["Plur"]) >= T["shape"] * (seen["Sing"] + seen["Plur"])
        )

    def phrase(
        self, modifier: Modifier, lemma: str, number: str, role: str
    ) -> list[ComposedWord] | None:
        """Return the noun of a modifier with its function words."""
        position = modifier.position
        words = self.noun(
            lemma,
            number,
            position.case,
            modifier.definite,
            article=modifier.with_article,
            role=role,
        )
        if words is None or not position.adposition:
            return words
        shape = self.writer.adposition(
            position.adposition, words[0].form, postposed=position.postposed
        )
        if shape is None:
            return None
        adposition = ComposedWord(shape, "ADP", "_", "", position.adposition)
        return [*words, adposition] if position.postposed else [adposition, *words]


def in_both_numbers(phrases: Mapping[str, Mapping[str, list[ComposedWord] | None]]) -> NounPool:
    """The nouns that can be written in both numbers."""
    pool: NounPool = {}
    for lemma, by_number in phrases.items():
        written = {number: words for number, words in by_number.items() if words is not None}
        if len(written) == len(by_number):
            pool[lemma] = written
    return pool
