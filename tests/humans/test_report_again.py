"""A report asked for again: left as it is if it would come out the same, else made anew."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import colorless_green as cg
from colorless_green.data import sample
from colorless_green.data.store import Store
from tests.builders import without_matplotlib

pytestmark = pytest.mark.slow  # what they look at is dear to make

PAGE, OTHER = Path("report.html"), Path("other.html")


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A folder to work in, with a store of a scored suite."""
    monkeypatch.chdir(tmp_path)
    Path("text.conllu").write_text(sample.treebank("en").read_text("utf-8"), "utf-8")
    Path("words.txt").write_text("the key keys is are old .")
    mining = cg.mine("text.conllu", language="en", store="store.db")
    cg.score(mining.originals, "uniform:words.txt", oov="keep", store="store.db")
    return mining.originals.name


def report(page: Path = PAGE, **options: Any) -> cg.Result:
    return cg.report(out=page, store="store.db", **options)


def is_left(**options: Any) -> bool:
    """Whether the page is left as it is when it is asked for again."""
    before = PAGE.stat()
    report(**options)
    after = PAGE.stat()
    return (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_the_same_report_again_leaves_the_page(suite: str) -> None:
    first = report()
    assert is_left()
    again = report()
    assert again.to_frame().equals(first.to_frame())
    assert again.messages


@pytest.mark.parametrize("change", ["edited", "deleted"])
def test_a_page_that_is_not_what_was_written_is_written_again(suite: str, change: str) -> None:
    report()
    page = PAGE.read_bytes()
    if change == "edited":
        PAGE.write_bytes(page.replace(b"<title>", b"<title>My "))
    else:
        PAGE.unlink()
    report()
    assert PAGE.read_bytes() == page


def scored(suite: str) -> None:
    Path("others.txt").write_text("the old key .")
    cg.score(suite, "uniform:others.txt", oov="keep", store="store.db")


def judged(suite: str) -> None:
    drawn = random.Random(0)
    items = [each for each in cg.load_suite(suite, store="store.db").items if each.agreement]
    rows = [
        f"p{person},{item.item_id},{drawn.choice((item.agreement.right, item.agreement.wrong))}\n"
        for person in range(3)
        for item in items[:20]
        if item.agreement
    ]
    Path("answers.csv").write_text(f"participant,item,chosen\n{''.join(rows)}", "utf-8")
    cg.read_judgments("answers.csv", suite=suite, store="store.db")


def moved(suite: str) -> None:
    Path("text.conllu").rename("elsewhere.conllu")


@pytest.mark.parametrize("change", [scored, judged, moved])
def test_whatever_changes_makes_the_page_anew(suite: str, change: Callable[[str], None]) -> None:
    report(scores=suite)
    change(suite)
    assert not is_left(scores=suite)
    report(OTHER, scores=suite)  # where there is none, one is made
    assert PAGE.read_bytes() == OTHER.read_bytes()


def test_another_option_or_version_is_another_report(
    suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    report()
    construction = cg.load_suite(suite, store="store.db").table.frame["construction"][0]
    assert not is_left(construction=construction)
    assert not is_left(scores=suite)
    assert not is_left(figures="drawings")
    assert is_left(scores=suite)
    monkeypatch.setattr("colorless_green.data.memo.__version__", "0")
    assert not is_left(scores=suite)


def test_another_package_or_plug_in_is_another_report(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report()
    with without_matplotlib():
        assert not is_left()
    assert not is_left()
    (tmp_path / "packages" / "plug_in-1.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    assert not is_left()
    assert is_left()


def test_what_requests_gave_is_no_content_of_a_store(suite: str) -> None:
    from colorless_green.data.memo import contents, remember

    with Store(Path("store.db")) as store:
        before = contents(store)
        remember(store, "key", {"rows": []}, 1)
        assert contents(store) == before
        with store.transaction():
            store.execute("UPDATE suite SET name = 'other'")
        assert contents(store) != before
