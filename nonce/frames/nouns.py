"""Nouns and names: determiner, number, what governs them and what they govern."""

from colorless_green.miner.features import conflict
from colorless_green.nonce.frames.place import (
    Fact,
    Partner,
    Place,
    Use,
    feature,
    first_conjunct,
    governed_as,
    lemma_of,
    marked_by,
    relative_of,
)
from colorless_green.nonce.frames.verbs import NONFINITE

BOUND = {
    "vocative": "address",
    "discourse": "interjection",
    "dislocated": "dislocated",
    "appos": "apposition",
    "list": "list",
    "flat": "name part",
    "fixed": "fixed",
    "goeswith": "split word",
    "orphan": "ellipsis",
    "reparandum": "taken back",
    "dep": "unclear",
    "parataxis": "fragment",
    "nummod": "numeral",
    "det": "determiner",
    "case": "function word",
    "mark": "function word",
    "cc": "function word",
    "cop": "function word",
    "aux": "function word",
    "advmod": "adverbial",
    "amod": "attribute",
    "clf": "classifier",
    "expl": "expletive",
}
BARE_ADVERBIAL = "bare adverbial"
MEASURES = frozenset({"tmod", "npmod", "unmarked", "desc"})
BARE = frozenset({"", "+Nom", "+Acc", "+Abs"})  # an adverbial without a mark: *last year*
ROMAN = frozenset("IVXLCDM")
CLAUSES = frozenset({"root", "ccomp", "advcl", "acl", "csubj"})
PARTS = {"flat": "name part", "fixed": "fixed", "goeswith": "split word"}
PARTS_OF_NAMES = frozenset(
    {"flat", "compound", "appos", "nummod", "fixed", "amod", "goeswith", "list"}
)
NAMING = frozenset({"PROPN", "X", "NUM"})  # beside a name, or above it, these make one of several


def use_of_noun(place: Place, index: int) -> Use:
    """The use of a word of UPOS NOUN."""
    first = first_conjunct(place, index)
    role, bound = role_of(place, first)
    bound = bound or _beside(place, index)
    if bound:
        return Use((), bound, False)
    number = feature(place, index, "Number")
    facts = [("place", role)] if role == "compound" else _determined(place, index, first, role)
    if role.startswith("by "):
        facts.append((f"within {number}", f"{role} {determiner_of(place, index)[0]}"))
    gap = -1
    partners: list[Partner] = []
    for child in place.children[index]:
        relation = place.relations[child]
        if relation in ("acl", "ccomp") or _is_clause(place, child):
            facts += _clause(place, child)
            gap = child if _has_gap(place, child) else gap
        elif relation == "nmod":
            governed = governed_as(place, child)
            if governed and (place.deprels[child] != "nmod:poss" or marked_by(place, child)):
                fact = ("nmod", governed)
                partners.append(Partner(fact, lemma_of(place, child), marked_by(place, index)))
        elif relation == "compound":
            facts.append(("compounded", "yes"))
    facts += [each.fact for each in partners]
    facts.append(("number", number))
    return Use(tuple(dict.fromkeys(facts)), partners=tuple(partners), clause=gap)


def _is_clause(place: Place, child: int) -> bool:
    """Whether a dependent is a clause by its mark or verb form, whatever its relation: Russian
    *возможности поправить*."""
    relation = place.relations[child]
    if relation in ("nmod", "advcl") and marked_by(place, child, "mark"):
        return True
    infinitive = feature(place, child, "VerbForm") == "Inf"
    return infinitive and relation not in ("conj", "parataxis", "cop", "aux")


def _beside(place: Place, index: int) -> str:
    """Why a noun belongs to what stands beside it: *Article IV*, *28 February*, *President X*."""
    after, head = index + 1, place.heads[index]
    if after < len(place.forms) and set(place.forms[after]) <= ROMAN:
        return "numbered" if place.upos[after] != "PRON" else ""
    if head >= 0 and place.upos[head] == "NUM":
        return "date"
    if head == after and place.upos[head] == "PROPN":
        return "title"
    found = (_made_by(place, index, child) for child in place.children[index])
    return next((reason for reason in found if reason), "")


def _made_by(place: Place, index: int, child: int) -> str:
    """Why a noun belongs to a word below it: *Article 3*, *the critic Bradley*, *the very old*; or
    does not go with it by their gender."""
    relation, upos = place.relations[child], place.upos[child]
    if relation in PARTS:
        return PARTS[relation]
    if relation in ("det", "amod") and conflict(place.feats[child], place.feats[index]):
        return "disagreement"
    if relation == "advmod" and child < index and _has_article(place, index, child):
        return "adjective as another part of speech"
    if child == index + 1 and place.forms[child][:1].isdigit():
        return "numbered"
    if child > index and relation == "nummod":
        return "numbered"
    named = upos == "PROPN" and relation in ("nmod", "appos", "compound")
    return "title" if named and child > index and not marked_by(place, child) else ""


def _has_article(place: Place, index: int, before: int) -> bool:
    return any(place.relations[c] == "det" and c < before for c in place.children[index])


