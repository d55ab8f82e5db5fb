"""Forms of nouns and predicates in the cells that a set asks for: attested, or filled by rule.

A suffix rule turns one form of a word into another (*-y* → *-ies*); it is learned from the words
of the treebank that show both, and used where enough of them bear it out. Each word is left out
in turn to see how often the rules are right; where they are weak they are off.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from colorless_green.miner.features import parse_feats, with_value
from colorless_green.nonce.composed.harvest import Cell, Form, Frame, Harvest, Kind, Predicate
from colorless_green.nonce.composed.thresholds import T
from colorless_green.nonce.frames.soundness import Soundness, is_word, soundness_of

if TYPE_CHECKING:
    from colorless_green.miner.unimorph.wordlist import UniMorph

NUMBERS = ("Sing", "Plur")
LONGEST = 5  # letters of a suffix that a rule looks at
CLOSED = ("auxiliary", "copula")
ODD = {"ru": ("Loc", "у ю")}  # *в саду*, but *о саде*
TREEBANK, RULE, UNIMORPH = "treebank", "rule", "unimorph"


class Filled(NamedTuple):
    """A form and where it is from."""

    form: str
    source: str  # treebank, rule or unimorph
    n: int  # uses in the treebank


class Rules:
    """Suffix rules from one cell to another, from pairs (class of word, form, form)."""

    def __init__(self, pairs: Iterable[tuple[str, str, str]]) -> None:
        self.counts: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
        known = sorted(set(pairs))
        for kind, old, new in known:
            change = _change(old, new)
            for suffix in _suffixes(old, len(change[0])):
                self.counts.setdefault((kind, suffix), Counter())[change] += 1
        judged = [
            (self.predict(kind, old, without=_change(old, new)), new) for kind, old, new in known
        ]
        told = [(made, new) for made, new in judged if made]
        self.n_right = sum(made == new for made, new in told)
        self.n_told = len(told)

    @property
    def is_sound(self) -> bool:
        """Whether the rules are right often enough about words that they did not see."""
        least = T["rule_support"]
        return self.n_told >= least and self.n_right >= T["rule_accuracy"] * self.n_told

    def predict(self, kind: str, form: str, without: tuple[str, str] | None = None) -> str:
        """The other form by the longest suffix that is sure of it; "" if none is."""
        for suffix in reversed(list(_suffixes(form, 0))):
            seen = self.counts.get((kind, suffix))
            if seen is None:
                continue
            total = seen.total() - (without is not None)
            best, n = max(
                ((change, n - (change == without)) for change, n in seen.items()),
                key=lambda one: (one[1], one[0]),
            )
            if total >= T["rule_support"] and n >= T["rule_consistency"] * total:
                strip, add = best
                return form[: len(form) - len(strip)] + add if form.endswith(strip) else ""
        return ""


def _listed(
    unimorph: "UniMorph", form: str, lemma: str, upos: str, feats: str, number: str
) -> Filled | None:
    """A form with another number from a word list, if there is just one."""
    from colorless_green.miner.unimorph.wordlist import alternates

    found = alternates(unimorph, form, lemma, upos, feats, "Number", number).forms
    return Filled(found[0], UNIMORPH, 0) if len(found) == 1 else None


def _elected(votes: Counter[str]) -> Filled | None:
    """The form that nearly all sources lead to."""
    votes = +votes
    if not votes:
        return None
    form, n = max(sorted(votes.items()), key=lambda one: one[1])
    return Filled(form, RULE, 0) if n >= T["noun_top"] * votes.total() else None


def _change(old: str, new: str) -> tuple[str, str]:
    """What is taken from the end of one form, and what is put there."""
    shared = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        shared += 1
    return old[shared:], new[shared:]


def _suffixes(form: str, least: int) -> Iterable[str]:
    """The ends of a form, the empty one first, that hold at least what is taken off."""
    yield ""
    for length in range(max(1, least), min(LONGEST, len(form) - 1) + 1):
        yield form[-length:]


@dataclass
class Nouns:
    """The nouns of a treebank that may stand in a composed set."""

    harvest: Harvest
    sound: Soundness
    language: str = ""
    unimorph: "UniMorph | None" = None
    _rules: dict[tuple[Cell, Cell], Rules] = field(default_factory=dict)

    @cached_property
    def cells(self) -> dict[str, dict[Cell, Counter[str]]]:
        """Lemma → cell → forms, in small letters where the language writes nouns so."""
        capitals = Counter(
            form[:1].isupper()
            for cells in self.harvest.nouns.values()
            for seen in cells.values()
            for form in seen
        )
        if capitals[True] > capitals[False]:
            return self.harvest.nouns
        table: dict[str, dict[Cell, Counter[str]]] = {}
        for lemma, cells in self.harvest.nouns.items():
            for cell, seen in cells.items():
                small = table.setdefault(lemma, {}).setdefault(cell, Counter())
                for form, n in seen.items():
                    small[form.lower()] += n
        return table

    @cached_property
    def usable(self) -> tuple[str, ...]:
        """Lemmas of common nouns: frequent enough, of one gender, seldom names, in both numbers."""
        found = []
        for lemma, cells in self.cells.items():
            n_tokens = sum(seen.total() for seen in cells.values())
            numbers = self._numbers(lemma)
            genders = self.harvest.noun_feats[lemma]
            few = min(numbers[each] for each in NUMBERS) < T["noun_each"]
            if (
                n_tokens >= T["noun_tokens"]
                and not (few and n_tokens < T["noun_filled"])
                and min(numbers[each] for each in NUMBERS) >= 1
                and numbers["Plur"] >= T["noun_plural"] * (numbers["Sing"] + numbers["Plur"])
                and max(genders.values()) >= T["noun_gender"] * n_tokens
                and self._is_common(lemma)
            ):
                found.append(lemma)
        return tuple(sorted(found))

    def gender(self, lemma: str) -> tuple[str, str]:
        """(gender, animacy) of a noun, as most of its uses have it."""
        seen = self.harvest.noun_feats[lemma]
        return max(sorted(seen), key=seen.__getitem__)

    def form(self, lemma: str, cell: Cell) -> Filled | None:
        """A noun's form in a cell; none where it is neither seen nor sure."""
        cells = self.cells[lemma]
        seen = cells.get(cell)
        if seen:
            form, n = max(sorted(seen.items()), key=lambda one: one[1])
            top = n >= T["noun_top"] * seen.total()
            good = is_word(form) and (form, lemma) in self._sound_forms
            good = good and not self._is_odd(cell, form)
            return Filled(form, TREEBANK, n) if top and good else None
        votes: Counter[str] = Counter()
        for source in sorted(cells):
            form = max(sorted(cells[source]), key=cells[source].__getitem__)
            if source != cell and is_word(form):
                rules = self.rules(source, cell)
                made = rules.predict("|".join(self.gender(lemma)), form) if rules.is_sound else ""
                if not made and source.number == cell.number and source.case in ("Nom", "Abs", ""):
                    rules = self.pooled(source, cell)
                    gender = "|".join(self.gender(lemma))
                    made = rules.predict(gender, form) if rules.is_sound else ""
                votes[made] += bool(made)
        elected = _elected(votes)
        if elected is None and self.unimorph is not None:
            other = cell._replace(number="Plur" if cell.number == "Sing" else "Sing")
            if cells.get(other):
                known = max(sorted(cells[other]), key=cells[other].__getitem__)
                told = {"Case": cell.case, "Definite": cell.definite}
                feats = "|".join(f"{name}={value}" for name, value in told.items() if value)
                feats = with_value(feats or "_", "Number", other.number)
                return _listed(self.unimorph, known, lemma, "NOUN", feats, cell.number)
        return elected

    def _is_odd(self, cell: Cell, form: str) -> bool:
        """Whether a form of a cell stands after certain adpositions alone."""
        case, pattern = ODD.get(self.language, ("", ""))
        return bool(case) and cell.case == case and form.endswith(tuple(pattern.split()))

    def pair(self, lemma: str, case: str, definite: str) -> dict[str, Filled] | None:
        """A noun's forms in both numbers, if they differ and share their beginning."""
        found = {each: self.form(lemma, Cell(case, each, definite)) for each in NUMBERS}
        singular, plural = found["Sing"], found["Plur"]
        if singular is None or plural is None:
            return None
        one, other = singular.form.lower(), plural.form.lower()
        if one == other or one[:2] != other[:2]:
            return None
        if case not in ("", "Nom", "Abs", "Erg", "Acc") and any(
            each.n > T["one_form"] * self._n(lemma) for each in (singular, plural)
        ):
            return None  # relational: *ellentétben*, *puolella*
        if self._is_of_both(one, case) or self._is_of_both(other, case):
            return None
        return {"Sing": singular, "Plur": plural}

    def rules(self, source: Cell, cell: Cell) -> Rules:
        """The suffix rules from one cell to another, by gender."""
        key = (source, cell)
        if key not in self._rules:
            pairs = []
            for lemma, cells in self.cells.items():
                if source in cells and cell in cells:
                    one, other = (
                        max(sorted(cells[each]), key=cells[each].__getitem__) for each in key
                    )
                    pairs.append(("|".join(self.gender(lemma)), one, other))
            self._rules[key] = Rules(pairs)
        return self._rules[key]

    def pooled(self, source: Cell, cell: Cell) -> Rules:
        """The suffix rules from one case to another whatever the number: many languages have one
        suffix a case, after that of number."""
        key = (source._replace(number=""), cell._replace(number=""))
        if key not in self._rules:
            pairs = []
            for lemma, cells in self.cells.items():
                gender = "|".join(self.gender(lemma))
                for number in NUMBERS:
                    one, other = (cells.get(each._replace(number=number)) for each in key)
                    if one and other:
                        tops = (max(sorted(seen), key=seen.__getitem__) for seen in (one, other))
                        pairs.append((gender, *tops))
            self._rules[key] = Rules(pairs)
        return self._rules[key]

    def looks_like_object(self, lemma: str, case: str, definite: str) -> bool:
        """Whether the noun's controlling case may look like an object's, in either number."""
        if case not in ("Nom", ""):
            return False
        if case and not self._syncretism:
            return False  # no noun of the language has an accusative
        gender = self.gender(lemma)
        return any(self._syncretism.get((gender, each), True) for each in NUMBERS)

    @cached_property
    def _syncretism(self) -> dict[tuple[tuple[str, str], str], bool]:
        alike: dict[tuple[tuple[str, str], str], Counter[bool]] = {}
        for lemma, cells in self.cells.items():
            for cell, seen in cells.items():
                other = cells.get(cell._replace(case="Acc"))
                if cell.case == "Nom" and other:
                    count = alike.setdefault((self.gender(lemma), cell.number), Counter())
                    count[not set(seen).isdisjoint(other)] += 1
        return {key: count[True] >= T["syncretism"] * count.total() for key, count in alike.items()}

    @cached_property
    def _sound_forms(self) -> frozenset[tuple[str, str]]:
        return frozenset(
            (form, lemma) for form, lemma, upos, _ in self.sound.analyses if upos == "NOUN"
        )

    @cached_property
    def _by_form(self) -> dict[str, Counter[str]]:
        """Small form → number and case of its uses as a noun, "PROPN" for those as a name."""
        table: dict[str, Counter[str]] = {}
        for (form, _, upos, feats), n in self.harvest.analyses.items():
            if upos in ("NOUN", "PROPN"):
                seen = table.setdefault(form.lower(), Counter())
                entries = parse_feats(feats)
                told = f"{entries.get('Number', '')} {entries.get('Case', '')}"
                seen[told if upos == "NOUN" else upos] += n
        return table

    def _is_of_both(self, form: str, case: str) -> bool:
        """Whether a form is used in both numbers of a case."""
        seen = self._by_form.get(form, Counter[str]())
        one, other = sorted(seen[f"{each} {case}"] for each in NUMBERS)
        return one >= 1 and one >= 0.1 * other

    def _is_common(self, lemma: str) -> bool:
        seen: Counter[str] = Counter()
        for counts in self.cells[lemma].values():
            for form in counts:
                seen += self._by_form.get(form.lower(), Counter())
        return seen["PROPN"] < T["noun_name"] * seen.total()

    def _numbers(self, lemma: str) -> Counter[str]:
        numbers: Counter[str] = Counter()
        for cell, seen in self.cells[lemma].items():
            numbers[cell.number] += seen.total()
        return numbers

    def _n(self, lemma: str) -> int:
        return self._numbers(lemma).total()


