"""Paragraphs through a parser, chunk by chunk: CoNLL-U with ids, text and provenance.

What comes out hangs on the texts and the parser alone: a sentence's id is made of its text's name,
its paragraph's number and its own number in the paragraph, so that a run that goes on after the
n-th paragraph gives the bytes it would have given without a stop.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from colorless_green.miner.parse.parser import Parser
from colorless_green.miner.parse.provenance import PARSED_BY, PARSED_FROM
from colorless_green.miner.parse.text import Text, paragraphs

# Comments that this module writes, whatever a parser wrote under the same keys.
OWN = re.compile(rf"#\s*(?:(?:sent_id|{PARSED_BY}|{PARSED_FROM})\s*=|new(?:doc|par)(?:\s|$))")
TEXT = re.compile(r"#\s*text\s*=")


@dataclass(frozen=True, slots=True)
class Tally:
    """How much of one text is parsed, and what came of it."""

    n_paragraphs: int = 0
    n_empty: int = 0  # of these, paragraphs in which the parser found no sentence
    n_sentences: int = 0
    n_words: int = 0


@dataclass(frozen=True, slots=True)
class Chunk:
    """CoNLL-U of some paragraphs, and the tallies of all texts after it."""

    conllu: str
    tallies: tuple[Tally, ...]


def texts_digest(texts: Sequence[Text]) -> str:
    """16 hex digits that change with any byte, name, order or division of the texts."""
    parts = (f"{text.name}\t{text.division}\t{text.digest}" for text in texts)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def parsed(
    texts: Sequence[Text], parser: Parser, *, batch: int, done: Sequence[Tally]
) -> Iterator[Chunk]:
    """The parse of all paragraphs that `done` (one tally a text) does not count, in order.

    `batch` paragraphs, whatever text they are from, go to the parser at a time and make a chunk.
    The first sentence of all carries `# parsed_by` and `# parsed_from`, the first of a text
    `# newdoc id`, the first of a paragraph `# newpar id`, each a `# sent_id` and its `# text`.
    """
    about = [f"# {PARSED_BY} = {parser.signature}", f"# {PARSED_FROM} = {texts_digest(texts)}"]
    tallies = list(done)
    waiting = _waiting(texts, done)
    while chunk := list(islice(waiting, batch)):
        parts: list[str] = []
        results = parser.parse([paragraph for _, paragraph in chunk])
        for (index, _), conllu in zip(chunk, results, strict=True):
            first = not any(tally.n_sentences for tally in tallies)
            lines, tallies[index] = stamped(
                conllu, texts[index].name, tallies[index], about if first else ()
            )
            parts += lines
        yield Chunk("".join(parts), tuple(tallies))


def _waiting(texts: Sequence[Text], done: Sequence[Tally]) -> Iterator[tuple[int, str]]:
    """(index of the text, paragraph) for what is not yet parsed."""
    for index, (text, tally) in enumerate(zip(texts, done, strict=True)):
        if tally.n_paragraphs < text.n_paragraphs:
            rest = islice(paragraphs(text), tally.n_paragraphs, None)
            yield from ((index, paragraph) for paragraph in rest)


def stamped(conllu: str, name: str, tally: Tally, about: Sequence[str]) -> tuple[list[str], Tally]:
    """The blocks of one paragraph's sentences with our comments, and the text's tally after it.

    `about`: comments for the very first sentence. A sentence without `# text` breaks the parser's
    promise (`AssertionError`).
    """
    number = tally.n_paragraphs + 1
    blocks: list[str] = []
    n_words = 0
    for n, (comments, rows) in enumerate(_sentences(conllu), start=1):
        text = [line for line in comments if TEXT.match(line)]
        assert len(text) == 1, f"a parser gave a sentence without its text: {rows[0]!r}"
        lines = list(about) if n == 1 else []
        if n == 1:
            lines += [f"# newdoc id = {name}"] if tally.n_sentences == 0 else []
            lines += [f"# newpar id = {name}-{number}"]
        lines += [f"# sent_id = {name}-{number}-{n}", *text]
        lines += [line for line in comments if not TEXT.match(line) and not OWN.match(line)]
        blocks.append("\n".join([*lines, *rows]) + "\n\n")
        n_words += sum(row.partition("\t")[0].isdecimal() for row in rows)
    return blocks, replace(
        tally,
        n_paragraphs=number,
        n_empty=tally.n_empty + (not blocks),
        n_sentences=tally.n_sentences + len(blocks),
        n_words=tally.n_words + n_words,
    )


def _sentences(conllu: str) -> Iterator[tuple[list[str], list[str]]]:
    """(comments, rows) of each block."""
    for block in re.split(r"\n\s*\n", conllu.strip("\n")):
        lines = block.split("\n")
        rows = [line for line in lines if line and not line.startswith("#")]
        if rows:
            yield [line for line in lines if line.startswith("#")], rows
