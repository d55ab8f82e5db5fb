"""A treebank: the files of one call, their language, name and licence.

A folder's CoNLL-U files are recognised by their names, and what is in a file by its content
(`conllu_lines.py`). Files of two languages are no treebank, nor is a folder of treebanks one.

Repairs of annotation that a rule needs before anything is counted, by name.

A repair maps FEATS to FEATS, so each distinct string is repaired once. `ewt-2.0` is the paper's
(supplement, "Treebanks"; `preprocess_EnglishUD_morph.py`) less its fault: the published script adds
`Number=Plur` also where it stands already, which on later releases makes a third value.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from ...data.errors import InputError
from ...data.fetch.fetched_folder import licence_of
from ...data.files import MANIFEST, manifest_facts, printable
from ...data.items.features import parse_feats
from ...data.items.tree import Sentence
from ...data.languages import checked_language, language_name
from .conllu import OnBad, read

Repair = Callable[[str], str]
PRESENT = "Tense=Pres"


def english_present(feats: str) -> str:
    """Make finite present forms without Number plural; drop Person=3 where Number is Sing.

    So `need` and `needs` differ in Number alone. First and second person singular forms become
    plurals too, as in the paper's data.
    """
    entries = dict(parse_feats(feats))
    if entries.get("Number") == "Sing":
        if entries.pop("Person", "3") != "3":
            return feats
    elif (
        entries.get("Tense") == "Pres" and entries.get("VerbForm") == "Fin"
    ) and "Number" not in entries:
        entries["Number"] = "Plur"
    else:
        return feats
    return "|".join(f"{name}={entries[name]}" for name in sorted(entries)) or "_"


REPAIRS: dict[str, Repair] = {"ewt-2.0": english_present}


def needs_english_repair(language: str, lines: Iterable[str]) -> bool:
    """Tell whether a treebank with these lines is English and marks Sing but never Plur on finite
    present verbs."""
    if language.partition("-")[0] != "en":
        return False
    singular = False
    for line in lines:
        cells = line.split("\t") if PRESENT in line else []
        entries = cells[5].split("|") if len(cells) > 5 else []
        if "VerbForm=Fin" in entries:
            if "Number=Plur" in entries:
                return False
            singular = singular or "Number=Sing" in entries
    return singular


def repaired(sentences: Iterable[Sentence], repair: Repair | None) -> Iterable[Sentence]:
    """Return the sentences with their FEATS repaired; as they are where `repair` is `None`."""
    if repair is None:
        return sentences
    each_once = cache(repair)
    return (
        replace(sentence, feats=tuple(map(each_once, sentence.feats))) for sentence in sentences
    )


ENDINGS = tuple(f".conllu{end}" for end in ("", ".gz", ".bz2", ".zip", ".xz", ".zst"))
PACKED = re.compile(r"\.(gz|bz2|zip|xz|zst)$")
PARTS = [re.compile(rf"(?:^|[-_.]){part}(?:[-_.]|$)") for part in ("train", "dev", "test")]
FILE_NAME = re.compile(r"([a-z]{2,3})(?:_([A-Za-z0-9]+))?-ud-")
UNDETERMINED = "und"  # BCP-47 for a language that nothing tells


@dataclass(frozen=True, slots=True)
class Treebank:
    """Files that are read in this order as one stream of sentences.

    Attributes:
        name: as results name it.
        language: BCP-47 code; `und` where nothing tells.
        licence: SPDX ids of its folders, joined by AND; "" where one of them tells none.
        files: CoNLL-U files, packed or not.
    """

    name: str
    language: str
    licence: str
    files: tuple[Path, ...]


def treebank(paths: Sequence[Path], *, name: str = "", language: str = "") -> Treebank:
    """Put the CoNLL-U files of paths together as one treebank.

    Args:
        paths: files and folders; a folder's files come in the order train, dev, test.
        name: its name; "": from the folders or files.
        language: its BCP-47 code; "": from the files' names.

    Returns:
        The treebank; its files are not read yet.

    Raises:
        InputError: a path does not exist, a folder has no CoNLL-U files or several folders of them,
            two files have one name, or files are of two languages where none is given.

    >>> from colorless_green.data import sample
    >>> treebank([sample.treebank("it")]).language
    'it'
    """
    files = tuple(file for path in paths for file in files_in(path))
    names: set[str] = set()
    languages: dict[str, Path] = {}
    for file in files:
        name_of_file = PACKED.sub("", printable(file.name))
        if name_of_file in names:
            wrong = f"two files of one treebank are called {name_of_file}"
            raise InputError(str(file), wrong, "other names", kind="conflict")
        names.add(name_of_file)
        if code := language_of_file(file):
            languages.setdefault(code, file)
    if len(languages) > 1 and not language:
        example, second, *_ = languages.values()
        listing = " and ".join(f"{code} ({file.name})" for code, file in languages.items())
        location = paths[0] if len(paths) == 1 else second
        wrong = f"files of several languages: {listing}"
        right = f"one of them alone, as {example}, or a language for all as one treebank"
        raise InputError(str(location), wrong, right, kind="conflict")
    folders = list(dict.fromkeys(printable(file.resolve().parent.name) for file in files))
    guessed = printable(files[0].name).split(".")[0]
    if all(folder.startswith("UD_") for folder in folders):
        guessed = "+".join(folders) if len(folders) <= 3 else f"{folders[0]}+{len(folders) - 1}"
    return Treebank(
        printable(name or guessed),
        language or next(iter(languages), UNDETERMINED),
        _licences(files),
        files,
    )


def demand_language(source: Treebank) -> None:
    """Raise `InputError` for a treebank whose language its files do not tell."""
    if source.language == UNDETERMINED:
        next(read(source.files[0]), None)  # what is no treebank is refused for that
        wrong = "its name does not say what language it is in"
        right = "say so: --language with its code, as de, or und where none fits"
        raise InputError(str(source.files[0]), wrong, right, kind="missing")


def language_of_file(file: Path) -> str:
    """Return the language that a file is named for, as files of UD are; "" for none.

    >>> language_of_file(Path("it_vit-ud-dev.conllu")), language_of_file(Path("en.conllu.gz"))
    ('it', 'en')
    >>> language_of_file(Path("dev.conllu"))
    ''
    """
    if match := FILE_NAME.match(file.name):
        return match[1]
    code = PACKED.sub("", file.name).removesuffix(".conllu")
    return code if code.isalpha() and language_name(code) != code else ""  # one of UD's


def files_in(path: Path) -> list[Path]:
    """Return the CoNLL-U files that a path names: itself, or those of a treebank's folder in the
    order train, dev, test. Raises `InputError` where there are none, or several treebanks."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        wrong = "there is no such file or folder"
        raise InputError(str(path), wrong, "a CoNLL-U file or a folder", kind="missing")
    files = _folder_files(path)
    below = [] if files else [folder for folder in _folders(path) if _folder_files(folder)]
    if len(below) > 1:
        right = f"one of them, as {below[0]}, or colorless languages for all"
        raise InputError(str(path), f"a folder of {len(below)} treebanks", right, kind="conflict")
    files = files or [file for folder in below for file in _folder_files(folder)]
    if not files:
        wrong = "no .conllu file in it, packed or not"
        raise InputError(str(path), wrong, "a treebank's folder", kind="empty")
    return files


