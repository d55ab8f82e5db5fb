"""The Python interface: what a notebook does, with and without a store."""

import json
import pickle
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

import colorless_green as cg
from colorless_green.data import Item, format_named, sample
from colorless_green.data.store import Store
from tests.builders import colorless, mistake, shared
from tests.python_page import blocks as guide
from tests.python_page import run as run_guide

SAMPLE = str(sample.treebank("en"))
HEAVY = {"polars", "numpy", "torch", "typer", "pydantic", "sqlite3", "transformers", "pandas"}


@pytest.fixture(scope="module")
def mining() -> cg.Mining:
    return cg.mine(SAMPLE, language="en")


@pytest.fixture(scope="module")
def suite(mining: cg.Mining) -> cg.Suite:
    return cg.make_nonce(mining, n=2)


def test_importing_the_package_imports_nothing_heavy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import colorless_green, sys; print(*sys.modules)"]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert HEAVY.isdisjoint(each.partition(".")[0] for each in shown.stdout.split())


def test_every_name_that_is_offered_is_there() -> None:
    assert {each for each in cg.__all__ if not hasattr(cg, each)} == set()
    assert set(cg.__all__) <= set(dir(cg))


def test_a_mining_has_frames_and_originals_with_or_without_a_store(
    mining: cg.Mining, tmp_path: Path
) -> None:
    kept = cg.mine(SAMPLE, language="en", store=tmp_path / "s.db")
    again = cg.mine(SAMPLE, language="en", store=str(tmp_path / "s.db"))
    for each in (kept, again):
        assert each.constructions.equals(mining.constructions)
        assert each.rejections.equals(mining.rejections)
        assert each.originals == mining.originals
        assert each.to_frame().equals(mining.to_frame())
    assert mining.constructions["n_originals"].sum() == len(mining.originals.items)


@pytest.mark.slow
def test_variants_are_the_same_from_a_mining_a_suite_a_file_and_a_store(
    mining: cg.Mining, suite: cg.Suite, tmp_path: Path
) -> None:
    cg.export(mining.originals, tmp_path / "originals.jsonl")
    cg.mine(SAMPLE, language="en", store=tmp_path / "s.db")
    found = [
        cg.make_nonce(mining.originals, n=2),
        cg.make_nonce(tmp_path / "originals.jsonl", n=2, treebank=SAMPLE),
        cg.make_nonce(n=2, store=tmp_path / "s.db"),
    ]
    first = found[0].items
    assert first == suite.items
    assert [each.item_id for each in found[2].items] == [each.item_id for each in first]
    words = [[item.conditions for item in each.items] for each in found]
    assert words[0] == words[1] == words[2]


@pytest.mark.slow
def test_a_suite_goes_to_a_file_by_its_ending_and_comes_back(
    suite: cg.Suite, tmp_path: Path
) -> None:
    for name in ("set.jsonl", "set.json", "set.csv", "set.tab"):
        cg.export(suite, tmp_path / name)
        assert len(cg.load_suite(tmp_path / name).items) == len(suite.items)
    assert cg.load_suite(tmp_path / "set.jsonl").items == suite.items
    with mistake("format", tmp_path / "set.xlsx"):
        cg.export(suite, tmp_path / "set.xlsx")


def test_results_show_themselves_in_a_notebook_and_go_to_pandas(
    mining: cg.Mining, suite: cg.Suite
) -> None:
    for result in (mining, suite):
        shown = result._repr_html_()
        assert "<table" in shown
        assert "<script" not in shown
        assert list(result.to_pandas().columns) == result.to_frame().columns
    assert len(suite.to_pandas()) == len(suite.items)


def test_a_hostile_text_is_escaped_in_a_notebook() -> None:
    result = cg.Result([{"name": "<script>x</script>"}], ["name"], ["<b>bold</b>"])
    assert "<script" not in result._repr_html_()
    assert "<b>" not in result._repr_html_()


