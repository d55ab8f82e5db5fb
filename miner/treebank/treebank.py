"""A treebank: the files that are read as one, with their name, language and licence.

A folder's CoNLL-U files are recognised by their names, the format of a file by its content
(`conllu_lines.py`). Files of two languages are no treebank, nor is a folder of treebanks.

A *repair* corrects FEATS before anything is counted. It maps FEATS to FEATS, so that each distinct
string is repaired once. `ewt-2.0` is the paper's (supplement, "Treebanks";
`preprocess_EnglishUD_morph.py`) without its bug: the published script adds `Number=Plur` even to
FEATS that have it, which makes a third value in later releases.
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
PRESENT_TENSE = "Tense=Pres"


def english_present(feats: str) -> str:
    """Repair English FEATS: add Plur to finite present forms without Number; drop Person=3 beside
    Sing.

    Then `need` and `needs` differ in Number alone. First and second person singular forms without
    Number become plurals too, as in the paper's data.
    """
    entries = dict(parse_feats(feats))
    is_finite_present = entries.get("Tense") == "Pres" and entries.get("VerbForm") == "Fin"
    if entries.get("Number") == "Sing" and entries.get("Person", "3") == "3":
        entries.pop("Person", None)
    elif is_finite_present and "Number" not in entries:
        entries["Number"] = "Plur"
    else:
        return feats
    return "|".join(f"{name}={entries[name]}" for name in sorted(entries)) or "_"


REPAIRS: dict[str, Repair] = {"ewt-2.0": english_present}


def needs_english_repair(language: str, lines: Iterable[str]) -> bool:
    """Tell whether a treebank with these lines needs the repair: it is English, and its finite
    present verbs have Sing but never Plur."""
    if language.partition("-")[0] != "en":
        return False
    has_singular = False
    for line in lines:
        cells = line.split("\t") if PRESENT_TENSE in line else []
        feats = cells[5].split("|") if len(cells) > 5 else []
        if "VerbForm=Fin" in feats:
            if "Number=Plur" in feats:
                return False
            has_singular = has_singular or "Number=Sing" in feats
    return has_singular


def repaired(sentences: Iterable[Sentence], repair: Repair | None) -> Iterable[Sentence]:
    """Return the sentences with repaired FEATS; unchanged if `repair` is `None`."""
    if repair is None:
        return sentences
    cached_repair = cache(repair)
    return (
        replace(sentence, feats=tuple(map(cached_repair, sentence.feats))) for sentence in sentences
    )


ENDINGS = tuple(f".conllu{end}" for end in ("", ".gz", ".bz2", ".zip", ".xz", ".zst"))
PACKED_ENDING = re.compile(r"\.(gz|bz2|zip|xz|zst)$")
SPLITS = [re.compile(rf"(?:^|[-_.]){split}(?:[-_.]|$)") for split in ("train", "dev", "test")]
FILE_NAME = re.compile(r"([a-z]{2,3})(?:_([A-Za-z0-9]+))?-ud-")
UNDETERMINED = "und"  # BCP-47 for an unknown language


@dataclass(frozen=True, slots=True)
class Treebank:
    """Files that are read in this order as one stream of sentences.

    Attributes:
        name: its name in results.
        language: BCP-47 code; `und` if unknown.
        licence: SPDX ids of its folders, joined by AND; "" if that of one folder is unknown.
        files: CoNLL-U files, packed or not.
    """

    name: str
    language: str
    licence: str
    files: tuple[Path, ...]


def treebank(paths: Sequence[Path], *, name: str = "", language: str = "") -> Treebank:
    """Make one treebank of the CoNLL-U files that paths name.

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
    languages: dict[str, Path] = {}  # code → the first file in it
    for file in files:
        name_of_file = PACKED_ENDING.sub("", printable(file.name))
        if name_of_file in names:
            wrong = f"two files of one treebank are called {name_of_file}"
            raise InputError(str(file), wrong, "other names", kind="conflict")
        names.add(name_of_file)
        if code := language_of_file(file):
            languages.setdefault(code, file)
    if len(languages) > 1 and not language:
        example, second, *_ = languages.values()
        listing = " and ".join(f"{code} ({file.name})" for code, file in languages.items())
        location = paths[0] if len(paths) == 1 else second  # the folder, or the odd file
        wrong = f"files of several languages: {listing}"
        right = f"one of them alone, as {example}, or a language for all as one treebank"
        raise InputError(str(location), wrong, right, kind="conflict")
    return Treebank(
        name=printable(name or _guess_name(files)),
        language=language or next(iter(languages), UNDETERMINED),
        licence=_licences(files),
        files=files,
    )


def _guess_name(files: Sequence[Path]) -> str:
    """Return the names of the files' folders, joined by `+` (of more than three, the first and the
    number of the others), or the first file's name if not all are called `UD_…`."""
    folders = list(dict.fromkeys(printable(file.resolve().parent.name) for file in files))
    if not all(folder.startswith("UD_") for folder in folders):
        return printable(files[0].name).split(".")[0]
    return "+".join(folders) if len(folders) <= 3 else f"{folders[0]}+{len(folders) - 1}"


