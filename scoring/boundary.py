"""Word probabilities from subwords whose blank stands in front (`--boundary`).

The subwords of "is" have the probability of every word that *begins* so: "isn't" and "island" are
in it. Pimentel & Meister (2024, "How to Compute the Probability of a Word") and Oh & Schuler (2024,
"Leading Whitespaces of Language Models' Subword Vocabulary Pose a Confound …") put that right: with
B the ids that begin a word, and the end of the text, and P_B(x) what they have together after x,

    p(w | c) = p(ids of w | c) · P_B(c w) / P_B(c)

and for a first word without a blank, what does not begin with one stands in the denominator. Here
the last subword of a word gets the factor, its first one the divisor, so that regions sum up right.

`space+eos` is the authors' set: ids that start with the mark of a blank, and the end of the text.
Then a full stop or comma continues the word before it. `space+eos+punct` counts ids that start with
punctuation to B as well.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.scoring.batches import Chain
from colorless_green.scoring.pretrained import SEPARATOR

NONE = "none"
KINDS = (NONE, "space+eos", "space+eos+punct")
MARKS = ("Ġ", "▁", " ")  # of a blank: byte-level, SentencePiece, plain
BEGIN, FIRST = -1, -2  # the sets: B, and what may start a text that does not start with a blank


@dataclass(frozen=True, slots=True)
class Borders:
    """Which ids begin a word, and the sets whose masses are needed."""

    begins: frozenset[int]  # the end of the text is in B, but begins no word
    sets: torch.Tensor  # (vocabulary, 2), zeros and ones: B, FIRST

    def asking(self, chain: Chain, n_lead: int, *, ended: bool) -> Chain:
        """`chain` with the masses wanted at its words' borders; `n_lead` ids stand before the text.

        `ended` says whether a word ends with it.
        """
        masses: dict[tuple[int, int], None] = {}
        for index in range(chain.first, len(chain.ids)):
            if chain.ids[index] in self.begins:
                masses[index - 1, BEGIN] = None
            elif index == n_lead:
                masses[index - 1, FIRST] = None
        if ended and len(chain.ids) > chain.first:
            masses[len(chain.ids) - 1, BEGIN] = None
        return replace(chain, masses=tuple(masses))


def corrected(chain: Chain, values: Sequence[float]) -> tuple[float, ...]:
    """ln p of each wanted id of `chain`, corrected by the masses that follow them in `values`.

    Without masses: as they are.
    """
    n_wanted = len(chain.ids) - chain.first
    masses = dict(zip(chain.masses, values[n_wanted:], strict=True))
    found = []
    for index, value in zip(range(chain.first, len(chain.ids)), values[:n_wanted], strict=True):
        began = masses.get((index - 1, BEGIN), masses.get((index - 1, FIRST), 0.0))
        found.append(value - began + masses.get((index, BEGIN), 0.0))
    return tuple(found)


def borders(tokenizer: Any, kind: str, n_logits: int, device: torch.device) -> Borders | None:
    """The borders for one of `KINDS`; None for "none".

    Ids beyond the tokenizer's entries are in neither set but `FIRST`. Raises `InputError` for
    another kind, and for a tokenizer that does not mark blanks at the start of words.
    """
    if kind not in KINDS:
        raise InputError(
            "--boundary",
            f"no such correction {kind!r}",
            nearest(kind, KINDS),
            kind="unknown",
        )
    if kind == NONE:
        return None
    entries = sorted(tokenizer.get_vocab().items(), key=lambda each: each[1])
    special = set(tokenizer.all_special_ids)
    marked = {n for entry, n in entries if entry.startswith(MARKS) and n not in special}
    if not marked:
        raise InputError(
            "--boundary",
            "this tokenizer marks no blanks at the start of words",
            f"{NONE}",
            kind="unsupported",
        )
    begins = set(marked)
    if kind.endswith("punct"):
        rest = (n for _, n in entries if n not in marked and n not in special)
        begins |= {n for n in rest if _punctuation(tokenizer.decode([n]))}
    ends = {tokenizer.eos_token_id, tokenizer.get_vocab().get(SEPARATOR)} - {None}
    sets = torch.zeros(n_logits, 2)
    sets[sorted(begins | ends), 0] = 1
    sets[:, 1] = 1
    sets[sorted(marked), 1] = 0
    return Borders(frozenset(begins), sets.to(device))


def _punctuation(text: str) -> bool:
    return unicodedata.category(text[:1] or " ").startswith("P")
