"""A benchmark: languages to one folder, which goes on after whatever one of them does."""

import gzip
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import conflict_of, pair_of, read_suite, read_suites
from colorless_green.data.errors import InputError
from tests.builders import colorless, few_examples, mistake, shared
from tests.nonce.composing import clauses

BY, BY_SA, NC_SA = (f"License: {each} 4.0\n" for each in ("CC BY", "CC BY-SA", "CC BY-NC-SA"))
TEXT = "".join("\n".join(each) + "\n\n" for each in islice(clauses(), 150))
FLAT = "1\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n" * 20  # nothing agrees
CONFLICT = "CC-BY-NC-SA-4.0 AND CC-BY-SA-4.0"
N_SETS = 4


def write_treebank(folder: Path, code: str, text: str = TEXT, licence: str = BY) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    name = folder.name.partition("-")[2].lower() or "toy"
    name = re.sub("[^a-z0-9]", "", name) or "toy"
    (folder / f"{code}_{name}-ud-train.conllu").write_text(text, encoding="utf-8")
    (folder / "README.md").write_text(licence, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two languages with sets, one of them with a hostile name; one whose licences conflict; one
    without agreement; one that is broken."""
    root: Path = tmp_path_factory.mktemp("treebanks")
    write_treebank(root / "UD_English-Toy", "en")
    write_treebank(root / "UD_<b>Dutch|`x`-T=1\n&{{y}}", "nl")
    write_treebank(root / "UD_German-One", "de")
    manifest = {"schema_version": 1, "made_by": "fetch", "licence": CONFLICT, "files": {}}
    (root / "UD_German-One" / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    write_treebank(root / "UD_Chinese-Flat", "zh", text=FLAT)
    write_treebank(root / "UD_Basque-Broken", "eu", text=TEXT + "1\tbroken\n\n")
    return root


@pytest.fixture(scope="module")
def made(treebanks: Path, tmp_path_factory: pytest.TempPathFactory) -> cg.Benchmark:
    return cg.benchmark(treebanks, out=tmp_path_factory.mktemp("made") / "out", sets=N_SETS)


def of_yaml(text: str) -> Any:
    return pytest.importorskip("yaml").safe_load(text)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def row_of(made: cg.Benchmark, language: str) -> dict[str, object]:
    return next(dict(row) for row in made.rows if row["language"] == language)


def jsonl(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_languages_that_fail_are_told_in_a_line_and_the_others_go_on(made: cg.Benchmark) -> None:
    assert {row["language"]: row["n_sets"] for row in made.rows} == {
        "de": N_SETS, "en": N_SETS, "nl": N_SETS, "zh": 0, "eu": 0,
    }  # fmt: skip
    assert made.found
    assert "subject" in str(row_of(made, "zh")["reason"])
    assert "UD_Basque-Broken" in str(row_of(made, "eu")["reason"])
    told = [each for each in made.messages if each.startswith(("zh: ", "eu: ", "de: "))]
    assert len(told) == 3
    assert all("\n" not in each for each in told)
    table = pl.read_csv(made.folder / "benchmark.tsv", separator="\t", quote_char=None)
    assert table["language"].to_list() == ["de", "en", "eu", "nl", "zh"]


@pytest.mark.slow
def test_the_folder_has_what_is_promised(made: cg.Benchmark) -> None:
    names = {path.split("/")[0] for path in contents(made.folder)}
    assert names == {
        "README.md", "benchmark.tsv", "samples.html", "manifest.json", "harness", "huggingface",
        "de", "en", "nl",
    }  # fmt: skip
    for language in ("en", "nl"):
        files = {path.name for path in (made.folder / language).iterdir()}
        assert files == {"items.jsonl", "blimp.jsonl", "audit.tsv", "README.md", "manifest.json"}


def test_a_language_has_its_items_audit_and_card(made: cg.Benchmark) -> None:
    for language in ("en", "nl"):
        folder, row = made.folder / language, row_of(made, language)
        suite = read_suite(folder / "items.jsonl")
        assert len({item.set_id for item in suite.items}) == row["n_sets"]
        assert {(item.kind, item.language, item.licence) for item in suite.items} == {
            ("composed", language, "CC-BY-4.0")
        }
        card = (folder / "README.md").read_text("utf-8")
        assert "CC-BY-4.0" in card
        assert str(row["verdict"]).split(" (")[0] in card
        audit = pl.read_csv(folder / "audit.tsv", separator="\t", quote_char=None)
        whole = audit.filter(pl.col("relation").is_null(), pl.col("value").is_null())
        figures = dict(zip(whole["baseline"], whole["accuracy"], strict=True))
        assert figures["unigram"] == pytest.approx(row["unigram"])
        assert row["nearest_noun"] == pytest.approx(0.5)  # where a noun stands between


def test_every_export_has_the_same_pairs(made: cg.Benchmark) -> None:
    for suite in made:
        pairs = {(pair_of(each).right, pair_of(each).wrong) for each in suite.items}
        if suite.name == "de":
            continue
        blimp = read_suite(made.folder / suite.name / "blimp.jsonl")
        assert {(pair_of(each).right, pair_of(each).wrong) for each in blimp.items} == pairs
        dataset = jsonl(made.folder / "huggingface" / f"{suite.name}.jsonl")
        assert {(row["sentence_good"], row["sentence_bad"]) for row in dataset} == pairs
        assert {row["relation"] for row in dataset} == {"none", "same", "opposite"}
        tasks = sorted((made.folder / "harness").glob(f"prefixes_{suite.name}_*.jsonl"))
        rows = [row for task in tasks for row in jsonl(task)]
        asked = set()
        for row in rows:
            right, wrong = row["choices"][row["gold"]], row["choices"][1 - row["gold"]]  # type: ignore
            asked.add((f"{row['context']}{right}", f"{row['context']}{wrong}"))
        assert asked == pairs
        assert len(rows) == len(dataset) == len(blimp.items) == len(suite.items)


def test_the_dataset_has_a_configuration_a_language(made: cg.Benchmark) -> None:
    card = (made.folder / "huggingface" / "README.md").read_text("utf-8")
    head = of_yaml(card.split("---\n")[1])
    assert [each["config_name"] for each in head["configs"]] == ["en", "nl"]
    assert head["license"] == "cc-by-4.0"
    assert head["language"] == ["en", "nl"]
    for each in head["configs"]:
        assert (made.folder / "huggingface" / each["data_files"][0]["path"]).is_file()


def test_licences_that_conflict_are_told_and_stop_no_other_language(made: cg.Benchmark) -> None:
    row = row_of(made, "de")
    assert row["licence"] == CONFLICT
    assert "conflict" in str(row["licence_note"])
    assert "conflict" in (made.folder / "de" / "README.md").read_text("utf-8")
    assert "conflict" in (made.folder / "README.md").read_text("utf-8")
    assert not (made.folder / "de" / "blimp.jsonl").exists()
    assert not [name for name in contents(made.folder) if re.match(r"h.*/.*\bde\b", name)]
    items = read_suite(made.folder / "de" / "items.jsonl").items
    assert conflict_of(items[0]) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("licences", "kept"),
    [
        ((BY_SA, NC_SA, NC_SA), ["Two", "Three"]),  # more words than One
        ((NC_SA, BY_SA, BY), ["Two", "Three"]),
        ((BY_SA, NC_SA, BY), ["Two", "Three"]),
        ((BY_SA, BY_SA, NC_SA), ["One", "Two"]),
        (("", BY_SA, BY), ["Two", "Three"]),
        ((BY, BY_SA, BY), ["One", "Two", "Three"]),
    ],
)
def test_the_most_words_that_go_together_are_published(
    tmp_path: Path, licences: tuple[str, ...], kept: list[str]
) -> None:
    names = ("One", "Two", "Three")
    for name, licence, n in zip(names, licences, (1, 2, 2), strict=True):
        text = TEXT.replace("near", name.lower()) + FLAT * n
        write_treebank(tmp_path / "all" / f"UD_English-{name}", "en", text=text, licence=licence)
    made = cg.benchmark(tmp_path / "all", out=tmp_path / "out", sets=2)
    (row,) = made.rows
    assert str(row["treebanks"]).split(" + ") == sorted(f"UD_English-{each}" for each in kept)
    assert row["licence_note"] is None
    assert (tmp_path / "out" / "huggingface" / "en.jsonl").is_file()
    others = [f"UD_English-{each}" for each in names if each not in kept]
    for text in (str(row["left_out"]), *(
        (tmp_path / "out" / each).read_text("utf-8")
        for each in ("README.md", "en/README.md", "benchmark.tsv")
    ), "\n".join(made.messages)):  # fmt: skip
        assert all(each in text for each in others)
        assert ("left out" in text) == bool(others)


@pytest.mark.slow
def test_a_word_list_may_decide_which_treebank_is_published(tmp_path: Path) -> None:
    """UniMorph is under CC BY-SA."""
    listed = tmp_path / "eng"
    listed.write_text("vanish\tvanishes\tV;IND;PRS;3;SG\n", "utf-8")
    for name, licence in (("One", BY_SA), ("Two", NC_SA)):
        text = TEXT + FLAT * (name == "Two")
        write_treebank(tmp_path / "all" / f"UD_English-{name}", "en", text=text, licence=licence)
    (plain,) = cg.benchmark(tmp_path / "all", out=tmp_path / "plain", sets=1).rows
    paths, folder = tmp_path / "all", tmp_path / "out"
    (row,) = cg.benchmark(paths, out=folder, sets=1, unimorph=f"en={listed}").rows
    assert (plain["treebanks"], row["treebanks"]) == ("UD_English-Two", "UD_English-One")
    assert row["licence_note"] is None


@pytest.mark.slow
def test_a_licence_that_is_not_known_is_published_only_when_asked(tmp_path: Path) -> None:
    write_treebank(tmp_path / "UD_English-Toy", "en", licence="")
    asked = cg.benchmark(tmp_path / "UD_English-Toy", out=tmp_path / "out", sets=1)
    assert "not known" in str(asked.rows[0]["licence_note"])
    assert not (tmp_path / "out" / "huggingface").exists()
    asked = cg.benchmark(tmp_path / "UD_English-Toy", out=tmp_path / "out", sets=1, license_ok=True)
    assert asked.rows[0]["licence_note"] is None
    card = (tmp_path / "out" / "huggingface" / "README.md").read_text("utf-8")
    assert of_yaml(card.split("---\n")[1])["license"] == "unknown"


def test_names_from_outside_stay_text(made: cg.Benchmark) -> None:
    name = next(str(row["treebanks"]) for row in made.rows if row["language"] == "nl")
    assert "\n" not in name
    page = (made.folder / "samples.html").read_text("utf-8")
    assert "\\u003cb\\u003eDutch" in page
    assert "<b>" not in page
    card = (made.folder / "README.md").read_text("utf-8")
    assert "<b>" not in card
    rows = [line for line in card.splitlines() if line.startswith("| nl |")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {14, 4}
    assert (made.folder / "benchmark.tsv").read_text("utf-8").count("\n") == len(made.rows) + 1


def test_the_page_has_whole_sets_of_each_language(made: cg.Benchmark) -> None:
    page = (made.folder / "samples.html").read_text("utf-8")
    for suite in made:
        on_page = {each.set_id for each in suite.items if f'"id":"{each.item_id}"' in page}
        items = [each for each in suite.items if each.set_id in on_page]
        assert len(on_page) == N_SETS
        assert all(f'"id":"{each.item_id}"' in page for each in items)


@pytest.mark.slow
def test_workers_do_not_show(made: cg.Benchmark, treebanks: Path, tmp_path: Path) -> None:
    cg.benchmark(treebanks, out=tmp_path / "out", sets=N_SETS, workers=2)
    assert contents(tmp_path / "out") == contents(made.folder)


@pytest.mark.slow
def test_ray_does_not_show(made: cg.Benchmark, treebanks: Path, tmp_path: Path) -> None:
    """In a process of its own: Ray writes on file descriptors, and starts a cluster of two."""
    pytest.importorskip("ray")
    out = tmp_path / "out"
    done = colorless(
        "benchmark", str(treebanks), "--sets", str(N_SETS), "--out", str(out),
        "--ray", "local", "--workers", "2", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert contents(out) == contents(made.folder)
    # stdout is the table alone
    assert {line.split()[0] for line in done.stdout.splitlines()[1:]} >= {"de", "en", "nl"}


def test_what_is_finished_is_not_made_again(treebanks: Path, tmp_path: Path) -> None:
    paths = [treebanks / "UD_English-Toy", treebanks / "UD_Chinese-Flat"]
    first = cg.benchmark(paths, out=tmp_path / "out", sets=2)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")}
    again = cg.benchmark(paths, out=tmp_path / "out", sets=2)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*")} == before
    assert again.rows == first.rows
    assert [*again.rows[0]] == [*first.rows[0]]  # the columns in their order


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"sets": 3}, {"seed": 1}, {"attractors": 1}])
def test_another_request_is_made_anew(
    treebanks: Path, tmp_path: Path, asked: dict[str, int]
) -> None:
    paths = treebanks / "UD_English-Toy"
    cg.benchmark(paths, out=tmp_path / "out", sets=2)
    cg.benchmark(paths, out=tmp_path / "out", **{"sets": 2} | asked)  # type: ignore[arg-type]
    cg.benchmark(paths, out=tmp_path / "fresh", **{"sets": 2} | asked)  # type: ignore[arg-type]
    assert contents(tmp_path / "out") == contents(tmp_path / "fresh")


@pytest.mark.slow
@pytest.mark.parametrize("change", ["truncate", "delete"])
def test_what_was_damaged_is_made_anew(treebanks: Path, tmp_path: Path, change: str) -> None:
    cg.benchmark(treebanks / "UD_English-Toy", out=tmp_path / "out", sets=2)
    before = contents(tmp_path / "out")
    for name in ("en/items.jsonl", "huggingface/en.jsonl", "samples.html"):
        path = tmp_path / "out" / name
        path.unlink() if change == "delete" else path.write_bytes(path.read_bytes()[:100])
        cg.benchmark(treebanks / "UD_English-Toy", out=tmp_path / "out", sets=2)
        assert contents(tmp_path / "out") == before


@pytest.mark.slow
def test_treebanks_that_changed_are_read_again(tmp_path: Path) -> None:
    folder = write_treebank(tmp_path / "UD_English-Toy", "en")
    one = contents(cg.benchmark(folder, out=tmp_path / "out", sets=2).folder)
    write_treebank(folder, "en", text=TEXT.replace("banner", "flag"))
    assert contents(cg.benchmark(folder, out=tmp_path / "out", sets=2).folder) != one
    write_treebank(folder, "en", text=FLAT)
    assert not cg.benchmark(folder, out=tmp_path / "out", sets=2).found
    assert not (tmp_path / "out" / "en").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("stop", ["de", "en", "nl", "harness", "README.md"])
def test_a_run_that_was_killed_goes_on(
    made: cg.Benchmark, treebanks: Path, tmp_path: Path, stop: str
) -> None:
    command = [sys.executable, "-m", "colorless_green", "benchmark", str(treebanks), "--sets",
               str(N_SETS), "--out", str(tmp_path / "out")]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (tmp_path / "out" / stop).exists() and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    cg.benchmark(treebanks, out=tmp_path / "out", sets=N_SETS)
    assert contents(tmp_path / "out") == contents(made.folder)


@pytest.mark.skipif(os.name != "posix", reason="folders have no locks")
def test_two_at_once_are_refused(treebanks: Path, tmp_path: Path) -> None:
    import fcntl

    (tmp_path / "out").mkdir()
    handle = os.open(tmp_path / "out", os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        with mistake("conflict", tmp_path / "out"):
            cg.benchmark(treebanks / "UD_English-Toy", out=tmp_path / "out", sets=1)
    finally:
        os.close(handle)
    assert cg.benchmark(treebanks / "UD_English-Toy", out=tmp_path / "out", sets=1).found


@contextmanager
def little_room(n_bytes: int) -> Iterator[None]:
    """No file may be longer, as if the disk were full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture(scope="module")
def ten(treebanks: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a benchmark of ten sets."""
    paths = [treebanks / "UD_English-Toy", treebanks / "UD_Chinese-Flat"]
    return contents(cg.benchmark(paths, out=tmp_path_factory.mktemp("ten") / "out", sets=10).folder)


@pytest.mark.slow
@pytest.mark.parametrize("n_bytes", [2_000, 20_000, 60_000])
def test_a_full_disk_is_an_error_and_leaves_nothing_half_written(
    treebanks: Path, ten: dict[str, bytes], tmp_path: Path, n_bytes: int
) -> None:
    paths = [treebanks / "UD_English-Toy", treebanks / "UD_Chinese-Flat"]
    with little_room(n_bytes), pytest.raises(InputError) as caught:
        cg.benchmark(paths, out=tmp_path / "out", sets=10)
    assert caught.value.kind == "unwritable"
    assert str(tmp_path / "out") in caught.value.location
    there = contents(tmp_path / "out")
    assert set(there) <= {"manifest.json", "en/manifest.json", *(
        f"en/{each}" for each in ("items.jsonl", "blimp.jsonl", "audit.tsv", "README.md")
    )}  # fmt: skip
    assert contents(cg.benchmark(paths, out=tmp_path / "out", sets=10).folder) == ten


@pytest.mark.slow
def test_folders_of_something_else_are_left_alone(treebanks: Path, tmp_path: Path) -> None:
    paths = treebanks / "UD_English-Toy"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "README.md").write_text("mine", "utf-8")
    with mistake("conflict", tmp_path / "mine"):
        cg.benchmark(paths, out=tmp_path / "mine", sets=1)
    with mistake("conflict", tmp_path / "mine" / "README.md"):
        cg.benchmark(paths, out=tmp_path / "mine" / "README.md", sets=1)
    assert contents(tmp_path / "mine") == {"README.md": b"mine"}
    cg.benchmark([paths, treebanks / "UD_German-One"], out=tmp_path / "out", sets=1)
    with mistake("conflict", tmp_path / "out"):  # a language would stay that is not asked for
        cg.benchmark(paths, out=tmp_path / "out", sets=1)


@pytest.mark.slow
def test_treebanks_of_one_language_are_one_lexicon_and_older_releases_none(
    tmp_path: Path,
) -> None:
    for name, word in (("One", "near"), ("Two", "by"), ("One-r2.0", "past")):
        text = TEXT.replace("near", word)
        write_treebank(tmp_path / "all" / f"UD_English-{name}", "en", text=text)
    made = cg.benchmark(tmp_path / "all", out=tmp_path / "out", sets=20)
    (row,) = made.rows
    assert row["treebanks"] == "UD_English-One + UD_English-Two"
    assert {"near", "by"} <= set(re.findall(r"nmod:(\w+)", str(row["modifiers"])))
    assert "past" not in str(row["modifiers"])
    assert any("UD_English-One-r2.0" in each and "older" in each for each in made.messages)


def test_a_treebank_whose_name_tells_no_language_needs_one(tmp_path: Path) -> None:
    for name in ("dev.conllu", "my_text.conllu", "nl-2.conllu", "english.conllu"):
        path = tmp_path / name
        path.write_text(TEXT, "utf-8")
        with mistake("missing", path):
            cg.benchmark(path, out=tmp_path / "out", sets=1)
    made = cg.benchmark(path, out=tmp_path / "out", sets=1, language="en")
    assert made.rows[0]["language"] == "en"


@pytest.mark.parametrize("name", ["nl.conllu", "nl.conllu.gz", "nl_toy-ud-dev.conllu"])
def test_a_file_alone_may_be_called_after_its_language(tmp_path: Path, name: str) -> None:
    packed = gzip.compress if name.endswith(".gz") else bytes
    (tmp_path / name).write_bytes(packed(TEXT.encode()))
    made = cg.benchmark(tmp_path / name, out=tmp_path / "out", sets=1)
    assert made.rows[0]["language"] == "nl"


def test_only_chooses_languages(treebanks: Path, tmp_path: Path) -> None:
    made = cg.benchmark(treebanks, out=tmp_path / "out", sets=1, only="nl")
    assert [row["language"] for row in made.rows] == ["nl"]
    with mistake("unknown", "only"):
        cg.benchmark(treebanks, out=tmp_path / "other", sets=1, only=["it"])


@pytest.mark.parametrize(
    ("asked", "place"),
    [({"sets": 0}, "sets"), ({"attractors": 3}, "attractors"), ({"language": "Dutch"},
     "language"), ({"workers": 0}, "workers")],
)  # fmt: skip
def test_options_out_of_range_are_refused(
    treebanks: Path, tmp_path: Path, asked: dict[str, int], place: str
) -> None:
    with mistake("unknown" if place == "language" else "value", place):
        cg.benchmark(treebanks, out=tmp_path / "out", **asked)  # type: ignore[arg-type]


@pytest.mark.slow
@few_examples
@given(name=st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1,
                    max_size=12))  # fmt: skip
def test_any_name_of_a_folder_serves(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    root: Path = tmp_path_factory.mktemp("named")
    folder = write_treebank(root / f"UD_{name}", "en")
    made = cg.benchmark(folder, out=root / "out", sets=1)
    assert made.found
    assert [suite.name for suite in read_suites(root / "out")] == ["en"]
    assert read_suite(root / "out").name == "en"
    for card in ("README.md", "en/README.md", "huggingface/README.md"):
        assert (root / "out" / card).read_text("utf-8")
    head = (root / "out" / "huggingface" / "README.md").read_text("utf-8").split("---\n")[1]
    assert of_yaml(head)["configs"][0]["config_name"] == "en"


@pytest.mark.skipif(sys.platform != "linux", reason="names are Unicode there")
def test_a_path_that_is_no_utf8_and_a_fault_in_a_hostile_folder_are_told_in_a_line(
    treebanks: Path, tmp_path: Path
) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/all/UD_\xff"))
    write_treebank(folder, "nl")
    write_treebank(tmp_path / "all" / "UD_a\nb", "eu", text=TEXT + "1\tbroken\n\n")
    made = cg.benchmark(
        [tmp_path / "all", treebanks / "UD_English-Toy"], out=tmp_path / "out", sets=1
    )
    assert {row["language"]: row["n_sets"] for row in made.rows} == {"en": 1, "nl": 0, "eu": 0}
    assert "UTF-8" in str(row_of(made, "nl")["reason"])
    assert all("\n" not in each for each in made.messages)


@pytest.mark.slow
def test_scores_are_of_languages_by_cells_with_baselines(
    made: cg.Benchmark, tmp_path: Path
) -> None:
    (tmp_path / "words.txt").write_text("the of", "utf-8")
    model = f"uniform:{tmp_path / 'words.txt'}"
    scores = cg.score(made, model, method=cg.Method(oov="keep"))
    cells = scores.cells
    assert cells["suite"].unique(maintain_order=True).to_list() == ["de", "en", "nl"]
    ours = cells.filter(pl.col("model") == scores.runs[0].model)
    assert ours.height == 3
    assert set(ours["opposite Plur"]) == {0.5}
    nearest = cells.filter(pl.col("model") == "nearest_noun")
    assert set(nearest["none"]) == set(nearest["same"]) == {1.0}
    assert set(nearest["opposite"]) == set(nearest["joint"]) == {0.0}
    again = cg.score(made.folder, model, method=cg.Method(oov="keep"), out=tmp_path / "scores")
    assert again.cells.drop("policy").equals(cells.drop("policy"))
    assert (tmp_path / "scores" / "cells.tsv").is_file()
    assert scores.shown().height == 3 * 7  # the model and six baselines


def test_a_benchmark_that_is_not_finished_or_was_changed_is_not_scored(
    treebanks: Path, tmp_path: Path
) -> None:
    folder = cg.benchmark(treebanks / "UD_English-Toy", out=tmp_path / "out", sets=1).folder
    items = folder / "en" / "items.jsonl"
    text = items.read_text("utf-8")
    items.write_text(text.replace("vanish", "cough"), "utf-8")
    items.write_text(text[:-1] + " \n", "utf-8")
    with mistake("changed", items):
        read_suites(folder)
    manifest = folder / "manifest.json"
    about = json.loads(manifest.read_text("utf-8"))
    about["languages"] = {"../../elsewhere": about["languages"]["en"]}
    manifest.write_text(json.dumps(about), "utf-8")
    with pytest.raises(InputError):
        read_suites(folder)


@pytest.mark.slow
def test_the_command_prints_a_table(treebanks: Path, tmp_path: Path) -> None:
    run = colorless("benchmark", str(treebanks / "UD_English-Toy"), "--sets", "2", cwd=tmp_path)
    assert run.returncode == 0
    assert "verdict" not in run.stdout.splitlines()[0]
    assert re.search(r"^language: en$", run.stdout, re.M)


@pytest.mark.shared
@pytest.mark.slow
def test_three_small_treebanks_end_to_end(tmp_path: Path) -> None:
    paths = [
        shared(f"treebanks/UD_{name}")
        for name in ("Hungarian-Szeged", "Italian-ParTUT", "French-Sequoia", "Telugu-MTG")
    ]
    made = cg.benchmark(paths, out=tmp_path / "out", sets=20, workers=2)
    assert {row["language"]: row["n_sets"] for row in made.rows} == {
        "hu": 20, "it": 20, "fr": 20, "te": 0,
    }  # fmt: skip
    for row in made.rows[:3]:
        for name in ("majority_value", "unigram", "words", "nearest_noun", "adjacent_word"):
            assert row[name] == pytest.approx(0.5, abs=0.01), (row["language"], name)
        assert float(str(row["joint"])) < 0.1
        assert row["licence_note"] is None
    for suite in made:
        blimp = read_suite(made.folder / suite.name / "blimp.jsonl")
        assert len(blimp.items) == len(suite.items)


@pytest.mark.slow
def test_the_harness_finds_the_group_and_its_rows(made: cg.Benchmark) -> None:
    pytest.importorskip("lm_eval")
    code = (
        "import sys; from lm_eval.tasks import TaskManager\n"
        "manager = TaskManager(include_path=sys.argv[1])\n"
        "found = manager.load_task_or_group(['colorless_benchmark'])\n"
        "names = []\n"
        "def walk(tree):\n"
        "    for key, value in tree.items():\n"
        "        walk(value) if isinstance(value, dict) else names.append(\n"
        "            (value.config.task, len(value.dataset['test'])))\n"
        "walk(found); print(sorted(names))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(made.folder / "harness")],
        capture_output=True, text=True, check=False, env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for language in ("en", "nl"):
        assert f"'colorless_benchmark_{language}_opposite', {6 * N_SETS}" in done.stdout
