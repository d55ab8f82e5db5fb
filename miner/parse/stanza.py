"""Stanza (Qi et al. 2020) as a parser: local models, the network only if it is asked for.

The pipeline is given every model file by its path and an empty list of resources, so that it has
nothing to look up and nothing to fetch. Stanza 1.15 reads model files with torch's
`weights_only=True`: they hold tensors and plain values, and cannot bring code of their own.
"""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import stanza
import torch
from stanza.resources.common import DEFAULT_MODEL_DIR

from colorless_green.data.device import resolved
from colorless_green.data.errors import InputError
from colorless_green.miner.parse.parser import Models
from colorless_green.miner.parse.stanza_files import NEEDED, StanzaFiles, digest, find_files

QUIET = "CRITICAL"  # Stanza logs to stderr what is raised as well
TOO_LONG = "<UNK>"  # what Stanza writes for a token longer than its tokenizer looks at at a time


@dataclass(frozen=True, slots=True)
class StanzaParser:
    """A Stanza pipeline from text to trees."""

    pipeline: Any
    signature: str

    def parse(self, texts: Sequence[str]) -> list[str]:
        """CoNLL-U of each text. Raises `InputError` where they do not fit on the GPU at once."""
        try:
            documents = self.pipeline.bulk_process(list(texts))
        except RuntimeError as error:
            if "out of memory" not in str(error):
                raise
            raise InputError(
                "--batch",
                f"{len(texts)} paragraphs at a time do not fit on the GPU",
                "fewer",
                kind="resources",
            ) from None
        return ["".join(map(to_conllu, document.sentences)) for document in documents]


def load(language: str, models: Models) -> StanzaParser:
    """A parser with the models of `language` in the folder asked for, or in Stanza's own
    (`STANZA_RESOURCES_DIR`, else a cache folder of the user).

    Raises `InputError` for models that are missing or cannot be loaded, and for a device that is
    not there.
    """
    device = resolved(models.device, torch.cuda.device_count())
    folder = models.folder or Path(DEFAULT_MODEL_DIR)
    if models.download:
        _download(folder, language, models.package)
    files = find_files(folder, language, models.package)
    signature = (
        f"stanza {stanza.__version__} {files.language} {'+'.join(files.processors)} {digest(files)}"
    )
    return StanzaParser(_pipeline(folder, files, device), signature)


def _pipeline(folder: Path, files: StanzaFiles, device: str) -> Any:
    options: dict[str, object] = {name: str(path) for name, path in files.paths.items()}
    if files.identity_lemmas:
        options["lemma_use_identity"] = True
    with tempfile.TemporaryDirectory() as empty:
        resources = Path(empty) / "resources.json"
        resources.write_text(json.dumps({}), encoding="utf-8")
        try:
            return stanza.Pipeline(
                files.language,
                dir=empty,
                resources_filepath=str(resources),
                processors=dict.fromkeys(files.processors, "default"),
                allow_unknown_language=True,
                download_method=None,
                device=device,
                logging_level=QUIET,
                **options,
            )
        except Exception as error:  # a file from outside can make Stanza raise anything
            place = next(filter(None, map(_unreadable, files.paths.values())), folder)
            said = " ".join(str(error).split())[:120] or type(error).__name__
            raise InputError(
                str(place),
                f"Stanza {stanza.__version__} cannot load it ({said})",
                "models of this version, all of one training",
                kind="format",
            ) from error


def _unreadable(path: Path) -> Path | None:
    """`path`, if torch finds no tensors in it."""
    try:
        torch.load(path, map_location="cpu", weights_only=True)
    except Exception:  # whatever is wrong with it, it is this file
        return path
    return None


def _download(folder: Path, language: str, package: str) -> None:
    """Fetches what is missing of a language. Files appear whole (Stanza renames them), so that two
    downloads at a time do no harm."""
    try:
        stanza.download(
            language,
            model_dir=str(folder),
            package=package,
            processors=",".join(NEEDED),
            logging_level=QUIET,
        )
    except (OSError, ValueError) as error:  # no connection, no space; no such language or package
        said = " ".join(str(error).split())[:120] or type(error).__name__
        raise InputError(
            "--download",
            f"the models of {language!r} did not come ({said})",
            "try again later",
            kind="network",
        ) from error


def to_conllu(sentence: Any) -> str:
    """One sentence of a Stanza document: `# text`, a row for each token and word, a blank line.

    MISC holds `SpaceAfter=No` alone, and not at the end of the document, where nothing follows.
    A token that Stanza found too long to tag (hundreds of characters) gets its form back.
    """
    lines = [f"# text = {sentence.text}"]
    last = sentence.doc.sentences[-1].tokens[-1]
    for token in sentence.tokens:
        glued = token.spaces_after == "" and token is not last
        misc = "SpaceAfter=No" if glued else "_"
        several = len(token.words) > 1
        lost = token.text == TOO_LONG
        form = sentence.doc.text[token.start_char : token.end_char] if lost else token.text
        if several:
            first, end = token.words[0].id, token.words[-1].id
            lines.append("\t".join([f"{first}-{end}", form, *"_______", misc]))
        for word in token.words:
            cells = [str(word.id), word.text, word.lemma or "_", word.upos or "_"]
            if lost and not several:
                cells[1:3] = [form, form]
            cells += [word.xpos or "_", word.feats or "_", str(word.head), word.deprel or "_"]
            lines.append("\t".join([*cells, "_", "_" if several else misc]))
    return "\n".join(lines) + "\n\n"
