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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ....data.arrays import offsets_of, range_indices
from ....data.errors import InputError
from ....data.files import sha256_file
from ....data.opening import open_unpacked
from ....data.registry import nearest
from ...questions.answer_columns import (
    LOG10,
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
KENLM_DISTRIBUTIONS = ("ufal.kenlm", "kenlm", "kenlm-ex", "camel-kenlm", "pypi-kenlm")
EXPECTED = "a folder made by colorless train ngram, an ARPA file or a KenLM binary, of order 2 to 6"
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
        """Yield the answers to each chunk of questions (a prefix and the continuation to score),
        the numbers being −log10 p of each word. A prefix that neighbours share is read once."""
        for questions in chunks:
            log10_p, is_unknown = list[float](), list[bool]()  # of all continuations
            n_unknown_before = []
            pairs = zip(questions.prefixes, questions.continuations, strict=True)
            for prefix, group in groupby(pairs, key=itemgetter(0)):
                after_prefix, _, unknown_in_prefix = self._read(self._start(), _entries(prefix))
                for _, continuation in group:
                    words = _entries(continuation) + [END] * questions.ends
                    _, numbers, marks = self._read(after_prefix, words)
                    log10_p += numbers
                    is_unknown += marks
                    n_unknown_before.append(sum(unknown_in_prefix))
            n_scored = n_words(questions.continuations) + questions.ends
            starts = range_indices(np.zeros(len(n_scored), np.int64), n_scored)
            offsets, ends = offsets_of(n_scored), starts + 1
            if questions.ends:
                ends[offsets[1:] - 1] -= 1  # the end of the sentence has no width
            yield Answers(
                offsets,
                np.maximum(0, -np.array(log10_p, np.float32)),
                starts.astype(np.int32),
                ends.astype(np.int32),
                np.array(is_unknown, bool),
                np.array(n_unknown_before, np.int32),
                LOG10,
            )

    def _start(self) -> Any:
        """Return KenLM's state before a text."""
        import kenlm

        state = kenlm.State()
        begin = self.model.BeginSentenceWrite if self.bos else self.model.NullContextWrite
        begin(state)
        return state

    def _read(self, state: Any, words: Sequence[str]) -> tuple[Any, list[float], list[bool]]:
        """Read words after a state. Return the state after them, and for each word log10 p and
        whether it is unknown."""
        import kenlm

        log10_p, is_unknown = list[float](), list[bool]()
        for word in words:
            entry, next_state = UNKNOWN if word == START else word, kenlm.State()
            scored = self.model.BaseFullScore(state, entry, next_state)
            log10_p.append(scored.log_prob)
            is_unknown.append(scored.oov)
            state = next_state
        return state, log10_p, is_unknown


def _entries(text: str) -> list[str]:
    """Return the words of a text of `Questions` as an ARPA file spells them."""
    return stretch_words(entry_word(text))


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
