"""Reflexive stimuli: conditions of several sentences, and the faults of the released files."""

from collections import Counter
from pathlib import Path

import pytest

from colorless_green.data import Suite, read_suite, sentence_text
from colorless_green.data.errors import ErrorKind
from tests.builders import shared
from tests.nonce.format_material import refuses
from tests.nonce.format_material import told as facts_told

HEADER = (
    "item,grammatical,counterbalance,mismatch_position,first_noun,second,verb,pronoun,sentence,"
    "sentence_no_eos\n"
)


def row(
    item: int,
    label: str,
    grammatical: int,
    first: str,
    second: str,
    variant: str = "a",
    pronoun: str = "himself",
) -> str:
    sentence = f"The {first} that the {second} liked saw {pronoun} ."
    return (
        f"{item},{grammatical},{variant},{label},{first},{second},saw,{pronoun},{sentence} <eos>,"
        f"{sentence}\n"
    )


def three(item: int, pronoun: str = "himself") -> str:
    return (
        row(item, "none", 1, "boy", "man", pronoun=pronoun)
        + row(item, "matrix_subj", 0, "boys", "man", pronoun=pronoun)
        + row(item, "rc_subj", 1, "boy", "men", pronoun=pronoun)
    )


def written(folder: Path, *rows: str, experiment: str = "exp2-rc") -> Path:
    path = folder / experiment / "himself.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEADER + "".join(rows), "utf-8")
    return path


def test_variants_of_a_condition_stand_together_in_it(tmp_path: Path) -> None:
    again = row(1, "none", 1, "man", "boy", "b")
    path = written(tmp_path, three(1), again)
    suite = read_suite(path)
    (item,) = suite.items
    spoken = {name: [sentence_text(w) for w in own] for name, own in item.conditions.items()}
    assert spoken == {
        "baseline": ["The boy that the man liked saw himself.",
                     "The man that the boy liked saw himself."],
        "distractor": ["The boy that the men liked saw himself."],
        "ungrammatical": ["The boys that the man liked saw himself."],
    }  # fmt: skip
    regions = item.conditions["baseline"][0]
    assert [(each.region, each.words) for each in regions[1:]] == [
        ("pronoun", ("himself",)), ("rest", (".",)),
    ]  # fmt: skip
    assert [each.source for each in suite.predictions] == [
        "(pronoun;%ungrammatical%) > (pronoun;%distractor%) & "
        "(pronoun;%ungrammatical%) > (pronoun;%baseline%)"
    ]


def test_an_item_knows_its_experiment_in_the_paper(tmp_path: Path) -> None:
    (item,) = read_suite(written(tmp_path, three(1), experiment="exp3-comp")).items
    assert facts_told(item) == {
        "construction": "Sentential complement (Exp. 2b)",
        "experiment": "exp3-comp",
        "paper_experiment": "2b",
        "constraint": "LOCALITY ONLY",
        "in_paper": "yes",
        "pronoun": "himself",
        "item_number": "1",
        "nouns": "boy, man",
        "verb": "saw",
    }


def test_a_row_is_what_its_label_says_and_a_contradiction_is_counted(tmp_path: Path) -> None:
    exchanged = (
        row(1, "none", 1, "boy", "man")
        + row(1, "rc_subj", 0, "boy", "men")
        + row(1, "matrix_subj", 1, "boys", "man")
    )
    suite = read_suite(written(tmp_path, exchanged))
    (wording,) = suite.items[0].conditions["ungrammatical"]
    assert sentence_text(wording) == "The boys that the man liked saw himself."
    assert suite.meta == {"wrong_grammatical": "2"}


def test_an_item_that_repeats_another_is_of_its_cluster(tmp_path: Path) -> None:
    suite = read_suite(written(tmp_path, three(1), three(2)))
    one, other = suite.items
    assert (one.item_id != other.item_id, one.cluster_id) == (True, other.cluster_id)
    assert suite.meta == {"repeated_items": "1"}


def test_the_sentence_that_was_scored_is_the_one_with_its_end(tmp_path: Path) -> None:
    broken = three(1).replace("The boy that the man liked saw himself .\n",
                              "The boy that the wives liked saw himself .\n", 1)  # fmt: skip
    suite = read_suite(written(tmp_path, broken))
    (wording,) = suite.items[0].conditions["baseline"]
    assert sentence_text(wording) == "The boy that the man liked saw himself."
    assert suite.meta == {"other_sentences": "1"}


