"""A headless Chromium that tests can drive, spoken to through a pipe (no package is needed)."""

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
# the browser reads orders from descriptor 3 and answers on 4
LAUNCH = """import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])"""


class Browser:
    """One tab. `do` speaks the DevTools protocol; `run` evaluates JavaScript on the page."""

    def __init__(self, orders: int, answers: int) -> None:
        self.orders, self.answers = orders, answers
        self.rest, self.number, self.session = b"", 0, ""
        self.seen: list[dict[str, Any]] = []  # what the browser told without being asked
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to one order of the protocol."""
        self.number += 1
        order: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        os.write(self.orders, json.dumps(order).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.seen.append(answer)

    def open(self, path: Path) -> None:
        """Goes to a file and waits until it has loaded."""
        self.seen.clear()
        self.do("Page.navigate", url=path.as_uri())
        while not any(each.get("method") == "Page.loadEventFired" for each in self.seen):
            self.seen.append(self._next())

    def run(self, expression: str) -> Any:
        """The value of an expression; a promise's, once it is there."""
        answer = self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, keys: str) -> None:
        """One key after the other, each a character."""
        for key in keys:
            self.do("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
            self.do("Input.dispatchKeyEvent", type="keyUp", key=key)

    def faults(self) -> list[str]:
        """What the page logged as an error since it was opened."""
        self.run("0")
        return [
            json.dumps(each["params"])
            for each in self.seen
            if each.get("method") == "Runtime.exceptionThrown"
            or (
                each.get("method") == "Log.entryAdded"
                and each["params"]["entry"]["level"] == "error"
            )
        ]

    def screenshot(self, path: Path, width: int, height: int, scheme: str = "light") -> None:
        """A picture of the window at a size and in a colour scheme."""
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.do(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        picture = self.do("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(picture))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            block = os.read(self.answers, 1 << 16)
            assert block, "the browser is gone"
            self.rest += block
        message, _, self.rest = self.rest.partition(b"\0")
        return dict(json.loads(message))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in `folder`; skips the test where there is none."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("needs chromium")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    command = [
        *(sys.executable, "-c", LAUNCH, str(theirs_in), str(theirs_out), program),
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
        *("--no-first-run", f"--user-data-dir={folder}", "--remote-debugging-pipe"),
    ]
    with subprocess.Popen(
        command,
        pass_fds=(theirs_in, theirs_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            tab = Browser(ours_out, ours_in)
            yield tab
            tab.session = ""
            tab.do("Browser.close")
        finally:
            os.close(ours_out)
            os.close(ours_in)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
