"""The page as a whole: safe, self-contained, the same every time, and whole without its parts."""

import re
import sys
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from colorless_green.data.tables import Row
from colorless_green.humans.report.material import Example, Material, Run
from colorless_green.humans.report.page import SECTIONS, render
from colorless_green.humans.report.sources import ADDRESS
from tests.humans.report_material import HOSTILE, agreement_item, material, without_people

VOID = {"meta", "link", "br", "wbr", "path", "use", "hr"}


class Outline(HTMLParser):
    """Which tags, ids, references and texts a page has, and whether its tags close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "xlink:href", "src"):
                self.references.append(value or "")
            if name in ("aria-labelledby", "aria-describedby"):
                self.references.append(f"#{value}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def outline(page: str) -> Outline:
    found = Outline()
    found.feed(page)
    found.close()
    return found


@pytest.fixture(scope="module")
def page() -> str:
    return render(material())


@pytest.fixture(scope="module")
def seen(page: str) -> Outline:
    return outline(page)


def test_the_same_material_gives_the_same_bytes(page: str) -> None:
    assert render(material()) == page


def test_every_tag_is_closed_and_every_id_is_there_once(seen: Outline) -> None:
    assert seen.open == []
    assert len(seen.ids) == len(set(seen.ids))


def test_every_reference_stays_on_the_page(page: str, seen: Outline) -> None:
    inside = {each[1:] for each in seen.references if each.startswith("#")}
    assert all(each.startswith(("#", "data:", ADDRESS)) for each in seen.references)
    assert inside <= set(seen.ids)
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(seen.ids)
    # A treebank's repository may be linked to; nothing is ever fetched, from there or elsewhere.
    assert not re.search(r"url\((?!#)|@import|https?:", page.replace(f'<a href="{ADDRESS}', "<a"))


def test_the_page_forbids_itself_everything_but_its_own_style_and_script(page: str) -> None:
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        f" script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    head = page[: page.index("</head>")]
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in head


def test_markup_in_sentences_titles_and_names_is_text(seen: Outline, page: str) -> None:
    assert seen.tags.count("script") == page.count("<script") == 1
    assert not {"b", "i", "img", "iframe", "object"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    assert HOSTILE in "".join(seen.text)


def test_names_from_outside_are_escaped_wherever_they_stand() -> None:
    evil = '"><img src=x onerror=alert(1)>$\\frac{'
    made = replace(
        material(),
        title=evil,
        figures=((evil, evil),),
        rejections=((evil, 1),),
        runs=(Run(evil, evil, evil, evil, evil, 1.0, evil),),
        versions=((evil, evil),),
        notes=(evil,),
        examples=(Example(agreement_item(f"a {evil} c d e", 1, 3, evil, construction=evil)),),
        constructions=({"construction": evil, "verdict": evil, "reason": evil, "n": 3},),
        accuracy=tuple(
            {**row, "model": evil, "construction": row.get("construction") and evil}
            for row in material().accuracy[:8]
        ),
        comparison=tuple({**row, "construction": evil} for row in material().comparison[:4]),
    )
    found = outline(render(made))
    assert "img" not in found.tags
    assert not [name for name, _ in found.attributes if name == "onerror"]


def test_simulated_judgments_are_called_so_wherever_people_stand(page: str) -> None:
    assert page.count("The judgments are simulated.") == 4
    assert "<strong>Simulated judgments.</strong>" in page
    labels = re.findall(r"<bdi>(people[^<]*)</bdi>", page)
    assert labels
    assert set(labels) == {"people (simulated)"}


def test_real_judgments_carry_no_such_label() -> None:
    assert "imulated" not in render(replace(material(), simulated=False))


def test_each_example_has_its_language_and_direction(page: str) -> None:
    assert '<p class="sentence" lang="he" dir="rtl">' in page
    assert '<p class="sentence" lang="en" dir="ltr">' in page
    assert '<bdi class="mark right">רצים</bdi>' in page
    assert '<bdi class="mark wrong">רץ</bdi>' in page


def test_every_mark_has_a_label_in_words(page: str) -> None:
    marks = re.findall(r'<span class="label"[^>]*>([^<]*)</span> <bdi class="mark ([a-z]*)', page)
    assert {role: label for label, role in marks} == {
        "cue": "cue",
        "lure": "attractor",
        "right": "right",
        "wrong": "wrong",
    }
    assert page.count('class="mark ') == len(marks)


def test_replaced_words_of_a_variant_are_marked(page: str) -> None:
    assert '<span class="new">הענן</span>' in page
    assert '<bdi class="mark cue new">הספרים</bdi>' in page
    assert '<bdi class="mark cue">הילדים</bdi>' in page


def test_drawings_have_a_name_a_description_and_their_numbers(seen: Outline, page: str) -> None:
    drawings = re.findall(r'<svg [^>]*role="img"[^>]*>', page)
    assert len(drawings) == 3 * 2 + 4  # two kinds; four models
    for drawing in drawings:
        assert "aria-labelledby" in drawing
        assert "aria-describedby" in drawing
    assert seen.tags.count("desc") == len(drawings)
    assert page.count("<summary>The numbers in the figure (") == seen.tags.count("figure")


def test_drawings_take_their_colours_from_the_style_sheet(page: str) -> None:
    body = page[page.index("</style>") :]
    assert not re.search(r"#0a0[bc]", body)
    assert set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", body)) <= {"#000000"}
    used = set(re.findall(r"var\((--[a-z0-9]+)\)", body))
    style = page[: page.index("</style>")]
    assert all(f"{name}:" in style for name in used)


def test_without_matplotlib_the_numbers_come_and_the_page_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = render(material())
    found = outline(page)
    assert "svg" not in found.tags
    assert "pip install &#39;colorless-green[humans]&#39;" in page
    assert page.count("<details open") == page.count("<figure")
    assert found.open == []


def test_a_page_without_people_says_so_and_has_three_figures() -> None:
    page = render(without_people())
    assert "No judgments of people have been imported for these items." in page
    assert page.count("<figure") == 3
    assert outline(page).open == []


def test_a_page_of_nothing_but_a_title_stands() -> None:
    page = render(Material(title="Empty"))
    found = outline(page)
    assert found.open == []
    assert "No model has been scored yet, and no construction has been accepted." in page
    linked = {each[1:] for each in found.references if each.startswith("#")}
    assert linked <= set(found.ids)
    assert len(linked) < len(SECTIONS)


def test_material_read_back_from_text_tables_gives_the_same_page(page: str) -> None:
    """Cells of TSV files are strings, empty for missing."""
    made = material()
    read_back = replace(
        made,
        constructions=as_text(made.constructions),
        accuracy=as_text(made.accuracy),
        comparison=as_text(made.comparison),
    )
    assert render(read_back) == page


def as_text(rows: Iterable[Row]) -> tuple[Row, ...]:
    return tuple(
        {key: "" if cell is None else str(cell) for key, cell in row.items()} for row in rows
    )


def test_headings_go_down_one_step_at_a_time(seen: Outline) -> None:
    levels = [int(tag[1]) for tag in seen.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
