"""A derivation as words and written tokens: sandhi, contractions, blanks, the first capital; and as
CoNLL-U.

In this order: each word's form; then, from right to left, what it becomes before the sound that
follows (`il` + `amico` → `l'`); then neighbours that are written as one (`di` + `l'` → `dell'`, or
a clitic and what it leans on: multiword tokens); then the capital letter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from .grammar import Derivation, Grammar, derivations


class Word(NamedTuple):
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


class WrittenToken(NamedTuple):
    """A token of the written sentence: one word, or several contracted."""

    text: str
    start: int  # 0-based index of its first word
    n_words: int
    space_after: bool  # true for the last token, which nothing follows


@dataclass(frozen=True, slots=True)
class DerivedSentence:
    """The words of a derivation and how they are written."""

    words: tuple[Word, ...]
    tokens: tuple[WrittenToken, ...]


def realised(derivation: Derivation, condition: int = 0) -> DerivedSentence:
    """Return the sentence of a derivation in a condition."""
    file = derivation.grammar.file
    words = _words(derivation, condition)
    following = ""
    for n, word in reversed(list(enumerate(words))):
        for rule in file.sandhi:
            if (
                word.form in rule.form
                and rule.upos in ("", word.upos)
                and file.sounds[rule.before].begins(following)
            ):
                feats = word.feats.split("|")
                left = "|".join(pair for pair in feats if pair.split("=")[0] not in rule.drops)
                glue = rule.glue or word.glue
                words[n] = word._replace(form=rule.becomes, feats=left or "_", glue=glue)
                break
        following = words[n].form
    if file.stop and words[-1].upos != "PUNCT":  # the mark that ends it depends on the root
        root, stop = [word.head for word in words].index(None), file.stop
        words.append(Word(stop, stop, "PUNCT", "_", root, "punct", "left", False, ""))
    if file.capital:
        words[0] = words[0]._replace(form=capitalised(words[0].form))
    tokens: list[WrittenToken] = []
    index, n_all = 0, len(words)
    while index < n_all:
        text, n_words = _token(words, index, file.contractions)
        end = index + n_words
        glued = words[end - 1].glue in ("right", "both") or (
            end < n_all and words[end].glue in ("left", "both")
        )
        tokens.append(WrittenToken(text, index, n_words, not glued))
        index = end
    return DerivedSentence(tuple(words), tuple(tokens))


def sentence_text(tokens: Sequence[WrittenToken]) -> str:
    """Return tokens as a person reads them, without a blank after the last."""
    text = "".join(token.text + " " * token.space_after for token in tokens)
    return text[:-1] if tokens[-1].space_after else text


def _words(derivation: Derivation, condition: int) -> list[Word]:
    """Return the words slot by slot, in the forms their features ask for."""
    slots, entries = derivation.shape.slots, derivation.entries
    starts = [0, *accumulate(len(entry.parts) for entry in entries[:-1])]
    roots = [  # the word of each slot that its dependents depend on
        start + next(n for n, part in enumerate(entry.parts) if part.head is None)
        for start, entry in zip(starts, entries, strict=True)
    ]
    words = []
    for start, slot, entry in zip(starts, slots, entries, strict=True):
        form = entry.form(slot.values(derivation.values, condition))
        changes = any(slot.terms[feature].changes for feature in entry.varies)
        outside = None if slot.head is None else roots[slot.head]
        for part, text in zip(entry.parts, form.words, strict=True):
            words.append(
                Word(
                    form=text,
                    lemma=part.lemma,
                    upos=part.upos,
                    feats=form.feats if part.inflects else "_",
                    head=outside if part.head is None else start + part.head,
                    relation=part.relation or slot.relation or "root",
                    glue=slot.words.glue,
                    marked=changes and (part.inflects or len(entry.parts) == 1),
                    region=slot.region,
                )
            )
    return words


def capitalised(form: str) -> str:
    """Return the form with a capital first letter (`str.title` would change the rest)."""
    return form[:1].upper() + form[1:]


def _token(words: Sequence[Word], index: int, contractions: Mapping[str, str]) -> tuple[str, int]:
    """Return the written token that begins with a word, and how many words it is; a contraction
    takes the case of its first word."""
    form = words[index].form
    if index + 1 == len(words):
        return form, 1
    joined = contractions.get(f"{form.lower()} {words[index + 1].form}")
    if joined is not None:
        return capitalised(joined) if form != form.lower() else joined, 2
    if words[index].glue != "clitic":
        return form, 1
    remainder, n_words = _token(words, index + 1, contractions)
    return form + remainder, n_words + 1


def to_conllu(derivation: Derivation, sent_id: str) -> str:
    """Return a sentence of a grammar as CoNLL-U.

    XPOS and DEPS are empty; a contraction is a range row (`3-4`) that carries the spacing.

    Args:
        derivation: the sentence; of its conditions, the first is written.
        sent_id: of the sentence.

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
    return conllu_block(realised(derivation), sent_id)


def conllu_block(sentence: DerivedSentence, sent_id: str) -> str:
    """Return the rows of `to_conllu`, of a sentence that is realised already."""
    lines = [f"# sent_id = {sent_id}", f"# text = {sentence_text(sentence.tokens)}"]
    for text, start, n_words, space_after in sentence.tokens:
        misc = "_" if space_after else "SpaceAfter=No"
        if n_words > 1:
            lines.append("\t".join([f"{start + 1}-{start + n_words}", text, *"_______", misc]))
            misc = "_"
        for index, word in enumerate(sentence.words[start : start + n_words], start=start + 1):
            head = "0" if word.head is None else str(word.head + 1)
            row = (str(index), *word[:3], "_", word.feats, head, word.relation, "_", misc)
            lines.append("\t".join(row))
    return "\n".join(lines) + "\n\n"


def grammar_treebank(grammar: Grammar, n: int, seed: int) -> Iterator[str]:
    """Draw different sentences of a grammar at random, as a treebank.

    Ids are the grammar's name and a number from 1 with as many digits as `n` needs, at least four.
    The first sentence also says which grammar and seed made it, and the licence.

    Args:
        grammar: of any size.
        n: how many sentences; the first k are those of a treebank of k, but for the digits of ids.
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
