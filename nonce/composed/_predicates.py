"""The predicates of a treebank whose forms in both numbers are known."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...data.items.features import parse_feats, with_value
from ..variants.frames.usable_forms import is_word
from ._language_facts import CompositionRules
from ._treebank_counts import Kind, Predicate, PredicateForm, TreebankCounts, ValencyCounts
from .suffixes import (
    NUMBERS,
    RULE,
    TREEBANK,
    FilledForm,
    SuffixRules,
    change,
    elected,
    from_word_list,
)
from .thresholds import T

if TYPE_CHECKING:
    from ...miner.originals.unimorph.wordlist import UniMorph

CLOSED = ("auxiliary", "copula")


@dataclass(frozen=True)
class PredicateParadigm:
    """A predicate with its forms in both numbers."""

    predicate: Predicate
    feature: str
    forms: Mapping[str, Mapping[tuple[str, str], FilledForm]]  # number → (gender, animacy) → form
    frame: ValencyCounts
    n: int  # uses of its forms

    def pair(self, gender: tuple[str, str]) -> dict[str, FilledForm] | None:
        """The two forms that go with a controller of this gender and animacy."""
        forms: dict[str, FilledForm] = {}
        for number in NUMBERS:
            fitting = [
                form
                for key, form in sorted(self.forms.get(number, {}).items())
                if all(map(_is_compatible, key, gender))
            ]
            if len({filled.form for filled in fitting}) != 1:
                return None
            forms[number] = fitting[0]
        return forms if forms["Sing"].form != forms["Plur"].form else None


def _is_compatible(value: str, required: str) -> bool:
    return not value or not set(value.split(",")).isdisjoint(required.split(","))


def targets(
    harvest: TreebankCounts,
    kind: Kind,
    language: CompositionRules,
    unimorph: "UniMorph | None" = None,
    *,
    matrix: bool = False,
) -> tuple[list[PredicateParadigm], Counter[str]]:
    """Return the predicates of a kind whose forms in both numbers are known, and why others are
    not. `matrix`: verbs of matrix clauses, which no model is asked about, need less."""
    by_form = _uses_by_form(harvest)
    active: dict[str, set[str]] = {}  # forms of auxiliaries that are not passive alone: *wird*
    for predicate, seen in harvest.predicates.items():
        if predicate.upos == "AUX" and "Voice=Pass" not in predicate.feats:
            active.setdefault(predicate.lemma, set()).update(form.form for form in seen)
    groups: dict[str, dict[Predicate, dict[PredicateForm, int]]] = {}
    for predicate, seen in harvest.predicates.items():
        feats, _, feature = predicate.feats.rpartition("@")
        if predicate.target == kind.target and feature == kind.feature:
            feats = feats.rstrip("|")
            if kind.feature == "Number[abs]" and "[erg]" in feats:
                continue  # an absolutive subject has no ergative beside it
            if kind.feature == "Number[erg]" and "Number[abs]=Plur" in feats:
                continue  # its singular looks like an absolutive plural
            if _is_plain(feats, aspect=language.perfective_needs_particle) and _is_bare(
                harvest, kind, feats
            ):
                for name, part in _split(seen) if kind.target in CLOSED else [("", dict(seen))]:
                    own_name = predicate._replace(feats=f"{predicate.feats}{name}")
                    groups.setdefault(feats + name, {})[own_name] = part
    usable: list[PredicateParadigm] = []
    lacking: Counter[str] = Counter()
    for _, group in sorted(groups.items()):
        filler = _Filler(group, unimorph)
        for predicate, uses in sorted(group.items()):
            forms, reason = filler.forms(predicate)
            if not reason:
                unfit = _unfit_in_matrix if matrix else _unfit
                reason = unfit(predicate, forms, harvest, language, by_form)
            if reason:
                lacking[reason] += 1
                continue
            frame = harvest.frames[predicate.lemma]
            if kind.target in CLOSED:
                passive = "Voice=Pass" in predicate.feats and not any(
                    form.form in active.get(predicate.lemma, ()) for form in uses
                )
                frame = harvest.auxiliaries[predicate.lemma, passive]
            usable.append(
                PredicateParadigm(predicate, kind.feature, forms, frame, sum(uses.values()))
            )
    return usable, lacking


def _split(seen: Mapping[PredicateForm, int]) -> list[tuple[str, dict[PredicateForm, int]]]:
    """The forms of a closed word as paradigms of their own where the annotation does not tell them
    apart: Basque *da/dira* and *zen/ziren*, which share their beginnings and ends."""
    if any(form.gender for form in seen) or len(_tops(seen)) == 2:
        return [("", dict(seen))]
    by_number = {
        number: {form: n for form, n in seen.items() if form.number == number} for number in NUMBERS
    }
    paradigms = []
    for singular in sorted(by_number["Sing"]):
        for plural in sorted(by_number["Plur"]):
            often = all(
                seen[form] >= max(3, 0.1 * sum(by_number[form.number].values()))
                for form in (singular, plural)
            )
            if often and _differs_by_infix(singular.form, plural.form):
                part = {singular: seen[singular], plural: seen[plural]}
                paradigms.append((f"#{singular.form}", part))
    return paradigms


def _differs_by_infix(shorter: str, longer: str) -> bool:
    """Whether a form is another with letters put in."""
    if len(shorter) > len(longer):
        shorter, longer = longer, shorter
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    return start > 0 and start < len(shorter) and longer.endswith(shorter[start:])


def _is_plain(feats: str, *, aspect: bool) -> bool:
    """Whether a paradigm is that of a plain statement."""
    entries = parse_feats(feats or "_")
    if entries.get("Mood", "Ind") != "Ind" or entries.get("Polarity", "Pos") == "Neg":
        return False
    if any(name.startswith("Person[") and value != "3" for name, value in entries.items()):
        return False
    perfective = entries.get("Aspect") == "Perf" and entries.get("Tense") != "Past"
    unusual = {"Poss", "Foreign", "Style", "Reflex", "PronType", "NumType", "Clitic", "Polite"}
    return (
        not (aspect and perfective)
        and unusual.isdisjoint(entries)
        and entries.get("Tense") != "Pqp"
        and entries.get("Case", "Nom") in ("Nom", "Abs")
        and entries.get("Degree", "Pos") == "Pos"
    )


def _is_bare(harvest: TreebankCounts, kind: Kind, feats: str) -> bool:
    """Whether adjectives or participles of this paradigm are predicates without a copula or an
    auxiliary; the short ones alone where a language has them."""
    if kind.target not in ("adjective", "participle"):
        return True
    bare = {
        key: harvest.bare[key, True]
        for key, _ in harvest.bare
        if ("VerbForm" in key) == (kind.target == "participle")
        and harvest.bare[key, True] >= T["agreement_uses"]
        and harvest.bare[key, True]
        >= T["bare_adjective"] * (harvest.bare[key, True] + harvest.bare[key, False])
    }
    short = [key for key in bare if "Variant=Short" in key]
    return feats in (short or bare)


class _Filler:
    """Fills paradigms of one kind: what the words of a group show of each other."""

    def __init__(
        self, group: Mapping[Predicate, Mapping[PredicateForm, int]], unimorph: "UniMorph | None"
    ) -> None:
        self.unimorph = unimorph
        self.tops = {predicate: _tops(seen) for predicate, seen in group.items()}
        cells = sorted({cell for tops in self.tops.values() for cell in tops})
        self.cells = cells
        self.rules: dict[tuple[str, str, str] | str, dict[tuple[str, str, str], SuffixRules]] = {}
        for cell in cells:
            sources: list[tuple[str, str, str] | str] = ["lemma", *cells]
            for source in sources:
                if source != cell:
                    pairs = [
                        ("", self._source(predicate, tops, source), tops[cell].form)
                        for predicate, tops in self.tops.items()
                        if cell in tops and self._source(predicate, tops, source)
                    ]
                    self.rules.setdefault(source, {})[cell] = SuffixRules(pairs)

    def forms(
        self, predicate: Predicate
    ) -> tuple[dict[str, dict[tuple[str, str], FilledForm]], str]:
        """The forms by number, and why there are none."""
        tops = dict(self.tops[predicate])
        for cell, top in list(tops.items()):
            ruled = self._from_rules(predicate, tops, cell, sure=True)
            if ruled and ruled != top.form and top.n < T["against"]:
                return {}, "forms against the rule"
        filled: dict[tuple[str, str, str], FilledForm] = {}
        for cell in self.cells:
            if cell not in tops and any(cell[1] in (key[1], "") for key in tops):
                candidate = self._from_list(predicate, cell)
                if candidate is None and (form := self._from_rules(predicate, tops, cell)):
                    candidate = FilledForm(form, RULE, 0)
                if candidate is not None:
                    filled[cell] = candidate
        tops |= filled
        forms: dict[str, dict[tuple[str, str], FilledForm]] = {}
        for (number, gender, animacy), form_of in tops.items():
            forms.setdefault(number, {})[gender, animacy] = form_of
        missing = [number for number in NUMBERS if number not in forms]
        return forms, f"no form for {missing[0]}" if missing else ""

    def _from_list(self, predicate: Predicate, cell: tuple[str, str, str]) -> FilledForm | None:
        """The form of a cell by the word list, from that of the other number."""
        counterpart = ("Plur" if cell[0] == "Sing" else "Sing", *cell[1:])
        base = self.tops[predicate].get(counterpart)
        if self.unimorph is None or base is None:
            return None
        feats = predicate.feats.partition("@")[0].strip("|") or "_"
        feats = with_value(feats, "Number", counterpart[0])
        return from_word_list(
            self.unimorph, base.form, predicate.lemma, predicate.upos, feats, cell[0]
        )

    def _from_rules(
        self,
        predicate: Predicate,
        tops: Mapping[tuple[str, str, str], FilledForm],
        cell: tuple[str, str, str],
        *,
        sure: bool = False,
    ) -> str:
        votes: Counter[str] = Counter()
        for source, by_cell in self.rules.items():
            form = self._source(predicate, tops, source)
            if source != cell and form and cell in by_cell and by_cell[cell].is_sound:
                without = None
                if sure:
                    without = change(form, tops[cell].form)
                floor = T["rule_against" if sure else "rule_consistency"]
                predicted = by_cell[cell].predict("", form, without, floor)
                votes[predicted] += bool(predicted)
        best = elected(votes)
        return best.form if best else ""

    @staticmethod
    def _source(
        predicate: Predicate,
        tops: Mapping[tuple[str, str, str], FilledForm],
        source: tuple[str, str, str] | str,
    ) -> str:
        if isinstance(source, str):
            return predicate.lemma if predicate.lemma != "_" else ""
        return tops[source].form if source in tops else ""


def _tops(seen: Mapping[PredicateForm, int]) -> dict[tuple[str, str, str], FilledForm]:
    """(number, gender, animacy) → the form that most uses have."""
    cells: dict[tuple[str, str, str], Counter[str]] = {}
    for form, n in seen.items():
        if form.number in NUMBERS:
            cells.setdefault(form[:3], Counter())[form.form] += n
    return {
        cell: FilledForm(form, TREEBANK, n)
        for cell, counts in sorted(cells.items())
        for form, n in [max(sorted(counts.items()), key=lambda entry: entry[1])]
        if n >= T["noun_top"] * counts.total()
    }


def _is_mostly(
    upos: str, form: str, by_form: Mapping[str, Counter[tuple[str, str]]], floor: float
) -> bool:
    """Tell whether at least this share of a form's uses are of a part of speech."""
    seen = by_form.get(form, Counter[tuple[str, str]]())
    return sum(n for (tag, _), n in seen.items() if tag == upos) >= floor * seen.total()


