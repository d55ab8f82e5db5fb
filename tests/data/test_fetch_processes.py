"""Several processes, and processes that are killed: never half a file, never twice the work."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from colorless_green.data.files import MANIFEST, read_manifest
from tests.data.misbehaving_server import Fault, Server, archive_path, files_in

REPOSITORY = "UniversalDependencies/UD_Wolof-WTB"
ARCHIVE = archive_path(REPOSITORY, "r2.18")
FILES = {
    "LICENSE.txt": b"CC BY-SA 4.0",
    "wo_wtb-ud-train.conllu": bytes(range(256)) * 2000,
    "wo_wtb-ud-test.conllu": b"test\n",
}
PROGRAM = """
import sys
from colorless_green.data.fetch.fetch import fetch
print(fetch("wo_wtb@2.18").rows[0]["status"])
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        running.add_repository(REPOSITORY, "r2.18", FILES)
        yield running


def environment(server: Server, cache: Path) -> dict[str, str]:
    own = {"COLORLESS_CACHE": str(cache), "COLORLESS_MIRROR": server.base, "no_proxy": "127.0.0.1"}
    return {**os.environ, **own}


def started(server: Server, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env=environment(server, cache),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return output.strip()


@pytest.mark.slow
def test_two_at_once_fetch_once_and_both_have_it(server: Server, tmp_path: Path) -> None:
    server.faults[ARCHIVE] = [Fault(stall_s=0.5)]
    processes = [started(server, tmp_path) for _ in range(2)]
    assert sorted(map(ended, processes)) == ["cached", "fetched"]
    assert server.n_asked(ARCHIVE) == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_process_leaves_no_file_under_its_name_and_the_next_one_cleans_up(
    server: Server, tmp_path: Path
) -> None:
    server.faults[ARCHIVE] = [Fault(stall_s=5.0)]
    process = started(server, tmp_path)
    folder = tmp_path / "ud" / "r2.18" / "UD_Wolof-WTB"
    until = time.monotonic() + 30
    while time.monotonic() < until and ARCHIVE not in server.asked:
        time.sleep(0.01)
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not folder.exists()
    assert [name for name in files_in(tmp_path) if not name.startswith("arriving/")] == []
    assert ended(started(server, tmp_path)) == "fetched"
    left = ["first_use.json", *(f"ud/r2.18/{folder.name}/{name}" for name in [*FILES, MANIFEST])]
    assert files_in(tmp_path) == sorted(left)
    assert read_manifest(folder)["retrieved"]
    assert {name: (folder / name).read_bytes() for name in FILES} == FILES


@pytest.mark.slow
def test_the_network_s_library_is_loaded_when_something_is_transferred_and_not_before(
    server: Server, tmp_path: Path
) -> None:
    program = PROGRAM + "print('httpx2' in sys.modules)"
    for loaded in ("fetched True", "cached False"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=environment(server, tmp_path),
            capture_output=True,
            text=True,
            check=True,
        )
        assert " ".join(done.stdout.split()) == loaded


@pytest.mark.parametrize("module", ["cli", "verbs.command", "miner.treebank"])
def test_no_other_verb_loads_it(module: str) -> None:
    program = f"import sys, colorless_green.{module}; print('httpx2' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
