"""N-gram models through KenLM: a folder made by `train`, any ARPA file, or a KenLM binary.

KenLM returns log10 p in float32, and the numbers are stored so; sums are computed in float64.
Unknown and special words:

- An unknown word is scored as `<unk>`, and flagged.
- `</s>` can be scored like a word: its surprisal is that of the end of the sentence. It is added
  only if a query asks for the end.
- `<s>` precedes every prefix (`bos` auto) or none (`none`). In a text it counts as an unknown word:
  files give it probability 1, which no real word has.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ....data.arrays import Floats, Integers, offsets_of, range_indices
from ....data.errors import InputError
from ....data.files import sha256_file
from ....data.opening import open_unpacked
from ....data.registry import nearest
from ...questions.answer_columns import (
    LOG10,
    WORD_SEP,
    Answers,
    Questions,
    n_words,
    scores_of,
    stretch_words,
)
from ...questions.query import LoadOptions, Query, Score
from .. import arpa
from ..model_folder import read_model
from ..words import (
    DIGEST_DIGITS,
    END,
    START,
    UNKNOWN,
    check_options,
    entry_word,
    path_of,
    signature_of,
)

ARPA_FILE = "model.arpa"
BINARY_HEADER = b"mmap lm "  # how a KenLM binary begins (`lm/binary_format.cc`)
MIN_ORDER, MAX_ORDER = 2, 6  # KenLM has no unigram model, and is built for six by default
SPECIAL_SIGNS = (*" \t\n\v\f\r\0", START)  # that `full_scores` misreads within a word
KENLM_DISTRIBUTIONS = ("ufal.kenlm", "kenlm", "kenlm-ex", "camel-kenlm", "pypi-kenlm")
EXPECTED = "a folder made by colorless train ngram, an ARPA file or a KenLM binary, of order 2 to 6"
NUMBERS_PER_WORD = 3  # that `full_scores` returns
HAS_START = {"auto": True, START: True, "none": False}  # option `bos` → whether `<s>` comes first


@dataclass(frozen=True)
class Ngram:
    """A KenLM model that scores words. If `bos`, a text begins after `<s>`; otherwise its first
    word has no context."""

    model: Any  # kenlm.Model
    bos: bool
    signature: str
    unit: str = "words"
    end: str = END

    chunk: int = 4_096
    bos_choices: tuple[str, ...] = ("none",)

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield one score for each query, in order."""
        return scores_of(self, queries)

    def answers(self, chunks: Iterable[Questions]) -> Iterator[Answers]:
        """Yield the answers to each chunk of questions (a prefix and the continuation to score).
        Each text is read from its beginning, and the numbers are −log10 p of each word."""
        for questions in chunks:
            n_context = n_words(questions.prefixes)
            n_scored = n_words(questions.continuations) + questions.ends
            log10_p, is_unknown = self._read(questions, n_context + n_scored)
            first = offsets_of(n_context + n_scored)[:-1]  # index of the first word of each text
            n_unknown_before = np.append(0, np.cumsum(is_unknown))
            scored = range_indices(first + n_context, n_scored)
            starts = range_indices(np.zeros(len(n_scored), np.int64), n_scored)
            offsets, ends = offsets_of(n_scored), starts + 1
            if questions.ends:
                ends[offsets[1:] - 1] -= 1  # the end of the sentence has no width
            n_unknown = n_unknown_before[first + n_context] - n_unknown_before[first]
            yield Answers(
                offsets,
                np.maximum(0, -log10_p[scored].astype(np.float32)),
                starts.astype(np.int32),
                ends.astype(np.int32),
                is_unknown[scored] > 0,
                n_unknown.astype(np.int32),
                LOG10,
            )

    def _read(self, questions: Questions, lengths: Integers) -> tuple[Floats, Floats]:
        """Return log10 p of each word of all texts, and 1 for each unknown word, 0 for others.

        A text is a prefix with its continuation; `lengths` are their numbers of words, the end of
        the sentence included if it is scored.
        """
        parts = zip(questions.prefixes, questions.continuations, strict=True)
        texts = [WORD_SEP.join(filter(None, pair)) for pair in parts]
        are_plain = _is_plain("".join(texts))
        if not are_plain:
            texts = list(map(entry_word, texts))
        numbers: list[float] = []
        for text, n in zip(texts, lengths.tolist(), strict=True):
            start = len(numbers)
            if self.bos and (are_plain or _is_plain(text)):
                numbers += self._full_scores(text, questions.ends)
            if len(numbers) - start != NUMBERS_PER_WORD * n:  # not yet read, or with an empty word
                numbers[start:] = self._word_by_word(text, questions.ends)
        log10_p, _, is_unknown = np.array(numbers, np.float64).reshape(-1, NUMBERS_PER_WORD).T
        return log10_p, is_unknown

    def _full_scores(self, text: str, ends: bool) -> Iterator[float]:
        """Return three numbers for each word, all in one row: log10 p given the words before it,
        the order of the n-gram used, and whether the word is unknown.

        This is the fastest way, but KenLM splits a text at all ASCII blanks, drops empty words, and
        always begins after `<s>`.
        """
        return chain.from_iterable(self.model.full_scores(text.replace(WORD_SEP, " "), eos=ends))

    def _word_by_word(self, text: str, ends: bool) -> list[float]:
        """Return the three numbers of `_full_scores` for each word, with 0 in place of the order.
        This is slower, but words may contain blanks or be `<s>`."""
        import kenlm

        state, numbers = kenlm.State(), list[float]()
        begin = self.model.BeginSentenceWrite if self.bos else self.model.NullContextWrite
        begin(state)
        words = [(word, word not in self.model or word == START) for word in stretch_words(text)]
        for word, is_unknown in (*words, *([(END, False)] if ends else [])):
            next_state = kenlm.State()
            log10_p = self.model.BaseScore(state, UNKNOWN if is_unknown else word, next_state)
            numbers += (log10_p, 0, is_unknown)
            state = next_state
        return numbers


