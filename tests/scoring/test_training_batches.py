"""A component oracle: what a training learns from, against plain cuts of the text."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.scoring import Line
from colorless_green.scoring.training._batches import (
    MAX_BATCH,
    batches_by_length,
    random_batches,
    stream_batches,
    window_batches,
)
from colorless_green.scoring.training.recurrent import encode, encode_shuffled, mask_rare_words

texts = st.lists(st.lists(st.sampled_from("abcx"), min_size=1, max_size=6), min_size=1, max_size=9)
IDS = {"<unk>": 0, "<eos>": 1, "a": 2, "b": 3, "c": 4}
CPU = torch.device("cpu")


def lines(text: list[list[str]]) -> list[Line]:
    return [Line(tuple(words), " ".join(words)) for words in text]


def plain(text: list[list[str]]) -> list[list[int]]:
    """Each sentence's ids between two separators."""
    return [[1, *(IDS.get(word, 0) for word in words), 1] for words in text]


@given(texts)
def test_sentences_are_one_array_with_separators_between(text: list[list[str]]) -> None:
    found = encode(lines(text), IDS)
    assert found.ids.tolist() == [1, *(number for ids in plain(text) for number in ids[1:])]
    assert found.lengths(99) == [len(words) + 1 for words in text]


@given(texts, st.data(), st.integers(1, 8), st.booleans())
def test_a_batch_predicts_every_word_of_its_sentences_from_the_one_before_up_to_a_length(
    text: list[list[str]], data: st.DataObject, most: int, time_first: bool
) -> None:
    which = data.draw(st.lists(st.integers(0, len(text) - 1), min_size=1, max_size=5))
    _, (found,) = encode(lines(text), IDS).batches([which], most, CPU, time_first)
    rows, time = len(which), min(most, max(len(text[nth]) + 1 for nth in which))
    assert found.ids.shape == ((time, rows) if time_first else (rows, time))
    before = found.ids.flatten()[found.rows].tolist()
    ends = [ids[:-1][:most] for ids in plain(text)]
    nexts = [ids[1:][:most] for ids in plain(text)]
    wanted = [
        (nth, at, ends[sentence][at], nexts[sentence][at])
        for nth, sentence in enumerate(which)
        for at in range(len(ends[sentence]))
    ]
    wanted.sort(key=lambda each: (each[1], each[0]) if time_first else (each[0], each[1]))
    assert [each[2:] for each in wanted] == list(zip(before, found.targets.tolist(), strict=True))
    assert not found.goes_on


@given(st.lists(st.integers(2, 9)), st.frozensets(st.integers(2, 9)), st.integers(0, 99))
def test_only_rare_words_are_ever_veiled(whole: list[int], rare: frozenset[int], seed: int) -> None:
    shown = mask_rare_words(torch.tensor(whole, dtype=torch.int32), rare, 0, seed, 0).tolist()
    assert len(shown) == len(whole)
    for before, after in zip(whole, shown, strict=True):
        assert after == before or (after == 0 and before in rare)


def test_a_text_is_veiled_in_half_of_its_rare_words_and_anew_each_epoch() -> None:
    whole = torch.tensor([1, *[5, 6] * 2_000, 1], dtype=torch.int32)
    shown = mask_rare_words(whole, frozenset({5}), 0, seed=3, epoch=0)
    assert 900 < (shown == 0).sum() < 1_100
    assert torch.equal(shown[whole != 5], whole[whole != 5])
    assert torch.equal(shown, mask_rare_words(whole, frozenset({5}), 0, seed=3, epoch=0))
    assert not torch.equal(shown, mask_rare_words(whole, frozenset({5}), 0, seed=3, epoch=1))


@given(st.lists(st.integers(2, 9), min_size=2), st.integers(1, 5), st.integers(1, 7))
def test_streams_are_the_text_in_its_order(whole: list[int], n_rows: int, chunk: int) -> None:
    n, found = stream_batches(torch.tensor(whole), n_rows, chunk)
    batches = list(found)
    ids = torch.cat([each.ids for each in batches]).T.flatten().tolist()
    targets = torch.cat([each.targets.view(each.ids.shape) for each in batches])
    assert ids == whole[: len(ids)]
    assert targets.T.flatten().tolist() == whole[1 : len(ids) + 1]
    assert len(whole) - 1 - len(ids) < n_rows
    assert [each.goes_on for each in batches] == [False] + [True] * (n - 1)
    assert all(len(each.ids) <= chunk for each in batches)


@given(st.lists(st.integers(2, 9), min_size=5, max_size=40), st.integers(1, 5), st.integers(2, 5))
def test_windows_are_all_of_each_stream(whole: list[int], n_rows: int, order: int) -> None:
    """Against cutting each stream by itself."""
    n, found = window_batches(torch.tensor(whole), n_rows, order)
    batches = list(found)
    n_streams = batches[0].ids.shape[1]
    length = (len(whole) - 1) // n_streams
    wanted = sorted(
        tuple(whole[start + at : start + at + order])
        for start in range(0, length * n_streams, length)
        for at in range(length - order + 2)
    )
    seen = sorted(
        (*batch.ids[:, row].tolist(), batch.targets[row].item())
        for batch in batches
        for row in range(n_streams)
    )
    assert seen == wanted
    assert n == len(batches) == length - order + 2 > 0
    for batch in batches:
        assert torch.equal(batch.ids.flatten()[batch.rows], batch.ids[-1])
    assert not any(batch.goes_on for batch in batches)


def test_a_joined_text_has_every_sentence_once_between_its_ends() -> None:
    text = lines([["a", "b"], ["b"], ["a", "a", "x"]])
    found = encode_shuffled(text, IDS).ids.tolist()
    assert found[0] == found[-1] == 1
    pieces = "".join(map(str, found)).strip("1").split("1")
    assert sorted(pieces) == ["220", "23", "3"]
    assert found == encode_shuffled(text, IDS).ids.tolist()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=400), st.integers(1, 9))
def test_batches_by_length_hold_every_sentence_once(lengths: list[int], n_rows: int) -> None:
    found = random_batches(lengths, n_rows, seed=3, epoch=0)
    assert random_batches(lengths, n_rows, seed=3, epoch=0) == found
    for batches in (found, batches_by_length(lengths, range(len(lengths)), n_rows)):
        assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(len(batch) <= n_rows for batch in found)


@given(st.lists(st.integers(1, MAX_BATCH), min_size=1, max_size=40), st.integers(1, 9))
def test_a_batch_of_several_sentences_has_a_bound(lengths: list[int], n_rows: int) -> None:
    for batches in (
        random_batches(lengths, n_rows, 3, 0),
        batches_by_length(lengths, range(len(lengths)), n_rows),
    ):
        for batch in batches:
            assert len(batch) == 1 or len(batch) * max(lengths[nth] for nth in batch) <= MAX_BATCH


def test_hardly_anything_of_a_batch_is_padding() -> None:
    lengths = [1 + (n * 37) % 60 for n in range(3_000)]
    found = random_batches(lengths, 32, seed=0, epoch=0)
    size = sum(len(batch) * max(lengths[nth] for nth in batch) for batch in found)
    assert sum(lengths) > 0.95 * size
