"""Writing a derivation: its words and written tokens, and CoNLL-U.

The steps are, in this order: the form of each word; sandhi, from right to left, the form that a
word takes before the sound that follows (`il` + `amico` → `l'`); the capital letter; and multiword
tokens, neighbours that are written as one (`di` + `l'` → `dell'`, or a clitic and its host).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from .grammar import Derivation, Grammar, derivations
from .grammar_file import GrammarFile


class Word(NamedTuple):
    """A syntactic word: columns 2–4 and 6–8 of CoNLL-U, and how it is written."""

    form: str
    lemma: str
    upos: str
    feats: str
    head: int | None  # 0-based index; None for the root
    relation: str  # "root" for the root
    glue: str  # "left", "right" or "both": no blank on this side; "clitic": one token with the next
    marked: bool  # whether it changes between conditions
    region: str  # "" if it is in no named region


class WrittenToken(NamedTuple):
    """A token of the written sentence: one word, or several contracted."""

    text: str
    start: int  # 0-based index of its first word
    n_words: int
    space_after: bool  # whether a blank follows; true for the last token, too


@dataclass(frozen=True, slots=True)
class DerivedSentence:
    """The words of a derivation, and the tokens in which they are written."""

    words: tuple[Word, ...]
    tokens: tuple[WrittenToken, ...]


def derived_sentence(derivation: Derivation, condition: int = 0) -> DerivedSentence:
    """Return the words and written tokens of a derivation in one of its conditions (versions of the
    sentence). `condition`: number of the condition, from 0."""
    file = derivation.grammar.file
    words = _apply_sandhi(_words(derivation, condition), file)
    if file.stop and words[-1].upos != "PUNCT":  # final punctuation depends on the root
        root, stop = [word.head for word in words].index(None), file.stop
        words.append(Word(stop, stop, "PUNCT", "_", root, "punct", "left", False, ""))
    if file.capital:
        words[0] = words[0]._replace(form=capitalised(words[0].form))
    tokens: list[WrittenToken] = []
    start = 0
    while start < len(words):
        text, n_words = _token(words, start, file.contractions)
        end = start + n_words
        is_glued = words[end - 1].glue in ("right", "both") or (
            end < len(words) and words[end].glue in ("left", "both")
        )
        tokens.append(WrittenToken(text, start, n_words, space_after=not is_glued))
        start = end
    return DerivedSentence(tuple(words), tuple(tokens))


def _apply_sandhi(words: Sequence[Word], file: GrammarFile) -> list[Word]:
    """Return words with the forms that they take before the next word's first sound: each by the
    first rule of the grammar that fits it."""
    result: list[Word] = []  # from the last word to the first, as a new form may change another
    following = ""  # form of the next word
    for word in reversed(words):
        for rule in file.sandhi:
            if (
                word.form in rule.form
                and rule.upos in ("", word.upos)
                and file.sounds[rule.before].begins(following)
            ):
                feats = word.feats.split("|")
                kept = "|".join(pair for pair in feats if pair.split("=")[0] not in rule.drops)
                glue = rule.glue or word.glue
                word = word._replace(form=rule.becomes, feats=kept or "_", glue=glue)
                break
        result.append(word)
        following = word.form
    return result[::-1]


def sentence_text(tokens: Sequence[WrittenToken]) -> str:
    """Return the tokens as text, without a blank after the last."""
    text = "".join(f"{token.text} " if token.space_after else token.text for token in tokens)
    return text.removesuffix(" ") if tokens[-1].space_after else text


def _words(derivation: Derivation, condition: int) -> list[Word]:
    """Return the words of a derivation in a condition, with the words that they depend on; their
    forms are those before sandhi, the change of a form before certain sounds."""
    slots, entries = derivation.shape.slots, derivation.entries
    starts = [0, *accumulate(len(entry.parts) for entry in entries[:-1])]
    roots = [  # index of each slot's head word, on which words of other slots depend
        start + next(index for index, part in enumerate(entry.parts) if part.head is None)
        for start, entry in zip(starts, entries, strict=True)
    ]
    words = []
    for start, slot, entry in zip(starts, slots, entries, strict=True):
        form = entry.form(slot.values(derivation.values, condition))
        does_change = any(slot.terms[feature].changes for feature in entry.varies)
        slot_head = None if slot.head is None else roots[slot.head]
        for part, text in zip(entry.parts, form.words, strict=True):
            words.append(
                Word(
                    form=text,
                    lemma=part.lemma,
                    upos=part.upos,
                    feats=form.feats if part.inflects else "_",
                    head=slot_head if part.head is None else start + part.head,
                    relation=part.relation or slot.relation or "root",
                    glue=slot.words.glue,
                    marked=does_change and (part.inflects or len(entry.parts) == 1),
                    region=slot.region,
                )
            )
    return words


def capitalised(form: str) -> str:
    """Return a form with its first letter capitalised and the rest unchanged."""
    return form[:1].title() + form[1:]  # Georgian has capitals for whole words only


def _token(words: Sequence[Word], index: int, contractions: Mapping[str, str]) -> tuple[str, int]:
    """Return the written token that begins with the word `index`, and the number of words in it. A
    contraction is capitalised if its first word is; a clitic is one token with what follows.
    `contractions`: two words → their one form."""
    form = words[index].form
    if index + 1 == len(words):
        return form, 1
    joined = contractions.get(f"{form.lower()} {words[index + 1].form}")
    if joined is not None:
        is_lowercase = form == form.lower()
        return joined if is_lowercase else capitalised(joined), 2
    if words[index].glue != "clitic":
        return form, 1
    remainder, n_words = _token(words, index + 1, contractions)
    return form + remainder, n_words + 1


def to_conllu(derivation: Derivation, sent_id: str) -> str:
    """Return a sentence of a grammar as CoNLL-U.

    XPOS and DEPS are empty; a contraction is a range row (`3-4`) that carries the spacing.

    Args:
        derivation: the sentence, which is written in its first condition.
        sent_id: id of the sentence.

    Returns:
        `# sent_id`, `# text`, a row for each token and word, a blank line at the end.

    >>> from colorless_green.nonce import derivations, load_grammar
    >>> grammar = load_grammar("reflexives")
    >>> print("\\n".join(to_conllu(next(derivations(grammar)), "s1").split("\\n")[:4]))
    # sent_id = s1
    # text = The baker that the janitor knew blamed himself.
    1 The the DET _ Definite=Def|PronType=Art 2 det _ _
    2 baker baker NOUN _ Number=Sing 7 nsubj _ _
    """
    return conllu_block(derived_sentence(derivation), sent_id)


def conllu_block(sentence: DerivedSentence, sent_id: str) -> str:
    """Return a sentence as CoNLL-U, as `to_conllu` does: comments, rows, a blank line."""
    lines = [f"# sent_id = {sent_id}", f"# text = {sentence_text(sentence.tokens)}"]
    for text, start, n_words, space_after in sentence.tokens:
        misc = "_" if space_after else "SpaceAfter=No"
        if n_words > 1:
            word_range, n_empty_columns = f"{start + 1}-{start + n_words}", 7
            lines.append("\t".join([word_range, text, *["_"] * n_empty_columns, misc]))
            misc = "_"
        for number, word in enumerate(sentence.words[start : start + n_words], start=start + 1):
            head = "0" if word.head is None else str(word.head + 1)
            columns = [word.form, word.lemma, word.upos, "_", word.feats, head, word.relation, "_"]
            lines.append("\t".join([str(number), *columns, misc]))
    return "\n".join(lines) + "\n\n"


def grammar_treebank(grammar: Grammar, n: int, seed: int) -> Iterator[str]:
    """Draw different sentences of a grammar at random, as a treebank.

    Ids are the grammar's name and a number from 1 with as many digits as `n` needs, at least four.
    Comments of the first sentence name the grammar, the seed and the licence.

    Args:
        grammar: of any size.
        n: number of sentences; the first k are the same for every larger n, but for digits of ids.
        seed: the same seed gives the same sentences.

    Yields:
        Sentences as CoNLL-U, one at a time; joined, they are the file.

    Raises:
        InputError: the grammar has fewer sentences.

    >>> from colorless_green.nonce import load_grammar
    >>> grammar = load_grammar("reflexives")
    >>> next(grammar_treebank(grammar, 20, seed=0)).split("\\n")[3:5]
    ['# sent_id = reflexives-0001', '# text = The prince that the wizard trusted defended himself.']
    """
    width = max(4, len(str(n)))
    comments = f"# grammar = {grammar.file.name}\n# seed = {seed}\n"
    comments += f"# licence = {grammar.file.licence}\n" if grammar.file.licence else ""
    for number, sentence in enumerate(derivations(grammar, n=n, seed=seed), start=1):
        yield comments + to_conllu(sentence, f"{grammar.file.name}-{number:0{width}d}")
        comments = ""
