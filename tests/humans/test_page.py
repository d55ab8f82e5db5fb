"""The real page in a real browser, opened from a disk unless its platform is elsewhere."""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Browser, Dialog, Route

from colorless_green.data.tables import read_tsv
from colorless_green.humans import ImportOptions, read_files, read_study
from tests.builders import colorless
from tests.humans.answer_material import import_answers
from tests.humans.circle import fill_in
from tests.humans.page_material import page_of
from tests.humans.participant import PAGE, READ_MS, Visitor, axe, chromium, say
from tests.humans.report_material import agreement_item
from tests.humans.study_material import store_of, suite
from tests.humans.trial_records import judgments_of

pytestmark = pytest.mark.slow

DONE = {"complete": "https://example.org/?cc=C0FFEE", "no_consent": "https://example.org/?cc=NO"}
SCRIPT = "<img src=x onerror=alert(1)></script><script>alert(2)</script>"
JATOS = "https://jatos.example/publix/1/"
PIPE = "https://pipe.jspsych.org/api/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def by_letter(visitor: Visitor) -> None:
    visitor.key("f")


def by_arrow(visitor: Visitor) -> None:
    visitor.key("ArrowRight")


def by_tab(visitor: Visitor) -> None:
    visitor.key("Tab")
    visitor.key("Enter")


def by_press(visitor: Visitor) -> None:
    visitor.press(".option >> nth=1")


def trials_in(rows: list[dict[str, Any]]) -> list[str]:
    """Return the names that the design gave the trials of these rows."""
    return [row["trial_id"].partition("/")[2] for row in rows]


def test_a_run_by_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path / "s", completion=DONE, redirect_seconds=0, debriefing="Of *verbs*.")
    visitor = Visitor.arrived(browser, path, search="?list=1", audit=axe())
    page = visitor.page
    page.wait_for_selector("#statement")
    for key in ("Tab", "Space", "Tab", "Space", "Tab", "Enter"):
        visitor.key(key)
    page.wait_for_selector(".prose")
    visitor.look()
    assert say("stay_lost") in page.inner_text("main")
    for key in ("Tab", "Tab", "Enter"):  # over the keys' panel
        visitor.key(key)
    ways: tuple[Callable[[Visitor], None], ...] = (by_letter, by_arrow, by_tab, by_letter, by_tab)
    for way in ways:
        page.wait_for_selector(".option")
        before = visitor.where()
        visitor.look()
        page.wait_for_timeout(READ_MS)
        way(visitor)
        page.wait_for_function(
            "before => !document.querySelector('.option')"
            " || document.getElementById('progress').textContent !== before",
            arg=before,
        )
        while not page.locator(".option, fieldset").count():
            visitor.look()
            visitor.key("Tab")
            visitor.key("Enter")
            page.wait_for_timeout(50)
    with page.expect_download() as download:
        for key in ("Tab", "Space", "Tab", "ArrowDown", "Tab", "Enter"):
            visitor.key(key)
    visitor.titled("done")
    visitor.look()
    assert page.get_attribute("a.button", "href") == DONE["complete"]
    assert "Of verbs." in page.inner_text("main")
    rows = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert trials_in(rows) == [f"1-{n}" for n in range(1, 6)]
    assert [row["response"] for row in rows] == [0, 1, 0, 0, 0]
    assert {row["input"] for row in rows} == {"keyboard"}
    assert all(READ_MS - 100 < row["rt"] < 20_000 for row in rows)
    assert {(row["native"], row["help"]) for row in rows} == {("yes", "no")}
    assert visitor.faults == []
    assert visitor.hosts == {""}


def test_a_run_by_touch_in_hebrew_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path / "s", language="he", languages_required=("he",))
    visitor = Visitor.arrived(browser, path, audit=axe(), phone=True)
    visitor.begin()
    visitor.page.wait_for_selector(".option")
    assert visitor.page.get_attribute("html", "dir") == "rtl"
    first, second = (visitor.page.locator(".option").nth(n).bounding_box() for n in (0, 1))
    assert first is not None
    assert second is not None
    assert first["x"] > second["x"]
    assert first["y"] == second["y"]
    for _ in range(5):
        visitor.trial(by_press)
    answers = {(row["input"], row["side"], row["response"]) for row in visitor.saved()}
    assert answers == {("touch", "left", 1)}
    assert visitor.faults == []


