"""The uses of verbs, adjectives and adverbs: their arguments, adpositions, particles, auxiliaries,
the kind of phrase they head, the side they stand on, what they modify.

The dependents of a verb show what it governs. So a use is no evidence if a dependent may be
missing: in a relative clause without a pronoun, beside a conjunct that may share its object, in
*easy to please*.
"""

from dataclasses import dataclass, field

from ....miner.treebank.view import TreeView
from ._noun_frames import (
    BARE_ADVERBIAL,
    GAP,
    NONFINITE,
    UNMARKED,
    Fact,
    Test,
    WordUse,
    bound_use,
    determiner_of,
    in_title,
    is_hyphened,
    is_indirect_question,
    role_of,
)

WITH_NOUN = "adjective with a noun or numeral"  # *nélküli* "without", after its noun
BARE_CASES = frozenset({"", "+Nom"})
CLAUSES = frozenset({"root", "ccomp", "xcomp", "advcl", "csubj", "parataxis"})
ADJUNCTS = frozenset({"tmod", "npmod", "unmarked", "agent"})  # subtypes of obl that no verb governs
LEXICAL_CASES = frozenset({"Dat", "Gen", "Ins", "Par"})  # of pronouns, if they are objects
LAYERS = ("abs", "dat", "erg")  # arguments that a Basque auxiliary may agree with
FIXED = frozenset({"fixed", "goeswith", "flat"})
UNCLEAR_RELATIONS = frozenset({"case", "orphan", *FIXED, "dislocated"})  # of a verb's dependent


@dataclass(slots=True)
class _Valency:
    """The dependents of a verb or adjective (a predicate) that frames take into account."""

    passive: bool
    args: list[str] = field(default_factory=list)
    obliques: list[tuple[str, int]] = field(default_factory=list)  # (adposition or case, noun)
    adverbs: list[str] = field(default_factory=list)
    auxiliaries: list[str] = field(default_factory=list)
    agreeing: str = ""  # arguments that the auxiliary agrees with: Basque *da*, *du*, *dio*
    has_object: bool = False
    alone: bool = True  # whether nothing beside the arguments completes it: not *put it there*
    is_informative: bool = True
    stays: str = ""


def use_of_verb(view: TreeView, index: int) -> WordUse:
    """Return the use of a verb (UPOS VERB) at `index`."""
    first_conjunct = view.first_conjunct(index)
    relation = view.relations[first_conjunct]
    if relation in CLAUSES:
        return _predicate_use(view, index, "")
    if relation == "amod":
        side = "before" if index < view.heads[first_conjunct] else "after"
        return _predicate_use(view, index, f"amod {side} ")
    if relation != "acl":
        return bound_use("nominal use")
    form = view.feature(index, "VerbForm")
    is_participle = form in NONFINITE and view.deprels[first_conjunct] != "acl:relcl"
    return _predicate_use(view, index, f"acl {form} " if is_participle else "")


def use_of_adjective(view: TreeView, index: int) -> WordUse:
    """Return the use of an adjective: attribute before or after its noun, predicate, or a use in
    which it cannot be replaced, with the reason (numeral, fixed phrase, fragment …)."""
    if any(view.feature(index, name) for name in ("NumType", "PronType", "Poss")):
        return bound_use("numeral or pronoun")
    if view.dependents(index, *FIXED):
        return bound_use("fixed")
    first_conjunct = view.first_conjunct(index)
    relation = view.relations[first_conjunct]
    if relation == "amod":
        return _attribute_use(view, index, view.heads[first_conjunct])
    if relation not in CLAUSES and relation != "acl":
        return bound_use("adjective as another part of speech")
    if relation not in ("xcomp", "acl") and not view.dependents(first_conjunct, "cop"):
        return bound_use("fragment")
    use = _predicate_use(view, index, "predicate ")
    return use._replace(facts=(*use.facts, *_degree_facts(view, index)))


def use_of_adverb(view: TreeView, index: int) -> WordUse:
    """Return the use of an adverb at `index`: the part of speech that it modifies, and the side."""
    is_closed = view.feature(index, "PronType") or view.feature(index, "Polarity")
    if is_closed or view.relations[index] != "advmod":
        return bound_use("adverb of a closed class")
    if view.children[index]:
        return bound_use("modified adverb")
    head = view.heads[index]
    begins = index == 0 or view.upos[index - 1] == "PUNCT"
    side = "first" if begins else "before" if index < head else "after"
    return WordUse((Fact("modifies", f"{view.upos[head]} {side}"),))


