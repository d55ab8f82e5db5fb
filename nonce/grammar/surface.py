"""A derivation as words and written tokens: sandhi, contractions, blanks, the first capital.

In this order: each word's form; then, from right to left, what it becomes before the sound that
follows (`il` + `amico` → `l'`); then neighbours that are written as one (`di` + `l'` → `dell'`, or
a clitic and what it leans on: multiword tokens); then the capital letter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from colorless_green.nonce.grammar.language import (
    Change,
    Derivation,
    Sandhi,
    Sound,
    Spelling,
    resolved,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word (UD columns 2–4 and 6–8)."""

    form: str
    lemma: str
    upos: str
    feats: str
    head: int | None  # 0-based index; None for the root
    relation: str  # "root" for the root
    glue: str  # "", "left", "right" or "both": no blank there; "clitic": one token with the next
    marked: bool  # whether it changes with the condition
    region: str  # "" where none is named


@dataclass(frozen=True, slots=True)
class Written:
    """A token of the written sentence: one word, or several contracted."""

    text: str
    first: int  # 0-based index of its first word
    n_words: int
    space_after: bool  # true for the last token, which nothing follows


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a derivation and how they are written."""

    words: tuple[Word, ...]
    tokens: tuple[Written, ...]


def realised(derivation: Derivation) -> Sentence:
    """The sentence of a derivation."""
    spelling = derivation.grammar.spelling
    words = _after_sandhi(_words(derivation), spelling)
    if spelling.stop and words[-1].upos != "PUNCT":
        words.append(_stop(words, spelling.stop))
    if spelling.capital and words:
        words[0] = replace(words[0], form=capitalised(words[0].form))
    return Sentence(tuple(words), tuple(_written(words, spelling)))


def sentence_text(sentence: Sentence) -> str:
    """The sentence as a person reads it."""
    last = len(sentence.tokens) - 1
    return "".join(
        token.text + (" " if token.space_after and n < last else "")
        for n, token in enumerate(sentence.tokens)
    )


def _words(derivation: Derivation) -> list[Word]:
    """The words slot by slot, in the forms their features ask for."""
    slots, entries = derivation.shape.slots, derivation.entries
    starts, roots = [], []  # the first word of each slot, and the one its dependents hang on
    n_words = 0
    for entry in entries:
        starts.append(n_words)
        own_head = next(n for n, part in enumerate(entry.parts) if part.head is None)
        roots.append(n_words + own_head)
        n_words += len(entry.parts)
    words = []
    for index, (slot, entry) in enumerate(zip(slots, entries, strict=True)):
        terms = dict(slot.terms)
        form = entry.forms[
            tuple(
                resolved(terms[feature], derivation.values, derivation.condition)
                for feature in entry.varies
            )
        ]
        changes = any(isinstance(terms[feature], Change) for feature in entry.varies)
        outside = None if slot.head is None else roots[slot.head]
        for part, text in zip(entry.parts, form.words, strict=True):
            inner = part.head is not None
            words.append(
                Word(
                    form=text,
                    lemma=part.lemma,
                    upos=part.upos,
                    feats=form.feats if part.inflects else "_",
                    head=outside if part.head is None else starts[index] + part.head,
                    relation=part.relation if inner else slot.relation or "root",
                    glue=slot.words.glue,
                    marked=changes and (part.inflects or len(entry.parts) == 1),
                    region=slot.region,
                )
            )
    return words


def _stop(words: Sequence[Word], form: str) -> Word:
    """The mark that ends a sentence; it hangs on the root."""
    root = next(n for n, word in enumerate(words) if word.head is None)
    return Word(form, form, "PUNCT", "_", root, "punct", "left", False, "")


def _after_sandhi(words: Sequence[Word], spelling: Spelling) -> list[Word]:
    """Each word as it looks before the next one, from the last to the first."""
    if not spelling.sandhi:
        return list(words)
    result: list[Word] = []
    following = ""
    for word in reversed(words):
        for rule in spelling.sandhi:
            if _applies(rule, word, following, spelling):
                word = replace(
                    word,
                    form=rule.becomes,
                    feats=_without(word.feats, rule.drops),
                    glue=rule.glue or word.glue,
                )
                break
        following = word.form
        result.append(word)
    return result[::-1]


def _applies(rule: Sandhi, word: Word, following: str, spelling: Spelling) -> bool:
    return (
        word.form == rule.form
        and rule.upos in ("", word.upos)
        and has_sound(following, spelling.sounds[rule.before])
    )


def has_sound(form: str, sound: Sound) -> bool:
    """Whether a word begins with a sound; the words named in `also` and `never` go first."""
    lower = form.lower()
    return lower in sound.also or (lower.startswith(sound.starts) and lower not in sound.never)


def _without(feats: str, names: frozenset[str]) -> str:
    kept = [each for each in feats.split("|") if each.partition("=")[0] not in names]
    return "|".join(kept) or "_"


def capitalised(form: str) -> str:
    """The form with a capital first letter, the rest as it is (`str.title` would change it)."""
    return form[:1].upper() + form[1:]


def _written(words: Sequence[Word], spelling: Spelling) -> list[Written]:
    """Written tokens; a contraction takes the case of its first word."""
    tokens: list[Written] = []
    index = 0
    while index < len(words):
        joined, n_words = _token(words, index, spelling)
        last = words[index + n_words - 1]
        following = words[index + n_words : index + n_words + 1]
        glued = last.glue in ("right", "both") or any(
            each.glue in ("left", "both") for each in following
        )
        tokens.append(Written(joined, index, n_words, not glued))
        index += n_words
    return tokens


def _token(words: Sequence[Word], index: int, spelling: Spelling) -> tuple[str, int]:
    """The token that begins at a word, and how many words it is."""
    pair = words[index : index + 2]
    joined = _contraction(pair, spelling) if spelling.contractions and len(pair) == 2 else None
    if joined is not None:
        return joined, 2
    if words[index].glue != "clitic" or len(pair) < 2:
        return words[index].form, 1
    rest, n_words = _token(words, index + 1, spelling)
    return words[index].form + rest, n_words + 1


def _contraction(pair: Sequence[Word], spelling: Spelling) -> str | None:
    first, second = pair[0].form, pair[1].form
    joined = spelling.contractions.get((first.lower(), second))
    if joined is None:
        return None
    return capitalised(joined) if first != first.lower() else joined
