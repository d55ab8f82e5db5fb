"""FEATS, the CoNLL-U column of morphological features: read, compare and change it.

A FEATS string is parsed once and remembered: treebanks hold few distinct ones (69 to 1,108 in
fifty-eight treebanks), and the cache saves a third of the reading time. Names of features are
compared exactly: `Number[psor]` and `NumType` are not `Number`.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

NO_FEATS = "_"
CACHE_SIZE = 65_536  # distinct strings; far above any treebank, and a bound for hostile input
FEATURE_NAMES = """
    Abbr Animacy Aspect Case Clusivity Definite Degree Deixis DeixisRef Evident ExtPos Foreign
    Gender Mood NounClass Number NumType Person Polarity Polite Poss PronType Reflex Tense Typo
    VerbForm Voice
"""  # the names of UD's features


@lru_cache(maxsize=CACHE_SIZE)
def parse_feats(feats: str) -> Mapping[str, str]:
    """Read FEATS as a mapping.

    Args:
        feats: the column as CoNLL-U has it; `_` is no feature.

    Returns:
        Name → value, read-only; several values of one name stay joined (`Acc,Nom`).

    Raises:
        ValueError: an entry has no `=` or holds a blank, or a name comes twice; the text says
            which.

    >>> dict(parse_feats("Case=Acc,Nom|Number=Sing")), dict(parse_feats("_"))
    ({'Case': 'Acc,Nom', 'Number': 'Sing'}, {})
    """
    entries: dict[str, str] = {}
    for entry in feats.split("|") if feats != NO_FEATS else ():
        name, equals, value = entry.partition("=")
        if not equals or not name or not value:
            raise ValueError(f"{entry!r} in FEATS")
        if entry.split() != [entry]:
            raise ValueError(f"a blank in FEATS: {entry!r}")
        if name in entries:
            raise ValueError(f"{name} twice in FEATS")
        entries[name] = value
    return MappingProxyType(entries)


@lru_cache(maxsize=CACHE_SIZE)
def normal(feats: str) -> str:
    """Sort FEATS by code point, so that equal sets of features are equal strings.

    Args:
        feats: the column as CoNLL-U has it.

    Returns:
        The same entries, sorted.

    >>> normal("Number=Sing|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(feats.split("|")))


def value_of(feats: str, feature: str) -> str | None:
    """Look a feature up in FEATS, by its exact name.

    Args:
        feats: the column as CoNLL-U has it.
        feature: the name; `Number[psor]` is not `Number`.

    Returns:
        Its value, several joined by commas; `None` if the word does not carry it.

    Raises:
        ValueError: FEATS cannot be read.

    >>> value_of("Case=Nom|Number[psor]=Plur", "Number[psor]")
    'Plur'
    >>> value_of("Case=Nom|Number[psor]=Plur", "Number") is None
    True
    """
    return parse_feats(feats).get(feature)


@lru_cache(maxsize=CACHE_SIZE)
def with_value(feats: str, feature: str, value: str) -> str:
    """Set one feature in FEATS and leave the others as they are.

    Args:
        feats: the column as CoNLL-U has it.
        feature: the name; added where it is missing.
        value: its new value.

    Returns:
        Normal FEATS (sorted by code point).

    Raises:
        ValueError: FEATS cannot be read.

    >>> with_value("Tense=Pres|Number=Sing", "Number", "Plur")
    'Number=Plur|Tense=Pres'
    """
    other_entries = [f"{name}={old}" for name, old in parse_feats(feats).items() if name != feature]
    return "|".join(sorted([*other_entries, f"{feature}={value}"]))


UNMARKED_IN_PLURALS = ("Gender", "Animacy")  # Slavic and German plurals often show neither


@lru_cache(maxsize=CACHE_SIZE)
def loosened(feats: str, feature: str) -> str:
    """Return FEATS without Gender and Animacy, sorted as by `normal`.

    If one of these two is `feature` itself, it is kept.
    """
    omitted = {name for name in UNMARKED_IN_PLURALS if name != feature}
    entries = parse_feats(feats).items()
    return "|".join(sorted(f"{name}={value}" for name, value in entries if name not in omitted))


def genders_conflict(feats: str, other_feats: str) -> bool:
    """Return whether two words contradict each other in Gender or in Animacy.

    They do if both have values of it and share none. `Fem,Masc` and `Masc` share one.
    """
    return any(
        not set(value.split(",")).intersection(other_value.split(","))
        for name in UNMARKED_IN_PLURALS
        if (value := value_of(feats, name)) and (other_value := value_of(other_feats, name))
    )


VALUE_IN_AGREEMENT: Mapping[str, Mapping[str, str]] = {
    "Number": {
        "Ptan": "Plur",  # *scissors*: one thing, and all agreement is plural
        "Coll": "Sing",  # Czech *lidstvo* "mankind": many, and all agreement is singular
        "Count": "Plur",  # Bulgarian *два стола*: the plural after numerals
    }
}
"""Feature → a value → the value of the words that agree with it, by UD's page of the feature
(universaldependencies.org/u/feat/Number.html): `Plur` is "the back-off value" of a plurale tantum,
a collective "a special case of singular", the count form "a special plural form". Dual, trial,
paucal and greater plural have agreement of their own; no other feature has such values."""


@lru_cache(maxsize=CACHE_SIZE)
def agreement_value(feature: str, value: str) -> str:
    """Map a value to the one that words agree with: `Plur` for `Ptan` (`VALUE_IN_AGREEMENT`).

    Args:
        feature: the feature; a layer (`Number[psor]`) or two of its names (`Number~Number[abs]`)
            are treated as the feature itself.
        value: a value, or several joined by commas, of which each is mapped.

    Returns:
        The value, or the distinct values sorted and joined by commas.

    >>> agreement_value("Number", "Ptan"), agreement_value("Number", "Coll,Plur")
    ('Plur', 'Plur,Sing')
    """
    equivalent = VALUE_IN_AGREEMENT.get(feature.partition("~")[0].partition("[")[0])
    if equivalent is None:
        return value
    return ",".join(sorted({equivalent.get(part, part) for part in value.split(",")}))


VOWEL_LETTERS = frozenset("aoueiAOUEIè")  # generate_nonsense.py of the paper's repository


def letter_class(form: str) -> tuple[bool, bool]:
    """Classify the first letter of a form, as the published scripts do for articles and capitals.

    As there, `y`, accented vowels but è, and all non-Latin letters count as consonants.

    Args:
        form: a word form.

    Returns:
        Two truth values: whether the form begins with a capital, and whether it begins with one of
        the letters a o u e i A O U E I è.

    >>> letter_class("Other"), letter_class("yellow")
    ((True, True), (False, False))
    """
    return form[:1].isupper(), form[:1] in VOWEL_LETTERS