# attributes


def _modified_word(view: TreeView, index: int) -> int:
    """Return the word that an attribute modifies; for a later conjunct (*old and dark*), the one
    that the first conjunct modifies."""
    return view.heads[view.first_conjunct(index)]


def _is_before_determiner(view: TreeView, index: int) -> bool:
    """Tell whether a determiner stands between an adjective and its noun: *all the*, *such a*."""
    noun = _modified_word(view, index)
    return any(index < determiner < noun for determiner in view.dependents(noun, "det"))


def _is_of_name(view: TreeView, index: int) -> bool:
    """Tell whether an adjective belongs to a name, or is made from one: *Pariser*, which has no
    cases."""
    is_capitalised = view.forms[index][:1].isupper() and view.lemmas[index][:1].isupper()
    return is_capitalised or view.upos[_modified_word(view, index)] != "NOUN"


def _is_in_bare_adverbial(view: TreeView, index: int) -> bool:
    """Tell whether an adjective modifies a noun that is an adverbial by itself: *last year*."""
    _, reason_to_stay = role_of(view, view.first_conjunct(_modified_word(view, index)))
    return reason_to_stay == BARE_ADVERBIAL


ATTRIBUTE_TESTS: tuple[tuple[str, Test], ...] = (
    ("part of a name", _is_of_name),
    ("part of a compound", is_hyphened),
    ("title", in_title),
    ("before the determiner", _is_before_determiner),
    (BARE_ADVERBIAL, _is_in_bare_adverbial),
)
"""Why an attribute stays as it is → the test for that reason."""


def _attribute_use(view: TreeView, index: int, noun: int) -> WordUse:
    """Return the use of the adjective at `index` as an attribute of `noun`."""
    stays = next((reason for reason, test in ATTRIBUTE_TESTS if test(view, index)), "")
    use = bound_use(stays) if stays else _predicate_use(view, index, "attribute ")
    if use.stays:
        return use
    number = view.feature(noun, "Number")
    facts = [
        Fact("attribute", "before" if index < noun else "after"),
        Fact(f"attribute {number}", determiner_of(view, noun).kind),
        Fact("number", number),
    ]
    if index < noun:  # *the same old house*, never *the old same house*; *the last two houses*
        is_inner = any(adjective < index for adjective in view.dependents(noun, "amod"))
        before_numeral = any(index < numeral < noun for numeral in view.dependents(noun, "nummod"))
        order = "before numeral" if before_numeral else "inner" if is_inner else "outer"
        facts.append(Fact("order", order))
    return use._replace(facts=(*facts, *_degree_facts(view, index), *use.facts))


def _degree_facts(view: TreeView, index: int) -> list[Fact]:
    """Return the facts that adverbs of degree (*very*, *more*) modify an adjective, and which ones;
    an empty list if it has no adverb."""
    adverbs = [child for child in view.dependents(index, "advmod") if view.upos[child] == "ADV"]
    graded = [Fact("graded", view.key(child)) for child in adverbs]
    return [Fact("degree", "modified"), *graded] if adverbs else []


# predicates


def _predicate_use(view: TreeView, index: int, mode: str) -> WordUse:
    """Return the use of a verb, or of an adjective with dependents. `mode` is the kind of phrase
    (`amod before `), which begins the question about its arguments."""
    first_conjunct = view.first_conjunct(index)
    valency = _valency_of(view, index)
    if valency.stays == WITH_NOUN:  # shows that the adjective needs its noun, and nothing else
        return WordUse(
            (Fact(f"args {mode}", WITH_NOUN), Fact(f"alone {mode}{WITH_NOUN}", "no")), WITH_NOUN
        )
    if valency.stays:
        return bound_use(valency.stays)
    if index != first_conjunct and not valency.has_object:  # an object may be shared
        valency.is_informative &= not view.dependents(view.heads[index], "obj")
    if not (valency.has_object or valency.passive):  # an object may be elsewhere
        if _may_share_object(view, index):
            return bound_use("shared object")
        gap = _reason_for_gap(view, first_conjunct, valency.args)
        if gap:
            return bound_use(gap)
    return _use_of_valency(view, index, valency, mode)


