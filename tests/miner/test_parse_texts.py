"""Texts through a parser into a file: ids, provenance, and going on after a stop."""

import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import parse
from colorless_green.data.errors import ErrorKind
from colorless_green.data.result import Result
from colorless_green.miner import (
    parse_into,
    parsed_by,
    read,
)
from tests.builders import mistake
from tests.miner.fake_parser import AnyParser, Dying, FakeParser, FakePipeline, Stopped, bare_models

ROOT = Path(__file__).resolve().parents[2]
WORDS = st.sampled_from(["Ann", "saw", "Bob.", "…", "No.", "12"])
PARAGRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=5).map(" ".join), min_size=1, max_size=8)
TEXTS = st.lists(PARAGRAPHS, min_size=1, max_size=3).filter(
    lambda texts: any("n" in line or "o" in line for text in texts for line in text)
)
THREE = (["One.", "Two.", "Three."],)


def files(folder: Path, texts: Sequence[Sequence[str]]) -> list[Path]:
    paths = [folder / f"t{n}.txt" for n in range(len(texts))]
    for path, lines in zip(paths, texts, strict=True):
        path.write_text("\n".join(lines), encoding="utf-8")
    return paths


def whole(paths: Sequence[Path], parser: AnyParser = FakeParser(), batch: int = 100) -> str:
    """Return the parse of texts in one go."""
    out = paths[0].parent / "whole" / "out.conllu"
    out.parent.mkdir(exist_ok=True)
    parse_into(out, paths, parser, batch=batch)
    text = out.read_text(encoding="utf-8")
    out.unlink()
    out.parent.rmdir()
    return text


def into(
    out: Path, paths: Sequence[Path], parser: AnyParser = FakeParser(), batch: int = 2
) -> Result:
    return parse_into(out, paths, parser, batch=batch)


def part_of(out: Path) -> Path:
    return out.with_name(f"{out.name}.part")


@given(TEXTS, st.integers(1, 4), st.integers(0, 6), st.binary(max_size=9))
def test_a_run_killed_anywhere_goes_on_to_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[list[str]],
    batch: int,
    calls: int,
    half_a_chunk: bytes,
) -> None:
    folder = tmp_path_factory.mktemp("t")
    paths, out = files(folder, texts), folder / "out.conllu"
    out.write_text("old")
    try:
        into(out, paths, Dying(FakeParser(), calls), batch)
    except Stopped:
        assert out.read_text() == "old"
        with open(part_of(out), "ab") as part:
            part.write(half_a_chunk)
        into(out, paths, FakeParser(), batch)
    assert out.read_text(encoding="utf-8") == whole(paths)
    assert {path.name for path in folder.iterdir()} == {out.name, *(path.name for path in paths)}


def test_what_was_parsed_is_not_parsed_again(tmp_path: Path) -> None:
    paths, out = files(tmp_path, THREE), tmp_path / "out.conllu"
    with pytest.raises(Stopped):
        into(out, paths, Dying(FakeParser(), 2), batch=1)
    into(out, paths, Dying(FakeParser(), 1), batch=1)
    assert out.read_text() == whole(paths)
    into(out, paths, Dying(FakeParser(), 0))


KILLED = """
import os, signal, sys
from pathlib import Path
from colorless_green.miner import parse_into
from tests.miner.fake_parser import FakeParser

class Killing(FakeParser):
    def parse(self, texts):
        if texts == ["Three."]:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().parse(texts)

parse_into(Path("out.conllu.gz"), [Path("t0.txt")], Killing(), batch=1)
"""


