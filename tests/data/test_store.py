"""The store: transactions, migrations, two writers, hostile files."""

import gc
import os
import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from shutil import which

import pytest

import colorless_green as cg
from colorless_green.data import Suite, sample, schema
from colorless_green.data import store as store_module
from colorless_green.data.errors import InputError
from colorless_green.data.store import APPLICATION_ID, MEMORY, SCHEMA_VERSION, Store, open_store
from colorless_green.data.stored_suites import ensure_saved
from tests.builders import mistake

SUITE = {
    "content": "c",
    "name": "n",
    "kind": "originals",
    "metric": "sum",
    "predictions": "[]",
    "meta": "{}",
    "treebank_id": None,
    "used": 1,
    "created": "",
}


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        with suppress(ZeroDivisionError), store.transaction():
            store.insert("suite", SUITE)
            _ = 1 / 0
        assert store.one("SELECT * FROM suite") is None


def test_closing_leaves_one_file(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store, store.transaction():
        store.insert("suite", SUITE)
    assert [path.name for path in tmp_path.iterdir()] == ["s.db"]


def test_deleting_a_suite_takes_its_items_along(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        with store.transaction():
            suite_id = store.insert("suite", SUITE)
            columns = ("suite_id", "position", "item_id", "kind", "cluster_id", "record")
            store.insert_many("item", columns, [(suite_id, 0, "a", "original", "a", "{}")])
        with store.transaction():
            store.execute("DELETE FROM suite")
        assert store.one("SELECT * FROM item") is None


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(b"no database at all" * 100)
    with mistake("unreadable", path):
        Store(path)
    assert path.read_bytes() == b"no database at all" * 100


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    with mistake("conflict", path):
        Store(path)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    connection.close()


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    with mistake("changed", path):
        Store(path)


WRITER = """
import sys
from contextlib import suppress
from pathlib import Path
from colorless_green.data.errors import InputError
from colorless_green.data.store import APPLICATION_ID, Store
for round in range(20):
    with Store(Path(sys.argv[1])) as store, store.transaction():
        if store.one("SELECT model_id FROM model WHERE signature = 's'") is None:
            store.insert("model", {
                "signature": "s", "name": "m", "spec": "", "group": "", "device": "", "about": ""})
        store.insert_many("items", ("digest", "parts"),
            [(f"{round}-{n}", sys.argv[2]) for n in range(50)], keep_old=True)
"""


def test_two_processes_that_write_at_once_neither_fail_nor_double(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name], stderr=subprocess.PIPE)
        for name in "ab"
    ]
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], errors
    with Store(path) as store:
        row = store.one("SELECT COUNT(*) AS n, COUNT(DISTINCT digest) AS different FROM items")
        models = store.one("SELECT COUNT(*) AS n FROM model")
    assert row == {"n": 1_000, "different": 1_000}
    assert models == {"n": 1}


def earlier_store(path: Path, version: int, table: str, row: dict[str, object]) -> None:
    """Make a store of an earlier version with one row."""
    connection = sqlite3.connect(path)
    folder = Path(store_module.__file__).with_name("migrations")
    for number in range(1, version + 1):
        connection.executescript((folder / f"{number}.sql").read_text(encoding="utf-8"))
    names = ", ".join(f'"{name}"' for name in row)
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.commit()
    connection.close()


def test_a_store_of_an_earlier_version_keeps_what_it_holds(tmp_path: Path) -> None:
    old = {
        "key": "k", "name": "old", "language": "xx", "licence": "", "files": "[]",
        "vocabulary": "", "rule": "released", "feature": "Number", "repair": "none", "ghosts": 1,
        "stages": "{}", "skipped": "[]", "digests": "[]", "used": 1, "created": "",
    }  # fmt: skip
    earlier_store(tmp_path / "s.db", 1, "treebank", old)
    with Store(tmp_path / "s.db") as store:
        row = store.one("SELECT name, request, parsed_by FROM treebank")
    assert row == {"name": "old", "request": "{}", "parsed_by": ""}


