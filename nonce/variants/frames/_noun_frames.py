"""Nouns and names: determiner, number, what governs them and what they govern."""

from collections.abc import Callable, Sequence

from ....data.items.features import conflict
from ....miner.treebank.view import TreeView
from ._use import Fact, NounPartner, WordUse, asks
from .usable_forms import HYPHENS

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
UNMARKED = frozenset({"", "+Nom", "+Acc", "+Abs"})  # an adverbial without a mark: *last year*
CORE = frozenset({"nsubj", "obj"})
QUOTES = frozenset({'"', "``", "\u201c", "\u201e", "\u00ab", "\u00bb", "\u2018"})
TITLE = 4  # words of a title in quotation marks that are looked at
GOVERNED = frozenset({"ccomp", "csubj", "xcomp"})
ROMAN = frozenset("IVXLCDM")
CLAUSES = frozenset({"root", "ccomp", "advcl", "acl", "csubj"})
NONFINITE = frozenset({"Part", "Ger", "Conv", "Vnoun"})
PARTS_OF_NAMES = frozenset(
    {"flat", "compound", "appos", "nummod", "fixed", "amod", "goeswith", "list"}
)
NAMING = frozenset({"PROPN", "X", "NUM"})  # beside a name, or above it, these make one of several


def use_of_noun(view: TreeView, index: int) -> WordUse:
    """Return the use of a word of UPOS NOUN."""
    first_conjunct = view.first_conjunct(index)
    role, bound = role_of(view, first_conjunct)
    bound = bound or _bound_to_neighbour(view, index)
    if bound:
        return WordUse((), bound, False)
    number = view.feature(index, "Number")
    facts = (
        [("place", role)] if role == "compound" else _determined(view, index, first_conjunct, role)
    )
    if role.startswith("by "):
        facts.append((f"within {number}", f"{role} {determiner_of(view, index)[0]}"))
        facts.append(("role", role))
    gap = -1
    partners: list[NounPartner] = []
    for child in view.children[index]:
        relation = view.relations[child]
        if relation in ("acl", "ccomp") or _is_clause(view, child):
            facts += _clause(view, child, role)
            gap = child if relation == "acl" and _has_gap(view, child) else gap
        elif relation == "nmod":
            governed = view.case_marking(child)
            if through := _through_pronoun(view, child):
                facts += through
            elif governed and (view.deprels[child] != "nmod:poss" or view.marked_by(child)):
                fact = ("nmod", governed)
                partners.append(NounPartner(fact, view.key(child), view.marked_by(index)))
        elif relation == "compound":
            facts.append(("compounded", "yes"))
    facts += [partner.fact for partner in partners]
    facts.append(("number", number))
    return WordUse(tuple(dict.fromkeys(facts)), partners=tuple(partners), clause=gap)


def use_of_name(view: TreeView, index: int) -> WordUse:
    """Return the use of a word of UPOS PROPN that is a name by itself."""
    first_conjunct = view.first_conjunct(index)
    role, bound = role_of(view, first_conjunct)
    if bound or role == "compound":
        return WordUse((), bound or "name part", False)
    if view.dependents(index, *PARTS_OF_NAMES):
        return WordUse((), "name part", False)
    nearby = (index - 1, index + 1, view.heads[index] if index == first_conjunct else -1)
    if any(0 <= word < len(view) and view.upos[word] in NAMING for word in nearby):
        return WordUse((), "name part", False)
    determiners = view.dependents(index, "det")
    if not view.feature(index, "Gender"):  # a word beside it may tell what it does not
        agreeing = [child for child in view.children[index] if child not in determiners]
        if view.relations[first_conjunct] == "nsubj":
            head = view.heads[first_conjunct]
            agreeing += [head, *view.dependents(head, "aux", "cop")]
        if any(view.feature(word, "Gender") for word in agreeing if view.upos[word] != "NOUN"):
            return WordUse((), "untold feature", False)
    article = determiner_of(view, index)[0]
    if determiners:  # with the gender and number that names often do not show
        features = [view.feature(determiners[0], name) for name in ("Gender", "Number")]
        article = " ".join([article, *features])
    return WordUse((("name", role), ("article", article)))


