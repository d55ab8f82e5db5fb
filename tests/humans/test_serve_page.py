"""The real page in a real browser, before a real server."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Browser

from colorless_green.humans import (
    ImportOptions,
    Question,
    Study,
    collect_answers,
    export_study,
    read_files,
    read_study,
    texts,
    write_study,
)
from tests.humans.participant import READ_MS, Visitor, axe, chromium, say, stored
from tests.humans.report_material import agreement_item
from tests.humans.served import Process, process, settings, until, write
from tests.humans.study_material import designed, planned, suite

pytestmark = pytest.mark.slow

NOW = "2026-01-01T00:00:00+00:00"
DONE = {"complete": "https://example.org/?cc=C0FFEE", "no_consent": "https://example.org/?cc=NO"}
QUESTIONS = {"en": ("Who sings?", "a singer", "a dancer"), "he": ("מי שר?", "זמר", "רקדן")}
SCRIPT = "<img src=x onerror=alert(1)><script>alert(2)</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Process]:
    write(tmp_path / "s", completion=DONE, redirect_seconds=0)
    with process(tmp_path / "s") as running:
        yield running


def by_letter(visitor: Visitor) -> None:
    visitor.key("f")


def by_arrow(visitor: Visitor) -> None:
    visitor.key("ArrowRight")


def by_tab(visitor: Visitor) -> None:
    visitor.key("Tab")
    visitor.key("Enter")


def by_press(visitor: Visitor) -> None:
    visitor.press(".option >> nth=1")


def by_space(visitor: Visitor) -> None:
    visitor.key("Space")


def by_next(visitor: Visitor) -> None:
    visitor.press(".next")


def test_a_run_by_keyboard_alone(browser: Browser, tmp_path: Path, server: Process) -> None:
    visitor = Visitor.arrived(browser, server.address, audit=axe())
    page = visitor.page
    page.wait_for_selector("#statement")
    assert "C0FFEE" not in page.content()
    for key in ("Tab", "Space", "Tab", "Space", "Tab", "Enter"):
        visitor.key(key)
    page.wait_for_selector(".prose")
    visitor.look()
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
    assert "C0FFEE" not in page.content()
    for key in ("Tab", "Space", "Tab", "ArrowDown", "Tab", "Enter"):
        visitor.key(key)
    visitor.thanked()
    assert page.get_attribute("a.button", "href") == DONE["complete"]
    answers = stored(tmp_path / "s")
    assert [trial for trial, _ in answers] == [f"1-{n}" for n in range(1, 6)]
    assert [each["chosen_index"] for _, each in answers] == [0, 1, 0, 0, 0]
    assert {each["input"] for _, each in answers} == {"keyboard"}
    assert all(READ_MS - 100 < each["rt_ms"] < 20_000 for _, each in answers)
    assert visitor.faults == []
    assert visitor.hosts == {f"127.0.0.1:{server.port}"}


def test_a_run_by_touch_in_hebrew_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    told: dict[str, Any] = {
        "languages_required": ("he",),
        "completion": DONE,
        "redirect_seconds": 0,
    }
    write(tmp_path / "s", language="he", **told)
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, audit=axe(), phone=True)
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
        visitor.close()
        visitor.thanked()
    answers = [each for _, each in stored(tmp_path / "s")]
    assert {(each["input"], each["side"], each["chosen_index"]) for each in answers} == {
        ("touch", "left", 1)
    }
    assert visitor.faults == []


def test_letters_choose_by_the_side_on_the_screen(browser: Browser, tmp_path: Path) -> None:
    """In Hebrew the first option stands on the right, and F lies on the left."""
    write(tmp_path / "s", language="he", languages_required=("he",))
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address)
        visitor.begin()
        visitor.trial(by_letter)
        until(lambda: len(stored(tmp_path / "s")) == 1)
    ((_, answer),) = stored(tmp_path / "s")
    assert (answer["chosen_index"], answer["side"]) == (1, "left")


@pytest.mark.parametrize("task", ["form", "sentence"])
def test_after_practice_the_sentence_is_there_with_what_goes_into_it(
    browser: Browser, tmp_path: Path, task: str
) -> None:
    write(tmp_path / "s", task=task, kinds=("practice", "target"), n_lists=1)
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, phone=True, audit=axe())
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
    write(
        tmp_path / "s",
        language="it",
        kinds=("target",),
        n_lists=1,
        change=lambda each: replace(each, options=pair),
    )
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, phone=True, audit=axe())
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
    write(tmp_path / "s", task="rating", scale=scale)

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

    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, audit=axe(), phone=True)
        visitor.all(rate)
    values = [each["rating"] for _, each in stored(tmp_path / "s")]
    assert values == [{"7": 6, "slider": 99, "magnitude": 12.5}[scale]] * 5
    assert visitor.faults == []


def test_a_run_through_sentences_to_choose_and_one_to_read(
    browser: Browser, tmp_path: Path
) -> None:
    study = write(tmp_path / "s", task="reading", n_lists=1)
    write(tmp_path / "c", task="sentence")

    def read(visitor: Visitor) -> None:
        for _ in range(visitor.page.locator(".word").count() + 1):
            visitor.key("Space")
            visitor.page.wait_for_timeout(60)
            words = visitor.page.locator(".word:not(.hidden)").all_inner_texts()
            assert len(words) <= 1

    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, audit=axe())
        visitor.all(read)
        assert visitor.faults == []
    with process(tmp_path / "c") as server:
        visitor = Visitor.arrived(browser, server.address, audit=axe(), phone=True)
        visitor.all(by_press)
        assert visitor.faults == []
    for trial, (_, answer) in zip(study.trials, stored(tmp_path / "s"), strict=True):
        assert len(answer["words"]) == len(trial.options)
        assert all(30 < each < 5_000 for each in answer["words"])
    assert {each["side"] for _, each in stored(tmp_path / "c")} == {"bottom"}


def asked(folder: Path, language: str, **changes: Any) -> Study:
    """Two sentences to read and one to practise on, with a question after each."""
    items = suite((2,), 0, language=language)
    plan = planned("reading", checks=0, practice=1, fillers="none", question_share=1)
    said = QUESTIONS[language]
    questions = [Question(each.item_id, "", *said, "made:1") for each in items]
    made = designed(items, plan, asked=questions, language=language)
    told = settings(task="reading", language=language, languages_required=(language,), **changes)
    own = texts(language)
    assert own is not None
    write_study(
        folder,
        told,
        made.trials,
        made.key,
        {language: own.instructions["reading_with_questions"]},
        {},
    )
    return read_study(folder)


def practised_on(language: str) -> str:
    """The question that practice comes with."""
    own = texts(language)
    assert own is not None
    return own.practice[0].question


def questions_in(study: Study, folder: Path) -> list[dict[str, Any]]:
    """The answers to questions, as they are stored."""
    tasks = {trial.trial_id: trial.task for trial in study.trials}
    return [answer for trial, answer in stored(folder) if tasks[trial] == "question"]


def test_a_reading_run_with_questions_by_keyboard_alone(browser: Browser, tmp_path: Path) -> None:
    study = asked(tmp_path / "s", "en", completion=DONE, redirect_seconds=60)
    ways = iter(("ArrowDown", "f", "j"))

    def read_or_answer(visitor: Visitor) -> None:
        if visitor.page.locator(".option").count():
            question = visitor.page.inner_text("#asked")
            assert question in (practised_on("en"), QUESTIONS["en"][0])
            assert visitor.where().endswith(say("progress_question", where=""))
            visitor.key(next(ways))
            return
        visitor.read(by_space)
        by_space(visitor)

    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, audit=axe())
        visitor.all(read_or_answer, 6)
        assert visitor.page.get_attribute("a.button", "href") == DONE["complete"]
        visitor.key("Tab")
        visitor.key("Tab")
        visitor.key("Enter")  # stay here
        assert visitor.page.locator("[role=timer]").count() == 0
        assert visitor.page.evaluate("document.activeElement.href") == DONE["complete"]
        visitor.look()
    answers = questions_in(study, tmp_path / "s")
    assert [(each["side"], each["chosen_index"]) for each in answers] == [
        *(("bottom", 1), ("top", 0), ("bottom", 1)),
    ]
    assert all(READ_MS - 100 < each["rt_ms"] < 20_000 for each in answers)
    assert visitor.faults == []


def test_a_reading_run_with_questions_by_touch_in_hebrew(browser: Browser, tmp_path: Path) -> None:
    study = asked(tmp_path / "s", "he")

    def read_or_answer(visitor: Visitor) -> None:
        if visitor.page.locator(".option").count():
            visitor.press(".option >> nth=1")
            return
        visitor.read(by_next)
        by_next(visitor)

    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, audit=axe(), phone=True)
        visitor.begin()
        visitor.trial(read_or_answer)
        assert visitor.page.get_attribute("#asked", "dir") == "rtl"
        assert visitor.page.inner_text("#asked") == practised_on("he")
        for _ in range(5):
            visitor.trial(read_or_answer)
        visitor.close()
        visitor.thanked()
        assert visitor.page.locator("a.button").count() == 0
    answers = questions_in(study, tmp_path / "s")
    told = {(each["input"], each["side"], each["chosen_index"]) for each in answers}
    assert told == {("touch", "bottom", 1)}
    assert [each["n_ignored"] for each in answers] == [0, 0, 0]  # the last word's tap is none
    assert visitor.faults == []


def test_a_finger_that_rests_on_the_last_word_answers_no_question(
    browser: Browser, tmp_path: Path
) -> None:
    asked(tmp_path / "s", "en")
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address, phone=True)
        visitor.begin()
        visitor.page.wait_for_selector(".word")
        visitor.page.wait_for_timeout(READ_MS)
        visitor.read(by_next)
        box = visitor.page.locator(".next").bounding_box()
        assert box is not None
        point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        touch = visitor.context.new_cdp_session(visitor.page)
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
        visitor.page.wait_for_timeout(400)
        assert visitor.page.locator(".option").count() == 0
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        visitor.page.wait_for_selector(".option")
        visitor.page.wait_for_timeout(READ_MS)
        assert [trial for trial, _ in stored(tmp_path / "s")] == ["1-p1"]


def test_people_are_sent_back_by_themselves_only_when_all_is_stored(
    browser: Browser, tmp_path: Path
) -> None:
    write(tmp_path / "s", kinds=("target",), completion=DONE, redirect_seconds=1)
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address)
        sent: list[str] = []
        visitor.page.on("request", lambda request: sent.append(request.url))
        visitor.page.route("https://example.org/**", lambda route: route.fulfill(body="back"))
        visitor.begin()
        visitor.page.wait_for_selector(".option")
        server.end(signal.SIGKILL)
        visitor.trial(by_letter)
        visitor.close()
        visitor.page.wait_for_timeout(1500)
        assert DONE["complete"] not in sent
        server.start()
        visitor.page.wait_for_url(DONE["complete"], timeout=60_000)
        assert len(stored(tmp_path / "s")) == 1
        visitor.page.goto(server.address)  # whoever comes again is not sent away again
        visitor.page.wait_for_selector("a.button")
        visitor.page.wait_for_timeout(1500)
        assert visitor.page.url == server.address


def test_a_reload_goes_on_at_the_first_unanswered_trial(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    visitor = Visitor.arrived(browser, server.address)
    visitor.begin()
    visitor.trial(by_letter)
    visitor.trial(by_letter)
    visitor.page.reload()
    visitor.page.wait_for_selector("button.main")
    visitor.press("button.main")
    visitor.page.wait_for_selector(".option")
    assert visitor.where() == say("progress_recorded", n=2, total=4)
    for _ in range(3):
        visitor.trial(by_letter)
    visitor.close()
    visitor.thanked()
    assert [trial for trial, _ in stored(tmp_path / "s")] == [f"1-{n}" for n in range(1, 6)]


def test_a_server_that_is_killed_and_comes_back_has_everything(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    visitor = Visitor.arrived(browser, server.address)
    visitor.begin()
    visitor.trial(by_letter)
    visitor.trial(by_letter)
    until(lambda: len(stored(tmp_path / "s")) == 2)
    server.end(signal.SIGKILL)
    visitor.trial(by_letter)
    visitor.page.wait_for_function("() => document.getElementById('notice').textContent")
    visitor.trial(by_letter)
    visitor.trial(by_letter)
    assert len(stored(tmp_path / "s")) == 2
    visitor.close()
    visitor.page.wait_for_timeout(500)
    assert visitor.page.locator("a.button").count() == 0  # no way back before all is stored
    server.start()
    visitor.thanked()
    assert [trial for trial, _ in stored(tmp_path / "s")] == [f"1-{n}" for n in range(1, 6)]
    assert visitor.page.get_attribute("a.button", "href") == DONE["complete"]


def test_a_tab_that_is_closed_without_network_has_its_answers_the_next_time(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    visitor = Visitor.arrived(browser, server.address)
    visitor.begin()
    visitor.trial(by_letter)
    until(lambda: len(stored(tmp_path / "s")) == 1)
    visitor.context.set_offline(True)
    visitor.trial(by_letter)
    visitor.page.close()
    visitor.context.set_offline(False)
    again = Visitor.arrived(browser, server.address, context=visitor.context)
    again.page.wait_for_selector("button.main")
    if again.page.inner_text("h1") == say("elsewhere"):  # nobody could say that it was closed
        again.press("button.main")
        again.titled("welcome_back")
    again.press("button.main")
    again.page.wait_for_selector(".option")
    assert again.where() == say("progress_recorded", n=2, total=4)
    until(lambda: len(stored(tmp_path / "s")) == 2)


def test_a_second_window_says_that_the_study_is_open_elsewhere(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    first = Visitor.arrived(browser, server.address)
    first.begin()
    first.trial(by_letter)
    second = Visitor.arrived(browser, server.address, context=first.context, audit=axe())
    second.page.wait_for_selector("button.main")
    assert second.page.inner_text("h1") == say("elsewhere")
    second.look()
    second.press("button.main")
    second.titled("welcome_back")
    first.page.wait_for_timeout(READ_MS)
    first.key("f")  # is stored, and then the page knows that it has been left
    first.titled("elsewhere")
    assert [trial for trial, _ in stored(tmp_path / "s")] == ["1-1", "1-2"]
    assert second.faults == []


def test_two_people_at_once_do_not_meet(browser: Browser, tmp_path: Path, server: Process) -> None:
    people = [Visitor.arrived(browser, server.address) for _ in range(2)]
    for each in people:
        each.begin()
    for _ in range(5):
        for each, way in zip(people, (by_letter, by_arrow), strict=True):
            each.trial(way)
    for each in people:
        each.close()
        each.thanked()
    chosen = {trial: each["chosen_index"] for trial, each in stored(tmp_path / "s")}
    assert chosen == {f"{list_}-{n}": list_ - 1 for list_ in (1, 2) for n in range(1, 6)}


def test_what_comes_too_early_or_twice_is_no_answer(browser: Browser, tmp_path: Path) -> None:
    write(tmp_path / "s", minimum_rt_ms=1500)
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address)
        visitor.begin()
        visitor.page.wait_for_selector(".option")
        visitor.page.wait_for_timeout(READ_MS)
        visitor.key("f")
        visitor.page.locator(".option").first.click()
        visitor.page.wait_for_timeout(1600)
        assert visitor.where() == say("progress_practice", n=1, total=1)
        visitor.page.locator(".option").first.dblclick()
        until(lambda: len(stored(tmp_path / "s")) == 1)
        visitor.page.wait_for_timeout(READ_MS)
    ((_, answer),) = stored(tmp_path / "s")
    assert answer["n_ignored"] == 2
    assert answer["rt_ms"] >= 1500


def test_no_answer_before_the_deadline_is_an_answer_of_its_own(
    browser: Browser, tmp_path: Path
) -> None:
    write(tmp_path / "s", deadline_ms=800)
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address)
        visitor.begin()
        until(lambda: len(stored(tmp_path / "s")) >= 1)
    answer = stored(tmp_path / "s")[0][1]
    assert (answer["timed_out"], answer["chosen_index"], answer["rt_ms"]) == (True, None, None)


def test_letters_can_be_changed_and_switched_off(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    visitor = Visitor.arrived(browser, server.address)
    visitor.consent()
    visitor.press("summary")
    visitor.page.locator(".keys input[type=text]").first.fill("x")
    visitor.press("button.main")
    visitor.trial(lambda each: each.key("x"))
    visitor.page.evaluate("localStorage.setItem('colorless:keys', '{\"on\": false}')")
    visitor.page.reload()
    visitor.press("button.main")
    visitor.page.wait_for_selector(".option")
    visitor.page.wait_for_timeout(READ_MS)
    visitor.key("f")
    visitor.page.wait_for_timeout(READ_MS)
    assert visitor.where() == say("progress_recorded", n=1, total=4)
    visitor.trial(by_arrow)
    until(lambda: len(stored(tmp_path / "s")) == 2)


def test_who_declines_leaves_nothing_and_is_shown_the_way_back(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    visitor = Visitor.arrived(browser, server.address, audit=axe())
    visitor.page.wait_for_selector("#statement")
    visitor.press("button[type=button]")
    visitor.page.wait_for_selector("a.button")
    visitor.look()
    assert visitor.page.get_attribute("a.button", "href") == DONE["no_consent"]
    assert visitor.page.evaluate("localStorage.length") == 0
    assert visitor.faults == []


def test_a_preview_shows_no_task(browser: Browser, server: Process) -> None:
    search = "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"
    visitor = Visitor.arrived(browser, server.address, search=search)
    visitor.titled("preview")
    assert visitor.page.locator("button, input").count() == 0


def test_a_person_whom_a_platform_sends_again_goes_on_in_the_same_browser_alone(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    """Another machine with the id has no token: it is told so, and gets nothing."""
    search = "?PROLIFIC_PID=5f00000000000000000000aa&STUDY_ID=x&SESSION_ID=y"
    first = Visitor.arrived(browser, server.address, search=search)
    first.begin()
    first.trial(by_letter)
    until(lambda: len(stored(tmp_path / "s")) == 1)
    other = Visitor.arrived(browser, server.address, search=search)
    other.consent()
    other.titled("known")
    assert other.page.locator("button, .option").count() == 0
    again = Visitor.arrived(browser, server.address, search=search, context=first.context)
    again.titled("elsewhere")


def test_whoever_stops_is_asked_and_then_nothing_of_theirs_is_left(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    visitor = Visitor.arrived(browser, server.address)
    visitor.begin()
    visitor.trial(by_letter)
    until(lambda: len(stored(tmp_path / "s")) == 1)
    visitor.page.once("dialog", lambda dialog: dialog.dismiss())
    visitor.page.locator("#foot button").click()
    assert len(stored(tmp_path / "s")) == 1
    visitor.page.once("dialog", lambda dialog: dialog.accept())
    visitor.page.locator("#foot button").click()
    visitor.titled("withdrawn")
    assert stored(tmp_path / "s") == []
    assert visitor.page.locator("#foot button").count() == 0


def test_script_in_a_sentence_is_shown_and_not_run(browser: Browser, tmp_path: Path) -> None:
    write(
        tmp_path / "s",
        change=lambda each: replace(each, prefix=SCRIPT, options=(f"a{SCRIPT}", f"b{SCRIPT}")),
        kinds=("target",),
        title=SCRIPT,
        consent_statement=SCRIPT,
    )
    with process(tmp_path / "s") as server:
        visitor = Visitor.arrived(browser, server.address)
        visitor.page.on("dialog", lambda dialog: visitor.faults.append("a dialog"))
        visitor.begin()
        visitor.page.wait_for_selector(".option")
        assert SCRIPT in visitor.page.inner_text(".stimulus")
        assert SCRIPT in visitor.page.inner_text(".option >> nth=0")
        visitor.trial(by_letter)
        until(lambda: len(stored(tmp_path / "s")) == 1)
    assert visitor.faults == []


def test_answers_that_cannot_be_sent_are_saved_by_hand_and_put_in(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    visitor = Visitor.arrived(browser, server.address)
    visitor.begin()
    for _ in range(3):
        visitor.trial(by_letter)
    until(lambda: len(stored(tmp_path / "s")) == 3)
    server.end(signal.SIGINT)
    visitor.trial(by_letter)
    visitor.trial(by_letter)
    visitor.close()
    with visitor.page.expect_download(timeout=30_000) as saved:
        visitor.page.locator("main button").click(timeout=30_000)
    path = tmp_path / "saved.json"
    saved.value.save_as(path)
    assert len(json.loads(path.read_text(encoding="utf-8"))["trials"]) == 2
    result = collect_answers(tmp_path / "s", add=[path])
    assert (result.rows[0]["n_answers"], result.rows[0]["n_finished"]) == (5, 1)
    assert [trial for trial, _ in stored(tmp_path / "s")] == [f"1-{n}" for n in range(1, 6)]


def test_a_page_that_cannot_keep_anything_says_so_and_works(
    browser: Browser, tmp_path: Path, server: Process
) -> None:
    context = browser.new_context()
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked') }})"
    )
    visitor = Visitor.arrived(browser, server.address, context=context)
    visitor.begin()
    visitor.trial(by_letter)
    assert visitor.page.inner_text("#notice") == say("not_kept")
    for _ in range(4):
        visitor.trial(by_letter)
    visitor.close()
    visitor.thanked()
    assert len(stored(tmp_path / "s")) == 5


def test_the_same_page_without_a_server_gives_a_file_that_is_imported(
    browser: Browser, tmp_path: Path
) -> None:
    item = agreement_item("the keys & <b> of it are gone", 1, 6, "is")
    write(
        tmp_path / "s",
        kinds=("practice", "target"),
        n_lists=1,
        change=lambda each: replace(
            each,
            item=item.item_id if each.kind == "target" else each.item,
            prefix="the keys & <b> of it",
        ),
    )
    export_study(tmp_path / "s", "download", tmp_path / "bundle")
    with files_of(tmp_path / "bundle") as address:
        visitor = Visitor.arrived(browser, address)
        visitor.begin()
        visitor.trial(by_letter)
        visitor.page.reload()
        visitor.press("button.main")
        visitor.trial(by_letter)
        visitor.page.wait_for_selector("input[name=native]")
        visitor.press("input[name=native][value=yes]")
        visitor.press("input[name=help][value=no]")
        with visitor.page.expect_download() as download:
            visitor.press("button.main")
        download.value.save_as(tmp_path / "answers.json")
    path = tmp_path / "answers.json"
    found = read_files([path], [item], ImportOptions(key=lambda: bytes(32)))
    (answer,) = (each for each in found.judgments if each.kind == "target")
    assert {answer.option_1, answer.option_2} == {"are", "is"}
    assert answer.chosen == answer.option_1
    assert answer.rt_ms is not None
    assert visitor.faults == []


@contextmanager
def files_of(folder: Path) -> Iterator[str]:
    """A place that only hands out the files of a folder."""
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""
