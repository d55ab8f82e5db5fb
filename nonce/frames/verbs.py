"""Predicates: arguments, adpositions, particle, auxiliary, and the kind of phrase they head.

What a verb governs is told by the dependents that stand there. So a use says nothing where one of
them may be missing: in a relative clause whose gap no pronoun fills, beside a conjunct that may
share its object, in *easy to please*.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from colorless_green.miner.view import TreeView
from colorless_green.nonce.frames.bundles import is_bare
from colorless_green.nonce.frames.use import BARE, Fact, Partner, Use

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


_Read: TypeAlias = Callable[[TreeView, int, int, _Reading], None]
"""(view, predicate, dependent, reading): notes what the dependent says."""


def use_of_verb(view: TreeView, index: int) -> Use:
    """The use of a word of UPOS VERB."""
    first = view.first_conjunct(index)
    relation = view.relations[first]
    if relation in CLAUSES:
        return predicate(view, index, "")
    if relation == "amod":
        side = "before" if index < view.heads[first] else "after"
        return predicate(view, index, f"amod {side} ")
    if relation != "acl":
        return Use((), "nominal use", False)
    form = view.feature(index, "VerbForm")
    participial = form in NONFINITE and view.deprels[first] != "acl:relcl"
    return predicate(view, index, f"acl {form} " if participial else "")


def predicate(view: TreeView, index: int, mode: str) -> Use:
    """The use of a predicate: of a verb, or of an adjective with what depends on it. `mode` is the
    kind of phrase, part of the arguments' signature."""
    first = view.first_conjunct(index)
    reading = _Reading(passive=view.feature(index, "Voice") == "Pass")
    for child in view.children[index]:
        read = READ.get(view.relations[child])
        if read is not None:
            read(view, index, child, reading)
    if reading.bound:
        return Use((), reading.bound, False)
    if index != first:
        _share(view, index, first, reading)
    if not reading.args and reading.alone and _is_list(view, index, first):
        return Use((), "shared object", False)
    gap = "" if reading.has_object or reading.passive else _gap(view, first, reading.args)
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
        Partner(("obl", _beside(reading) + governed), view.key(noun), _bareness(view, noun))
        for governed, noun in reading.obliques
    )
    return Use(_facts(view, index, mode, reading), gap, reading.telling, partners)


def _facts(view: TreeView, index: int, mode: str, reading: _Reading) -> tuple[Fact, ...]:
    participle = not mode and view.feature(index, "VerbForm") == "Part"
    if participle and not reading.passive and not reading.auxiliaries:
        relation = view.relations[view.first_conjunct(index)]
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


def _bareness(view: TreeView, noun: int) -> str:
    """Whether an oblique may be an adverbial that no verb asks for: *di nascosto*."""
    alone = all(view.relations[child] in ("case", "punct") for child in view.children[noun])
    adverbial = is_bare(view, noun) or view.upos[noun] in ("ADJ", "ADV")
    return BARE if alone and adverbial else ""


def _share(view: TreeView, index: int, first: int, reading: _Reading) -> None:
    """What a conjunct shares: an object after it is its own too; whether one before it is, no one
    knows. A participle shares the auxiliary."""
    if not reading.has_object:
        head = view.heads[index]
        objects = [child for child in view.children[head] if view.relations[child] == "obj"]
        if objects and max(objects) > index:
            reading.args.append(f"obj+{view.governed_as(max(objects))}")
            reading.has_object = True
        elif objects:
            reading.telling = False
    if not reading.auxiliaries and view.feature(index, "VerbForm") == "Part":
        for child in view.children[first]:
            if view.relations[child] == "aux":
                _aux(view, first, child, reading)


def _is_list(view: TreeView, index: int, first: int) -> bool:
    """Whether a later conjunct has an object after it, which may be this one's: *wash, peel and
    cook potatoes*."""
    return any(
        view.relations[each] == "conj"
        and index < each
        and any(view.relations[child] == "obj" and child > each for child in view.children[each])
        for each in view.children[first]
    )


