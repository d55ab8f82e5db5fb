"""Doubts about the place: another parse of the words before the target could license the wrong
form.

The family that is marked `ambiguous`. All of it is read from the tree: what lies open where the
target comes (`TreeView.frontier`), and what the wrong form can be. Each test answers with the
reason, "" for none; its docstring is what users read of it.
"""

from ....data.items.features import conflict, value_of
from ....miner.treebank.paradigms import FormAnalysis
from ....miner.treebank.treebank import UNDETERMINED
from ....miner.treebank.view import AUXILIARY, NOMINAL, SUBJECT, VERBAL, paired_value
from .pair import MinimalPair

REFLEXIVE = "expl"
NOUNS = ("NOUN", "PROPN")
SPOKEN_OF = frozenset({*NOMINAL, "NUM", "SYM"})
USED = 0.05  # share of a form's uses from which another part of speech is a reading to reckon with
MARKING = 0.1  # share of a form's uses as a particle from which it may mark an infinitive
OPENING = ("Rel", "Int", "Int,Rel", "Dem,Rel")  # PronType of what opens a subordinate clause


def other_word(pair: MinimalPair) -> str:
    """The wrong form is another word that could stand here: a noun after a conjunction, an adverb
    or preposition in a participle's place."""
    if pair.bound:
        return ""
    wrong, upos = pair.wrong, pair.view.upos
    if pair.tie == "attribute" or (pair.tie == "subject" and not pair.verbal):
        kinds = ("ADV", "ADP", "SCONJ")
        if pair.forms.share(wrong, lambda reading: reading.upos in kinds) >= USED:
            return f"{wrong} is an adverb or preposition, too"
    if (
        pair.tie == "conjunct"
        and pair.upos not in NOUNS
        and pair.target > 0
        and upos[pair.target - 1] == "CCONJ"
        and any(upos[word] == "NOUN" for word in pair.open_words)
        and pair.forms.share(wrong, lambda reading: reading.upos == "NOUN") >= USED
    ):
        return f"{wrong} is a noun, too"
    return ""


def other_noun(pair: MinimalPair) -> str:
    """An adjective, participle or relative clause could be said of another noun than the cue, one
    with the wrong form's value."""
    view = pair.view
    if pair.tie == "conjunct" and not pair.verbal and pair.upos in ("ADJ", "VERB"):
        # joined with an adjective of a noun that is said of a subject, which it could be said of:
        # Italian *i costi sono una parte importante, ma non essenziali*
        head = view.first_conjunct(pair.predicate)
        noun = view.heads[head] if view.relations[head] in ("amod", "acl") else -1
        for node in view.dependents(noun, *SUBJECT) if noun >= 0 else ():
            if view.dependents(noun, "cop") and node < pair.target and pair.agrees_with(node):
                return f"could be said of {view.forms[node]}"
    if pair.tie not in ("attribute", "relative") or pair.bound:
        return ""
    if pair.tie == "relative" and _relative_reveals_value(pair):
        return ""
    for node in pair.open_words:
        if view.upos[node] in VERBAL and view.is_finite(node):
            break
        if view.upos[node] not in SPOKEN_OF:
            continue
        if node != pair.cue and pair.agrees_with(node):
            return f"could be said of {view.forms[node]}"
        if pair.pluralised and any(
            conjunct < pair.clause_start and view.upos[conjunct] in NOMINAL
            for conjunct in view.dependents(node, "conj")
        ):
            return f"could be said of {view.forms[node]} and what it is joined with"
    return ""


def _relative_reveals_value(pair: MinimalPair) -> bool:
    """Tell whether the relative pronoun reveals the value."""
    return any(leak.node >= pair.clause_start for leak in pair.leaks)