@dataclass(frozen=True)
class Target:
    """A predicate with its forms in both numbers."""

    predicate: Predicate
    feature: str
    forms: Mapping[str, Mapping[tuple[str, str], Filled]]  # number → (gender, animacy) → form
    frame: Frame
    n: int  # uses of its forms

    def pair(self, gender: tuple[str, str]) -> dict[str, Filled] | None:
        """The two forms that go with a controller of this gender and animacy."""
        found: dict[str, Filled] = {}
        for number in NUMBERS:
            fitting = [
                form
                for key, form in sorted(self.forms.get(number, {}).items())
                if all(map(_may_be, key, gender))
            ]
            if len({each.form for each in fitting}) != 1:
                return None
            found[number] = fitting[0]
        return found if found["Sing"].form != found["Plur"].form else None


def _may_be(told: str, wanted: str) -> bool:
    return not told or not set(told.split(",")).isdisjoint(wanted.split(","))


def targets(
    harvest: Harvest, kind: Kind, unimorph: "UniMorph | None" = None, *, aspect: bool
) -> tuple[list[Target], Counter[str]]:
    """The predicates of a kind whose forms in both numbers are known, and why others are not.

    Args:
        aspect: whether perfective presents need a particle, and are left out.
    """
    by_form = _uses_by_form(harvest)
    groups: dict[str, dict[Predicate, dict[Form, int]]] = {}
    for predicate, seen in harvest.predicates.items():
        own, _, feature = predicate.feats.rpartition("@")
        if predicate.target == kind.target and feature == kind.feature:
            feats = own.rstrip("|")
            if kind.feature == "Number[abs]" and "[erg]" in feats:
                continue  # an absolutive subject has no ergative beside it
            if kind.feature == "Number[erg]" and "Number[abs]=Plur" in feats:
                continue  # its singular looks like an absolutive plural
            if _is_plain(feats, aspect=aspect) and _is_bare(harvest, kind, feats):
                for name, part in _parts(seen) if kind.target in CLOSED else [("", dict(seen))]:
                    own_name = predicate._replace(feats=f"{predicate.feats}{name}")
                    groups.setdefault(feats + name, {})[own_name] = part
    found: list[Target] = []
    lacking: Counter[str] = Counter()
    for _, group in sorted(groups.items()):
        filler = _Filler(group, unimorph)
        for predicate, seen in sorted(group.items()):
            forms, reason = filler.forms(predicate, seen)
            if not reason:
                reason = _unfit(predicate, forms, harvest, by_form)
            if reason:
                lacking[reason] += 1
                continue
            frame = harvest.frames[predicate.lemma]
            if kind.target in CLOSED:
                frame = harvest.auxiliaries[predicate.lemma]
            found.append(Target(predicate, kind.feature, forms, frame, sum(seen.values())))
    return found, lacking


