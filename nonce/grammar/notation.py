"""The notation of rules: parsing them, and expanding their phrases to flat sequences of slots.

A rule looks like `NP[n]:nsubj Adv?:advmod Verb[n!] Stop:punct`:

    alternative := item* [ "@" weight ]
    item        := atom [ "[" argument* "]" ] [ "{" region "}" ] [ "?" ] [ ":" relation ]
    atom        := name [ "#" row ] | "(" alternative ( "|" alternative )* ")"
    argument    := ( letter | value ) ( "!" | ( "/" ( letter | "-" letter | value ) )* )

A name is a word list, a phrase or a macro. The item without a relation is the head of its
alternative; all others depend on it. `X?:r` is short for `(X | ):r`.
An argument with strokes has one value for each condition, `Noun[n/n/-n]`; `-n` is the other value
of a feature that has two. `n!` is `n` in the first condition and each other value in the others.

A rule is expanded to all the *ways* to write it, each a sequence of slots. An argument of a phrase
holds for its head word (`NP[n]` for the noun). The letters of a phrase are local to it, so each use
of the phrase has a *scope*, a number that tells its letters from those of other uses. Where two
terms meet on one feature they are unified, and a way in which this fails (`NP[thing]` where a
phrase has only names of people) is left out.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple, NoReturn, TypeAlias

from ...data.errors import ErrorKind
from ...data.registry import nearest
from .grammar import Shape, Slot, Term
from .grammar_file import Lexicon, WordList

NAME = r"[^\W\d][\w-]*"
WORD = rf"(?:\d+|{NAME})"
ARGUMENT = rf"{WORD}(?:!|(?:/-?{WORD})*)"
ATOM = re.compile(rf"\s*(?:\(|({NAME})(?:\s*\#\s*({WORD}))?)")
SUFFIXES = re.compile(
    rf"\s*(?:\[((?:\s*{ARGUMENT})+)\s*\])?\s*(?:{{({WORD})}})?\s*(\?)?((?:\s*:\s*[a-z]+)*)"
)
WEIGHT = re.compile(r"\s*@\s*(\d*[1-9]\d*(?:\.\d+)?|0?\.\d*[1-9]\d*)")
BAR, CLOSING_BRACKET = re.compile(r"\s*\|"), re.compile(r"\s*\)")
MAX_WORDS = 100_000  # slots in all ways to write a template

Variable: TypeAlias = tuple[int, str]
"""(scope, letter)"""


class Way(NamedTuple):
    """One way to write a part of a rule: a sequence of slots that depend on one head."""

    slots: tuple[Slot, ...] = ()
    root: int | None = None  # index of the head; None if there is no slot
    bindings: Mapping[Variable, Term] = {}  # variable → the term that it was unified with
    weight: float = 1.0

    def with_terms(self, terms: Mapping[str, Term], region: str) -> "Way | None":
        """Return this way with further terms (feature → required value) on its head word, and with
        its slots in a region if they have none. Return `None` if the head has other values."""
        slots = [replace(slot, region=slot.region or region) for slot in self.slots]
        bindings = self.bindings
        if self.root is not None:
            own = slots[self.root].terms
            pairs = [(own[feature], term) for feature, term in terms.items() if feature in own]
            unified = _unify(pairs, bindings)
            if unified is None:
                return None
            bindings = unified
            further = {feature: term for feature, term in terms.items() if feature not in own}
            slots[self.root] = replace(slots[self.root], terms={**own, **further})
        return self._replace(slots=tuple(slots), bindings=bindings)

    def followed_by(self, other: "Way", relation: str) -> "Way | None":
        """Return this way with the slots of another way after its own. The other's head depends on
        this way's head by `relation`; if `relation` is "", it becomes the head of both. Return
        `None` if the bindings of the two ways contradict each other."""
        # Each binding of the other way says that a variable equals a term.
        pairs = [(Term(variable, term.domain), term) for variable, term in other.bindings.items()]
        bindings = _unify(pairs, self.bindings)
        if bindings is None:
            return None
        start = len(self.slots)
        slots = [
            replace(slot, relation=relation)
            if slot.head is None
            else replace(slot, head=start + slot.head)
            for slot in other.slots
        ]
        root = self.root
        if relation == "" and other.root is not None:
            root = start + other.root
        return Way((*self.slots, *slots), root, bindings, self.weight * other.weight)


class Alternative(NamedTuple):
    """One of the alternatives for a part of a rule: its weight, and the ways to write it."""

    weight: float
    ways: Sequence[Way]


class _RuleParser:
    """A recursive-descent parser of one rule. `keys`: section and name of the rule in the file."""

    def __init__(self, rules: "Rules", rule: str, keys: tuple[str, str], scope: int) -> None:
        self.rules, self.keys, self.index, self.scope = rules, keys, 0, scope
        self.rule = " ".join(rule.split())
        self.quote = rule.strip().partition("\n")[0]  # its first line, to find it in the file

    def fail(self, problem: str, expected: str, kind: ErrorKind = "format") -> NoReturn:
        """Raise an error that quotes the rule and points to its line in the grammar's file.

        `problem` completes *the rule … has …*; `expected` says what to write instead.
        """
        wrong, source = f"the rule {self.rule!r:.200} {problem}", self.rules.lexicon.source
        raise source.error(wrong, expected, *self.keys, kind=kind, quote=self.quote)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of a pattern at the current index and move behind it; `None` if it does
        not match there."""
        match = pattern.match(self.rule, self.index)
        self.index = match.end() if match else self.index
        return match

    def parse(self) -> Alternative:
        """Parse the whole rule. Return its weight and the ways to write it."""
        alternative = self.parse_alternative()
        rest = self.rule[self.index :].lstrip()
        if rest or not self.rule:
            right = "write Name[n]{region}?:relation or (A | B):relation, and @weight at the end"
            self.fail(f"cannot be read from {rest!r:.60} on", right)
        return alternative

    def parse_alternative(self) -> Alternative:
        """Parse the alternative that begins at the current index. Return its weight and the ways to
        write it."""
        items: list[tuple[str, list[Way]]] = []  # (relation, ways to write the item)
        while atom := self.take(ATOM):
            name, row = atom.groups(default="")
            items.append(self.parse_item(name, row))
        heads = [ways for relation, ways in items if not relation]
        if items and (len(heads) != 1 or any(way.root is None for way in heads[0])):
            wrong = f"has {len(heads)} items without a relation, or one that can be absent"
            self.fail(wrong, "write exactly one, the head; the others say how they depend on it")
        joined = [Way()]  # the ways to write the items so far
        for relation, ways in items:
            pairs = ((way, other) for way in joined for other in ways)
            joined = [both for way, other in pairs if (both := way.followed_by(other, relation))]
            self.rules.n_words += sum(len(way.slots) for way in joined)
            if self.rules.n_words > MAX_WORDS:
                right = "write fewer words, optional parts and alternatives, no phrase in itself"
                self.fail("can be written in too many ways", right)
        ways = []
        for way in joined:  # now that the head is known, let the other items depend on it
            slots = (
                replace(slot, head=way.root) if slot.head is None and index != way.root else slot
                for index, slot in enumerate(way.slots)
            )
            ways.append(way._replace(slots=tuple(slots)))
        weight = self.take(WEIGHT)
        if weight is None:
            return Alternative(1.0, ways)
        self.rules.weighted = True
        return Alternative(float(weight[1]), ways)

    def parse_item(self, name: str, row: str) -> tuple[str, list[Way]]:
        """Parse the rest of an item, after its name and row or, if `name` is "", after its opening
        bracket. Return its relation ("" for the head) and the ways to write it."""
        ways = self.named_ways(name, row) if name else self.parse_bracket()
        suffixes = self.take(SUFFIXES)
        assert suffixes  # the pattern also matches nothing
        arguments, region, optional, relation = suffixes.groups(default="")
        heads = [way.slots[way.root].words for way in ways if way.root is not None]
        terms = self.parse_arguments(arguments.split(), name or "(…)", heads)
        ways = [new for way in ways if (new := way.with_terms(terms, region))]
        if optional:
            ways = _with_shares([Alternative(1, ways), Alternative(1, [Way()])])
        return re.sub(r"\s", "", relation).removeprefix(":"), ways

    def named_ways(self, name: str, row: str) -> list[Way]:
        """Return the ways to write what a name stands for: a word list, a phrase or a macro. `row`:
        after the name and `#`, for word lists alone; "" for none."""
        rules, file = self.rules, self.rules.lexicon.file
        words = rules.lists.get(name)
        if words is not None:
            slot = Slot(words, {}, row=(self.scope, row) if row else None)
            return [Way((slot,), root=0)]
        if name in file.phrases and not row:
            return _with_shares(rules.alternatives("phrases", name))
        if name in file.macros and not row:
            return _with_shares(rules.alternatives("macros", name, self.scope))
        right = nearest(name, [*rules.lists, *file.phrases, *file.macros])
        wrong = f"has {name!r}, which is no word list{'' if row else ' or phrase'}"
        self.fail(wrong, right, "unknown")

    def parse_bracket(self) -> list[Way]:
        """Parse alternatives in brackets, after the opening one. Return the ways to write them."""
        alternatives = [self.parse_alternative()]
        while self.take(BAR):
            alternatives.append(self.parse_alternative())
        if not self.take(CLOSING_BRACKET):
            rest = self.rule[self.index :]
            self.fail("has a bracket without end", f"write ) before {rest!r:.60}")
        return _with_shares(alternatives)

    def parse_arguments(
        self, arguments: Sequence[str], name: str, heads: Sequence[WordList]
    ) -> dict[str, Term]:
        """Return the terms that the arguments of an item stand for: feature → required value. Raise
        `InputError` for an argument that does not fit. `name`: of the item, for messages; `heads`:
        the word lists that its head word can be from."""
        lexicon, indices = self.rules.lexicon, self.rules.lexicon.file.indices
        terms: dict[str, Term] = {}
        for text in arguments:
            first, *others = text.removesuffix("!").split("/")
            feature = indices.get(first) or lexicon.feature_of.get(first)
            if feature is None:
                right = nearest(first, [*indices, *lexicon.feature_of])
                self.fail(f"has {first!r}, which is no letter or value", right, "unknown")
            if feature in terms:
                wrong = f"has {text!r} beside another value of {feature}"
                self.fail(wrong, "write one of them", "conflict")
            if heads and not any(words.has(feature) for words in heads):
                wrong = f"has {text!r} on {name!r}, no head word of which has {feature}"
                self.fail(wrong, f"write {name} without {text}")
            domain = lexicon.features[feature]
            # what may stand between strokes → its number in `Term.changes`
            numbers = {first: 0}
            if len(domain) == 2:
                numbers[f"-{first}"] = 1
            if first in domain:  # else it is a letter, whose other values have no fixed number
                values = [value for value in domain if value != first]
                numbers |= {value: number for number, value in enumerate(values, start=1)}
            if unknown := [other for other in others if other not in numbers]:
                wrong = f"has {unknown[0]!r} after {first!r} and a stroke"
                self.fail(wrong, nearest(unknown[0], numbers), "unknown")
            changes = tuple(numbers[word] for word in (first, *others)) if others else ()
            if text.endswith("!"):
                changes = tuple(range(len(domain)))
            base = (self.scope, first) if first in indices else first
            terms[feature] = Term(base, domain, changes)
        return terms


