"""A component oracle: texts in subwords against the call of Transformers, and plain loops."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import transformers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from colorless_green.scoring.models._subwords import (
    SubwordTexts,
    SubwordTokenizer,
    first_subword_after,
)
from tests.builders import few_examples
from tests.scoring.tiny_encoders import byte_pairs
from tests.scoring.tiny_models import TEXTS, tokenizer

Span = tuple[int, int]
PIECES = [
    "The",
    " keys",
    " ",
    "  ",
    "\t",
    "\n",
    "Ключ",
    "é",
    "e\u0301",
    "国",
    "\u00a0",
    "\U0001f469",
]
texts = st.lists(st.sampled_from([*PIECES, "are", ".", "<s>", "<|endoftext|>", "1,2"]), max_size=7)
wrap: Any = transformers.PreTrainedTokenizerFast


def normalised(by: Any) -> Any:
    made = tokenizer()
    made.backend_tokenizer.normalizer = by
    return made


def blank_before() -> Any:
    """Put a blank before a text, which its bytes then do not add up to."""
    made = tokenizer()
    made.backend_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return made


def metaspace() -> Any:
    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.train_from_iterator(
        TEXTS, trainers.BpeTrainer(special_tokens=["<s>", "<unk>"], show_progress=False)
    )
    return wrap(tokenizer_object=made, bos_token="<s>", unk_token="<unk>")


def over_blanks() -> Any:
    """Subwords that end with a blank, and that reach over one: "s ", "s a"."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        TEXTS * 3,
        trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=["<s>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return wrap(tokenizer_object=made, bos_token="<s>", eos_token="<s>")


class Shouting(transformers.PreTrainedTokenizerFast):
    """A call that does more than the tokenizer within."""

    def _encode_plus(self, text: Any, *given_: Any, **options: Any) -> Any:
        some = text.upper() if isinstance(text, str) else [each.upper() for each in text]
        return super()._encode_plus(some, *given_, **options)


SHOUTING: Any = Shouting  # whose base is not typed
MADE = {
    "bytes": tokenizer(),
    "bytes, offsets trimmed": byte_pairs(),
    "bytes, normalised": normalised(normalizers.NFC()),
    "bytes, shortened": normalised(normalizers.Strip()),
    "bytes, a blank before": blank_before(),
    "no bytes": metaspace(),
    "over blanks": over_blanks(),
    "a call of its own": SHOUTING(tokenizer_object=tokenizer().backend_tokenizer, bos_token="<s>"),
}
CUTTERS = {name: SubwordTokenizer(made) for name, made in MADE.items()}


@dataclass(frozen=True)
class Cut:
    """A text as a tokenizer cuts it."""

    ids: tuple[int, ...]
    spans: tuple[Span, ...]


def tiled(text: str, offsets: Sequence[Span]) -> tuple[Span, ...]:
    """`offsets` of a tokenizer, each up to its last letter, if it has one, and stretched left over
    blanks that no subword covers then."""
    spans: list[Span] = []
    covered = 0
    for start, stop in offsets:
        bare = text[start:stop].rstrip()
        end = start + len(bare) if bare else stop
        if start > covered and text[covered:start].isspace():
            start = covered
        spans.append((start, max(start, end)))
        covered = max(covered, end)
    return tuple(spans)


def owner(text: str, span: Span) -> int:
    """Return the last character of a subword that is not a blank; its last one if all are
    blanks; the one it stands before if it has none."""
    start, end = span
    if start == end:
        return start
    bare = len(text[start:end].rstrip())
    return start + bare - 1 if bare else end - 1


def cuts_of(cuts: SubwordTexts) -> list[Cut]:
    spans = list(zip(cuts.starts.tolist(), cuts.ends.tolist(), strict=True))
    ids, bounds = cuts.ids.tolist(), cuts.offsets.tolist()
    return [Cut(tuple(ids[a:b]), tuple(spans[a:b])) for a, b in pairwise(bounds)]


def called(made: Any, some: Sequence[str]) -> list[Cut]:
    options = {"add_special_tokens": False, "split_special_tokens": True}
    found = [made(text, return_offsets_mapping=True, **options) for text in some]
    pairs = zip(some, found, strict=True)
    return [Cut(tuple(e["input_ids"]), tiled(text, e["offset_mapping"])) for text, e in pairs]


@pytest.mark.parametrize("name", MADE)
@few_examples
@given(some=st.lists(texts.map("".join), max_size=6))
def test_texts_are_cut_as_the_call_of_transformers_cuts_them(name: str, some: list[str]) -> None:
    assert cuts_of(CUTTERS[name](some)) == called(MADE[name], some)


@pytest.mark.parametrize("name", ["bytes", "no bytes", "over blanks"])
@given(some=texts.map("".join), data=st.data())
def test_the_first_subword_behind_a_border_is_the_one_that_a_loop_finds(
    name: str, some: str, data: st.DataObject
) -> None:
    cuts = CUTTERS[name](["The keys", some])
    (_, own) = cuts_of(cuts)
    border, first = data.draw(st.integers(0, len(some))), data.draw(st.integers(0, len(own.ids)))
    rest = range(first, len(own.ids))
    found = (n for n in rest if owner(some, own.spans[n]) >= border)
    (counted,) = first_subword_after(
        ["The keys", some], cuts, np.array([1]), np.array([first]), np.array([border])
    ).tolist()
    assert counted == next(found, len(own.ids))


@given(some=st.lists(st.sampled_from([" ", "keys", "is", " a", "s", "\u00a0", "."])).map("".join))
def test_a_subword_belongs_where_its_last_letter_is(some: str) -> None:
    made = MADE["over blanks"]
    (cut,) = cuts_of(CUTTERS["over blanks"]([some]))
    offsets = made(some, return_offsets_mapping=True, add_special_tokens=False)["offset_mapping"]
    for (start, end), bounds in zip(cut.spans, offsets, strict=True):
        assert max(start, end - 1) == owner(some, bounds)


def test_texts_that_spell_out_a_control_token_are_found() -> None:
    cutter = CUTTERS["bytes"]
    assert cutter.with_controls(["a<|endoftext|>", "<|endofte", "<|", "b"]) == ["a<|endoftext|>"]
    assert 0 not in cutter(["a<|endoftext|>"]).ids
