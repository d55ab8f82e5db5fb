"""The blocks of one language: kinds of targets, heads, modifiers, predicates that go together."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..variants.ambiguity.pair import entries
from ._language_facts import CompositionRules, language_named
from ._nouns import Nouns, usable_content_forms
from ._predicates import (
    CLOSED,
    PredicateParadigm,
    targets,
)
from ._treebank_counts import (
    CONTROLLING,
    Kind,
    NounPosition,
    PositionCounts,
    TreebankCounts,
)
from .phrase import (
    ComposedWord,
    Modifier,
    PhraseWriter,
    definite_of,
    has_article,
    modifiers,
    object_relatives,
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
SUBJECT_PATHS = ("nsubj", "subject", "absolutive", "ergative", "nominative")
OTHER_PATHS = ("second", "antecedent", "possess")


NounPool: TypeAlias = dict[str, dict[str, list[ComposedWord]]]
"""Noun → number → its words"""


@dataclass
class SetMaterial:
    """What sets of one language are made from."""

    harvest: TreebankCounts
    language: str
    verdicts: Mapping[str, str]  # construction → accepted, undecided or rejected
    word_list: Path | None = None  # of UniMorph
    _pairs: dict[tuple[str, str], dict[str, dict[str, FilledForm]]] = field(default_factory=dict)
    _subjects: dict[str, NounPool] = field(default_factory=dict)
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
            choices += self.relatives(min(cases), T["modifier_heads"])
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

    def relatives(self, case: str, uses: float) -> list[Modifier]:
        """Return the object relative clauses whose subject is in a case."""
        return object_relatives(
            self.harvest, case, uses,
            with_articles=has_article(self.subject(case)), definite=self.definite(case),
        )  # fmt: skip

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