class Rules:
    """The rules of a grammar. A rule is parsed anew at each use, so that its letters get a new
    scope. The constructor parses all macros and phrases once, to find errors in unused ones."""

    def __init__(self, lexicon: Lexicon, lists: Mapping[str, WordList]) -> None:
        self.lexicon, self.lists, self.weighted = lexicon, lists, False
        self.scopes = count(1)
        self.n_words = 0  # slots so far in all ways to write the current template
        for section in ("macros", "phrases"):
            for name in getattr(lexicon.file, section):
                self.alternatives(section, name)

    def template(self, name: str) -> list[Alternative]:
        """Return the alternatives of a template, whose own letters have scope 0."""
        self.n_words = 0
        return self.alternatives("sentences", name, 0)

    def alternatives(self, section: str, name: str, scope: int | None = None) -> list[Alternative]:
        """Return the alternatives (rules) that a section of the file gives for a name, each with
        its weight and the ways to write it. The leftmost choice varies slowest in the ways.

        The weight of a way is the product of the shares that its choices have among their
        alternatives. `scope`: the scope of the name's letters; `None` for a new one.
        """
        alternatives = []
        for rule in getattr(self.lexicon.file, section)[name]:
            own_scope = next(self.scopes) if scope is None else scope
            parser = _RuleParser(self, rule, (section, name), own_scope)
            try:
                alternatives.append(parser.parse())
            except RecursionError:
                parser.fail("has a phrase that holds itself, or too many brackets", "write fewer")
        return alternatives

    def shape(self, template: str, way: Way) -> Shape | None:
        """Return the shape that a way to write a template makes, with its variables numbered in the
        order of their first slots; `None` if a term would change twice between conditions. A
        feature of a slot that no argument mentions gets a variable of its own if the slot's words
        vary in it."""
        features = self.lexicon.features
        numbers: dict[Variable, int] = {}
        variables: list[str] = []  # the feature of each variable
        slots = []
        for index, slot in enumerate(way.slots):
            terms = {}
            for feature in dict.fromkeys((*slot.terms, *slot.words.varies)):
                own_scope = -1 - index  # below 0, as no rule has such a scope
                own = Term((own_scope, feature), features[feature])
                term = _resolve(slot.terms.get(feature, own), way.bindings)
                if term is None:
                    return None
                if not term.is_fixed:
                    if term.base not in numbers:
                        numbers[term.base] = len(numbers)
                        variables.append(feature)
                    term = term._replace(base=numbers[term.base])
                terms[feature] = term
            slots.append(replace(slot, terms=terms))
        letters = {}  # letter of the template itself, if a slot has it or its value is fixed → term
        for name, feature in self.lexicon.file.indices.items():
            term = _resolve(Term((0, name), features[feature]), way.bindings)
            if term is not None and (term.is_fixed or term.base in numbers):
                letters[name] = term._replace(base=numbers.get(term.base, term.base))
        domains = tuple(features[feature] for feature in variables)
        return Shape(template, tuple(slots), tuple(variables), domains, letters, way.weight)


