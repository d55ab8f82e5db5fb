"""The page of a set: what it holds is the set, and what it holds stays text."""

import json
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Region, Suite, pair, sentence_text
from colorless_green.data.errors import ErrorKind
from colorless_green.nonce import Mark, Marks, read_marks, without_rejected, write_page
from tests.builders import mistake
from tests.nonce.page_items import HOSTILE, original, set_to_read, variant
from tests.nonce.written_marks import write_marks

words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)
blanks = st.sampled_from(["", " "])
MARKS = Marks({"k": Mark("accept", "fine </script>"), "d": Mark("reject")})
Record = dict[str, Any]


class Page(HTMLParser):
    """The elements of a page, its two scripts and its texts outside them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.inside: dict[str, str] = {}
        self.full = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.elements.append((tag, attributes))
        kind = attributes.get("type", "") if tag == "script" else ""
        self.full = f"{tag} {kind}" if tag in ("script", "style", "h1") else self.full
        if tag not in ("script", "style", "h1", "bdi"):
            self.full = ""

    def handle_endtag(self, tag: str) -> None:
        self.full = ""

    def handle_data(self, data: str) -> None:
        self.inside[self.full] = self.inside.get(self.full, "") + data

    @property
    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    def all(self, name: str) -> list[str]:
        return [attributes[name] for _, attributes in self.elements if name in attributes]

    @property
    def data(self) -> Record:
        return dict(json.loads(self.inside["script application/json"]))


def rendered(suite: Suite, marks: Marks | None = None) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new" / "page.html"
        write_page(suite, path, marks)
        return path.read_bytes().decode("utf-8")


def groups(*items: Any) -> list[list[Record]]:
    """Return what the page of these items holds of them."""
    found: list[list[Record]] = Page(rendered(Suite("s", items))).data["groups"]
    return found


@pytest.fixture(scope="module")
def text() -> str:
    return rendered(set_to_read(), MARKS)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


@pytest.fixture(scope="module")
def whole(page: Page) -> dict[str, Record]:
    """Item id → record with what it shares with its group's first put back."""
    return {
        record["id"]: {**{key: group[0][key] for key in page.data["about"]}, **record}
        for group in page.data["groups"]
        for record in group
    }


def shown(record: Record, condition: str) -> str:
    if "words" not in record:
        return "".join(text for _, text in dict(record["lines"])[condition])
    sentence = list(record["words"])
    if condition == "wrong":
        sentence[record["target"]] = " " + record["wrong"]
    return "".join(sentence)


def test_the_raw_text_of_every_sentence_is_there(whole: dict[str, Record]) -> None:
    assert list(whole) == [item.item_id for item in set_to_read().items]
    for item in set_to_read().items:
        for condition, (wording,) in item.conditions.items():
            assert shown(whole[item.item_id], condition) == sentence_text(wording)


def test_no_text_of_an_item_becomes_markup(page: Page, whole: dict[str, Record]) -> None:
    assert page.tags.count("script") == 2
    assert not {"img", "i", "iframe", "object"} & set(page.tags)
    assert page.tags.count("b") == 3  # the counts; none of the suite's name
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    assert page.inside["h1 "].strip() == set_to_read().name
    assert whole["k-2"]["words"][9].strip() == HOSTILE
    assert page.data["texts"][whole["p"]["construction"]] == HOSTILE


def test_the_embedded_data_cannot_end_their_element(page: Page) -> None:
    assert not set("<>&\u2028\u2029") & set(page.inside["script application/json"])


def test_half_a_surrogate_pair_does_not_stop_the_page() -> None:
    ((record,),) = groups(original("x", "keys \ud800 are", 0, 2, "is"))
    assert record["words"] == ["keys", " \ud800", " are"]


