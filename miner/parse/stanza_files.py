"""Which files Stanza loads for a language: found before it starts, so that what is missing is said.

Two kinds of folder are understood. One that Stanza filled has `resources.json`, which names the
models of each package (a set of models) and what each depends on; they lie as
`LANGUAGE/PROCESSOR/MODEL.pt`. A folder of bare models, as one gets from training one's own, has
`tokenize.pt`, `pos.pt`, `lemma.pt`, `depparse.pt`, and `mwt.pt`, `pretrain.pt`,
`forward_charlm.pt`, `backward_charlm.pt` where the models need them.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, sha256_file

RESOURCES = "resources.json"
NEEDED = ("tokenize", "pos", "lemma", "depparse")
PROCESSORS = ("tokenize", "mwt", *NEEDED[1:])  # in the order of their work
SHARED = ("pretrain", "forward_charlm", "backward_charlm")
IDENTITY = "identity"  # Stanza's word for "the lemma is the form", where a language has no lemmas


@dataclass(frozen=True, slots=True)
class StanzaFiles:
    """The models of one language. `paths`: option of `stanza.Pipeline` → file, in a fixed order."""

    language: str  # as Stanza calls it
    processors: tuple[str, ...]
    paths: Mapping[str, Path]
    identity_lemmas: bool


def find_files(folder: Path, language: str, package: str) -> StanzaFiles:
    """The files of a language and package in `folder`, all of which exist.

    `package` counts only where there is a `resources.json`. Raises `InputError` that names the
    folder searched and the file missing.
    """
    if not folder.is_dir():
        raise InputError(
            str(folder),
            "there is no such folder of Stanza models",
            "--models, or --download",
            kind="missing",
        )
    language = language.strip().lower()
    listed = (folder / RESOURCES).is_file()
    files = _listed(folder, language, package) if listed else _bare(folder, language)
    for option, path in files.paths.items():
        if not path.is_file():
            processor = option.partition("_")[0]
            raise InputError(
                str(folder),
                f"the file {path.relative_to(folder).as_posix()} is missing, which {processor} "
                f"of {files.language!r} needs",
                "--download, or another folder in --models" if listed else "put it there",
                kind="missing",
            )
    return files


def digest(files: StanzaFiles) -> str:
    """16 hex digits over the bytes of all files and what each is for."""
    digests = {path: sha256_file(path) for path in dict.fromkeys(files.paths.values())}
    parts = [f"{option} {digests[path]}" for option, path in files.paths.items()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _bare(folder: Path, language: str) -> StanzaFiles:
    if not any((folder / f"{name}.pt").is_file() for name in PROCESSORS):
        raise InputError(
            str(folder),
            f"neither {RESOURCES} nor {NEEDED[0]}.pt is in it",
            f"a folder filled by Stanza, or one with {', '.join(f'{n}.pt' for n in NEEDED)}",
            kind="missing",
        )
    has_mwt = (folder / "mwt.pt").is_file()
    processors = tuple(name for name in PROCESSORS if name != "mwt" or has_mwt)
    paths = {f"{name}_model_path": folder / f"{name}.pt" for name in processors}
    for name in SHARED:
        if (folder / f"{name}.pt").is_file():
            paths |= {f"{each}_{name}_path": folder / f"{name}.pt" for each in NEEDED}
    return StanzaFiles(language, processors, paths, identity_lemmas=False)


def _listed(folder: Path, language: str, package: str) -> StanzaFiles:
    place = str(folder / RESOURCES)
    resources = _resources(folder / RESOURCES)
    language = _resolved(resources, language, folder)
    try:
        models = dict(resources[language]["packages"][package])
        chosen = {name: _plain(models[name]) for name in PROCESSORS if name in models}
        identity_lemmas = chosen.get("lemma") == IDENTITY
        paths = {}
        for name, model in chosen.items():
            if name == "lemma" and identity_lemmas:
                continue
            paths[f"{name}_model_path"] = folder / language / name / f"{model}.pt"
            for each in resources[language][name][model].get("dependencies", ()):
                kind, other = _plain(each["model"]), _plain(each["package"])
                paths[f"{name}_{kind}_path"] = folder / language / kind / f"{other}.pt"
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(
            place,
            f"it lists no package {package!r} of {language!r}",
            "--package default",
            kind="unknown",
        ) from None
    missing = [name for name in NEEDED if name not in chosen]
    if missing:
        raise InputError(
            place,
            f"the package {package!r} of {language!r} has no {missing[0]}",
            "a package that parses",
            kind="unsupported",
        )
    return StanzaFiles(language, tuple(chosen), paths, identity_lemmas)


def _resources(path: Path) -> dict[str, Any]:
    try:
        resources = json.loads(read_text(path))
    except (ValueError, RecursionError):
        resources = None
    if not isinstance(resources, dict):
        raise InputError(str(path), "this is no list of Stanza models", "--download", kind="format")
    return resources


def _resolved(resources: Mapping[str, Any], language: str, folder: Path) -> str:
    """The language's own name in the list (`zh` is an alias there), if it is one."""
    entry = resources.get(language)
    if isinstance(entry, dict) and isinstance(entry.get("alias"), str):
        language = entry["alias"]
        entry = resources.get(language)
    if isinstance(entry, dict) and "packages" in entry:
        return language
    there = sorted(name for name in resources if (folder / name).is_dir())
    raise InputError(
        str(folder / RESOURCES),
        f"it lists no language {language!r}",
        f"one whose models are there: {', '.join(there) or 'none yet'}",
        kind="unknown",
    )


def _plain(name: str) -> str:
    """`name` if it is a plain file name: a list from outside leads nowhere else."""
    if Path(name).name != name:
        raise ValueError(name)
    return name
