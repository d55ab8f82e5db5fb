"""Whole-module PyTorch checkpoints of word-level networks to this tool's own folders.

The published checkpoints of Gulordava et al. (2018), and whatever PyTorch's example
word_language_model saved, are `torch.save(model)`: a pickle that runs what it likes when it is
loaded. Here it is read as data (`recurrent/checkpoint.py`), its tensors are checked against each
other and the vocabulary, and only numbers are written: safetensors, config.json, vocabulary.txt.
"""

from collections import Counter
from collections.abc import Mapping
from math import prod
from pathlib import Path

import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, sha256_file
from colorless_green.data.languages import checked_language
from colorless_green.data.registry import nearest
from colorless_green.scoring.recurrent.checkpoint import (
    RIGHT,
    BytesOf,
    Piece,
    Stub,
    read_checkpoint,
    refusing,
)
from colorless_green.scoring.recurrent.network import (
    CELLS,
    Shape,
    check_shape,
    check_signs,
    fitting_network,
    write_network,
)
from colorless_green.scoring.train import Trained
from colorless_green.scoring.training.folder import finish_model, is_model_folder
from colorless_green.scoring.training.text import TrainingText

KIND = "recurrent"
COLUMNS = ("model", "folder", "rnn_type", "vocabulary_size", "n_parameters", "source_sha256")
NO_TEXT = TrainingText((), ())
LAYERS = "torch.nn.modules.rnn."


def convert(
    checkpoint: str | Path,
    vocabulary: str | Path,
    out: str | Path,
    *,
    order: int | None = None,
    language: str = "",
) -> Trained:
    """Writes the recurrent network of a pickle as a folder that `load_model` reads.

    Nothing in the file is run, and nothing is written unless everything fits. Numbers of another
    width become float32.

    Args:
        checkpoint: what `torch.save(model)` wrote, as PyTorch's word_language_model does.
        vocabulary: one word a line, its line number from 0 being its id (vocab.txt of
            colorlessgreenRNNs).
        out: a folder, which must not hold a model.
        order: n of an n-gram network, which its file does not tell.
        language: of the words, as a code.

    Returns:
        One row about the network; `folders`.

    Raises:
        InputError: for a file that is no such checkpoint or wants to run anything, for tensors or
            words that do not fit together, and for a folder in use.
    """
    source, words_file, folder = Path(checkpoint), Path(vocabulary), Path(out)
    place = str(source)
    if is_model_folder(folder):
        right = "--out with another folder"
        raise InputError(str(folder), "this folder holds a model", right, kind="conflict")
    # As the paper's scripts read it: split at all white space
    # (src/language_models/dictionary_corpus.py).
    words = tuple(read_text(words_file).split())
    twice = next((word for word, n in Counter(words).items() if n > 1), None)
    if twice is not None:
        wrong = f"{twice!r} stands there twice"
        raise InputError(str(words_file), wrong, "every word once", kind="conflict")
    check_signs(words, words_file)
    try:
        stream = source.open("rb")
    except OSError as error:
        wrong = f"cannot be read ({error.strerror})"
        raise InputError(place, wrong, RIGHT, kind="unreadable") from None
    with stream:
        if not stream.peek(1):
            raise InputError(place, "the file is empty", RIGHT, kind="unreadable")
        root, bytes_of = read_checkpoint(stream, place)
        pieces = _pieces(root, place)
        shape = _shape(root, pieces, order, place)
        if shape.ntoken != len(words):
            wrong = f"it has {len(words)} words, but the network {shape.ntoken}"
            right = "the vocabulary it was trained with"
            raise InputError(str(words_file), wrong, right, kind="conflict")
        tensors = {name: _tensor(name, piece, bytes_of, place) for name, piece in pieces.items()}
    files = write_network(folder, tensors, shape, words)
    about = {
        "language": checked_language(language),
        "source": source.name,
        "source_sha256": sha256_file(source),
        "vocabulary_sha256": sha256_file(words_file),
        "rnn_type": shape.rnn_type,
        "vocabulary_size": len(words),
        "n_parameters": sum(each.numel() for each in tensors.values()),
        "warnings": [],
    }
    made = finish_model(folder, KIND, about, files, NO_TEXT, made_by="colorless convert")
    row = {"model": KIND, "folder": str(out), **{key: made.about[key] for key in COLUMNS[2:]}}
    return Trained([row], COLUMNS, folders=(folder,))


