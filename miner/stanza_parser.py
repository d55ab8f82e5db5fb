"""Parse with Stanza (Qi et al. 2020): local models; the network is used only to download them.

Models come from a folder that Stanza filled, with its list `resources.json`, or from a folder of
bare models that the user trained: `tokenize.pt`, `pos.pt`, `lemma.pt`, `depparse.pt`, and, if the
models need them, `mwt.pt`, `pretrain.pt`, `forward_charlm.pt`, `backward_charlm.pt`. For bare
models, the pipeline gets the path of every file, and an empty list. Stanza 1.15 reads model files
with torch's `weights_only=True`: they contain tensors and plain values, and cannot run code.
"""

import hashlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import stanza
import torch
from stanza.resources.common import DEFAULT_MODEL_DIR

from ..data.device import resolve_device
from ..data.errors import InputError
from ..data.files import sha256_file, user_path

RESOURCES = "resources.json"
NEEDED_PROCESSORS = ("tokenize", "pos", "lemma", "depparse")  # steps that a parse needs
PROCESSORS = ("tokenize", "mwt", *NEEDED_PROCESSORS[1:])  # in the order in which they run
SHARED_MODELS = ("pretrain", "forward_charlm", "backward_charlm")  # used by several processors
DEFAULT_PACKAGE = "default"
QUIET_LOG_LEVEL = "CRITICAL"  # Stanza's log level; Stanza would also log the errors that it raises
LONG_TOKEN = "<UNK>"  # Stanza's form for a token that is longer than its tokenizer's window


@dataclass(frozen=True, slots=True)
class StanzaParser:
    """A Stanza pipeline from text to trees."""

    pipeline: Any
    signature: str

    def parse(self, texts: Sequence[str]) -> list[str]:
        """Parse the texts together; return the CoNLL-U of each.

        Raises `InputError` if the GPU has too little memory.
        """
        try:
            documents = self.pipeline.bulk_process(list(texts))
        except torch.OutOfMemoryError:
            wrong = "the GPU has too little memory"
            raise InputError("device", wrong, "cpu; the run goes on", kind="resources") from None
        return ["".join(map(to_conllu, document.sentences)) for document in documents]


def load(language: str, model: str | Path, device: str, download: bool) -> StanzaParser:
    """Load the Stanza models of a language.

    `model` is a folder, or the name of one of Stanza's packages, which is in Stanza's own folder.
    Raises `InputError` for models that are missing or cannot be loaded, and for a device that does
    not exist.
    """
    device = resolve_device(device, torch.cuda.device_count())
    folder, package = _folder_and_package(model)
    if download:  # two processes may do this at once, since files appear whole
        try:
            stanza.download(
                language,
                str(folder),
                package,
                processors=",".join(NEEDED_PROCESSORS),
                logging_level=QUIET_LOG_LEVEL,
            )
        except (OSError, ValueError) as error:  # no connection or space; no such language, package
            wrong = f"the models of {language!r} could not be downloaded ({_error_text(error)})"
            raise InputError("download", wrong, "try again later", kind="network") from error
    if not folder.is_dir():
        wrong = "there is no such folder of Stanza models"
        raise InputError(str(folder), wrong, "another model, or download", kind="missing")
    is_listed = (folder / RESOURCES).is_file()
    model_paths = {} if is_listed else _bare_models(folder)  # option of the pipeline → path
    with_model = [name for name in PROCESSORS if f"{name}_model_path" in model_paths]
    processors = NEEDED_PROCESSORS if is_listed else with_model
    with tempfile.TemporaryDirectory() as empty:
        # for bare models, Stanza gets a folder with an empty list
        (Path(empty) / RESOURCES).write_text("{}", encoding="utf-8")
        try:
            pipeline = stanza.Pipeline(
                language,
                dir=str(folder) if is_listed else empty,
                package=package,
                processors=",".join(processors),
                allow_unknown_language=not is_listed,
                download_method=None,
                device=device,
                logging_level=QUIET_LOG_LEVEL,
                **model_paths,
            )
        except Exception as error:  # a file from outside can make Stanza raise anything
            reason = _error_text(error)
            wrong = f"Stanza {stanza.__version__} cannot load {language!r} from it ({reason})"
            right = "models of this version, all of one training; or download"
            raise InputError(str(folder), wrong, right, kind="format") from error
    missing = [name for name in NEEDED_PROCESSORS if name not in pipeline.processors]
    if missing:
        wrong = f"the package {package!r} of {language!r} has no {missing[0]}"
        raise InputError(str(folder), wrong, "a package that parses", kind="unsupported")
    return StanzaParser(pipeline, _signature(pipeline))