def test_constructions_are_chosen_by_name_or_pattern(mining: cg.Mining, tmp_path: Path) -> None:
    made = cg.make_nonce(mining, n=1, construction=["L__NOUN*"])
    names = {item.agreement.construction for item in made.items if item.agreement}
    assert names == {"L__NOUN__VERB__nsubj", "L__NOUN__VERB__subject-second-verb"}
    cg.export(made, tmp_path / "x.jsonl", construction=["*-verb"])
    lines = (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()
    found = {json.loads(line)["construction"] for line in lines}
    assert found == {"L__NOUN__VERB__subject-second-verb"}
    with pytest.raises(cg.InputError) as caught:
        cg.audit(made, construction=["L__NOUN__VERB__nsbj"])
    assert caught.value.kind == "unknown"


@pytest.mark.shared
def test_rule_and_recipe_give_the_published_english_set() -> None:
    """The originals are the published ones, and every one has nine variants (one published original
    has equal forms in all of its variants, none of which is kept)."""
    mining = cg.mine(
        shared("treebanks", "UD_English-EWT-r2.0", "en-ud-train.conllu.gz"),
        rule="released",
        vocabulary=shared("vocabularies", "english-wikipedia-50k.txt"),
    )
    path = shared("published", "colorless", "agreement", "English", "generated.tab")
    published = format_named("tab").read(path).items
    theirs = sorted(map(sentence, (item for item in published if item.kind == "original")))
    assert sorted(map(sentence, mining.originals.items)) == theirs
    made = cg.make_nonce(mining, recipe="gulordava2018")
    assert [item.kind for item in made.items].count("nonce") == 9 * len(theirs) == 369
    assert {item.agreement.level for item in made.items if item.agreement} == {"", "morphology"}


def sentence(item: Item) -> tuple[object, ...]:
    found = item.agreement
    assert found is not None
    return (found.construction, found.number, found.tokens, found.right, found.wrong)


@pytest.mark.slow
def test_status_counts_what_the_pipeline_made(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        mining = cg.mine(SAMPLE, language="en", store=store)
        suite = cg.make_nonce(n=1, store=store)
        rows = [row for row in cg.status(store=store).rows if row["what"] in ("mining", "suite")]
    assert sorted((row["what"], row["language"], row["n"]) for row in rows) == [
        ("mining", "en", len(mining.originals.items)),
        *sorted(("suite", "en", len(each.items)) for each in (mining.originals, suite)),
    ]
    times = [str(row["created"]) for row in rows]
    assert times == sorted(times, reverse=True)  # the newest first
    with mistake("missing", tmp_path / "no.db"):
        cg.status(store=tmp_path / "no.db")
    assert not (tmp_path / "no.db").exists()


def test_status_names_what_is_installed_and_how_to_get_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = colorless("status --json", cwd=tmp_path)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert rows == list(cg.status().rows)
    assert {row["what"] for row in rows} == {"package", "GPU", "cache"}
    assert done.returncode == 0
    assert "mine" in done.stderr  # the default store may be missing, and this says how it is made
    monkeypatch.setattr("colorless_green.data.status.version", not_installed)
    about = {row["name"]: str(row["about"]) for row in cg.status().rows}
    assert "[score]" in about["torch"]


def not_installed(name: str) -> str:
    raise PackageNotFoundError(name)


def test_a_table_that_nothing_reads_any_more_is_left_as_it_is_and_named(tmp_path: Path) -> None:
    with Store(tmp_path / "s.db") as store:
        cg.mine(SAMPLE, language="en", store=store)
        assert not any("table" in message for message in cg.status(store=store).messages)
        store.connection.execute("PRAGMA foreign_keys = OFF")
        store.insert("reading", {"judgment_set_id": 1, "record": "{}"})
        (message,) = [each for each in cg.status(store=store).messages if "table" in each]
        assert "reading" in message
        assert store.one("SELECT count(*) AS n FROM reading") == {"n": 1}


@pytest.mark.shared
@pytest.mark.slow
def test_the_guide_shows_what_its_code_gives(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("UD_German-GSD", "UD_French-Sequoia"):
        (tmp_path / name).symlink_to(shared("treebanks", name))
    table = shared("published", "colorless", "evaluation_output", "Italian", "best_model_mturk.tab")
    (tmp_path / table.name).symlink_to(table)
    shown = run_guide(tmp_path)
    assert len(shown) >= 10
    assert shown == [output for _, output in guide()]
    assert (tmp_path / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_one_name_is_as_good_as_a_list_of_one(mining: cg.Mining) -> None:
    """A bare string is no list of letters."""
    one = cg.mine(SAMPLE, language="en", feature="Number")
    several = cg.mine([SAMPLE], language="en", feature=iter(["Number"]))
    assert one.constructions.equals(several.constructions)
    assert one.constructions.height > 0
    made = cg.make_nonce(mining, n=1, construction="L__NOUN*")
    assert made == cg.make_nonce(mining, n=1, construction=("L__NOUN*",))
    assert cg.audit(made, by="value").to_frame().equals(cg.audit(made, by=["value"]).to_frame())


def test_a_store_that_is_only_read_is_not_made(suite: cg.Suite, tmp_path: Path) -> None:
    for call in (cg.audit, cg.export):
        with mistake("missing", tmp_path / "typo.db"):
            call("", store=tmp_path / "typo.db")
    cg.export(suite, tmp_path / "set.jsonl")
    assert cg.audit(tmp_path / "set.jsonl", store=tmp_path / "typo.db").found
    assert not (tmp_path / "typo.db").exists()
    with mistake("missing", "load_suite"):
        cg.load_suite()


def test_a_store_is_found_again_from_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mining = cg.mine(SAMPLE, language="en", store="s.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert cg.make_nonce(mining, n=1).kept.store == (tmp_path / "s.db").resolve()  # type: ignore[union-attr]
    assert list(Path().iterdir()) == []


@pytest.mark.slow
def test_objects_go_to_other_stores_and_processes(
    mining: cg.Mining, suite: cg.Suite, tmp_path: Path
) -> None:
    made = cg.make_nonce(mining, n=2, store=tmp_path / "other.db")
    assert made.items == suite.items
    for each in (suite, mining.originals):
        assert pickle.loads(pickle.dumps(each)) == each
    again = pickle.loads(pickle.dumps(mining))
    assert again.constructions.equals(mining.constructions)
    for nowhere in ("none", ":memory:"):
        assert cg.mine(SAMPLE, store=nowhere).constructions.height > 0
    assert not Path("none").exists()


def test_a_correction_is_kept(tmp_path: Path) -> None:
    """The same sentences, their language stated later, are another suite, and the newer one."""
    (tmp_path / "pairs.csv").write_text("good,bad\nDie Tür ist zu.,Die Tür sind zu.\n")
    for language in ("", "de"):
        cg.load_suite(tmp_path / "pairs.csv", language=language, store=tmp_path / "s.db")
    rows = cg.status(store=tmp_path / "s.db").rows
    assert [row["language"] for row in rows if row["what"] == "suite"] == ["de", "und"]


@pytest.mark.slow
def test_a_mistyped_feature_is_not_the_newest_mining(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    cg.mine(SAMPLE, language="en", store=store)
    assert not cg.mine(SAMPLE, language="en", feature="Numbr", store=store).found
    assert cg.make_nonce(n=1, store=store).items
    with mistake("missing", "paths"):
        cg.mine([])
    with mistake("value", "n"):
        cg.make_nonce(n=0, store=store)
    with mistake("value", "suite"):
        cg.audit(5)  # type: ignore[arg-type]