def test_the_page_allows_its_own_style_and_script_and_nothing_else(page: Page) -> None:
    (policy,) = [each for each in page.all("content") if "default-src" in each]
    own = {name: digest(page.inside[name]) for name in ("style ", "script module")}
    assert policy == (
        f"default-src 'none'; style-src '{own['style ']}'; script-src '{own['script module']}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    assert page.all("style") == []


def digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def test_the_page_asks_for_no_other_file(text: str, page: Page) -> None:
    assert page.all("src") == []
    assert page.all("href") == ["data:,"]
    assert not re.search(r"url\(|@import|https?:|fetch\(|\bimport\b|XMLHttp", text)


def test_the_page_has_landmarks_and_names_for_all_its_controls(page: Page) -> None:
    assert page.tags.count("h1") == page.tags.count("main") == page.tags.count("header") == 1
    assert {"search", "region", "status", "alert"} <= set(page.all("role"))
    assert dict(page.elements)["html"] == {"lang": "en"}
    n_controls = sum(tag in ("input", "select", "textarea") for tag in page.tags)
    assert page.tags.count("label") == n_controls > 0
    script = page.inside["script module"]
    assert set(re.findall(r'find\("([\w-]+)"\)', script)) <= set(page.all("id"))
    assert len(page.all("id")) == len(set(page.all("id")))


@pytest.mark.slow
def test_the_same_set_gives_the_same_bytes_whatever_the_order_of_hashes(text: str) -> None:
    program = (
        "import sys; from tests.nonce.test_page import MARKS, rendered, set_to_read;"
        "sys.stdout.buffer.write(rendered(set_to_read(), MARKS).encode())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
        env={**os.environ, "PYTHONHASHSEED": "1"},
    )
    assert done.stdout.decode() == text  # of this process, whose hashes are others


def test_marks_are_kept_under_the_content_of_the_set(page: Page) -> None:
    assert page.data["marks"] == {"k": ["accept", "fine </script>"], "d": ["reject", ""]}
    items = set_to_read().items
    contents = [
        Page(rendered(suite)).data["content"]
        for suite in (Suite("other name", items), Suite("s", items[:-1]), Suite("s", items[::-1]))
    ]
    assert contents[0] == page.data["content"]
    assert len({*contents}) == 3


def test_an_original_stands_before_what_was_made_from_it() -> None:
    one, two, *_ = set_to_read().items
    ((first, second),) = groups(two, one)
    assert (first["id"], second["id"]) == ("k", "k-1")
    assert (bool(first.get("is_original")), bool(second.get("is_original"))) == (True, False)


def test_variants_leave_out_what_their_original_says_too(page: Page) -> None:
    _, k_1, _ = page.data["groups"][0]
    assert not set(page.data["about"]) & set(k_1)


def test_a_replaced_word_stands_with_the_word_of_the_original(whole: dict[str, Record]) -> None:
    assert whole["k-1"]["new"] == {"1": "keys", "4": "cabinet", "9": "are"}
    assert "new" not in whole["k"]


def test_replaced_words_are_found_where_a_token_was_added() -> None:
    base = original("x", "a key to it , they say , is", 1, 8, "are")
    made = variant(base, 1, {1: "owl", 8: "sings"}, "sing")
    assert made.agreement is not None
    agreement = replace(
        made.agreement,
        tokens=("Well", "an", *made.agreement.tokens[1:]),
        spaces=("", " ", *made.agreement.spaces[1:]),
        upos=("X",) * 10,
        feats=("_",) * 10,
        cue_index=2,
        target_index=9,
        substitutions=(1, 2, 9),
    )
    ((_, record),) = groups(base, replace(made, agreement=agreement, conditions=pair(agreement)))
    assert record["new"] == {"1": "", "2": "", "9": "is"}


def test_without_the_original_no_word_is_said_to_have_stood_there() -> None:
    ((record,),) = groups(set_to_read().items[1])
    assert record["new"] == {"1": "", "4": "", "9": ""}


def test_a_wrong_sentence_that_differs_elsewhere_is_shown_whole() -> None:
    item = original("x", "un amico , dici , canta", 1, 5, "cantano")
    (right,), (wrong,) = item.conditions.values()
    other = replace(wrong[0], text="gli amici, dici,")
    ((record,),) = groups(
        replace(item, conditions={"right": (right,), "wrong": ((other, *wrong[1:]),)})
    )
    assert record["other"] == ["gli amici, dici,", " cantano", ""]


def test_hebrew_runs_from_right_to_left_also_around_a_foreign_word(
    whole: dict[str, Record],
) -> None:
    sides = {item_id: record.get("rtl", 0) for item_id, record in whole.items()}
    assert {item_id for item_id, side in sides.items() if side} == {"h", "h-1", "a"}
    sentence = "USB International Standard Company של סמסונג"
    foreign = original("f", sentence, 0, 5, "x", language="he")
    assert groups(*set_to_read().items, foreign)[-1][0]["rtl"] == 1


@pytest.mark.parametrize(
    ("written", "expected"),
    [("שלום", 1), ("سلام", 1), ("नमस्ते", 0), ("你好", 0), ("12 ,", 0), ("_", 0)],
)
def test_the_side_is_that_of_the_letters(written: str, expected: int) -> None:
    ((record,),) = groups(original("x", f"1 {written} 2", 0, 2, "3"))
    assert record.get("rtl", 0) == expected


def pieces(tokens: list[str], spaces: list[str], written: str) -> list[str]:
    """Return the pieces that a page shows of tokens, where `written` is the text of them all."""
    item = original("x", " ".join(["c", "t", *("x" for _ in tokens)]), 0, 1, "u")
    assert item.agreement is not None
    agreement = replace(
        item.agreement, tokens=("c", "t", *tokens), spaces=("", " ", *spaces), before="", after=""
    )
    conditions = pair(agreement)
    for name, ((prefix, target, rest),) in list(conditions.items()):
        conditions[name] = ((prefix, target, Region("rest", rest.words, written)),)
    ((record,),) = groups(replace(item, agreement=agreement, conditions=conditions))
    found: list[str] = record["words"]
    assert found[:2] == ["c", " t"]
    return found[2:]


tokens_and_blanks = st.lists(st.tuples(words, blanks), min_size=1, max_size=8)


@given(tokens_and_blanks, st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_pieces_are_the_text_one_for_each_token(
    tokens: list[tuple[str, str]], written: str
) -> None:
    forms, spaces = [form for form, _ in tokens], [blank for _, blank in tokens]
    found = pieces(forms, spaces, written)
    assert len(found) == len(forms)
    assert "".join(found) == written


@given(tokens_and_blanks)
def test_where_the_text_is_the_tokens_each_piece_is_its_token(
    tokens: list[tuple[str, str]],
) -> None:
    own = [blank + form for form, blank in tokens]
    assert pieces([form for form, _ in tokens], [blank for _, blank in tokens], "".join(own)) == own


@pytest.mark.parametrize(
    ("tokens", "text", "expected"),
    [
        ("lo amico canta", " l'amico canta", [" l'", "amico", " canta"]),
        ("de le ami", " du ami", [" du", "", " ami"]),
        ("A é B", " A B", [" A", " ", "B"]),
    ],
)
def test_pieces_follow_an_elision(tokens: str, text: str, expected: list[str]) -> None:
    forms = tokens.split(" ")
    assert pieces(forms, [" "] * len(forms), text) == expected


def test_an_empty_set_has_a_page_without_items() -> None:
    assert groups() == []


marked_cells = st.text(st.characters(exclude_categories=["Cs"])) | st.from_regex(
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


@given(st.dictionaries(marked_cells.filter(bool), st.builds(Mark, verdicts, marked_cells)))
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
    left, counts = without_rejected(suite, marks)
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
    left, counts = without_rejected(suite, marks)
    kept = [item.item_id for item in left.items]
    assert kept == [item.item_id for item in suite.items if item.item_id in kept]
    assert not [item_id for item_id in kept if by_id.get(item_id) == "reject"]
    assert {item_id for item_id, verdict in by_id.items() if verdict == "accept"} <= set(kept)
    gone = counts["n_rejected"] + counts["n_with_original"]
    assert counts["n_kept"] + gone == counts["n_items"] == len(suite.items)
    assert replace(left, items=suite.items) == suite
    known = {item_id: mark for item_id, mark in marks.by_id.items() if item_id in kept}
    assert without_rejected(left, Marks(known))[0] == left


def test_blocks_that_lose_some_of_their_items_are_counted() -> None:
    one, two, three, four, *_ = set_to_read().items
    items = (*(replace(each, set_id="x") for each in (one, two, three)), replace(four, set_id="y"))
    suite = Suite("s", items)
    left, counts = without_rejected(suite, Marks({"k-1": Mark("reject")}))
    assert ([item.item_id for item in left.items], counts["n_broken_sets"]) == ([four.item_id], 1)
    assert without_rejected(suite, Marks({"k": Mark("reject")}))[1]["n_broken_sets"] == 0


def test_marks_of_another_set_are_refused(tmp_path: Path) -> None:
    marks = read(tmp_path, HEADER + "k,reject,\nq1,reject,\nq2,reject,\n")
    with mistake("unknown", f"{tmp_path / 'marks.csv'}:3"):
        without_rejected(set_to_read(), marks)