def role_of(view: TreeView, index: int) -> tuple[str, str]:
    """(role of a nominal with what marks it, why no other can stand there)."""
    relation, subtype = view.relations[index], view.deprels[index].partition(":")[2]
    if relation in BOUND:
        return "", BOUND[relation]
    if relation in ("obl", "nmod"):
        governed = view.case_marking(index)
        if subtype in MEASURES or (relation == "obl" and governed in UNMARKED):
            return "", BARE_ADVERBIAL
        return (f"by {governed}" if governed else relation), ""
    if relation == "compound":
        return relation, "" if not subtype else "bundle"
    if relation == "xcomp":
        return "predicate", ""
    if relation in CLAUSES:
        if not view.dependents(index, "cop"):
            return "", "fragment"
        governed = view.case_marking(index)
        return ("predicate" if governed in UNMARKED else f"by {governed}"), ""
    return relation, ""


def determiner_of(view: TreeView, index: int) -> tuple[str, str]:
    """(kind, lemma of a quantifier): `def`, `ind`, `quant`, `num` or `none`; possessives are
    definite."""
    kind, lemma = "none", ""
    for child in view.children[index]:
        deprel = view.deprels[child]
        if view.relations[child] == "det" and deprel != "det:predet":
            definite = view.feature(child, "Definite")
            pointing = view.feature(child, "PronType") == "Dem"
            if definite == "Ind":
                this = "ind"
            elif definite or pointing or view.feature(child, "Poss") == "Yes":
                this = "def"
            else:
                this = "quant"
            if kind in ("none", "num") or this == "quant":
                kind, lemma = this, view.key(child) if this == "quant" else ""
        elif deprel == "nmod:poss" and kind == "none":
            kind = "def"
        elif deprel.startswith("nummod") and kind == "none":
            kind = "num"
    return kind, lemma


def _determined(view: TreeView, index: int, first_conjunct: int, role: str) -> list[Fact]:
    """Return how a noun is determined; a conjunct without a determiner has that of the first
    one."""
    number = view.feature(index, "Number")
    kind, lemma = determiner_of(view, index)
    if kind == "none" and index != first_conjunct:
        kind, lemma = determiner_of(view, first_conjunct)
    facts = [(f"det {number}", kind)]
    if kind == "none":
        facts.append((f"bare {number}", role))
    elif (
        kind == "def"
        and role.startswith("by ")
        and all(view.relations[child] in ("case", "det", "punct") for child in view.children[index])
    ):
        facts.append(("phrase", role))  # adposition and article alone: *in the end*
    if kind == "quant":
        facts.append((f"quantified {number}", lemma))
    return facts


def _bound_to_neighbour(view: TreeView, index: int) -> str:
    """Return why a noun belongs to what stands beside it: *Article IV*, *28 February*, *President
    X*."""
    following, head = index + 1, view.heads[index]
    if following < len(view) and set(view.forms[following]) <= ROMAN:
        return "numbered" if view.upos[following] != "PRON" else ""
    if head >= 0 and view.upos[head] == "NUM":
        return "date"
    if view.forms[index - 1 : index] and view.forms[index - 1][-1:].isdigit():
        return "numbered"  # *1889 года*
    quoted = following < len(view) and view.forms[following] in QUOTES
    if quoted and view.forms[: following + 1].count(view.forms[following]) % 2:
        return "title"  # *the word "punitive"*
    for reason, test in NEIGHBOUR_TESTS:
        if test(view, index):
            return reason
    reasons = (_bound_to_child(view, index, child) for child in view.children[index])
    return next(filter(None, reasons), "")


def in_title(view: TreeView, index: int) -> bool:
    """Tell whether a word stands in quotation marks behind one of the first words of a sentence,
    and what they hold begins with a capital: *в витрине "Детского мира"*."""
    for quote in range(index - 1, max(0, index - TITLE - 1), -1):
        if view.forms[quote] in QUOTES:
            return (
                view.forms[quote + 1][:1].isupper()
                and view.forms[:quote].count(view.forms[quote]) % 2 == 0
            )
        if view.upos[quote] == "PUNCT":
            return False
    return False