def test_a_process_killed_by_the_system_is_gone_on_with(tmp_path: Path) -> None:
    paths, out = files(tmp_path, THREE), tmp_path / "out.conllu.gz"
    killed = subprocess.run(
        [sys.executable, "-c", KILLED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT / '.dev'}{os.pathsep}{ROOT}"},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    into(out, paths, Dying(FakeParser(), 1), batch=1)  # the last paragraph alone
    assert gzip.decompress(out.read_bytes()).decode() == whole(paths)


def test_ids_are_unique_over_all_texts_and_provenance_comes_first(tmp_path: Path) -> None:
    paths = files(tmp_path, [["…", "A b. C.", "…"], ["D."]])
    comments = """\
# parsed_by = fake 1 en
# parsed_from = {}
# newdoc id = t0
# newpar id = t0-2
# sent_id = t0-2-1
# text = A b.

# sent_id = t0-2-2
# text = C.

# newdoc id = t1
# newpar id = t1-1
# sent_id = t1-1-1
# text = D.

"""
    lines = whole(paths).splitlines(keepends=True)
    told = "".join(line for line in lines if not line[0].isdigit())
    assert told == comments.format(read_from(tmp_path, paths))
    bare = "".join(FakeParser().parse(["A b. C.", "D."])).splitlines(keepends=True)
    rows = [[line for line in each if line[0].isdigit()] for each in (lines, bare)]
    assert rows[0] == rows[1]


def read_from(folder: Path, paths: Sequence[Path]) -> str:
    (folder / "x.conllu").write_text(whole(paths), encoding="utf-8")
    first = next(read(folder / "x.conllu"))
    assert parsed_by(first.comments) == "fake 1 en"
    return str(first.comment("parsed_from"))


def test_the_digest_of_the_text_changes_with_bytes_names_order_and_division(tmp_path: Path) -> None:
    one, two = files(tmp_path, [["A."], ["A.", "B."]])
    (tmp_path / "other.txt").write_bytes(one.read_bytes())
    digests = [
        read_from(tmp_path, paths)
        for paths in ([one], [two], [one, two], [two, one], [tmp_path / "other.txt"])
    ]
    assert len(set(digests)) == 5


def test_the_rows_count_what_came_of_each_text(tmp_path: Path) -> None:
    paths = files(tmp_path, [["A b. C.", "…"], ["D"]])
    result = into(tmp_path / "out.conllu", paths)
    assert [tuple(row.values()) for row in result.rows] == [
        ("t0", "line", 2, 1, 2, 3),
        ("t1", "line", 1, 0, 1, 1),
    ]


def test_progress_ends_at_all_paragraphs_also_when_it_begins_in_the_middle(tmp_path: Path) -> None:
    paths, out = stopped(tmp_path)
    told: list[tuple[int, int | None]] = []
    parse_into(
        out,
        paths,
        FakeParser(),
        batch=2,
        progress=lambda task, done, total: told.append((done, total)),
    )
    assert told == [(2, 3), (3, 3)]


def test_a_text_without_sentences_is_an_error_and_writes_nothing(tmp_path: Path) -> None:
    (path,) = files(tmp_path, [["…"]])
    with mistake("empty", path):
        into(tmp_path / "out.conllu", [path])
    assert not (tmp_path / "out.conllu").exists()


def stopped(folder: Path) -> tuple[list[Path], Path]:
    """Texts and the output of a run over them that was stopped after two paragraphs."""
    paths, out = files(folder, THREE), folder / "out.conllu"
    with pytest.raises(Stopped):
        into(out, paths, Dying(FakeParser(), 1))
    return paths, out


def refused(
    kind: ErrorKind, out: Path, paths: Sequence[Path], parser: AnyParser = FakeParser()
) -> None:
    """Assert that what was begun is not gone on with, and stays as it is."""
    before = part_of(out).read_bytes()
    with mistake(kind, part_of(out)):
        into(out, paths, parser)
    assert part_of(out).read_bytes() == before


def test_a_part_that_is_anothers_or_was_changed_is_not_gone_on_with(tmp_path: Path) -> None:
    paths, out = stopped(tmp_path)
    refused("changed", out, paths, FakeParser(signature="fake 2 en"))
    text = paths[0].read_text()
    paths[0].write_text("One.\nTwo.\nFour.")
    refused("changed", out, paths)
    paths[0].write_text(text)
    part_of(out).write_text("# a treebank of somebody else\n")
    refused("changed", out, paths)


@pytest.mark.parametrize(
    "spoilt", [b"", b"\n", b"[]\n", b"1\n", b'"whole but for its end"', b"[" * 9999, b"\xff\n"]
)
def test_a_chunk_that_is_spoilt_is_parsed_again(tmp_path: Path, spoilt: bytes) -> None:
    paths, out = stopped(tmp_path)
    identity, _, _ = part_of(out).read_bytes().splitlines(keepends=True)
    part_of(out).write_bytes(identity + spoilt)
    into(out, paths, Dying(FakeParser(), 2))
    assert out.read_text() == whole(paths)


def test_a_part_cut_off_anywhere_is_gone_on_with(tmp_path: Path) -> None:
    paths, out = stopped(tmp_path)
    part = part_of(out).read_bytes()
    for n_bytes in range(0, len(part), 7):
        part_of(out).write_bytes(part[:n_bytes])
        into(out, paths)
        assert out.read_text() == whole(paths)
        out.unlink()


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks there")
def test_two_processes_do_not_write_to_one_part(tmp_path: Path) -> None:
    paths, out = files(tmp_path, THREE), tmp_path / "out.conllu"

    class Meanwhile(FakeParser):
        def parse(self, texts: Sequence[str]) -> list[str]:
            refused("conflict", out, paths)
            return super().parse(texts)

    into(out, paths, Meanwhile())
    assert out.read_text() == whole(paths)


def test_a_place_that_cannot_be_written_is_named_before_anything_is_parsed(tmp_path: Path) -> None:
    paths = files(tmp_path, [["One."]])
    with mistake("unwritable", part_of(paths[0] / "out.conllu")):
        into(paths[0] / "out.conllu", paths, Dying(FakeParser(), 0))


@contextmanager
def no_file_longer_than(n_bytes: int) -> Iterator[None]:
    """As on a full disk: what goes beyond cannot be written."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_full_disk_keeps_what_was_written(tmp_path: Path) -> None:
    paths, out = files(tmp_path, [["A. " * 100, "B. " * 100, "C. " * 100]]), tmp_path / "out.conllu"
    room = len(whole(paths)) * 2 // 3
    with no_file_longer_than(room), mistake("unwritable", part_of(out)):
        into(out, paths, batch=1)
    into(out, paths, Dying(FakeParser(), 2), batch=1)  # the first paragraph is there
    assert out.read_text() == whole(paths)


@pytest.mark.slow
def test_without_a_file_the_parse_is_the_result_or_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytest.importorskip("stanza"), "Pipeline", FakePipeline)
    (path,), pieces = files(tmp_path, [["One.", "two"]]), list[str]()
    models = bare_models(tmp_path / "models")
    result = parse([path], language="en", model=models)
    assert result.rows == ()
    assert "paragraphs: " in " ".join(result.messages)
    assert [
        line for line in result.conllu.splitlines() if line[:8] in ("# text =", "# sent_i")
    ] == [
        "# sent_id = t0-1-1",
        "# text = One.",
        "# sent_id = t0-2-1",
        "# text = two",
    ]
    parse([path], language="en", model=models, write=pieces.append)
    assert "".join(pieces) == result.conllu
    out = tmp_path / "new" / "out.conllu"
    parse([path], language="en", model=models, out=out, write=print)
    assert out.read_text() == result.conllu


def test_a_language_must_be_named(tmp_path: Path) -> None:
    with mistake("missing", "language"):
        parse(files(tmp_path, [["One."]]), language="", write=print)
