"""What users of imports, comparison and report are told most often, word for word; nothing else
asserts these words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from colorless_green.data.errors import InputError
from colorless_green.humans import KeyFile, read_files, rules_of, table_map
from tests.humans.report_material import agreement_item
from tests.humans.stored import Kept, of_margins

KEYS = agreement_item("the keys of it are gone", 1, 4, "is")
K = KEYS.item_id
HEADER = "participant,item,chosen"


def refused(path: Path, call: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        call()
    return str(caught.value).replace(f"{path}/", "")


TABLES = {
    f"{HEADER}\nP1,x1,are\nP1,x2,are\n": (
        "a.csv:2: 'x1', 'x2': no such item among the 1 known; --items FILE with what was shown,"
        " --suite with the suite that has them, or another `kind` for fillers and checks"
    ),
    f"{HEADER}\nP1,{K},were\n": (
        f"a.csv:2: 'were': chosen, but neither option; for item {K} 'are' or 'is'"
    ),
    f"{HEADER},correct\nP1,{K},is,1\n": (
        "a.csv:2: correct is 1, but 'is' was chosen and 'are' is the correct form; correct = 0"
    ),
    f"{HEADER},trial_id\nP1,{K},are,t1\nP1,{K},is,t1\n": (
        "a.csv:3: the trial 't1' of a.csv:2 again, with other content; give a session, trial_id or"
        " position that tells the two answers apart"
    ),
    f"{HEADER},kind\nP1,f1,pane,filler\n": (
        "a.csv:2: no correct form for item 'f1'; "
        "give a column correct_form for items that the suite"
        " does not have, or --items"
    ),
    f"{HEADER}\n,{K},are\n": (
        "a.csv:2: no participant in this row; give a value of participant in every row"
    ),
    f"subject,item,chosen\nP1,{K},are\n": (
        "a.csv:1: no column participant; the columns are subject, item, chosen; name it with --map"
        " participant=COLUMN (or give item, right and total)"
    ),
    f"participant,sentence,chosen\nP1,{K},are\n": (
        "a.csv:1: no column item; the columns are participant, sentence, chosen; name it with"
        " --map item=COLUMN"
    ),
    f"item,right,total\n{K},11,10\n": (
        "a.csv:2: right is '11' and total '10'; how many answers were right, and of how many"
    ),
    f"{HEADER}\nP1,{K}\n": (
        "a.csv:2: 2 cells, but 3 columns; "
        "write a cell for each, in quotes if it holds the delimiter, and name each column"
    ),
    "": "a.csv: the file is empty; name the columns in its first line",
}


@pytest.mark.parametrize(("table", "message"), TABLES.items(), ids=range(len(TABLES)))
def test_tables_of_answers(tmp_path: Path, table: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table, encoding="utf-8")
    assert refused(tmp_path, lambda: read_files([path], [KEYS])) == message


RULES = {
    "max_filler_errors=2": "exclude: max_filler_errors: 2; at most 1",
    "max_blurs": "exclude: 'max_blurs' without a value; max_blurs=VALUE",
}


@pytest.mark.parametrize(("stated", "message"), RULES.items())
def test_rules(tmp_path: Path, stated: str, message: str) -> None:
    assert refused(tmp_path, lambda: rules_of(None, [stated])) == message


def test_files_and_options_of_an_import(tmp_path: Path) -> None:
    assert refused(tmp_path, lambda: table_map(["item"])) == (
        "map: 'item'; OURS=THEIRS, as in item=Item, or a map file"
    )
    key = tmp_path / "colorless.key"
    made = KeyFile(key)
    made.key()
    made.save()
    key.chmod(0o644)
    assert refused(tmp_path, lambda: KeyFile(key).key()) == (
        "colorless.key: others may read this key; chmod 600 colorless.key"
    )
    kept = Kept()
    other = kept.file("x.json", '[{"trial_type": "instructions"}]')
    answers = kept.file("answers.csv", f"{HEADER}\nP1,{K},are\n")
    assert refused(kept.folder, lambda: kept.imported(answers, other)) == (
        "x.json: this is jspsych, but answers.csv is generic; give one format in one import"
    )


def test_what_an_import_says() -> None:
    kept = Kept()
    kept.suite([KEYS])
    rows = f"{HEADER},kind,correct_form\nP1,{K},are,,\nP2,{K},is,,\nP2,f,he,filler,she\n"
    answers = kept.file("answers.csv", rows)
    kept.imported(answers, hashed=False)
    said = kept.imported(answers, exclude=["max_filler_errors"], hashed=False).messages
    assert (
        "the rules are not those of the first import of single answers: these exclusions are POST"
        " HOC"
    ) in said
    assert "left out by max_filler_errors: 1 person, 2 trials" in said
    assert "the same answers under the same rules were imported before" in (
        kept.imported(answers, exclude=["max_filler_errors"], hashed=False).messages
    )


def test_comparison_and_report() -> None:
    kept = Kept()
    suite_id = kept.suite([KEYS], name="mine")
    kept.run(suite_id, "m", of_margins({K: 1.0}))
    assert refused(kept.folder, lambda: kept.compare("fgd*")) == (
        "fgd*: no scored or judged suite has this name; give one of mine"
    )
    assert refused(kept.folder, lambda: kept.compare(published="hu2021")) == (
        "published: no such name 'hu2021'; give one of gulordava2018, hu2020-reflexives,"
        " hu2020-syntaxgym, marvin2018, warstadt2020"
    )
    answer, *_ = kept.report().root.one("div", "answer").all("p")
    assert answer.text.startswith(
        "m prefers the right form in 100.0\u202f% of 1 original (chance 50\u202f%)"
    )
