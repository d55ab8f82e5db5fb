"""A network on disk: `config.json`, `vocabulary.txt`, `weights.safetensors`.

`config.json` has the fields of `Shape`; `vocabulary.txt` one word a line, spelt as in
`scoring/words.py`, its line number from 0 is its id, `<unk>` and `<eos>` are ordinary lines.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

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
from colorless_green.data.validate import validated
from colorless_green.scoring.recurrent.network import CELLS, Network, Shape
from colorless_green.scoring.words import UNKNOWN, entry_word

CONFIG, VOCABULARY, WEIGHTS = FILES = ("config.json", "vocabulary.txt", "weights.safetensors")
EOS = "<eos>"
REMEDY = "a folder made by colorless train recurrent or colorless convert"


def check_listed(folder: Path) -> None:
    """The manifest stands for the weights in the signature, so it must know them."""
    listed = json.loads(read_text(folder / MANIFEST))["files"]
    for name in FILES:
        if name not in listed:
            wrong = f"its {MANIFEST} does not list {name}"
            raise InputError(str(folder), wrong, REMEDY, kind="format")


def read_vocabulary(path: Path) -> tuple[str, ...]:
    """The words of a vocabulary file by their ids.

    Raises `InputError` where a line is empty or comes twice, or `<unk>` or `<eos>` is missing.
    """
    words: dict[str, int] = {}
    for number, line in numbered_lines(path):
        word = entry_word(line)
        if not word or word in words:
            wrong = f"{word!r} stands on line {words[word]} too" if word else "the line is empty"
            raise InputError(f"{path}:{number}", wrong, "each word once, one a line", kind="format")
        words[word] = number
    check_signs(words, path)
    return tuple(words)


def check_signs(words: Mapping[str, int] | Sequence[str], path: Path) -> None:
    """Raises `InputError` where a vocabulary lacks a word that every network reads."""
    for needed in (UNKNOWN, EOS):
        if needed not in words:
            right = "a line for each of <unk>, <eos>"
            raise InputError(str(path), f"{needed!r} is missing", right, kind="missing")


def read_shape(path: Path, n_words: int) -> Shape:
    """The checked `config.json` of a network with a vocabulary of `n_words`."""
    try:
        found = json.loads(read_text(path))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InputError(str(path), "this is no network's shape", REMEDY, kind="format")
    shape = validated(Shape, found, str(path))
    check_shape(shape, str(path))
    if shape.ntoken != n_words:
        wrong = f"ntoken is {shape.ntoken}, but {VOCABULARY} has {n_words} lines"
        raise InputError(str(path), wrong, "as many as there are lines", kind="conflict")
    return shape


def check_shape(shape: Shape, place: str) -> None:
    """Raises `InputError` where a network cannot be so."""
    validated(Shape, asdict(shape), place)
    if shape.rnn_type not in CELLS:
        right = nearest(shape.rnn_type, CELLS)
        raise InputError(place, f"rnn_type is {shape.rnn_type!r}", right, kind="unknown")
    if shape.tied and shape.ninp != shape.nhid:
        wrong = f"ninp {shape.ninp} and nhid {shape.nhid} of a tied network"
        raise InputError(place, wrong, "equal widths, or tied: false", kind="conflict")


def read_network(path: Path, shape: Shape) -> Network:
    """The network with its weights, each of which must be there, of the right shape and finite.

    Only safetensors are read; a pickle is refused unopened, whatever the file is called.
    """
    try:
        found = safetensors.torch.load_file(path)
    except FileNotFoundError:
        raise InputError(str(path), "there is no such file", REMEDY, kind="missing") from None
    except safetensors.SafetensorError as error:
        wrong = f"not a safetensors file ({error})"
        raise InputError(str(path), wrong, REMEDY, kind="format") from None
    sizes = {name: tuple(value.shape) for name, value in found.items()}
    network = fitting_network(sizes, shape, str(path), f"the weights {CONFIG} speaks of")
    for name, value in found.items():
        if value.dtype != torch.float32 or not value.isfinite().all():
            raise InputError(str(path), f"{name} is not finite float32", REMEDY, kind="format")
    if shape.tied:
        found["decoder.weight"] = found["encoder.weight"]
    network.load_state_dict(found, assign=True)
    if shape.tied:
        network.decoder.weight = network.encoder.weight
    return network


def fitting_network(
    sizes: Mapping[str, tuple[int, ...]], shape: Shape, place: str, right: str
) -> Network:
    """A network without numbers, which costs no memory; the decoder's weights are none of its own
    if they are the embedding's.

    Raises `InputError` with the first weight that is missing, too many or of another size.
    """
    if 4 * shape.nlayers > len(sizes):  # else a wrong shape of a million layers would be made
        wrong = f"{len(sizes)} tensors for {shape.nlayers} layers"
        raise InputError(place, wrong, right, kind="format")
    with torch.device("meta"):
        network = Network(shape)
    wanted = {name: tuple(value.shape) for name, value in network.named_parameters()}
    for name in sorted(sizes.keys() | wanted.keys()):
        if name not in wanted:
            raise InputError(place, f"an unknown tensor {name!r}", right, kind="unknown")
        if name not in sizes:
            raise InputError(place, f"no tensor {name!r}", right, kind="format")
        if sizes[name] != wanted[name]:
            wrong = f"{name} has the shape {sizes[name]}, not {wanted[name]}"
            raise InputError(place, wrong, right, kind="format")
    return network


def write_network(folder: Path, network: Network, shape: Shape, words: Sequence[str]) -> list[str]:
    """Writes the three files that a recurrent scorer reads; their names."""
    tensors = {name: value.detach().cpu() for name, value in network.named_parameters()}
    return write_tensors(folder, tensors, shape, words)


def write_tensors(
    folder: Path, tensors: Mapping[str, torch.Tensor], shape: Shape, words: Sequence[str]
) -> list[str]:
    """Like `write_network`, from the tensors of its parameters by name."""
    with write_whole_bytes(folder / WEIGHTS) as stream:
        stream.write(safetensors.torch.save(dict(tensors)))
    with write_whole(folder / CONFIG) as text:
        json.dump(asdict(shape), text, indent=1)
        text.write("\n")
    with write_whole(folder / VOCABULARY) as text:
        text.writelines(f"{word}\n" for word in words)
    return list(FILES)
