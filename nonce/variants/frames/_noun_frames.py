"""The uses of nouns and names: determiner, number, what governs them and what they govern.

One use of a word in a sentence is a `WordUse`: facts about it, or the reason why no other word can
replace it. The reasons are tables of named tests; the first that holds counts.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from ....data.items.features import genders_conflict
from ....miner.treebank.view import TreeView
from .usable_forms import HYPHENS

Test: TypeAlias = Callable[[TreeView, int], bool]

REASONS = {
    "address": "vocative",
    "apposition": "appos",
    "adverbial": "advmod",
    "attribute": "amod",
    "fixed": "fixed goeswith",
    "fragment": "parataxis",
    "function word": "det case mark cc cop aux clf expl",
    "interjection": "discourse",
    "dislocated": "dislocated",
    "list": "list",
    "name part": "flat",
    "numeral": "nummod",
    "unclear": "orphan reparandum dep",
}
BOUND = {name: reason for reason, names in REASONS.items() for name in names.split()}
"""Relation of a nominal → why no other word can replace it."""
GAP = "relative without pronoun"
BARE_ADVERBIAL = "bare adverbial"
MEASURES = frozenset({"tmod", "npmod", "unmarked", "desc"})  # subtypes of times and measures
UNMARKED = frozenset({"", "+Nom", "+Acc", "+Abs"})  # markings of bare adverbials: *last year*
SUBJECT_OR_OBJECT = frozenset({"nsubj", "obj"})
QUOTES = frozenset({'"', "``", "\u201c", "\u201e", "\u00ab", "\u00bb", "\u2018"})
MAX_TITLE_WORDS = 4  # words from an opening quotation mark on that may be a title
COMPLEMENT_CLAUSES = frozenset({"ccomp", "csubj", "xcomp"})  # a verb governs them
ROMAN_DIGITS = frozenset("IVXLCDM")
CLAUSES = frozenset({"root", "ccomp", "advcl", "acl", "csubj"})
NONFINITE = frozenset({"Part", "Ger", "Conv", "Vnoun"})
PARTS_OF_NAMES = ("flat", "compound", "appos", "nummod", "fixed", "amod", "goeswith", "list")
UPOS_IN_NAMES = frozenset({"PROPN", "X", "NUM"})  # of the words that make a name longer


class Fact(NamedTuple):
    """One fact about a use of a word: `Fact("args", "obj+")` says that it has an object."""

    question: str
    answer: str


class Determiner(NamedTuple):
    """The determiner of a noun."""

    kind: str  # `def` (also possessives), `ind`, `quant`, `num` or `none`
    quantifier: str  # lemma of a determiner of the kind `quant`, else ""


class WordUse(NamedTuple):
    """One use of a word in a sentence: facts about it, or why no other word can replace it."""

    facts: tuple[Fact, ...] = ()
    stays: str = ""  # why no other word can stand here, or ""
    is_informative: bool = True  # whether the facts are evidence of what the word can do
    partners: tuple[tuple[Fact, str], ...] = ()  # (fact, noun): a fact needs two different nouns


def bound_use(reason: str) -> WordUse:
    """Return the use of a word that must stay for this reason. Such a use is no evidence of what
    the word can do."""
    return WordUse(stays=reason, is_informative=False)


def use_of_noun(view: TreeView, index: int) -> WordUse:
    """Return the use of a noun (UPOS NOUN) at `index`."""
    role, stays = role_of(view, view.first_conjunct(index))
    stays = stays or next((reason for reason, test in NOUN_TESTS if test(view, index)), "")
    if stays:
        return bound_use(stays)
    facts = _phrase_facts(view, index, role)
    partners: list[tuple[Fact, str]] = []
    for child in view.children[index]:
        relation = view.relations[child]
        if relation in ("acl", "ccomp") or _is_clause(view, child):
            facts += _clause_facts(view, child, role)
            if relation == "acl" and _has_gap(view, child):
                stays = GAP  # its facts are evidence all the same
        elif relation == "nmod" and (marking := view.case_marking(child)):
            if view.deprels[child] != "nmod:poss" or view.marked_by(child):
                fact = Fact("nmod", marking)
                facts.append(fact)
                partners.append((fact, view.key(child)))
        elif relation == "compound":
            facts.append(Fact("compounded", "yes"))
    return WordUse(tuple(dict.fromkeys(facts)), stays, partners=tuple(partners))


def _phrase_facts(view: TreeView, index: int, role: str) -> list[Fact]:
    """Return the facts about a noun's number, its determiner and its role, in which `within` joins
    an adposition with the kind of determiner. Most questions are asked apart for each number."""
    number, determiner = view.feature(index, "Number"), determiner_of(view, index)
    facts = [Fact("number", number)]
    if role.startswith("by "):
        facts += [Fact(f"within {number}", f"{role} {determiner.kind}"), Fact("role", role)]
    if role == "compound":
        return [*facts, Fact("place", role)]
    if determiner.kind == "none":  # a conjunct has the determiner of the first one
        determiner = determiner_of(view, view.first_conjunct(index))
    facts.append(Fact(f"det {number}", determiner.kind))
    if determiner.kind == "none":
        facts.append(Fact(f"bare {number}", role))
    elif determiner.kind == "quant":
        facts.append(Fact(f"quantified {number}", determiner.quantifier))
    return facts


def use_of_name(view: TreeView, index: int) -> WordUse:
    """Return the use of a name (UPOS PROPN) at `index`, which must stay if it is part of a longer
    name."""
    first_conjunct = view.first_conjunct(index)
    role, stays = role_of(view, first_conjunct)
    head = view.heads[index] if index == first_conjunct else -1
    if stays:
        return bound_use(stays)
    if (
        role == "compound"
        or view.dependents(index, *PARTS_OF_NAMES)
        or any(
            0 <= word < len(view) and view.upos[word] in UPOS_IN_NAMES
            for word in (index - 1, index + 1, head)
        )
    ):
        return bound_use("name part")
    determiners = view.dependents(index, "det")
    if not view.feature(index, "Gender"):  # an agreeing word may show it all the same
        agreeing = [child for child in view.children[index] if child not in determiners]
        if view.relations[first_conjunct] == "nsubj":
            head = view.heads[first_conjunct]
            agreeing += [head, *view.dependents(head, "aux", "cop")]
        if any(view.feature(word, "Gender") for word in agreeing if view.upos[word] != "NOUN"):
            return bound_use("feature not marked")
    article = determiner_of(view, index).kind
    if determiners:  # add the gender and number that names often lack
        features = [view.feature(determiners[0], name) for name in ("Gender", "Number")]
        article = " ".join([article, *features])
    return WordUse((Fact("name", role), Fact("article", article)))


def role_of(view: TreeView, index: int) -> tuple[str, str]:
    """Return the role of a nominal, and the reason why no other nominal can replace it ("" for
    none). The role is its relation, or `by` with the adposition or case that marks it."""
    relation, subtype = view.relations[index], view.deprels[index].partition(":")[2]
    marking = view.case_marking(index)
    if relation in BOUND:
        return "", BOUND[relation]
    if relation in ("obl", "nmod"):
        if subtype in MEASURES or (relation == "obl" and marking in UNMARKED):
            return "", BARE_ADVERBIAL
        possessed = view.feature(view.heads[index], "Person[psor]")
        if (relation, marking) == ("nmod", "+Nom") and not possessed:
            return "", "apposition"  # *teaivó kultúra* "tea-drinking culture"
        return (f"by {marking}" if marking else relation), ""
    if relation == "compound":
        return relation, "" if not subtype else "bundle"
    if relation == "xcomp":
        return "predicate", ""
    if relation in CLAUSES:
        if not view.dependents(index, "cop"):
            return "", "fragment"
        return ("predicate" if marking in UNMARKED else f"by {marking}"), ""
    return relation, ""


def determiner_of(view: TreeView, index: int) -> Determiner:
    """Return the determiner of a noun. Of several, the first counts; but a quantifier comes before
    all others, and any determiner before a numeral."""
    kind, quantifier = "none", ""
    for child in view.children[index]:
        deprel = view.deprels[child]
        if view.relations[child] == "det" and deprel != "det:predet":
            definite = view.feature(child, "Definite")
            demonstrative = view.feature(child, "PronType") == "Dem"
            if definite == "Ind":
                child_kind = "ind"
            elif definite or demonstrative or view.feature(child, "Poss") == "Yes":
                child_kind = "def"
            else:
                child_kind = "quant"
            if kind in ("none", "num") or child_kind == "quant":
                kind = child_kind
                quantifier = view.key(child) if kind == "quant" else ""
        elif deprel == "nmod:poss" and kind == "none":
            kind = "def"
        elif deprel.startswith("nummod") and kind == "none":
            kind = "num"
    return Determiner(kind, quantifier)


def is_indirect_question(view: TreeView, clause: int) -> bool:
    """Tell whether a clause is an indirect question: it begins with an interrogative."""
    words = sorted((clause, *view.children[clause]))
    opening = next((word for word in words if view.upos[word] != "PUNCT"), clause)
    return view.is_pronominal(opening, "Int")


def is_bare(view: TreeView, index: int) -> bool:
    """Tell whether a word is a singular noun without determiner, numeral, attribute and
    possessor."""
    return (
        view.upos[index] == "NOUN"
        and view.feature(index, "Number") != "Plur"
        and not view.dependents(index, "det", "nummod", "amod")
        and all(view.deprels[child] != "nmod:poss" for child in view.children[index])
    )


# why a noun stays


def _is_numbered(view: TreeView, index: int) -> bool:
    """Tell whether a noun has a number: *Article IV*, *1889 года*, *33 ezer fővel*."""
    following = index + 1
    if following < len(view):
        form = view.forms[following]
        is_roman = set(form) <= ROMAN_DIGITS and view.upos[following] != "PRON"  # not *I*
        if is_roman or (view.heads[following] == index and form[:1].isdigit()):
            return True
    has_ordinal = any(
        view.upos[child] == "NUM" or any(map(str.isdigit, view.forms[child]))
        for child in view.dependents(index, "amod")
    )
    follows_digit = index > 0 and view.forms[index - 1][-1:].isdigit()
    return has_ordinal or bool(view.dependents(index, "nummod")) or follows_digit


def _is_before_quotation(view: TreeView, index: int) -> bool:
    """Tell whether an opening quotation mark follows a noun: *the word "punitive"*."""
    before_and_next = view.forms[: index + 2]
    quote = before_and_next[-1] if index + 1 < len(view) else ""
    is_opening = before_and_next.count(quote) % 2 == 1  # the same sign opens and closes
    return quote in QUOTES and is_opening


def in_title(view: TreeView, index: int) -> bool:
    """Tell whether a word is in a quoted title, that is, among the first words of a quotation that
    begins with a capital: *в витрине "Детского мира"*."""
    for node in range(index - 1, max(0, index - MAX_TITLE_WORDS - 1), -1):  # backwards from it
        if view.forms[node] in QUOTES:
            is_opening = view.forms[:node].count(view.forms[node]) % 2 == 0
            return is_opening and view.forms[node + 1][:1].isupper()
        if view.upos[node] == "PUNCT":
            return False
    return False


def _stands_with_name(view: TreeView, index: int) -> bool:
    """Tell whether a noun forms one phrase with a name: *the critic Bradley*, *premier Miyazawa*,
    *Szabó miniszter*. A name in another case than the noun, or with an adposition, is a possessor
    and does not count."""
    noun_case, following = view.feature(index, "Case"), index + 1
    for name in view.dependents(index, "nmod", "appos", "compound"):
        if name > index and view.upos[name] == "PROPN" and not view.marked_by(name):
            return True
    if following < len(view) and view.upos[following] in ("PROPN", "X"):
        case = view.feature(following, "Case")
        is_possessor = view.marked_by(following) or (noun_case and case and noun_case != case)
        if not is_possessor and _are_attached(view, index, following):
            return True
    return (
        index > 0
        and view.upos[index - 1] == "PROPN"
        and noun_case != ""
        and noun_case == view.feature(index - 1, "Case")
        and not view.feature(index, "Person[psor]")
        and _are_attached(view, index, index - 1)
    )


def _are_attached(view: TreeView, noun: int, name: int) -> bool:
    """Tell whether a noun and a name depend on each other, or both on the same word."""
    head = view.heads[name]
    return view.heads[noun] == name or head == noun or 0 <= head == view.heads[noun]


def is_hyphened(view: TreeView, index: int) -> bool:
    """Tell whether a word, or the first of its conjuncts, is part of a hyphenated word: *Parkett -
    und Laminatböden*."""
    first_conjunct = view.first_conjunct(index)
    nearby = (index - 1, index + 1, first_conjunct + 1)
    signs = {view.forms[word] for word in nearby if 0 <= word < len(view)}
    for form in (view.forms[index], view.forms[first_conjunct]):
        signs |= {form[:1], form[-1:]}
    return not HYPHENS.isdisjoint(signs)


def _has_clause_elsewhere(view: TreeView, index: int) -> bool:
    """Tell whether a clause that may belong to a noun is attached to its verb, or to a pronoun: *es
    besteht die Gefahr, daß*, *die Meinung ist, dass*, *завёл разговор о том, что*."""
    first_conjunct = view.first_conjunct(index)
    head, relation = view.heads[first_conjunct], view.relations[first_conjunct]
    words = view.dependents(index, "nmod")  # a pronoun among them may have the clause
    if head < 0 or relation not in SUBJECT_OR_OBJECT:
        return any(_has_clause(view, word) for word in words)
    later = [child for child in view.children[head] if child > index]
    words += [child for child in later if view.relations[child] == "obl"]
    if any(_has_clause(view, word) for word in words):
        return True
    is_subject = relation == "nsubj"
    # the clause is the predicate, as in *die Meinung ist, dass*
    if is_subject and any(index < mark < head for mark in view.dependents(head, "mark")):
        return True
    clauses = {view.relations[child] for child in later} & COMPLEMENT_CLAUSES
    if is_subject:  # only behind its verb: *es besteht die Gefahr*
        return index > head and bool(clauses)
    return bool(clauses - {"xcomp"})


def _has_clause(view: TreeView, word: int) -> bool:
    """Tell whether a pronoun or determiner has a clause with a conjunction: *о том, что*."""
    clauses = view.dependents(word, "acl", "ccomp", "advcl")
    is_pronoun = view.upos[word] in ("PRON", "DET")
    return is_pronoun and any(view.marked_by(clause, "mark") for clause in clauses)


def determiner_disagrees(view: TreeView, index: int) -> bool:
    """Tell whether a determiner of a noun has another case or number than the noun."""
    for name in ("Case", "Number"):
        noun_value = view.feature(index, name)
        for determiner in view.dependents(index, "det") if noun_value else ():
            value = view.feature(determiner, name)
            if value and set(value.split(",")).isdisjoint(noun_value.split(",")):
                return True
    return False


def _disagrees(view: TreeView, index: int) -> bool:
    """Tell whether a determiner or attribute of a noun disagrees with it in case, number or
    gender."""
    words = view.dependents(index, "det", "amod")
    genders_differ = any(genders_conflict(view.feats[word], view.feats[index]) for word in words)
    return genders_differ or determiner_disagrees(view, index)


NOUN_TESTS: tuple[tuple[str, Test], ...] = (
    ("numbered", _is_numbered),
    ("date", lambda view, index: view.heads[index] >= 0 and view.upos[view.heads[index]] == "NUM"),
    ("title", _is_before_quotation),
    ("title", _stands_with_name),
    ("title", in_title),
    ("part of a compound", is_hyphened),
    ("clause beside it", _has_clause_elsewhere),
    ("name part", lambda view, index: bool(view.dependents(index, "flat", "fixed", "goeswith"))),
    ("disagreement", _disagrees),
)
"""Why a noun stays as it is → the test of what stands beside it."""


# clauses below a noun


def _is_clause(view: TreeView, child: int) -> bool:
    """Tell whether a dependent is a clause, by its conjunction or verb form, even if its relation
    does not say so: Russian *возможности поправить*."""
    relation = view.relations[child]
    if relation in ("nmod", "advcl") and view.dependents(child, "mark"):
        return True
    infinitive = view.feature(child, "VerbForm") == "Inf"
    return infinitive and relation not in ("conj", "parataxis", "cop", "aux")


def _clause_facts(view: TreeView, clause: int, role: str) -> Iterator[Fact]:
    """Yield the fact that a noun in this role has such a clause: *the fact (that)*, *the attempt
    to*, *(people) who*. A clause below an oblique noun (Finnish *sitä mieltä, että* "of the opinion
    that") is no evidence that the noun has one as a subject or object; the fact then ends in
    `aside`."""
    relative, mark = view.relative_of(clause), view.marked_by(clause, "mark")
    has_pronoun = view.relations[clause] == "acl" and relative >= 0 and not mark
    if view.deprels[clause] != "acl:relcl" and not has_pronoun:  # no relative clause
        verbs = (clause, *view.dependents(clause, "aux", "cop"))
        verb_forms = [view.feature(verb, "VerbForm") for verb in verbs]
        form = next((name for name in ("Fin", "Inf") if name in verb_forms), verb_forms[0])
        mark = mark or ("wh" if is_indirect_question(view, clause) else "")
        if mark or form in ("Fin", "Inf"):
            aside = "" if role in SUBJECT_OR_OBJECT else " aside"
            yield Fact("clause", f"{mark} {form}{aside}")
    elif relative >= 0 and not view.marked_by(relative):
        relation = view.relations[relative]
        if relation in ("nsubj", "obj", "advmod"):
            yield Fact("relative", f"{relation} {view.key(relative)}")


def _has_gap(view: TreeView, clause: int) -> bool:
    """Tell whether a clause below a noun is a relative clause without a relative pronoun, in which
    the noun has an unspoken place (*the house we saw*)."""
    is_nonfinite = view.feature(clause, "VerbForm") in NONFINITE
    is_no_relative = view.deprels[clause] != "acl:relcl" and (
        is_nonfinite or view.dependents(clause, "mark")
    )
    return not is_no_relative and view.relative_of(clause) < 0
