"""Too large a batch is cut anew, and nothing that was done is done again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query
from colorless_green.scoring.backends.causal import Causal, load
from colorless_green.scoring.memory import Memory, is_out_of_memory, within
from colorless_green.scoring.projection import Head, Projection
from tests.scoring.tiny_models import causal_folder, gpt2

QUERIES = [
    Query(f"{start} to the cabinet{other}", (" is", " are here", " is here."))
    for start in ("The key", "Here", "A cabinet", "Or", "is", "Keys", "to")
    for other in ("", "s", " or", " here")
]


@given(st.lists(st.integers(1, 9), max_size=20), st.integers(9, 40))
def test_what_fits_is_done_once_and_what_does_not_is_cut_anew(sizes: list[int], fits: int) -> None:
    memory = Memory(1_000, 1)
    done: list[int] = []

    def batched(items: Sequence[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        for each in items:
            if batch and sum(sizes[one] for one in (*batch, each)) > memory.n_ids:
                yield batch
                batch = []
            batch.append(each)
        if batch:
            yield batch

    def work(batch: Sequence[int]) -> int:
        if sum(sizes[each] for each in batch) > fits:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried …")
        done.extend(batch)
        return sum(batch)

    found = list(within(range(len(sizes)), batched, work, memory.read_less))
    assert sorted(done) == list(range(len(sizes)))
    assert [sum(batch) for batch, _ in found] == [value for _, value in found]


def test_another_error_is_nobodys_memory() -> None:
    def work(batch: Sequence[int]) -> None:
        raise RuntimeError("shapes do not fit")

    with pytest.raises(RuntimeError, match="shapes do not fit"):
        list(within([0], lambda items: iter([list(items)]), work, lambda: None))
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(torch.cuda.OutOfMemoryError("CUDA out of memory. Tried …"))


def test_a_single_text_that_does_not_fit_is_an_error() -> None:
    def work(batch: Sequence[int]) -> None:
        raise MemoryError

    with pytest.raises(InputError) as error:
        list(within([0], lambda items: iter([list(items)]), work, lambda: None))
    assert str(error.value) == (
        "--device: its memory does not hold one text, or one row of logits; "
        "shorter texts, or another device"
    )


@pytest.fixture
def scorer(tmp_path: Path) -> Causal:
    return load(str(causal_folder(tmp_path, gpt2())), LoadOptions(device="cpu"))


def refuse_more_than(n_ids: int, read: list[int]) -> Any:
    """A hook that makes a model fail as a full GPU does, and notes what it could read."""

    def hook(module: Any, args: Any, inputs: dict[str, Any]) -> None:
        if inputs["input_ids"].numel() > n_ids:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        read.append(int(inputs["input_ids"].numel()))

    return hook


@pytest.mark.parametrize("packs", [True, False])
def test_a_full_memory_halves_the_batches_and_changes_no_number(
    scorer: Causal, packs: bool
) -> None:
    if not packs:
        scorer = replace(scorer, reader=replace(scorer.reader, packs_to=0))
    roomy = list(scorer.score(QUERIES))
    memory = Memory(1 << 20, 1 << 10)
    tight = replace(scorer, reader=replace(scorer.reader, memory=memory))
    read: list[int] = []
    body = scorer.reader.model.base_model
    handle = body.register_forward_pre_hook(refuse_more_than(100, read), with_kwargs=True)
    found = list(tight.score(QUERIES))
    handle.remove()
    assert memory.n_ids < 1 << 20
    assert max(read) <= 100
    for one, other in zip(found, roomy, strict=True):
        for left, right in zip(one.continuations, other.continuations, strict=True):
            assert left.bits == pytest.approx(right.bits, abs=2e-5)


def test_logits_that_do_not_fit_are_made_in_smaller_parts() -> None:
    made = torch.Generator().manual_seed(0)
    hidden = torch.randn(9, 3, generator=made)
    weight = torch.randn(5, 3, generator=made)

    class Tight(torch.Tensor):
        """Weights of a device that holds two rows of logits."""

        def new_empty(self, size: Any, **options: Any) -> torch.Tensor:  # type: ignore[override]
            if size[0] > 2:
                raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
            return torch.empty(size)

    memory = Memory(1, 8)
    device = torch.device("cpu")
    projection = Projection(Head(weight.as_subclass(Tight), None), None, memory, device)
    projection.add(hidden, [[(n % 5, (n, 0))] for n in range(9)])
    projection.flush()
    wanted = (hidden.double() @ weight.double().T).log_softmax(-1)
    assert memory.n_rows == 2
    for n in range(9):
        assert projection.answers[n, 0] == pytest.approx(wanted[n, n % 5].item(), abs=1e-5)
