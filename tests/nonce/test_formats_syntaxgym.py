"""SyntaxGym's two files: what they say to other tools, and what our key adds."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colorless_green.data import (
    Region,
    Suite,
    Wording,
    item_id,
    parse_prediction,
    read_suite,
    write_suite,
)
from tests.builders import shared
from tests.nonce.format_material import holds_not, pair, refuses
from tests.nonce.format_material import told as facts_told

KEYS = ("The keys to the cabinet", " are", " is", " here.")


def pairs() -> Suite:
    return Suite("keys", (pair(1, *KEYS), pair(2, *KEYS)))


def written(suite: Suite, path: Path) -> dict[str, Any]:
    write_suite(suite, path, "syntaxgym")
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def test_a_pair_is_match_and_mismatch_with_a_formula_on_its_second_region(tmp_path: Path) -> None:
    document = written(pairs(), tmp_path / "x.json")
    assert document["meta"]["metric"] == "sum"
    assert document["region_meta"] == {"1": "prefix", "2": "target", "3": "rest"}
    assert document["predictions"] == [
        {"type": "formula", "formula": "(2;%match%) < (2;%mismatch%)"}
    ]
    first = document["items"][0]
    assert first["item_number"] == 1
    assert first["conditions"][1] == {
        "condition_name": "mismatch",
        "regions": [
            {"region_number": 1, "content": "The keys to the cabinet"},
            {"region_number": 2, "content": "is"},
            {"region_number": 3, "content": "here."},
        ],
    }


def test_the_file_without_our_key_is_a_suite_of_its_own_which_gets_no_such_key(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.json"
    document = written(pairs(), path)
    del document["meta"]["colorless"]
    path.write_text(json.dumps(document), "utf-8")
    suite = read_suite(path)
    assert suite.predictions[0].cells() == (("match", "2"), ("mismatch", "2"))
    wording = suite.items[0].conditions["match"][0]
    assert "".join(region.text for region in wording) == "The keys to the cabinet are here."
    assert written(suite, tmp_path / "y.json") == document


def test_a_text_that_was_changed_beside_our_key_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    document = written(pairs(), path)
    document["items"][1]["conditions"][0]["regions"][0]["content"] = "The cats"
    path.write_text(json.dumps(document), "utf-8")
    refuses("changed", path, path)


def test_blanks_are_taken_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        "item_number,condition_name,region_number,region_name,content\n"
        "7,a,1,x,\n7,a,2,y, The  keys \n7,a,3,z,are\n",
        "utf-8",
    )
    suite = read_suite(path)
    assert suite.meta["repaired_regions"] == "1"
    assert [region.text for region in suite.items[0].conditions["a"][0]] == ["", "The keys", " are"]
    assert facts_told(suite.items[0]) == {"item_number": "7", "construction": "x"}
    assert suite.predictions == ()


def test_a_table_of_match_and_mismatch_is_pairs_and_no_cell_is_altered(tmp_path: Path) -> None:
    regions = ("prefix", "target", "rest")
    rows = [
        f"1,{condition},{number},{region},{content}\n"
        for condition, target in (("match", "@a"), ("mismatch", "-b"))
        for number, (region, content) in enumerate(
            zip(regions, ('"=SUM(1,2)"', target, '"""+c"""'), strict=True), start=1
        )
    ]
    header = "item_number,condition_name,region_number,region_name,content\n"
    (tmp_path / "x.csv").write_text(header + "".join(rows), "utf-8")
    suite = read_suite(tmp_path / "x.csv")
    assert suite.predictions == pairs().predictions
    for condition, target in (("right", " @a"), ("wrong", " -b")):
        wording = suite.items[0].conditions[condition][0]
        assert [region.text for region in wording] == ["=SUM(1,2)", target, ' "+c"']


ITEM = pair(2, *KEYS)
SHORT = {name: (own[0][:2],) for name, own in ITEM.conditions.items()}


@pytest.mark.parametrize(
    "conditions",
    [{"right": ITEM.conditions["right"]}, SHORT],  # another design than the first item's
)
def test_items_that_do_not_fit_are_refused(
    tmp_path: Path, conditions: dict[str, tuple[Wording, ...]]
) -> None:
    suite = Suite("s", (pair(1, *KEYS), replace(ITEM, conditions=conditions)), ())
    holds_not("unsupported", f"item {ITEM.item_id}", suite, tmp_path / "x", "syntaxgym")


def test_a_condition_that_syntaxgym_cannot_name_and_no_items_are_refused(tmp_path: Path) -> None:
    odd = replace(ITEM, conditions={"a b": ITEM.conditions["right"]})
    holds_not("unsupported", "suite s", Suite("s", (odd,), ()), tmp_path / "x", "syntaxgym")
    holds_not("empty", "suite s", Suite("s", ()), tmp_path / "x", "syntaxgym")


def test_formulas_keep_what_is_not_renamed(tmp_path: Path) -> None:
    region = Region("a", ("w",), "w")
    item = replace(pair(1, *KEYS), conditions={"x": ((region,),), "y": ((region,),)})
    formula = "[ ( a ;%x%) < (*;%y%)] & 1 + (a;%y%) = 2"
    suite = Suite("s", (item,), (parse_prediction(formula, "p", "here"),))
    (prediction,) = written(suite, tmp_path / "x.json")["predictions"]
    assert prediction["formula"] == "[ (1;%x%) < (*;%y%)] & 1 + (1;%y%) = 2"


Suites = dict[str, Suite]


def read_all(*folder: str) -> Suites:
    paths = shared("published", "syntaxgym", "suites", *folder).iterdir()
    return {path.stem: read_suite(path) for path in sorted(paths)}


@pytest.fixture(scope="module")
def published() -> Suites:
    return read_all("json")


def told(counts: dict[str, int]) -> dict[str, int]:
    """Return the counts that are not 0."""
    return {name: n for name, n in counts.items() if n}


@pytest.mark.shared
def test_published_suites_come_back_as_they_were(published: Suites, tmp_path: Path) -> None:
    """Regions with blanks at their ends."""
    for suite in published.values():
        assert "colorless" not in written(suite, tmp_path / "x.json")["meta"]
        assert read_suite(tmp_path / "x.json") == suite
    assert told({n: int(s.meta.get("repaired_regions", 0)) for n, s in published.items()}) == {
        "fgd-embed3": 2, "fgd-embed4": 4, "npz_ambig": 256, "npz_ambig_mod": 352,
        "subordination_pp-pp": 8,
    }  # fmt: skip


@pytest.mark.shared
def test_a_published_table_says_what_the_published_document_says(published: Suites) -> None:
    for name, table in read_all("csv").items():
        assert [(item.item_id, item.conditions) for item in table.items] == [
            (item.item_id, item.conditions) for item in published[name].items
        ]


@pytest.mark.shared
def test_round_brackets_and_stripped_texts_make_no_other_suite(published: Suites) -> None:
    """Copies in the reference's dialect, with the stray blanks taken out."""
    for name, copy in read_all("json_paren").items():
        suite = published[name]
        assert [item.conditions for item in copy.items] == [item.conditions for item in suite.items]
        formulas = [each.formula for each in suite.predictions]
        assert [each.formula for each in copy.predictions] == formulas
        assert "repaired_regions" not in copy.meta


