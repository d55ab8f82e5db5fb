"""The blocks that sets of one language are built from: targets, heads, modifiers, predicates.

A *head* is a subject, a *target* the word that agrees with it, and a *modifier* a phrase between
the two. A *kind* of target is a sort of word, the feature it agrees in, and its subject's case.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from ..variants.ambiguity.pair import entries
from ._nouns import Nouns
from ._predicates import PredicateParadigm, Predicates
from .phrase import (
    COMMA,
    ComposedWord,
    Modifier,
    PhraseWriter,
    definite_of,
    has_article,
    modifiers,
    object_relatives,
)
from .suffixes import FilledForm
from .thresholds import LIMIT, CompositionRules, composition_rules
from .treebank_counts import (
    CLOSED,
    CONTROLLING,
    NUMBERS,
    Kind,
    NounPosition,
    PositionCounts,
    TreebankCounts,
)

if TYPE_CHECKING:
    from ...miner.originals.wordlist import UniMorph

UPOS = {
    "verb": ("VERB",),
    "participle": ("VERB", "ADJ"),
    "adjective": ("ADJ",),
    "auxiliary": ("AUX",),
    "copula": ("AUX",),
}  # sort of target → UPOS tags that names of constructions have for it
SUBJECT_PATHS = ("nsubj", "subject", "absolutive", "ergative", "nominative")
OTHER_PATHS = ("second", "antecedent", "possess")


Phrases: TypeAlias = Mapping[str, list[ComposedWord]]
"""Number of a noun → the words of its phrase"""
NounPool: TypeAlias = dict[str, Phrases]
"""Noun → its phrases in both numbers"""


@dataclass
class SetMaterial:
    """The words and phrases that sets of one language are made from, worked out from the counts of
    a treebank when they are first needed."""

    counts: TreebankCounts
    language: str
    verdicts: Mapping[str, str]  # construction → accepted, undecided or rejected
    word_list: "UniMorph | None" = None  # for missing forms
    _pairs: dict[tuple[str, str], dict[str, dict[str, FilledForm]]] = field(default_factory=dict)
    """(case, definiteness) → the result of `pairs`"""

    @cached_property
    def code(self) -> str:
        """The language code without its region: `pt` for `pt-BR`."""
        return self.language.partition("-")[0]

    @cached_property
    def rules(self) -> CompositionRules:
        """The facts about the language that no treebank shows."""
        return composition_rules(self.language)

    @cached_property
    def nouns(self) -> Nouns:
        """The nouns of the language."""
        return Nouns(self.counts, self.language, self.rules, self.word_list)

    @cached_property
    def predicates(self) -> Predicates:
        """The predicates of the language."""
        return Predicates(self.counts, self.rules, self.word_list, self.code)

    @cached_property
    def writer(self) -> PhraseWriter:
        """The ways in which function words are written."""
        return PhraseWriter(self.counts)

    # targets

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of targets that agree often and regularly with their subjects, and whose
        construction the mining accepted (or left undecided for want of instances). A sort of word
        and feature has one kind, with the most frequent case of subjects."""
        best: dict[tuple[str, str], tuple[int, Kind]] = {}
        for kind, agrees in sorted(self.counts.agreement.items()):
            is_frequent = agrees.total() >= LIMIT["agreement_uses"] and kind.case in CONTROLLING
            is_regular = agrees[True] >= LIMIT["agreement"] * agrees.total()
            if is_frequent and is_regular and self.constructions[kind.target] != "":
                key = kind.target, kind.feature
                best[key] = max(best.get(key, (0, kind)), (agrees.total(), kind))
        return tuple(kind for _, kind in best.values())

    def agrees(self, kind: Kind, noun: str) -> bool:
        """Tell whether targets mostly agree with subjects of a noun's gender and animacy in both
        numbers, in the kind's feature and case: plural neuters of Ancient Greek have singular
        verbs. Too few subjects tell nothing."""
        n_telling, min_share = LIMIT["class_uses"], LIMIT["agreement_class"]
        return all(
            seen.total() < n_telling or seen[True] >= min_share * seen.total()
            for number in NUMBERS
            for seen in (self._agreement[kind.feature, kind.case, number, self.nouns.gender(noun)],)
        )

    @cached_property
    def _agreement(self) -> defaultdict[tuple[str, str, str, tuple[str, str]], Counter[bool]]:
        """(feature, case and number of the subject, its (gender, animacy)) → whether the target,
        of any kind, has that number."""
        table: defaultdict[tuple[str, str, str, tuple[str, str]], Counter[bool]]
        table = defaultdict(Counter)
        for (kind, number, noun_class), seen in self.counts.agreement_by_class.items():
            table[kind.feature, kind.case, number, noun_class].update(seen)
        return table

    @cached_property
    def constructions(self) -> dict[str, str]:
        """Sort of target → the mined construction it belongs to; "" if there is none."""
        return {target: self._construction(target) for target in UPOS}

    def _construction(self, target: str) -> str:
        """Return the name of the mined construction in which a noun is the subject of this sort of
        target; "" if there is none. An accepted construction is preferred to an undecided one."""
        is_closed = target in CLOSED
        paths = CLOSED if is_closed else SUBJECT_PATHS
        excluded_paths = OTHER_PATHS if is_closed else (*OTHER_PATHS, "object")
        for verdict in ("accepted", "undecided"):
            for name, recorded in sorted(self.verdicts.items()):
                # "L": the cue, here the subject, comes first; "X": it stands on either side.
                side, cue, upos, path = (*name.split("__"), "", "", "")[:4]
                if (
                    recorded == verdict
                    and side in ("L", "X")
                    and cue == "NOUN"
                    and upos in UPOS[target]
                    and any(relation in path for relation in paths)
                    and not any(relation in path for relation in excluded_paths)
                ):
                    return name
        return ""

    @cached_property
    def targets(self) -> dict[Kind, tuple[list[PredicateParadigm], Counter[str]]]:
        """Kind of target → its usable predicates, and a count of the reasons why others are not."""
        return {kind: self.predicates.usable_paradigms(kind) for kind in self.kinds}

    @cached_property
    def transitive(self) -> tuple[PredicateParadigm, ...]:
        """The transitive verbs, for object relative clauses; of each lemma only the most frequent
        paradigm (forms in one tense and mood)."""
        best: dict[str, PredicateParadigm] = {}
        for kind, (targets, _) in self.targets.items():
            for target in targets if kind.target == "verb" else ():
                frame, lemma = target.frame, target.predicate.lemma
                is_transitive = frame["nominal"] >= LIMIT["verb_transitive"] * frame["n"]
                if is_transitive and (lemma not in best or target.n > best[lemma].n):
                    best[lemma] = target
        return tuple(best[lemma] for lemma in sorted(best))

    # order

    @cached_property
    def has_free_order(self) -> bool:
        """True if word order is free: objects precede their verbs so often that a noun before a
        verb may be its object."""
        order = self.counts.object_order
        return order[True] > LIMIT["object_first"] * order.total()

    @cached_property
    def openers(self) -> tuple[ComposedWord, ...]:
        """The subordinators that all sets begin with if targets end subordinate clauses but not
        main clauses (German): nothing that the target could agree with can follow it."""
        uses = self.counts.uses
        # whether a clause has a subordinator → share of such clauses that their target ends
        share = {key: seen[True] / seen.total() for key, seen in self.counts.final_targets.items()}
        subordinate_share, main_share = share.get(True, 0), share.get(False, 1)
        if subordinate_share < LIMIT["final_clause"] or main_share > LIMIT["final_main"]:
            return ()
        return tuple(
            ComposedWord(form, "SCONJ", lemma=form)
            for form, n in sorted(self.counts.subordinators.items())
            if n >= LIMIT["subordinator"]
            and form not in self.rules.dated
            and uses(form, "SCONJ") >= LIMIT["shape"] * uses(form)
        )

    @cached_property
    def object_openers(self) -> tuple[ComposedWord, ...]:
        """The object pronouns that can begin a clause if word order is free: the noun after one is
        then no object (Russian *меня*). Plural ones are left out, as the noun may be their
        apposition: *nas žene* is *us women*."""
        if not self.has_free_order:
            return ()
        forms = self.rules.object_pronouns or [
            form
            for form, seen in sorted(self.counts.pronouns.items())
            if not seen["subject"]
            and not seen["apposition"]
            and seen["object"] >= LIMIT["opener_uses"]
            and min(seen["first"], seen["apart"]) >= 1
        ]
        return tuple(ComposedWord(form, "PRON", lemma=form) for form in forms)

    # nouns

    def subject(self, case: str) -> PositionCounts:
        """Return the counts of subjects in a case."""
        position = NounPosition("subject", "", False, case)
        return self.counts.positions.get(position, PositionCounts())

    def definite(self, case: str) -> str:
        """Return the value of the feature Definite that heads (subjects) in a case get in sets; ""
        if nouns of the language do not have the feature."""
        return definite_of(self.subject(case))

    def pairs(self, case: str, definite: str) -> dict[str, dict[str, FilledForm]]:
        """Return noun → number → form, for the usable nouns whose singular and plural with this
        case and definiteness are both known and unambiguous."""
        key = case, definite
        if key not in self._pairs:
            pairs = ((lemma, self.nouns.pair(lemma, *key)) for lemma in self.nouns.usable)
            self._pairs[key] = {lemma: pair for lemma, pair in pairs if pair is not None}
        return self._pairs[key]

    @cached_property
    def subjects(self) -> dict[str, NounPool]:
        """Case of subjects → the nouns that can be heads in it, with their phrases in both
        numbers."""
        pools: dict[str, NounPool] = {}
        for case in {kind.case for kind in self.kinds}:
            definite, article = self.definite(case), has_article(self.subject(case))
            position = NounPosition("subject", "", False, case)
            subject = Modifier(position, article, definite, 0, 0)
            pools[case] = self.pool(subject, self.pairs(case, definite), "cue")
        return pools

    def pool(self, modifier: Modifier, lemmas: Iterable[str], role: str) -> NounPool:
        """Return those of the nouns `lemmas` that a modifier can have, with the modifier's words in
        both numbers. `role`: the noun's role in the sentence (cue, attractor or first)."""
        pool: NounPool = {}
        for lemma in lemmas:
            phrases = {number: self._phrase(modifier, lemma, number, role) for number in NUMBERS}
            if all(phrases.values()):
                pool[lemma] = phrases
        return pool

    def _phrase(self, modifier: Modifier, lemma: str, number: str, role: str) -> list[ComposedWord]:
        """Return the words of a noun phrase in their order: an adposition, an article, the noun; or
        with the adposition last. Return [] if the treebank does not show which form the article or
        adposition has here, or if a Bulgarian noun has the wrong ending for its role."""
        position, definite = modifier.position, modifier.definite
        form = self.pairs(position.case, definite)[lemma][number].form
        gender, _ = self.nouns.gender(lemma)
        # Bulgarian masculines have one definite ending as subjects, and another otherwise.
        endings = tuple(self.rules.subject_endings.get(gender, ()))
        has_subject_ending, is_subject = form.endswith(endings), role == "cue"
        if endings and number == "Sing" and has_subject_ending != is_subject:
            return []
        entries = {
            "Case": position.case, "Definite": definite, "Gender": gender, "Number": number
        }  # fmt: skip
        feats = "|".join(f"{name}={value}" for name, value in entries.items() if value)
        words = [ComposedWord(form, "NOUN", feats, role, lemma)]
        if modifier.with_article:
            article = self.writer.article(number, gender, position.case, form)
            if article is None:
                return []
            number_entry = f"Number={number}|" if self._shows_number(article, number) else ""
            feats = f"Definite=Def|{number_entry}PronType=Art"
            words.insert(0, ComposedWord(article, "DET", feats, lemma=article))
        if position.adposition:
            following = "" if position.postposed else words[0].form
            adposition = self.writer.adposition(position.adposition, following)
            if adposition is None:
                return []
            word = ComposedWord(adposition, "ADP", lemma=position.adposition)
            words = [*words, word] if position.postposed else [word, *words]
        return words

    @cached_property
    def _article_numbers(self) -> Counter[tuple[str, str]]:
        """(article, number of its noun) → uses."""
        seen: Counter[tuple[str, str]] = Counter()
        for (number, _, _), articles in self.counts.articles.items():
            for (form, _), n in articles.items():
                seen[form, number] += n
        return seen

    def _shows_number(self, article: str, number: str) -> bool:
        """Tell whether an article's form reveals this number: the treebank has it almost only with
        nouns in this number."""
        uses = {each: self._article_numbers[article, each] for each in NUMBERS}
        return uses[number] >= LIMIT["shape"] * sum(uses.values())

    # what stands between head and target

    @cached_property
    def modifier_pools(self) -> dict[Modifier, NounPool]:
        """The modifiers: phrases that can stand between head and target, each with the nouns that
        it can have; those with too few nouns are left out. A relative clause has only its subject
        here: its verb is chosen for each set."""
        cases = {kind.case for kind in self.kinds}
        choices = modifiers(
            self.counts, self.writer, self.kinds,
            with_articles=any(has_article(self.subject(case)) for case in cases),
            excluded_adpositions=entries("company", self.code),
        )  # fmt: skip
        follow_nouns = bool(choices) and choices[0].position.kind == "nmod"
        if follow_nouns and self.transitive and len(cases) == 1:
            choices += [
                relative
                for relative in self.relatives(min(cases))
                if relative.n >= LIMIT["modifier_heads"]
            ]
        pools = {
            modifier: self.pool(
                modifier, self.pairs(modifier.position.case, modifier.definite), "attractor"
            )
            for modifier in choices
        }
        min_nouns = LIMIT["modifier_nouns"]
        return {modifier: pool for modifier, pool in pools.items() if len(pool) >= min_nouns}

    def relatives(self, case: str) -> list[Modifier]:
        """Return the kinds of object relative clauses (*that the author reads*) whose subject is in
        a case."""
        return object_relatives(
            self.counts, case,
            with_articles=has_article(self.subject(case)), definite=self.definite(case),
        )  # fmt: skip

    def phrase(
        self, modifier: Modifier, lemma: str, number: str, verb: PredicateParadigm | None
    ) -> list[ComposedWord]:
        """Return the words of a modifier whose noun is in a number. A relative clause also needs
        its `verb`, which must have forms that agree with the noun."""
        words = self.modifier_pools[modifier][lemma][number]
        if verb is None or not modifier.relative:
            return words
        forms = verb.pair(self.nouns.gender(lemma))
        assert forms is not None
        predicate = ComposedWord(
            forms[number].form, "VERB", f"Number={number}", lemma=verb.predicate.lemma
        )
        comma = [COMMA] if modifier.comma else []  # after the clause, as before it
        return [*modifier.start, *words, predicate, *comma]
