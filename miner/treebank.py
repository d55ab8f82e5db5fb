"""A treebank: the files of one call, their language, name and licence."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.fetch import about, licence_of
from colorless_green.data.files import MANIFEST
from colorless_green.data.languages import checked_language
from colorless_green.miner.conllu import OnBad, read
from colorless_green.miner.repair import Repair, repaired
from colorless_green.miner.tree import Sentence

ENDINGS = (".conllu", ".conllu.gz")
PARTS = ("train", "dev", "test")
FILE_NAME = re.compile(r"([a-z]{2,3})(?:_([A-Za-z0-9]+))?-ud-")
REMEMBERED = 250_000  # sentence ids: more than any treebank has; a bound for parsed text
UNDETERMINED = "und"  # BCP-47 for a language that nothing tells
READMES = ("README.md", "README.txt")
LICENCES = ("LICENSE.txt", "LICENSE")


@dataclass(frozen=True, slots=True)
class Treebank:
    """Files read in this order as one stream of sentences."""

    name: str
    language: str  # BCP-47; "und" where nothing tells
    licence: str  # SPDX id, or "" where nothing tells
    files: tuple[Path, ...]


def treebank(paths: Sequence[Path], *, name: str = "", language: str = "") -> Treebank:
    """The treebank of files and folders; a folder's files come in the order train, dev, test.

    Name and language are taken from the names of folder and files unless given. Raises
    `InputError` for a path that does not exist or a folder without CoNLL-U files.
    """
    files = tuple(file for path in paths for file in _files(path))
    names = [file.name.removesuffix(".gz") for file in files]
    for file, name_of_file in zip(files, names, strict=True):
        if names.count(name_of_file) > 1:
            raise InputError(
                str(file),
                f"two files of one treebank are called {name_of_file}",
                "other names",
                kind="conflict",
            )
    match = FILE_NAME.match(files[0].name)
    folder = files[0].resolve().parent
    guessed = folder.name if folder.name.startswith("UD_") else files[0].name.split(".")[0]
    return Treebank(
        name or guessed,
        language or (match[1] if match else UNDETERMINED),
        _licence(folder),
        files,
    )


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(
            str(path),
            "there is no such file or folder",
            "a CoNLL-U file or a folder",
            kind="missing",
        )
    found = sorted(each for each in path.iterdir() if each.name.endswith(ENDINGS))
    if not found:
        raise InputError(
            str(path), "no .conllu or .conllu.gz file in it", "a treebank's folder", kind="empty"
        )
    return sorted(found, key=_part)  # stable: a part's files stay in the order of their names


def _part(path: Path) -> int:
    for rank, part in enumerate(PARTS):
        if re.search(rf"(?:^|[-_.]){part}(?:[-_.]|$)", path.name):
            return rank
    return len(PARTS)


def _licence(folder: Path) -> str:
    """SPDX id that the manifest of a fetched treebank has, or that the README or LICENSE.txt which
    UD puts beside the files names."""
    if (folder / MANIFEST).is_file():
        kept = about(folder)
        if kept and isinstance(kept.get("licence"), str):
            return str(kept["licence"])
    readme, text = ("".join(_texts(folder, names)) for names in (READMES, LICENCES))
    return licence_of(readme, text)[0]


def _texts(folder: Path, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if (folder / name).is_file():
            yield (folder / name).read_text(encoding="utf-8", errors="replace")


def sentences(
    source: Treebank,
    *,
    repair: Repair | None = None,
    on_bad: OnBad | None = None,
    only: Mapping[int, Container[int]] | None = None,
    progress: Callable[[int], None] = lambda n_files: None,
) -> Iterator[tuple[int, Sentence]]:
    """(index of the file, sentence) for all sentences in order, repaired.

    `only`: for each file index the numbers of the sentences wanted; files not in it are not opened.
    """
    for index, path in enumerate(source.files):
        if only is not None and index not in only:
            continue
        wanted = only[index] if only is not None else None
        found = read(path, on_bad=on_bad, only=wanted)
        if wanted is None:
            found = distinct(found, path, on_bad)
        for sentence in repaired(found, repair):
            yield index, sentence
        progress(index + 1)


def distinct(
    found: Iterable[Sentence], path: Path, on_bad: OnBad | None, lines: dict[str, int] | None = None
) -> Iterator[Sentence]:
    """The sentences, if no `sent_id` of the file comes twice: rejections are told by it. `lines`
    (`sent_id` → line) may hold those of an earlier part of the file; it grows."""
    lines = {} if lines is None else lines
    for sentence in found:
        sent_id = sentence.comment("sent_id")
        if sent_id is not None and len(lines) < REMEMBERED:
            first = lines.setdefault(sent_id, sentence.line)
            if first != sentence.line:
                fault = same_id(path, sentence.line, sent_id, first)
                if on_bad is None:
                    raise fault
                on_bad(fault)
                continue
        yield sentence


def same_id(path: Path, line: int, sent_id: str, first_line: int) -> InputError:
    """Two sentences of one file have one id."""
    return InputError(
        f"{path}:{line}",
        f"the sent_id {sent_id!r} stands on line {first_line} too",
        "an id of its own for each sentence of a file",
        kind="conflict",
    )


def named_word_lists(names: Sequence[str]) -> dict[str, Path]:
    """Language → file, of `--unimorph LANGUAGE=FILE …`. Raises `InputError` for another shape or a
    file that is not there."""
    found: dict[str, Path] = {}
    for name in names:
        language, equals, path = name.partition("=")
        if not equals or not language or not path:
            raise InputError(
                "--unimorph", f"{name!r}", "LANGUAGE=FILE, as it=ita.tsv", kind="value"
            )
        if not Path(path).is_file():
            raise InputError(
                "--unimorph", f"there is no file {path}", "a UniMorph list", kind="missing"
            )
        found[checked_language(language, "--unimorph")] = Path(path)
    return found