def _folder_and_package(model: str | Path) -> tuple[Path, str]:
    """Return the folder that a user's `model` names, with Stanza's default package; or Stanza's own
    folder, with the package that it names. A name that looks like a path is one."""
    name = str(model)
    looks_like_path = os.sep in name or name.startswith((".", "~"))
    if isinstance(model, Path) or looks_like_path or (name and os.path.isdir(name)):
        return user_path(model), DEFAULT_PACKAGE
    return Path(DEFAULT_MODEL_DIR), name or DEFAULT_PACKAGE


def _signature(pipeline: Any) -> str:
    """Return the line that identifies a pipeline: Stanza's version, language, processors, and a
    digest of the model files."""
    digest_of = cache(lambda path: sha256_file(Path(path)))  # several options can name one file
    lines = [
        f"{option} {digest_of(value)}"
        for option, value in pipeline.config.items()
        if option.endswith("_path")
    ]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    processors = "+".join(pipeline.processors)
    return f"stanza {stanza.__version__} {pipeline.lang} {processors} {digest}"


def _bare_models(folder: Path) -> dict[str, str]:
    """Return the options that give a pipeline the path of each model file in a folder without a
    list: `pos_model_path`, and, for models that processors share, `pos_pretrain_path`.

    Raises `InputError` if a needed model is missing.
    """
    paths = {path.stem: str(path) for path in folder.glob("*.pt")}
    for name in NEEDED_PROCESSORS:
        if name not in paths:
            wrong = f"neither {RESOURCES} nor {name}.pt is in it"
            files = ", ".join(f"{processor}.pt" for processor in NEEDED_PROCESSORS)
            right = f"a folder filled by Stanza, or one with {files}"
            raise InputError(str(folder), wrong, right, kind="missing")
    options = {f"{name}_model_path": paths[name] for name in PROCESSORS if name in paths}
    return options | {
        f"{processor}_{name}_path": paths[name]
        for name in SHARED_MODELS
        if name in paths
        for processor in NEEDED_PROCESSORS
    }


def _error_text(error: Exception) -> str:
    """Return the beginning of an error's message on one line, or its type if it has none."""
    return " ".join(str(error).split())[:120] or type(error).__name__


def to_conllu(sentence: Any) -> str:
    """Return the CoNLL-U of a Stanza sentence: `# text`, a row per multiword token and word, and a
    blank line.

    MISC has only `SpaceAfter=No`, and not for the document's last token. A token of hundreds of
    characters, whose form Stanza replaces by `<UNK>`, gets its form back.
    """
    lines = [f"# text = {sentence.text}"]
    last_token = sentence.doc.sentences[-1].tokens[-1]
    for token in sentence.tokens:
        is_glued = token.spaces_after == "" and token is not last_token
        misc, words = "SpaceAfter=No" if is_glued else "_", token.words
        is_lost = token.text == LONG_TOKEN
        form = sentence.doc.text[token.start_char : token.end_char] if is_lost else token.text
        if len(words) > 1:
            empty_cells = ["_"] * 7  # a multiword token has only an id, a form and MISC
            lines.append("\t".join([f"{words[0].id}-{words[-1].id}", form, *empty_cells, misc]))
            is_lost, misc = False, "_"  # its words have forms of their own, and no MISC
        for word in words:
            form_lemma = [form, form] if is_lost else [word.text, word.lemma]
            cells = [
                word.id, *form_lemma, word.upos, word.xpos, word.feats, word.head, word.deprel,
                None, misc,  # no DEPS
            ]  # fmt: skip
            lines.append("\t".join("_" if cell in (None, "") else str(cell) for cell in cells))
    return "\n".join(lines) + "\n\n"