def _parts(seen: Mapping[Form, int]) -> list[tuple[str, dict[Form, int]]]:
    """The forms of a closed word as paradigms of their own where the annotation does not tell them
    apart: Basque *da/dira* and *zen/ziren*, which share their beginnings and ends."""
    if any(form.gender for form in seen) or len(_tops(seen)) == 2:
        return [("", dict(seen))]
    by_number = {
        number: {form: n for form, n in seen.items() if form.number == number} for number in NUMBERS
    }
    found = []
    for one in sorted(by_number["Sing"]):
        for other in sorted(by_number["Plur"]):
            often = all(
                seen[each] >= max(3, 0.1 * sum(by_number[each.number].values()))
                for each in (one, other)
            )
            if often and _overlap(one.form, other.form):
                part = {one: seen[one], other: seen[other]}
                found.append((f"#{one.form}", part))
    return found


def _overlap(one: str, other: str) -> bool:
    """Whether a form is another with letters put in."""
    if len(one) > len(other):
        one, other = other, one
    start = 0
    while start < len(one) and one[start] == other[start]:
        start += 1
    return start > 0 and start < len(one) and other.endswith(one[start:])


def _is_plain(feats: str, *, aspect: bool) -> bool:
    """Whether a paradigm is that of a plain statement."""
    entries = parse_feats(feats or "_")
    if entries.get("Mood", "Ind") != "Ind" or entries.get("Polarity", "Pos") == "Neg":
        return False
    if any(name.startswith("Person[") and value != "3" for name, value in entries.items()):
        return False
    perfective = entries.get("Aspect") == "Perf" and entries.get("Tense") == "Pres"
    unusual = {"Poss", "Foreign", "Style", "Reflex", "PronType", "NumType", "Clitic", "Polite"}
    return (
        not (aspect and perfective)
        and unusual.isdisjoint(entries)
        and entries.get("Tense") != "Pqp"
        and entries.get("Case", "Nom") in ("Nom", "Abs")
        and entries.get("Degree", "Pos") == "Pos"
    )


