"""Doubts about the parse: another parse of the words before the target licenses the wrong form,
or the target agrees with another word than the cue, with nothing at all, or with a noun that may
take both values.

All these doubts raise the flag `ambiguous`. They are read from the tree: the words that the target
could be attached to (`TreeView.frontier`), and the readings of the wrong form. Each test returns
the reason for a doubt, "" for none; users read its docstring.

A pair's `tie` is the relation of target to cue (`Tie` explains its words). Its `leaks` are words
before the target that show the value. It is `bound` if one of them is in the target's own phrase.
"""

from ....data.items.features import value_of
from ....miner.originals.cue_words import PLURALS
from ....miner.search.filters import nouns
from ....miner.treebank.treebank import UNDETERMINED
from ....miner.treebank.view import NOMINAL, VERBAL, paired_value
from .pair import MinimalPair

REFLEXIVE = "expl"
NOUNS = ("NOUN", "PROPN")
MODIFIABLE = frozenset({*NOMINAL, "NUM", "SYM"})
# share of a form's uses with another part of speech that makes it a possible reading
POSSIBLE_READING = 0.05
OPENING = ("Rel", "Int", "Int,Rel", "Dem,Rel")  # PronType of pronouns that open a clause


def other_word(pair: MinimalPair) -> str:
    """Return a reason for doubt if the wrong form is another word that could stand here: a noun
    after a conjunction."""
    wrong, upos = pair.wrong, pair.view.upos
    if (
        pair.tie == "conjunct"
        and not pair.bound
        and pair.upos not in NOUNS
        and upos[pair.target - 1] == "CCONJ"
        and any(upos[word] == "NOUN" for word in pair.open_words)
        and pair.forms.share(wrong, lambda reading: reading.upos == "NOUN") >= POSSIBLE_READING
    ):
        return f"{wrong} is a noun, too"
    return ""


def other_noun(pair: MinimalPair) -> str:
    """Return a reason for doubt if an adjective, participle or relative clause could belong to
    another noun than the cue, one with the wrong form's value."""
    view = pair.view
    if pair.tie not in ("attribute", "relative") or pair.bound or _relative_reveals_value(pair):
        return ""
    for node in pair.open_words:
        if view.upos[node] in VERBAL and view.is_finite(node):
            break
        if view.upos[node] not in MODIFIABLE:
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
    """Tell whether the target is in a relative clause whose pronoun shows the value of the
    feature."""
    return pair.tie == "relative" and any(leak.node >= pair.clause_start for leak in pair.leaks)


def object_relative(pair: MinimalPair) -> str:
    """Return a reason for doubt if the noun may be the object of a relative clause, whose subject
    is then unspoken or follows the verb."""
    if (
        pair.tie != "relative"
        or not pair.verbal
        or pair.bound
        or pair.is_language("overt_subjects")
    ):
        return ""
    subject, reflexive = pair.own_subject, pair.view.dependents(pair.predicate, REFLEXIVE)
    if reflexive or (_relative_reveals_value(pair) and not pair.may_take_object):
        return ""
    has_clear_subject = subject >= 0 and not pair.may_be_object(subject)
    return "" if has_clear_subject else f"{pair.view.forms[pair.cue]} could be the object"


def other_genitive(pair: MinimalPair) -> str:
    """Return a reason for doubt if the wrong form of a noun, a genitive, could belong to the noun
    right before it, so that the determiner or adjective would stand alone."""
    view, before = pair.view, pair.target - 1
    # only if the cue is a determiner or adjective of the target
    if pair.tie != "noun" or pair.bound or before == pair.cue or view.upos[before] not in NOUNS:
        return ""
    if all(value_of(reading.feats, "Case") != "Gen" for reading in pair.wrong_readings):
        return ""
    return f"{pair.wrong} could belong to {view.forms[before]}"


def impersonal(pair: MinimalPair) -> str:
    """Return a reason for doubt if one of the two forms is mostly used without a subject, and may
    be so here."""
    if not pair.verbal or pair.tie in ("noun", "inverted"):
        return ""
    is_listed = pair.view.key(pair.target) in pair.words_of("impersonal")
    for form, value in ((pair.wrong, pair.wrong_value), (pair.right, pair.value)):
        if value == "Sing" and (is_listed or pair.verbs.is_impersonal(form)):
            return f"{form} may be impersonal"
    return ""