def test_letters_choose_by_the_side_on_the_screen(browser: Browser, tmp_path: Path) -> None:
    """In Hebrew the first option stands on the right, and F lies on the left."""
    path = page_of(tmp_path / "s", language="he", languages_required=("he",), kinds=("target",))
    visitor = Visitor.arrived(browser, path)
    visitor.begin()
    visitor.trial(by_letter)
    (row,) = visitor.saved()
    assert (row["response"], row["side"]) == (1, "left")


@pytest.mark.parametrize("task", ["form", "sentence"])
def test_after_practice_the_sentence_is_there_with_what_goes_into_it(
    browser: Browser, tmp_path: Path, task: str
) -> None:
    path = page_of(tmp_path / "s", task=task, kinds=("practice", "target"), n_lists=1)
    visitor = Visitor.arrived(browser, path, phone=True, audit=axe())
    visitor.begin()
    visitor.page.wait_for_selector(".option")
    visitor.page.wait_for_timeout(READ_MS)
    by_press(visitor)  # the wrong one
    visitor.page.wait_for_selector(".told")
    visitor.look()
    shown = visitor.page.inner_text("main")
    wanted = {"form": "The keys to the cabinet (1) are", "sentence": "… are (1)."}[task]
    wanted = wanted.replace("…", "The keys to the cabinet")
    assert [each for each in shown.splitlines() if each] == [
        *(say("feedback_other"), say(f"feedback_{task}", right="are"), wanted),
        say("continue"),
    ]
    assert visitor.faults == []


@pytest.mark.parametrize(
    ("pair", "smaller"),
    [(("responsabilizzati", "responsabilizzato"), True), (("sono", "è"), False)],
)
def test_a_form_is_set_smaller_on_a_phone_only_before_it_would_break(
    browser: Browser, tmp_path: Path, pair: tuple[str, str], smaller: bool
) -> None:
    path = page_of(
        tmp_path / "s",
        language="it",
        kinds=("target",),
        n_lists=1,
        change=lambda each: replace(each, options=pair),
    )
    visitor = Visitor.arrived(browser, path, phone=True, audit=axe())
    visitor.begin()
    visitor.page.wait_for_selector(".option")
    visitor.look()
    (one, size), (other, same) = visitor.page.eval_on_selector_all(
        ".option bdi",
        """all => all.map(e => {
          const range = document.createRange();
          range.selectNodeContents(e);
          return [range.getClientRects().length, parseFloat(getComputedStyle(e).fontSize)];
        })""",
    )
    usual = visitor.page.eval_on_selector(
        ".stimulus", "e => parseFloat(getComputedStyle(e).fontSize)"
    )
    assert (one, other) == (1, 1)  # lines
    assert size == same
    assert (size < usual) == smaller
    assert visitor.faults == []


@pytest.mark.parametrize("scale", ["7", "slider", "magnitude"])
def test_a_run_through_ratings(browser: Browser, tmp_path: Path, scale: str) -> None:
    def rate(visitor: Visitor) -> None:
        visitor.press("button.main")
        visitor.page.wait_for_selector(".error:not(:empty)")
        if scale == "7":
            visitor.key("6")
        elif scale == "slider":
            visitor.page.focus("#range")
            visitor.key("End")
            visitor.key("ArrowLeft")
        else:
            visitor.page.fill("#number", "12,5")
        visitor.look()
        visitor.press("button.main")

    path = page_of(tmp_path / "s", task="rating", scale=scale)
    visitor = Visitor.arrived(browser, path, audit=axe(), phone=True)
    rows = visitor.all(rate)
    assert [row["response"] for row in rows] == [
        {"7": 6, "slider": 99, "magnitude": 12.5}[scale]
    ] * 5
    assert visitor.faults == []


def test_a_run_through_sentences_to_choose(browser: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path / "s", task="sentence")
    visitor = Visitor.arrived(browser, path, audit=axe(), phone=True)
    assert {row["side"] for row in visitor.all(by_press)} == {"bottom"}
    assert visitor.faults == []


