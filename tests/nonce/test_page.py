"""The page of a set: what it holds is the set, and what it holds stays text."""

import json
import os
import re
import subprocess
import sys
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.nonce.item import sentence_text
from colorless_green.nonce.mined import pair, raw_text
from colorless_green.nonce.page.marks import Mark, Marks
from colorless_green.nonce.page.page import render, write_page
from colorless_green.nonce.page.pieces import is_right_to_left, pieces
from colorless_green.nonce.page.record import ABOUT, page_data
from colorless_green.nonce.suite import Suite, content_hash
from tests.nonce.page_items import HOSTILE, original, set_to_read, variant

words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)
blanks = st.sampled_from(["", " "])
MARKS = Marks({"k": Mark("accept", "fine </script>"), "d": Mark("reject")})


class Page(HTMLParser):
    """The elements of a page, its two scripts and its texts outside them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.inside: dict[str, str] = {}
        self.own = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        kind = dict(attrs).get("type") if tag == "script" else ""
        self.own = f"{tag} {kind}" if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self.own = ""

    def handle_data(self, data: str) -> None:
        self.inside[self.own] = self.inside.get(self.own, "") + data

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]


@pytest.fixture(scope="module")
def text() -> str:
    return render(set_to_read(), MARKS)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


@pytest.fixture(scope="module")
def data(page: Page) -> dict[str, Any]:
    return dict(json.loads(page.inside["script application/json"]))


def whole(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Item id → record with what it shares with its group's first put back."""
    return {
        record["id"]: {**{key: group[0][key] for key in data["about"]}, **record}
        for group in data["groups"]
        for record in group
    }


def test_what_is_embedded_is_the_set(data: dict[str, Any]) -> None:
    plain = json.loads(json.dumps(page_data(set_to_read(), MARKS)))
    assert data == plain
    assert list(whole(data)) == [item.item_id for item in set_to_read().items]


def shown(record: dict[str, Any], condition: str) -> str:
    if "words" not in record:
        return "".join(text for _, text in dict(record["lines"])[condition])
    words = list(record["words"])
    if condition == "wrong":
        words[record["target"]] = " " + record["wrong"]
    return "".join(words)


def test_the_raw_text_of_every_sentence_is_there(data: dict[str, Any]) -> None:
    records = whole(data)
    for item in set_to_read().items:
        for condition, (wording,) in item.conditions.items():
            assert shown(records[item.item_id], condition) == sentence_text(wording)


def test_no_text_of_an_item_becomes_markup(page: Page, data: dict[str, Any]) -> None:
    assert page.tags.count("script") == 2
    assert not {"img", "i", "iframe", "object"} & set(page.tags)
    assert page.tags.count("b") == 3  # the counts; none of the suite's name
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert whole(data)["k-2"]["words"][9].strip() == HOSTILE
    assert data["texts"][whole(data)["p"]["construction"]] == HOSTILE


def test_the_embedded_data_cannot_end_their_element(page: Page) -> None:
    inside = page.inside["script application/json"]
    assert not set("<>&\u2028\u2029") & set(inside)


def test_half_a_surrogate_pair_does_not_stop_the_page(tmp_path: Path) -> None:
    write_page(Suite("s", (original("x", "keys \ud800 are", 0, 2, "is"),)), tmp_path / "x.html")
    page = Page((tmp_path / "x.html").read_text(encoding="utf-8"))
    (group,) = json.loads(page.inside["script application/json"])["groups"]
    assert group[0]["words"] == ["keys", " \ud800", " are"]