def _use_of_valency(view: TreeView, index: int, valency: _Valency, mode: str) -> WordUse:
    """Turn the valency of a predicate into the facts of a use. `mode` is the kind of phrase, "" for
    a clause."""
    is_participle = not (mode or valency.passive) and view.feature(index, "VerbForm") == "Part"
    relation = view.relations[view.first_conjunct(index)]
    if is_participle and not valency.auxiliaries and relation in ("advcl", "xcomp", "csubj"):
        mode = "part "
    kind = f"{mode}pass " if valency.passive else mode
    signature = " ".join(sorted(valency.args))  # all arguments are one answer
    facts = [
        Fact(f"args {kind}", signature),
        Fact(f"alone {kind}{signature}", "yes" if valency.alone else "no"),
    ]
    has_clitic = any(argument.startswith("expl") for argument in valency.args)
    # beside an object or a clitic of the verb, obliques are facts of their own
    context = "obj " if valency.has_object else "expl " if has_clitic else ""
    obliques = [(Fact("obl", context + marking), noun) for marking, noun in valency.obliques]
    facts += [fact for fact, _ in obliques]
    facts += [Fact("adverb", adverb) for adverb in valency.adverbs]
    if valency.agreeing:
        facts.append(Fact("aux", valency.agreeing))
    if is_participle:
        facts += [Fact("aux", auxiliary) for auxiliary in valency.auxiliaries]
    partners = tuple((fact, view.key(noun)) for fact, noun in obliques)
    return WordUse(tuple(dict.fromkeys(facts)), "", valency.is_informative, partners)


def _valency_of(view: TreeView, index: int) -> _Valency:
    """Return the valency of a predicate: its arguments, obliques, adverbs and auxiliaries, or why
    it must stay as it is."""
    valency = _Valency(passive=view.feature(index, "Voice") == "Pass")
    upos = view.upos[index]
    for child in view.children[index]:
        relation, deprel = view.relations[child], view.deprels[child]
        match relation:
            case "nsubj":
                valency.passive = valency.passive or deprel == "nsubj:pass"
                marking = view.case_marking(child)
                if marking not in UNMARKED:
                    valency.args.append(f"nsubj+{marking}")
            case "csubj":
                valency.args.append("csubj")
            case "obj" | "iobj":
                valency.has_object = valency.has_object or relation == "obj"
                valency.args.append(f"{relation}+{_object_marking(view, child)}")
            case "ccomp" | "xcomp":
                mark = view.marked_by(child, "mark") or view.marked_by(child)
                is_question = is_indirect_question(view, child)
                if relation == "ccomp" and child < index and not is_question:
                    valency.stays = "reported speech"
                mark = "wh" if is_question and not mark else mark
                valency.args.append(f"{relation}+{mark}+{_finiteness(view, child)}")
            case "obl":
                _add_oblique(view, child, upos, valency)
            case "expl":  # a clitic of the verb is an argument; with *there* the verb must stay
                valency.args.append(f"{deprel}+{view.key(child)}")
                marks = {view.feature(child, name) for name in ("Reflex", "Clitic")}
                if deprel == "expl:subj" or (deprel == "expl" and "Yes" not in marks):
                    valency.stays = "expletive"
            case "advmod" if child > index:
                valency.alone = False
                valency.adverbs.append(view.key(child))
            case "aux":
                _add_auxiliary(view, child, valency)
            case "compound" if deprel == "compound:prt":
                valency.args.append(f"prt+{view.key(child)}")
            case "compound":
                valency.stays = "compound"
            case "advcl" | "acl" | "nmod" if upos == "ADJ":  # *able to go*, *worth a look*
                valency.alone = False
                marking = view.case_marking(child) if relation == "nmod" else ""
                if relation == "nmod" and marking in BARE_CASES:
                    valency.stays = WITH_NOUN
                elif marking:
                    valency.obliques.append((marking, child))
            case "amod" | "nummod" if upos == "ADJ":
                valency.stays = (
                    WITH_NOUN  # *nagy jelentőségű* "of great importance", *45 százalékos*
                )
            case "parataxis" | "dep":
                valency.is_informative = False
            case _ if relation in UNCLEAR_RELATIONS:
                valency.stays = "unclear"
    first_conjunct = view.first_conjunct(index)
    is_joined = index != first_conjunct and view.feature(index, "VerbForm") == "Part"
    if is_joined and not valency.auxiliaries:  # *has washed and peeled*: one auxiliary for both
        for child in view.dependents(first_conjunct, "aux"):
            _add_auxiliary(view, child, valency)
    return valency


