"""What counts as productive, how far words are spread: one table, each value with its reason; and
what must be known of a language beyond what its treebank shows (`languages.toml`).

The values are those of a prototype read in twelve languages, mended by later readings.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple


class Threshold(NamedTuple):
    """A value, and the reading or count that chose it."""

    name: str
    value: float
    reason: str


THRESHOLDS = (
    Threshold("noun_each", 2, "least uses of each number, where no rule fills the other"),
    Threshold("noun_filled", 5, "least uses of a noun one of whose forms a suffix rule fills"),
    Threshold("noun_plural", 0.08, "least share of plurals: keeps mass nouns out (*water*)"),
    Threshold("noun_top", 0.8, "least share of the top form of its cell"),
    Threshold("noun_cell", 0.1, "least share of a form's uses in its cell; else mistagged"),
    Threshold("noun_gender", 0.9, "least share of the usual gender of a noun"),
    Threshold("noun_own", 0.3, "least share of its forms' uses that are of a lemma"),
    Threshold("one_form", 0.5, "largest share of a noun's uses in one oblique form: relational"),
    Threshold("article", 0.15, "least share of a place's nouns with an article that get one"),
    Threshold("shape", 0.9, "least share of a function word's shape before the same letters"),
    Threshold("shape_any", 0.98, "least share of a function word's shape before unseen letters"),
    Threshold("contraction", 0.8, "least share of two function words that are written as one"),
    Threshold("modifier_heads", 12, "least different heads of a kind of modifier"),
    Threshold("modifier_nouns", 10, "least different nouns inside it, in the treebank and in sets"),
    Threshold("modifier_subjects", 3, "least subjects that have it between them and the target"),
    Threshold("modifier_each", 3, "least uses of each number inside it"),
    Threshold("modifier_singular", 0.25, "least share of single singulars: drops *between*"),
    Threshold("relative_uses", 4, "least object relatives, for a language to have targets in them"),
    Threshold("relative_verb", 10, "least uses of a target in an object relative"),
    Threshold("agreement", 0.9, "least share of subjects in a case that agree with the target"),
    Threshold("agreement_uses", 10, "least subjects, or bare predicates: fewer give no share"),
    Threshold("verb_uses", 5, "least uses of a verb"),
    Threshold("verb_tokens", 3, "least uses of its two forms together"),
    Threshold("verb_subject", 2, "least uses with a subject: keeps impersonal verbs out"),
    Threshold("verb_own_pos", 0.7, "least share of a form's uses as a verb (*plans* is a noun)"),
    Threshold("noun_form", 0.05, "largest share as a noun (relative words: as an adposition)"),
    Threshold("adposition", 0.7, "least share of an adposition's uses as one"),
    Threshold("modifier_noun", 0.21, "least share of uses after nouns: others come with verbs"),
    Threshold("governed", 0.15, "least share of a noun's uses with a modifier that it governs"),
    Threshold("modifier_governed", 0.25, "largest share of governed uses to go with any noun"),
    Threshold("modifier_own", 0.75, "least share of uses after nouns to pass over governed ones"),
    Threshold("modifier_free", 25, "least different heads of a modifier that goes with any noun"),
    Threshold("verb_object", 0.05, "largest share of uses with an object, where order is free"),
    Threshold("verb_complement", 0.04, "largest share with a clause: its object may be first"),
    Threshold("opener_clause", 0.1, "the same, where an object pronoun stands before the subject"),
    Threshold("verb_bound", 0.1, "largest share of uses with a reflexive or a particle"),
    Threshold("verb_oblique", 0.85, "largest share of uses with an oblique: it is no complement"),
    Threshold("verb_transitive", 0.5, "least share with an object, of a verb of a relative clause"),
    Threshold("object_first", 0.05, "share of objects before their verb that makes order free"),
    Threshold("object_case", 0.1, "least share of objects in the subjects' case: both look alike"),
    Threshold("adverbial", 0.03, "largest share of a head's uses as a bare adverbial (*week*)"),
    Threshold("final_clause", 0.8, "least share of subordinate clauses that their target ends"),
    Threshold("final_main", 0.3, "largest share of main clauses: else the order is no sign"),
    Threshold("subordinator", 5, "least subordinate clauses that a subordinator opens"),
    Threshold("opener_object", 0.3, "least share of uses with an accusative, to come after one"),
    Threshold("opener_uses", 5, "least uses of a pronoun as object to open a clause"),
    Threshold("mark_share", 0.2, "least share of complement clauses that a subordinator opens"),
    Threshold("mark_form", 0.6, "least share of a subordinator's form where no letters tell it"),
    Threshold("mark_comma", 0.5, "least share with a comma before it, to write one"),
    Threshold("matrix_subjunctive", 0.1, "largest share of subjunctives: *want that he go*"),
    Threshold("subjunctives", 3, "least subjunctives, for a language to show that it has them"),
    Threshold("matrix_conditional", 0.25, "largest share of conditionals, where it has none"),
    Threshold("matrix_future", 0.5, "largest share of clauses in the future: *hope*"),
    Threshold("matrix_bare", 0.6, "least share of uses with the clause alone: drops *tell*"),
    Threshold("matrix_adjacent", 0.5, "least share right before the subordinator"),
    Threshold("matrix_negated", 0.5, "largest share of negated uses"),
    Threshold("matrix_personal", 0.2, "least share with a noun or a person as subject"),
    Threshold("matrix_complement", 0.15, "least share of all the verb's uses with a complement"),
    Threshold("matrix_single", 0.4, "the same of a verb that was seen with the word once"),
    Threshold("matrix_own_pos", 0.4, "least share of a form's uses as a verb, in matrix clauses"),
    Threshold("matrix_tokens", 2, "least uses of the two forms of a matrix verb"),
    Threshold("matrix_present", 12, "least verbs with a present: with fewer the past serves too"),
    Threshold("front_straight", 0.1, "least share before a subject that precedes its target"),
    Threshold("front_share", 0.085, "least share of fronted uses, times that not governed"),
    Threshold("front_many", 25, "fronted uses that are enough whatever their share"),
    Threshold("front_nouns", 5, "least different nouns in a fronted phrase"),
    Threshold("front_comma", 0.9, "least share with a comma after the phrase, to write one"),
    Threshold("bare_case", 0.02, "least share of bare nouns below verbs that may be so anywhere"),
    Threshold("syncretism", 0.2, "share of nouns with one form for both cases: objects look so"),
    Threshold("bare_adjective", 0.5, "least share of predicate adjectives without a copula"),
    Threshold("rule_support", 4, "least word pairs that a suffix rule was seen in"),
    Threshold("rule_consistency", 0.95, "least share that follow a suffix rule, to fill a form"),
    Threshold("rule_against", 0.75, "least share that follow a suffix rule that forms must obey"),
    Threshold("against", 20, "least uses of a form that may contradict a suffix rule: irregular"),
    Threshold("rule_words", 20, "least words on which the accuracy of suffix rules is measured"),
    Threshold("rule_accuracy", 0.95, "least accuracy of suffix rules, each word left out in turn"),
    Threshold("spread_predicate", 0.03, "largest share of sets with one predicate: none decides"),
    Threshold("spread_wider", 0.08, "the same to reach 100 sets, and in object relatives"),
    Threshold("spread_auxiliary", 0.4, "largest share of auxiliary targets: few frequent forms"),
    Threshold("spread_head", 0.02, "largest share of sets with one head: none decides a result"),
    Threshold("spread_opener", 0.1, "largest share of sets that begin with one object pronoun"),
    Threshold("combination", 2, "most sets with one head, predicate and modifiers: near copies"),
)
T = {threshold.name: threshold.value for threshold in THRESHOLDS}


@dataclass(frozen=True)
class CompositionRules:
    """The table of a language; each field is described where it stands first in the file."""

    collective: Sequence[str] = ()
    dated: Sequence[str] = ()
    impersonal: Sequence[str] = ()
    weak: Sequence[str] = ()
    matrix: Sequence[str] = ()
    no_matrix: Sequence[str] = ()
    no_front: Sequence[str] = ()
    motion: Sequence[str] = ()
    past_matrix: bool = True
    object_suffixes: bool = False
    verbs_alone: bool = False
    raised_subjects: bool = False
    front_comma: bool = False
    bound_endings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    subject_endings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    perfective_needs_particle: bool = False


@cache
def language_named(code: str) -> CompositionRules:
    """Return what is known of a language, by its BCP-47 code; a region is ignored.

    >>> language_named("ru-RU").bound_endings
    {'Loc': ['у', 'ю']}
    """
    text = (files(__package__) / "languages.toml").read_text("utf-8")
    return CompositionRules(**tomllib.loads(text).get(code.partition("-")[0], {}))