def infinitive_before(pair: MinimalPair) -> str:
    """Return a reason for doubt if the wrong form is spelled like an infinitive, imperative or base
    form, and there is an earlier verb of that kind with which it could be coordinated, or one that
    takes an infinitive."""
    view, kinds = pair.view, _base_forms(pair)
    if not pair.verbal and pair.tie != "conjunct":
        return ""
    for node in pair.open_words:
        if node == pair.cue or view.upos[node] not in VERBAL:
            continue
        if pair.tie == "conjunct" and _base_form(view.feats[node]) in kinds:
            return f"{pair.wrong} could go with {view.forms[node]}"
        is_helper = view.lemmas[node] in pair.words_of("bare_infinitive") and node > pair.cue
        has_object = view.dependents(node, "obj", "iobj")
        if pair.tie == "subject" and "Inf" in kinds and is_helper and has_object:
            return f"{view.forms[node]} takes an infinitive"
    return ""


def _base_forms(pair: MinimalPair) -> set[str]:
    """Return the kinds of base form, `Inf` (infinitive) and `Imp` (imperative), that the wrong form
    is spelled like. Its own readings show this, or the fact that most verbs spell these forms
    alike."""
    return {
        kind
        for kind in ("Inf", "Imp")
        for reading in pair.wrong_readings
        if _base_form(reading.feats) == kind or pair.forms.spelled_like(pair.wrong, reading, kind)
    }


def _base_form(feats: str) -> str:
    """Return `Inf` for the FEATS of an infinitive, `Imp` for those of an imperative, "" for
    others."""
    is_infinitive = value_of(feats, "VerbForm") == "Inf"
    return "Inf" if is_infinitive else "Imp" if value_of(feats, "Mood") == "Imp" else ""


def unspoken_subject(pair: MinimalPair) -> str:
    """Return a reason for doubt if a coordinated verb without a subject of its own may have another
    one, unspoken or behind it."""
    view = pair.view
    has_shared_subject = pair.tie == "subject" and view.heads[pair.cue] != pair.predicate
    is_joined = has_shared_subject and view.relations[pair.predicate] == "conj"
    may_lack_subject = not pair.is_language("overt_subjects")
    # in an unknown language two verbs of one subject are taken to share it
    is_coordinated = pair.tie == "conjunct" or (is_joined and pair.language != UNDETERMINED)
    if not (pair.verbal and may_lack_subject and is_coordinated):
        return ""
    if pair.bound or 0 <= pair.own_subject < pair.target:
        return ""
    return f"{pair.wrong} may have an unspoken subject, or one that follows"


def relative_form(pair: MinimalPair) -> str:
    """Return a reason for doubt if in this language the verbs of relative clauses have an ending
    that the wrong form has, too, or a verb before the noun: it may belong to a relative clause with
    another subject."""
    view, endings = pair.view, tuple(pair.words_of("relative_ending"))
    verb = pair.wrong if pair.verbal else view.forms[pair.cue]
    if not verb.endswith(endings) or not (pair.verbal or view.upos[pair.cue] in VERBAL):
        return ""
    return f"{verb} may end a relative clause"


def infinitive_marker(pair: MinimalPair) -> str:
    """Return a reason for doubt if the target stands right behind a marker of infinitives, and one
    of the two forms is spelled like an infinitive."""
    previous = pair.view.forms[pair.target - 1]
    particles = pair.forms.readings(previous, "PART")  # with FEATS it is a negation
    if not pair.verbal or all(particle.feats != "_" for particle in particles):
        return ""
    for form in (pair.wrong, pair.right):
        readings = pair.forms.readings(form, pair.upos, pair.lemma)
        if any(value_of(reading.feats, "VerbForm") == "Inf" for reading in readings):
            return f"{form} could be the infinitive behind {previous}"
    return ""


