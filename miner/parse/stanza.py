"""Stanza (Qi et al. 2020) as a parser: local models, the network only if it is asked for.

Two kinds of folder are understood: one that Stanza filled, whose `resources.json` Stanza itself
reads for us, and a folder of bare models, as one gets from training one's own: `tokenize.pt`,
`pos.pt`, `lemma.pt`, `depparse.pt`, and `mwt.pt`, `pretrain.pt`, `forward_charlm.pt`,
`backward_charlm.pt` where the models need them. The pipeline is then given every model file by its
path and an empty list of resources, so that it has nothing to look up and nothing to fetch. Stanza
1.15 reads model files with torch's `weights_only=True`: they hold tensors and plain values, and
cannot bring code of their own.
"""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import stanza
import torch
from stanza.pipeline.core import build_default_config
from stanza.resources.common import (
    DEFAULT_MODEL_DIR,
    add_dependencies,
    load_resources_json,
    logging_level_context,
    maintain_processor_list,
)

from ...data.device import resolved
from ...data.errors import InputError
from ...data.files import sha256_file
from .protocol import ParserModels

RESOURCES = "resources.json"
NEEDED = ("tokenize", "pos", "lemma", "depparse")
PROCESSORS = ("tokenize", "mwt", *NEEDED[1:])  # in the order of their work
SHARED = ("pretrain", "forward_charlm", "backward_charlm")
IDENTITY = "lemma_use_identity"  # where a language has no lemmas, the form is the lemma
QUIET = "CRITICAL"  # Stanza logs to stderr what is raised as well
TOO_LONG = "<UNK>"  # what Stanza writes for a token longer than its tokenizer looks at at a time


@dataclass(frozen=True, slots=True)
class StanzaParser:
    """A Stanza pipeline from text to trees."""

    pipeline: Any
    signature: str

    def parse(self, texts: Sequence[str]) -> list[str]:
        """Return the CoNLL-U of each text; texts that do not fit on the GPU at once, in halves.

        Raises `InputError` where one of them alone does not fit.
        """
        try:
            documents = self.pipeline.bulk_process(list(texts))
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise
            if len(texts) > 1:
                half = len(texts) // 2
                return [*self.parse(texts[:half]), *self.parse(texts[half:])]
            wrong = "a paragraph does not fit on the GPU"
            raise InputError("device", wrong, "cpu", kind="resources") from None
        return ["".join(map(to_conllu, document.sentences)) for document in documents]


def load(language: str, models: ParserModels) -> StanzaParser:
    """A parser with the models of `language` in the folder asked for, or in Stanza's own
    (`STANZA_RESOURCES_DIR`, else a cache folder of the user).

    Raises `InputError` for models that are missing or cannot be loaded, and for a device that is
    not there.
    """
    device = resolved(models.device, torch.cuda.device_count())
    folder = models.folder or Path(DEFAULT_MODEL_DIR)
    if models.download:
        _download(folder, language, models.package)
    if not folder.is_dir():
        wrong = "there is no such folder of Stanza models"
        raise InputError(str(folder), wrong, "another model, or download", kind="missing")
    language = language.strip().lower()
    listed = (folder / RESOURCES).is_file()
    if listed:
        language, options = _listed(folder, language, models.package)
    else:
        options = _bare(folder)
    processors = [
        name
        for name in PROCESSORS
        if f"{name}_model_path" in options or (name == "lemma" and IDENTITY in options)
    ]
    paths = {name: Path(path) for name, path in options.items() if name != IDENTITY}
    for option, path in paths.items():
        if not path.is_file():
            needed, name = option.partition("_")[0], path.relative_to(folder).as_posix()
            wrong = f"the file {name} is missing, which {needed} of {language!r} needs"
            right = "download, or another folder" if listed else "put it there"
            raise InputError(str(folder), wrong, right, kind="missing")
    digests = {path: sha256_file(path) for path in dict.fromkeys(paths.values())}
    parts = [f"{option} {digests[path]}" for option, path in paths.items()]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    signature = f"stanza {stanza.__version__} {language} {'+'.join(processors)} {digest}"
    with tempfile.TemporaryDirectory() as empty:
        resources = Path(empty) / RESOURCES
        resources.write_text("{}", encoding="utf-8")
        try:
            pipeline = stanza.Pipeline(
                language,
                dir=empty,
                resources_filepath=str(resources),
                processors=dict.fromkeys(processors, "default"),
                allow_unknown_language=True,
                download_method=None,
                device=device,
                logging_level=QUIET,
                **options,
            )
        except Exception as error:  # a file from outside can make Stanza raise anything
            location = next(filter(_unreadable, paths.values()), folder)
            wrong = f"Stanza {stanza.__version__} cannot load it ({_said(error)})"
            right = "models of this version, all of one training"
            raise InputError(str(location), wrong, right, kind="format") from error
    return StanzaParser(pipeline, signature)