def object_relative(pair: MinimalPair) -> str:
    """A relative clause in which the noun may be the object: its verb has an unspoken subject, or
    one that follows."""
    if pair.tie != "relative" or not pair.verbal or pair.bound:
        return ""
    if pair.language_has("overt_subjects"):
        return ""
    if _relative_reveals_value(pair) and (pair.own_subject < 0 or not pair.may_take_object):
        return ""
    if pair.view.dependents(pair.predicate, REFLEXIVE) or _has_copula(pair):
        return ""
    subject = pair.own_subject
    if subject >= 0 and not pair.view.is_pronominal(subject, "Rel"):
        return ""
    marked = subject >= 0 and not pair.may_be_object(subject)
    return "" if marked else f"{pair.view.forms[pair.cue]} could be the object"


def later_noun(pair: MinimalPair) -> str:
    """The wrong form of an adjective or participle agrees with a noun that follows."""
    view = pair.view
    participle = pair.upos == "VERB" and value_of(pair.feats, "VerbForm") == "Part"
    if pair.bound or not (participle or pair.upos in ("ADJ", "DET")):
        return ""
    noun = pair.target + 1
    while noun < len(view) and view.upos[noun] in ("ADJ", "DET", "NUM", "ADV"):
        noun += 1
    if noun == len(view) or view.upos[noun] not in NOUNS or view.heads[pair.target] == noun:
        return ""
    number, case = view.feature(noun, "Number"), view.feature(noun, "Case")
    for reading in pair.wrong_readings:
        same = (value_of(reading.feats, "Number"), value_of(reading.feats, "Case") or "")
        if same == (number, case) and not conflict(reading.feats, view.feats[noun]):
            return f"{pair.wrong} could belong to {view.forms[noun]}"
    return ""


def other_genitive(pair: MinimalPair) -> str:
    """The wrong form of a noun, a genitive, could belong to the noun right before it, so that the
    determiner or adjective would stand alone."""
    view, before = pair.view, pair.target - 1
    if pair.tie != "noun" or pair.bound or before <= pair.cue or view.upos[before] not in NOUNS:
        return ""
    if all(value_of(reading.feats, "Case") != "Gen" for reading in pair.wrong_readings):
        return ""
    return f"{pair.wrong} could belong to {view.forms[before]}"


def impersonal(pair: MinimalPair) -> str:
    """One of the two forms is mostly used without a subject, and may be so here."""
    if not pair.verbal or pair.tie in ("noun", "inverted"):
        return ""
    for form, value in ((pair.wrong, pair.wrong_value), (pair.right, pair.value)):
        known = pair.view.key(pair.target) in pair.words_of("impersonal")
        seen = pair.verbs is not None and pair.verbs.is_impersonal(form)
        if value == "Sing" and (known or seen):
            return f"{form} may be impersonal"
    return ""


def _has_copula(pair: MinimalPair) -> bool:
    return bool(pair.view.dependents(pair.predicate, "cop")) or pair.lemma in pair.words_of(
        "copula"
    )


def oblique_relative(pair: MinimalPair) -> str:
    """The noun is neither subject nor object in its relative clause, and the clause shows no
    subject before the verb."""
    if pair.tie != "relative" or not pair.verbal or pair.bound:
        return ""
    view = pair.view
    if 0 <= pair.own_subject < pair.target:
        return ""
    for node in view.below(pair.predicate, pair.clause_start, pair.target):
        asks = view.feature(node, "PronType") == "Int" and view.upos[node] in ("ADV", "PRON")
        if (asks or view.is_pronominal(node, "Rel")) and view.relations[node] not in (
            *SUBJECT,
            "obj",
        ):
            return f"{view.forms[pair.cue]} is no subject of {pair.right}"
    return ""


def infinitive_before(pair: MinimalPair) -> str:
    """The wrong form is spelled like an infinitive, imperative or base form, and there is an
    earlier verb of that kind it could be coordinated with, or one that takes an infinitive."""
    view = pair.view
    if pair.tie == "conjunct":
        kinds = _base_forms(pair)
        for node in pair.open_words:
            verbal = node != pair.cue and view.upos[node] in VERBAL
            if verbal and _base_form(view.feats[node]) in kinds:
                return f"{pair.wrong} could go with {view.forms[node]}"
        return ""
    if pair.tie != "subject" or not pair.verbal or "Inf" not in _base_forms(pair):
        return ""
    for node in pair.open_words:
        helps = view.lemmas[node] in pair.words_of("bare_infinitive")
        if helps and node > pair.cue and view.dependents(node, "obj", "iobj"):
            return f"{view.forms[node]} takes an infinitive"
    return ""