def test_what_comes_too_early_or_twice_is_no_answer(browser: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path / "s", minimum_rt_ms=1500, kinds=("target", "target"))
    visitor = Visitor.arrived(browser, path)
    visitor.begin()
    visitor.page.wait_for_selector(".option")
    visitor.page.wait_for_timeout(READ_MS)
    visitor.key("f")
    visitor.page.locator(".option").first.click()
    visitor.page.wait_for_timeout(1600)
    assert visitor.where() == say("progress_recorded", n=1, total=2)
    visitor.page.locator(".option").first.dblclick()
    visitor.page.wait_for_timeout(1600)
    visitor.key("f")
    first, second = visitor.saved()
    assert (first["n_ignored"], second["n_ignored"]) == (2, 1)
    assert first["rt"] >= 1500


def test_no_answer_before_the_deadline_is_an_answer_of_its_own(
    browser: Browser, tmp_path: Path
) -> None:
    path = page_of(tmp_path / "s", deadline_ms=800, kinds=("target",))
    visitor = Visitor.arrived(browser, path)
    visitor.begin()
    (row,) = visitor.saved()
    assert (row["response"], row["rt"]) == (None, None)
    assert row["at"]


def test_letters_can_be_changed_and_switched_off(browser: Browser, tmp_path: Path) -> None:
    path = page_of(tmp_path / "s", kinds=("target", "target"))
    visitor = Visitor.arrived(browser, path)
    visitor.consent()
    visitor.press("summary")
    visitor.page.locator(".keys input[type=text]").first.fill("x")
    visitor.press("button.main")
    visitor.trial(lambda each: each.key("x"))
    visitor.page.once("dialog", lambda dialog: dialog.accept())
    visitor.page.reload()
    visitor.consent()
    visitor.press("summary")
    visitor.page.locator(".keys input[type=checkbox]").click()
    visitor.press("button.main")
    visitor.page.wait_for_selector(".option")
    visitor.page.wait_for_timeout(READ_MS)
    visitor.key("f")
    visitor.page.wait_for_timeout(READ_MS)
    assert visitor.where() == say("progress_recorded", n=1, total=2)
    visitor.trial(by_arrow)


def test_who_declines_is_shown_the_way_back(browser: Browser, tmp_path: Path) -> None:
    visitor = Visitor.arrived(browser, page_of(tmp_path / "s", completion=DONE), audit=axe())
    visitor.page.wait_for_selector("#statement")
    visitor.press("button[type=button]")
    visitor.page.wait_for_selector("a.button")
    visitor.look()
    assert visitor.page.get_attribute("a.button", "href") == DONE["no_consent"]
    assert visitor.page.evaluate("localStorage.length") == 0
    assert visitor.faults == []


def test_script_in_a_sentence_is_shown_and_not_run(browser: Browser, tmp_path: Path) -> None:
    path = page_of(
        tmp_path / "s",
        change=lambda each: replace(each, prefix=SCRIPT, options=(f"a{SCRIPT}", f"b{SCRIPT}")),
        kinds=("target",),
        title=SCRIPT,
        consent_statement=SCRIPT,
    )
    visitor = Visitor.arrived(browser, path)
    visitor.page.on("dialog", lambda dialog: visitor.faults.append("a dialog"))
    visitor.begin()
    visitor.page.wait_for_selector(".option")
    assert SCRIPT in visitor.page.inner_text(".stimulus")
    assert SCRIPT in visitor.page.inner_text(".option >> nth=0")
    visitor.trial(by_letter)
    assert len(visitor.saved()) == 1
    assert visitor.faults == []


def test_people_are_sent_back_by_themselves_unless_they_stay(
    browser: Browser, tmp_path: Path
) -> None:
    path = page_of(tmp_path / "s", kinds=("target",), completion=DONE, redirect_seconds=3)
    for stays in (False, True):
        visitor = Visitor.arrived(browser, path, audit=axe())
        visitor.page.route("https://example.org/**", lambda route: route.fulfill(body="back"))
        visitor.all(by_letter, 1)
        if not stays:
            visitor.page.wait_for_url(DONE["complete"])
            continue
        visitor.press("text=" + say("stay"))
        assert visitor.page.locator("[role=timer]").count() == 0
        assert visitor.page.evaluate("document.activeElement.href") == DONE["complete"]
        visitor.look()
        assert visitor.faults == []


