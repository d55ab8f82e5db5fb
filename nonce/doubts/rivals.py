"""Doubts about the place: another word before the target that could license the wrong form.

The family that is marked `ambiguous`. All of it is read from the tree: what lies open where the
target comes (see `ties.frontier`), and what the wrong form can be.
"""

from colorless_green.miner.cues.readings import Reading, carried
from colorless_green.miner.cues.ties import NOMINAL, SUBJECT, base, first_conjunct
from colorless_green.miner.features import value_of
from colorless_green.nonce.doubts.place import Place

REFLEXIVE = "expl"
NAMES = ("Inf", "Imp")


def other_noun(place: Place) -> str:
    """An adjective, participle or relative clause could be said of another noun than the cue, one
    with the wrong form's value (Italian *squadre di calcio più forte*)."""
    if place.tie == "conjunct" and (node := _subject_above(place)) >= 0:
        return f"could be said of {place.tree.forms[node]}"
    if place.tie not in ("attribute", "relative") or place.bound:
        return ""
    if place.tie == "relative" and _relative_tells(place):
        return ""
    for node in place.open_nominals:
        if node != place.cue and place.agrees_with(node):
            return f"could be said of {place.tree.forms[node]}"
        if place.pluralised and _coordinated(place, node, place.clause_start):
            return f"could be said of {place.tree.forms[node]} and what it is joined with"
    return ""


def _subject_above(place: Place) -> int:
    """The subject that a noun is said of where the target is joined with an adjective of that noun
    (Italian *i costi sono una parte importante, ma non essenziali*), if the wrong form could agree
    with it; −1 otherwise."""
    tree, first = place.tree, first_conjunct(place.tree, place.predicate)
    noun = tree.heads[first]
    if place.verbal or place.upos not in ("ADJ", "VERB") or noun < 0:
        return -1
    if base(tree.deprels[first]) not in ("amod", "acl") or not place.children_of(noun, "cop"):
        return -1
    subjects = [each for each in place.children_of(noun, *SUBJECT) if each < place.target]
    return next((each for each in subjects if place.agrees_with(each)), -1)


def _relative_tells(place: Place) -> bool:
    """Whether the relative pronoun tells the value."""
    return any(each.node >= place.clause_start for each in place.leaks)


def _coordinated(place: Place, node: int, before: int) -> bool:
    return any(
        each < before and place.tree.upos[each] in NOMINAL
        for each in place.children_of(node, "conj")
    )


def object_relative(place: Place) -> str:
    """A relative clause in which the noun may be the object: its verb has an unspoken subject, or
    one that follows (Italian *stranieri che conosce*)."""
    if place.tie != "relative" or not place.verbal or place.bound:
        return ""
    if place.among("overt_subjects") or _relative_tells(place):
        return ""
    if place.children_of(place.predicate, REFLEXIVE) or _has_copula(place):
        return ""
    subject = place.own_subject
    if subject >= 0 and not _is_relative(place, subject):
        return ""
    marked = subject >= 0 and not place.with_case_alike(subject)
    return "" if marked else f"{place.tree.forms[place.cue]} could be the object"


def _has_copula(place: Place) -> bool:
    return bool(place.children_of(place.predicate, "cop")) or place.lemma in place.listed("copula")


def _is_relative(place: Place, node: int) -> bool:
    return "Rel" in (value_of(place.tree.feats[node], "PronType") or "").split(",")


def subject_follows(place: Place) -> str:
    """The subject comes after the target, so that the words before it do not tell which form is
    right (Italian *il posto al quale apparteneva il maestro*), or the target is a bare noun behind
    its verb."""
    if place.tie == "inverted":
        if place.bound or _is_subject_form(place):
            return ""
        if place.among("overt_subjects") and value_of(place.feats, "Case") is None:
            return ""  # what follows the verb must be its subject
        return f"{place.right} follows its verb and nothing before it tells its value"
    if place.tie in ("relative", "conjunct", "other") and place.own_subject > place.target:
        return f"the subject, {place.tree.forms[place.own_subject]}, follows"
    return ""


def _is_subject_form(place: Place) -> bool:
    """Whether the wrong form, a noun, can be nothing but a subject, as far as its case tells."""
    return any(
        not place.forms.either_case(place.wrong, place.upos, each.feats)
        for each in place.wrong_readings
        if carried(each.feats, place.feature) == place.other
        and value_of(each.feats, "Case") == value_of(place.feats, "Case") == "Nom"
    )


