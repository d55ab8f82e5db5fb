"""Every file that was published, taken for what it is, and given back as it was."""

import csv
import gzip
import io
import json
import pickle
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NoReturn

import pytest

from colorless_green.data import detect_format, format_named, read_suite, sentence_text, write_suite
from colorless_green.data.errors import InputError
from tests.builders import shared

SUITES = {  # pattern of the path, format
    "blimp/data/*": "blimp",
    "clams/*.txt*": "clams",
    "colorless/agreement/*/generated.tab*": "tab",  # before the next, which is all others
    "colorless/agreement/*/generated.*": "gold",
    "colorless/evaluation_output/*": "tab",
    "colorless/linzen_testset/subj*": "linzen2016",
    "humans/blimp/pairs.csv": "pair_table",
    "marvin_linzen/pickles/*": "marvin_linzen",
    "marvin_linzen/sample_sents.txt": "pair_table",
    "multiblimp/*.tsv.gz": "multiblimp",
    "reflexives/stimuli/exp*": "reflexives",
    "syntaxgym/suites/csv/*": "syntaxgym_csv",
    "syntaxgym/suites/json*/*": "syntaxgym",
    "tables/human_by_item.csv": "pair_table",
}
RELEASED = (  # results, which bench.papers counts again
    "reflexives/accuracy/*",
    "reflexives/target_surprisals_*",
    "syntaxgym/perplexity.csv",
    "syntaxgym/sg_results/*",
)
OTHERS = (  # what no suite is read from: notes, figures, people's answers, word lists, test cases
    "*/LICENSE*.txt",
    "*.md",
    "humans/*",
    "reflexives/stimuli/lexicon/*",
    "syntaxgym/*_cases.json",
    "syntaxgym/region_surprisals/*",
    "syntaxgym/token_surprisals/*.txt",
    "tables/*",
    "unimorph/*",
)
BESIDE = (
    "syntaxgym/token_surprisals/core_examples/*.json",
)  # another file's: test_formats_syntaxgym


def files() -> list[Path]:
    root = shared("published")
    return [path for path in sorted(root.rglob("*")) if path.is_file()]


def names_of(all_of_them: bool) -> list[str]:
    """Return the published files; or of each publication, format and ending the smallest."""
    root = shared("published")
    kept: dict[tuple[str, ...], str] = {}
    for path in sorted(files(), key=lambda each: each.stat().st_size, reverse=True):
        name = path.relative_to(root).as_posix()
        form = expected(name, SUITES)
        kept[(name,) if all_of_them else (name.partition("/")[0], form, path.suffix)] = name
    return sorted(kept.values())


ALL_OR_SOME = pytest.mark.parametrize(
    "all_of_them", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["some", "all"]
)


def expected(name: str, patterns: dict[str, str]) -> str:
    return next((kind for pattern, kind in patterns.items() if fnmatch(name, pattern)), "")


@pytest.mark.shared
def test_every_published_file_is_of_a_kind_we_know() -> None:
    root = shared("published")
    known = (*SUITES, *RELEASED, *OTHERS, *BESIDE)
    unknown = [
        path.relative_to(root).as_posix()
        for path in files()
        if not any(fnmatch(path.relative_to(root).as_posix(), pattern) for pattern in known)
    ]
    assert unknown == []


@pytest.mark.shared
def test_every_published_file_tells_its_format_or_that_it_has_none() -> None:
    root = shared("published")
    for path in files():
        name = path.relative_to(root).as_posix()
        if not any(fnmatch(name, pattern) for pattern in BESIDE):
            assert detect_format(path) == expected(name, SUITES), name


@pytest.mark.shared
@ALL_OR_SOME
def test_every_published_suite_is_read_and_everything_else_refused_in_a_line(
    all_of_them: bool,
) -> None:
    root = shared("published")
    for name in names_of(all_of_them):
        path = root / name
        if expected(name, SUITES):
            assert format_named("").read(path).items, name
        elif not any(fnmatch(name, pattern) for pattern in BESIDE):
            with pytest.raises(InputError) as caught:
                format_named("").read(path)
            assert "\n" not in str(caught.value)


AS_BYTES = frozenset(  # formats whose published files are as canonical as what we write
    ("blimp", "gold", "multiblimp", "pair_table", "tab")
)
QUOTED = ("tables/human_by_item.csv",)  # more cells than need be


class Texts(pickle.Unpickler):
    """Loads what needs no class."""

    def find_class(self, module_name: str, global_name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"{module_name}.{global_name}")


def values(path: Path, form: str) -> object:
    """Every value of a file, in its order."""
    content = unpacked(path).decode("utf-8")
    if form == "syntaxgym":
        return json.dumps(json.loads(content))  # keys in their order
    return list(csv.reader(io.StringIO(content, newline="")))


def unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.shared
@ALL_OR_SOME
def test_every_published_suite_that_is_read_and_written_comes_back_value_for_value(
    all_of_them: bool,
    tmp_path: Path,
) -> None:
    """Byte for byte where the file is as we write; what is ours stands nowhere in it."""
    root = shared("published")
    for name in names_of(all_of_them):
        path = root / name
        form = expected(name, SUITES)
        if form and format_named(form).write is not None:
            again = tmp_path / path.parent.name / path.name.removesuffix(".gz")
            again.parent.mkdir(exist_ok=True)
            write_suite(read_suite(path), again, form)
            if form in AS_BYTES and name not in QUOTED:
                assert again.read_bytes() == unpacked(path), name
            else:
                assert values(again, form) == values(path, form), name
            again.unlink()


def spoken(path: Path, form: str) -> Iterator[str]:
    """Yield the sentences of a file of a format that is only read."""
    if form == "marvin_linzen":
        lists = Texts(io.BytesIO(unpacked(path)), encoding="utf-8").load().values()
        yield from (text for members in lists for member in members for text in member)
        return
    if form == "linzen2016":
        texts, answers = (
            unpacked(path.with_name(f"subj_agr_filtered.{ending}")).decode().splitlines()
            for ending in ("text.gz", "gold")
        )
        for line, answer in zip(texts, answers, strict=True):
            target, right, wrong, _ = answer.split("\t")
            tokens = line.removesuffix("<eos>").split(" ")
            for form_in_text in (right, wrong):
                tokens[int(target)] = form_in_text
                yield " ".join(tokens)
        return
    content = unpacked(path).decode("utf-8")
    if form == "clams":
        yield from (line.split("\t")[1] for line in content.splitlines())
        return
    rows = csv.DictReader(io.StringIO(content, newline=""))
    if form == "reflexives":
        yield from (row["sentence"].removesuffix(" <eos>") for row in rows)
        return
    parts: dict[tuple[str, str], str] = {}
    for row in rows:
        key = row["item_number"], row["condition_name"]
        parts[key] = parts.get(key, "") + row["content"]
    yield from parts.values()


@pytest.mark.shared
@ALL_OR_SOME
def test_every_sentence_of_a_published_file_that_is_only_read_is_read(all_of_them: bool) -> None:
    root = shared("published")
    for name in names_of(all_of_them):
        path, form = root / name, expected(name, SUITES)
        if form and format_named(form).write is None:
            found = Counter(
                "".join(sentence_text(wording).split())
                for item in read_suite(path).items
                for wordings in item.conditions.values()
                for wording in wordings
            )
            assert found == Counter("".join(text.split()) for text in spoken(path, form)), name