@pytest.mark.shared
def test_the_irregularities_of_the_published_files_are_read_as_they_are(published: Suites) -> None:
    """Empty regions, conditions in another order, names of no sense."""
    assert len(published) == 25
    n_empty = {
        name: sum(
            not region.text
            for item in suite.items
            for wordings in item.conditions.values()
            for region in wordings[0]
        )
        for name, suite in published.items()
    }
    assert told(n_empty) == {
        "cleft": 80, "cleft_modifier": 80, "fgd-embed3": 42, "fgd-embed4": 42,
        "fgd_hierarchy": 96, "fgd_object": 48, "npz_ambig": 48, "npz_ambig_mod": 48,
        "mvrr": 1, "mvrr_mod": 1,
    }  # fmt: skip
    first, second = (list(item.conditions) for item in published["number_prep"].items[:2])
    assert first != second
    assert sorted(first) == sorted(second)
    assert "Unnamed: 7" in published["fgd-embed3"].meta["region_meta"]
    assert {item.facts["construction"] for item in published["number_prep"].items} == {"Agreement"}


@pytest.mark.shared
def test_the_old_form_of_suites_is_refused() -> None:
    path = shared("published", "syntaxgym", "token_surprisals", "core_examples", "test_in.json")
    refuses("unknown", path, path)


def document(content: str = "The keys", **changes: Any) -> dict[str, Any]:
    """Return a suite of one item, of which `content` is the first region."""
    region = {"region_number": 2, "content": "are"}
    conditions = [
        {"condition_name": name, "regions": [{"region_number": 1, "content": content}, region]}
        for name in ("x", "y")
    ]
    return {
        "meta": {"name": "number_keys", "metric": "sum", "model": "grnn"},
        "region_meta": {"1": "subject", "2": "verb"},
        "predictions": [{"type": "formula", "formula": "(2;%x%) < (2;%y%)"}],
        "items": [{"item_number": 4, "conditions": conditions}],
        **changes,
    }


def evaluated() -> dict[str, Any]:
    found = document()
    for condition in found["items"][0]["conditions"]:
        condition["regions"][0]["metric_value"] = {"sum": 0, "mean": None}
        condition["regions"][1] |= {"metric_value": {"sum": 2.5}, "oovs": ["are"]}
    return found


@pytest.mark.parametrize("mean", ["null", "NaN"])  # as syntaxgym-core has it of an empty region
def test_an_evaluated_suite_is_read_as_the_suite_it_was(tmp_path: Path, mean: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document()), "utf-8")
    plain = read_suite(path)
    path.write_text(json.dumps(evaluated()).replace("null", mean), "utf-8")
    assert read_suite(path) == plain


TABLE = (
    "item_number,condition_name,region_number,region_name,content\n"
    "4,x,1,subject,The keys\n4,x,2,verb,are\n4,y,1,subject,The keys\n4,y,2,verb,are\n"
)


def test_a_table_has_the_formulas_of_the_document_beside_it(tmp_path: Path) -> None:
    table = tmp_path / "keys.csv"
    table.write_text(TABLE, "utf-8")
    assert read_suite(table).predictions == ()
    beside = tmp_path / "keys.json"
    beside.write_text(json.dumps(document()), "utf-8")
    assert read_suite(table) == read_suite(beside)
    only = {key: document()[key] for key in ("meta", "predictions")}
    beside.write_text(json.dumps(only), "utf-8")
    assert [each.source for each in read_suite(table).predictions] == ["(2;%x%) < (2;%y%)"]
    beside.write_text('{"other": 1}', "utf-8")
    assert read_suite(table).predictions == ()


def test_formulas_beside_a_table_must_be_about_it(tmp_path: Path) -> None:
    table = tmp_path / "keys.csv"
    table.write_text(TABLE, "utf-8")
    about = {"predictions": [{"type": "formula", "formula": "(2;%x%) < (2;%z%)"}]}
    (tmp_path / "keys.json").write_text(json.dumps(about), "utf-8")
    refuses("unknown", f"{table}: item {item_id('keys', 4)}", table)
