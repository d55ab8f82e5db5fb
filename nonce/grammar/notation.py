"""The notation of rules, and rules with their phrases multiplied out to flat rows of slots.

A rule looks like `NP[n]:nsubj Adv?:advmod Verb[n!] Stop:punct`:

    alternative := item* [ "@" weight ]
    item        := atom [ "[" argument* "]" ] [ "{" region "}" ] [ "?" ] [ ":" relation ]
    atom        := name [ "#" row ] | "(" alternative ( "|" alternative )* ")"
    argument    := ( letter | value ) ( "!" | ( "/" ( letter | "-" letter | value ) )* )

A name is a word list, a phrase or a macro. The item without a relation is the head of its
alternative; all others depend on it. `X?:r` is short for `(X | ):r`.
An argument with strokes has one value for each condition, `Noun[n/n/-n]`, and `-n` is the value of
two that `n` has not; `n!` is `n` in the first condition and another value in the others.

A rule is read as all the ways to write it. The letters of a phrase are its own, so that they get
new names wherever it is used. What is asked of a phrase is asked of its head word (`NP[n]` of the
noun); what is thereby found equal is solved, and a way that contradicts itself (`NP[thing]` where a
phrase has only names of people) is left out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple, NoReturn, TypeAlias

from ...data.errors import ErrorKind
from ...data.registry import nearest
from .grammar import Shape, Slot, Term
from .grammar_file import Lexicon, WordList

NAME = r"[^\W\d][\w-]*"
WORD = rf"(?:\d+|{NAME})"
ARGUMENT = rf"{WORD}(?:!|(?:/-?{WORD})*)"
ATOM = re.compile(rf"\s*(?:\(|({NAME})(?:\s*\#\s*({WORD}))?)")
BESIDES = re.compile(
    rf"\s*(?:\[((?:\s*{ARGUMENT})+)\s*\])?\s*(?:{{({WORD})}})?\s*(\?)?((?:\s*:\s*[a-z]+)*)"
)
WEIGHT = re.compile(r"\s*@\s*(\d*[1-9]\d*(?:\.\d+)?|0?\.\d*[1-9]\d*)")
BAR, BRACKET = re.compile(r"\s*\|"), re.compile(r"\s*\)")
MAX_WORDS = 100_000  # in all ways to write a rule, before the words are chosen

Variable: TypeAlias = tuple[int, str]
"""A letter, and a number of the use of the phrase that it is in"""


class Way(NamedTuple):
    """One way to write a part of a rule: slots under one head; `root` is its index, `None` where
    there are none."""

    slots: tuple[Slot, ...] = ()
    root: int | None = None
    equal: Mapping[Variable, Term] = {}  # what variables have been found equal to
    weight: float = 1.0

    def asked(self, terms: Mapping[str, Term], region: str) -> "Way | None":
        """Return the same with what is asked of its head; `None` where that cannot be."""
        slots, equal = [replace(s, region=s.region or region) for s in self.slots], self.equal
        if self.root is not None:
            own = slots[self.root].terms
            solved = _solved([(own[f], term) for f, term in terms.items() if f in own], equal)
            if solved is None:
                return None
            equal = solved
            slots[self.root] = replace(slots[self.root], terms={**own, **terms, **own})
        return self._replace(slots=tuple(slots), equal=equal)

    def joined(self, other: "Way", relation: str) -> "Way | None":
        """Return this with another behind it; `None` where they contradict each other."""
        pairs = [(Term(base, term.domain), term) for base, term in other.equal.items()]
        equal = _solved(pairs, self.equal)
        if equal is None:
            return None
        start = len(self.slots)
        slots = (
            replace(s, relation=relation) if s.head is None else replace(s, head=s.head + start)
            for s in other.slots
        )
        is_head = not relation and other.root is not None
        root = start + (other.root or 0) if is_head else self.root
        return Way((*self.slots, *slots), root, equal, self.weight * other.weight)


Ways: TypeAlias = tuple[float, Sequence[Way]]
"""The weight of an alternative and the ways to write it"""


class _Reader:
    """A rule and how far it is read."""

    def __init__(self, rules: "Rules", rule: str, keys: tuple[str, str], scope: int) -> None:
        self.rules, self.keys, self.index, self.scope = rules, keys, 0, scope
        self.rule, self.quote = " ".join(rule.split()), rule.strip().partition("\n")[0]

    def refuse(self, wrong: str, right: str, kind: ErrorKind = "format") -> NoReturn:
        """Raise the error that the rule is wrong."""
        wrong, source = f"the rule {self.rule!r:.200} {wrong}", self.rules.lexicon.source
        raise source.error(wrong, right, *self.keys, kind=kind, quote=self.quote)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return what is next, if it is this, and go on behind it."""
        match = pattern.match(self.rule, self.index)
        self.index = match.end() if match else self.index
        return match

    def whole(self) -> Ways:
        """Return the rule, read to its end."""
        weight, ways = self.alternative()
        rest = self.rule[self.index :].lstrip()
        if rest or not self.rule:
            right = "write Name[n]{region}?:relation or (A | B):relation, and @weight at the end"
            self.refuse(f"cannot be read from {rest!r:.60} on", right)
        return weight, ways

    def alternative(self) -> Ways:
        """Return the alternative that begins here."""
        items = []
        while atom := self.take(ATOM):
            items.append(self.item(*atom.groups(default="")))
        heads = [ways for relation, ways in items if not relation]
        if items and (len(heads) != 1 or any(way.root is None for way in heads[0])):
            wrong = f"has {len(heads)} items without a relation, or one that can be absent"
            self.refuse(wrong, "write exactly one, the head; the others say how they depend on it")
        joined = [Way()]
        for relation, ways in items:
            pairs = ((way, other) for way in joined for other in ways)
            joined = [both for way, other in pairs if (both := way.joined(other, relation))]
            self.rules.n_words += sum(len(way.slots) for way in joined)
            if self.rules.n_words > MAX_WORDS:
                right = "write fewer words, optional parts and alternatives, no phrase in itself"
                self.refuse("can be written in too many ways", right)
        ways = []
        for way in joined:
            slots = (
                replace(slot, head=way.root) if slot.head is None and n != way.root else slot
                for n, slot in enumerate(way.slots)
            )
            ways.append(way._replace(slots=tuple(slots)))
        weight = self.take(WEIGHT)
        self.rules.weighted |= weight is not None
        return float(weight[1]) if weight else 1.0, ways

    def item(self, name: str, row: str) -> tuple[str, list[Way]]:
        """Return the relation and the ways to write the item that has begun with a name, or with a
        bracket."""
        rules = self.rules
        file = rules.lexicon.file
        words = rules.lists.get(name)
        if words:
            ways = [Way((Slot(words, {}, row=(self.scope, row) if row else None),), 0)]
        elif name in file.phrases and not row:
            ways = _shared(rules.ways("phrases", name))
        elif name in file.macros and not row:
            ways = _shared(rules.ways("macros", name, self.scope))
        elif name:
            right = nearest(name, [*rules.lists, *file.phrases, *file.macros])
            wrong = f"has {name!r}, which is no word list{'' if row else ' or phrase'}"
            self.refuse(wrong, right, "unknown")
        else:
            options = [self.alternative()]
            while self.take(BAR):
                options.append(self.alternative())
            if not self.take(BRACKET):
                rest = self.rule[self.index :]
                self.refuse("has a bracket without end", f"write ) before {rest!r:.60}")
            ways = _shared(options)
        besides = self.take(BESIDES)
        assert besides  # it can be empty
        asked, region, optional, relation = besides.groups(default="")
        heads = [way.slots[way.root].words for way in ways if way.root is not None]
        terms = self.terms(asked.split(), name or "(…)", heads)
        ways = [way for old in ways if (way := old.asked(terms, region))]
        if optional:
            ways = _shared([(1, ways), (1, [Way()])])
        return re.sub(r"\s", "", relation).removeprefix(":"), ways

    def terms(
        self, arguments: Sequence[str], name: str, heads: Sequence[WordList]
    ) -> dict[str, Term]:
        """Return what arguments ask for, by feature, of an item whose head is one of these
        lists."""
        lexicon, indices = self.rules.lexicon, self.rules.lexicon.file.indices
        terms: dict[str, Term] = {}
        for text in arguments:
            asked, *others = text.removesuffix("!").split("/")
            feature = indices.get(asked) or lexicon.owner.get(asked)
            if feature is None:
                right = nearest(asked, [*indices, *lexicon.owner])
                self.refuse(f"has {asked!r}, which is no letter or value", right, "unknown")
            if feature in terms:
                wrong = f"has {text!r} beside another value of {feature}"
                self.refuse(wrong, "write one of them", "conflict")
            if heads and not any(words.has(feature) for words in heads):
                wrong = f"has {text!r} on {name!r}, no head word of which has {feature}"
                self.refuse(wrong, f"write {name} without {text}")
            domain = lexicon.features[feature]
            numbers = {asked: 0} | ({f"-{asked}": 1} if len(domain) == 2 else {})
            values = [value for value in domain if value != asked and asked in domain]
            numbers |= {value: number for number, value in enumerate(values, start=1)}
            if unknown := [other for other in others if other not in numbers]:
                wrong = f"has {unknown[0]!r} after {asked!r} and a stroke"
                self.refuse(wrong, nearest(unknown[0], numbers), "unknown")
            changes = tuple(numbers[word] for word in (asked, *others)) if others else ()
            changes = tuple(range(len(domain))) if text.endswith("!") else changes
            base = (self.scope, asked) if asked in indices else asked
            terms[feature] = Term(base, domain, changes)
        return terms