def later_auxiliary(pair: MinimalPair) -> str:
    """Return a reason for doubt if the clause may go on with an auxiliary that governs the wrong
    form as an infinitive or participle."""
    if not pair.is_language("verb_last_below") or not pair.verbal or not _is_subordinate(pair):
        return ""
    readings = pair.forms.readings(pair.wrong, pair.upos)
    is_nonfinite = any(value_of(r.feats, "VerbForm") in ("Inf", "Part") for r in readings)
    may_wait = is_nonfinite or "Inf" in _base_forms(pair)
    return f"{pair.wrong} may wait for an auxiliary" if may_wait else ""


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
    """Return a reason for doubt if an object nearer to the target has the wrong form's value and is
    spelled like a subject, while the cue is spelled like an object."""
    view = pair.view
    if pair.tie != "subject" or pair.bound or not pair.verbal or not pair.may_be_object(pair.cue):
        return ""
    for node in range(pair.cue + 1, pair.target):
        if (
            view.upos[node] in NOUNS
            and view.heads[node] == pair.predicate
            and view.relations[node] in ("obj", "iobj", "nsubj")
            and pair.agrees_with(node)
            and pair.may_be_object(node)
        ):
            return f"{view.forms[node]} could be the subject"
    return ""


def object_first(pair: MinimalPair) -> str:
    """Return a reason for doubt if the cue is spelled like an object, too, so that the subject may
    follow or stay unspoken."""
    view = pair.view
    if pair.tie != "subject" or not pair.verbal or pair.bound:
        return ""
    if "Nom" not in view.feature(pair.cue, "Case").split(","):  # "Acc,Nom" if it is both
        return ""
    if pair.is_language("verb_last_below") and _is_subordinate(pair):
        return ""  # the subject stands before the verb: see `nearer_subject`
    if view.dependents(pair.predicate, "cop") or pair.lemma in pair.words_of("copula"):
        return ""
    if value_of(pair.feats, "Tense") == "Past" and view.deprels[pair.target] == "aux:pass":
        return ""  # other forms may be futures
    objects = view.dependents(pair.predicate, "obj", REFLEXIVE)
    if any(dependent < pair.target for dependent in objects) or not pair.may_be_object(pair.cue):
        return ""
    return f"{view.forms[pair.cue]} could be the object"


def subject_follows(pair: MinimalPair) -> str:
    """Return a reason for doubt if the subject comes after the target, so that the words before it
    do not tell which form is right, or the target is a bare noun behind its verb."""
    if pair.tie == "inverted":
        wrong_nominatives = (
            reading.feats
            for reading in pair.wrong_readings
            if paired_value(reading.feats, pair.feature) == pair.wrong_value
            and value_of(reading.feats, "Case") == "Nom"
        )
        # by its case, the wrong form can be nothing but a subject
        is_only_subject = value_of(pair.feats, "Case") == "Nom" and any(
            not pair.forms.either_case(pair.wrong, pair.upos, feats) for feats in wrong_nominatives
        )
        if pair.bound or is_only_subject:
            return ""
        return f"{pair.right} follows its verb and nothing before it tells its value"
    if pair.tie in ("relative", "conjunct", "other") and pair.own_subject > pair.target:
        return f"the subject, {pair.view.forms[pair.own_subject]}, follows"
    return ""


def copula_of_predicate(pair: MinimalPair) -> str:
    """Return a reason for doubt if in this language the copula agrees with a plural that
    follows."""
    if pair.tie != "subject" or not pair.pluralised or pair.bound:
        return ""
    if pair.lemma not in pair.words_of("copula") or pair.cue < pair.predicate < pair.target:
        return ""
    return f"{pair.wrong} could agree with what follows"


def predicate_noun(pair: MinimalPair) -> str:
    """Return a reason for doubt if the target is a noun that is said of a subject, so that it need
    not agree with the copula, and nothing before it tells its value."""
    if pair.tie != "predicate" or pair.bound:
        return ""
    return f"{pair.right} is said of the subject and need not agree"


