"""A component oracle of files.py: the old output or the new one, killed at whatever moment."""

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from colorless_green.data import files
from colorless_green.data.errors import InputError
from colorless_green.data.files import MANIFEST, read_manifest, write_folder
from tests.builders import mistake

ROOT = Path(__file__).resolve().parents[2]
MINE = {"made_by": "colorless mine"}
OLD = {"a.txt": "old a", "b.txt": "old b", "gone.txt": "old"}
NEW = {"a.txt": "new a", "b.txt": "new b", "come.txt": "new"}
THEIRS = {"notes.txt": "the user's", "a.txt": "the user's"}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs fork and signals")


def write(
    folder: Path, files: Mapping[str, str], about: Mapping[str, object] = MINE, fault: bool = False
) -> None:
    with write_folder(folder, about) as fresh:
        for name, text in files.items():
            (fresh / name).write_text(text)
        if fault:
            raise ZeroDivisionError


def contents(folder: Path) -> dict[str, str]:
    """Return the files of a folder, without the manifest."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != MANIFEST}


def state(folder: Path) -> str:
    """Return what a reader who trusts only the manifest finds under the folder's name."""
    if not folder.exists():
        return "absent"
    if not (folder / MANIFEST).exists():
        return "unlisted"
    listed = read_manifest(folder)["files"]
    assert isinstance(listed, dict)
    found = {name: (folder / name).read_text() for name in listed}
    return {str(OLD): "old", str(NEW): "new"}.get(str(found), "mixed")


def nothing_there(folder: Path) -> None:
    pass


def older_output(folder: Path) -> None:
    write(folder, OLD)


def users_folder(folder: Path) -> None:
    folder.mkdir()
    for name, text in THEIRS.items():
        (folder / name).write_text(text)


def older_output_beside_notes(folder: Path) -> None:
    write(folder, OLD)
    (folder / "notes.txt").write_text("the user's")


def no_swap(folder: Path) -> None:
    """Put an older output on a file system whose folders cannot change places."""
    write(folder, OLD)
    files._exchange_folders = lambda fresh, target: False


def no_move(folder: Path) -> None:
    """Return an older output in a folder that cannot be moved, as a lower layer of overlayfs."""
    no_swap(folder)
    rename = Path.rename

    def refused(path: Path, goal: Path) -> Path:
        if path == folder:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(path, goal)

    Path.rename = refused  # type: ignore[assignment, method-assign]


Situation = Callable[[Path], None]
ENDS: dict[Situation, set[str]] = {  # what may be there after a run that was killed
    nothing_there: {"absent", "new"},
    older_output: {"old", "new"},
    users_folder: {"unlisted", "new"},
    older_output_beside_notes: {"old", "unlisted", "new"},
    no_swap: {"old", "absent", "new"},
    no_move: {"old", "unlisted", "new"},
}


def stopped_everywhere(place: str, situation: str, way: str) -> None:
    """Print, for n = 1, 2, …, what is there when a run was stopped before its n-th operation on
    files, until one comes to its end: (what is there; what a next run that fails, and so does no
    more than repair, leaves; the names beside it)."""
    os.fsync = lambda fd: None  # costs a second a situation, and a kill cannot tell
    ends: list[tuple[str, str, list[str]]] = []
    finished = False
    while not finished:
        room = Path(place) / str(len(ends))
        room.mkdir()
        folder = room / "out"
        globals()[situation](folder)
        notes = state_of_notes(folder)
        finished = in_child(partial(stopped_before, len(ends) + 1, folder, way))
        left = state(folder)
        with suppress(ZeroDivisionError):
            write(folder, {}, fault=True)
        ends.append((left, state(folder), sorted(os.listdir(room))))
        assert state_of_notes(folder) == notes
    print(json.dumps(ends))


def state_of_notes(folder: Path) -> str:
    notes = folder / "notes.txt"
    return notes.read_text() if notes.exists() else ""


def in_child(run: Callable[[], None]) -> bool:
    """Whether `run` came to its end, in a fork of this process."""
    pid = os.fork()
    if pid == 0:
        try:
            run()
        except KeyboardInterrupt:
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def stopped_before(n: int, folder: Path, way: str) -> None:
    """Write NEW; before the n-th operation, the process is killed or gets Ctrl-C."""
    left = n

    def hook(event: str, arguments: object) -> None:
        nonlocal left
        if event == "open" or event.startswith(("os.", "shutil.", "ctypes.")):
            left -= 1
            if left == 0 and way == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if left == 0:
                raise KeyboardInterrupt

    sys.addaudithook(hook)
    write(folder, NEW)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["killed", "interrupted"])
