"""Doubts about the forms: what else the two spellings and the cue's can be."""

from colorless_green.miner.cues.readings import Reading, carried
from colorless_green.miner.cues.ties import NOMINAL
from colorless_green.miner.features import conflict, value_of
from colorless_green.nonce.doubts.place import Place

APOSTROPHES = "'’ʼ`"
TENSES = ("VerbForm", "Tense", "Mood")
FEW = 3  # uses below which a form is no evidence against its class
USED = 0.05  # share of a form's uses from which another part of speech is a reading to reckon with


def equal_forms(place: Place) -> str:
    """The right and the wrong form are spelled alike (capitals aside)."""
    return (
        f"both forms are {place.right}" if place.right.casefold() == place.wrong.casefold() else ""
    )


def clitic_spelling(place: Place) -> str:
    """One of the two forms is a clitic spelling (*'ve*, *'m*): of the right form itself, or of a
    word that cannot stand here alone."""
    for ours, theirs in ((place.wrong, place.right), (place.right, place.wrong)):
        if any(mark in ours and mark not in theirs for mark in APOSTROPHES):
            return f"{ours} is a clitic spelling"
    return ""


def odd_spelling(place: Place) -> str:
    """The wrong form has capitals the right one has not: the treebank shows it in a misspelling
    only."""
    wrong, right = place.wrong, place.right
    mixed = wrong[1:] != wrong[1:].lower() and right[1:] == right[1:].lower()
    return f"{wrong} is spelled with other capitals than {right}" if mixed else ""


def ambiguous_cue(place: Place) -> str:
    """The cue's form has another value of the feature, too (*sheep*, German relative *die*), and
    no determiner, adjective or verb before the target says which."""
    tree, cue = place.tree, place.cue
    own = carried(tree.feats[cue], place.feature) or ""
    form = tree.forms[cue]
    if "," in own:
        return f"{form} is marked {own}"
    upos = tree.upos[cue]
    lemma = "" if upos in ("PRON", "DET", "PROPN") else tree.lemmas[cue]
    case = value_of(tree.feats[cue], "Case")
    others = {
        value: None
        for each in place.forms.readings(form, upos, lemma)
        if (value := carried(each.feats, place.feature)) not in (None, own)
        and case in (None, value_of(each.feats, "Case"))
        and _same_person(each.feats, tree.feats[cue])
    }
    if not others or place.leaks or _antecedent_tells(place, upos, lemma, own):
        return ""
    return f"{form} is {own} or {', '.join(filter(None, others))}"


def _antecedent_tells(place: Place, upos: str, lemma: str, own: str) -> bool:
    """Whether a relative pronoun has no noun before it that fits another value of its form."""
    tree, cue = place.tree, place.cue
    if "Rel" not in (value_of(tree.feats[cue], "PronType") or "").split(","):
        return False
    rivals = [
        each.feats
        for each in place.forms.readings(tree.forms[cue], upos, lemma)
        if carried(each.feats, place.feature) not in (None, own)
    ]
    return not any(
        place.told(node) == carried(feats, place.feature) and not conflict(feats, tree.feats[node])
        for node in range(cue)
        if tree.upos[node] in NOMINAL
        for feats in rivals
    )


def _same_person(one: str, other: str) -> bool:
    persons = {value_of(one, "Person"), value_of(other, "Person")}
    return len(persons - {None}) < 2


def ambiguous_target(place: Place) -> str:
    """The right form has the wrong value, too, or the wrong form the right one (in the same tense
    and mood, and in a person and case that fit)."""
    for form, value in ((place.right, place.other), (place.wrong, place.value)):
        for each in place.forms.readings(form, place.upos, place.lemma):
            if value in (carried(each.feats, place.feature) or "").split(",") and _fits(
                place, each, ("Case", "Degree", *TENSES)
            ):
                return f"{form} is {value} too"
    return ""


def other_tense(place: Place) -> str:
    """The wrong form is spelled like one of another tense or mood that would be right, or like a
    participle that tells no number (*cost*, *put*)."""
    if not place.verbal or place.tie == "inverted":
        return ""
    marked = bool(place.children_of(place.predicate, "mark")) or place.tie == "conjunct"
    for each in place.wrong_readings:
        if not place.fits_person(each.feats) or _fits(place, each, TENSES):
            continue
        form, mood = value_of(each.feats, "VerbForm"), value_of(each.feats, "Mood")
        silent = carried(each.feats, place.feature) in (None, place.value)
        if form in (None, "Fin") and silent and mood not in ("Imp", "Sub"):
            return f"{place.wrong} has another tense that is right ({_told(each)})"
        if form in (None, "Fin") and silent and mood == "Sub" and marked:
            return f"{place.wrong} has another mood that is right ({_told(each)})"
        if form == "Part" and silent and place.upos == "VERB":
            return f"{place.wrong} can be a participle, too"
    return ""


def _fits(place: Place, reading: Reading, names: tuple[str, ...]) -> bool:
    """Whether a reading contradicts the target in none of these features, nor in person."""
    return place.fits_person(reading.feats) and all(
        not (mine := value_of(place.feats, name))
        or not (theirs := value_of(reading.feats, name))
        or bool(set(mine.split(",")) & set(theirs.split(",")))
        for name in names
    )


def _told(reading: Reading) -> str:
    told = [value for name in TENSES if (value := value_of(reading.feats, name))]
    return ", ".join(told) or "FEATS do not say which"


def other_word(place: Place) -> str:
    """The wrong form is another word that could stand here: a noun after a conjunction (*questions
    or needs*), an adverb or preposition in a participle's place (Italian *incluso*)."""
    if place.bound:
        return ""
    if place.tie == "attribute" or (place.tie == "subject" and not place.verbal):
        kinds = ("ADV", "ADP", "SCONJ")
        if place.forms.share(place.wrong, lambda each: each.upos in kinds) >= USED:
            return f"{place.wrong} is an adverb or preposition, too"
    if (
        place.tie == "conjunct"
        and _after_conjunction(place)
        and any(place.tree.upos[each] == "NOUN" for each in place.open_words)
    ):
        share = place.forms.share(
            place.wrong, lambda each: each.upos == "NOUN" and place.upos not in ("NOUN", "PROPN")
        )
        if share >= USED:
            return f"{place.wrong} is a noun, too"
    return ""


def _after_conjunction(place: Place) -> bool:
    return place.target > 0 and place.tree.upos[place.target - 1] == "CCONJ"


def unmarked(place: Place) -> str:
    """Most verbs spell the two values alike in this tense (English past tenses), and the wrong form
    is so rare that it is a misspelling rather than an exception."""
    if not place.verbal or place.feature != "Number":
        return ""
    if sum(each.n for each in place.wrong_readings) >= FEW:
        return ""
    if place.other and place.forms.unmarked(place.feats, place.other):
        return f"most verbs spell {place.value} and {place.other} alike here"
    return ""