@pytest.mark.parametrize(
    ("rows", "kind", "place"),
    [
        (row(1, "none", 1, "a", "b"), "format", ":2"),  # no distractor
        (row(1, "none", 2, "a", "b"), "format", ":2"),
        (three(1).replace("1,1,a", "x,1,a"), "format", ":2"),
        (three(1).replace("saw himself .", "saw him ."), "format", ":2"),
        ("", "empty", ""),
    ],
)
def test_rows_that_make_no_item_are_told(
    tmp_path: Path, rows: str, kind: ErrorKind, place: str
) -> None:
    path = written(tmp_path, rows)
    refuses(kind, f"{path}{place}", path)


@pytest.mark.parametrize(
    ("experiment", "n_items", "n_papers"),
    [
        ("exp1a-ml-rc", 70, 70),
        ("exp1b-ml-comp", 70, 70),
        ("exp2-rc", 75, 60),
        ("exp3-comp", 75, 60),
        ("exp4-pp", 75, 60),
    ],
)
@pytest.mark.parametrize("pronoun", ["himself", "herself", "themselves"])
def test_the_paper_counts_60_or_70_items_a_pronoun(
    tmp_path: Path, experiment: str, n_items: int, n_papers: int, pronoun: str
) -> None:
    rows = (three(n, pronoun) for n in range(1, n_items + 1))
    items = read_suite(written(tmp_path, *rows, experiment=experiment)).items
    chosen = {item.facts["item_number"] for item in items if item.facts["in_paper"] == "yes"}
    assert (len(items), len(chosen)) == (n_items, n_papers)
    if n_items == 75:
        assert ("60" in chosen) == (pronoun == "herself")


@pytest.fixture(scope="module")
def stimuli() -> Suite:
    path = shared("published", "reflexives", "stimuli")
    return read_suite(path)


@pytest.mark.shared
def test_all_experiments_are_one_suite_with_the_papers_numbers(stimuli: Suite) -> None:
    """Items by pronoun and sentences by item."""
    shape = Counter(
        (item.facts["paper_experiment"], len(item.conditions["baseline"])) for item in stimuli.items
    )
    assert shape == {("1a", 16): 210, ("1b", 4): 210, ("2a", 2): 150, ("2a", 4): 75,
                     ("2b", 2): 150, ("2b", 4): 75, ("3", 2): 150, ("3", 4): 75}  # fmt: skip
    chosen = Counter(
        item.facts["paper_experiment"] for item in stimuli.items if item.facts["in_paper"] == "yes"
    )
    assert chosen == {"1a": 210, "1b": 210, "2a": 180, "2b": 180, "3": 180}


@pytest.mark.shared
def test_every_fault_of_the_released_files_is_counted(stimuli: Suite) -> None:
    """280 + 280 rows each of two RC verbs whose label and `grammatical` exclude
    each other; three experiments whose last block of 15 repeats the one before; one typing error.
    """
    assert stimuli.meta == {
        "wrong_grammatical": "1120", "other_sentences": "1", "repeated_items": "45",
    }  # fmt: skip
    assert {item.facts["pronoun"] for item in stimuli.items if item.cluster_id != item.item_id} == {
        "herself"
    }


@pytest.mark.shared
def test_a_condition_is_what_the_nouns_say(stimuli: Suite) -> None:
    """The noun that licenses the pronoun agrees with it but in the ungrammatical condition: the
    first in relative clauses and phrases, the second in complements."""
    for item in stimuli.items:
        wants_plural = item.facts["pronoun"] == "themselves"
        licensing = 1 if item.facts["constraint"] == "LOCALITY ONLY" else 0
        for name, wordings in item.conditions.items():
            for wording in wordings:
                words = wording[0].words
                nouns = [words[at + 1] for at, word in enumerate(words) if word.lower() == "the"]
                plural = [noun.endswith(("s", "men")) for noun in nouns]
                agrees = [each == wants_plural for each in plural]
                assert agrees[licensing] == (name != "ungrammatical")
                assert agrees[1 - licensing] == (name != "distractor")
