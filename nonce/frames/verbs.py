"""Predicates: arguments, adpositions, particle, auxiliary, and the kind of phrase they head.

What a verb governs is told by the dependents that stand there. So a use says nothing where one of
them may be missing: in a relative clause whose gap no pronoun fills, beside a conjunct that may
share its object, in *easy to please*.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from colorless_green.nonce.frames.bundles import is_bare
from colorless_green.nonce.frames.place import (
    BARE,
    Fact,
    Partner,
    Place,
    Use,
    asks_or_relates,
    feature,
    first_conjunct,
    governed_as,
    lemma_of,
    marked_by,
    relative_of,
)

GAP = "relative without pronoun"
CLAUSES = frozenset({"root", "ccomp", "xcomp", "advcl", "csubj", "parataxis"})
NONFINITE = frozenset({"Part", "Ger", "Conv", "Vnoun"})
ADJUNCTS = frozenset({"tmod", "npmod", "unmarked", "agent"})  # subtypes of obl no verb asks for
SUBJECT_CASES = frozenset({"", "+Nom", "+Acc", "+Abs"})
LEXICAL_CASES = frozenset({"Dat", "Gen", "Ins", "Par"})  # of pronouns, if they are objects
COMPLEMENTS = ("ccomp", "xcomp")


@dataclass(slots=True)
class _Reading:
    """What has been read of a predicate's dependents."""

    args: list[str] = field(default_factory=list)
    obliques: list[tuple[str, int]] = field(default_factory=list)  # with the noun
    adverbs: list[str] = field(default_factory=list)
    auxiliaries: list[str] = field(default_factory=list)
    passive: bool = False
    has_subject: bool = False
    has_object: bool = False
    infinitive: str = ""  # the particle that marks one as a word of its own: to, zu
    alone: bool = True  # nothing beside the arguments that could complete it: not *put it there*
    telling: bool = True
    bound: str = ""


_Read: TypeAlias = Callable[[Place, int, int, _Reading], None]
"""(place, predicate, dependent, reading): notes what the dependent says."""


def use_of_verb(place: Place, index: int) -> Use:
    """The use of a word of UPOS VERB."""
    first = first_conjunct(place, index)
    relation = place.relations[first]
    if relation in CLAUSES:
        return predicate(place, index, "")
    if relation == "amod":
        side = "before" if index < place.heads[first] else "after"
        return predicate(place, index, f"amod {side} ")
    if relation != "acl":
        return Use((), "nominal use", False)
    form = feature(place, index, "VerbForm")
    participial = form in NONFINITE and place.deprels[first] != "acl:relcl"
    return predicate(place, index, f"acl {form} " if participial else "")


def predicate(place: Place, index: int, mode: str) -> Use:
    """The use of a predicate: of a verb, or of an adjective with what depends on it. `mode` is the
    kind of phrase, part of the arguments' signature."""
    first = first_conjunct(place, index)
    reading = _Reading(passive=feature(place, index, "Voice") == "Pass")
    for child in place.children[index]:
        read = READ.get(place.relations[child])
        if read is not None:
            read(place, index, child, reading)
    if reading.bound:
        return Use((), reading.bound, False)
    if index != first:
        _share(place, index, first, reading)
    if not reading.args and reading.alone and _is_list(place, index, first):
        return Use((), "shared object", False)
    gap = "" if reading.has_object or reading.passive else _gap(place, first, reading.args)
    if gap == GAP:
        reading.telling = False
        if any(each.startswith(COMPLEMENTS) for each in reading.args):
            gap = ""  # the gap is further down
        else:
            reading.args.append("obj+")
            reading.has_object = True
    elif gap:
        return Use((), gap, False)
    partners = tuple(
        Partner(("obl", _beside(reading) + governed), lemma_of(place, noun), _bareness(place, noun))
        for governed, noun in reading.obliques
    )
    return Use(_facts(place, index, mode, reading), gap, reading.telling, partners)


def _facts(place: Place, index: int, mode: str, reading: _Reading) -> tuple[Fact, ...]:
    participle = not mode and feature(place, index, "VerbForm") == "Part"
    if participle and not reading.passive and not reading.auxiliaries:
        relation = place.relations[first_conjunct(place, index)]
        mode = "part " if relation in ("advcl", "xcomp", "csubj") else mode
    kind = f"{mode}pass " if reading.passive else mode
    signature = " ".join(sorted(reading.args))
    alone = "yes" if reading.alone else "no"
    facts = [(f"args {kind}", signature), (f"alone {kind}{signature}", alone)]
    facts += [("obl", _beside(reading) + each) for each, _ in reading.obliques]
    facts += [("adverb", each) for each in reading.adverbs]
    if reading.infinitive:
        facts.append(("infinitive", reading.infinitive))
    if reading.has_subject and any(each.startswith("ccomp") for each in reading.args):
        facts.append(("subject", "beside clause"))
    if participle and not reading.passive:
        facts += [("aux", each) for each in reading.auxiliaries]
    return tuple(dict.fromkeys(facts))