def participle_alone(pair: MinimalPair) -> str:
    """Return a reason for doubt if a participle with *have* agrees with nothing before it."""
    view = pair.view
    if value_of(pair.feats, "VerbForm") != "Part" or pair.upos != "VERB":
        return ""
    auxiliaries = list(view.dependents(pair.predicate, "aux"))
    if pair.tie == "conjunct":
        auxiliaries += view.dependents(view.heads[pair.predicate], "aux")
    for auxiliary in auxiliaries:
        if auxiliary < pair.target and view.lemmas[auxiliary] in pair.words_of("have"):
            return f"{pair.right} goes with {view.forms[auxiliary]} and agrees with nothing"
    return ""


def quantity(pair: MinimalPair) -> str:
    """Return a reason for doubt if the noun that the target agrees with is a quantity, a measure, a
    noun of many members or a plural of a gender that has singular verbs: good usage has both
    values."""
    node, view = pair.controller, pair.view
    if node < 0 or not pair.feature.startswith("Number"):
        return ""
    form, lemma = view.forms[node], view.lemmas[node].lower()
    if pair.value in PLURALS:
        if pair.verbal and value_of(view.feats[node], "Gender") in pair.words_of("singular_verb"):
            return f"{form} may have a singular verb"
        is_measure = lemma in pair.words_of("measure") and view.dependents(node, "nummod")
        return f"{form} is a measure" if is_measure else ""
    if lemma in nouns("quantity", pair.language) | pair.words_of("quantity") and any(
        view.upos[dependent] in (*NOMINAL, "ADJ", "NUM") and pair.value_at(dependent) in PLURALS
        for dependent in view.below(node, node + 1, pair.target)
    ):  # it has a plural below it: *a number of people*
        return f"{form} is a quantity"
    plural_collectives = pair.words_of("collective")
    if plural_collectives and lemma in nouns("collective", pair.language) | plural_collectives:
        return f"{form} has many members"
    return ""


def coordinated_cue(pair: MinimalPair) -> str:
    """Return a reason for doubt if the noun that the target agrees with, or one below it in the
    tree, is joined with another noun, so that a plural could be right."""
    node, view = pair.controller, pair.view
    if not _may_be_plural(pair):
        return ""
    for word in view.below(node, node + 1, pair.target):
        is_conjunct = view.relations[word] == "conj" and view.upos[word] in (*NOMINAL, "NUM", "X")
        is_joined = word in pair.open_words or view.heads[word] == node
        is_bare = view.upos[word] == "NOUN" and pair.value_at(word) not in PLURALS
        # a bare singular is not joined with a noun that has a determiner (*la carta … y escritor*)
        is_unlike = is_bare and not view.dependents(word, "det") and view.dependents(node, "det")
        if is_conjunct and is_joined and not is_unlike and not view.dependents(word, "case"):
            return f"{view.forms[word]} is joined with a noun before it"
    is_joined = view.relations[node] == "conj"
    return f"{view.forms[node]} is joined with a noun before it" if is_joined else ""


def company(pair: MinimalPair) -> str:
    """Return a reason for doubt if the noun that the target agrees with has another noun in its
    company (*the musician with the translator*), so that a plural verb is right as well."""
    node, view, markings = pair.controller, pair.view, pair.words_of("company")
    if not _may_be_plural(pair):
        return ""
    for child in view.children[node]:
        adposition = view.marked_by(child).split("_")[-1]  # of *разом_з* "together with", *з*
        with_case = f"{adposition}+{view.feature(child, 'Case')}"
        if node < child < pair.target and (adposition in markings or with_case in markings):
            return f"{view.forms[node]} is in company of {view.forms[child]}"
    return ""


def _may_be_plural(pair: MinimalPair) -> bool:
    """Tell whether the wrong form is a plural that no word before it rules out. The answer is no
    for attributes, which the test `other_noun` takes care of."""
    return pair.controller >= 0 and pair.tie != "attribute" and pair.pluralised and not pair.bound


def unrelated(pair: MinimalPair) -> str:
    """Return a reason for doubt if cue and target stand in no relation in which words agree (an
    adverbial, an object), or the target's own subject is another word behind it."""
    view = pair.view
    if pair.tie != "other" or "[" in pair.feature:
        return ""
    if 0 <= pair.own_subject < pair.target and pair.value_at(pair.own_subject) == pair.value:
        return ""
    return f"{view.forms[pair.cue]} and {pair.right} are tied as {view.relations[pair.cue]}"