def _pieces(root: object, place: str) -> dict[str, Piece]:
    """Every weight under a module, names joined by dots; the decoder's left out if it is the
    embedding's."""
    found: dict[str, Piece] = {}
    waiting, seen = [("", root)], set()
    while waiting:
        prefix, module = waiting.pop(0)
        if not isinstance(module, Stub) or id(module) in seen:
            continue
        seen.add(id(module))
        for name, value in module.part("_parameters").items():
            if not isinstance(value, Piece):
                raise InputError(place, f"{prefix}{name} is no tensor", RIGHT, kind="format")
            found[f"{prefix}{name}"] = value
        waiting += [(f"{prefix}{name}.", below) for name, below in module.part("_modules").items()]
    for name, piece in found.items():
        if not 0 < prod(piece.size) <= piece.storage.n_numbers:  # strides of 0 repeat without end
            wrong = f"{name} ({' × '.join(map(str, piece.size))}) is not in the file"
            raise InputError(place, wrong, "a whole file", kind="format")
    if "decoder.weight" in found and found["decoder.weight"] == found.get("encoder.weight"):
        del found["decoder.weight"]
    return found


def _shape(root: object, pieces: Mapping[str, Piece], order: int | None, place: str) -> Shape:
    """What the modules and the sizes of their tensors say, checked against each other."""
    modules = root.part("_modules") if isinstance(root, Stub) else {}
    layers, decoder, encoder = (modules.get(name) for name in ("rnn", "decoder", "encoder"))
    if not (isinstance(layers, Stub) and isinstance(decoder, Stub) and isinstance(encoder, Stub)):
        raise InputError(place, "it has no encoder, rnn and decoder", RIGHT, kind="format")
    name = layers.kind.removeprefix(LAYERS)
    kind = layers.attributes.get("mode") if name == "RNN" else name
    if not layers.kind.startswith(LAYERS) or type(kind) is not str or kind not in CELLS:
        raise InputError(place, f"its layers are {name!r}", nearest(name, CELLS), kind="unknown")
    with refusing(place):
        ntoken, ninp = pieces["encoder.weight"].size
        nhid = pieces["rnn.weight_hh_l0"].size[1]
    n_layers = sum(name.startswith("rnn.weight_hh_l") for name in pieces)
    drop = modules.get("drop")
    rate = drop.attributes.get("p", 0.0) if isinstance(drop, Stub) else 0.0
    rate = rate if type(rate) in (int, float) else -1.0  # printing another value may never end
    tied = "decoder.weight" not in pieces
    shape = Shape(kind, ntoken, ninp, nhid, n_layers, rate, tied, order)
    check_shape(shape, place)
    sizes = {name: piece.size for name, piece in pieces.items()}
    fitting_network(sizes, shape, place, "weights of one network")
    return shape


def _tensor(name: str, piece: Piece, bytes_of: BytesOf, place: str) -> torch.Tensor:
    """The numbers of a piece, copied out of the file, float32."""
    storage = piece.storage
    with refusing(place):
        data = bytearray(bytes_of(storage))
        numbers = torch.frombuffer(data, dtype=storage.dtype, count=storage.n_numbers)
        values = numbers.as_strided(piece.size, piece.stride, piece.offset).float()
    if not values.isfinite().all():
        right = "a network whose training went well"
        raise InputError(place, f"{name} is not finite", right, kind="format")
    return values.contiguous().clone()
