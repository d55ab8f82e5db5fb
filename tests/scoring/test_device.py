"""Which device a model runs on, and that nothing falls back in silence."""

from contextlib import suppress
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.device import resolved
from colorless_green.data.errors import InputError
from colorless_green.scoring.device import choose, describe, full_precision


@given(st.integers(0, 8))
def test_auto_is_the_first_gpu_or_else_the_cpu(n_cuda: int) -> None:
    assert resolved("auto", n_cuda) == ("cuda:0" if n_cuda else "cpu")
    assert resolved("cpu", n_cuda) == "cpu"


@given(st.integers(1, 8), st.data())
def test_a_gpu_that_is_there_is_chosen(n_cuda: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, n_cuda - 1))
    assert resolved(f"cuda:{index}", n_cuda) == f"cuda:{index}"
    assert resolved("cuda", n_cuda) == "cuda:0"


@pytest.mark.parametrize(
    ("asked", "n_cuda", "message"),
    [
        ("cuda", 0, "--device: 'cuda' is asked for, but torch sees no GPU; auto or cpu"),
        ("cuda:1", 0, "--device: 'cuda:1' is asked for, but torch sees no GPU; auto or cpu"),
        (
            "cuda:2",
            2,
            "--device: 'cuda:2' is asked for, but there is none; one of cuda:0, cuda:1",
        ),
        ("gpu", 1, "--device: no such device 'gpu'; auto, cpu, cuda or cuda:N"),
        ("cuda:01", 2, "--device: no such device 'cuda:01'; auto, cpu, cuda or cuda:N"),
        ("", 0, "--device: no such device ''; auto, cpu, cuda or cuda:N"),
    ],
)
def test_a_device_that_is_not_there_is_an_error(asked: str, n_cuda: int, message: str) -> None:
    with pytest.raises(InputError) as error:
        resolved(asked, n_cuda)
    assert str(error.value) == message


def test_the_cpu_is_described_without_its_name() -> None:
    assert describe(choose("cpu")) == "cpu"


@pytest.mark.gpu
def test_a_gpu_is_described_by_its_name() -> None:
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    assert describe(choose("cuda")) == f"cuda {torch.cuda.get_device_name(0)}"


def test_full_precision_holds_within_and_gives_the_settings_back() -> None:
    places: list[Any] = [torch.backends.cuda.matmul, torch.backends.cudnn.rnn]
    before = [place.fp32_precision for place in places]
    with suppress(ZeroDivisionError), full_precision():
        assert [place.fp32_precision for place in places] == ["ieee", "ieee"]
        raise ZeroDivisionError
    assert [place.fp32_precision for place in places] == before
