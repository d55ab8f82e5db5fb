"""Which device a parser runs on."""

import pytest

from colorless_green.data.errors import InputError
from colorless_green.miner.parse.device import resolved


@pytest.mark.parametrize(
    ("asked", "n_cuda", "device"),
    [
        ("auto", 0, "cpu"),
        ("auto", 2, "cuda:0"),
        ("cpu", 2, "cpu"),
        ("cuda", 1, "cuda:0"),
        ("cuda:1", 2, "cuda:1"),
    ],
)
def test_a_gpu_is_taken_if_there_is_one_and_nothing_else_is_asked(
    asked: str, n_cuda: int, device: str
) -> None:
    assert resolved(asked, n_cuda) == device


@pytest.mark.parametrize(
    ("asked", "n_cuda", "message"),
    [
        ("gpu", 1, "no such device 'gpu'; auto, cpu, cuda or cuda:N"),
        ("cuda", 0, "'cuda' is asked for, but torch sees none; auto, cpu or one it sees"),
        ("cuda:2", 2, "'cuda:2' is asked for, but torch sees cuda:0, cuda:1; auto, cpu or one it"
        " sees"),
    ],
)  # fmt: skip
def test_a_device_that_is_not_there_is_not_replaced_in_silence(
    asked: str, n_cuda: int, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        resolved(asked, n_cuda)
    assert str(caught.value) == f"--device: {message}"