def _with_shares(alternatives: Sequence[Alternative]) -> list[Way]:
    """Return the ways of all alternatives in one list. The weight of each is multiplied by the
    share that its alternative has of the weight of all alternatives."""
    total = sum(weight for weight, _ in alternatives)
    return [
        way._replace(weight=weight / total * way.weight)
        for weight, ways in alternatives
        for way in ways
    ]


def _unify(
    pairs: Sequence[tuple[Term, Term]], bindings: Mapping[Variable, Term]
) -> Mapping[Variable, Term] | None:
    """Return bindings (variable → term) that make the two terms of each pair equal, `bindings`
    among them. Return `None` if there are none: for two different values, for a term that changes
    between conditions and one that does not, and for a term that would change twice."""
    for pair in pairs:
        one, other = (_resolve(term, bindings) for term in pair)
        if one is None or other is None:
            return None
        if one != other:
            # Bind the term that is a variable which does not change, if there is one.
            if one.is_fixed or one.changes:
                one, other = other, one
            if one.is_fixed or one.changes or one.base == other.base:
                return None
            bindings = {**bindings, one.base: other}
    return bindings


def _resolve(term: Term, bindings: Mapping[Variable, Term]) -> Term | None:
    """Return a term in which the variable is replaced by what it is bound to, until it is bound to
    nothing more. Return `None` if the term would change twice between conditions."""
    while term.base in bindings:
        link = bindings[term.base]
        if link.changes and term.changes:
            return None
        term = link._replace(changes=link.changes or term.changes)
    return term