def _with_name(view: TreeView, index: int) -> bool:
    """Tell whether a noun and a name beside it are one phrase: *premier Miyazawa*, *Szabó
    miniszter*. A possessor has another case than the noun, or is told by it."""
    noun_case = view.feature(index, "Case")
    if index + 1 < len(view) and view.upos[index + 1] in ("PROPN", "X"):
        following = index + 1
        case = view.feature(following, "Case")
        apart = view.marked_by(following) or (noun_case and case and noun_case != case)
        if not apart and (view.heads[index] == following or _is_attached(view, following, index)):
            return True
    preceding = index - 1
    while preceding >= 0 and view.heads[preceding] == index and view.relations[preceding] == "amod":
        preceding -= 1  # *Farit Gazizullin privatizációs miniszter*
    if preceding < 0 or view.upos[preceding] != "PROPN" or view.feature(index, "Person[psor]"):
        return False
    same = bool(noun_case) and noun_case == view.feature(preceding, "Case")
    return same and (_is_attached(view, preceding, index) or _is_attached(view, index, preceding))


def _is_attached(view: TreeView, index: int, other_word: int) -> bool:
    """Tell whether a word hangs on another, or beside it on the same head."""
    head = view.heads[index]
    return head == other_word or (head >= 0 and view.heads[head] == other_word)


def is_hyphened(view: TreeView, index: int) -> bool:
    """Tell whether a word is part of one written with hyphens: *Parkett - und Laminatböden*."""
    if view.forms[index][:1] in HYPHENS or view.forms[index][-1:] in HYPHENS:
        return True
    neighbours = (index - 1, index + 1)
    if any(0 <= word < len(view) and view.forms[word] in HYPHENS for word in neighbours):
        return True
    first_conjunct = view.first_conjunct(index)
    return any(
        view.forms[word][-1:] in HYPHENS or view.forms[word + 1] in HYPHENS
        for word in (first_conjunct, view.heads[index])
        if first_conjunct != index and 0 <= word < len(view) - 1
    )


def _with_clause(view: TreeView, index: int) -> bool:
    """Tell whether a clause that may belong to a noun hangs on the verb: *es besteht die Gefahr,
    daß*, *die Meinung ist, dass*, *nincs idő tárgyalni* "there is no time to talk"."""
    first_conjunct = view.first_conjunct(index)
    head, relation = view.heads[first_conjunct], view.relations[first_conjunct]
    if head < 0 or relation not in CORE:
        return False
    if relation == "nsubj" and any(index < mark < head for mark in view.dependents(head, "mark")):
        return True
    later = [child for child in view.children[head] if child > index]
    clauses = [child for child in later if view.relations[child] in GOVERNED]
    if any(view.relations[child] == "obl" and _through_pronoun(view, child) for child in later):
        return True  # *завёл разговор о том, что*, where the pronoun hangs on the verb
    if relation == "nsubj":
        return index > head and bool(clauses)
    return any(view.relations[clause] != "xcomp" for clause in clauses)


def _with_oblique(view: TreeView, index: int) -> bool:
    """Tell whether an oblique of the verb stands between a subject that begins the sentence and the
    verb, so that it may belong to the noun: *der Druck auf den Konzern hat …*."""
    head, following = view.heads[index], index + 1
    if view.relations[index] != "nsubj" or following >= len(view) or view.upos[following] != "ADP":
        return False
    oblique = view.heads[following]
    begins_sentence = all(view.heads[word] == index for word in range(index))
    return begins_sentence and following < oblique < head == view.heads[oblique]


def _in_nominative(view: TreeView, index: int) -> bool:
    """Tell whether a noun below another is in the nominative though the other does not tell whose
    it is: *teaivó kultúra* "tea-drinking culture"."""
    head = view.heads[index]
    return (
        view.relations[index] == "nmod"
        and view.case_marking(index) == "+Nom"
        and view.upos[head] == "NOUN"
        and not view.feature(head, "Person[psor]")
    )


