"""A network on disk: `config.json`, `vocabulary.txt`, `weights.safetensors`.

`config.json` has the fields of `Shape`; `vocabulary.txt` one word a line, spelt as in
`scoring/words.py`, its line number from 0 is its id, `<unk>` and `<eos>` are ordinary lines.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from colorless_green.data.errors import InputError
from colorless_green.data.files import (
    MANIFEST,
    numbered_lines,
    read_text,
    write_whole,
    write_whole_bytes,
)
from colorless_green.data.registry import nearest
from colorless_green.scoring.recurrent.network import CELLS, Network, Shape
from colorless_green.scoring.words import UNKNOWN, entry_word

CONFIG, VOCABULARY, WEIGHTS = "config.json", "vocabulary.txt", "weights.safetensors"
FILES = (CONFIG, VOCABULARY, WEIGHTS)
EOS = "<eos>"
REMEDY = "a folder made by colorless train recurrent or colorless convert"


def check_listed(folder: Path) -> None:
    """The manifest stands for the weights in the signature, so it must know them."""
    listed = json.loads(read_text(folder / MANIFEST))["files"]
    for name in FILES:
        if name not in listed:
            raise InputError(
                str(folder), f"its {MANIFEST} does not list {name}", REMEDY, kind="format"
            )


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """The words of a vocabulary file by their ids.

    Raises `InputError` where a line is empty or comes twice, or `<unk>` or `<eos>` is missing.
    """
    words: dict[str, int] = {}
    for number, line in numbered_lines(path):
        word = entry_word(line)
        if not word:
            raise InputError(
                f"{path}:{number}", "the line is empty", "one word a line", kind="format"
            )
        if word in words:
            raise InputError(
                f"{path}:{number}",
                f"{word!r} stands on line {words[word]} too",
                "every word once",
                kind="format",
            )
        words[word] = number
    for needed in (UNKNOWN, EOS):
        if needed not in words:
            raise InputError(
                str(path),
                f"{needed!r} is missing",
                "a line for each of <unk>, <eos>",
                kind="missing",
            )
    return tuple(words)


def read_shape(path: Path, n_words: int) -> Shape:
    """The checked `config.json` of a network with a vocabulary of `n_words`."""
    try:
        found: Any = json.loads(read_text(path))
        named = {field.name: found[field.name] for field in fields(Shape) if field.name != "order"}
        shape = Shape(**named, order=found.get("order"))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(str(path), "this is no network's shape", REMEDY, kind="format") from None
    check_shape(shape, str(path))
    if shape.ntoken != n_words:
        raise InputError(
            str(path),
            f"ntoken is {shape.ntoken}, but {VOCABULARY} has {n_words} lines",
            "as many as there are lines",
            kind="format",
        )
    return shape


def check_shape(shape: Shape, place: str) -> None:
    """Raises `InputError` where a network cannot be so."""
    sizes = (shape.ntoken, shape.ninp, shape.nhid, shape.nlayers)
    if shape.rnn_type not in CELLS:
        raise InputError(
            place,
            f"rnn_type is {shape.rnn_type!r}",
            nearest(str(shape.rnn_type), CELLS),
            kind="unknown",
        )
    if not all(type(size) is int and size > 0 for size in sizes):
        raise InputError(
            place, f"sizes are {', '.join(map(str, sizes))}", "whole numbers above 0", kind="format"
        )
    if type(shape.dropout) not in (int, float) or not 0 <= shape.dropout < 1:
        raise InputError(
            place, f"dropout is {shape.dropout!r}", "a number from 0 to below 1", kind="format"
        )
    if shape.tied not in (True, False) or (shape.tied and shape.ninp != shape.nhid):
        raise InputError(
            place,
            f"tied is {shape.tied!r}, ninp {shape.ninp}, nhid {shape.nhid}",
            "true or false, and equal widths if true",
            kind="format",
        )
    if shape.order is not None and (type(shape.order) is not int or shape.order < 2):
        raise InputError(
            place, f"order is {shape.order!r}", "a whole number from 2, or null", kind="format"
        )


def read_network(path: Path, shape: Shape) -> Network:
    """The network with its weights, each of which must be there, of the right shape and finite.

    Only safetensors are read; a pickle is refused unopened, whatever the file is called.
    """
    try:
        found = safetensors.torch.load_file(path)
    except FileNotFoundError:
        raise InputError(str(path), "there is no such file", REMEDY, kind="missing") from None
    except safetensors.SafetensorError as error:
        raise InputError(
            str(path), f"not a safetensors file ({error})", REMEDY, kind="format"
        ) from None
    shapes = {name: tuple(value.shape) for name, value in found.items()}
    check_shapes(shapes, shape, str(path), f"the weights {CONFIG} speaks of")
    for name, value in found.items():
        if value.dtype != torch.float32 or not value.isfinite().all():
            raise InputError(str(path), f"{name} is not finite float32", REMEDY, kind="format")
    with torch.device("meta"):  # shapes only: a wrong config.json costs no memory
        network = Network(shape)
    if shape.tied:
        found["decoder.weight"] = found["encoder.weight"]
    network.load_state_dict(found, assign=True)
    if shape.tied:
        network.decoder.weight = network.encoder.weight
    return network


Shapes = Mapping[str, tuple[int, ...]]


def tensor_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Every weight of a network and its shape, the decoder's left out if it is the embedding's.

    Computed, not read off a `Network`: a shape of a million layers must not make one.
    """
    rows = CELLS[shape.rnn_type] * shape.nhid
    wanted: dict[str, tuple[int, ...]] = {"encoder.weight": (shape.ntoken, shape.ninp)}
    for n in range(shape.nlayers):
        wanted[f"rnn.weight_ih_l{n}"] = (rows, shape.ninp if n == 0 else shape.nhid)
        wanted[f"rnn.weight_hh_l{n}"] = (rows, shape.nhid)
        wanted[f"rnn.bias_ih_l{n}"] = wanted[f"rnn.bias_hh_l{n}"] = (rows,)
    if not shape.tied:
        wanted["decoder.weight"] = (shape.ntoken, shape.nhid)
    wanted["decoder.bias"] = (shape.ntoken,)
    return wanted


