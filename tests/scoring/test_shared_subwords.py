"""Subwords that end with a blank, or that have letters of two regions."""

from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green import Model, load_model
from colorless_green.data import Item, Region
from colorless_green.scoring import answer_plan, plan_sentences, surprisal_of
from tests.builders import few_examples
from tests.scoring.test_cutter import MADE
from tests.scoring.tiny_models import causal_folder, gpt2

CUTTER = MADE["over blanks"]
texts = st.lists(st.sampled_from([" ", "keys", " is", "s", ", or", " here", "."]), min_size=1)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = causal_folder(tmp_path_factory.mktemp("m"), gpt2(n_ids=len(CUTTER)), 0, CUTTER)
    return load_model(f"causal:{folder}")


def letters(text: str) -> Iterator[list[int]]:
    """For each subword the characters of it that are letters; of blanks alone the last one."""
    options = {"return_offsets_mapping": True, "add_special_tokens": False}
    for start, end in CUTTER(text, **options)["offset_mapping"]:
        yield [n for n in range(start, end) if not text[n].isspace()] or [end - 1]


@few_examples
@given(parts=st.lists(texts.map("".join), min_size=1, max_size=4))
def test_a_subword_counts_to_the_region_of_its_last_letter(model: Model, parts: list[str]) -> None:
    regions = tuple(Region(str(n), (part,), part) for n, part in enumerate(parts))
    item = Item("i", "suite", "i", "en", "mine", "", {"x": (regions,)})
    plan = plan_sentences([item], "text", looks_ahead=False, eos="none")
    found = surprisal_of(plan, answer_plan(model.scorer, plan))
    ends = [0, *accumulate(map(len, parts))]
    if "".join(parts).isspace():
        return
    where = [
        [n for n, (start, end) in enumerate(pairwise(ends)) if start <= letter < end]
        for owned in letters("".join(parts))
        for letter in (owned[-1],)
    ]
    assert found.n_subwords.tolist() == [where.count([n]) for n in range(len(parts))]
    crossing = any(
        owned[0] < border <= owned[-1] for owned in letters("".join(parts)) for border in ends
    )
    assert found.shares.tolist() == [crossing]


def test_regions_that_share_a_subword_are_noted(model: Model, tmp_path: Path) -> None:
    """ "s is here, or there." is one subword, of all three regions."""
    assert "sĠisĠhere,ĠorĠthere." in CUTTER.get_vocab()
    path = tmp_path / "pairs.tsv"
    path.write_text("good\tbad\nThe keys is here, or there.\tThe keys are here, or there.\n")
    scores = cg.score(path, model, method=cg.Method(predictions="each"))
    notes = dict(scores.outcomes.select("prediction", "note").iter_rows())
    assert notes["prefix"] == "shared_subword"
    assert notes["full"] == ""
