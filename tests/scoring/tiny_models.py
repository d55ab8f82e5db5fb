"""Models of a few thousand weights, drawn at random, and the plainest way to ask them."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import safetensors.torch
import tokenizers
import torch
import transformers

from colorless_green.data.files import write_manifest
from colorless_green.scoring import Surprisals
from tests.scoring.checkpoints import WORDS, RNNModel, tensors

TEXTS = (
    "The keys to the cabinet are here.",
    "The key to the cabinets is here, or there.",
    "Ключи от шкафа лежат здесь. ספר זה כאן.",
)
N_LAYERS = 2  # of a recurrent network
NETWORK = ("config.json", "vocabulary.txt", "weights.safetensors")  # its files


def finished(folder: Path, kind: str, *names: str) -> Path:
    """Return a folder with these files in it as one that `train` has finished."""
    (folder / "model.json").write_text(json.dumps({"kind": kind}), "utf-8")
    (folder / "seen.u64").touch()
    write_manifest(folder, [*names, "model.json", "seen.u64"], {"made_by": "colorless train"})
    return folder


def network(kind: str = "LSTM", *, tied: bool = False, seed: int = 0, std: float = 0.7) -> RNNModel:
    """Return a recurrent network over WORDS, by torch's own layers."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        found = RNNModel(kind, 6, 6 if tied else 7, N_LAYERS, tied).eval()
        for value in found.parameters():
            torch.nn.init.normal_(value, std=std)
    return found


def network_folder(
    folder: Path,
    kind: str = "LSTM",
    *,
    tied: bool = False,
    order: int | None = None,
    seed: int = 0,
    std: float = 0.7,
) -> Path:
    """Its folder, as `train` would leave it."""
    folder.mkdir(exist_ok=True)
    safetensors.torch.save_file(
        tensors(network(kind, tied=tied, seed=seed, std=std)), folder / "weights.safetensors"
    )
    shape = {
        "rnn_type": kind, "ntoken": len(WORDS), "ninp": 6, "nhid": 6 if tied else 7,
        "nlayers": N_LAYERS, "dropout": 0.5, "tied": tied, "order": order,
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(shape), "utf-8")
    (folder / "vocabulary.txt").write_text("".join(f"{word}\n" for word in WORDS), "utf-8")
    return finished(folder, "recurrent", *NETWORK)


def break_folder(folder: Path, **files: bytes) -> Path:
    """`folder` with other files and a manifest that stands by them; `a__b` is the file `a.b`."""
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    kind = json.loads((folder / "model.json").read_text("utf-8"))["kind"]
    own = ("manifest.json", "model.json", "seen.u64")
    return finished(folder, kind, *(each.name for each in folder.iterdir() if each.name not in own))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a recurrent model's folder."""
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


def byte_level(texts: Sequence[str], n_subwords: int, specials: Sequence[str]) -> Any:
    """Return a byte-level BPE trained on `texts`, bare: its specials are entries and nothing
    more."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=n_subwords,
        min_frequency=2,
        special_tokens=list(specials),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(texts, trainer)
    return made


def tokenizer(n_subwords: int = 330) -> Any:
    """Return a byte-level BPE, by TEXTS, without specials of its own making."""
    end = "<|endoftext|>"
    wrap: Any = transformers.PreTrainedTokenizerFast  # untyped
    return wrap(
        tokenizer_object=byte_level(TEXTS * 3, n_subwords, [end]), bos_token=end, eos_token=end
    )


def model_folder(folder: Path, auto: Any, config: Any, cutter: Any, seed: int = 0) -> Path:
    """Return a folder of transformers' with random weights, and a tokenizer."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        model = auto.from_config(config)
        with torch.no_grad():
            for value in model.parameters():
                if value.dim() > 1:
                    value.normal_(std=0.3)
                elif auto is not transformers.AutoModelForCausalLM:
                    value.add_(torch.randn_like(value), alpha=0.1)
    with hushed():
        model.save_pretrained(folder)
        cutter.save_pretrained(folder)
    return folder


@contextmanager
def hushed() -> Iterator[None]:
    """Within it transformers draws no progress bars."""
    log: Any = transformers.utils.logging
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.enable_progress_bar()


def causal_folder(folder: Path, config: Any, seed: int = 0, cutter: Any = None) -> Path:
    """Return a causal model's folder."""
    own = tokenizer() if cutter is None else cutter
    return model_folder(folder, transformers.AutoModelForCausalLM, config, own, seed)


def cutter_of(folder: Path) -> Any:
    """Return the tokenizer in a folder, as transformers loads it."""
    auto: Any = transformers.AutoTokenizer
    return auto.from_pretrained(folder)


def gpt2(n_positions: int = 96, n_ids: int = 330) -> Any:
    """Return a GPT-2 that fits `tokenizer()`."""
    return transformers.GPT2Config(
        vocab_size=n_ids, n_positions=n_positions, n_embd=16, n_layer=2, n_head=2, bos_token_id=0
    )


def change_weights(folder: Path, **changes: torch.Tensor | None) -> None:
    """Other tensors (None: left out); `a__b` is the tensor `a.b`."""
    path = folder / "model.safetensors"
    named = {name.replace("__", "."): value for name, value in changes.items()}
    every = {**safetensors.torch.load_file(path), **named}
    kept = {name: value for name, value in every.items() if value is not None}
    safetensors.torch.save_file(kept, path, metadata={"format": "pt"})


def plain_model(folder: Path) -> Any:
    """Return the model in float64, as transformers loads it; two kinds know no float64."""
    auto: Any = transformers.AutoModelForCausalLM
    with hushed():
        model = auto.from_pretrained(folder).eval()
    return model if model.config.model_type in ("mixtral", "xglm") else model.double()


def plain_bits(model: Any, ids: Sequence[int]) -> list[float]:
    """−log2 p of every id but the first, by a call for this sequence alone, in float64."""
    with torch.inference_mode():
        logits = model(torch.tensor([list(ids)])).logits[0].double()
    nats = logits.log_softmax(-1)[range(len(ids) - 1), list(ids[1:])]
    return [-each / math.log(2) for each in nats.tolist()]


@contextmanager
def reads(fits: int = 1 << 62) -> Iterator[list[tuple[int, int]]]:
    """Record the (rows, time) of every batch of ids that a Transformer reads within it; more
    than `fits` ids at once are refused, as a full GPU refuses them."""
    found: list[tuple[int, int]] = []
    widest = 0

    def note(module: torch.nn.Module, given: Any) -> None:
        nonlocal widest
        if not isinstance(module, torch.nn.Embedding) or not given:
            return
        if module.num_embeddings < widest or given[0].dim() != 2:  # positions, types
            return
        widest = module.num_embeddings
        if given[0].numel() > fits:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        found.append((given[0].shape[0], given[0].shape[1]))

    handle = torch.nn.modules.module.register_module_forward_pre_hook(note)
    try:
        yield found
    finally:
        handle.remove()


@contextmanager
def broken_layers() -> Iterator[None]:
    """Within it every norm of a layer gives no number."""

    def broken(module: torch.nn.Module, given: Any, found: Any) -> Any:
        return found * torch.nan if "Norm" in type(module).__name__ else found

    handle = torch.nn.modules.module.register_module_forward_hook(broken)
    try:
        yield
    finally:
        handle.remove()


def total(answer: Surprisals) -> float:
    """Return the surprisal of the whole continuation."""
    return math.fsum(answer.bits)