def _base_forms(pair: MinimalPair) -> set[str]:
    """Return which of infinitive and imperative the wrong form is spelled like: by its own
    readings, or since most verbs spell them so."""
    kinds = {kind for reading in pair.wrong_readings if (kind := _base_form(reading.feats))}
    for kind in ("Inf", "Imp"):
        if any(
            pair.forms.spelled_like(pair.wrong, reading, kind) for reading in pair.wrong_readings
        ):
            kinds.add(kind)
    return kinds


def _base_form(feats: str) -> str:
    """Return Inf or Imp, if FEATS are of one."""
    is_infinitive = value_of(feats, "VerbForm") == "Inf"
    return "Inf" if is_infinitive else "Imp" if value_of(feats, "Mood") == "Imp" else ""


def other_conjunct(pair: MinimalPair) -> str:
    """The wrong form could be coordinated with another open verb, of its own value."""
    if pair.tie != "conjunct" or not pair.verbal:
        return ""
    view = pair.view

    def fits(reading: FormAnalysis) -> bool:
        value = paired_value(reading.feats, pair.feature)
        return (
            not _base_form(reading.feats)
            and value == pair.wrong_value
            and pair.fits_person(reading.feats)
        )

    for node in pair.open_words:
        if node == pair.cue or view.upos[node] not in VERBAL:
            continue
        of_other_value = any(
            view.value(verb, pair.feature) == pair.wrong_value
            and view.feature(verb, "VerbForm") != "Part"
            for verb in (node, *view.dependents(node, *AUXILIARY))
        )
        if of_other_value and any(map(fits, pair.wrong_readings)):
            return f"{pair.wrong} could go with {view.forms[node]}"
    return ""


def unspoken_subject(pair: MinimalPair) -> str:
    """A coordinated verb without a subject of its own may have another one, unspoken or behind
    it."""
    if not pair.verbal or pair.language_has("overt_subjects"):
        return ""
    shares = pair.tie == "subject" and pair.view.heads[pair.cue] != pair.predicate
    joined = shares and pair.view.relations[pair.predicate] == "conj"
    if pair.language == UNDETERMINED:  # then the order of words is not known to be free
        joined = False
    if not (joined or pair.tie == "conjunct"):
        return ""
    if pair.bound or 0 <= pair.own_subject < pair.target:
        return ""
    return f"{pair.wrong} may have an unspoken subject, or one that follows"


def relative_form(pair: MinimalPair) -> str:
    """In this language the verbs of relative clauses have an ending that the wrong form has, too,
    or a verb before the noun: it may belong to a relative clause with another subject."""
    view, endings = pair.view, tuple(pair.words_of("relative_ending"))
    if not endings or (pair.verbal and pair.tie == "inverted"):
        return ""
    verb = pair.wrong if pair.verbal else view.forms[pair.cue]
    if not verb.endswith(endings) or not (pair.verbal or view.upos[pair.cue] in VERBAL):
        return ""
    return f"{verb} may end a relative clause"


def infinitive_marker(pair: MinimalPair) -> str:
    """The target stands right behind a marker of infinitives, and one of the two forms is spelled
    like one."""
    if pair.target == 0 or not pair.verbal:
        return ""
    previous = pair.view.forms[pair.target - 1]
    if pair.forms.share(previous, lambda reading: reading.upos == "PART") < MARKING:
        return ""
    if all(reading.feats != "_" for reading in pair.forms.readings(previous, "PART")):
        return ""  # it says more than that: a negation has Polarity
    for form in (pair.wrong, pair.right):
        readings = pair.forms.readings(form, pair.upos, pair.lemma)
        if any(value_of(reading.feats, "VerbForm") == "Inf" for reading in readings):
            return f"{form} could be the infinitive behind {previous}"
    return ""


