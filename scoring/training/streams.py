"""Sentences to the ids a recurrent network learns from, and these to batches.

Three ways: sentence by sentence; parallel streams of text cut into chunks, through which the state
is carried; and, for n-gram networks, windows that move along such streams. The last two are those
of colorlessgreenRNNs (src/language_models/main.py and ngram_lstm.py).
"""

import random
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from colorless_green.data.errors import InputError
from colorless_green.data.seeds import generator, shuffled
from colorless_green.scoring.recurrent.folder import EOS
from colorless_green.scoring.training.loop import IGNORED, torch_seed
from colorless_green.scoring.training.text import Line
from colorless_green.scoring.words import UNKNOWN, check_words, entry_word


@dataclass(frozen=True, slots=True)
class Batch:
    """Ids and the ids that follow them, both `(time, batch)`."""

    ids: torch.Tensor
    targets: torch.Tensor  # IGNORED where nothing is learned
    goes_on: bool  # whether it continues the batch before it


def vocabulary(lines: Iterable[Line], most: int) -> tuple[tuple[str, ...], frozenset[int]]:
    """`<unk>`, `<eos>`, and the `most` most frequent words, ties in the order of their characters;
    and the ids of words that stand in for unknown ones while the model learns.

    Where no word is left out, `<unk>` would have no example to learn from. Then those are the words
    that occur once (see `veiled`): leaving them out instead would make a third of a treebank's
    words, and with them most targets, unknown. Raises `InputError` for reserved words.
    """
    counts = Counter(word for line in lines for word in line.words)
    check_words(counts)
    if EOS in counts:
        raise InputError(
            "training text", f"it has the word {EOS!r}", f"text without {EOS}", kind="format"
        )
    entries: Counter[str] = Counter()
    for word, n in counts.items():
        entries[entry_word(word)] += n
    words = (UNKNOWN, EOS, *sorted(entries, key=lambda word: (-entries[word], word))[:most])
    if len(words) - 2 < len(entries):
        return words, frozenset()
    return words, frozenset(number for number, word in enumerate(words) if entries[word] == 1)


def veiled(
    sentences: Sequence[Sequence[int]], rare: frozenset[int], unknown: int, rng: random.Random
) -> list[Sequence[int]]:
    """The sentences with each word of `rare` made `unknown` in half of the cases."""
    return [
        [unknown if each in rare and rng.random() < 0.5 else each for each in sentence]
        if rare.intersection(sentence)
        else sentence
        for sentence in sentences
    ]


def sentence_ids(words: Iterable[str], ids: Mapping[str, int]) -> list[int]:
    """A sentence with `<eos>` at both ends."""
    unknown = ids[UNKNOWN]
    return [ids[EOS], *(ids.get(entry_word(word), unknown) for word in words), ids[EOS]]


def joined(lines: Sequence[Line], ids: Mapping[str, int]) -> torch.Tensor:
    """All sentences as one text, `<eos>` first, between and last; int32 `(n,)`: four bytes a word.

    The sentences are in an order drawn once and for all seeds: in running text a network would
    see the same subject for a thousand steps. The paper's corpus was shuffled by sentence.
    """
    unknown, eos = ids[UNKNOWN], ids[EOS]
    text = array("i", [eos])
    for nth in shuffled(generator(0, "order of sentences"), range(len(lines))):
        text.extend(ids.get(entry_word(word), unknown) for word in lines[nth].words)
        text.append(eos)
    return torch.frombuffer(text, dtype=torch.int32).clone()


def veiled_text(
    text: torch.Tensor, rare: frozenset[int], unknown: int, seed: int, epoch: int
) -> torch.Tensor:
    """`veiled` for a joined text: each word of `rare` is made `unknown` in half of the cases."""
    if not rare:
        return text
    drawn = torch.Generator().manual_seed(torch_seed(seed, f"unknown words {epoch}"))
    is_rare = torch.isin(text, torch.tensor(sorted(rare), dtype=text.dtype))
    return text.masked_fill(is_rare & (torch.rand(len(text), generator=drawn) < 0.5), unknown)


def sentences_batch(sentences: Sequence[Sequence[int]]) -> Batch:
    """Sentences (with `<eos>` at both ends) side by side, padded behind their ends."""
    longest = max(map(len, sentences)) - 1
    ids = torch.zeros(longest, len(sentences), dtype=torch.long)
    targets = torch.full_like(ids, IGNORED)
    for nth, sentence in enumerate(sentences):
        whole = torch.tensor(sentence)
        ids[: len(whole) - 1, nth] = whole[:-1]
        targets[: len(whole) - 1, nth] = whole[1:]
    return Batch(ids, targets, goes_on=False)


def _columns(text: torch.Tensor, n_rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A text cut into `n_rows` equal streams, `(length, n_rows)`, and what follows each word.

    Words that do not fill the last place of every stream are left out, as in the paper's script;
    a text with fewer words than streams becomes fewer streams.
    """
    n_rows = min(n_rows, len(text) - 1)
    length = (len(text) - 1) // n_rows
    ids = text[: n_rows * length].view(n_rows, length).T
    return ids, text[1 : n_rows * length + 1].view(n_rows, length).T


def streams(text: torch.Tensor, n_rows: int, chunk: int) -> list[Batch]:
    """A text `(n,)` as `n_rows` parallel streams, `chunk` words of each a batch."""
    ids, targets = _columns(text, n_rows)
    return [
        Batch(ids[start : start + chunk], targets[start : start + chunk], goes_on=start > 0)
        for start in range(0, len(ids), chunk)
    ]


@dataclass(frozen=True, slots=True)
class Windows(Sequence[Batch]):
    """Parallel streams `(length, n_rows)`; each batch is `reach` words of each, and the word after
    the last one is learned. The next batch stands one word further on."""

    ids: torch.Tensor
    targets: torch.Tensor
    reach: int

    def __len__(self) -> int:
        return max(0, len(self.ids) - self.reach + 1)

    def __getitem__(self, index: Any) -> Any:  # of a sequence: by number or slice
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not 0 <= index < len(self):
            raise IndexError(index)
        ids = self.ids[index : index + self.reach]
        targets = torch.full_like(ids, IGNORED)
        targets[-1] = self.targets[index + self.reach - 1]
        return Batch(ids, targets, goes_on=False)


def windows(text: torch.Tensor, n_rows: int, order: int) -> Windows:
    """Every window of a text `(n,)` that an n-gram network of `order` reads, `n_rows` a batch.

    Windows reach across the ends of sentences, and none is shorter, as in the paper's script.
    """
    longest = (len(text) - 1) // (order - 1)  # so that a stream holds a window at least
    ids, targets = _columns(text, max(1, min(n_rows, longest)))
    return Windows(ids, targets, order - 1)