def oblique_relative(place: Place) -> str:
    """The noun is neither subject nor object in its relative clause (*in cui*), and the clause
    shows no subject before the verb."""
    if place.tie != "relative" or not place.verbal or place.bound:
        return ""
    tree = place.tree
    subject = place.own_subject
    if 0 <= subject < place.target:
        return ""
    for node in place.below(place.predicate, place.clause_start, place.target):
        pronoun = _is_relative(place, node) or (
            value_of(tree.feats[node], "PronType") == "Int" and tree.upos[node] in ("ADV", "PRON")
        )
        if pronoun and base(tree.deprels[node]) not in (*SUBJECT, "obj"):
            return f"{tree.forms[place.cue]} is no subject of {place.right}"
    return ""


def predicate_noun(place: Place) -> str:
    """A noun that is said of a subject need not agree with the copula, and nothing before it tells
    its value."""
    if place.tie != "predicate" or place.bound:
        return ""
    return f"{place.right} is said of the subject and need not agree"


def compound(place: Place) -> str:
    """The wrong form, a bare singular, could be the first part of a compound (*those car keys*)."""
    nouns = place.upos in ("NOUN", "PROPN") and place.tie in ("noun", "inverted", "predicate")
    if not nouns or place.other != "Sing" or not place.among("open_compounds"):
        return ""
    return f"{place.wrong} could begin a compound"


def infinitive_before(place: Place) -> str:
    """The wrong form is spelled like an infinitive, imperative or base form, and there is an
    earlier verb of that kind it could be coordinated with (*who will eat and bless … and
    deliver*), or one that takes an infinitive (*help her grow*)."""
    if place.tie == "conjunct":
        kinds = _kinds(place)
        for node in place.open_words:
            if node != place.cue and place.tree.upos[node] in ("VERB", "AUX"):
                kind = _bare_node(place, node)
                if kind in kinds:
                    return f"{place.wrong} could go with {place.tree.forms[node]}"
        return ""
    if place.tie != "subject" or not place.verbal or "Inf" not in _kinds(place):
        return ""
    for node in place.open_words:
        helps = place.tree.lemmas[node] in place.listed("bare_infinitive")
        if helps and node > place.cue and place.children_of(node, "obj", "iobj"):
            return f"{place.tree.forms[node]} takes an infinitive"
    return ""


def _kinds(place: Place) -> set[str]:
    """Which of infinitive and imperative the wrong form is spelled like: by its own readings, or
    since most verbs spell them so."""
    found = {kind for each in place.wrong_readings if (kind := _bare(each))}
    for kind in NAMES:
        if any(place.forms.spelled_like(place.wrong, each, kind) for each in place.wrong_readings):
            found.add(kind)
    return found


def _bare(reading: Reading) -> str:
    """Inf or Imp, if a reading is one."""
    form = value_of(reading.feats, "VerbForm")
    return "Inf" if form == "Inf" else "Imp" if value_of(reading.feats, "Mood") == "Imp" else ""


def _bare_node(place: Place, node: int) -> str:
    return _bare(Reading("", "", place.tree.feats[node], 1))


def other_conjunct(place: Place) -> str:
    """The wrong form could be coordinated with another open verb, of its own value (*those who say
    that it comes and go*)."""
    if place.tie != "conjunct" or not place.verbal:
        return ""
    for node in place.open_words:
        words = (node, *place.children_of(node, "aux", "cop"))
        if (
            node != place.cue
            and place.tree.upos[node] in ("VERB", "AUX")
            and any(
                carried(place.tree.feats[each], place.feature) == place.other
                and value_of(place.tree.feats[each], "VerbForm") != "Part"
                for each in words
            )
            and any(_bare(each) == "" and _reads_like(place, each) for each in place.wrong_readings)
        ):
            return f"{place.wrong} could go with {place.tree.forms[node]}"
    return ""


def _reads_like(place: Place, reading: Reading) -> bool:
    return carried(reading.feats, place.feature) == place.other and place.fits_person(reading.feats)


def infinitive_marker(place: Place) -> str:
    """The target stands right behind a marker of infinitives (*to*), and one of the two forms is
    spelled like one."""
    if place.target == 0 or not place.verbal:
        return ""
    before = place.tree.forms[place.target - 1]
    if place.forms.share(before, lambda each: each.upos == "PART") < 0.1:
        return ""
    for form in (place.wrong, place.right):
        infinitives = [
            each
            for each in place.forms.readings(form, place.upos, place.lemma)
            if value_of(each.feats, "VerbForm") == "Inf"
        ]
        if infinitives and _marks_infinitives(place, before):
            return f"{form} could be the infinitive behind {before}"
    return ""


