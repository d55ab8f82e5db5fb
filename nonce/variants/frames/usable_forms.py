"""The forms of a treebank that may be drawn: no abbreviations, misspellings, foreign or truncated
words, and no forms that are mostly something else."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ....data.items.features import CACHE_SIZE, NO_FEATS, normal, parse_feats
from ....data.items.tree import Sentence
from ....miner.originals.wrong_form import distance
from ....miner.search.filters import nouns
from ....miner.treebank.paradigms import MISSING, Analysis
from ....miner.treebank.surface import CORRECT_FORM, misspelt, surface_of
from ....miner.treebank.view import TreeView, key_of
from ..ambiguity.pair import entries

MIN_LEMMA_USES = 2  # uses that a lemma needs; one may be a typo
MIN_SHARES = {  # sort of group (see `_FormCounts`) → least share that one of them must have
    "form": 0.9,  # of a form's uses, those with this UPOS (Gulordava et al. 2018)
    "number": 0.25,  # of a form's uses, those with this number; fewer are errors (*l'opere*)
    "case": 0.2,  # of a noun form's uses, those with these FEATS: not *mit Friedens*
    "noun's gender": 0.34,
    "cell": 0.34,  # of a cell (lemma with FEATS), those of this form: not *dir* for *dire*
}
NEVER_ONCE = frozenset({"cell", "gender"})  # sorts in which a single use beside others is an error
MIN_ZERO_PLURALS = 3  # uses that a plural spelled as its lemma needs: not *Shirt sind*
MAX_CONTRADICTED = 0.2  # of a form's uses, those whose determiner has another case or number
OUTDONE_BY = 2  # an annotation that is seen so many times as often as another is right
FEATURE_MARKED = 0.75  # share of the words with a feature from which all should have it
# uses of a form that make another one, seen once and a letter away, a misspelling
MIN_USES_BESIDE_SLIP = 5
CITATION_SHARE = 0.51  # share of forms equal to their lemmas, for FEATS of citation forms
STRICT_CITATION_SHARE = 0.8  # the same, if other forms are errors: *struck* as infinitive
VARIED_SHARE = 0.1  # share of lemmas with two endings for the same FEATS: *guter*, *gute*
MIN_USES_OF_CAPITAL = 3  # uses that a name with a capital inside needs (*McDonald*, not *ElPaso*)
ADVERB_SHARE = 0.7  # share of the adverbs in *-ly* that begin like an adjective

REFUSED_FEATURES = frozenset(
    {"Abbr", "Typo", "Foreign", "ExtPos", "Style", "NumType", "PronType", "Poss"}
)
NOUN_FEATS = ("Number", "Gender", "Case")
MIN_STEM = 3  # letters that an adverb needs before its ending: not *on-ly*
HYPHENS = frozenset({"-", "\u2010", "\u2011"})
ACUTE = "[\u03ac-\u03af\u03cc-\u03ce\u0390\u03b0]"  # Greek vowels with an accent
TWO_ACCENTS = re.compile(f"{ACUTE}.*{ACUTE}")  # the second is there for a clitic that follows
ACCENTED = re.compile(ACUTE)
VOWELS = re.compile("αι|ει|οι|ου|υι|αυ|ευ|ηυ|[αεηιουωϊϋ]")
JOINER = "\u200c"  # inside Persian words
NO_COUNTS: Counter[str] = Counter()
ANY_FEATS = ""  # in place of FEATS: all words of a part of speech


class UsableForms(NamedTuple):
    """The forms of a treebank that may be drawn, and what else their counts show."""

    analyses: frozenset[Analysis]  # FEATS normal: the forms that may be drawn
    marked: tuple[str, ...]  # features that the nouns of the language have
    # (UPOS, FEATS) of citation forms, as a dictionary has them: most are equal to their lemmas
    citation: frozenset[tuple[str, str]]
    inflected: frozenset[tuple[str, str]]  # (UPOS, FEATS) whose forms have different endings
    endings: tuple[str, ...]  # of adverbs made from adjectives
    slips: frozenset[tuple[str, str, str]]  # (form, lemma, UPOS) of likely misspellings


# tests of a form by itself


def misspelt_words(sentence: Sentence) -> Sequence[int]:
    """Return the indices of the words of a sentence that its MISC column corrects."""
    marks = (*sentence.misc, *(token.misc for token in sentence.ranges))
    return misspelt(surface_of(sentence, "apart")) if CORRECT_FORM in "".join(marks) else ()


def truncated_words(view: TreeView) -> Sequence[int]:
    """Return the indices of the words whose end is written only in a later word: German *Staats -
    und Parteichefs*. A hyphen and a conjunction follow them."""
    return [
        index
        for index in range(len(view) - 2)
        if view.forms[index + 1] in HYPHENS and view.upos[index + 2] == "CCONJ"
    ]


@lru_cache(maxsize=CACHE_SIZE)
def is_word(form: str) -> bool:
    """Tell whether a form consists of letters with their marks, and in scripts with capitals of
    three or more, since shorter ones are mostly abbreviations (*km*, *см*), prefixes and names of
    letters."""
    has_only_letters = form[:1].isalpha() and all(
        letter.isalpha() or letter == JOINER or unicodedata.category(letter)[0] == "M"
        for letter in form
    )
    has_no_capitals = form.lower() == form.upper()
    is_long_enough = has_no_capitals or len(form) > 2
    return has_only_letters and is_long_enough and not has_clitic_accent(form)


def has_clitic_accent(form: str) -> bool:
    """Tell whether a Greek word has a second accent, because a clitic follows (*πράξεών του*)."""
    return TWO_ACCENTS.search(form.lower()) is not None


def takes_clitic_accent(form: str) -> bool:
    """Tell whether a Greek word is accented on the third syllable from its end, so that before a
    clitic it would get a second accent."""
    accent = ACCENTED.search(form.lower())
    if accent is None:
        return False
    behind_accent = form.lower()[accent.end() :]
    return len(VOWELS.findall(behind_accent)) >= 2  # a syllable each


def closed_class_reason(upos: str, form: str, feats: str, endings: tuple[str, ...]) -> str:
    """Return why a word is not replaced though its part of speech is open, or "": it is a negation,
    or an adverb without one of the endings that make adverbs of adjectives."""
    entries = parse_feats(feats)
    if entries.get("Polarity") == "Neg" or "Neg" in entries.get("PronType", ""):
        return "negation"
    if upos != "ADV":
        return ""
    lower = form.lower()
    is_open = any(lower.endswith(end) and len(lower) >= len(end) + MIN_STEM for end in endings)
    is_closed = not is_open or "PronType" in entries or entries.get("Degree", "Pos") != "Pos"
    return "adverb of a closed class" if is_closed else ""


def is_truncated(form: str, lemma: str) -> bool:
    """Tell whether a form lacks the last letter or two of its lemma (*dir*, *ingegner*). Meant for
    FEATS whose forms are mostly their lemmas."""
    start, whole = form.lower(), lemma.lower()
    return 1 <= len(whole) - len(start) <= 2 and whole.startswith(start)


# counts of all forms


class _AnnotatedForm(NamedTuple):
    """A form with its annotation; the tests below decide from it whether the form may be drawn."""

    form: str
    lower_form: str  # in lower case
    lemma: str
    upos: str
    feats: str  # normal
    entries: Mapping[str, str]  # of FEATS


class _FormCounts:
    """Counts of the uses of forms, in groups of alternatives.

    A group is (sort, what it is about): `("form", "saw")` counts the parts of speech of the form
    *saw*, a `cell` the forms of a lemma with the same FEATS. Groups of the sorts `cited` (a form is
    its lemma), `marked` (a word has a feature) and `capital` count the alternatives "True" and
    "False".
    """

    def __init__(self, analyses: Mapping[Analysis, int]) -> None:
        self.groups: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for (form, lemma, upos, feats), n in analyses.items():
            word = _annotated_form(form, lemma, upos, feats)
            for group, alternative in _alternatives(word).items():
                sort = group[0]
                if alternative or sort != "number":  # words without number do not count
                    self.groups[group][alternative] += n
            if lemma != MISSING and is_word(form):
                is_lemma = str(word.lower_form == lemma.lower())
                self.groups["cited", upos, word.feats][is_lemma] += 1
        self.marked = tuple(
            name for name in NOUN_FEATS if self.is_mostly_true(("marked", "NOUN", name, ""))
        )

    def groups_of(self, sort: str) -> list[tuple[str, ...]]:
        """Return all groups of one sort."""
        return [group for group in self.groups if group[0] == sort]

    def in_group(self, *group: str) -> Counter[str]:
        """Return alternative → number of uses for one group; empty if the group was never seen."""
        return self.groups.get(group, NO_COUNTS)

    def is_mostly_true(self, group: tuple[str, ...], share: float = FEATURE_MARKED) -> bool:
        """Tell whether at least this share of a group's uses count for the alternative "True"; of
        an empty group they do not."""
        counts = self.in_group(*group)
        return counts["True"] >= share * counts.total() > 0


def _annotated_form(form: str, lemma: str, upos: str, feats: str) -> _AnnotatedForm:
    """Return a form and its annotation as one record, with FEATS in normal order."""
    return _AnnotatedForm(form, form.lower(), lemma, upos, normal(feats), parse_feats(feats))


def _alternatives(word: _AnnotatedForm) -> dict[tuple[str, ...], str]:
    """Return group → alternative for one use of a word: each group in which the use is counted,
    with the alternative that it counts for."""
    form, lower, lemma, upos, feats, entries = word
    alternatives = {
        ("form", lower): upos,
        ("spelling", lower, upos): form,
        ("lemma", upos, key_of(form, lemma)): lower,
        ("number", lower, upos): entries.get("Number", ""),
    }
    if upos == "NOUN":
        alternatives["capital",] = str(form[:1].isupper())  # one group for all nouns
    if upos == "ADJ" and "Gender" in entries:
        alternatives["gender", lower] = entries["Gender"]
    if upos in ("NOUN", "ADJ"):
        for name in NOUN_FEATS:
            alternatives["marked", upos, name, _ending(word)] = str(name in entries)
    if lemma != MISSING and is_word(form):
        if upos == "NOUN":
            alternatives["noun's gender", lemma] = entries.get("Gender", "")
            alternatives["plural alone", lemma.lower()] = str(entries.get("Number") == "Plur")
            if "Case" in entries:
                alternatives["case", lower, lemma] = feats
        alternatives["feats", lower, lemma, upos] = feats
        alternatives["cell", lemma, upos, feats] = lower
    return alternatives


def _ending(word: _AnnotatedForm) -> str:
    """Return the last letter of an adjective, "" for other words. Adjectives with the same ending
    have the same features."""
    return word.lower_form[-1:] if word.upos == "ADJ" else ""


# tests of a form by the counts

_Test = Callable[[_FormCounts, _AnnotatedForm], bool]


def _is_spelled_oddly(counts: _FormCounts, word: _AnnotatedForm) -> bool:
    """Tell whether a word has a capital that it should not have, or lacks one."""
    form, upos = word.form, word.upos
    if word.lower_form == form.upper():
        return False  # a script without capitals
    spellings, capitals = (
        counts.in_group("spelling", word.lower_form, upos),
        counts.in_group("capital"),
    )
    if upos == "PROPN":
        has_capital_inside = form[:1].isupper() and not form.isupper()  # *McDonald*
        is_usual = has_capital_inside and spellings[form] >= MIN_USES_OF_CAPITAL
        return form != form.capitalize() and not is_usual
    if upos == "NOUN" and capitals["True"] > capitals["False"]:  # as in German
        return form != form.capitalize()
    return form != word.lower_form or spellings[form.capitalize()] > spellings[form]


def _is_minor(counts: _FormCounts, word: _AnnotatedForm) -> bool:
    """Tell whether a form is mostly something else (of another part of speech, number, case or
    gender), or its lemma mostly has another form for these FEATS."""
    for group, alternative in _alternatives(word).items():
        sort, n_uses = group[0], counts.in_group(*group)
        is_rare = n_uses[alternative] < MIN_SHARES.get(sort, 0.0) * n_uses.total()
        is_single = n_uses[alternative] == 1 and len(n_uses) > 1
        if is_rare or (is_single and sort in NEVER_ONCE):
            return True
    return False


def _lacks_feature(counts: _FormCounts, word: _AnnotatedForm) -> bool:
    """Tell whether a noun or adjective lacks a feature that most nouns, or adjectives with its
    ending, have."""
    return word.upos in ("NOUN", "ADJ") and any(
        name not in word.entries
        and counts.is_mostly_true(("marked", word.upos, name, _ending(word)))
        for name in NOUN_FEATS
    )


def _is_wrong_plural(counts: _FormCounts, word: _AnnotatedForm) -> bool:
    """Tell whether a noun is a plural without a singular, or a rare plural spelled as its lemma."""
    if word.upos != "NOUN" or word.entries.get("Number") != "Plur" or word.lemma == MISSING:
        return False
    n = counts.in_group("feats", word.lower_form, word.lemma, "NOUN")[word.feats]
    lacks_singular = not counts.in_group("plural alone", word.lemma.lower())["False"]
    return lacks_singular or (word.form == word.lemma and n < MIN_ZERO_PLURALS)


def _is_underspecified(counts: _FormCounts, word: _AnnotatedForm) -> bool:
    """Tell whether a form is seen more often with further features beside these, which this
    analysis then lacks."""
    n_uses = counts.in_group("feats", word.lower_form, word.lemma, word.upos)
    features = set(word.feats.split("|"))
    return any(
        n >= OUTDONE_BY * n_uses[word.feats] and features - {NO_FEATS} < set(alternative.split("|"))
        for alternative, n in n_uses.items()
    )


def _should_be_lemma(counts: _FormCounts, word: _AnnotatedForm) -> bool:
    """Tell whether a form is truncated, or differs from its lemma though its FEATS are those of
    citation forms (*struck* cannot be an infinitive)."""
    if word.lemma == MISSING or word.upos == "PROPN" or word.lower_form == word.lemma.lower():
        return False
    cell = ("cited", word.upos, word.feats)  # all forms with these FEATS
    if counts.is_mostly_true(cell, CITATION_SHARE) and is_truncated(word.lower_form, word.lemma):
        return True
    return counts.in_group(*cell).total() >= 10 and counts.is_mostly_true(
        cell, STRICT_CITATION_SHARE
    )


REFUSALS: Mapping[str, _Test] = {
    "no word": lambda _, word: not is_word(word.form),
    "odd spelling": _is_spelled_oddly,
    "rare lemma": lambda counts, word: (
        counts.in_group("lemma", word.upos, key_of(word.form, word.lemma)).total() < MIN_LEMMA_USES
    ),
    "barred feature": lambda _, word: not REFUSED_FEATURES.isdisjoint(word.entries),
    "feature not marked": _lacks_feature,
    "mostly something else": _is_minor,
    "odd plural": _is_wrong_plural,
    "fewer features": _is_underspecified,
    "no citation form": _should_be_lemma,
}
"""Why a form may not be drawn → the test for that reason."""


def usable_forms_of(
    analyses: Mapping[Analysis, int],
    content: frozenset[str],
    language: str,
    contradicted: Mapping[Analysis, int],
) -> UsableForms:
    """Return the forms that may be drawn and what else the counts of a treebank's analyses show,
    for words whose UPOS is in `content`.

    A form must pass all tests of `REFUSALS`, and be no noun of quantity or of many members, with
    which a verb may be singular or plural. `contradicted` says how often the determiner of a noun
    has another case or number.
    """
    uses = {analysis: n for analysis, n in analyses.items() if n > 0}
    counts, code = _FormCounts(uses), language.partition("-")[0]
    vague_nouns = frozenset().union(
        *(nouns(kind, code) | entries(kind, code) for kind in ("quantity", "collective"))
    )
    usable = set()
    for analysis, n in uses.items():
        word = _annotated_form(*analysis)
        refused = (word.upos == "NOUN" and word.lemma.lower() in vague_nouns) or (
            contradicted.get(analysis, 0) > MAX_CONTRADICTED * n
        )
        if word.upos not in content or refused:
            continue
        if not any(refuses(counts, word) for refuses in REFUSALS.values()):
            usable.add((word.form, word.lemma, word.upos, word.feats))
    return UsableForms(
        analyses=frozenset(usable),
        marked=counts.marked,
        citation=frozenset(
            (upos, feats)
            for (sort, upos, feats) in counts.groups_of("cited")
            if counts.is_mostly_true((sort, upos, feats), CITATION_SHARE)
        ),
        inflected=_inflected_tags(counts),
        endings=productive_endings(uses),
        slips=_likely_slips(counts),
    )


def _likely_slips(counts: _FormCounts) -> frozenset[tuple[str, str, str]]:
    """Return the forms that are likely misspellings: seen once, and a letter away from a frequent
    form of the same lemma and FEATS."""
    slips: set[tuple[str, str, str]] = set()
    for group in counts.groups_of("cell"):
        _, lemma, upos, _ = group
        n_uses = counts.in_group(*group)
        frequent_forms = [form for form, n in n_uses.items() if n >= MIN_USES_BESIDE_SLIP]
        for form, n in n_uses.items() if frequent_forms else ():
            is_single = n == 1 and counts.in_group("form", form)[upos] == 1
            if is_single and any(distance(form, frequent) == 1 for frequent in frequent_forms):
                slips.add((form, lemma, upos))
    return frozenset(slips)


def _inflected_tags(counts: _FormCounts) -> frozenset[tuple[str, str]]:
    """Return (UPOS, FEATS) of adjectives and verbs whose lemmas often have forms with different
    last letters: German *guter* and *gute*, which have the same FEATS though the article decides
    between them."""
    n_lemmas, n_varied = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for group in counts.groups_of("cell"):
        _, _, upos, feats = group
        n_uses = counts.in_group(*group)
        if upos in ("ADJ", "VERB") and n_uses.total() >= 2:
            varies = len({form[-1] for form in n_uses}) > 1
            for key in ((upos, feats), (upos, ANY_FEATS)):
                n_lemmas[key] += 1
                n_varied[key] += varies
    inflected = set()
    for _, _, upos, feats in counts.groups_of("cell"):
        # a few lemmas say little, then all of the part of speech count
        key = (upos, feats) if n_lemmas[upos, feats] >= 5 else (upos, ANY_FEATS)
        if n_lemmas[key] and n_varied[key] >= VARIED_SHARE * n_lemmas[key]:
            inflected.add((upos, feats))
    return frozenset(inflected)


def productive_endings(analyses: Iterable[Analysis]) -> tuple[str, ...]:
    """Return the endings that make adverbs of adjectives (*-ly*, *-mente*, *-sti*), longest first;
    adverbs with one are an open class. Ten adverbs must have such an ending, and most of these
    begin like adjectives of the treebank."""
    adverbs: set[str] = set()
    stems: set[str] = set()
    for form, lemma, upos, _ in analyses:
        key = key_of(form, lemma)
        if upos == "ADV" and is_word(form):
            adverbs.add(form.lower())
        elif upos == "ADJ" and is_word(key):
            stems.update(key[:length] for length in range(4, len(key) + 1))
    by_ending: defaultdict[str, list[bool]] = defaultdict(list)  # whether an adjective begins so
    for adverb in adverbs:
        for length in range(2, min(6, len(adverb) - 3)):
            stem = adverb[:-length]
            start = stem[: max(4, len(stem) - 1)]  # the last letter may change: *happi-ly*
            by_ending[adverb[-length:]].append(start in stems)
    endings = (
        ending
        for ending, is_like_adjective in by_ending.items()
        if len(is_like_adjective) >= 10
        and sum(is_like_adjective) >= ADVERB_SHARE * len(is_like_adjective)
    )
    return tuple(sorted(endings, key=lambda ending: (-len(ending), ending)))