def _is_noun(form: str, by_form: Mapping[str, Counter[tuple[str, str]]]) -> bool:
    """Tell whether a form is used as a noun too, which the noun before it might modify: *crime
    produce*."""
    seen = by_form.get(form, Counter[tuple[str, str]]())
    n_nouns = sum(n for (tag, _), n in seen.items() if tag == "NOUN")
    return n_nouns > T["noun_form"] * seen.total()


def _unfit(
    predicate: Predicate,
    forms: Mapping[str, Mapping[tuple[str, str], FilledForm]],
    harvest: TreebankCounts,
    language: CompositionRules,
    by_form: Mapping[str, Counter[tuple[str, str]]],
) -> str:
    """Why a predicate may not be a target; "" if it may."""
    for number, cells in forms.items():
        for filled in cells.values():
            if not _is_mostly(predicate.upos, filled.form, by_form, T["verb_own_pos"]):
                return "forms of another part of speech"
            if _is_noun(filled.form, by_form):
                return "forms of a noun"
            numbers = Counter[str]()
            for (_, value), n in by_form.get(filled.form, {}).items():
                numbers[value] += n
            other_number = "Plur" if number == "Sing" else "Sing"
            if numbers[other_number] > 0.1 * (numbers[number] + numbers[other_number]):
                return "forms of both numbers"
            if not filled.form.isalpha() and not is_word(filled.form):
                return "no word"
    n = sum(filled.n for cells in forms.values() for filled in cells.values())
    if n < T["verb_tokens"]:
        return "too rare"
    if predicate.lemma in language.impersonal:
        return "impersonal"
    if predicate.lemma in language.motion:
        return "with an infinitive of purpose"
    if predicate.target != "verb" and predicate.upos != "VERB":
        return ""
    frame = harvest.frames[predicate.lemma]
    if language.object_suffixes and frame.n_object > T["verb_object"] * frame.n:
        return "forms with an object"
    if frame.n < T["verb_uses"]:
        return "too rare"
    if frame.n_subject < T["verb_subject"]:
        return "without a subject"
    if frame.n_bound > T["verb_bound"] * frame.n:
        return "with reflexive or particle"
    if frame.n_oblique > T["verb_oblique"] * frame.n:
        return "with a prepositional complement"
    return ""


