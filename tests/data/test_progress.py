"""What a person at a terminal sees of a long job, and what files get of its output."""

import os
import pty
import subprocess
import sys

JOB = """
import time
from colorless_green.verbs.console import progress_bars
with progress_bars(True, "Count the words") as progress:
    time.sleep({seconds})
    if {reports}:
        progress("words", 3, 7)
        time.sleep(0.3)
    print("the result")
"""


def run(seconds: float, reports: bool) -> tuple[str, str]:
    """Return what a job writes to stdout, a pipe, and to stderr, a terminal."""
    ours, theirs = pty.openpty()
    code = JOB.format(seconds=seconds, reports=reports)
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=theirs, env=env, text=True
    )
    os.close(theirs)
    shown = b""
    try:
        while read := os.read(ours, 1 << 16):
            shown += read
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return done.stdout, shown.decode()


def test_a_job_that_has_not_reported_yet_is_named_within_a_second() -> None:
    stdout, shown = run(1.2, reports=False)
    assert "Count the words" in shown
    assert stdout == "the result\n"


def test_a_report_takes_the_place_of_the_name_and_stdout_gets_the_result() -> None:
    """Rich would write to the terminal what is printed while a bar is there."""
    stdout, shown = run(1.0, reports=True)
    assert "3/7" in shown
    assert stdout == "the result\n"
    assert "the result" not in shown


def test_of_a_short_job_nothing_is_drawn() -> None:
    stdout, shown = run(0.0, reports=False)
    assert (stdout, shown) == ("the result\n", "")
