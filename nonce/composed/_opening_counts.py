"""Counting what can stand before the subject of a clause: a matrix clause, a fronted phrase."""

from ._clause_view import ClauseView
from ._treebank_counts import NounPosition, TreebankCounts

COMPLEMENTS = ("obj", "iobj", "xcomp", "csubj", "compound", "expl")


def count_complement(view: ClauseView, clause: int, counts: TreebankCounts) -> None:
    """Count a clause that is a verb's complement and follows it, opened by a subordinator."""
    verb = view.heads[clause]
    marks = [
        child
        for child in view.children[clause]
        if view.rels[child] == "mark" and view.upos[child] == "SCONJ"
    ]
    if (
        verb < 0
        or view.upos[verb] != "VERB"
        or not marks
        or not verb < marks[0] == view.start(clause)
    ):
        return
    mark = marks[0]
    lemma = view.lemmas[mark] if view.lemmas[mark] != "_" else view.forms[mark]
    seen = counts.complementisers[lemma.lower()]
    finite = view.target(clause)[1]
    has_comma = view.forms[mark - 1] == ","
    seen.n += 1
    seen.n_infinite += finite is None
    seen.n_comma += has_comma
    if mark + 1 < len(view.forms):
        seen.forms[view.forms[mark].lower(), view.forms[mark + 1].lower()] += 1
    uses = counts.complements[view.lemmas[verb], lemma.lower()]
    feats = view.feats[finite if finite is not None else clause]
    uses.n += 1
    uses.moods[feats.get("Mood", "")] += 1
    uses.n_future += feats.get("Tense") == "Fut"
    uses.n_bare += _is_bare(view, verb)
    uses.n_adjacent += mark - verb == 1 + has_comma
    uses.n_negated += any(
        view.feats[index].get("Polarity") == "Neg" for index in (verb, *view.children[verb])
    )
    uses.n_personal += _is_personal(view, verb)


def _is_bare(view: ClauseView, verb: int) -> bool:
    """Tell whether a verb has nothing that it may need beside its clause."""
    for child in view.children[verb]:
        relation, feats = view.rels[child], view.feats[child]
        pronominal = view.upos[child] == "PRON" or feats.get("Case") == "Dat"
        if (
            relation in COMPLEMENTS
            or feats.get("Reflex") == "Yes"
            or (relation == "obl" and pronominal)
            or (relation == "advmod" and feats.get("PronType") == "Dem")
        ):
            return False
    return True


def _is_personal(view: ClauseView, verb: int) -> bool:
    """Tell whether a verb's subject is a noun, a name, a person."""
    subject = view.subject(verb)
    if subject is None:
        finite = view.target(verb)[1]
        return view.feats[verb if finite is None else finite].get("Person") in ("1", "2")
    feats = view.feats[subject]
    is_person = feats.get("PronType") == "Prs" and feats.get("Gender") != "Neut"
    return view.upos[subject] in ("NOUN", "PROPN") or is_person


def count_front(
    view: ClauseView, index: int, position: NounPosition, counts: TreebankCounts
) -> None:
    """Count an oblique noun where its phrase begins a main clause, before subject and target."""
    predicate = view.heads[index]
    subject, target = view.subject(predicate), view.target(predicate)[1]
    end = view.end(index)
    if (
        view.heads[predicate] >= 0
        or any(upos != "PUNCT" for upos in view.upos[: view.start(index)])
        or subject is None
        or target is None
        or end >= min(subject, target)
    ):
        return
    seen = counts.fronts[position]
    seen.n += 1
    seen.n_subject_first += subject < target
    seen.n_comma += view.forms[end + 1] == ","
    seen.nouns[view.lemmas[index]] += 1