def test_a_page_that_is_closed_early_asks_and_begins_anew(browser: Browser, tmp_path: Path) -> None:
    visitor = Visitor.arrived(browser, page_of(tmp_path / "s", kinds=("target", "target")))
    visitor.begin()
    visitor.trial(by_letter)
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    visitor.page.once("dialog", leave)
    visitor.page.reload()
    assert asked == ["beforeunload"]
    rows = visitor.all(by_letter, 2)
    assert len(rows) == 2
    visitor.page.reload()  # nothing is lost any more: nobody is asked
    visitor.page.wait_for_selector("#statement")
    assert asked == ["beforeunload"]


def test_one_browser_deals_the_lists_in_turn_unless_the_address_names_one(
    browser: Browser, tmp_path: Path
) -> None:
    path = page_of(tmp_path / "s", kinds=("target",), n_lists=4)
    context = browser.new_context()
    dealt = []
    for search in ("", "", "?list=3", "", "", "?list=9"):
        visitor = Visitor.arrived(browser, path, search=search, context=context)
        dealt += [row["list"] for row in visitor.all(by_letter, 1)]
        visitor.page.close()
    assert dealt == [1, 2, 3, 3, 4, 1]


FAKES = """
globalThis.window = globalThis;
const { setTimeout: later } = globalThis;
globalThis.setTimeout = (work) => later(work, 2 * Math.random());  // nobody waits in a test
const breath = () => new Promise((resolve) => later(resolve, 2 * Math.random()));
let n_conflicts = 0;
const server = { version: 0, data: {} };  // JATOS: a write to an old version is refused
const batch = () => {
  let own = { version: 0, data: {} };
  return {
    get: (name) => own.data[name],
    set: async (name, value) => {
      const { version } = own;
      await breath();
      const fits = version === server.version;
      if (fits) Object.assign(server, { version: version + 1, data: { [name]: value } });
      own = structuredClone(server);  // what the server sends to every session
      if (!fits) { n_conflicts += 1; throw new Error("conflict"); }
    },
  };
};
let condition = 0;
globalThis.fetch = async (address, { body }) => {
  await breath();
  const { experimentID } = JSON.parse(body);
  const known = address === "https://pipe.jspsych.org/api/condition/" && experimentID === "abc";
  return { json: async () => (known ? { condition: condition++ % 4 } : { error: "?" }) };
};
const kept = new Map();
globalThis.localStorage = {
  getItem: (name) => kept.get(name) ?? null,
  setItem: (name, value) => kept.set(name, String(value)),
};
globalThis.location = { pathname: "/study/index.html" };
"""
DEAL = """
const { assigned } = await import(process.argv[1]);
const [to, named] = process.argv.slice(2);
const study = { lists: [1, 2, 3, 4], answers: { to, experiment: "abc" } };
const session = async (n) => {
  await breath();
  return assigned(study, named || (n % 2 ? undefined : ""));
};
let lists = [];
if (to === "jatos") {  // forty at once, each with its own copy of the batch session
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const own = new AsyncLocalStorage();
  globalThis.jatos = { get batchSession() { return own.getStore(); } };
  const begin = (_, n) => own.run(batch(), () => session(n));
  lists = await Promise.all(Array.from({ length: 40 }, begin));
} else if (to === "download") {
  for (let n = 0; n < 40; n += 1) lists.push(await session(n));
} else lists = await Promise.all(Array.from({ length: 40 }, (_, n) => session(n)));
console.log(JSON.stringify({ lists, n_conflicts }));
"""


