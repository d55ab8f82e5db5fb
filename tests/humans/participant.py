"""Somebody at a browser who takes part in a study."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from colorless_green.humans import texts

PAGE = Path(__file__).resolve().parents[2] / "humans" / "exports" / "page"
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
FLAGS_QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
DESK = {"viewport": {"width": 1100, "height": 800}}
PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "is_mobile": True}
READ_MS = 250  # more than an answer needs to be one


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's browser; skip the test where there is none."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("needs chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=[*FLAGS, *FLAGS_QUIET], headless=True
        )
        try:
            yield browser
        finally:
            browser.close()


def axe() -> str:
    """Return the source of axe-core; skips the test where it is not installed."""
    path = PAGE / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip(f"needs {path} (npm ci in humans/exports/page)")
    return path.read_text(encoding="utf-8")


def say(name: str, **values: object) -> str:
    """Return what the page says under this name in English."""
    english = texts("en")
    assert english is not None
    return english.page[name].format(**values)


@dataclass
class Visitor:
    """A page, and what was wrong with it so far."""

    context: BrowserContext
    page: Page
    address: str
    touch: bool = False
    audit: str = ""  # source of axe-core; "" looks at nothing
    faults: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    @classmethod
    def arrived(
        cls,
        browser: Browser,
        address: Path | str,
        *,
        search: str = "",
        audit: str = "",
        context: BrowserContext | None = None,
        phone: bool = False,
    ) -> "Visitor":
        own = context or browser.new_context(**(PHONE if phone else DESK))
        page = address.absolute().as_uri() if isinstance(address, Path) else address
        visitor = cls(own, own.new_page(), page, phone, audit)
        visitor.page.on("pageerror", lambda error: visitor.faults.append(str(error)))
        visitor.page.on("console", visitor._heard)
        visitor.page.on("request", lambda request: visitor.hosts.add(urlsplit(request.url).netloc))
        visitor.page.goto(page + search)
        return visitor

    def _heard(self, message: Any) -> None:
        if message.type == "error" and "net::" not in message.text:  # no network
            self.faults.append(message.text)

    def look(self) -> None:
        """Ask axe-core, and a ruler, about what is shown."""
        if not self.audit:
            return
        found = self.page.evaluate(f"{self.audit}; axe.run({{runOnly: {json.dumps(TAGS)}}})")
        heading = self.page.inner_text("h1")
        self.faults += [
            f"{heading}: {each['id']}: {each['nodes'][0]['html']}" for each in found["violations"]
        ]
        width = self.page.viewport_size["width"]  # type: ignore[index]
        if self.page.evaluate("document.documentElement.scrollWidth") > width:
            self.faults.append(f"{heading}: wider than {width}")
        small = self.page.eval_on_selector_all(
            "button, a.button, summary, label.check, .scale label, input[type=text], #range",
            "all => all.map(e => [e.outerHTML.slice(0, 60), e.getBoundingClientRect()])"
            ".filter(([_, r]) => r.width && Math.min(r.width, r.height) < 43.9).map(([h]) => h)",
        )
        self.faults += [f"{heading}: small: {each}" for each in small]

    def press(self, selector: str) -> None:
        """By tap or click."""
        target = self.page.locator(selector).first
        if self.touch:
            target.tap()
        else:
            target.click()

    def key(self, name: str) -> None:
        self.page.keyboard.press(name)

    def consent(self) -> None:
        self.page.wait_for_selector("#statement")
        self.look()
        self.press("button[type=submit]")
        self.look()  # with its errors
        for box in ("#statement", "#age"):
            self.press(box)
        self.press("button[type=submit]")

    def begin(self) -> None:
        """Consent and instructions."""
        self.consent()
        self.page.wait_for_selector(".prose")
        self.look()
        self.press("button.main")

    def trial(self, answer: Callable[["Visitor"], None]) -> None:
        """Answers what is shown, and goes on over the screens between."""
        self.page.wait_for_selector(".stimulus, .stacked")
        before = self.where()
        self.look()
        self.page.wait_for_timeout(READ_MS)
        answer(self)
        self.page.wait_for_function(
            "before => !document.querySelector('.stimulus, .stacked')"
            " || document.getElementById('progress').textContent !== before",
            arg=before,
        )
        while not self.page.locator(".stimulus, .stacked, fieldset").count():
            self.look()
            self.press("button.main")
            self.page.wait_for_timeout(50)

    def titled(self, name: str) -> None:
        """Wait for the screen with this heading."""
        self.page.wait_for_function(
            "title => document.querySelector('h1').textContent == title", arg=say(name)
        )

    def where(self) -> str:
        return self.page.inner_text("#progress")

    def say_last(self) -> None:
        """Answer the questions at the end, and send the answers."""
        self.page.wait_for_selector("input[name=native]")
        self.look()
        self.press("button.main")
        self.look()
        self.press("input[name=native][value=yes]")
        self.press("input[name=help][value=no]")
        self.press("button.main")

    def saved(self) -> list[dict[str, Any]]:
        """Return the questions at the end, and the rows in the file that comes of it."""
        with self.page.expect_download() as download:
            self.say_last()
        return list(json.loads(Path(download.value.path()).read_text(encoding="utf-8")))

    def all(self, answer: Callable[["Visitor"], None], n_trials: int = 5) -> list[dict[str, Any]]:
        """Everything from consent to the end; the rows in the file."""
        self.begin()
        for _ in range(n_trials):
            self.trial(answer)
        rows = self.saved()
        self.titled("done")
        self.look()
        return rows