def test_a_store_of_schema_five_is_brought_to_six_with_its_constructions(tmp_path: Path) -> None:
    old: dict[str, object] = {
        "treebank_id": 1, "position": 0, "treebank": "old", "rule": "tested",
        "construction": "L__NOUN__VERB__nsubj", "feature": "Number", "values": "Plur,Sing",
        "n": 20, "n_agree": 19, "n_by_value": "", "n_originals": 3, "rate": 0.95,
        "expected": 0.5, "p": 0.001, "q": 0.002, "low": 0.8, "high": 0.99,
        "verdict": "accepted", "reason": "",
    }  # fmt: skip
    earlier_store(tmp_path / "s.db", 5, "construction", old)
    with Store(tmp_path / "s.db") as store:
        row = store.one("SELECT * FROM construction")
        version = store.connection.execute("PRAGMA user_version").fetchone()[0]
    new = {name for name in schema.CONSTRUCTIONS if name not in old}
    assert row == {**old, **dict.fromkeys(new)}
    assert new == {
        *("bound", "design_effect", "n_informative", "n_other", "n_other_agree"),
        *("rate_unambiguous", "rate_pairs", "judged_on"),
    }
    assert version == SCHEMA_VERSION >= 6


OPENER = """
import sys, threading
from pathlib import Path
from colorless_green.data.errors import InputError
from colorless_green.data.store import Store
barrier = threading.Barrier(2)
for n in range(40):
    def opened():
        barrier.wait()
        Store(Path(sys.argv[1]) / f"{n}.db").connection.close()
    threads = [threading.Thread(target=opened) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
"""


def test_two_that_make_one_store_at_the_same_moment_both_get_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OPENER, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_a_store_that_is_removed_while_another_opens_it_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with Store(path) as first:
        first.connection.execute("PRAGMA journal_mode = DELETE")
        first.connection.execute("BEGIN EXCLUSIVE")
        second = threading.Thread(target=insert_one, args=(path,))
        second.start()
        second.join(0.2)
        assert second.is_alive()  # it waits for the first
        path.unlink()
    second.join()
    with Store(path) as store:
        assert store.one("SELECT count(*) AS n FROM suite") == {"n": 1}


def insert_one(path: Path) -> None:
    with Store(path) as store, store.transaction():
        store.insert("suite", SUITE)


def test_only_an_unused_store_is_removed(tmp_path: Path) -> None:
    used, opened, unused = (tmp_path / name for name in ("used.db", "opened.db", "unused.db"))
    insert_one(used)
    with Store(used) as store:
        assert not store.remove_if_unused()
    with Store(opened), Store(opened) as store:
        assert not store.remove_if_unused()
    with Store(unused) as store:
        assert store.remove_if_unused()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["opened.db", "used.db"]


def test_a_link_to_where_a_store_is_to_be_stays(tmp_path: Path) -> None:
    link = tmp_path / "s.db"
    link.symlink_to(tmp_path / "elsewhere.db")
    with open_store(link):
        pass
    assert link.is_symlink()


@pytest.mark.parametrize("existing", [True, False])
def test_a_name_that_no_file_can_have_is_one_line(tmp_path: Path, existing: bool) -> None:
    place = tmp_path / "s" / f"{'x' * 300}.db"
    with mistake("missing" if existing else "unreadable", place):  # noqa: SIM117
        with open_store(place, existing=existing):
            pass