def demand_language(source: Treebank) -> None:
    """Raise `InputError` if the language of a treebank is unknown."""
    if source.language == UNDETERMINED:
        next(read(source.files[0]), None)  # if it is no CoNLL-U, this raises the better error
        wrong = "its name does not say what language it is in"
        right = "say so: --language with its code, as de, or und where none fits"
        raise InputError(str(source.files[0]), wrong, right, kind="missing")


def language_of_file(file: Path) -> str:
    """Return the language code in a file's name, as UD names files; "" if there is none.

    >>> language_of_file(Path("it_vit-ud-dev.conllu")), language_of_file(Path("en.conllu.gz"))
    ('it', 'en')
    >>> language_of_file(Path("dev.conllu"))
    ''
    """
    if match := FILE_NAME.match(file.name):
        return match[1]
    code = PACKED_ENDING.sub("", file.name).removesuffix(".conllu")
    return code if code.isalpha() and language_name(code) != code else ""  # a language of UD


def files_in(path: Path) -> list[Path]:
    """Return the CoNLL-U files that a path names: a file itself, or those of a treebank's folder in
    the order train, dev, test.

    Raises `InputError` if there are no files, or several folders of them.
    """
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
    """Return the CoNLL-U files of a folder without hidden ones: train, dev, test, then others."""

    def position(path: Path) -> tuple[list[bool], Path]:
        """Return what files are sorted by: `False`, for a name with `train`, comes first."""
        return [split.search(path.name) is None for split in SPLITS], path

    files = (file for file in folder.iterdir() if file.name.endswith(ENDINGS) and file.is_file())
    return sorted((file for file in files if file.name[0] != "."), key=position)


def _folders(folder: Path) -> list[Path]:
    """Return the subfolders of a folder, sorted by name, without hidden ones."""
    return sorted(entry for entry in folder.iterdir() if entry.is_dir() and entry.name[0] != ".")


def treebanks_in(folder: Path) -> list[Treebank]:
    """Find the treebanks in a folder.

    A subfolder with CoNLL-U files of one language is one treebank. Elsewhere (in the folder itself,
    and in a subfolder of several languages) files whose names agree up to `-ud-` make a treebank.
    If a folder has nothing but one subfolder, that is searched instead.
    """
    if not folder.is_dir():
        wrong = "there is no such folder"
        raise InputError(str(folder), wrong, "a folder of treebanks", kind="missing")
    below = _folders(folder)
    treebanks: list[Treebank] = []
    for path in (*below, folder):
        files = sorted(_folder_files(path))
        files_by_name: dict[str, list[Path]] = {}  # `it_vit` → it_vit-ud-dev.conllu, …
        for file in files:
            treebank_name, *_ = re.split(r"-ud-|\.", file.name)
            files_by_name.setdefault(treebank_name, []).append(file)
        languages = {code for file in files if (code := language_of_file(file))}
        if path != folder and files and len(languages) < 2:
            treebanks.append(treebank([path]))
        else:
            treebanks += map(treebank, files_by_name.values())
    if not treebanks and len(below) == 1 and not below[0].is_symlink():  # links may run in a circle
        return treebanks_in(below[0])
    if not treebanks:
        wrong = "no .conllu file in it or below"
        raise InputError(str(folder), wrong, "a folder of treebanks", kind="empty")
    return treebanks


def licences_by_file(source: Treebank) -> dict[str, str]:
    """Map each file name to its licence: its folder's, if the treebank's folders differ in it."""
    is_mixed = " AND " in source.licence
    return {
        printable(file.name): _licences([file]) if is_mixed else source.licence
        for file in source.files
    }


def _licences(files: Sequence[Path]) -> str:
    """Return the licences of the files' folders, joined by AND; "" if one of them is unknown."""
    licences = [
        _licence(folder) for folder in dict.fromkeys(file.resolve().parent for file in files)
    ]
    ids = dict.fromkeys(spdx_id for licence in licences for spdx_id in licence.split(" AND "))
    return "" if "" in ids else " AND ".join(ids)


def _licence(folder: Path) -> str:
    """Return the SPDX id of a folder's licence: from the manifest of a fetched treebank, else from
    UD's README or LICENSE.txt; "" if none of them names one."""
    if (folder / MANIFEST).is_file():
        licence = manifest_facts(folder).get("licence")
        if isinstance(licence, str):
            return licence

    def contents(*names: str) -> str:
        """Return the joined text of those of these files that are in the folder."""
        paths = (path for name in names if (path := folder / name).is_file())
        return "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths)

    readme, licence_text = contents("README.md", "README.txt"), contents("LICENSE.txt", "LICENSE")
    spdx_id, *_ = licence_of(readme, licence_text)
    return spdx_id


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
    """Parse the values of `--unimorph LANGUAGE=FILE`; return language → file. Raises `InputError`
    for another form, and for a file that does not exist."""
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