def test_the_page_allows_its_own_style_and_script_and_nothing_else(page: Page) -> None:
    (policy,) = [each for each in page.all("content") if "default-src" in each]
    own = {name: digest(page.inside[name]) for name in ("style ", "script module")}
    assert policy == (
        f"default-src 'none'; style-src '{own['style ']}'; script-src '{own['script module']}'; "
        "img-src data:; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    assert "style" not in {name for name, _ in page.attributes}


def digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def test_the_page_asks_for_no_other_file(text: str, page: Page) -> None:
    assert page.all("src") == []
    assert page.all("href") == ["data:,"]
    assert not re.search(r"url\(|@import|https?:|fetch\(|\bimport\b|XMLHttp", text)


def test_the_script_finds_every_element_it_names(page: Page) -> None:
    script = page.inside["script module"]
    named = set(re.findall(r'find\("([\w-]+)"\)', script))
    assert named <= set(page.all("id"))
    assert len(page.all("id")) == len(set(page.all("id")))


def test_the_same_set_gives_the_same_bytes_whatever_the_order_of_hashes(text: str) -> None:
    program = (
        "import sys; from tests.nonce.test_page import MARKS, render, set_to_read;"
        "sys.stdout.buffer.write(render(set_to_read(), MARKS).encode())"
    )
    for seed in "12":
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            check=True,
            cwd=Path(__file__).resolve().parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert done.stdout.decode() == text


def test_the_file_holds_what_is_rendered(tmp_path: Path, text: str) -> None:
    write_page(set_to_read(), tmp_path / "new" / "page.html", MARKS)
    assert (tmp_path / "new" / "page.html").read_bytes() == text.encode()


def test_marks_are_kept_under_the_content_of_the_set(data: dict[str, Any]) -> None:
    suite = set_to_read()
    assert data["content"] == content_hash(suite.items, suite.predictions)
    assert data["marks"] == {"k": ["accept", "fine </script>"], "d": ["reject", ""]}


def test_an_original_stands_before_what_was_made_from_it(data: dict[str, Any]) -> None:
    one, two, *_ = set_to_read().items
    groups = page_data(Suite("s", (two, one)), Marks())["groups"]
    assert [[each["id"] for each in group] for group in groups] == [["k", "k-1"]]
    assert [bool(each.get("is_original")) for each in groups[0]] == [True, False]


def test_variants_leave_out_what_their_original_says_too(data: dict[str, Any]) -> None:
    _, k_1, _ = data["groups"][0]
    assert not set(ABOUT) & set(k_1)


def test_a_replaced_word_stands_with_the_word_of_the_original(data: dict[str, Any]) -> None:
    assert whole(data)["k-1"]["new"] == {"1": "keys", "4": "cabinet", "9": "are"}
    assert "new" not in whole(data)["k"]


def test_replaced_words_are_found_where_a_token_was_added() -> None:
    base = original("x", "a key to it , they say , is", 1, 8, "are")
    made = variant(base, 1, {1: "owl", 8: "sings"}, "sing")
    assert made.agreement is not None
    tokens = ("an", *made.agreement.tokens[1:])
    agreement = replace(
        made.agreement,
        tokens=("Well", *tokens),
        spaces=("", " ", *made.agreement.spaces[1:]),
        upos=("X",) * 10,
        feats=("_",) * 10,
        cue_index=2,
        target_index=9,
        substitutions=(1, 2, 9),
    )
    item = replace(made, agreement=agreement, conditions=pair(agreement))
    (_, record), *_ = page_data(Suite("s", (base, item)), Marks())["groups"]
    assert record["new"] == {1: "", 2: "", 9: "is"}


def test_without_the_original_no_word_is_said_to_have_stood_there() -> None:
    _, k_1, *_ = set_to_read().items
    ((record,),) = page_data(Suite("s", (k_1,)), Marks())["groups"]
    assert record["new"] == {1: "", 4: "", 9: ""}


def test_a_wrong_sentence_that_differs_elsewhere_is_shown_whole() -> None:
    item = original("x", "un amico , dici , canta", 1, 5, "cantano")
    (right,), (wrong,) = item.conditions.values()
    other = replace(wrong[0], text="gli amici, dici,")
    changed = replace(item, conditions={"right": (right,), "wrong": ((other, *wrong[1:]),)})
    ((record,),) = page_data(Suite("s", (changed,)), Marks())["groups"]
    assert record["other"] == ["gli amici, dici,", " cantano", ""]


def test_hebrew_runs_from_right_to_left_also_around_a_foreign_word(data: dict[str, Any]) -> None:
    sides = {item_id: record.get("rtl", 0) for item_id, record in whole(data).items()}
    assert sides == {
        **dict.fromkeys(("k", "k-1", "k-2", "d", "d-1", "p"), 0),
        **dict.fromkeys(("h", "h-1", "a"), 1),
    }
    foreign = original(
        "f", "USB International Standard Company של סמסונג", 0, 5, "x", language="he"
    )
    items = (*set_to_read().items, foreign)
    assert page_data(Suite("s", items), Marks())["groups"][-1][0]["rtl"] == 1


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("שלום", True),
        ("سلام", True),
        ("नमस्ते", False),
        ("你好", False),
        ("12 ,", False),
        ("", False),
    ],
)
def test_the_side_is_that_of_the_letters(written: str, expected: bool) -> None:
    assert is_right_to_left([written]) is expected


@given(st.lists(st.tuples(words, blanks), max_size=8), st.text(max_size=30))
def test_pieces_are_the_text_one_for_each_token(
    tokens: list[tuple[str, str]], written: str
) -> None:
    forms, spaces = tuple(form for form, _ in tokens), tuple(blank for _, blank in tokens)
    found = pieces(forms, spaces, written)
    assert len(found) == len(forms)
    assert "".join(found) == (written if forms else "")


@given(st.lists(st.tuples(words, blanks), min_size=1, max_size=8))
def test_where_the_text_is_the_tokens_each_piece_is_its_token(
    tokens: list[tuple[str, str]],
) -> None:
    forms, spaces = tuple(form for form, _ in tokens), tuple(blank for _, blank in tokens)
    assert pieces(forms, spaces, raw_text(forms, spaces)) == tuple(
        blank + form for form, blank in tokens
    )


@pytest.mark.parametrize(
    ("tokens", "text", "expected"),
    [
        ("lo amico canta", "l'amico canta", ("l'", "amico", " canta")),
        ("de le ami", "du ami", ("du", "", " ami")),
        ("A é B", "A B", ("A", " ", "B")),
    ],
)
def test_pieces_follow_an_elision(tokens: str, text: str, expected: tuple[str, ...]) -> None:
    assert pieces(tuple(tokens.split(" ")), (), text) == expected


def test_an_empty_set_has_a_page_without_items() -> None:
    page = Page(render(Suite("empty", ())))
    assert json.loads(page.inside["script application/json"])["groups"] == []
    assert "none" in page.inside[""]
