"""What `show` shows: the sentences that are there, marked, of everything that has a name."""

import re
from collections import Counter
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import Item, Region, Suite, sample
from colorless_green.data.items.item import sentence_text
from colorless_green.data.items.marked import marked_lines
from tests.builders import mistake

HEBREW = ("המפתחות ליד הדלת", " היו", " היה", " חדשים .")


@pytest.fixture(scope="module", params=["en", "it"])
def mining(request: pytest.FixtureRequest) -> cg.Mining:
    return cg.mine(str(sample.treebank(request.param)), name="sample", language=request.param)


@pytest.fixture(scope="module")
def made(mining: cg.Mining) -> dict[str, Suite]:
    """Return the originals, and what is made of them."""
    suites = {"originals": mining.originals, "nonce": cg.make_nonce(mining)}
    return suites | {"composed": cg.compose(mining, sets=5)}


def plain(line: str) -> tuple[str, str]:
    """Return the right and the wrong sentence of a marked line."""
    line = re.sub(r"\[(.*?)\]", r"\1", line)
    return re.sub(r"\{(.*?)/.*?\}", r"\1", line), re.sub(r"\{.*?/(.*?)\}", r"\1", line)


@pytest.mark.parametrize("kind", ["originals", "nonce", "composed"])
def test_a_marked_sentence_is_the_item_s_two_sentences(kind: str, made: dict[str, Suite]) -> None:
    items = made[kind].items
    for item in items:
        ((name, line),) = marked_lines(item)
        right, wrong = (sentence_text(item.conditions[each][0]) for each in ("right", "wrong"))
        assert (name, *plain(line)) == ("", right.strip(), wrong.strip())
        assert item.agreement is not None
        assert re.findall(r"\[(.*?)\]", line) == [item.agreement.tokens[item.agreement.cue_index]]


def pair(right: list[str], wrong: list[str], regions: list[str]) -> Item:
    conditions = {
        name: (tuple(Region(r, tuple(t.split()), t) for r, t in zip(regions, each, strict=True)),)
        for name, each in (("right", right), ("wrong", wrong))
    }
    return Item("i", "suite", "i", "he", "mine", "", conditions)


def test_a_sentence_from_right_to_left_is_isolated_on_every_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prefix, right, wrong, rest = HEBREW
    first, other = ([f"{prefix} " * 4 + prefix, form, rest] for form in (right, wrong))
    item = pair(first, other, ["prefix", "target", "rest"])
    monkeypatch.setenv("COLUMNS", "50")
    lines = [line for line in Suite("s", [item]).show().text.splitlines() if prefix[:5] in line]
    assert len(lines) > 1
    for line in lines:
        assert (line.count("\u2067"), line[-1]) == (1, "\u2069")


def test_sentences_that_differ_in_a_word_are_one_line_with_both() -> None:
    item = pair(["The keys are here."], ["The keys is here."], ["sentence"])
    assert marked_lines(item) == [("", "The keys {are/is} here.")]
    longer = pair(["He runs."], ["He runs runs."], ["sentence"])
    assert plain(marked_lines(longer)[0][1])[1].split() == ["He", "runs", "runs."]


def test_other_items_are_shown_by_condition_and_region() -> None:
    wordings = {
        name: ((Region("1", ("The",), "The"), Region("2", (verb,), f" {verb}")),)
        for name, verb in (("one", "is"), ("two", "are"), ("three", "be"))
    }
    item = Item("i", "suite", "i", "en", "mine", "", wordings)
    assert marked_lines(item) == [("one", "The | is"), ("two", "The | are"), ("three", "The | be")]


def test_a_suite_shows_an_original_and_two_variants_of_each_construction(
    made: dict[str, Suite],
) -> None:
    suite = made["nonce"]
    kinds = Counter(line.split()[0] for line in suite.show().text.splitlines() if line[:2] == "  ")
    constructions = {item.construction for item in suite.items}
    assert kinds["original"] == len(constructions)
    assert kinds["nonce"] == 2 * len(constructions)
    (first, *_) = sorted(constructions)
    more = cg.show(suite, construction=first, n=5)
    assert [line.split()[0] for line in more.text.splitlines() if line[:2] == "  "].count(
        "nonce"
    ) == 5
    assert {row["construction"] for row in more.rows} == {first}
    with mistake("unknown", "construction"):
        suite.show("none such")
    with mistake("value", "n"):
        suite.show(n=0)


def test_a_composed_set_is_shown_with_all_its_cells(made: dict[str, Suite]) -> None:
    suite = made["composed"]
    text = suite.show().text
    for construction in {item.construction for item in suite.items}:
        first = next(item for item in suite.items if item.construction == construction)
        for item in suite.items:
            if item.set_id == first.set_id:
                assert re.search(rf"^  {re.escape(item.cell)}  ", text, re.M)


def test_counts_add_up(made: dict[str, Suite]) -> None:
    for suite in made.values():
        shown = cg.show(suite)
        assert sum(int(str(row["n_items"])) for row in shown.rows) == len(suite.items)


def test_a_mining_is_shown_by_its_name_and_as_an_object(mining: cg.Mining) -> None:
    by_name, as_object = cg.show("sample", store=mining.kept.store), cg.show(mining)
    assert by_name.text == as_object.text
    assert len(by_name.rows) == mining.constructions.height
    assert all(name in by_name.text for name in {i.construction for i in mining.originals.items})
    left_out = cg.show(mining, rejected=True)
    assert len(left_out.rows) == mining.rejections.height


def test_what_is_left_out_is_told_with_three_sentences_a_reason(mining: cg.Mining) -> None:
    suite = cg.make_nonce(mining, recipe=cg.Recipe(exclude=("all",)), name="strict")
    shown = cg.show(suite, rejected=True)
    reasons = Counter(str(row["reason"]).partition(":")[0] for row in shown.rows)
    for reason, n in reasons.items():
        assert re.search(rf"^{re.escape(reason)}  {n}$", shown.text, re.M)
    assert shown.text.count("{") == sum(min(n, 3) for n in reasons.values())


@pytest.mark.parametrize("kind", ["originals", "nonce", "composed"])
def test_every_kind_of_suite_has_a_page(kind: str, made: dict[str, Suite], tmp_path: Path) -> None:
    cg.show(made[kind], page=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(item.item_id in text for item in made[kind].items)
    assert made[kind].items or kind == "composed"  # the Italian sample has too little for sets


def test_a_model_folder_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("".join(f"the key {n} is old .\n" for n in range(60)))
    cg.train("unigram", tmp_path / "t.txt", out=tmp_path / "m")
    told = {str(row["setting"]): row["value"] for row in cg.show(tmp_path / "m").rows}
    assert told["kind"] == "unigram"
    (tmp_path / "m" / "model.json").write_text("{")
    with mistake("format", str(tmp_path / "m" / "model.json")):
        cg.show(tmp_path / "m")


def test_a_model_that_is_called_like_a_baseline_is_shown_with_composed_sets(tmp_path: Path) -> None:
    suite = cg.compose(cg.mine(str(sample.treebank("en"))), sets=5)
    lines = [sentence_text(item.conditions["right"][0]) for item in suite.items]
    for name in ("words", "first_noun"):
        (tmp_path / f"{name}.txt").write_text("".join(f"{line} .\n" for line in lines), "utf-8")
        cg.train("unigram", tmp_path / f"{name}.txt", out=tmp_path / name)
    models = [str(tmp_path / name) for name in ("words", "first_noun")]
    scores = cg.score(suite, models, method=cg.Method(oov="keep"))
    assert scores.shown()["model"].to_list()[: len(models)] == [run.model for run in scores.runs]