class Rules:
    """The rules of a grammar, read anew wherever they are used."""

    def __init__(self, lexicon: Lexicon, lists: Mapping[str, WordList]) -> None:
        self.lexicon, self.lists, self.weighted = lexicon, lists, False
        self.scopes, self.n_words = count(1), 0  # of all ways so far to write a template
        for section in ("macros", "phrases"):
            for name in getattr(lexicon.file, section):
                self.ways(section, name)

    def template(self, name: str) -> list[Ways]:
        """Return the ways to write each alternative of a template, its own letters in scope 0."""
        self.n_words = 0
        return self.ways("sentences", name, 0)

    def ways(self, section: str, name: str, scope: int | None = None) -> list[Ways]:
        """Return the ways to write each alternative of a name, the leftmost choice varying slowest;
        without a scope for its letters in a new one.

        The weight of a way is the product of the shares its choices have among their alternatives.
        """
        found = []
        for rule in getattr(self.lexicon.file, section)[name]:
            number = next(self.scopes) if scope is None else scope
            reader = _Reader(self, rule, (section, name), number)
            try:
                found.append(reader.whole())
            except RecursionError:
                reader.refuse("has a phrase that holds itself, or too many brackets", "write fewer")
        return found

    def shape(self, template: str, way: Way) -> Shape | None:
        """Return a shape with its variables numbered in the order of the slots they are on, or
        `None` where something changes twice. A feature that the words of a slot vary in and nothing
        ties gets a variable of its own."""
        features = self.lexicon.features
        numbers: dict[Any, int] = {}
        variables: list[str] = []
        slots = []
        for index, slot in enumerate(way.slots):
            terms = {}
            for feature in dict.fromkeys((*slot.terms, *slot.words.varies)):
                own = Term((-1 - index, feature), features[feature])
                term = _end(slot.terms.get(feature, own), way.equal)
                if term is None:
                    return None
                if not isinstance(term.base, str):
                    if term.base not in numbers:
                        variables.append(feature)
                    term = term._replace(base=numbers.setdefault(term.base, len(numbers)))
                terms[feature] = term
            slots.append(replace(slot, terms=terms))
        letters = {}
        for name, feature in self.lexicon.file.indices.items():
            term = _end(Term((0, name), features[feature]), way.equal)
            if term is not None and (isinstance(term.base, str) or term.base in numbers):
                letters[name] = term._replace(base=numbers.get(term.base, term.base))
        domains = tuple(features[feature] for feature in variables)
        return Shape(template, tuple(slots), tuple(variables), domains, letters, way.weight)


def _shared(options: Sequence[Ways]) -> list[Way]:
    """Return the ways of all alternatives, each with its share of their weights."""
    total = sum(weight for weight, _ in options)
    return [
        way._replace(weight=weight / total * way.weight) for weight, ways in options for way in ways
    ]


def _solved(
    pairs: Sequence[tuple[Term, Term]], equal: Mapping[Variable, Term]
) -> Mapping[Variable, Term] | None:
    """Return what variables are equal to, so that all these pairs are too; `None` where they
    contradict each other: two values, what changes and what does not, what changes twice."""
    for pair in pairs:
        one, other = (_end(term, equal) for term in pair)
        if one is None or other is None:
            return None
        if one != other:
            if isinstance(one.base, str) or one.changes:
                one, other = other, one
            if isinstance(one.base, str) or one.changes or one.base == other.base:
                return None
            equal = {**equal, one.base: other}
    return equal


def _end(term: Term, equal: Mapping[Variable, Term]) -> Term | None:
    """Return what a term is after all that was found equal; `None` where it changes twice."""
    while term.base in equal:
        link = equal[term.base]
        if link.changes and term.changes:
            return None
        term = link._replace(changes=link.changes or term.changes)
    return term
