"""The protocol of the paper's script: a whole file is one text, the state carried through it.

colorlessgreenRNNs, src/language_models/evaluate_target_word.py: all sentences of the test file,
each ended by `<eos>`, are read in their order by one network that begins at zero and is never
reset, twenty words at a time. What a word costs depends on where in the file it stands, so a
question is looked up there: the first sentence that begins with its prefix and one of its
continuations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines, sha256_file
from colorless_green.scoring.recurrent.network import EOS, Network, State
from colorless_green.scoring.recurrent.state_cache import States

CHUNK = 20  # words, in the paper's script; the numbers are the same for any, but for rounding

Asked = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]
"""(prefix, continuations), as words of the vocabulary's spelling."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A file's sentences, each with its `<eos>`, and a digest that stands for the file."""

    place: str
    sentences: tuple[tuple[str, ...], ...]
    digest: str


def read_stream(path: Path) -> Stream:
    """The sentences of a text file, one a line, words at blanks; a missing `<eos>` is added.

    Raises `InputError` for a file without words.
    """
    lines = (line.replace("\t", " ").split(" ") for _, line in numbered_lines(path))
    sentences = [tuple(filter(None, words)) for words in lines]
    ended = tuple(words if words[-1] == EOS else (*words, EOS) for words in sentences if words)
    if not ended:
        raise InputError(str(path), "the file has no sentence", "one sentence a line", kind="empty")
    return Stream(str(path), ended, sha256_file(path))


def located(stream: Stream, asked: Sequence[Asked]) -> list[int]:
    """For each question how many words of the stream stand before its continuations.

    Raises `InputError` for one that no sentence begins with, and for the stream's very first word,
    which the paper's script never predicts.
    """
    texts = [[prefix + each for each in continuations or ((),)] for prefix, continuations in asked]
    lengths = {len(text) for own in texts for text in own}
    starts = accumulate(map(len, stream.sentences), initial=0)
    first: dict[tuple[str, ...], int] = {}
    for start, sentence in zip(starts, stream.sentences, strict=False):
        for length in lengths:
            if length <= len(sentence):
                first.setdefault(sentence[:length], start)
    places = []
    for (prefix, _), own in zip(asked, texts, strict=True):
        found = [first[text] for text in own if text in first]
        if not found:
            wrong = f"no sentence begins with {' '.join(own[0])!r}"
            right = "the text file of the suite that is scored"
            raise InputError(stream.place, wrong, right, kind="missing")
        places.append(min(found) + len(prefix))
        if places[-1] == 0:
            wrong = "its very first word is asked for, which nothing stands before"
            right = "recurrent:DIR without ?stream"
            raise InputError(stream.place, wrong, right, kind="unsupported")
    return places


def states(network: Network, ids: Sequence[int], places: Sequence[int]) -> States:
    """What `network` has left behind after the first n of `ids`, for each n of `places` in order.

    The network stands as it would in the script: batch 1, CHUNK words a call, each call cut where
    a state is wanted.
    """
    wanted = set(places)
    cuts = sorted({0, *wanted, *range(CHUNK, max(wanted, default=0), CHUNK)})
    after: dict[int, State] = {}
    state: State | None = None
    for start, cut in pairwise(cuts):
        read = torch.tensor(ids[start:cut], device=network.decoder.weight.device).unsqueeze(1)
        _, state = network(read, state)
        if cut in wanted:
            after[cut] = state
    kept = [after[place] for place in places]
    outputs = torch.cat([each if torch.is_tensor(each) else each[0] for each in kept], dim=1)
    memories = [each[1] for each in kept if not torch.is_tensor(each)]
    return States(outputs, torch.cat(memories, dim=1) if memories else outputs[..., :0])
