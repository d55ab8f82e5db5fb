"""The page in a browser: what a reader sees, does, and takes away. Skipped without Chromium."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Browser, Page

from colorless_green.data import Item, Suite, sentence_text
from colorless_green.nonce import Mark, Marks, read_marks, without_rejected, write_page
from tests.humans.participant import chromium
from tests.nonce.page_items import HOSTILE, set_to_read
from tests.nonce.written_marks import write_marks

pytestmark = pytest.mark.slow

SCRIPTS = Path(__file__).resolve().parents[2] / "nonce" / "page" / "scripts"
TEXTS = """lines => lines.map((line) => {
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
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """Yield a tab of a browser that has kept no marks; what went wrong on its page fails the
    test."""
    page = browser.new_context(accept_downloads=True).new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    yield page
    page.context.close()
    assert faults == []


def opened(tab: Page, folder: Path, suite: Suite, marks: Marks | None = None) -> Path:
    path = folder / "page.html"
    write_page(suite, path, marks)
    tab.goto(path.as_uri())
    return path


def press(tab: Page, keys: Iterable[str]) -> None:
    for key in keys:
        tab.keyboard.press(key)


def counts(tab: Page) -> list[int]:
    return [int(tab.inner_text(f"#n-{name}")) for name in ("accept", "reject", "undecided")]


def current(tab: Page) -> str:
    return str(tab.get_attribute("[aria-current]", "id"))


def choose(tab: Page, label: str, value: str) -> None:
    """Pick an option of the filter whose label begins with the name of a column."""
    labels = tab.locator("#facets label").all()
    (own,) = (each for each in labels if each.inner_text().lower().startswith(label))
    own.locator("select").select_option(value)


def found(tab: Page) -> int:
    return tab.locator(".item:not(.context)").count()


def load(tab: Page, path: Path) -> str:
    """Give the page a file of marks; what it says of it."""
    tab.set_input_files("#load", path)
    tab.wait_for_function("document.getElementById('message').textContent")
    return tab.inner_text("#message")


def test_every_sentence_is_shown_as_its_raw_text_in_both_forms(tab: Page, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    expected = [
        [sentence_text(wording) for (wording,) in item.conditions.values()]
        for item in set_to_read().items
        if item.agreement is not None
    ]
    assert tab.eval_on_selector_all(".sentence", TEXTS)[: len(expected)] == expected


def test_hostile_text_does_nothing_but_stand_there(tab: Page, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    assert tab.evaluate("typeof window.evil") == "undefined"
    assert tab.locator("main img, main script, main b").count() == 0
    assert HOSTILE in str(tab.text_content("main"))


def test_sentences_run_to_the_side_of_their_script(tab: Page, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    sides = tab.eval_on_selector_all(".sentence", "all => all.map((each) => [each.lang, each.dir])")
    english = ["en", "ltr"]
    assert sides == [english] * 5 + [["he", "rtl"]] * 2 + [["ar", "rtl"]] + [english] * 2


def test_joined_letters_stay_joined_under_a_mark(tab: Page, tmp_path: Path) -> None:
    """In عليه, of which the pronoun is marked, both sides of the seam have a joiner."""
    opened(tab, tmp_path, set_to_read())
    edges = "all => all.map((each) => each.parentNode.className)"
    assert tab.eval_on_selector_all("[lang=ar] .joiner", edges) == ["run", "mark cue joined-start"]


def test_keys_move_and_mark(tab: Page, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    press(tab, "jja")
    assert (current(tab), counts(tab)) == ("item-1", [1, 0, 8])
    press(tab, "kr")  # variant 2 goes with its original, variant 1 was accepted
    assert (current(tab), counts(tab)) == ("item-0", [1, 2, 6])
    press(tab, "u")
    assert counts(tab) == [1, 0, 8]


def test_a_note_is_written_and_left_with_keys(tab: Page, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    press(tab, ["j", "n", *"ajar", "Escape", "j", "a"])
    assert tab.locator("textarea").first.input_value() == "ajar"
    assert (current(tab), counts(tab)) == ("item-1", [1, 0, 8])


def test_marks_outlive_the_page_but_not_the_set(tab: Page, tmp_path: Path) -> None:
    path = opened(tab, tmp_path, Suite("kept", set_to_read().items[:4]))
    press(tab, "jajr")
    tab.reload()
    assert counts(tab) == [1, 1, 2]
    write_page(Suite("kept", set_to_read().items[:3]), path)
    tab.reload()
    assert counts(tab) == [0, 0, 3]


def test_marks_taken_away_are_what_python_writes_and_honours(tab: Page, tmp_path: Path) -> None:
    suite = Suite("taken", (*set_to_read().items[:5], named("12345", 8)))
    marks = Marks(
        {"k-1": Mark("accept", '=1+1, "quoted"\nline'), "d": Mark("reject"), "12345": Mark("", "ü")}
    )
    opened(tab, tmp_path, suite, marks)
    with tab.expect_download() as download:
        tab.click("#download")
    assert download.value.suggested_filename == "taken-marks.csv"
    file = Path(download.value.path())
    write_marks(marks, tmp_path / "python.csv")
    assert file.read_bytes() == (tmp_path / "python.csv").read_bytes()
    left, _ = without_rejected(suite, read_marks(file))
    assert [item.item_id for item in left.items] == ["k", "k-1", "k-2", "12345"]


def test_marks_brought_back_are_shown(tab: Page, tmp_path: Path) -> None:
    opened(tab, tmp_path, Suite("brought", set_to_read().items[:5]))
    (tmp_path / "m.csv").write_text('Item_ID;Mark;Note\r\nk;ACCEPT;"a;b"\r\nk-1;reject;\r\n')
    assert "2" in load(tab, tmp_path / "m.csv")
    assert counts(tab) == [1, 1, 3]
    assert tab.locator("textarea").first.input_value() == "a;b"


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
    tab: Page, tmp_path: Path, text: str, line: str
) -> None:
    opened(tab, tmp_path, Suite("broken", set_to_read().items[:2]))
    (tmp_path / "m.csv").write_text(text)
    file, _, told = load(tab, tmp_path / "m.csv").partition(": ")
    assert file == "m.csv"
    assert "".join(each for each in told.partition(":")[0] if each.isdigit()) == line
    assert counts(tab) == [0, 0, 2]


def test_filters_leave_what_was_asked_for(tab: Page, tmp_path: Path) -> None:
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
        tab.click("#clear")
    press(tab, "/HATS")
    assert found(tab) == 1
    assert tab.locator(".context").count() == 1  # its original


def test_a_large_set_comes_in_pages(tab: Page, tmp_path: Path) -> None:
    one = set_to_read().items[0]
    items = (replace(one, item_id=f"i{n}", cluster_id=f"i{n}") for n in range(230))
    opened(tab, tmp_path, Suite("large", tuple(items)))
    assert found(tab) == 100
    press(tab, "]jk")
    assert current(tab) == "item-99"
    press(tab, "jj")
    assert current(tab) == "item-101"
    press(tab, "]]")
    assert found(tab) == 30


def test_the_words_of_an_item_are_told_on_demand(tab: Page, tmp_path: Path) -> None:
    opened(tab, tmp_path, set_to_read())
    press(tab, "jjt")
    words = "the songs to the river , we think , sleep gone ."
    assert tab.text_content(".tokens") == words
    press(tab, "t")
    assert tab.locator(".details").count() == 0


def test_tables_of_the_page_and_of_python_are_the_same(tab: Page, tmp_path: Path) -> None:
    """Every pair of awkward cells, as id and note, there and back both ways."""
    by_id = {f"{a}{b}" or "x": Mark("accept", b) for a in CELLS for b in CELLS}
    path = tmp_path / "marks.csv"
    write_marks(Marks(by_id), path)
    rows = [[item_id, mark.verdict, mark.note] for item_id, mark in by_id.items()]
    script = (SCRIPTS / "table.js").read_text(encoding="utf-8")
    text = path.read_bytes().decode("utf-8")
    made, read = tab.evaluate(
        f"""([rows, text]) => {{ {script}
  const read = [...fromTable(text)].map(([id, [mark, note]]) => [id, mark, note]);
  return [toTable(rows), read];
}}""",
        [rows, text],
    )
    assert (made, read) == (text, rows)


def named(item_id: str, place: int) -> Item:
    return replace(set_to_read().items[place], item_id=item_id, cluster_id=item_id)