def _marks_infinitives(place: Place, form: str) -> bool:
    """Whether a particle's readings say no more than that (a negation has Polarity)."""
    return any(
        each.upos == "PART" and each.feats == "_" for each in place.forms.readings(form, "PART")
    )


def later_auxiliary(place: Place) -> str:
    """The clause may go on with an auxiliary that governs the wrong form as an infinitive or
    participle (German *wenn es darum gehen …* soll)."""
    if not place.among("verb_last_below") or not place.verbal or not _verb_last(place):
        return ""
    readings = place.forms.readings(place.wrong, place.upos)
    waits = any(value_of(each.feats, "VerbForm") in ("Inf", "Part") for each in readings)
    if waits or "Inf" in _kinds(place):
        return f"{place.wrong} may wait for an auxiliary"
    return ""


def _verb_last(place: Place) -> bool:
    """Whether the target stands in a clause that a conjunction or pronoun opens."""
    tree = place.tree
    clauses = {place.predicate, first_conjunct(tree, place.predicate)}
    if any(each < place.target for one in clauses for each in place.children_of(one, "mark")):
        return True
    return any(
        value_of(tree.feats[each], "PronType") in ("Rel", "Int", "Int,Rel", "Dem,Rel")
        for each in place.below(place.predicate, place.clause_start, place.target)
    )


def nearer_subject(place: Place) -> str:
    """A nearer object with the wrong form's value is spelled like a subject, the cue like an object
    (German *dass die Wirtschaft Auswege finden*)."""
    if place.tie != "subject" or place.bound or not place.verbal:
        return ""
    if not place.with_case_alike(place.cue):
        return ""
    tree = place.tree
    for node in range(place.cue + 1, place.target):
        if tree.upos[node] not in ("NOUN", "PROPN") or not place.agrees_with(node):
            continue
        if place.children_of(node, "case"):
            continue
        relation, head = base(tree.deprels[node]), tree.heads[node]
        beside = head == place.predicate and relation in ("obj", "iobj", "nsubj")
        if beside and place.with_case_alike(node):
            return f"{tree.forms[node]} could be the subject"
    return ""


def object_first(place: Place) -> str:
    """The cue is spelled like an object, too, so that the subject may follow or stay unspoken
    (German *die Aufträge hat er*, Russian *документы даёт он*)."""
    if place.tie != "subject" or not place.verbal or place.bound or not place.has_case:
        return ""
    if "Nom" not in (value_of(place.tree.feats[place.cue], "Case") or "").split(","):
        return ""
    if place.among("verb_last_below") and _verb_last(place):
        return ""  # the subject stands before the verb: see `nearer_subject`
    if _has_copula(place) or not _may_have_object(place):
        return ""
    cue = place.tree.forms[place.cue]
    return f"{cue} could be the object" if place.with_case_alike(place.cue) else ""


def _may_have_object(place: Place) -> bool:
    """Whether the target can have an object (a past copula or passive auxiliary cannot; other forms
    of it may be futures) and nothing before it fills its place."""
    tense, relation = value_of(place.feats, "Tense"), place.tree.deprels[place.target]
    if tense == "Past" and relation in ("cop", "aux:pass"):
        return False
    filled = place.children_of(place.predicate, "obj", REFLEXIVE)
    return not any(each < place.target for each in filled)


def unspoken_subject(place: Place) -> str:
    """A coordinated verb without a subject of its own may have another, unspoken one."""
    if place.tie != "conjunct" or not place.verbal or place.among("overt_subjects"):
        return ""
    if place.bound or 0 <= place.own_subject < place.target:
        return ""
    return f"{place.wrong} may have an unspoken subject"


def own_subject(place: Place) -> str:
    """The target is coordinated with the cue, but its clause has a subject of its own, which alone
    it agrees with (*she sings and the dog barks*)."""
    if place.tie != "conjunct" or not 0 <= place.own_subject < place.target:
        return ""
    return f"{place.right} has a subject of its own, {place.tree.forms[place.own_subject]}"


def copula_of_predicate(place: Place) -> str:
    """In this language the copula agrees with a plural that follows (Italian *il problema sono i
    soldi*)."""
    if place.tie != "subject" or not place.pluralised or place.bound:
        return ""
    copula = base(place.tree.deprels[place.target]) == "cop" or (
        place.upos in ("AUX", "VERB") and place.verbal
    )
    if not copula or not place.among("copula_of_predicate"):
        return ""
    if place.lemma not in place.listed("copula") or place.cue < place.predicate < place.target:
        return ""
    return f"{place.wrong} could agree with what follows"
