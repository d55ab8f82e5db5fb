"""The verb design: lists that keep every rule at once, from suites and tables; clear errors."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Item
from colorless_green.data.errors import ErrorKind
from colorless_green.humans import read_study
from tests.builders import colorless, few_examples, mistake
from tests.humans.report_material import agreement_item
from tests.humans.study_material import (
    FILLERS,
    TASKS,
    Plan,
    changed,
    design,
    designed,
    item,
    lists_of,
    planned,
    store_of,
    suite,
    tells,
)

ITEMS = suite((6, 6), 1)
PLAN = planned(task="form", fillers="pool")


@few_examples
@given(
    st.lists(st.integers(3, 6), min_size=2, max_size=4),
    st.integers(1, 4),
    st.sampled_from(TASKS),
    st.integers(1, 3),
    st.integers(0, 99),
)
def test_every_trial_has_a_name_a_place_and_an_answer_that_fits_its_task(
    sizes: list[int], n_nonce: int, task: str, n_blocks: int, seed: int
) -> None:
    """Sources, sides, blocks and orders: test_lists.py and test_order.py."""
    plan = planned(task=task, fillers="pool", blocks=n_blocks, seed=seed)
    made = designed(suite(sizes, n_nonce), plan)
    assert len({trial.trial_id for trial in made.trials}) == len(made.trials)
    for own in lists_of(made).values():
        kinds = Counter(trial.kind for trial in own)
        assert kinds["filler"] == kinds["target"] == sum(sizes)
        assert [trial.position for trial in own] == list(range(1, len(own) + 1))
        assert [trial.block for trial in own] == sorted(trial.block for trial in own)
        assert all(one.source != other.source for one, other in pairwise(own))
        for trial in own:
            if trial.task == "rating":
                assert (trial.right != "") == (trial.kind == "check")
            else:
                assert trial.right in trial.options


def test_practice_comes_first_with_positions_of_its_own_in_the_order_told() -> None:
    made = designed(ITEMS, changed(PLAN, practice=4))
    first = [trial for trial in made.trials if trial.list == 1][:4]
    assert [trial.item for trial in first] == [f"practice-{n}" for n in (1, 2, 3, 4)]
    assert [trial.position for trial in first] == [1, 2, 3, 4]
    assert {trial.block for trial in first} == {1}


def test_another_seed_gives_another_study_and_the_same_the_same() -> None:
    assert designed(ITEMS, PLAN) == designed(ITEMS, PLAN)
    assert designed(ITEMS, PLAN) != designed(ITEMS, changed(PLAN, seed=1))


def test_fewer_lists_than_versions_and_sources_with_fewer_versions_are_told() -> None:
    items = (*suite((4,), 3), item(9, construction="S_0"))
    made = designed(items, changed(PLAN, lists=2, checks=0))
    assert tells(made.messages, 1, 5, 4)  # sources that have fewer than 4 versions
    assert tells(made.messages, 2, 4)  # lists, versions


def test_items_whose_two_forms_are_the_same_are_left_out_and_counted() -> None:
    same = item(99)
    same = replace(same, conditions=dict.fromkeys(("right", "wrong"), same.conditions["right"]))
    made = designed((*ITEMS, same), PLAN)
    assert same.item_id not in {trial.item for trial in made.trials}
    assert tells(made.messages, 1)
    assert not tells(designed(ITEMS, PLAN).messages, 1)


def test_the_rest_of_the_constructions_are_fillers(tmp_path: Path) -> None:
    plan = planned(task="form", construction=("S_0",), checks=0)
    with store_of(suite=suite((6, 4, 4), 1)) as store:
        design("suite", tmp_path / "study", store=store, **plan)
    found = read_study(tmp_path / "study")
    kinds = {(t.kind, t.construction) for t in found.trials if t.kind != "practice"}
    assert kinds == {("target", "S_0"), ("filler", "S_1"), ("filler", "S_2")}


def test_a_table_gives_fillers_checks_and_practice(tmp_path: Path) -> None:
    table = tmp_path / "fillers.csv"
    rows = [f"f{n},filler,The boy {n},sleeps,sleep,{n % 2}" for n in range(12)]
    rows += ["c1,check,Choose,this,that,0", "p1,practice,The girl,laughs,laugh,0"]
    header = "item,kind,prefix,correct_form,wrong_form,unambiguous"
    table.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    plan = planned(task="form", fillers=str(table), checks=1, practice=1)
    with store_of(suite=ITEMS) as store:
        design("suite", tmp_path / "study", store=store, **plan)
    found = read_study(tmp_path / "study")
    by_kind = {(trial.kind, trial.item[0]) for trial in found.trials}
    assert by_kind == {("target", "s"), ("filler", "f"), ("check", "c"), ("practice", "p")}
    assert '"f1"' in (tmp_path / "study" / "manifest.json").read_text("utf-8")


@pytest.mark.slow
def test_the_command_writes_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    with store_of(tmp_path / "colorless.db", suite=ITEMS, fillers=FILLERS):
        pass
    folders = []
    for seed in ("0", "1"):
        out = tmp_path / f"study{seed}"
        done = colorless(
            *("humans", "design", "suite", "--fillers", "fillers", "--set", "blocks=2"),
            *("--out", str(out), "--json"),
            cwd=tmp_path,
            env={"PYTHONHASHSEED": seed},
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("\n") == 2
        folders.append({each.name: each.read_bytes() for each in sorted(out.iterdir())})
    assert folders[0] == folders[1]
    assert sorted(folders[0]) == [
        "instructions.en.md", "key.jsonl", "manifest.json", "study.toml", "trials.jsonl",
    ]  # fmt: skip
    study = read_study(tmp_path / "study0")
    assert study.settings.researcher == ""  # to be filled in
    assert study.settings.languages_required == ("en",)


def test_a_language_without_instructions_gets_english_ones_and_is_told(tmp_path: Path) -> None:
    plan = planned(task="form", fillers="none", checks=0, practice=0)
    instructions = []
    for name in ("fi", "en"):
        with store_of(suite=suite((6, 6), 1, language=name)) as store:
            result = design("suite", tmp_path / name, store=store, **plan)
        path = tmp_path / name / f"instructions.{name}.md"
        instructions.append(path.read_text(encoding="utf-8"))
        assert any(path.name in message for message in result.messages) == (name == "fi")
    assert instructions[0] == instructions[1]


@pytest.mark.parametrize(
    ("plan", "kind", "place"),
    [
        (planned(task="maze"), "unknown", "task"),
        (changed(PLAN, scale="9"), "unknown", "DesignSettings: scale"),
        (changed(PLAN, construction=("X",)), "unknown", "construction"),
        (changed(PLAN, blocks=50), "value", "blocks"),
    ],
)
def test_plans_that_cannot_be_are_errors(plan: Plan, kind: ErrorKind, place: str) -> None:
    with mistake(kind, place):
        designed(ITEMS, plan)


def test_the_rest_of_no_constructions_is_an_error(tmp_path: Path) -> None:
    with store_of(suite=ITEMS) as store, mistake("missing", "fillers"):
        design("suite", tmp_path / "study", store=store, fillers="rest")


@pytest.mark.parametrize(
    ("construction", "sizes", "n_fillers", "figures"),
    [
        ((), (4, 4), 0, (0, 8)),  # all constructions are tested
        (("S_0",), (4, 8), 4, ()),
        (("S_0",), (4, 3), 3, (3, 4)),  # as many as there are
        (("S_0",), (4, 1), 0, (1, 4)),  # too few to keep targets apart
        (("S_0",), (4,), 0, (0, 4)),
    ],
)
def test_fillers_that_nobody_asked_for_never_stop_a_design(
    tmp_path: Path,
    construction: tuple[str, ...],
    sizes: tuple[int, ...],
    n_fillers: int,
    figures: tuple[int, ...],
) -> None:
    with store_of(suite=suite(sizes, 1)) as store:
        made = design("suite", tmp_path / "s", construction=construction, store=store)
    assert {row["n_fillers"] for row in made.rows} == {n_fillers}
    (told,) = [each for each in made.messages if each.startswith(("fillers: ", "no fillers: "))]
    assert told.startswith("fillers") == (n_fillers > 0)
    assert "--fillers" in told  # how to change it
    assert tells([told], *figures)


DETERMINERS = "R__NOUN__DET__det"


def determiner_noun(number: int) -> Item:
    made = agreement_item(
        f"these big keys {number}", 0, 2, "key", number=number, construction=DETERMINERS
    )
    assert made.agreement is not None
    cue, target = ("NOUN", "DET") if number % 2 else ("DET", "NOUN")
    agreement = replace(made.agreement, cue_upos=cue, target_upos=target)
    return replace(made, agreement=agreement)


def verb(number: int) -> Item:
    return agreement_item(f"the keys {number} are gone", 1, 3, "is", number=number)


def kinds(folder: Path) -> Counter[tuple[str, str]]:
    trials = read_study(folder).trials
    return Counter((t.kind, t.construction) for t in trials if t.kind in ("target", "filler"))


def test_determiners_and_nouns_are_shown_to_those_who_name_them_alone(tmp_path: Path) -> None:
    items = [verb(1), verb(2), *map(determiner_noun, (3, 4, 5))]
    name = items[0].agreement.construction if items[0].agreement else ""
    with store_of(suite=items) as store:
        made = design("suite", tmp_path / "bare", store=store)
        assert kinds(tmp_path / "bare") == {("target", name): 2}
        (told,) = [each for each in made.messages if DETERMINERS in each]
        assert tells([told], 3)
        assert "--construction" in told
        made = design("suite", tmp_path / "rest", construction=name, store=store)
        assert kinds(tmp_path / "rest") == {("target", name): 2}  # no fillers of them either
        made = design("suite", tmp_path / "named", construction="*NOUN__DET*", store=store)
        assert kinds(tmp_path / "named") == {("target", DETERMINERS): 3, ("filler", name): 2}
        assert not [each for each in made.messages if DETERMINERS in each]
    with store_of(suite=items[2:]) as store, mistake("empty", "construction"):
        design("suite", tmp_path / "none", store=store)


@pytest.mark.parametrize("task", TASKS)
def test_twenty_items_are_printed_as_people_see_them(tmp_path: Path, task: str) -> None:
    long = " ".join(f"word{n}" for n in range(40))
    items = suite((16, 16), 1, name=long)
    with store_of(suite=items) as store:
        made = design(
            "suite", tmp_path / "s", task=task, construction="*_0", fillers="rest", store=store
        )
    trials = [t for t in read_study(tmp_path / "s").trials if t.list == 1 and t.kind != "practice"]
    head = next(n for n, each in enumerate(made.messages) if "trials.jsonl" in each)
    shown = made.messages[head + 1 : head + 21]
    for trial, text in zip(trials[:20], shown, strict=True):
        assert max(map(len, text.split("\n"))) <= 100
        gap = " ___ " if task == "form" else ""
        whole = f"{trial.position} {trial.kind} {trial.prefix}{gap}"
        whole += " ".join(f"[{option}]" for option in trial.options)
        assert " ".join(text.split()) == " ".join(whole.split())


def test_items_that_do_not_fit_the_task_are_errors() -> None:
    three = replace(item(1), conditions={"a": (), "b": (), "c": ()})
    whole = item(1)
    wordings = {
        name: tuple(tuple(region for region in own if region.region != "prefix") for own in found)
        for name, found in whole.conditions.items()
    }
    for own in (three, replace(whole, conditions=wordings)):
        with mistake("unsupported", "task: item s1-0"):
            designed((own,), PLAN)


def test_a_suite_that_does_not_say_its_language_is_an_error(tmp_path: Path) -> None:
    with (
        store_of(suite=suite((2,), 1, language="und")) as store,
        mistake("missing", "language"),
    ):
        design("suite", tmp_path / "study", store=store, **PLAN)


@given(st.integers(0, 99))
def test_over_the_lists_every_version_is_shown_equally_often(seed: int) -> None:
    made = designed(ITEMS, changed(PLAN, seed=seed))
    shown = Counter(t.item for own in lists_of(made).values() for t in own if t.kind == "target")
    assert shown == Counter(each.item_id for each in ITEMS)
    assert len(made.messages) == 4  # a person's share, and nothing that could not be kept
