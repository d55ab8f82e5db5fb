"""Marks as a file: written and read back, mangled by spreadsheets, wrong; and honoured."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Suite
from colorless_green.data.errors import ErrorKind
from colorless_green.nonce import Mark, Marks, honoured, read_marks
from tests.builders import mistake
from tests.nonce.page_items import set_to_read
from tests.nonce.written_marks import write_marks

cells = st.text(st.characters(exclude_categories=["Cs"])) | st.from_regex(
    r"'{0,2}[=+@\-\t\r\n＝0-9]{0,3}[e.,;\"a]{0,2}", fullmatch=True
)
Verdict = Literal["accept", "reject", ""]
ALL: tuple[Verdict, ...] = ("accept", "reject", "")
verdicts = st.sampled_from(ALL)
FORMULA = "=+-@\t\r\n＝＋－＠"
OURS = 'item_id,mark,note\n1e5,accept,\nb,reject,"a, b; c"\nc,,\'-x\n'
MEANT = {"1e5": ("accept", ""), "b": ("reject", "a, b; c"), "c": ("", "-x")}


def read(folder: Path, text: str | bytes) -> Marks:
    path = folder / "marks.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_marks(path)


def meaning(marks: Marks) -> dict[str, tuple[str, str]]:
    return {item_id: (mark.verdict, mark.note) for item_id, mark in marks.by_id.items()}


@given(st.dictionaries(cells.filter(bool), st.builds(Mark, verdicts, cells)))
def test_marks_written_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, by_id: dict[str, Mark]
) -> None:
    path = tmp_path_factory.mktemp("m") / "marks.csv"
    write_marks(Marks(by_id), path)
    said = {item_id: mark for item_id, mark in by_id.items() if mark.verdict or mark.note}
    assert meaning(read_marks(path)) == meaning(Marks(said))
    assert list(read_marks(path).by_id) == list(said)


@pytest.mark.parametrize(
    "text",
    [
        OURS,
        "\ufeff" + OURS,
        OURS.replace("\n", "\r\n"),
        OURS.replace("\n", "\r"),
        OURS.replace('"a, b; c"', "a@").replace(",", ";").replace("a@", '"a, b; c"'),
        OURS.replace('"a, b; c"', "a@").replace(",", "\t").replace("a@", "a, b; c"),
        OURS.replace("accept,", "Accept").replace("reject", " REJECT "),
        "\n" + OURS.replace("\n", "\n,,\n\n"),
        'who,Mark,Item_ID ,note\nme,accept,1e5,\nme,reject,b,"a, b; c"\nme,,c,-x\nme,,,\n',
        OURS + '1e5,,\nb,reject,"a, b; c"\n',
    ],
    ids=["ours", "bom", "crlf", "cr", "semicolon", "tab", "case", "blank", "columns", "twice"],
)
def test_what_spreadsheets_make_of_the_file_means_the_same(tmp_path: Path, text: str) -> None:
    assert meaning(read(tmp_path, text)) == MEANT


def test_a_file_without_notes_has_none(tmp_path: Path) -> None:
    marks = read(tmp_path, "mark;item_id\naccept;a\n")
    assert (marks.of("a"), marks.note("a")) == ("accept", "")
    assert (marks.of("b"), marks.note("b")) == ("", "")


def test_both_notes_of_an_item_stay(tmp_path: Path) -> None:
    marks = read(tmp_path, "item_id,mark,note\na,,one\na,reject,two\na,reject,one\n")
    assert meaning(marks) == {"a": ("reject", "one\ntwo")}


HEADER = "item_id,mark,note\n"


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("", "empty", ""),
        ("item_id,note\n", "missing", ":1"),
        ("\nid,mark\n", "missing", ":2"),
        ("item_id,mark,mark\n", "conflict", ":1"),
        (HEADER + "a,ok,\n", "format", ":2"),
        (HEADER + "a,accept,,x\n", "format", ":2"),
        (HEADER + ",accept,\n", "format", ":2"),
        (HEADER + 'a,accept,"two\nlines"\na,reject,\n', "conflict", ":4"),
        (HEADER + 'a,accept,"open\n', "format", ":2"),
        ("item_id,mark\na,r\xe9ject".encode("latin-1"), "unreadable", ":2"),
    ],
)
def test_a_broken_file_is_told_with_its_line(
    tmp_path: Path, text: str | bytes, kind: ErrorKind, place: str
) -> None:
    with mistake(kind, f"{tmp_path / 'marks.csv'}{place}"):
        read(tmp_path, text)


def test_a_rejected_original_takes_its_variants_but_for_accepted_ones() -> None:
    suite = set_to_read()
    marks = Marks({"k": Mark("reject"), "k-2": Mark("accept"), "d-1": Mark("reject")})
    left, counts = honoured(suite, marks)
    assert [item.item_id for item in left.items] == ["k-2", "d", "h", "h-1", "a", "p"]
    assert counts == {
        "n_items": 9,
        "n_rejected": 2,
        "n_with_original": 1,
        "n_kept": 6,
        "n_accepted": 1,
        "n_broken_sets": 0,
    }


@given(st.dictionaries(st.sampled_from([i.item_id for i in set_to_read().items]), verdicts))
def test_honouring_marks_keeps_order_and_adds_up(by_id: dict[str, Verdict]) -> None:
    suite = set_to_read()
    marks = Marks({item_id: Mark(verdict) for item_id, verdict in by_id.items()})
    left, counts = honoured(suite, marks)
    kept = [item.item_id for item in left.items]
    assert kept == [item.item_id for item in suite.items if item.item_id in kept]
    assert not [item_id for item_id in kept if by_id.get(item_id) == "reject"]
    assert {item_id for item_id, verdict in by_id.items() if verdict == "accept"} <= set(kept)
    gone = counts["n_rejected"] + counts["n_with_original"]
    assert counts["n_kept"] + gone == counts["n_items"] == len(suite.items)
    assert replace(left, items=suite.items) == suite
    known = {item_id: mark for item_id, mark in marks.by_id.items() if item_id in kept}
    assert honoured(left, Marks(known))[0] == left


def test_blocks_that_lose_some_of_their_items_are_counted() -> None:
    one, two, three, four, *_ = set_to_read().items
    items = (*(replace(each, set_id="x") for each in (one, two, three)), replace(four, set_id="y"))
    suite = Suite("s", items)
    assert honoured(suite, Marks({"k-1": Mark("reject")}))[1]["n_broken_sets"] == 1
    assert honoured(suite, Marks({"k": Mark("reject")}))[1]["n_broken_sets"] == 0


def test_marks_of_another_set_are_refused(tmp_path: Path) -> None:
    marks = read(tmp_path, HEADER + "k,reject,\nq1,reject,\nq2,reject,\n")
    with mistake("unknown", f"{tmp_path / 'marks.csv'}:3"):
        honoured(set_to_read(), marks)
