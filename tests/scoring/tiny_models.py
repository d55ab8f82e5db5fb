"""Models of a few thousand weights, drawn at random, and the plainest way to ask them."""

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
import transformers

from colorless_green.scoring import Line, Surprisals
from colorless_green.scoring.backends.recurrent import EOS, Network, Shape, write_network
from colorless_green.scoring.pretrained import quiet
from colorless_green.scoring.training.causal import byte_pairs
from colorless_green.scoring.training.folder import finish_model
from colorless_green.scoring.words import UNKNOWN

WORDS = (
    UNKNOWN,
    EOS,
    "the",
    "key",
    "keys",
    "to",
    "cabinet",
    "is",
    "are",
    "here",
    "con\u00a0gái",
    ".",
)
TEXTS = (
    "The keys to the cabinet are here.",
    "The key to the cabinets is here, or there.",
    "Ключи от шкафа лежат здесь. ספר זה כאן.",
)
SHAPE = Shape("LSTM", len(WORDS), ninp=6, nhid=7, nlayers=2, dropout=0.5, tied=False)


def seen() -> list[Line]:
    """What a folder says its model was trained on."""
    return [Line(tuple(text.split()), text) for text in TEXTS]


def network_folder(folder: Path, shape: Shape = SHAPE, seed: int = 0) -> Path:
    """A recurrent model's folder over WORDS, as `train` would leave it."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        network = Network(shape)
        for value in network.parameters():
            torch.nn.init.normal_(value, std=0.7)
    finish_model(folder, "recurrent", {}, write_network(folder, network, shape, WORDS), seen())
    return folder


def break_folder(folder: Path, **files: bytes) -> Path:
    """`folder` with other files and a manifest that stands by them; `a__b` is the file `a.b`."""
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    names = [path.name for path in folder.iterdir() if path.name not in ("manifest.json",)]
    kind = json.loads((folder / "model.json").read_text("utf-8"))["kind"]
    kept = [name for name in names if name not in ("model.json", "seen.u64")]
    finish_model(folder, kind, {}, kept, seen())
    return folder


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """The tensors of a recurrent model's folder."""
    found: dict[str, torch.Tensor] = safetensors.torch.load_file(folder / "weights.safetensors")
    return found


def plain_gates(
    tensors: Mapping[str, torch.Tensor], n_layers: int, ids: Sequence[int]
) -> list[float]:
    """−log2 p of every id but the first by an LSTM's equations, word by word, in float64."""
    t = {name: value.double() for name, value in tensors.items()}
    width = t["rnn.weight_hh_l0"].shape[1]
    states = [(torch.zeros(width).double(), torch.zeros(width).double())] * n_layers
    found = []
    for read, following in pairwise(ids):
        x = t["encoder.weight"][read]
        for n, (h, c) in enumerate(states):
            a = t[f"rnn.weight_ih_l{n}"] @ x + t[f"rnn.bias_ih_l{n}"]
            i, f, g, o = (a + t[f"rnn.weight_hh_l{n}"] @ h + t[f"rnn.bias_hh_l{n}"]).chunk(4)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            x = o.sigmoid() * c.tanh()
            states = [*states[:n], (x, c), *states[n + 1 :]]
        logits = t["decoder.weight"] @ x + t["decoder.bias"]
        found.append(-logits.log_softmax(-1)[following].item() / math.log(2))
    return found


def tokenizer(n_subwords: int = 330) -> Any:
    """A byte-level BPE, by TEXTS, without specials of its own making."""
    return byte_pairs(TEXTS * 3, n_subwords)


def causal_folder(folder: Path, config: Any, seed: int = 0, cutter: Any = None) -> Path:
    """A folder of transformers' with random weights, and a tokenizer."""
    with torch.random.fork_rng([]), quiet():
        torch.manual_seed(seed)
        auto: Any = transformers.AutoModelForCausalLM  # untyped
        model = auto.from_config(config)
        with torch.no_grad():
            for value in model.parameters():
                if value.dim() > 1:
                    value.normal_(std=0.3)
        model.save_pretrained(folder)
        (tokenizer() if cutter is None else cutter).save_pretrained(folder)
    return folder


def gpt2(n_positions: int = 96, n_ids: int = 330) -> Any:
    """A GPT-2 that fits `tokenizer()`."""
    return transformers.GPT2Config(
        vocab_size=n_ids, n_positions=n_positions, n_embd=16, n_layer=2, n_head=2, bos_token_id=0
    )


def plain_model(folder: Path) -> Any:
    """The model in float64, as transformers loads it; two kinds know no float64."""
    auto: Any = transformers.AutoModelForCausalLM
    with quiet():
        model = auto.from_pretrained(folder).eval()
    return model if model.config.model_type in ("mixtral", "xglm") else model.double()


def plain_bits(model: Any, ids: Sequence[int]) -> list[float]:
    """−log2 p of every id but the first, by a call for this sequence alone, in float64."""
    with torch.inference_mode():
        logits = model(torch.tensor([list(ids)])).logits[0].double()
    nats = logits.log_softmax(-1)[range(len(ids) - 1), list(ids[1:])]
    return [
        -each / torch.log(torch.tensor(2.0, dtype=torch.float64)).item() for each in nats.tolist()
    ]


def total(answer: Surprisals) -> float:
    """The surprisal of the whole continuation."""
    return sum(answer.bits)
