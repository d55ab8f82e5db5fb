"""Whole-module PyTorch checkpoints of word-level networks to this tool's own folders.

The published checkpoints of Gulordava et al. (2018), and whatever PyTorch's example
word_language_model saved, are `torch.save(model)`: a pickle that runs what it likes when it is
loaded. Here it is read as data (`recurrent/pickles.py`), its tensors are checked against each other
and the vocabulary, and only numbers are written: safetensors, config.json, vocabulary.txt.
"""

import mmap
from collections import Counter
from collections.abc import Mapping
from math import prod
from pathlib import Path

import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import read_text, sha256_file
from colorless_green.data.languages import checked_language
from colorless_green.data.registry import nearest
from colorless_green.scoring.recurrent.folder import (
    EOS,
    check_shape,
    check_shapes,
    write_tensors,
)
from colorless_green.scoring.recurrent.network import CELLS, Shape
from colorless_green.scoring.recurrent.pickles import (
    RIGHT,
    Checkpoint,
    Piece,
    Stub,
    module_at,
    parameters,
    read_checkpoint,
)
from colorless_green.scoring.train import Trained
from colorless_green.scoring.training.folder import finish_model, is_model_folder
from colorless_green.scoring.words import UNKNOWN

KIND = "recurrent"
COLUMNS = ("model", "folder", "rnn_type", "vocabulary_size", "n_parameters", "source_sha256")
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
    if is_model_folder(folder):
        raise InputError(
            str(folder), "this folder holds a model", "--out with another folder", kind="conflict"
        )
    words = _words(words_file)
    with _mapped(source) as data:
        read = read_checkpoint(data, str(source))
        pieces = _pieces(read, str(source))
        shape = _shape(read.root, pieces, order, str(source))
        if shape.ntoken != len(words):
            wrong = f"it has {len(words)} words, but the network {shape.ntoken}"
            right = "the vocabulary it was trained with"
            raise InputError(str(words_file), wrong, right, kind="conflict")
        tensors = {
            name: _tensor(name, piece, read, data, str(source)) for name, piece in pieces.items()
        }
    files = write_tensors(folder, tensors, shape, words)
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
    made = finish_model(folder, KIND, about, files, (), made_by="colorless convert")
    row = {"model": KIND, "folder": str(out), **{key: made.about[key] for key in COLUMNS[2:]}}
    return Trained([row], COLUMNS, folders=(folder,))


def _mapped(source: Path) -> mmap.mmap:
    """The bytes of a file, each read when it is looked at."""
    try:
        with source.open("rb") as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is empty"
        raise InputError(str(source), f"cannot be read ({why})", RIGHT, kind="unreadable") from None


def _words(path: Path) -> tuple[str, ...]:
    """The vocabulary as the paper's scripts read it: split at all white space
    (src/language_models/dictionary_corpus.py)."""
    words = tuple(read_text(path).split())
    twice = next((word for word, n in Counter(words).items() if n > 1), None)
    if twice is not None:
        raise InputError(
            str(path), f"{twice!r} stands there twice", "every word once", kind="conflict"
        )
    for needed in (UNKNOWN, EOS):
        if needed not in words:
            raise InputError(
                str(path),
                f"{needed!r} is missing",
                "a line for each of <unk>, <eos>",
                kind="missing",
            )
    return words


def _pieces(checkpoint: Checkpoint, place: str) -> dict[str, Piece]:
    """Every weight, each within its storage; the decoder's left out if it is the embedding's."""
    found: dict[str, Piece] = {}
    for name, value in parameters(checkpoint.root):
        if not isinstance(value, Piece):
            raise InputError(place, f"{name} is no tensor", RIGHT, kind="format")
        _check_piece(name, value, checkpoint, place)
        found[name] = value
    if "decoder.weight" in found and found["decoder.weight"] == found.get("encoder.weight"):
        del found["decoder.weight"]
    return found


def _check_piece(name: str, piece: Piece, checkpoint: Checkpoint, place: str) -> None:
    storage = piece.storage
    start, end = checkpoint.bytes_of.get(storage.key, (0, 0))
    last = piece.offset + sum(
        (n - 1) * step for n, step in zip(piece.size, piece.stride, strict=False)
    )
    fits = (
        len(piece.size) == len(piece.stride)
        and end - start == storage.n_numbers * storage.itemsize
        and 0 < prod(piece.size) <= storage.n_numbers
        and last < storage.n_numbers
    )
    if not fits:
        shown = " × ".join(map(str, piece.size))
        raise InputError(
            place, f"{name} ({shown}) is not in the file", "a whole file", kind="format"
        )


def _shape(root: object, pieces: Mapping[str, Piece], order: int | None, place: str) -> Shape:
    """What the modules and the sizes of their tensors say, checked against each other."""
    layers, decoder, encoder = (module_at(root, name) for name in ("rnn", "decoder", "encoder"))
    if layers is None or decoder is None or encoder is None:
        raise InputError(place, "it has no encoder, rnn and decoder", RIGHT, kind="format")
    try:
        ntoken, ninp = pieces["encoder.weight"].size
        nhid = pieces["rnn.weight_hh_l0"].size[1]
    except (KeyError, ValueError, IndexError):
        raise InputError(
            place, "it has no weights of an embedding and layers", RIGHT, kind="format"
        ) from None
    n_layers = sum(name.startswith("rnn.weight_hh_l") for name in pieces)
    drop = module_at(root, "drop")
    rate = drop.attributes.get("p", 0.0) if drop is not None else 0.0
    tied = "decoder.weight" not in pieces
    shape = Shape(_type(layers, place), ntoken, ninp, nhid, n_layers, rate, tied, order)
    check_shape(shape, place)
    check_shapes(
        {name: piece.size for name, piece in pieces.items()}, shape, place, "weights of one network"
    )
    return shape


def _type(layers: Stub, place: str) -> str:
    """A key of CELLS: the layers' class, and for plain ones their mode."""
    name = layers.kind.removeprefix(LAYERS)
    kind = str(layers.attributes.get("mode")) if name == "RNN" else name
    if not layers.kind.startswith(LAYERS) or kind not in CELLS:
        raise InputError(place, f"its layers are {name!r}", nearest(name, CELLS), kind="unknown")
    return kind


def _tensor(
    name: str, piece: Piece, checkpoint: Checkpoint, data: mmap.mmap, place: str
) -> torch.Tensor:
    """The numbers of a checked piece, copied out of the file, float32."""
    start, end = checkpoint.bytes_of[piece.storage.key]
    dtype: torch.dtype = getattr(torch, piece.storage.dtype)
    numbers = torch.frombuffer(bytearray(data[start:end]), dtype=dtype)
    values = numbers.as_strided(piece.size, piece.stride, piece.offset).float().contiguous()
    if not values.isfinite().all():
        raise InputError(
            place, f"{name} is not finite", "a network whose training went well", kind="format"
        )
    return values.clone()
