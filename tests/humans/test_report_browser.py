"""The report page in a browser: at every width, in light and dark, by mouse and keyboard, on paper,
and without its script."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.humans.participant import TAGS, axe, chromium
from tests.humans.printed import pages_of
from tests.humans.report_material import agreement_item, hebrew
from tests.humans.report_pages import ASKED, asked, full, trials, visits
from tests.humans.stored import Kept

pytestmark = pytest.mark.slow  # what they look at is dear to make

# What axe-core looks at: everything unfolded, but not the rows that are made like others, nor the
# insides of drawings, which are one image each; and no shade behind tables, which would hide their
# colours from it.
OPEN = """() => {
  for (const each of document.querySelectorAll("details")) each.open = true;
  for (const each of document.querySelectorAll("tr:nth-child(n + 5), svg > g")) each.remove();
  for (const each of document.querySelectorAll(".scroll")) each.style.background = "none";
}"""
LOOK = """tags => axe.run({runOnly: tags, resultTypes: ["violations"]}).then(
  ({violations}) => violations.map(each => `${each.id}: ${each.nodes[0].html}`))"""
TABLE = "#by-value"  # texts, numbers, and second lines
COLUMN = f"{TABLE} tbody tr > :nth-child({{}})"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a full page, one with nothing, and one whose sentences all run from right to left."""
    folder = tmp_path_factory.mktemp("pages")
    kept, suite = Kept(), hebrew()
    suite_id = kept.suite(suite)
    kept.run(suite_id, "model", {item.item_id: (0.0, -1.5) for item in suite})
    kept.totals({item.item_id: (9, 10) for item in suite})
    from_right = kept.report(drawn=True)
    bare = Kept()
    suite_id = bare.suite([agreement_item("a b c d e", 1, 3, "x")])
    bare.run(suite_id, "model", {})
    made = {"full": full(), "empty": bare.report(drawn=True), "hebrew": from_right}
    people = asked(ASKED, trials(ASKED), visits())  # two files, by different rules
    later = [replace(each, participant="q", trial_id=f"q{each.trial_id}") for each in trials(ASKED)]
    people.people(later[:20], name="later", exclude=["max_filler_errors=0.5"])
    made["people"] = people.report()
    for name, page in made.items():
        (folder / f"{name}.html").write_text(page.html, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in made}