def _folder_files(folder: Path) -> list[Path]:
    """Return the CoNLL-U files of a folder, no hidden ones: train, dev, test by their names."""

    def order(path: Path) -> tuple[list[bool], Path]:
        return [part.search(path.name) is None for part in PARTS], path

    files = (file for file in folder.iterdir() if file.name.endswith(ENDINGS) and file.is_file())
    return sorted((file for file in files if file.name[0] != "."), key=order)


def _folders(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and entry.name[0] != ".")


def treebanks_in(folder: Path) -> list[Treebank]:
    """Return the treebanks of a folder. Each subfolder with CoNLL-U files is one; where these are
    of several languages, and in the folder itself, files belong together whose names agree up
    to `-ud-`. Of a folder that holds nothing but another folder, those of the latter."""
    if not folder.is_dir():
        wrong = "there is no such folder"
        raise InputError(str(folder), wrong, "a folder of treebanks", kind="missing")
    below = _folders(folder)
    treebanks: list[Treebank] = []
    for path in (*below, folder):
        files = sorted(_folder_files(path))
        groups: dict[str, list[Path]] = {}
        for file in files:
            groups.setdefault(re.split(r"-ud-|\.", file.name)[0], []).append(file)
        languages = {code for file in files if (code := language_of_file(file))}
        if path != folder and files and len(languages) < 2:
            treebanks.append(treebank([path]))
        else:
            treebanks += map(treebank, groups.values())
    if not treebanks and len(below) == 1 and not below[0].is_symlink():  # which may lead back here
        return treebanks_in(below[0])
    if not treebanks:
        wrong = "no .conllu file in it or below"
        raise InputError(str(folder), wrong, "a folder of treebanks", kind="empty")
    return treebanks