def _is_bare(harvest: Harvest, kind: Kind, feats: str) -> bool:
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
        self, group: Mapping[Predicate, Mapping[Form, int]], unimorph: "UniMorph | None"
    ) -> None:
        self.unimorph = unimorph
        self.tops = {predicate: _tops(seen) for predicate, seen in group.items()}
        cells = sorted({cell for tops in self.tops.values() for cell in tops})
        self.cells = cells
        self.rules: dict[tuple[str, str, str] | str, dict[tuple[str, str, str], Rules]] = {}
        for cell in cells:
            sources: list[tuple[str, str, str] | str] = ["lemma", *cells]
            for source in sources:
                if source != cell:
                    pairs = [
                        ("", self._source(predicate, tops, source), tops[cell].form)
                        for predicate, tops in self.tops.items()
                        if cell in tops and self._source(predicate, tops, source)
                    ]
                    self.rules.setdefault(source, {})[cell] = Rules(pairs)

    def forms(
        self, predicate: Predicate, seen: Mapping[Form, int]
    ) -> tuple[dict[str, dict[tuple[str, str], Filled]], str]:
        """The forms by number, and why there are none."""
        tops = dict(self.tops[predicate])
        for cell, top in list(tops.items()):
            made = self._predicted(predicate, tops, cell, sure=True)
            if made and made != top.form and top.n < 20:
                return {}, "forms against the rule"
        for cell in self.cells:
            if cell not in tops and any(cell[1] in (key[1], "") for key in tops):
                made = self._predicted(predicate, self.tops[predicate], cell)
                if made:
                    tops[cell] = Filled(made, RULE, 0)
                elif self.unimorph is not None:
                    feats = predicate.feats.partition("@")[0].strip("|") or "_"
                    for number, gender, animacy in list(tops):
                        if number != cell[0] and (gender, animacy) == cell[1:]:
                            form = tops[number, gender, animacy].form
                            own = with_value(feats, "Number", number)
                            listed = _listed(
                                self.unimorph, form, predicate.lemma, predicate.upos, own, cell[0]
                            )
                            if listed is not None:
                                tops[cell] = listed
        forms: dict[str, dict[tuple[str, str], Filled]] = {}
        for (number, gender, animacy), filled in tops.items():
            forms.setdefault(number, {})[gender, animacy] = filled
        missing = [each for each in NUMBERS if each not in forms]
        return forms, f"no form for {missing[0]}" if missing else ""

    def _predicted(
        self,
        predicate: Predicate,
        tops: Mapping[tuple[str, str, str], Filled],
        cell: tuple[str, str, str],
        *,
        sure: bool = False,
    ) -> str:
        votes: Counter[str] = Counter()
        for source, by_cell in self.rules.items():
            form = self._source(predicate, tops, source)
            if source != cell and form and cell in by_cell and by_cell[cell].is_sound:
                change = None
                if sure:
                    change = _change(form, tops[cell].form)
                made = by_cell[cell].predict("", form, change)
                votes[made] += bool(made)
        elected = _elected(votes)
        return elected.form if elected else ""

    @staticmethod
    def _source(
        predicate: Predicate,
        tops: Mapping[tuple[str, str, str], Filled],
        source: tuple[str, str, str] | str,
    ) -> str:
        if isinstance(source, str):
            return predicate.lemma if predicate.lemma != "_" else ""
        return tops[source].form if source in tops else ""