def test_a_store_that_is_kept_is_not_touched_by_one_who_only_looks(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with open_store(path) as store, store.transaction():
        store.insert("suite", SUITE)
    before = path.read_bytes()
    with open_store(path) as store:
        assert store.one("SELECT count(*) AS n FROM suite") == {"n": 1}
    assert path.read_bytes() == before


def test_a_store_in_memory_may_be_let_go_by_any_thread() -> None:
    """Whoever collects the last result that remembers it."""
    stores = [Store(MEMORY)]
    other = threading.Thread(target=stores.clear)
    other.start()
    other.join()
    gc.collect()
    assert stores == []


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with words, and a store with a suite, a run on it and judgments."""
    folder = tmp_path_factory.mktemp("project")
    with Store(folder / "s.db") as store:
        suite = cg.mine(str(sample.treebank("it")), name="it", language="it", store=store).originals
        (folder / "words.txt").write_text("il la di che è sono .", encoding="utf-8")
        cg.score(suite, f"uniform:{folder / 'words.txt'}", store=store)
        rows = ["item\tright\ttotal", *(f"{item.item_id}\t1\t3" for item in suite.items)]
        (folder / "answers.tsv").write_text("\n".join(rows), encoding="utf-8")
        cg.read_judgments(folder / "answers.tsv", format="generic", suite=suite, store=store)
    return folder


def damaged_bytes(content: bytes, seed: int) -> bytes:
    """Return a copy with some bytes, or a page, overwritten, or without its end."""
    chance, copy = random.Random(seed), bytearray(content)
    way = seed % 5
    if way == 0:
        del copy[chance.randrange(len(copy)) :]
    elif way == 1:
        start = chance.randrange(len(copy) // 4096) * 4096
        copy[start : start + 4096] = chance.randbytes(4096)
    elif way == 2:  # the beginning, where the tables are defined
        for _ in range(3):
            copy[chance.randrange(6 * 4096)] = chance.randrange(256)
    else:
        for _ in range(1 if way == 3 else 60):
            copy[chance.randrange(len(copy))] = chance.randrange(256)
    return bytes(copy)


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_store_is_answered_in_one_line(project: Path, tmp_path: Path, seed: int) -> None:
    path, model = tmp_path / "s.db", f"uniform:{project / 'words.txt'}"
    content = damaged_bytes((project / "s.db").read_bytes(), seed)
    for use in (
        lambda: cg.status(store=path),
        lambda: cg.compare(store=path),
        lambda: cg.show(store=path),
        lambda: cg.score(model=model, store=path),
        lambda: cg.make_nonce(store=path),
        lambda: cg.mine(str(sample.treebank("it")), name="it", language="it", store=path),
    ):
        path.write_bytes(content)
        said = ["one line"]
        try:
            use()
        except InputError as error:
            said = str(error).splitlines()
        assert len(said) == 1


def test_what_was_stored_of_answers_and_outcomes_is_checked(project: Path, tmp_path: Path) -> None:
    """A changed number would give another accuracy, and a changed length end the process."""
    for table, column in (("score", "answers"), ("run", "outcomes")):
        path = tmp_path / f"{table}.db"
        path.write_bytes((project / "s.db").read_bytes())
        with Store(path) as store, store.transaction():
            rows = store.connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
            for rowid, cell in rows:
                changed = cell[:-50] + bytes([cell[-50] ^ 1]) + cell[-49:]
                store.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed, rowid))
        model = f"uniform:{project / 'words.txt'}"
        with mistake("unreadable", path):
            cg.score(model=model, store=path) if table == "score" else cg.compare(store=path)


def test_status_names_damage_that_no_other_verb_meets(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    insert_one(path)
    with Store(path) as store:
        root = store.one("SELECT rootpage FROM sqlite_master WHERE name = 'rejection'")
    assert root is not None
    with path.open("r+b") as stream:
        stream.seek((root["rootpage"] - 1) * 4096)
        stream.write(b"x" * 4096)
    cg.show(store=path)
    with mistake("unreadable", path):
        cg.status(store=path)


READER = """
import sys
from pathlib import Path
import colorless_green as cg
from colorless_green.data.errors import InputError
print(len(cg.status(store=sys.argv[1]).rows) > 2, len(cg.load_suite("n", store=sys.argv[1]).items))
try:
    with cg.Store(Path(sys.argv[1])) as store, store.transaction():
        store.tick()
except InputError as error:
    print(error.kind)
"""


# permissions do not bind a process with this capability, as root's have it
BOUND = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")


@pytest.mark.skipif(os.geteuid() == 0 and not which("setpriv"), reason="nothing is read-only")
@pytest.mark.parametrize("name", ["s.db", b"gr\xfcn?#%.db"], ids=["plain", "not UTF-8"])
def test_a_store_in_a_folder_that_nobody_may_write_is_read(
    tmp_path: Path, name: str | bytes
) -> None:
    path = tmp_path / os.fsdecode(name)
    with Store(path) as store:
        ensure_saved(Suite("n", ()), store)
    tmp_path.chmod(0o555)
    command = [sys.executable, "-c", READER, str(path)]
    if os.geteuid() == 0:
        command = [*BOUND, *command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        tmp_path.chmod(0o755)
    assert done.stdout == "True 0\nunreadable\n", done.stderr
    assert list(tmp_path.iterdir()) == [path]