def _unfit_in_matrix(
    predicate: Predicate,
    forms: Mapping[str, Mapping[tuple[str, str], FilledForm]],
    harvest: TreebankCounts,
    language: CompositionRules,
    by_form: Mapping[str, Counter[tuple[str, str]]],
) -> str:
    """Return why a verb may not be that of a matrix clause; "" if it may. `say` and `know` are
    infinitives too, so that a form need not be of one number alone."""
    n = 0
    for cells in forms.values():
        for filled in cells.values():
            if not _is_mostly(predicate.upos, filled.form, by_form, T["matrix_own_pos"]):
                return "forms of another part of speech"
            if filled.form in language.dated or not is_word(filled.form):
                return "no word"
            n += filled.n
    return "too rare" if n < T["matrix_tokens"] else ""


def _uses_by_form(harvest: TreebankCounts) -> dict[str, Counter[tuple[str, str]]]:
    """Small form → (UPOS, number) of its uses."""
    table: dict[str, Counter[tuple[str, str]]] = {}
    for (form, _, upos, feats), n in harvest.analyses.items():
        if upos != "_":
            number = parse_feats(feats).get("Number", "")
            table.setdefault(form.lower(), Counter())[upos, number] += n
    return table


def is_transitive(target: PredicateParadigm) -> bool:
    """Tell whether a predicate has objects in the accusative as a rule, in this paradigm (Russian
    *-ся* has none, Ukrainian *належати* those in the dative)."""
    voice = parse_feats(target.predicate.feats.partition("@")[0].strip("|") or "_").get("Voice")
    frame = target.frame
    return voice in (None, "Act") and frame.n_accusative >= T["opener_object"] * frame.n


def takes_object(kind: Kind, target: PredicateParadigm) -> bool:
    """Tell whether an object may stand before a target: its own, or that of a clause or a passive
    that is still to come."""
    frame = target.frame
    passive = "Voice=Pass" in target.predicate.feats
    return (
        kind.target in CLOSED
        or takes_clause(target, T["verb_complement"])
        or (frame.n_object > T["verb_object"] * frame.n and not passive)
    )


def takes_clause(target: PredicateParadigm, share: float) -> bool:
    """Tell whether more than a share of a predicate's uses have a clause or an infinitive below it,
    whose subject or object may stand before it (Ukrainian *документи поїхав перевіряти директор*).
    """
    return target.frame.n_complement > share * target.frame.n