@pytest.mark.parametrize("situation", ENDS, ids=lambda each: each.__name__)
def test_a_stopped_run_leaves_the_old_output_or_the_new(
    situation: Situation, way: str, tmp_path: Path
) -> None:
    script = (
        "from tests.data.test_folders import stopped_everywhere as run; "
        f"run({str(tmp_path)!r}, {situation.__name__!r}, {way!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    ends = json.loads(done.stdout)
    assert len(ends) > 20
    put_back = {"absent"} if situation is no_swap and way == "interrupted" else set()
    assert {left for left, *_ in ends} == ENDS[situation] - put_back
    assert ends[-1][0] == "new"
    for left, repaired, beside in ends:
        assert repaired == ("old" if left == "absent" and situation is no_swap else left)
        assert beside == ([] if repaired == "absent" else ["out"])


def test_after_an_error_the_old_output_is_there_and_nothing_beside_it(tmp_path: Path) -> None:
    older_output(tmp_path / "out")
    with suppress(ZeroDivisionError):
        write(tmp_path / "out", NEW, fault=True)
    assert state(tmp_path / "out") == "old"
    assert os.listdir(tmp_path) == ["out"]


def test_an_older_output_goes_with_all_its_files(tmp_path: Path) -> None:
    older_output(tmp_path / "out")
    write(tmp_path / "out", NEW)
    assert contents(tmp_path / "out") == NEW
    assert read_manifest(tmp_path / "out")["made_by"] == "colorless mine"


def test_the_output_of_another_verb_stays_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write(folder, {"model.json": "days of work", "a.txt": "old"}, {"made_by": "colorless train"})
    before = contents(folder)
    with mistake("conflict", folder):
        write(folder, NEW)
    assert contents(folder) == before
    assert read_manifest(folder)["made_by"] == "colorless train"


def test_what_the_user_put_there_stays(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    users_folder(folder)
    before = contents(folder)
    write(folder, NEW)
    assert contents(folder) == {**before, **NEW}
    assert state(folder) == "new"


def test_the_current_folder_stays_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older_output(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    write(Path("."), NEW)
    assert state(Path(".")) == "new"
    assert os.path.samefile(tmp_path / "out", ".")


def test_a_mount_point_stays_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older_output(tmp_path / "out")
    inode = (tmp_path / "out").stat().st_ino
    monkeypatch.setattr(os.path, "ismount", lambda path: str(path) == str(tmp_path / "out"))
    write(tmp_path / "out", NEW)
    assert state(tmp_path / "out") == "new"
    assert (tmp_path / "out").stat().st_ino == inode


def test_a_folder_in_one_that_cannot_be_written_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older_output(tmp_path / "out")
    inode = (tmp_path / "out").stat().st_ino
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)  # as root may
    write(tmp_path / "out", NEW)
    assert state(tmp_path / "out") == "new"
    assert (tmp_path / "out").stat().st_ino == inode


def test_an_output_that_cannot_be_written_is_replaced_where_its_folder_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older_output(tmp_path / "out")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path / "out")
    write(tmp_path / "out", NEW)
    assert state(tmp_path / "out") == "new"


def test_room_is_needed_where_a_link_leads_and_not_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "far").mkdir()
    (tmp_path / "links" / "out").symlink_to(tmp_path / "far" / "out")
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path / "links")
    write(tmp_path / "links" / "out", NEW)
    assert state(tmp_path / "far" / "out") == "new"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    older_output(tmp_path / "far")
    (tmp_path / "out").symlink_to("far")
    write(tmp_path / "out", NEW)
    assert (tmp_path / "out").is_symlink()
    assert state(tmp_path / "far") == "new"


def test_the_rights_of_a_folder_stay_and_those_of_a_new_one_are_usual(tmp_path: Path) -> None:
    (tmp_path / "usual").mkdir()
    write(tmp_path / "out", OLD)
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode
    (tmp_path / "out").chmod(0o750)
    write(tmp_path / "out", NEW)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750


def test_what_others_are_writing_is_left_alone(tmp_path: Path) -> None:
    living = files._staging_path(tmp_path, "out", "new")
    elsewhere = tmp_path / ".out.colorless-new-00000000-999999999-0000"
    other = tmp_path / living.name.replace(".out.", ".outer.").replace(str(os.getpid()), "99999999")
    for path in (living, elsewhere, other):
        path.mkdir()
    write(tmp_path / "out", NEW)
    assert sorted(tmp_path.iterdir()) == sorted((living, elsewhere, other, tmp_path / "out"))


def test_an_error_inside_names_the_folder_that_was_asked_for(tmp_path: Path) -> None:
    with (
        mistake("unwritable", f"{tmp_path}/out/a.txt"),
        write_folder(tmp_path / "out", MINE) as fresh,
    ):
        raise InputError(str(fresh / "a.txt"), "cannot be written", "room", kind="unwritable")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("")
    with mistake("conflict", tmp_path / "out"):
        write(tmp_path / "out", NEW)


def test_a_folder_that_cannot_be_made_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with mistake("unwritable", tmp_path / "file" / "out"):
        write(tmp_path / "file" / "out", NEW)