def _tops(seen: Mapping[Form, int]) -> dict[tuple[str, str, str], Filled]:
    """(number, gender, animacy) → the form that most uses have."""
    cells: dict[tuple[str, str, str], Counter[str]] = {}
    for form, n in seen.items():
        if form.number in NUMBERS:
            cells.setdefault(form[:3], Counter())[form.form] += n
    return {
        cell: Filled(form, TREEBANK, n)
        for cell, counts in sorted(cells.items())
        for form, n in [max(sorted(counts.items()), key=lambda one: one[1])]
        if n >= T["noun_top"] * counts.total()
    }


def _unfit(
    predicate: Predicate,
    forms: Mapping[str, Mapping[tuple[str, str], Filled]],
    harvest: Harvest,
    by_form: Mapping[str, Counter[tuple[str, str]]],
) -> str:
    """Why a predicate may not be a target; "" if it may."""
    for number, cells in forms.items():
        for each in cells.values():
            seen = by_form.get(each.form, Counter[tuple[str, str]]())
            own = sum(n for (upos, _), n in seen.items() if upos == predicate.upos)
            if own < T["verb_own_pos"] * seen.total():
                return "forms of another part of speech"
            numbers = Counter[str]()
            for (_, told), n in seen.items():
                numbers[told] += n
            other = "Plur" if number == "Sing" else "Sing"
            if numbers[other] > 0.1 * (numbers[number] + numbers[other]):
                return "forms of both numbers"
            if not each.form.isalpha() and not is_word(each.form):
                return "no word"
    n = sum(each.n for cells in forms.values() for each in cells.values())
    if n < T["verb_tokens"]:
        return "too rare"
    if predicate.target != "verb" and predicate.upos != "VERB":
        return ""
    frame = harvest.frames[predicate.lemma]
    if frame.n < T["verb_uses"]:
        return "too rare"
    if frame.n_bound > T["verb_bound"] * frame.n:
        return "with reflexive or particle"
    if frame.n_oblique > T["verb_oblique"] * frame.n:
        return "with a prepositional complement"
    return ""


def _uses_by_form(harvest: Harvest) -> dict[str, Counter[tuple[str, str]]]:
    """Small form → (UPOS, number) of its uses."""
    table: dict[str, Counter[tuple[str, str]]] = {}
    for (form, _, upos, feats), n in harvest.analyses.items():
        if upos != "_":
            number = parse_feats(feats).get("Number", "")
            table.setdefault(form.lower(), Counter())[upos, number] += n
    return table


def soundness(harvest: Harvest, language: str) -> Soundness:
    """Which forms may be drawn at all."""
    return soundness_of(harvest.analyses, frozenset({"NOUN", "VERB", "ADJ"}), language)
