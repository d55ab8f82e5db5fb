"""A component oracle: what a training learns from, against plain cuts of the text."""

import random

import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring import Line
from colorless_green.scoring.training.causal import batch
from colorless_green.scoring.training.loop import IGNORED, by_length
from colorless_green.scoring.training.streams import joined, streams, veiled, veiled_text, windows

sentences = st.lists(
    st.lists(st.integers(2, 9), min_size=1, max_size=6).map(lambda ids: [1, *ids, 1]), min_size=1
)


def lines(*sentences: str) -> list[Line]:
    return [Line(tuple(each.split("_")), each) for each in sentences]


@given(sentences, st.frozensets(st.integers(2, 9)), st.integers())
def test_only_rare_words_are_ever_veiled(
    found: list[list[int]], rare: frozenset[int], seed: int
) -> None:
    shown = veiled(found, rare, 0, random.Random(seed))
    for before, after in zip(found, shown, strict=True):
        assert len(before) == len(after)
        for one, other in zip(before, after, strict=True):
            assert other == one or (other == 0 and one in rare)


def test_a_rare_word_is_veiled_in_half_of_the_cases() -> None:
    shown = veiled([[5]] * 2_000, frozenset({5}), 0, random.Random(0))
    assert 900 < sum(each == [0] for each in shown) < 1_100


@given(st.lists(st.integers(2, 9), min_size=2), st.integers(1, 5), st.integers(1, 7))
def test_streams_are_the_text_in_its_order(whole: list[int], n_rows: int, chunk: int) -> None:
    batches = streams(torch.tensor(whole), n_rows, chunk)
    ids = torch.cat([each.ids for each in batches]).T.flatten().tolist()
    targets = torch.cat([each.targets for each in batches]).T.flatten().tolist()
    assert ids == whole[: len(ids)]
    assert targets == whole[1 : len(ids) + 1]
    assert len(whole) - 1 - len(ids) < n_rows
    assert [each.goes_on for each in batches] == [False] + [True] * (len(batches) - 1)
    assert all(len(each.ids) <= chunk for each in batches)
    assert IGNORED not in targets


@given(st.lists(st.integers(2, 9), min_size=5, max_size=40), st.integers(1, 5), st.integers(2, 5))
def test_windows_are_all_of_each_stream(whole: list[int], n_rows: int, order: int) -> None:
    """Against cutting each stream by itself."""
    found = windows(torch.tensor(whole), n_rows, order)
    length, n_streams = found.ids.shape
    wanted = sorted(
        tuple(whole[start + at : start + at + order])
        for start in range(0, length * n_streams, length)
        for at in range(length - order + 2)
    )
    seen = sorted(
        (*batch.ids[:, row].tolist(), batch.targets[-1, row].item())
        for batch in found
        for row in range(n_streams)
    )
    assert seen == wanted
    assert len(found) == length - order + 2 > 0
    assert all((batch.targets[:-1] == IGNORED).all() for batch in found)
    assert not any(batch.goes_on for batch in found)


def test_a_joined_text_has_every_sentence_once_between_its_ends() -> None:
    ids = {"<unk>": 0, "<eos>": 1, "a": 2, "b": 3}
    found = joined(lines("a_b", "b", "a_a_x"), ids).tolist()
    assert found[0] == found[-1] == 1
    pieces = "".join(map(str, found)).strip("1").split("1")
    assert sorted(pieces) == ["220", "23", "3"]
    assert found == joined(lines("a_b", "b", "a_a_x"), ids).tolist()


def test_a_joined_text_is_veiled_in_half_of_its_rare_words_and_anew_each_epoch() -> None:
    whole = torch.tensor([1, *[5, 6] * 2_000, 1], dtype=torch.int32)
    shown = veiled_text(whole, frozenset({5}), 0, seed=3, epoch=0)
    assert 900 < (shown == 0).sum() < 1_100
    assert torch.equal(shown[whole != 5], whole[whole != 5])
    assert torch.equal(shown, veiled_text(whole, frozenset({5}), 0, seed=3, epoch=0))
    assert not torch.equal(shown, veiled_text(whole, frozenset({5}), 0, seed=3, epoch=1))


@given(st.lists(st.integers(1, 30), min_size=1, max_size=400), st.integers(1, 9))
def test_batches_by_length_hold_every_sentence_once(lengths: list[int], n_rows: int) -> None:
    found = by_length(lengths, n_rows, seed=3, epoch=0)
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    assert all(len(batch) <= n_rows for batch in found)
    assert by_length(lengths, n_rows, seed=3, epoch=0) == found


def test_a_batch_is_padded_behind_its_ends() -> None:
    found = batch([[0, 5, 0], [0, 6, 7, 0]])
    assert found.ids.tolist() == [[0, 5, 0], [0, 6, 7]]
    assert found.targets.tolist() == [[5, 0, IGNORED], [6, 7, 0]]
