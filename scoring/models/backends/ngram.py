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

from ....data.arrays import offsets_of, range_indices
from ....data.errors import InputError
from ....data.files import sha256_file
from ....data.opening import opened
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
from ..words import END, SHORT, START, UNKNOWN, check_options, entry_word, path_of, signature_of

ARPA = "model.arpa"
BINARY_HEADER = b"mmap lm "  # how a KenLM binary begins (`lm/binary_format.cc`)
LOWEST, HIGHEST = 2, 6  # orders: KenLM has no unigram model, and is built for six by default
SPECIAL_SIGNS = (*" \t\n\v\f\r\0", START)  # that `full_scores` misreads within a word
KENLM_DISTRIBUTIONS = ("ufal.kenlm", "kenlm", "kenlm-ex", "camel-kenlm", "pypi-kenlm")
RIGHT = "a folder made by colorless train ngram, an ARPA file or a KenLM binary, of order 2 to 6"
NUMBERS_PER_WORD = 3  # that `full_scores` returns
SENTENCE_START = {"auto": True, START: True, "none": False}


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
            stretches = (questions.prefixes, questions.continuations)
            context, words = map(n_words, stretches)
            lengths = words + questions.ends
            texts = [WORD_SEP.join(filter(None, parts)) for parts in zip(*stretches, strict=True)]
            are_plain = _is_plain("".join(texts))
            if not are_plain:
                texts = list(map(entry_word, texts))
            numbers: list[float] = []
            for text, n in zip(texts, (context + lengths).tolist(), strict=True):
                start = len(numbers)
                if self.bos and (are_plain or _is_plain(text)):
                    numbers += self._full_scores(text, questions.ends)
                if len(numbers) - start != NUMBERS_PER_WORD * n:  # the text has an empty word
                    numbers[start:] = self._word_by_word(text, questions.ends)
            logs, _, unknown = np.array(numbers, np.float64).reshape(-1, NUMBERS_PER_WORD).T
            first = offsets_of(context + lengths)[:-1]  # index of the first word of each sentence
            n_unknown = np.append(0, np.cumsum(unknown))
            scored = range_indices(first + context, lengths)
            starts = range_indices(np.zeros(len(lengths), np.int64), lengths)
            offsets, ends = offsets_of(lengths), starts + 1
            if questions.ends:
                ends[offsets[1:] - 1] -= 1  # the end of the sentence has no width
            yield Answers(
                offsets,
                np.maximum(0, -logs[scored].astype(np.float32)),
                starts.astype(np.int32),
                ends.astype(np.int32),
                unknown[scored] > 0,
                (n_unknown[first + context] - n_unknown[first]).astype(np.int32),
                LOG10,
            )

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
        (self.model.BeginSentenceWrite if self.bos else self.model.NullContextWrite)(state)
        words = stretch_words(text)
        unknown = [word not in self.model or word == START for word in words]
        known = (UNKNOWN if is_oov else word for word, is_oov in zip(words, unknown, strict=True))
        for word, is_oov in zip((*known, *[END] * ends), (*unknown, *[False] * ends), strict=True):
            next_state = kenlm.State()
            numbers += (self.model.BaseScore(state, word, next_state), 0, is_oov)
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
    if options.bos not in SENTENCE_START:
        right = "auto" if options.bos == "always" else nearest(options.bos, SENTENCE_START)
        raise InputError("bos", f"no such token {options.bos!r}", right, kind="unknown")
    path = path_of(spec, "ngram", RIGHT)
    if path.is_dir():
        folder = read_model(path, "ngram")
        model, digest = read_kenlm(path / ARPA), folder.digest()
    else:
        model, digest = read_kenlm(path), sha256_file(path)
    bos = SENTENCE_START[options.bos]
    signature = signature_of(
        model="ngram",
        files=digest[:SHORT],
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
    with opened(path) as stream:
        is_binary = stream.read(len(BINARY_HEADER)) == BINARY_HEADER
    order = LOWEST if is_binary else len(arpa.read_counts(path))
    if not is_binary:
        arpa.check_utf8(path)
    if not LOWEST <= order <= HIGHEST:
        right = f"KenLM reads orders {LOWEST} to {HIGHEST}"
        raise InputError(str(path), f"a model of order {order}", right, kind="unsupported")
    try:
        with TemporaryDirectory() as folder:
            plain = path
            if path.suffix == ".gz":
                plain = Path(folder) / path.stem
                with opened(path) as packed, open(plain, "wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked)
            return kenlm.Model(str(plain), config)
    except (OSError, UnicodeDecodeError) as error:
        # Quote KenLM's message without the names of its source files and functions.
        message = " ".join(str(error).split())
        match = re.search(r"threw \w+(?: because `.*?')?\. (.*?)\)?$", message)
        wrong = f"KenLM cannot read it ({match[1] if match else message})"
        raise InputError(str(path), wrong, RIGHT, kind="format") from error


def _kenlm_version() -> str:
    """Return name and version of the installed distribution that provides `kenlm`, one of several;
    "unknown" if it is none of `KENLM_DISTRIBUTIONS`."""
    for name in KENLM_DISTRIBUTIONS:
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
    return "unknown"
