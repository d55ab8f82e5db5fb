"""N-gram models through KenLM: a folder made by `train`, any ARPA file, or a KenLM binary.

KenLM answers in log10 of float32; here they become float64 before they are added. A prefix is
remembered as KenLM's state after its last order - 1 words, which is all a model of that order can
know of it. Vocabulary, sentence start and special words:

- An unknown word is scored as `<unk>`, and flagged.
- `</s>` is a continuation like others: it asks how surprising the end of the sentence is. It is
  added only where a query asks for the end.
- `<s>` stands before every prefix (`bos` auto) or nowhere (`none`). As a word it is
  unknown: files give it probability 1, which no word of a text has.
"""

import math
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import opened, sha256_file
from colorless_green.data.registry import nearest
from colorless_green.scoring import arpa
from colorless_green.scoring.query import LoadOptions, Query, Score, Stretch, Surprisals
from colorless_green.scoring.training.folder import read_model
from colorless_green.scoring.words import (
    END,
    SHORT,
    START,
    UNKNOWN,
    as_words,
    check_options,
    entry_word,
    existing,
    signed,
    whole_words,
)

ARPA = "model.arpa"
BINARY = b"mmap lm "  # how a KenLM binary begins (`lm/binary_format.cc`)
LOWEST, HIGHEST = 2, 6  # orders: KenLM has no unigram model, and is built for six by default
DISTRIBUTIONS = ("ufal.kenlm", "kenlm", "kenlm-ex", "camel-kenlm", "pypi-kenlm")
STATES = 100_000  # remembered prefixes, about 20 MB; then the memory starts anew
BITS = math.log2(10)
RIGHT = "a folder made by colorless train ngram, an ARPA file or a KenLM binary, of order 2 to 6"
SENTENCE_START = {"auto": True, START: True, "none": False}


@dataclass(frozen=True)
class Ngram:
    """A KenLM model, its prefixes beginning at a sentence start or in the middle of nowhere."""

    model: Any  # kenlm.Model
    bos: bool
    signature: str
    unit: str = "words"
    end: str = END

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Prefixes that end alike share their state, in whatever order they come."""
        states: dict[tuple[str, ...], Any] = {}
        entries: dict[str, str] = {}
        for query in queries:
            prefix = self._entries(query.prefix, entries)
            seen = prefix[max(0, len(prefix) - self.model.order + 1) :]
            if len(states) > STATES:
                states.clear()
            if seen not in states:
                states[seen] = self._state(seen)
            answers = tuple(
                self._surprisals(states[seen], self._entries(continuation, entries), query.ends)
                for continuation in query.continuations
            )
            yield Score(answers, sum(word == UNKNOWN for word in prefix))

    def _entries(self, stretch: Stretch, entries: dict[str, str]) -> tuple[str, ...]:
        """The words as the model has them, `<unk>` for those it lacks; `entries` remembers."""
        words = as_words(stretch)
        for word in words:
            if word not in entries:
                entry = entry_word(word)
                known = entry in self.model and entry != START
                entries[word] = entry if known else UNKNOWN
        return tuple(entries[word] for word in words)

    def _state(self, seen: tuple[str, ...]) -> Any:
        """After the last words of a prefix, at most order - 1 of them.

        Behind so many words `<s>` is out of sight, so that it may stand there all the same.
        """
        import kenlm

        state = kenlm.State()
        if self.bos:
            self.model.BeginSentenceWrite(state)
        else:
            self.model.NullContextWrite(state)
        for word in seen:
            after = kenlm.State()
            self.model.BaseScore(state, word, after)
            state = after
        return state

    def _surprisals(self, state: Any, words: tuple[str, ...], ends: bool) -> Surprisals:
        import kenlm

        bits = []
        for word in (*words, END) if ends else words:
            after = kenlm.State()
            bits.append(max(0.0, -BITS * self.model.BaseScore(state, word, after)))
            state = after
        return whole_words(bits, [word == UNKNOWN for word in words], ends=ends)


def load(spec: str, options: LoadOptions) -> Ngram:
    """The model in a folder made by `colorless train ngram`, in an ARPA file (gzipped or not), or
    in a KenLM binary.

    Raises `InputError` for a file that KenLM cannot read, with the line where an ARPA file goes
    wrong, and for an order it was not built for.
    """
    check_options(options, "an n-gram model")
    if options.bos not in SENTENCE_START:
        right = "auto" if options.bos == "always" else nearest(options.bos, SENTENCE_START)
        raise InputError("--bos", f"no such token {options.bos!r}", right, kind="unknown")
    path = existing(spec, "ngram", RIGHT)
    if path.is_dir():
        folder = read_model(path, "ngram")
        model, digest = read_kenlm(path / ARPA), folder.digest()
    else:
        model, digest = read_kenlm(path), sha256_file(path)
    bos = SENTENCE_START[options.bos]
    signature = signed(
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
    """The `kenlm.Model` in an ARPA file or KenLM binary. Errors as in `load`."""
    import kenlm

    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    binary = _is_binary(path)
    if not binary:
        _check_order(path)
    try:
        with _unpacked(path) as plain:
            return kenlm.Model(str(plain), config)
    except OSError as error:
        if not binary:
            for _ in arpa.read(path):
                pass  # the reader names the line, if it finds the fault
        raise InputError(
            str(path), f"KenLM cannot read it ({_reason(error)})", RIGHT, kind="format"
        ) from error


def _is_binary(path: Path) -> bool:
    with opened(path) as stream:
        return stream.read(len(BINARY)) == BINARY


def _check_order(path: Path) -> None:
    order = len(arpa.read_counts(path))
    if not LOWEST <= order <= HIGHEST:
        raise InputError(
            str(path),
            f"a model of order {order}",
            f"KenLM reads orders {LOWEST} to {HIGHEST}",
            kind="unsupported",
        )


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """`path`, or a short-lived copy without gzip, which KenLM's wheels are built without."""
    if path.suffix != ".gz":
        yield path
        return
    with TemporaryDirectory() as folder:
        plain = Path(folder) / path.stem
        with opened(path) as packed, open(plain, "wb") as stream:
            shutil.copyfileobj(packed, stream)
        yield plain


def _reason(error: OSError) -> str:
    """What KenLM says, without the names of its source files and functions."""
    said = " ".join(str(error).split())
    match = re.search(r"threw \w+(?: because `.*?')?\. (.*?)\)?$", said)
    return match[1] if match else said


def _kenlm_version() -> str:
    """The distribution that brought `import kenlm`, with its version: several go by that name."""
    for name in DISTRIBUTIONS:
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            continue
    return "unknown"