NEIGHBOUR_TESTS: Sequence[tuple[str, Callable[[TreeView, int], bool]]] = (
    ("title", _with_name),
    ("title", in_title),
    ("part of a compound", is_hyphened),
    ("clause beside it", _with_clause),
    ("phrase beside it", _with_oblique),
    ("apposition", _in_nominative),
)
"""Why a noun stays as it is, and the test of what stands beside it; the first that holds counts."""


def _bound_to_child(view: TreeView, index: int, child: int) -> str:
    """Return why a noun belongs to a word below it: *Article 3*, *the critic Bradley*, *the very
    old*; or does not go with it by their gender."""
    relation, upos = view.relations[child], view.upos[child]
    if relation in ("flat", "fixed", "goeswith"):
        return BOUND[relation]
    if relation in ("det", "amod") and conflict(view.feats[child], view.feats[index]):
        return "disagreement"
    if relation == "advmod" and any(det < child < index for det in view.dependents(index, "det")):
        return "adjective as another part of speech"
    if child == index + 1 and view.forms[child][:1].isdigit():
        return "numbered"
    number = relation == "nummod" or (upos == "NUM" and relation == "amod")
    digits = any(map(str.isdigit, view.forms[child]))
    if number and (child > index or view.children[child] or digits):
        return "numbered"  # *33 ezer fővel*
    if relation == "amod" and digits:
        return "numbered"  # *в 1574 году*
    is_name = upos == "PROPN" and relation in ("nmod", "appos", "compound")
    return "title" if is_name and child > index and not view.marked_by(child) else ""


def _is_clause(view: TreeView, child: int) -> bool:
    """Tell whether a dependent is a clause by its mark or verb form, whatever its relation: Russian
    *возможности поправить*."""
    relation = view.relations[child]
    if relation in ("nmod", "advcl") and view.dependents(child, "mark"):
        return True
    infinitive = view.feature(child, "VerbForm") == "Inf"
    return infinitive and relation not in ("conj", "parataxis", "cop", "aux")


def _clause(view: TreeView, clause: int, role: str) -> list[Fact]:
    """Return what a clause below a noun asks of the noun: *the fact (that)*, *the attempt to*,
    *who*. That a noun has a clause as an oblique (Finnish *sitä mieltä, että* "of the opinion
    that") does not say that it has one as subject or object."""
    relative = view.relative_of(clause)
    mark = view.marked_by(clause, "mark")
    related = view.relations[clause] == "acl" and relative >= 0 and not mark
    if view.deprels[clause] != "acl:relcl" and not related:
        verbs = (clause, *view.dependents(clause, "aux", "cop"))
        forms = [view.feature(verb, "VerbForm") for verb in verbs]
        form = next((name for name in ("Fin", "Inf") if name in forms), forms[0])
        mark = mark or ("wh" if asks(view, clause) else "")
        suffix = "" if role in CORE else " aside"
        return [("clause", f"{mark} {form}{suffix}")] if mark or form in ("Fin", "Inf") else []
    if relative < 0 or view.marked_by(relative):
        return []
    relation = view.relations[relative]
    if relation not in ("nsubj", "obj", "advmod"):
        return []
    return [("relative", f"{relation} {view.key(relative)}")]


def _through_pronoun(view: TreeView, child: int) -> list[Fact]:
    """Return what a noun governs through a demonstrative with a clause of its own: Russian *мысль о
    том, что* "the thought that"."""
    if view.upos[child] not in ("PRON", "DET"):
        return []
    marking = view.marked_by(child) or view.feature(child, "Case")
    clauses = view.dependents(child, "acl", "ccomp", "advcl")
    marks = [view.marked_by(clause, "mark") for clause in clauses]
    return [("clause", f"{marking} {mark}") for mark in marks if mark]


def _has_gap(view: TreeView, clause: int) -> bool:
    """Tell whether a clause below a noun is a relative without a pronoun."""
    nonfinite = view.feature(clause, "VerbForm") in NONFINITE
    full = view.deprels[clause] != "acl:relcl" and (nonfinite or view.dependents(clause, "mark"))
    return not full and view.relative_of(clause) < 0