class Opened:
    """A page, what it asked for, and what the browser complained of."""

    def __init__(self, browser: Browser, file: Path, **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.asked: list[str] = []
        self.faults: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.goto(file.as_uri())


def sized(width: int, scheme: str = "light") -> dict[str, Any]:
    return {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}


@pytest.fixture(scope="module")
def opened(browser: Browser, files: dict[str, Path]) -> Iterator[Opened]:
    """Yield the full page on a desk; whoever sorts it puts it back."""
    found = Opened(browser, files["full"], **sized(1280))
    yield found
    found.page.close()


@pytest.fixture(scope="module")
def page(opened: Opened) -> Page:
    return opened.page


def column(page: Page, number: int) -> list[str]:
    """Return the first lines of a column's cells, from above; `number` counts from 1."""
    texts = "all => all.map(cell => cell.firstChild.textContent.trim())"
    return list(page.eval_on_selector_all(COLUMN.format(number), texts))


@pytest.mark.parametrize("name", ["full", "empty"])
def test_nobody_is_shut_out_at_any_width_in_light_and_dark(
    browser: Browser, files: dict[str, Path], name: str
) -> None:
    audit = axe()
    for width in (320, 1280):
        for scheme in ("light", "dark"):
            opened = Opened(browser, files[name], **sized(width, scheme))
            assert opened.page.evaluate("document.documentElement.scrollWidth") == width
            opened.page.evaluate(OPEN)
            assert opened.page.evaluate(f"{audit}; {LOOK}", TAGS) == []
            assert opened.asked == [files[name].as_uri()]
            assert opened.faults == []
            opened.page.close()


def test_what_a_page_could_be_made_to_do_its_policy_forbids(
    browser: Browser, files: dict[str, Path]
) -> None:
    opened = Opened(browser, files["empty"])
    refused: list[str | None] = []
    opened.page.on("requestfailed", lambda request: refused.append(request.failure))
    opened.page.evaluate(
        """() => {
          document.body.insertAdjacentHTML('beforeend', `<img src="https://example.org/x.png"
            onerror="window.reached = true"><form action="https://example.org"></form>`);
          const script = document.body.appendChild(document.createElement('script'));
          script.textContent = 'window.reached = true';
          document.forms[0].submit();
        }"""
    )
    opened.page.wait_for_timeout(50)
    assert opened.page.evaluate("window.reached") is None
    assert refused == ["csp"]
    assert len([each for each in opened.faults if "Content Security Policy" in each]) >= 3
    opened.page.close()


def test_a_press_on_a_heading_sorts_and_says_so_and_the_third_undoes_it(page: Page) -> None:
    own = column(page, 3)
    heading = page.locator(f"{TABLE} thead th").nth(2)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert column(page, 3) == sorted(own, key=float, reverse=True)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert column(page, 3) == sorted(own, key=float)
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") is None
    assert column(page, 3) == own
    assert len(set(own)) > 3


def test_texts_begin_with_the_first_and_equal_rows_stay_in_their_order(page: Page) -> None:
    rows = list(zip(column(page, 1), column(page, 2), column(page, 3), strict=True))
    for number in (2, 1):
        page.locator(f"{TABLE} thead button").nth(number).focus()
        page.keyboard.press("Enter" if number == 1 else "Space")
    sorts = page.eval_on_selector_all(f"{TABLE} th[scope=col]", "all => all.map(e => e.ariaSort)")
    assert sorts[:3] == [None, "ascending", None]
    expected = sorted(rows, key=lambda row: -float(row[2]))
    expected.sort(key=lambda row: row[1])
    assert list(zip(column(page, 1), column(page, 2), column(page, 3), strict=True)) == expected
    for _ in range(2):
        page.keyboard.press("Enter")
    assert column(page, 1) == [row[0] for row in rows]


CELLS = ("−1.5", "", "+12.0", "1,204", "< 0.001", "no variation", "–", "82.4–90.5")


def test_numbers_are_sorted_as_numbers_and_what_is_missing_comes_last(
    page: Page, browser: Browser
) -> None:
    """Not every number is written as programs write it; one has its value beside it."""
    rows = "".join(f'<tr><th>a</th><td class="number">{each}</td></tr>' for each in CELLS)
    script = page.evaluate("document.scripts[0].textContent")
    other = browser.new_page()
    other.set_content(
        '<html lang="en"><table><thead><tr><th>a</th><th>b</th></tr></thead>'
        f'<tbody>{rows}<tr><th>a</th><td data-value="inf">always</td></tr></tbody></table>'
    )
    other.add_script_tag(content=script)
    orders = []
    for _ in range(2):
        other.click("th:nth-child(2) button")
        cells = other.eval_on_selector_all("td", "all => all.map(cell => cell.textContent)")
        orders.append(cells)
    numbers = ["−1.5", "< 0.001", "+12.0", "82.4–90.5", "1,204", "always"]
    assert orders == [
        [*reversed(numbers), "no variation", "", "–"],
        [*numbers, "no variation", "", "–"],
    ]
    other.close()


def test_the_file_of_a_table_is_what_the_table_says(page: Page) -> None:
    with page.expect_download() as found:
        page.click(f"{TABLE} + .note a")
    name = found.value.suggested_filename
    assert name == "table-by-value.csv"
    assert found.value.path().read_text("utf-8") == full().files[name]


def test_a_pointer_over_a_mark_is_told_what_it_is(page: Page) -> None:
    mark = page.locator("#answer-figure [data-said]").first
    note = page.locator(".said")
    mark.hover()
    assert note.inner_text().replace("\n", " · ") == mark.get_attribute("data-said")
    beside, own = note.bounding_box(), mark.bounding_box()
    assert beside is not None
    assert own is not None
    assert beside["y"] + beside["height"] <= own["y"] or beside["y"] >= own["y"] + own["height"]
    note.hover()
    page.wait_for_timeout(400)  # more than the grace for coming over
    assert note.is_visible()
    page.keyboard.press("Escape")
    assert note.is_hidden()
    mark.hover()
    assert note.is_visible()
    page.mouse.move(0, 0)
    note.wait_for(state="hidden")
    assert page.locator("figure svg title").count() == 0  # nor does the browser tell it twice


def test_on_paper_nothing_is_folded_or_cut(browser: Browser, files: dict[str, Path]) -> None:
    opened = Opened(browser, files["full"], color_scheme="dark")
    folded = opened.page.eval_on_selector_all(
        "details:not(.long) :is(td, tbody th)", "all => all.map(cell => cell.textContent)"
    )
    pages = pages_of(opened.page.pdf(prefer_css_page_size=True))
    text = "".join(pages)
    assert len(folded) > 100
    told = ["".join(each.replace("…", "...").split()) for each in folded]
    assert [each for each in told if each not in text] == []
    assert all(pages)  # none is empty
    assert text.count("CSV") == text.count("asatableandasCSV")  # no link to a file
    opened.page.emulate_media(media="print")
    opened.page.set_viewport_size({"width": 688, "height": 1000})  # what A4 has between its margins
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 688
    assert opened.page.evaluate("getComputedStyle(document.body).backgroundColor") in (
        "rgb(255, 255, 255)"
    )
    opened.page.goto(files["people"].as_uri())
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 688
    opened.page.close()


def test_without_the_script_everything_can_be_read(
    page: Page, browser: Browser, files: dict[str, Path]
) -> None:
    plain = browser.new_context(java_script_enabled=False, **sized(1280)).new_page()
    plain.goto(files["full"].as_uri())
    assert plain.locator("thead button").count() == 0
    assert plain.locator("main").inner_text() == page.locator("main").inner_text()
    assert plain.locator("figure svg use > title").count() > 10
    for each in plain.locator("details > summary").all():
        each.click()
    hidden = plain.locator("main :is(td, th, p, li, dd):not(.up, .on-paper)").filter(visible=False)
    assert hidden.count() == 0
    plain.context.close()


@pytest.mark.parametrize("width", [320, 1280])
def test_every_section_is_one_press_away(
    browser: Browser, files: dict[str, Path], width: int
) -> None:
    """On a desk the contents stay beside the text; on a telephone each section leads back."""
    opened = Opened(browser, files["full"], **sized(width))
    links = opened.page.locator("nav a")
    last = links.last.get_attribute("href")
    links.last.click()
    assert opened.page.locator(f"{last} h2").bounding_box()["y"] < 800  # type: ignore[index]
    back = opened.page.locator(f"{last} .up a")
    assert back.is_visible() == (width == 320)
    if width == 320:
        back.click()
    box = opened.page.locator("nav").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 400
    opened.page.close()


def test_sentences_from_right_to_left_stand_on_a_page_from_left_to_right(
    browser: Browser, files: dict[str, Path]
) -> None:
    opened = Opened(browser, files["hebrew"], **sized(1280))
    assert opened.page.evaluate("getComputedStyle(document.body).direction") == "ltr"
    opened.page.evaluate(
        "for (const each of document.querySelectorAll('details')) each.open = true"
    )
    cue, target = (
        opened.page.locator(f".sentence .{role}").first.bounding_box() for role in ("cue", "right")
    )
    assert cue is not None
    assert target is not None
    assert cue["x"] > target["x"]
    forms = opened.page.locator("#disagree-people-1 tbody :is(th, td)[dir=rtl]").nth(1)
    assert forms.inner_text() == "רצים / רץ"
    places = forms.locator("bdi").evaluate(
        """e => ["רצים", "רץ"].map(word => {
          const text = e.firstChild, range = document.createRange();
          const start = text.data.lastIndexOf(word);
          range.setStart(text, start); range.setEnd(text, start + word.length);
          return range.getBoundingClientRect().x;
        })"""
    )
    assert places[0] > places[1]  # what is read first stands on the right
    opened.page.close()