def _subject(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    reading.passive = reading.passive or view.deprels[child] == "nsubj:pass"
    reading.has_subject = True
    governed = view.governed_as(child)
    if governed not in SUBJECT_CASES:
        reading.args.append(f"nsubj+{governed}")


def _object(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    relation = view.relations[child]
    reading.has_object = reading.has_object or relation == "obj"
    governed = view.governed_as(child)
    if view.feature(child, "Reflex") == "Yes":
        governed = "refl"
    elif view.upos[child] == "VERB":
        governed = f"{_finiteness(view, child)}+{view.feature(child, 'Case')}"
    elif view.upos[child] == "PRON" and view.feature(child, "Case") in LEXICAL_CASES:
        governed = f"+{view.feature(child, 'Case')}"
    reading.args.append(f"{relation}+{governed}")


def _complement(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    """A clause or predicate that is governed: its mark, and whether it is finite."""
    relation = view.relations[child]
    mark = view.marked_by(child, "mark") or view.marked_by(child)
    start = min([child, *view.children[child]])
    asks = view.is_pronominal(start, "Int")
    if relation == "ccomp" and child < index and not asks:
        reading.bound = "reported speech"
    mark = "wh" if asks and not mark else mark
    reading.args.append(f"{relation}+{mark}+{_finiteness(view, child)}")


def _finiteness(view: TreeView, index: int) -> str:
    """`Fin` (or `Sub`, in the subjunctive) for a clause one of whose words is finite; else verb
    form or POS."""
    own = view.children[index] if view.relations[index] == "ccomp" else ()
    words = [index, *(each for each in own if view.relations[each] in ("aux", "cop"))]
    if any(view.feature(each, "VerbForm") == "Fin" for each in words):
        subjunctive = any(view.feature(each, "Mood") == "Sub" for each in words)
        return "Sub" if subjunctive else "Fin"
    upos = view.upos[index]
    if upos != "VERB":
        return upos
    return view.feature(index, "VerbForm") + view.feature(index, "InfForm")


def _oblique(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    subtype = view.deprels[child][len("obl:") :]
    governed = view.governed_as(child)
    if not governed or (subtype in ADJUNCTS and view.upos[index] == "VERB"):
        return
    reading.alone = False
    reading.obliques.append((f"arg {governed}" if subtype == "arg" else governed, child))


def _expletive(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    """A clitic that belongs to the verb (*si*, *se*, *sich*) is an argument; *there* binds it."""
    deprel = view.deprels[child]
    reading.args.append(f"{deprel}+{view.key(child)}")
    clitic = view.feature(child, "Reflex") == "Yes" or view.feature(child, "Clitic") == "Yes"
    if deprel == "expl:subj" or (deprel == "expl" and not clitic):
        reading.bound = "expletive"


def _adverb(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    if child > index:
        reading.alone = False
        reading.adverbs.append(view.key(child))


def _aux(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    if view.deprels[child] == "aux:pass":
        reading.passive = True
    else:
        reading.auxiliaries.append(view.key(child))


def _compound(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    if view.deprels[child] == "compound:prt":
        reading.args.append(f"prt+{view.key(child)}")
    else:
        reading.bound = "compound"


def _clausal_subject(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    reading.args.append("csubj")


def _completion(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    """*able to go*, *worth a look*: below an adjective these are no mere additions."""
    if view.upos[index] != "ADJ":
        return
    reading.alone = False
    if view.relations[child] == "nmod" and view.governed_as(child):
        reading.obliques.append((view.governed_as(child), child))


def _untold(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    reading.telling = False


def _mark(view: TreeView, index: int, child: int, reading: _Reading) -> None:
    """German *zu* stands inside separable verbs: who takes it before has been seen with it."""
    if view.upos[child] == "PART":
        reading.infinitive = view.key(child)


def _unclear(view: TreeView, index: int, child: int, reading: _Reading) -> None:
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


def _gap(view: TreeView, index: int, args: list[str]) -> str:
    """Why an object may be missing that the sentence has somewhere else, or ""."""
    for _ in range(len(view.heads)):
        relation, head = view.relations[index], view.heads[index]
        if head < 0:
            return ""
        if relation == "acl":
            return "" if _is_full(view, index) else GAP
        if relation == "advcl" and view.upos[head] in ("ADJ", "ADV"):
            return "comparison"
        if relation == "xcomp" and view.upos[head] != "VERB":
            return "complement of an adjective"
        if relation == "parataxis" and not args:
            return "comment clause"
        if relation not in ("xcomp", "ccomp", "conj"):
            return ""
        if relation != "conj" and _raises(view, head):
            return "object further up"
        index = head
    return ""


def _is_full(view: TreeView, clause: int) -> bool:
    """Whether a clause below a noun has no gap that nothing fills: participles, *that*-clauses,
    and those with a relative pronoun."""
    relative = view.deprels[clause] == "acl:relcl"
    form = view.feature(clause, "VerbForm")
    if not relative and form in NONFINITE:
        return True
    if not relative and form != "Inf" and view.marked_by(clause, "mark"):
        return True
    return view.relative_of(clause) >= 0


def _raises(view: TreeView, index: int) -> bool:
    """Whether the object of a verb is a relative or interrogative that may belong further down."""
    return any(
        view.relations[child] == "obj"
        and (view.is_pronominal(child, "Rel") or view.is_pronominal(child, "Int"))
        for child in view.children[index]
    )