def _said(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


def _unreadable(path: Path) -> bool:
    """Whether torch finds no tensors in a file."""
    try:
        torch.load(path, map_location="cpu", weights_only=True)
    except Exception:  # whatever is wrong with it, it is this file
        return True
    return False


def _download(folder: Path, language: str, package: str) -> None:
    """Fetches what is missing of a language. Files appear whole (Stanza renames them), so that two
    downloads at a time do no harm."""
    try:
        stanza.download(
            language, str(folder), package, processors=",".join(NEEDED), logging_level=QUIET
        )
    except (OSError, ValueError) as error:  # no connection, no space; no such language or package
        wrong = f"the models of {language!r} could not be downloaded ({_said(error)})"
        raise InputError("download", wrong, "try again later", kind="network") from error


def _bare(folder: Path) -> dict[str, Any]:
    """The options of a pipeline for a folder without a list."""
    paths = {path.stem: str(path) for path in folder.glob("*.pt")}
    if not paths.keys() & set(PROCESSORS):
        wrong = f"neither {RESOURCES} nor {NEEDED[0]}.pt is in it"
        right = f"a folder filled by Stanza, or one with {', '.join(f'{n}.pt' for n in NEEDED)}"
        raise InputError(str(folder), wrong, right, kind="missing")
    processors = [name for name in PROCESSORS if name != "mwt" or name in paths]
    options = {f"{name}_model_path": str(folder / f"{name}.pt") for name in processors}
    shared = [name for name in SHARED if name in paths]
    return options | {
        f"{processor}_{name}_path": paths[name] for name in shared for processor in NEEDED
    }


def _listed(folder: Path, language: str, package: str) -> tuple[str, dict[str, Any]]:
    """The language's own name (`zh` is an alias) and the options of a pipeline, as Stanza reads
    them from its list. Models of which the list says that they lie elsewhere are none."""
    file = str(folder / RESOURCES)
    try:
        resources = load_resources_json(str(folder))
    except (ValueError, RecursionError):
        resources = None
    if not isinstance(resources, dict):
        raise InputError(file, "this is not a list of Stanza models", "download", kind="format")
    entry = resources.get(language)
    if isinstance(entry, Mapping) and isinstance(entry.get("alias"), str):
        language = entry["alias"]
        entry = resources.get(language)
    if not isinstance(entry, Mapping) or "packages" not in entry:
        languages = sorted(name for name in resources if (folder / name).is_dir())
        right = f"one whose models are there: {', '.join(languages) or 'none yet'}"
        raise InputError(file, f"it lists no language {language!r}", right, kind="unknown")
    try:
        with logging_level_context(QUIET, None):
            models = maintain_processor_list(resources, language, package, {})
            models = add_dependencies(
                resources, language, [model for model in models if model[0] in PROCESSORS]
            )
        options = build_default_config(resources, language, str(folder), models)
        paths = [Path(path) for name, path in options.items() if name != IDENTITY]
        inside = all(path.is_relative_to(folder) and ".." not in path.parts for path in paths)
    except (KeyError, TypeError, ValueError, AttributeError):
        models, inside = [], False
    if not models or not inside:
        wrong = f"it lists no package {package!r} of {language!r}"
        raise InputError(file, wrong, "the model default", kind="unknown")
    missing = [name for name in NEEDED if name not in dict(models)]
    if missing:
        wrong = f"the package {package!r} of {language!r} has no {missing[0]}"
        raise InputError(file, wrong, "a package that parses", kind="unsupported")
    return language, options


def to_conllu(sentence: Any) -> str:
    """One sentence of a Stanza document: `# text`, a row for each token and word, a blank line.

    MISC holds `SpaceAfter=No` alone, and not at the end of the document, where nothing follows.
    A token that Stanza found too long to tag (hundreds of characters) gets its form back.
    """
    lines = [f"# text = {sentence.text}"]
    last_token = sentence.doc.sentences[-1].tokens[-1]
    for token in sentence.tokens:
        glued = token.spaces_after == "" and token is not last_token
        misc = "SpaceAfter=No" if glued else "_"
        is_multiword = len(token.words) > 1
        lost = token.text == TOO_LONG
        form = sentence.doc.text[token.start_char : token.end_char] if lost else token.text
        if is_multiword:
            start, end = token.words[0].id, token.words[-1].id
            lines.append("\t".join([f"{start}-{end}", form, *"_______", misc]))
        for word in token.words:
            cells = [str(word.id), word.text, word.lemma or "_", word.upos or "_"]
            if lost and not is_multiword:
                cells[1:3] = [form, form]
            cells += [word.xpos or "_", word.feats or "_", str(word.head), word.deprel or "_"]
            lines.append("\t".join([*cells, "_", "_" if is_multiword else misc]))
    return "\n".join(lines) + "\n\n"
