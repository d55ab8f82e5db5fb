"""The examples in docstrings run as they stand."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

RUN = re.compile(r">>> (?!.*# doctest: \+SKIP)")  # what is fetched, or needs a model, is not
ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(
    path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    for room in ("data", "miner", "nonce", "scoring", "humans")
    for path in (ROOT / room).rglob("*.py")
    if RUN.search(path.read_text(encoding="utf-8"))
)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(
        import_module(f"colorless_green.{name}"), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert found.attempted > 0
    assert found.failed == 0
