"""What must hold of every pseudo-word, checked without the code that makes them where it can be."""

import unicodedata
from collections.abc import Mapping

from colorless_green.nonce import PseudowordModel


def capitals(word: str) -> str:
    """`lower`, `title`, `upper` or `mixed`."""
    cased = [letter for letter in word if letter.lower() != letter.upper()]
    if all(letter.islower() for letter in cased):
        return "lower"
    if all(letter.islower() for letter in cased[1:]):
        return "title" if cased[0] in word[0] else "mixed"
    return "upper" if all(letter.isupper() for letter in cased) else "mixed"


def distance(one: str, other: str) -> int:
    """Levenshtein's edit distance, by the textbook."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def broken_laws(
    pseudo: PseudowordModel, lemma: str, upos: str, form: str, made: Mapping[str, str]
) -> list[str]:
    """Return the laws that a lexeme's pseudo-forms break, with the form that breaks them."""
    cut = pseudo.cut_of(lemma, upos, form)
    assert not isinstance(cut, str)
    spelling = pseudo.spelling
    found = [] if form in made and set(made) == set(cut.affixes) else ["another set of forms"]
    stems: set[str] = set()
    for old, new in made.items():
        prefix, ending, stress = cut.affixes[old]
        coded, changed = spelling.coded(old), spelling.coded(new)
        inner = changed[len(prefix) : len(changed) - len(ending)]
        bare = spelling.without_stress(coded)[len(prefix) : len(coded) - len(ending)]
        laws = {
            "the stem is not the form's": bare == cut.stem,
            "an ending is lost": changed.startswith(prefix) and changed.endswith(ending),
            "the last letter is another": old[-1] == new[-1],
            "the accents are others": spelling.stress_of(inner) == stress,
            "capitals are lost": capitals(old) in ("mixed", capitals(new)),
            "a word": spelling.folded(new) not in pseudo.words,
            "not composed as before": unicodedata.is_normalized("NFC", old)
            <= unicodedata.is_normalized("NFC", new),
            "begins with a mark": unicodedata.category(new[0])[0] != "M"
            or unicodedata.category(old[0])[0] == "M",
            "too short or too long": -1 <= len(inner) - len(cut.stem) <= 2,
        }
        found += [f"{old} {new}: {name}" for name, holds in laws.items() if not holds]
        stems.add(spelling.without_stress(inner))
    return found if len(stems) == 1 else [*found, "several stems"]