def _beside(reading: _Reading) -> str:
    """What an oblique stands beside."""
    clitic = any(each.startswith("expl") for each in reading.args)
    return "obj " if reading.has_object else "expl " if clitic else ""


def _bareness(place: Place, noun: int) -> str:
    """Whether an oblique may be an adverbial that no verb asks for: *di nascosto*."""
    alone = all(place.relations[child] in ("case", "punct") for child in place.children[noun])
    adverbial = is_bare(place, noun) or place.upos[noun] in ("ADJ", "ADV")
    return BARE if alone and adverbial else ""


def _share(place: Place, index: int, first: int, reading: _Reading) -> None:
    """What a conjunct shares: an object after it is its own too; whether one before it is, no one
    knows. A participle shares the auxiliary."""
    if not reading.has_object:
        head = place.heads[index]
        objects = [child for child in place.children[head] if place.relations[child] == "obj"]
        if objects and max(objects) > index:
            reading.args.append(f"obj+{governed_as(place, max(objects))}")
            reading.has_object = True
        elif objects:
            reading.telling = False
    if not reading.auxiliaries and feature(place, index, "VerbForm") == "Part":
        for child in place.children[first]:
            if place.relations[child] == "aux":
                _aux(place, first, child, reading)


def _is_list(place: Place, index: int, first: int) -> bool:
    """Whether a later conjunct has an object after it, which may be this one's: *wash, peel and
    cook potatoes*."""
    return any(
        place.relations[each] == "conj"
        and index < each
        and any(place.relations[child] == "obj" and child > each for child in place.children[each])
        for each in place.children[first]
    )


def _subject(place: Place, index: int, child: int, reading: _Reading) -> None:
    reading.passive = reading.passive or place.deprels[child] == "nsubj:pass"
    reading.has_subject = True
    governed = governed_as(place, child)
    if governed not in SUBJECT_CASES:
        reading.args.append(f"nsubj+{governed}")


def _object(place: Place, index: int, child: int, reading: _Reading) -> None:
    relation = place.relations[child]
    reading.has_object = reading.has_object or relation == "obj"
    governed = governed_as(place, child)
    if feature(place, child, "Reflex") == "Yes":
        governed = "refl"
    elif place.upos[child] == "VERB":
        governed = f"{_finiteness(place, child)}+{feature(place, child, 'Case')}"
    elif place.upos[child] == "PRON" and feature(place, child, "Case") in LEXICAL_CASES:
        governed = f"+{feature(place, child, 'Case')}"
    reading.args.append(f"{relation}+{governed}")


def _complement(place: Place, index: int, child: int, reading: _Reading) -> None:
    """A clause or predicate that is governed: its mark, and whether it is finite."""
    relation = place.relations[child]
    mark = marked_by(place, child, "mark") or marked_by(place, child)
    start = min([child, *place.children[child]])
    asks = asks_or_relates(place, start, "Int")
    if relation == "ccomp" and child < index and not asks:
        reading.bound = "reported speech"
    mark = "wh" if asks and not mark else mark
    reading.args.append(f"{relation}+{mark}+{_finiteness(place, child)}")


def _finiteness(place: Place, index: int) -> str:
    """`Fin` (or `Sub`, in the subjunctive) for a clause one of whose words is finite; else verb
    form or POS."""
    own = place.children[index] if place.relations[index] == "ccomp" else ()
    words = [index, *(each for each in own if place.relations[each] in ("aux", "cop"))]
    if any(feature(place, each, "VerbForm") == "Fin" for each in words):
        subjunctive = any(feature(place, each, "Mood") == "Sub" for each in words)
        return "Sub" if subjunctive else "Fin"
    upos = place.upos[index]
    if upos != "VERB":
        return upos
    return feature(place, index, "VerbForm") + feature(place, index, "InfForm")