def role_of(place: Place, index: int) -> tuple[str, str]:
    """(role of a nominal with what marks it, why no other can stand there)."""
    relation, (_, _, subtype) = place.relations[index], place.deprels[index].partition(":")
    if relation in BOUND:
        return "", BOUND[relation]
    if relation in ("obl", "nmod"):
        governed = governed_as(place, index)
        if subtype in MEASURES or (relation == "obl" and governed in BARE):
            return "", BARE_ADVERBIAL
        return (f"by {governed}" if governed else relation), ""
    if relation == "compound":
        return relation, "" if not subtype else "bundle"
    if relation == "xcomp":
        return "predicate", ""
    if relation in CLAUSES:
        if all(place.relations[child] != "cop" for child in place.children[index]):
            return "", "fragment"
        governed = governed_as(place, index)
        return ("predicate" if governed in BARE else f"by {governed}"), ""
    return relation, ""


def determiner_of(place: Place, index: int) -> tuple[str, str]:
    """(kind, lemma of a quantifier): `def`, `ind`, `quant`, `num` or `none`; possessives are
    definite."""
    kind, lemma = "none", ""
    for child in place.children[index]:
        deprel = place.deprels[child]
        if place.relations[child] == "det" and deprel != "det:predet":
            own = _kind(place, child)
            if kind in ("none", "num") or own == "quant":
                kind = own
                lemma = lemma_of(place, child) if own == "quant" else ""
        elif deprel == "nmod:poss" and kind == "none":
            kind = "def"
        elif deprel.startswith("nummod") and kind == "none":
            kind = "num"
    return kind, lemma


def _kind(place: Place, index: int) -> str:
    definite = feature(place, index, "Definite")
    if definite:
        return "ind" if definite == "Ind" else "def"
    told = feature(place, index, "PronType") == "Dem" or feature(place, index, "Poss") == "Yes"
    return "def" if told else "quant"


def _determined(place: Place, index: int, first: int, role: str) -> list[Fact]:
    """How a noun is determined; a conjunct without a determiner has that of the first one."""
    number = feature(place, index, "Number")
    kind, lemma = determiner_of(place, index)
    if kind == "none" and index != first:
        kind, lemma = determiner_of(place, first)
    facts = [(f"det {number}", kind)]
    if kind == "none":
        facts.append((f"bare {number}", role))
    elif kind == "def" and role.startswith("by ") and _is_plain(place, index):
        facts.append(("phrase", role))
    if kind == "quant":
        facts.append((f"quantified {number}", lemma))
    return facts


def _is_plain(place: Place, index: int) -> bool:
    """Whether a noun has adposition and article alone: *in the end*."""
    return all(
        place.relations[child] in ("case", "det", "punct") for child in place.children[index]
    )


def _clause(place: Place, clause: int) -> list[Fact]:
    """What a clause below a noun asks of the noun: *the fact (that)*, *the attempt to*, *who*."""
    relative = relative_of(place, clause)
    mark = marked_by(place, clause, "mark")
    related = place.relations[clause] == "acl" and relative >= 0 and not mark
    if place.deprels[clause] != "acl:relcl" and not related:
        form = _form_of(place, clause)
        return [("clause", f"{mark} {form}")] if mark or form in ("Fin", "Inf") else []
    if relative < 0 or marked_by(place, relative):
        return []
    relation = place.relations[relative]
    if relation not in ("nsubj", "obj", "advmod"):
        return []
    return [("relative", f"{relation} {lemma_of(place, relative)}")]


def _form_of(place: Place, clause: int) -> str:
    """The verb form of a clause, which an auxiliary or copula may show."""
    forms = [feature(place, clause, "VerbForm")]
    for child in place.children[clause]:
        if place.relations[child] in ("aux", "cop"):
            forms.append(feature(place, child, "VerbForm"))
    return next((form for form in ("Fin", "Inf") if form in forms), forms[0])


def _has_gap(place: Place, clause: int) -> bool:
    """Whether a clause is a relative without a pronoun."""
    if place.deprels[clause] != "acl:relcl" and (
        marked_by(place, clause, "mark") or feature(place, clause, "VerbForm") in NONFINITE
    ):
        return False
    return place.relations[clause] == "acl" and relative_of(place, clause) < 0


def use_of_name(place: Place, index: int) -> Use:
    """The use of a word of UPOS PROPN that is a name by itself."""
    first = first_conjunct(place, index)
    role, bound = role_of(place, first)
    if bound or role == "compound":
        return Use((), bound or "name part", False)
    if any(place.relations[child] in PARTS_OF_NAMES for child in place.children[index]):
        return Use((), "name part", False)
    around = (index - 1, index + 1, place.heads[index] if index == first else -1)
    if any(0 <= each < len(place.upos) and place.upos[each] in NAMING for each in around):
        return Use((), "name part", False)
    if not feature(place, index, "Gender") and _is_agreed_with(place, index, first):
        return Use((), "untold feature", False)
    return Use((("name", role), ("article", _article(place, index))))


def _is_agreed_with(place: Place, index: int, first: int) -> bool:
    """Whether a word beside a name tells the gender that the name itself does not."""
    about = [c for c in place.children[index] if place.relations[c] != "det"]
    if place.relations[first] == "nsubj":
        about.append(place.heads[first])
        about += [
            child
            for child in place.children[place.heads[first]]
            if place.relations[child] in ("aux", "cop")
        ]
    return any(feature(place, each, "Gender") for each in about if place.upos[each] != "NOUN")


def _article(place: Place, index: int) -> str:
    """The determiner of a name with the gender and number it shows, which names often do not."""
    shown = [
        f"{determiner_of(place, index)[0]} {feature(place, child, 'Gender')} "
        f"{feature(place, child, 'Number')}"
        for child in place.children[index]
        if place.relations[child] == "det"
    ]
    return shown[0] if shown else determiner_of(place, index)[0]