def _is_plain(text: str) -> bool:
    """Return whether KenLM's `full_scores` reads each word of a text as one word, because it has
    none of `SPECIAL_SIGNS`."""
    return not any(sign in text for sign in SPECIAL_SIGNS)


def load(spec: str, options: LoadOptions) -> Ngram:
    """Return the scorer of a folder made by `colorless train ngram`, an ARPA file (gzipped or not),
    or a KenLM binary.

    Raises `InputError` for a file that KenLM cannot read, quoting its message, and for an order
    that it was not built for.
    """
    check_options(options, "an n-gram model")
    if options.bos not in HAS_START:
        right = "auto" if options.bos == "always" else nearest(options.bos, HAS_START)
        raise InputError("bos", f"no such token {options.bos!r}", right, kind="unknown")
    path = path_of(spec, "ngram", EXPECTED)
    if path.is_dir():
        folder = read_model(path, "ngram")
        model, digest = read_kenlm(path / ARPA_FILE), folder.digest()
    else:
        model, digest = read_kenlm(path), sha256_file(path)[:DIGEST_DIGITS]
    bos = HAS_START[options.bos]
    signature = signature_of(
        model="ngram",
        files=digest,
        order=model.order,
        bos=START if bos else "none",
        device="cpu",
        dtype="float32",
        kenlm=_kenlm_version(),
    )
    return Ngram(model, bos, signature)


def read_kenlm(path: Path) -> Any:
    """Return the `kenlm.Model` in an ARPA file or KenLM binary. Raises `InputError` as `load` does.

    KenLM's wheels are built without gzip, so a gzipped file is unpacked into a temporary folder.
    """
    import kenlm

    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    with open_unpacked(path) as stream:
        is_binary = stream.read(len(BINARY_HEADER)) == BINARY_HEADER
    if not is_binary:  # KenLM itself checks a binary
        order = len(arpa.read_counts(path))
        arpa.check_utf8(path)
        if not MIN_ORDER <= order <= MAX_ORDER:
            right = f"KenLM reads orders {MIN_ORDER} to {MAX_ORDER}"
            raise InputError(str(path), f"a model of order {order}", right, kind="unsupported")
    try:
        with TemporaryDirectory() as folder:
            plain_path = path
            if path.suffix == ".gz":
                plain_path = Path(folder) / path.stem
                with open_unpacked(path) as source, open(plain_path, "wb") as target:
                    shutil.copyfileobj(source, target)
            return kenlm.Model(str(plain_path), config)
    except (OSError, UnicodeDecodeError) as error:
        # Quote KenLM's message without the names of its source files and functions.
        message = " ".join(str(error).split())
        match = re.search(r"threw \w+(?: because `.*?')?\. (.*?)\)?$", message)
        wrong = f"KenLM cannot read it ({match[1] if match else message})"
        raise InputError(str(path), wrong, EXPECTED, kind="format") from error


def _kenlm_version() -> str:
    """Return name and version of the installed distribution that provides `kenlm`, one of several;
    "unknown" if it is none of `KENLM_DISTRIBUTIONS`."""
    for name in KENLM_DISTRIBUTIONS:
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
    return "unknown"
