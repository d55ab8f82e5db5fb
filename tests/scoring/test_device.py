"""Which device a model runs on, and that nothing falls back in silence."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import load_model
from colorless_green.data.device import resolve_device
from colorless_green.scoring import Query
from tests.builders import mistake
from tests.scoring.tiny_models import causal_folder, gpt2


@given(st.integers(0, 8))
def test_auto_is_the_first_gpu_or_else_the_cpu(n_cuda: int) -> None:
    assert resolve_device("auto", n_cuda) == ("cuda:0" if n_cuda else "cpu")
    assert resolve_device("cpu", n_cuda) == "cpu"


@given(st.integers(1, 8), st.data())
def test_a_gpu_that_is_there_is_chosen(n_cuda: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, n_cuda - 1))
    assert resolve_device(f"cuda:{index}", n_cuda) == f"cuda:{index}"
    assert resolve_device("cuda", n_cuda) == "cuda:0"


@pytest.mark.parametrize(
    ("asked", "n_cuda", "kind"),
    [
        ("cuda", 0, "unsupported"),
        ("cuda:1", 0, "unsupported"),
        ("cuda:2", 2, "unsupported"),
        ("gpu", 1, "unknown"),
        ("cuda:01", 2, "unknown"),
        ("", 0, "unknown"),
    ],
)
def test_a_device_that_is_not_there_is_an_error(asked: str, n_cuda: int, kind: Any) -> None:
    with mistake(kind, "device"):
        resolve_device(asked, n_cuda)


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_the_signature_names_the_gpu_but_no_cpu(device: str, tmp_path: Path) -> None:
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    model = load_model(f"causal:{causal_folder(tmp_path, gpt2())}", device=device)
    name = "cpu" if device == "cpu" else f"cuda {torch.cuda.get_device_name(0)}"
    assert f"|device:{name}|" in model.scorer.signature
    assert model.device == name


def test_full_precision_holds_while_a_model_is_read_and_the_settings_come_back(
    tmp_path: Path,
) -> None:
    folder = causal_folder(tmp_path, gpt2())
    scorer = load_model(f"causal:{folder}", device="cpu").scorer
    places: list[Any] = [torch.backends.cuda.matmul, torch.backends.cudnn.rnn]
    before = [place.fp32_precision for place in places]
    seen: list[list[str]] = []

    def look(module: torch.nn.Module, given: object) -> None:
        seen.append([place.fp32_precision for place in places])
        raise ZeroDivisionError

    handle = torch.nn.modules.module.register_module_forward_pre_hook(look)
    with suppress(ZeroDivisionError):
        list(scorer.score([Query("The", (" keys",))]))
    handle.remove()
    assert seen == [["ieee", "ieee"]]
    assert [place.fp32_precision for place in places] == before
