"""What the miner says of values, in items: read back, read from older files, kept by variants."""

import json
from pathlib import Path

import colorless_green as cg
from colorless_green.data import Suite, read_suite
from tests.builders import relational, write_conllu

VERBS = {
    "be": ("je", "so", "sta"),
    "go": ("gre", "gredo", "gresta"),
    "do": ("dela", "delajo", "delata"),
}
NUMBERS = ("Sing", "Plur", "Dual")
COLUMNS = (
    "wrong_value", "wrong_forms", "value_from", "cues_before", "cues_between", "cues_beside_target",
    "right_value", "pronoun_cue",
)  # fmt: skip


def treebank(folder: Path) -> Path:
    """Ten clauses of each number of three verbs, no two alike, and one with an article."""
    verbs = [
        (
            f"c{number}/cue/NOUN/Number={number}/5/nsubj",
            f"{form}/{lemma}/VERB/Number={number}/0/root",
        )
        for lemma, forms in VERBS.items()
        for number, form in zip(NUMBERS, forms, strict=True)
        for _ in range(10)
    ]
    more = ("x/x/ADP/_/5/obl",) * 2
    blocks = [
        relational(cue, f"x{n}/x/ADP/_/5/obl", *more, verb, sent_id=f"{n}-s1")
        for n, (cue, verb) in enumerate(verbs)
    ]
    article = "ta/ta/DET/Number=Sing/2/det", "kos/kos/NOUN/Number=Sing/6/nsubj"
    between = ("x/x/ADP/_/6/obl",) * 3
    blocks.append(relational(*article, *between, "je/be/VERB/Number=Sing/0/root", sent_id="90-s1"))
    return write_conllu(folder / "sl-ud-train.conllu", *blocks)


def records(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_what_the_miner_says_of_values_is_read_back(tmp_path: Path) -> None:
    mining = cg.mine(treebank(tmp_path), rule=cg.Rule(undecided=True), out=tmp_path / "mined")
    (told,) = (each for each in records(tmp_path / "mined" / "originals.jsonl")
               if each["cues_before"])  # fmt: skip
    assert told["cues_before"] == [0]
    assert (told["right_value"], told["wrong_value"]) == ("Sing", "Plur")
    assert told["wrong_forms"] == {"Plur": "so", "Dual": "sta"}
    assert told["pronoun_cue"] is False
    again = read_suite(tmp_path / "mined" / "originals.jsonl")
    assert isinstance(again, Suite)
    assert tuple(again.items) == tuple(mining.originals.items)


def test_a_file_from_before_is_read_with_nothing_in_these_columns(tmp_path: Path) -> None:
    cg.mine(treebank(tmp_path), rule=cg.Rule(undecided=True), out=tmp_path / "mined")
    old = [
        {name: value for name, value in each.items() if name not in COLUMNS}
        for each in records(tmp_path / "mined" / "originals.jsonl")
    ]
    path = tmp_path / "old.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in old), encoding="utf-8")
    for item in read_suite(path).items:
        assert item.agreement is not None
        assert (item.agreement.wrong_value, item.agreement.wrong_forms) == ("", {})
        assert item.agreement.cues_before == item.agreement.value_from == ()


def test_variants_set_the_same_two_values_beside_each_other(tmp_path: Path) -> None:
    contrasts = {"Sing": "Plur", "Plur": "Sing", "Dual": "Sing"}
    mining = cg.mine(treebank(tmp_path), rule=cg.Rule(contrasts=("Dual:Sing",), undecided=True))
    suite = cg.make_nonce(mining, n=2, level="morphology")
    variants = [item.agreement for item in suite.items if item.kind == "nonce"]
    forms = {forms[NUMBERS.index(n)]: n for forms in VERBS.values() for n in NUMBERS}
    assert variants
    for each in variants:
        assert each is not None
        assert each.wrong_value == contrasts[each.value]
        assert (forms[each.right], forms[each.wrong]) == (each.value, each.wrong_value)
        assert each.wrong_forms == {each.wrong_value: each.wrong}