def licences_by_file(source: Treebank) -> dict[str, str]:
    """Return file name → licence of its folder, or of the treebank where all have one."""
    is_mixed = " AND " in source.licence
    return {
        printable(file.name): _licences([file]) if is_mixed else source.licence
        for file in source.files
    }


def _licences(files: Sequence[Path]) -> str:
    """Those of all folders that the files are in, each once; "" if one of them is unknown."""
    licences = [
        _licence(folder) for folder in dict.fromkeys(file.resolve().parent for file in files)
    ]
    ids = dict.fromkeys(spdx_id for licence in licences for spdx_id in licence.split(" AND "))
    return "" if "" in ids else " AND ".join(ids)


def _licence(folder: Path) -> str:
    """SPDX id that the manifest of a fetched treebank has, or that the README or LICENSE.txt which
    UD puts beside the files names."""
    if (folder / MANIFEST).is_file():
        licence = manifest_facts(folder).get("licence")
        if isinstance(licence, str):
            return licence

    def text(*names: str) -> str:
        paths = (path for name in names if (path := folder / name).is_file())
        return "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)

    return licence_of(text("README.md", "README.txt"), text("LICENSE.txt", "LICENSE"))[0]


def sentences(
    source: Treebank, *, repair: Repair | None = None, on_bad: OnBad | None = None
) -> Iterator[tuple[int, Sentence]]:
    """Read all sentences of a treebank, in order.

    Args:
        source: the treebank.
        repair: FEATS → repaired FEATS; `None`: as annotated.
        on_bad: called with the fault of each sentence that cannot be read, which is then left out;
            `None`: the first fault is raised.

    Yields:
        (index of the file, sentence).

    Raises:
        InputError: a sentence is faulty.

    >>> from colorless_green.data import sample
    >>> index, sentence = next(sentences(treebank([sample.treebank("en")])))
    >>> index, sentence.sent_id
    (0, 'en-sample-0001')
    """
    for index, path in enumerate(source.files):
        for sentence in repaired(read(path, on_bad=on_bad), repair):
            yield index, sentence


def named_word_lists(names: Sequence[str]) -> dict[str, Path]:
    """Language → file, of `--unimorph LANGUAGE=FILE …`. Raises `InputError` for another shape or a
    file that is not there."""
    word_lists: dict[str, Path] = {}
    for name in names:
        language, equals, path = name.partition("=")
        if not equals or not language or not path:
            right = "LANGUAGE=FILE, as it=ita.tsv"
            raise InputError("unimorph", f"{name!r}", right, kind="value")
        if not Path(path).is_file():
            wrong = f"there is no file {path}"
            raise InputError("unimorph", wrong, "a UniMorph list", kind="missing")
        word_lists[checked_language(language, "unimorph")] = Path(path)
    return word_lists
