"""The page in a browser: what a reader sees, does, and takes away. Skipped without Chromium."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from colorless_green.nonce import (
    Item,
    Mark,
    Marks,
    Suite,
    honoured,
    read_marks,
    sentence_text,
    write_marks,
    write_page,
)
from tests.nonce.page_browser import Browser, browser
from tests.nonce.page_items import HOSTILE, set_to_read

pytestmark = pytest.mark.slow

SCRIPTS = Path(__file__).resolve().parents[2] / "nonce" / "page" / "scripts"
CURRENT = "document.querySelector('[aria-current]').id"
TEXTS = """[...document.querySelectorAll('.sentence')].map((line) => {
  const own = line.cloneNode(true);
  own.querySelectorAll('.old, sup, .slash, .name').forEach((each) => each.remove());
  const both = [own, own.cloneNode(true)];
  own.querySelectorAll('.wrong').forEach((each) => each.remove());
  both[1].querySelectorAll('.right').forEach((each) => each.remove());
  return both.map((each) => each.textContent);
})"""
CELLS = (
    "", "a", "=1", "'=1", "''-x", "+", "@", "123", "1e5", "'1e5", "12a", "x,y", 'say "no"', "\t",
    "a;b", "two\nlines", "\r", " 7", "7 ", "１２", "＝1", "'", '"', "it's", "\u2028", "3.5:1",
)  # fmt: skip


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _no_faults(tab: Browser) -> Iterator[None]:
    yield
    assert tab.faults() == []


def opened(tab: Browser, folder: Path, suite: Suite, marks: Marks | None = None) -> Path:
    """The page of a suite, in a browser that has kept no marks."""
    blank, path = folder / "blank.html", folder / "page.html"
    blank.write_text("<!DOCTYPE html>")
    tab.open(blank)
    tab.run("localStorage.clear()")
    write_page(suite, path, marks)
    tab.open(path)
    return path


def counts(tab: Browser) -> list[int]:
    names = ("accept", "reject", "undecided")
    return [int(tab.run(f"document.getElementById('n-{name}').textContent")) for name in names]


def choose(tab: Browser, label: str, value: str) -> None:
    """Picks an option of the filter whose label begins with the name of a column."""
    tab.run(
        f"""(() => {{
  const select = [...document.querySelectorAll('#facets label')]
    .find((each) => each.textContent.toLowerCase().startsWith({json.dumps(label)}))
    .querySelector('select');
  select.value = {json.dumps(value)};
  if (select.selectedIndex < 0) throw new Error('no such option');
  select.dispatchEvent(new Event('change'));
}})()"""
    )


def found(tab: Browser) -> int:
    return int(tab.run("document.querySelectorAll('.item:not(.context)').length"))


def test_every_sentence_is_shown_as_its_raw_text_in_both_forms(
    tab: Browser, tmp_path: Path
) -> None:
    suite = set_to_read()
    opened(tab, tmp_path, suite)
    expected = [
        [sentence_text(wording) for (wording,) in item.conditions.values()]
        for item in suite.items
        if item.agreement is not None
    ]
    assert tab.run(TEXTS)[: len(expected)] == expected


def test_hostile_text_does_nothing_but_stand_there(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    assert tab.run("typeof window.evil") == "undefined"
    assert tab.run("document.querySelectorAll('main img, main script, main b').length") == 0
    assert HOSTILE in tab.run("document.querySelector('main').textContent")


def test_sentences_run_to_the_side_of_their_script(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    sides = tab.run(
        "[...document.querySelectorAll('.sentence')].map((each) => each.lang + ' ' + each.dir)"
    )
    assert sides == ["en ltr"] * 5 + ["he rtl"] * 2 + ["ar rtl"] + ["en ltr"] * 2


def test_joined_letters_stay_joined_under_a_mark(tab: Browser, tmp_path: Path) -> None:
    """In عليه, of which the pronoun is marked, both sides of the seam have a joiner."""
    opened(tab, tmp_path, set_to_read())
    edges = "[...document.querySelectorAll('[lang=ar] .joiner')].map((each) => each.parentNode"
    assert tab.run(f"{edges}.className)") == ["run", "mark cue joined-start"]


def test_keys_move_and_mark(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    tab.press("jja")
    assert tab.run(CURRENT) == "item-1"
    assert counts(tab) == [1, 0, 8]
    tab.press("kr")
    assert tab.run(CURRENT) == "item-0"
    assert counts(tab) == [1, 2, 6]  # variant 2 goes with it, variant 1 was accepted
    tab.press("u")
    assert counts(tab) == [1, 0, 8]


def test_a_note_is_written_and_left_with_keys(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    tab.press("jn")
    tab.press("ajar")
    tab.do("Input.dispatchKeyEvent", type="keyDown", key="Escape")
    tab.press("ja")
    assert tab.run("document.querySelector('textarea').value") == "ajar"
    assert tab.run(CURRENT) == "item-1"
    assert counts(tab) == [1, 0, 8]


def test_marks_outlive_the_page_but_not_the_set(tab: Browser, tmp_path: Path) -> None:
    suite = Suite("kept", set_to_read().items[:4])
    path = opened(tab, tmp_path, suite)
    tab.press("jajr")
    tab.open(path)
    assert counts(tab) == [1, 1, 2]
    write_page(Suite("kept", set_to_read().items[:3]), path)
    tab.open(path)
    assert counts(tab) == [0, 0, 3]


def test_marks_taken_away_are_what_python_writes_and_honours(tab: Browser, tmp_path: Path) -> None:
    suite = Suite("taken", (*set_to_read().items[:5], _named("12345", 8)))
    marks = Marks(
        {"k-1": Mark("accept", '=1+1, "quoted"\nline'), "d": Mark("reject"), "12345": Mark("", "ü")}
    )
    opened(tab, tmp_path, suite, marks)
    tab.do("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab.run("document.getElementById('download').click()")
    file = tmp_path / "taken-marks.csv"
    until = time.monotonic() + 20
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.05)
    write_marks(marks, tmp_path / "python.csv")
    assert file.read_bytes() == (tmp_path / "python.csv").read_bytes()
    left, _ = honoured(suite, read_marks(file))
    assert [item.item_id for item in left.items] == ["k", "k-1", "k-2", "12345"]


def test_marks_brought_back_are_shown(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, Suite("brought", set_to_read().items[:5]))
    (tmp_path / "m.csv").write_text('Item_ID;Mark;Note\r\nk;ACCEPT;"a;b"\r\nk-1;reject;\r\n')
    assert "2" in _load(tab, tmp_path / "m.csv")
    assert counts(tab) == [1, 1, 3]
    assert tab.run("document.querySelector('textarea').value") == "a;b"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("item_id,note\n", "1"),
        ("item_id,mark\nk,maybe\n", "2"),
        ("item_id,mark\nk,accept\nk,reject\n", "3"),
        ("item_id,mark\nq,accept\n", ""),
        ('item_id,mark,note\nk,accept,"x\n', "2"),
    ],
)
def test_a_broken_file_is_told_with_its_line_and_changes_nothing(
    tab: Browser, tmp_path: Path, text: str, line: str
) -> None:
    opened(tab, tmp_path, Suite("broken", set_to_read().items[:2]))
    (tmp_path / "m.csv").write_text(text)
    file, _, told = _load(tab, tmp_path / "m.csv").partition(": ")
    assert file == "m.csv"
    assert "".join(each for each in told.partition(":")[0] if each.isdigit()) == line
    assert counts(tab) == [0, 0, 2]


def test_filters_leave_what_was_asked_for(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read(), Marks({"d": Mark("accept")}))
    for label, value, n_items in (
        ("language", "=he", 2),
        ("kind", "=nonce", 4),
        ("flag", "=ambiguous", 1),
        ("leak", "=D", 1),
        ("attractors", "=1", 3),
        ("level", "=", 5),
        ("mark", "1", 1),  # accepted
    ):
        choose(tab, label, value)
        assert (label, found(tab)) == (label, n_items)
        tab.run("document.getElementById('clear').click()")
    tab.press("/")
    tab.press("HATS")
    assert found(tab) == 1
    assert tab.run("document.querySelectorAll('.context').length") == 1  # its original


def test_a_large_set_comes_in_pages(tab: Browser, tmp_path: Path) -> None:
    one = set_to_read().items[0]
    items = (replace(one, item_id=f"i{n}", cluster_id=f"i{n}") for n in range(230))
    opened(tab, tmp_path, Suite("large", tuple(items)))
    assert found(tab) == 100
    tab.press("]jk")
    assert tab.run("document.querySelector('[aria-current]').id") == "item-99"
    tab.press("jj")
    assert tab.run("document.querySelector('[aria-current]').id") == "item-101"
    tab.press("]]")
    assert found(tab) == 30


def test_the_words_of_an_item_are_told_on_demand(tab: Browser, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    tab.press("jjt")
    assert tab.run("document.querySelector('.tokens').textContent") == (
        "the songs to the river , we think , sleep gone ."
    )
    tab.press("t")
    assert tab.run("document.querySelectorAll('.details').length") == 0


def test_tables_of_the_page_and_of_python_are_the_same(tab: Browser, tmp_path: Path) -> None:
    """Every pair of awkward cells, as id and note, there and back both ways."""
    by_id = {f"{a}{b}" or "x": Mark("accept", b) for a in CELLS for b in CELLS}
    path = tmp_path / "marks.csv"
    write_marks(Marks(by_id), path)
    rows = [[item_id, mark.verdict, mark.note] for item_id, mark in by_id.items()]
    script = (SCRIPTS / "table.js").read_text(encoding="utf-8")

    def run(expression: str) -> object:
        return tab.run(f"(() => {{ {script}; return {expression}; }})()")

    text = path.read_bytes().decode("utf-8")
    assert run(f"toTable({json.dumps(rows)})") == text
    assert (
        run(f"[...fromTable({json.dumps(text)})].map(([id, [mark, note]]) => [id, mark, note])")
        == rows
    )


def _named(item_id: str, place: int) -> Item:
    return replace(set_to_read().items[place], item_id=item_id, cluster_id=item_id)


def _load(tab: Browser, path: Path) -> str:
    """Gives the page a file of marks; what it says of it."""
    tab.run("document.getElementById('message').textContent = ''")
    root = tab.do("DOM.getDocument")["root"]["nodeId"]
    node = tab.do("DOM.querySelector", nodeId=root, selector="#load")["nodeId"]
    tab.do("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
    message = "document.getElementById('message').textContent"
    until = time.monotonic() + 10
    while not tab.run(message) and time.monotonic() < until:
        time.sleep(0.02)
    return str(tab.run(message))
