"""Too large a batch is cut anew, and nothing that was done is done again."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from colorless_green import load_model
from colorless_green.scoring import Query, Scorer
from tests.builders import mistake
from tests.scoring.contract import assert_near
from tests.scoring.tiny_encoders import bart, bert, byte_pairs, masked_folder, seq2seq_folder
from tests.scoring.tiny_models import causal_folder, gpt2, reads

QUERIES = [
    Query(f"{start} to the cabinet{other}", (" is", " are here", " is here."))
    for start in ("The key", "Here", "A cabinet", "Or", "is", "Keys", "to")
    for other in ("", "s", " or", " here")
]
MADE: dict[str, Callable[[Path], Path]] = {
    "causal": lambda folder: causal_folder(folder, gpt2()),
    "masked": lambda folder: masked_folder(folder, bert(320), byte_pairs()),
    "seq2seq": lambda folder: seq2seq_folder(folder, bart(320), byte_pairs()),
}
ASKED = {
    "causal": QUERIES,
    "masked": QUERIES,
    "seq2seq": [
        *QUERIES,
        Query("The key", tuple(f"{q.prefix}{q.continuations[1]}" for q in QUERIES)),
    ],
}


@pytest.fixture(params=MADE)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def load(kind: str, tmp_path: Path) -> Callable[[], Scorer]:
    folder = MADE[kind](tmp_path)
    return lambda: load_model(f"{kind}:{folder}", device="cpu").scorer


def test_a_full_memory_cuts_the_batches_and_changes_no_number(
    kind: str, load: Callable[[], Scorer]
) -> None:
    with reads() as roomy:
        wanted = list(load().score(ASKED[kind]))
    tight = load()
    with reads(fits=100) as found:
        scores = list(tight.score(ASKED[kind]))
    assert max(rows * time for rows, time in found) <= 100
    assert max(rows * time for rows, time in roomy) > 100
    for ours, theirs in zip(scores, wanted, strict=True):
        for left, right in zip(ours.continuations, theirs.continuations, strict=True):
            assert_near(left, right, 3e-5)


def test_a_single_text_that_does_not_fit_is_an_error(load: Callable[[], Scorer]) -> None:
    scorer = load()
    with mistake("resources", "device"), reads(fits=2):
        list(scorer.score(QUERIES[:1]))


def test_another_error_is_nobodys_memory(load: Callable[[], Scorer]) -> None:
    def broken(module: torch.nn.Module, given: object) -> None:
        raise RuntimeError("shapes do not fit")

    scorer = load()
    handle = torch.nn.modules.module.register_module_forward_pre_hook(broken)
    try:
        with pytest.raises(RuntimeError):
            list(scorer.score(QUERIES))
    finally:
        handle.remove()