def _oblique(place: Place, index: int, child: int, reading: _Reading) -> None:
    subtype = place.deprels[child][len("obl:") :]
    governed = governed_as(place, child)
    if not governed or (subtype in ADJUNCTS and place.upos[index] == "VERB"):
        return
    reading.alone = False
    reading.obliques.append((f"arg {governed}" if subtype == "arg" else governed, child))


def _expletive(place: Place, index: int, child: int, reading: _Reading) -> None:
    """A clitic that belongs to the verb (*si*, *se*, *sich*) is an argument; *there* binds it."""
    deprel = place.deprels[child]
    reading.args.append(f"{deprel}+{lemma_of(place, child)}")
    clitic = feature(place, child, "Reflex") == "Yes" or feature(place, child, "Clitic") == "Yes"
    if deprel == "expl:subj" or (deprel == "expl" and not clitic):
        reading.bound = "expletive"


def _adverb(place: Place, index: int, child: int, reading: _Reading) -> None:
    if child > index:
        reading.alone = False
        reading.adverbs.append(lemma_of(place, child))


def _aux(place: Place, index: int, child: int, reading: _Reading) -> None:
    if place.deprels[child] == "aux:pass":
        reading.passive = True
    else:
        reading.auxiliaries.append(lemma_of(place, child))


def _compound(place: Place, index: int, child: int, reading: _Reading) -> None:
    if place.deprels[child] == "compound:prt":
        reading.args.append(f"prt+{lemma_of(place, child)}")
    else:
        reading.bound = "compound"


def _clausal_subject(place: Place, index: int, child: int, reading: _Reading) -> None:
    reading.args.append("csubj")


def _completion(place: Place, index: int, child: int, reading: _Reading) -> None:
    """*able to go*, *worth a look*: below an adjective these are no mere additions."""
    if place.upos[index] != "ADJ":
        return
    reading.alone = False
    if place.relations[child] == "nmod" and governed_as(place, child):
        reading.obliques.append((governed_as(place, child), child))


def _untold(place: Place, index: int, child: int, reading: _Reading) -> None:
    reading.telling = False


def _mark(place: Place, index: int, child: int, reading: _Reading) -> None:
    """German *zu* stands inside separable verbs: who takes it before has been seen with it."""
    if place.upos[child] == "PART":
        reading.infinitive = lemma_of(place, child)


def _unclear(place: Place, index: int, child: int, reading: _Reading) -> None:
    reading.bound = "unclear"


READ: Mapping[str, _Read] = {
    "nsubj": _subject,
    "csubj": _clausal_subject,
    "obj": _object,
    "iobj": _object,
    "ccomp": _complement,
    "xcomp": _complement,
    "obl": _oblique,
    "expl": _expletive,
    "advmod": _adverb,
    "aux": _aux,
    "mark": _mark,
    "compound": _compound,
    "advcl": _completion,
    "acl": _completion,
    "nmod": _completion,
    "parataxis": _untold,
    "dep": _untold,
    "case": _unclear,
    "orphan": _unclear,
    "fixed": _unclear,
    "flat": _unclear,
    "goeswith": _unclear,
    "dislocated": _unclear,
}


def _gap(place: Place, index: int, args: list[str]) -> str:
    """Why an object may be missing that the sentence has somewhere else, or ""."""
    for _ in range(len(place.heads)):
        relation, head = place.relations[index], place.heads[index]
        if head < 0:
            return ""
        if relation == "acl":
            return "" if _is_full(place, index) else GAP
        if relation == "advcl" and place.upos[head] in ("ADJ", "ADV"):
            return "comparison"
        if relation == "xcomp" and place.upos[head] != "VERB":
            return "complement of an adjective"
        if relation == "parataxis" and not args:
            return "comment clause"
        if relation not in ("xcomp", "ccomp", "conj"):
            return ""
        if relation != "conj" and _raises(place, head):
            return "object further up"
        index = head
    return ""


def _is_full(place: Place, clause: int) -> bool:
    """Whether a clause below a noun has no gap that nothing fills: participles, *that*-clauses,
    and those with a relative pronoun."""
    relative = place.deprels[clause] == "acl:relcl"
    form = feature(place, clause, "VerbForm")
    if not relative and form in NONFINITE:
        return True
    if not relative and form != "Inf" and marked_by(place, clause, "mark"):
        return True
    return relative_of(place, clause) >= 0


def _raises(place: Place, index: int) -> bool:
    """Whether the object of a verb is a relative or interrogative that may belong further down."""
    return any(
        place.relations[child] == "obj"
        and (asks_or_relates(place, child, "Rel") or asks_or_relates(place, child, "Int"))
        for child in place.children[index]
    )