def later_auxiliary(pair: MinimalPair) -> str:
    """The clause may go on with an auxiliary that governs the wrong form as an infinitive or
    participle."""
    if not pair.language_has("verb_last_below") or not pair.verbal or not _is_subordinate(pair):
        return ""
    readings = pair.forms.readings(pair.wrong, pair.upos)
    waits = any(value_of(reading.feats, "VerbForm") in ("Inf", "Part") for reading in readings)
    return f"{pair.wrong} may wait for an auxiliary" if waits or "Inf" in _base_forms(pair) else ""


def _is_subordinate(pair: MinimalPair) -> bool:
    """Tell whether the target stands in a clause that a conjunction or pronoun opens."""
    view = pair.view
    clauses = (pair.predicate, view.first_conjunct(pair.predicate))
    if any(marker < pair.target for node in clauses for marker in view.dependents(node, "mark")):
        return True
    return any(
        view.feature(word, "PronType") in OPENING
        for word in view.below(pair.predicate, pair.clause_start, pair.target)
    )


def nearer_subject(pair: MinimalPair) -> str:
    """A nearer object with the wrong form's value is spelled like a subject, the cue like an
    object."""
    if pair.tie != "subject" or pair.bound or not pair.verbal:
        return ""
    if not pair.may_be_object(pair.cue):
        return ""
    view = pair.view
    for node in range(pair.cue + 1, pair.target):
        if (
            view.upos[node] in NOUNS
            and view.heads[node] == pair.predicate
            and view.relations[node] in ("obj", "iobj", "nsubj")
            and pair.agrees_with(node)
            and not view.dependents(node, "case")
            and pair.may_be_object(node)
        ):
            return f"{view.forms[node]} could be the subject"
    return ""


def object_first(pair: MinimalPair) -> str:
    """The cue is spelled like an object, too, so that the subject may follow or stay unspoken."""
    view = pair.view
    if pair.tie != "subject" or not pair.verbal or pair.bound:
        return ""
    if "Nom" not in view.feature(pair.cue, "Case").split(","):
        return ""
    if pair.language_has("verb_last_below") and _is_subordinate(pair):
        return ""  # the subject stands before the verb: see `nearer_subject`
    deprel = view.deprels[pair.target]
    past = value_of(pair.feats, "Tense") == "Past"  # other forms may be futures
    if _has_copula(pair) or (past and deprel in ("cop", "aux:pass")):
        return ""
    objects = view.dependents(pair.predicate, "obj", REFLEXIVE)
    if any(dependent < pair.target for dependent in objects) or not pair.may_be_object(pair.cue):
        return ""
    return f"{view.forms[pair.cue]} could be the object"


def subject_follows(pair: MinimalPair) -> str:
    """The subject comes after the target, so that the words before it do not tell which form is
    right, or the target is a bare noun behind its verb."""
    if pair.tie == "inverted":
        if pair.bound:
            return ""
        if value_of(pair.feats, "Case") == "Nom" and any(
            not pair.forms.either_case(pair.wrong, pair.upos, reading.feats)
            for reading in pair.wrong_readings
            if paired_value(reading.feats, pair.feature) == pair.wrong_value
            and value_of(reading.feats, "Case") == "Nom"
        ):
            return ""  # by its case, the wrong form can be nothing but a subject
        if pair.language_has("overt_subjects") and value_of(pair.feats, "Case") is None:
            return ""  # what follows the verb must be its subject
        return f"{pair.right} follows its verb and nothing before it tells its value"
    if pair.tie in ("relative", "conjunct", "other") and pair.own_subject > pair.target:
        return f"the subject, {pair.view.forms[pair.own_subject]}, follows"
    return ""


def compound(pair: MinimalPair) -> str:
    """The wrong form, a bare singular, could be the first part of a compound."""
    nominal = pair.upos in NOUNS and pair.tie in ("noun", "inverted", "predicate")
    if not nominal or pair.wrong_value != "Sing" or not pair.language_has("open_compounds"):
        return ""
    return f"{pair.wrong} could begin a compound"