def _add_auxiliary(view: TreeView, child: int, valency: _Valency) -> None:
    """Update a valency with an auxiliary, the word `child`: passive voice, or its lemma and the
    arguments that it agrees with."""
    if view.deprels[child] == "aux:pass":
        valency.passive = True
    else:
        valency.auxiliaries.append(view.key(child))
        layers = [layer for layer in LAYERS if view.feature(child, f"Number[{layer}]")]
        valency.agreeing = " ".join(layers) or valency.agreeing


def _add_oblique(view: TreeView, child: int, upos: str, valency: _Valency) -> None:
    """Update a valency with an oblique dependent; `upos` is the part of speech of the predicate."""
    subtype, marking = view.deprels[child].partition(":")[2], view.case_marking(child)
    case, child_upos = view.feature(child, "Case"), view.upos[child]
    is_governed = child_upos == "ADJ" or (child_upos == "PRON" and case in LEXICAL_CASES)
    if not marking and case and is_governed:
        valency.args.append(f"obl+{child_upos}+{case}")  # *мне понравилось*, *rossznak bizonyul*
    if marking and not (subtype in ADJUNCTS and upos == "VERB"):
        valency.alone = False
        marking = f"arg {marking}" if subtype == "arg" else marking
        valency.obliques.append((marking, child))


def _object_marking(view: TreeView, child: int) -> str:
    """Return how an object is marked: `refl` if it is reflexive; `+Dat` and the like for a pronoun
    in a case that the verb selects; else its adposition or case, "" for none."""
    case = view.feature(child, "Case")
    if view.feature(child, "Reflex") == "Yes":
        return "refl"
    if view.upos[child] == "PRON" and case in LEXICAL_CASES:
        return f"+{case}"
    return view.case_marking(child)


def _finiteness(view: TreeView, index: int) -> str:
    """Return `Fin` (or `Sub`, for a subjunctive) if a word of a clause's predicate is finite, else
    the verb form or part of speech of its head."""
    is_clause = view.relations[index] == "ccomp"
    words = [index, *(view.dependents(index, "aux", "cop") if is_clause else ())]
    if any(view.feature(word, "VerbForm") == "Fin" for word in words):
        is_subjunctive = any(view.feature(word, "Mood") == "Sub" for word in words)
        return "Sub" if is_subjunctive else "Fin"
    if view.upos[index] != "VERB":
        return view.upos[index]
    form = view.feature(index, "VerbForm")
    aspect = view.feature(index, "Aspect") if form == "Inf" else ""  # *продолжает приходить*
    return form + view.feature(index, "InfForm") + aspect


def _may_share_object(view: TreeView, index: int) -> bool:
    """Tell whether a verb may share the object of a conjunct that follows it: *wash and peel
    potatoes*."""
    first_conjunct = view.first_conjunct(index)
    conjuncts = (first_conjunct, *view.dependents(first_conjunct, "conj"))
    return any(
        child > max(index, conjunct) and conjunct != index
        for conjunct in conjuncts
        for child in view.dependents(conjunct, "obj")
    )


def _reason_for_gap(view: TreeView, index: int, args: list[str]) -> str:
    """Return why the object of a predicate may be elsewhere in the sentence, as in a relative
    clause, or "" if it cannot be."""
    for _ in range(len(view)):  # up the tree, at most as many steps as there are words
        relation, head = view.relations[index], view.heads[index]
        if head < 0:
            return ""
        if relation == "acl":  # no gap: participles, *that*-clauses, relatives with a pronoun
            form = view.feature(index, "VerbForm")
            has_mark = form != "Inf" and view.marked_by(index, "mark")
            is_no_relative = view.deprels[index] != "acl:relcl" and (form in NONFINITE or has_mark)
            return "" if is_no_relative or view.relative_of(index) >= 0 else GAP
        if relation == "advcl" and view.upos[head] in ("ADJ", "ADV"):
            return "comparison"
        if relation == "xcomp" and view.upos[head] != "VERB":
            return "complement of an adjective"
        if relation == "parataxis" and not args:
            return "comment clause"
        if relation not in ("xcomp", "ccomp", "conj"):
            return ""
        index = head
    return ""