def check_shapes(found: Shapes, shape: Shape, place: str, right: str) -> None:
    """Raises `InputError` with the first weight that is missing, too many or of another shape."""
    if 4 * shape.nlayers > len(found):
        raise InputError(
            place, f"{len(found)} tensors for {shape.nlayers} layers", right, kind="format"
        )
    wanted = tensor_shapes(shape)
    for name in sorted(found.keys() | wanted.keys()):
        if name not in wanted:
            raise InputError(place, f"an unknown tensor {name!r}", right, kind="unknown")
        if name not in found:
            raise InputError(place, f"no tensor {name!r}", right, kind="format")
        if found[name] != wanted[name]:
            raise InputError(
                place,
                f"{name} has the shape {found[name]}, not {wanted[name]}",
                right,
                kind="format",
            )


def write_network(folder: Path, network: Network, shape: Shape, words: Sequence[str]) -> list[str]:
    """Writes the three files that a recurrent scorer reads; their names."""
    tensors = {name: value.detach().cpu() for name, value in network.named_parameters()}
    return write_tensors(folder, tensors, shape, words)


def write_tensors(
    folder: Path, tensors: Mapping[str, torch.Tensor], shape: Shape, words: Sequence[str]
) -> list[str]:
    """Like `write_network`, from the tensors that `tensor_shapes` names."""
    with write_whole_bytes(folder / WEIGHTS) as stream:
        stream.write(safetensors.torch.save(dict(tensors)))
    with write_whole(folder / CONFIG) as text:
        json.dump(asdict(shape), text, indent=1)
        text.write("\n")
    with write_whole(folder / VOCABULARY) as text:
        text.writelines(f"{word}\n" for word in words)
    return list(FILES)
