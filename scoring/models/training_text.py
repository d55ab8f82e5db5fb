"""Training text: sentences with words and raw text, split into training and held-out parts."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...data.errors import InputError
from ...data.files import numbered_lines
from ...miner.treebank.conllu import read
from ...miner.treebank.surface import surface_tokens
from ...miner.treebank.treebank import ENDINGS
from .model_folder import FINGERPRINT_TYPE, fingerprint
from .words import SPECIAL, check_words

SENTENCES_PER_HELD_OUT = 20  # one sentence in so many is held out
MAX_HELD_OUT = 2_000  # sentences; more would take longer and make the perplexity hardly more exact
SEPARATORS = " \t\r\0"  # between words, as in `lmplz` (KenLM, `lm/builder/corpus_count.cc`)
RESERVED = frozenset(SPECIAL)
WORDS = re.compile(f"[^{SEPARATORS}]+")


@dataclass(frozen=True)
class Line:
    """One sentence of training text.

    Attributes:
        words: for word-level models.
        text: raw text, for subword models.
    """

    words: tuple[str, ...]
    text: str

    @cached_property
    def fingerprint(self) -> int:
        """Return the fingerprint of its words."""
        return fingerprint(self.words)


@dataclass(frozen=True, slots=True)
class TextFiles(Collection[Line]):
    """The training sentences of text files, read from disk at each iteration, so that they need not
    fit in memory."""

    paths: tuple[Path, ...]
    n_sentences: int

    def __len__(self) -> int:
        return self.n_sentences

    def __contains__(self, line: object) -> bool:
        return any(line == other for other in self)

    def __iter__(self) -> Iterator[Line]:
        """Yield the sentences. Raises `InputError` with file and line for a reserved word."""
        is_held_out = new_split()
        for path in self.paths:
            for number, line in plain_lines(path):
                if is_held_out(line):
                    continue
                try:  # the other words need no check: none is empty
                    check_words(sorted(RESERVED.intersection(line.words)))
                except InputError as error:
                    raise error.at(f"{path}:{number}") from None
                yield line


@dataclass(frozen=True, slots=True)
class TrainingText:
    """The text that a model learns from, and the text that its perplexity is measured on.

    Attributes:
        train: sentences to learn from; `TextFiles` of a text that is not in memory.
        held_out: sentences for the perplexity.
        language: its code; "" if it is not known.
        treebank: name of the treebank that the text comes from; "" for other text.
    """

    train: Collection[Line]
    held_out: tuple[Line, ...]
    language: str = ""
    treebank: str = ""

    def origin(self) -> dict[str, str]:
        """Return language and treebank as entries of `model.json`."""
        return {"language": self.language, "treebank": self.treebank}


def fingerprints(lines: Iterable[Line]) -> bytes:
    """Return the distinct fingerprints of all sentences in ascending order, as bytes: 64-bit
    big-endian integers, one after the other."""
    import numpy as np

    values = np.fromiter((line.fingerprint for line in lines), dtype=np.uint64)
    return np.unique(values).astype(FINGERPRINT_TYPE).tobytes()


def held_out_card(lines: Sequence[Line], bits: Sequence[float], n_oov: int) -> dict[str, object]:
    """Return the entries of `model.json` on held-out text: numbers of sentences, of words and of
    unknown words (`n_oov`), and the perplexity.

    `bits` are the surprisals of the known words and sentence ends; the perplexity is None if there
    are none.
    """
    return {
        "held_out_sentences": len(lines),
        "held_out_words": sum(len(line.words) for line in lines),
        "held_out_oov": n_oov,
        "held_out_perplexity": perplexity(bits, len(bits)),
    }


def perplexity(bits: Sequence[float], n_units: int) -> float | None:
    """Return the perplexity per unit of a text with these surprisals; None for no units."""
    return 2 ** (math.fsum(bits) / n_units) if n_units else None


def plain_lines(path: Path) -> Iterator[tuple[int, Line]]:
    """Yield (line number from 1, sentence) for a text file with one sentence a line, gzipped or
    not.

    Words are separated by spaces, tabs, CRs and NULs, as in `lmplz`; other blanks, like U+00A0 in
    Vietnamese or U+3000, are parts of words. Lines without words are left out.
    """
    for number, line in numbered_lines(path):
        words = tuple(WORDS.findall(line))
        if words:
            yield number, Line(words, line.strip(SEPARATORS))


def text_lines(path: Path, *, strictly: bool) -> Iterator[Line]:
    """Yield the sentences of a CoNLL-U file (surface tokens and raw text), or of a text file with
    one sentence a line (see `plain_lines`).

    A bad sentence of a treebank raises an error if `strictly`; otherwise it is left out, since
    mining has reported it.
    """
    if path.name.endswith(ENDINGS):
        for sentence in read(path, on_bad=None if strictly else lambda fault: None):
            tokens = list(surface_tokens(sentence))
            *tokens_before, (last_form, _, _) = tokens  # no blank follows the last one
            text = "".join([form if glued else f"{form} " for form, glued, _ in tokens_before])
            yield Line(tuple([form for form, _, _ in tokens]), text + last_form)
        return
    yield from (line for _, line in plain_lines(path))


def new_split() -> Callable[[Line], bool]:
    """Return a function that decides whether a sentence is held out, to be called on all in order.

    About one distinct sentence in twenty is held out, by its fingerprint, until `MAX_HELD_OUT`
    lines are. All later lines are learned from, copies of held-out ones too.
    """
    n_held_out = 0

    def is_held_out(line: Line) -> bool:
        """Return whether the next sentence is held out, and count it if so."""
        nonlocal n_held_out
        chosen = n_held_out < MAX_HELD_OUT and line.fingerprint % SENTENCES_PER_HELD_OUT == 0
        n_held_out += chosen
        return chosen

    return is_held_out


def split_lines(lines: Iterable[Line], location: str) -> TrainingText:
    """Split sentences into a part to learn from and a held-out one.

    Every twentieth distinct sentence is held out (by fingerprint, so independent of order), until
    2,000 are; copies of a sentence go to the same side until then.

    Args:
        lines: the sentences; those without words are left out.
        location: what messages call the text.

    Returns:
        Both parts.

    Raises:
        InputError: too little is left.

    >>> text = split_lines([Line((f"w{n}",), f"w{n}") for n in range(100)], "text")
    >>> len(text.train), len(text.held_out)
    (93, 7)
    """
    is_held_out = new_split()
    train, held_out = list[Line](), list[Line]()
    for line in lines:
        if line.words:
            (held_out if is_held_out(line) else train).append(line)
    return _checked(TrainingText(tuple(train), tuple(held_out)), location)


def split_files(paths: Sequence[Path], location: str) -> TrainingText:
    """Split text files as `split_lines` does, without keeping them in memory.

    Args:
        paths: text files with one sentence a line, packed or not.
        location: what messages call the text.

    Returns:
        Both parts; `train` reads the files anew each time it is looked through.

    Raises:
        InputError: too little is left.

    >>> _ = Path("text.txt").write_text("".join(f"w{n}\\n" for n in range(100)))
    >>> len(split_files([Path("text.txt")], "text.txt").train)
    93
    """
    is_held_out = new_split()
    n_lines, held_out = 0, []
    for path in paths:
        for _, line in plain_lines(path):
            n_lines += 1
            if is_held_out(line):
                held_out.append(line)
    files = TextFiles(tuple(paths), n_lines - len(held_out))
    return _checked(TrainingText(files, tuple(held_out)), location)


def _checked(text: TrainingText, location: str) -> TrainingText:
    """Return `text` unchanged. Raises `InputError` if there are fewer than two sentences to learn
    from, or none that is held out."""
    n_train, n_held_out = len(text.train), len(text.held_out)
    if n_train < 2 or not n_held_out:
        n = n_train + n_held_out
        wrong = f"{n} {'sentence' if n == 1 else 'sentences'} of text"
        if n_held_out == n > 1:
            wrong += ", all of which would be held out"
        elif not n_held_out and n >= SENTENCES_PER_HELD_OUT:
            wrong += ", too much alike to hold some of them out"
        raise InputError(location, wrong, "about forty different ones or more", kind="empty")
    return text
