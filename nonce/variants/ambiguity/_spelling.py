"""Doubts about how the sentence is written: likely misspellings and odd capitals, by the treebank's
counts, and quoted titles.

A rare form one letter from a frequent one is mostly a rare word. It is a misspelling where the two
have the same part of speech and the same FEATS, and either the same lemma, or lemmas that differ by
the same letter, one of which is seen nowhere else. Each test answers with the reason, "" for none;
its docstring is what users read of it.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from ....miner.treebank.paradigms import CLASSES, FormAnalysis, Forms
from ..pseudo.letters import triples, without_a_letter
from ._faults import CLOSED
from .pair import MinimalPair

FREQUENT = 5  # uses from which a form is the one that was meant
SHORTEST = 5  # letters of a misspelling; shorter words have too many neighbours
LONG = 9  # letters from which a letter more or less is enough
DOUBLED = 7  # letters from which one doubled or not doubled is
ENDS = 2  # last letters, which are inflection rather than misspelt
JOINED = 20  # uses of each of two words that are run together
SLIPS = 2  # uses of a function word spelled as another: more are a spelling
COMMON = 30  # uses of a word that another function word is misspelt as
PART = 5  # letters of the first of them; the second is a conjunction
USUAL = 0.9  # of at least `OFTEN` uses that begin alike; another beginning is odd
OFTEN = 10
OPENING_MARKS = frozenset('"“„«‘‚‹`') | {"``", "''"}
CLOSING_MARKS = frozenset("\"”“»’›'") | {"''"}
UNLIKELY = frozenset({"PROPN", "X", "SYM", "NUM", "INTJ", "PUNCT"})


def likely_typo(pair: MinimalPair) -> str:
    """A word of the sentence is marked as misspelt, or is likely to be: seen nowhere else, and by a
    letter another form of the same analysis than a frequent word, or a frequent word and a
    conjunction run together; or a function word spelled like another, once or twice."""
    view = pair.view
    if pair.forms not in _SPELLINGS:
        _SPELLINGS[pair.forms] = _Spelling(pair.forms)
    spelling = _SPELLINGS[pair.forms]
    for node, form in enumerate(view.forms):
        if view.feature(node, "Typo") == "Yes":
            return f"{form} is marked Typo"
        upos, feats = view.upos[node], view.feats[node]
        if form.lower() in pair.words_of("misspelt"):
            return f"{form} is misspelt"
        if upos in CLOSED and _is_other_word(pair.forms, form, view.lemmas[node], upos):
            return f"{form} is likely misspelt for a form of {view.lemmas[node]}"
        exempt = view.feature(node, "Foreign") or view.feature(node, "Abbr")
        if upos not in UNLIKELY and not exempt and form[1:] == form[1:].lower():
            intended = spelling.intended(form, view.lemmas[node], upos, feats)
            if intended:
                return f"{form} is likely misspelt for {intended}"
    return ""


def odd_capital(pair: MinimalPair) -> str:
    """A word inside the sentence begins with a capital, or lacks one, unlike nearly all of its
    uses, and no neighbour does."""
    view = pair.view
    for node, form in enumerate(view.forms[1:], start=1):
        previous = view.forms[node - 1]
        capitalised = form[:1].isupper()
        if view.upos[node] == "PROPN" or not (form[:1].isalpha() and previous[-1:].isalnum()):
            continue
        if form[1:].upper() == form[1:] and capitalised:
            continue  # a headline, an abbreviation, one letter
        small, capital = pair.forms.capitals(form, view.upos[node])
        usual = small if capitalised else capital
        near = (view.forms[index] for index in (node - 1, node + 1) if 0 < index < len(view))
        clear = small + capital >= OFTEN and usual >= USUAL * (small + capital)
        if clear and not any(neighbour[:1].isupper() for neighbour in near):
            return f"{form} has {'a' if capitalised else 'no'} capital"
    return ""


def quoted_title(pair: MinimalPair) -> str:
    """The cue stands in a quoted title, which agrees as one thing whatever its words are, or has
    one behind it, so that it is of one thing."""
    view, cue = pair.view, pair.cue
    for start, end in _quotations(pair):
        first_form = view.forms[start]
        if not first_form[:1].isupper():
            continue
        is_title = end - start > 1 or any(view.upos[node] == "PROPN" for node in range(start, end))
        if start <= cue < end and not start <= pair.target < end and is_title:
            return f"{view.forms[cue]} stands in a quoted title"
        is_modifier = any(view.heads[node] == cue for node in range(start, end))
        if start - cue == 2 and is_modifier and view.upos[cue] == "NOUN":
            return f"{view.forms[cue]} has a quoted title"
    return ""


def _quotations(pair: MinimalPair) -> Iterator[tuple[int, int]]:
    """Yield the first word of each stretch in quotation marks and the mark that ends it; of one
    inside another, neither is told apart."""
    start = -1
    for node, form in enumerate(pair.view.forms):
        if form in OPENING_MARKS and start < 0:
            start = node + 1
        elif form in CLOSING_MARKS and start >= 0:
            if node > start:
                yield start, node
            start = -1


class _Spelling:
    """The frequent forms of a treebank, by what is left of them without a letter."""

    def __init__(self, forms: Forms) -> None:
        self.uses, self.lemmas = forms.uses, forms.by_lemma
        self.readings = {
            form: forms.readings(form)
            for form, n in self.uses.items()
            if n >= FREQUENT and form.isalpha() and len(form) >= SHORTEST - 1
        }
        self._near: dict[str, list[str]] = {}
        for form in self.readings:
            for variant in (form, *without_a_letter(form)):
                self._near.setdefault(variant, []).append(form)
        self._letters = Counter(triple for form in self.uses for triple in triples(form))
        self.conjunctions = {
            form
            for form, n in self.uses.items()
            if n >= JOINED and len(form) > 1 and all(
                reading.upos == "CCONJ" for reading in forms.readings(form)
            )
        }  # fmt: skip
        self._found: dict[tuple[str, str, str, str], str] = {}

    def intended(self, form: str, lemma: str, upos: str, feats: str) -> str:
        """Return the frequent word (or two) that a form is likely misspelt for; "" for a sound
        one."""
        word = form.casefold()
        if len(word) < SHORTEST or self.uses.get(word, 0) > 1 or not word.isalpha():
            return ""
        key = (word, lemma.casefold(), upos, feats)
        if key not in self._found:
            self._found[key] = next(self._candidates(*key), "")
        return self._found[key]

    def _candidates(self, word: str, lemma: str, upos: str, feats: str) -> Iterator[str]:
        unknown = self.lemmas.get(lemma, 0) <= 1
        for end in range(PART, len(word) - 1):
            first, second = word[:end], word[end:]
            if second in self.conjunctions and self.uses.get(first, 0) >= JOINED and unknown:
                yield f"{first} {second}"
        parts = (word, *without_a_letter(word))
        similar = {form for part in parts for form in self._near.get(part, ())}
        for candidate in sorted(similar):
            kind, index = _edit(word, candidate)
            if not kind or not 0 < index < len(word) - ENDS:
                continue
            decomposed = (unicodedata.normalize("NFD", form) for form in (word, candidate))
            bare = {"".join(c for c in form if not unicodedata.combining(c)) for form in decomposed}
            if len(bare) == 1:  # *décor* is a way of writing *decor*
                continue
            for reading in self.readings[candidate]:
                if (reading.upos, reading.feats) != (CLASSES.get(upos, upos), feats):
                    continue
                if reading.lemma.casefold() == lemma:
                    if kind != "other":
                        yield candidate
                elif unknown and self._is_slip(word, lemma, reading, kind):
                    yield candidate

    def _is_slip(self, word: str, lemma: str, reading: FormAnalysis, kind: str) -> bool:
        """Tell whether two lemmas differ as their forms do, in a way that misspellings have."""
        if _edit(lemma, reading.lemma.casefold())[0] != kind:
            return False
        if kind in ("swapped", "doubled"):
            return kind == "swapped" or len(word) >= DOUBLED
        new = any(self._letters[triple] <= 1 for triple in triples(word))
        return new or (kind == "letter" and len(word) >= LONG)


def _is_other_word(forms: Forms, form: str, lemma: str, upos: str) -> bool:
    """Tell whether a form of a frequent lemma is seen once or twice as such, and often as another
    word (*Mit scheint*)."""
    folded = lemma.casefold()
    if folded == form.casefold() or not form.isalpha() or forms.by_lemma.get(folded, 0) < JOINED:
        return False
    counts = (reading.n for reading in forms.readings(form) if reading.lemma.casefold() != folded)
    return max(counts, default=0) >= COMMON and forms.uses_as(form, lemma, upos) <= SLIPS


_SPELLINGS: WeakKeyDictionary[Forms, _Spelling] = WeakKeyDictionary()


def _edit(word: str, intended: str) -> tuple[str, int]:
    """Return how two words differ by one letter, and where: two letters *swapped*, one *doubled*,
    another *letter* more or less, an*other* one; "" where they differ by more."""
    letters = enumerate(zip(word, intended, strict=False))
    start = next((n for n, (a, b) in letters if a != b), min(len(word), len(intended)))
    long, short = (word, intended) if len(word) > len(intended) else (intended, word)
    if word != intended and len(long) == len(short):
        if word[start + 1 :] == intended[start + 1 :]:
            return "other", start
        if word[start:] == intended[start : start + 2][::-1] + intended[start + 2 :]:
            return "swapped", start
    elif len(long) - len(short) == 1 and long[start + 1 :] == short[start:]:
        return ("doubled" if start and long[start] == long[start - 1] else "letter"), start
    return "", 0