def dealt(to: str, named: str = "") -> tuple[Counter[int], int]:
    """How many of forty sessions have each of four lists, and how often JATOS refused."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    source = (PAGE / "src" / "lists.js").as_uri()
    command = [node, "--input-type=module", "-e", FAKES + DEAL, source, to, named]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return Counter(told["lists"]), told["n_conflicts"]


@pytest.mark.parametrize("to", ["jatos", "datapipe", "download"])
def test_forty_sessions_have_four_lists_ten_times_each(to: str) -> None:
    lists, n_conflicts = dealt(to)
    assert lists == {1: 10, 2: 10, 3: 10, 4: 10}
    assert (n_conflicts > 0) == (to == "jatos")


@pytest.mark.parametrize("to", ["jatos", "datapipe", "download"])
def test_a_list_that_the_address_names_is_shown(to: str) -> None:
    assert dealt(to, "3") == ({3: 40}, 0)


FAKE_JATOS = """
window.calls = [];
const data = { colorless_sessions: 1 };
window.jatos = {
  urlQueryParameters: { PROLIFIC_PID: "5f00aa" },
  onLoad: (begin) => begin(),
  batchSession: { get: (name) => data[name], set: async (name, value) => { data[name] = value; } },
  submitResultData: async (text) => { window.calls.push(JSON.parse(text)); },
  endStudyWithoutRedirect: async () => { window.calls.push("end"); },
  abortStudyWithoutRedirect: async () => { window.calls.push("abort"); },
};
"""


def on_jatos(browser: Browser, path: Path) -> Visitor:
    """Somebody at the page as JATOS serves it, with a script in place of its own."""
    context = browser.new_context()

    def answer(route: Route) -> None:
        script = route.request.url == f"{JATOS}jatos.js"
        body = FAKE_JATOS if script else path.read_text(encoding="utf-8")
        kind = "text/javascript" if script else "text/html"
        route.fulfill(body=body, content_type=kind)

    context.route(f"{JATOS}**", answer)
    return Visitor.arrived(browser, f"{JATOS}index.html", context=context)


def test_jatos_has_each_answer_at_once_and_is_told_the_end(
    browser: Browser, tmp_path: Path
) -> None:
    """So that of whoever closes the page there is what they answered: the rest are rows without."""
    items = [
        agreement_item("the keys & <b> of it are gone", 1, 6, "is", number=number)
        for number in (1, 2)
    ]
    names = {f"item-{number}": item.item_id for number, item in enumerate(items, start=1)}
    path = page_of(
        tmp_path / "s",
        "jatos",
        kinds=("target", "target"),
        debriefing="Of *verbs*.",
        change=lambda each: replace(each, item=names[each.item], prefix="the keys & <b> of it"),
    )
    visitor = on_jatos(browser, path)
    visitor.consent()
    assert say("stay_kept") in visitor.page.inner_text("main")
    visitor.press("button.main")
    for _ in range(2):
        visitor.trial(by_letter)
    visitor.say_last()
    visitor.titled("done")
    assert "Of verbs." in visitor.page.inner_text("main")
    first, second, last, end = visitor.page.evaluate("calls")
    assert end == "end"
    assert [[row["response"] for row in rows] for rows in (first, second, last)] == [
        *([0, None], [0, 0], [0, 0]),
    ]
    assert {row["PROLIFIC_PID"] for row in last} == {"5f00aa"}
    assert {row["list"] for row in last} == {2}  # one session has begun before
    for name, rows in (("part", first), ("whole", last)):
        (tmp_path / name).write_text(json.dumps(rows), encoding="utf-8")
        found = read_files([tmp_path / name], items, ImportOptions(key=lambda: bytes(32)))
        chosen = [each.option_1 for each in judgments_of(found.trials)]
        assert [(each.position, each.list) for each in judgments_of(found.trials)] == [
            (1, "2"),
            (2, "2"),
        ]
        assert [each.chosen for each in judgments_of(found.trials)] == [
            chosen[0],
            chosen[1] * (name == "whole"),
        ]
    assert visitor.faults == []


@pytest.mark.parametrize("to", ["jatos", "download"])
def test_whoever_stops_is_asked_and_then_nothing_of_theirs_is_left(
    browser: Browser, tmp_path: Path, to: str
) -> None:
    path = page_of(tmp_path / "s", to)
    visitor = on_jatos(browser, path) if to == "jatos" else Visitor.arrived(browser, path)
    visitor.begin()
    visitor.trial(by_letter)
    visitor.page.once("dialog", lambda dialog: dialog.dismiss())
    visitor.page.locator("#foot button").click()
    visitor.page.wait_for_selector(".option")
    visitor.page.once("dialog", lambda dialog: dialog.accept())
    visitor.page.locator("#foot button").click()
    visitor.titled("withdrawn")
    assert visitor.page.locator("#foot button").count() == 0
    if to == "jatos":
        assert visitor.page.evaluate("calls").pop() == "abort"


def test_datapipe_is_sent_everything_until_it_has_it(browser: Browser, tmp_path: Path) -> None:
    sent: list[tuple[str, dict[str, Any]]] = []

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(PIPE).strip("/")
        sent.append((name, json.loads(route.request.post_data or "")))
        lost = len(sent) == 2  # the first attempt to send the answers
        body = '{"condition": 1}' if name == "condition" else "{}"
        headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
        route.fulfill(status=500 if lost else 200, body=body, headers=headers)

    context = browser.new_context()
    context.route(f"{PIPE}**", answer)
    path = page_of(tmp_path / "s", "datapipe")
    visitor = Visitor.arrived(browser, path, context=context)
    visitor.begin()
    for _ in range(5):
        visitor.trial(by_letter)
    visitor.say_last()
    with visitor.page.expect_download() as download:  # offered as soon as one attempt has failed
        visitor.press("text=" + say("save"))
    visitor.titled("done")
    assert [name for name, _ in sent] == ["condition", "data", "data"]
    assert {body["experimentID"] for _, body in sent} == {"abc"}
    (first, rows), (second, again) = ((each["filename"], each["data"]) for _, each in sent[1:])
    assert first != second
    assert rows == again == Path(download.value.path()).read_text(encoding="utf-8")
    assert {row["list"] for row in json.loads(rows)} == {2}


def test_a_preview_shows_the_page_before_its_texts_are_written_and_keeps_nothing(
    browser: Browser, tmp_path: Path
) -> None:
    with store_of(tmp_path / "colorless.db", s=suite((2,), 1)):
        pass
    verb = "humans design s --fillers none --set checks=0 --set practice=1 --preview"
    done = colorless(*verb.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "study/preview/index.html" in done.stderr
    visitor = Visitor.arrived(browser, tmp_path / "study/preview/index.html", audit=axe())
    saved: list[object] = []
    visitor.page.on("download", lambda download: saved.append(download))

    def ribboned() -> None:
        assert "Preview: placeholder texts" in visitor.page.inner_text(".ribbon")
        assert visitor.page.locator(".ribbon").bounding_box()["y"] == 0  # type: ignore[index]

    visitor.page.wait_for_selector("#statement")
    ribboned()
    assert "[purpose]" in visitor.page.inner_text("main")
    visitor.begin()
    for _ in range(3):
        visitor.page.wait_for_selector(".option")
        ribboned()
        visitor.trial(by_letter)
    visitor.say_last()
    visitor.titled("done")
    ribboned()
    visitor.look()
    assert visitor.page.locator("main button").count() == 0
    assert saved == []
    assert visitor.faults == []


def test_five_people_from_design_to_import(browser: Browser, tmp_path: Path) -> None:
    """With nothing but the command line and the page on a disk; what came in is what they chose."""
    items = suite((4, 6), 3)
    with store_of(tmp_path / "colorless.db", s=items):
        pass
    for line in (
        "humans design s --construction S_0 --set checks=1 --set practice=1 --out study",
        "humans export study --to download --out page",
    ):
        done = colorless(*line.split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        if "design" in line:
            fill_in(tmp_path / "study" / "study.toml")
    study = read_study(tmp_path / "study")
    context, expected, lists = browser.new_context(), {}, []
    for number in range(5):
        search = f"?participant=P{number}"
        visitor = Visitor.arrived(
            browser, tmp_path / "page/index.html", search=search, context=context
        )
        ways = (by_letter, by_arrow) if number % 2 else (by_arrow, by_letter)
        visitor.begin()
        n_trials = len(study.lists[1])
        for place in range(n_trials):
            visitor.trial(ways[place % 2])
        rows = visitor.saved()
        (tmp_path / f"P{number}.json").write_text(json.dumps(rows), encoding="utf-8")
        trials = study.lists[rows[0]["list"]]
        assert trials_in(rows) == [each.trial_id for each in trials]
        lists.append(rows[0]["list"])
        for place, trial in enumerate(trials):
            if trial.kind != "practice":
                chosen = trial.options[int(ways[place % 2] is by_arrow)]
                right = int(chosen == trial.right)
                expected[f"P{number}", trial.item] = (trial.kind, chosen, right)
        assert visitor.faults == []
    assert lists == [1, 2, 3, 4, 1]
    import_answers(
        sorted(tmp_path.glob("P*.json")),
        suite="s",
        study=tmp_path / "study",
        exclude=["max_filler_errors=none", "max_failed_checks=none", "min_median_rt_ms=none"],
        hashed=False,
        out=tmp_path / "tables",
        store=tmp_path / "colorless.db",
    )
    found = {
        (row["participant"], row["item"]): (row["kind"], row["chosen"], int(row["correct"]))
        for row in read_tsv(tmp_path / "tables" / "judgments.tsv")
    }
    assert found == expected
