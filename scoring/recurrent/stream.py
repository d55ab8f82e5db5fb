"""The protocol of the paper's script: a whole file is one text, the state carried through it.

colorlessgreenRNNs, src/language_models/evaluate_target_word.py: all sentences of the test file,
each ended by `<eos>`, are read in their order by one network that begins at zero and is never
reset, twenty words at a time. What a word costs depends on where in the file it stands, so a
question is looked up there: the first sentence that begins with its prefix and one of its
continuations.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines, sha256_file
from colorless_green.scoring.recurrent.carried import States
from colorless_green.scoring.recurrent.folder import EOS
from colorless_green.scoring.recurrent.network import Network, State

CHUNK = 20  # words, in the paper's script; the numbers are the same for any, but for rounding

Asked = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""(prefix, continuations), as words of the vocabulary's spelling."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A file's sentences, each with its `<eos>`, and a digest that stands for the file."""

    place: str
    sentences: tuple[tuple[str, ...], ...]
    digest: str

    def words(self) -> tuple[str, ...]:
        """All of it as one text."""
        return tuple(word for sentence in self.sentences for word in sentence)


def read_stream(path: Path) -> Stream:
    """The sentences of a text file, one a line, words at blanks; a missing `<eos>` is added.

    Raises `InputError` for a file without words.
    """
    lines = (line.replace("\t", " ").split(" ") for _, line in numbered_lines(path))
    sentences = [tuple(word for word in words if word) for words in lines]
    ended = tuple(words if words[-1] == EOS else (*words, EOS) for words in sentences if words)
    if not ended:
        raise InputError(str(path), "the file has no sentence", "one sentence a line", kind="empty")
    return Stream(str(path), ended, sha256_file(path))


def located(stream: Stream, asked: Sequence[Asked]) -> list[int]:
    """For each question how many words of the stream stand before its continuations.

    Raises `InputError` for one that no sentence begins with, and for the stream's very first word,
    which the paper's script never predicts.
    """
    lengths = {len(prefix) + len(each) for prefix, continuations in asked for each in continuations}
    starts = [0, *accumulate(len(sentence) for sentence in stream.sentences)]
    first: dict[tuple[str, ...], int] = {}
    for start, sentence in zip(starts, stream.sentences, strict=False):
        for length in lengths:
            if length <= len(sentence):
                first.setdefault(sentence[:length], start)
    return [_place(stream, each, first) for each in asked]


def _place(stream: Stream, asked: Asked, first: Mapping[tuple[str, ...], int]) -> int:
    prefix, continuations = asked
    found = [first[prefix + each] for each in continuations if prefix + each in first]
    if not found:
        raise InputError(
            stream.place,
            f"no sentence begins with {' '.join(prefix + (continuations or ((),))[0])!r}",
            "the text file of the suite that is scored",
            kind="missing",
        )
    place = min(found) + len(prefix)
    if place == 0:
        raise InputError(
            stream.place,
            "its very first word is asked for, which nothing stands before",
            "recurrent:DIR without ?stream",
            kind="unsupported",
        )
    return place


def states(network: Network, ids: Sequence[int], places: Iterable[int]) -> States:
    """What `network` has left behind after the first n of `ids`, for each n of `places` in order.

    The network stands as it would in the script: batch 1, CHUNK words a call, each call cut where
    a state is wanted.
    """
    wanted = list(places)
    cuts = sorted({*wanted, *range(CHUNK, max(wanted, default=0), CHUNK)})
    row = {place: n for n, place in enumerate(dict.fromkeys(sorted(wanted)))}
    device = network.decoder.weight.device
    kept: list[State] = []
    state: State | None = None
    start = 0
    for cut in cuts:
        read = torch.tensor(ids[start:cut], device=device).unsqueeze(1)
        _, state = network(read, state)
        if cut in row:
            kept.append(state)
        start = cut
    order = torch.tensor([row[place] for place in wanted], dtype=torch.long, device=device)
    return _joined(kept).at(order)


def _joined(kept: Sequence[State]) -> States:
    outputs = [each if isinstance(each, torch.Tensor) else each[0] for each in kept]
    memories = [each[1] for each in kept if not isinstance(each, torch.Tensor)]
    return States(torch.cat(outputs, dim=1), torch.cat(memories, dim=1) if memories else None)
