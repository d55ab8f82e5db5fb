"""What training costs beside a plain loop over torch.nn.LSTM, and a command beside its epochs.

    python bench/training.py TEXT [--training gulordava2018] [--epochs 2] [--device cpu]

TEXT has one sentence a line. Both loops have the same batches (streams, chunks, vocabulary), the
same network, dropout, clipping, plain SGD and number types, in one process and in turn; of each the
fastest epoch, without the held-out text; CPU seconds, or those of the clock beside a GPU. Then the
command `colorless train` in a process of its own, beside what its epochs took.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch.nn.functional import cross_entropy, dropout

from colorless_green import Training
from colorless_green.data.configuration import configured
from colorless_green.scoring import read_curve, split_lines, train_one
from colorless_green.scoring.models.torch_device import choose, full_precision
from colorless_green.scoring.models.training_text import text_lines
from colorless_green.scoring.training._batches import streams
from colorless_green.scoring.training.recurrent import joined, vocabulary
from colorless_green.scoring.training.sizes import NetworkSize, size_of


def now(device: torch.device) -> float:
    """Seconds: of the CPU, or, once it is done with all it has, of the clock beside a GPU."""
    if device.type == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def plain(text: torch.Tensor, n_words: int, size: NetworkSize, mixed: bool, n: int) -> list[float]:
    """Words a second of each of `n` epochs, as one writes the loop first."""
    assert size.chunk is not None
    device = text.device
    encoder = torch.nn.Embedding(n_words, size.width, device=device)
    layers = torch.nn.LSTM(
        size.width, size.width, size.n_layers, dropout=size.dropout, device=device
    )
    decoder = torch.nn.Linear(size.width, n_words, device=device)
    parameters = [*encoder.parameters(), *layers.parameters(), *decoder.parameters()]
    optimiser = torch.optim.SGD(parameters, size.schedule.rate, fused=True)
    speeds = []
    for _ in range(n):
        n_seen, state, spent = 0, None, torch.zeros((), device=device)
        begun = now(device)
        for batch in streams(text, size.n_rows, size.chunk)[1]:
            if state is not None:
                state = (state[0].detach(), state[1].detach())
            with torch.autocast(device.type, torch.bfloat16, enabled=mixed):
                hidden, state = layers(dropout(encoder(batch.ids), size.dropout), state)
                logits = decoder(dropout(hidden, size.dropout)).flatten(0, 1)
            loss = cross_entropy(logits.float(), batch.targets)
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(parameters, size.schedule.clip)
            optimiser.step()
            spent += loss.detach()
            n_seen += len(batch.targets)
        speeds.append(n_seen / (now(device) - begun))
    return speeds


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("text", type=Path)
    asked.add_argument("--training", default="gulordava2018")
    asked.add_argument("--width", type=int)
    asked.add_argument("--epochs", type=int, default=2)
    asked.add_argument("--rounds", type=int, default=2)
    asked.add_argument("--threads", type=int)
    asked.add_argument("--mixed", action="store_true")
    asked.add_argument("--device", default="auto")
    options = asked.parse_args()
    training = configured(
        Training, options.training, width=options.width, n_threads=options.threads,
        epochs=options.epochs, mixed=options.mixed or None,
    )  # fmt: skip
    size, device = size_of("recurrent", training), choose(options.device)
    assert isinstance(size, NetworkSize)
    lines = split_lines(list(text_lines(options.text, strictly=True)), str(options.text))
    words, _ = vocabulary(lines.train, size.max_vocabulary)
    ids = joined(lines.train, {word: n for n, word in enumerate(words)}).ids.to(device)
    n_steps = streams(ids, size.n_rows, size.chunk or 1)[0]
    if n_steps < 2:
        raise SystemExit(f"{len(ids):,} words are one batch; a longer TEXT is needed")
    threads = torch.get_num_threads()
    ours: list[float] = []
    theirs: list[float] = []
    with TemporaryDirectory() as folder:
        for number in range(options.rounds):
            marks: list[float] = []  # when the first and the last step of each epoch were done

            def note(task: str, done: int, of: int | None, to: list[float] = marks) -> None:
                if done % n_steps in (1, 0):
                    to.append(now(device))

            out = Path(folder, str(number))
            train_one("recurrent", lines, out, training, device=str(device), progress=note)
            for begun, ended in zip(marks[::2], marks[1::2], strict=True):
                ours.append(len(ids) * (n_steps - 1) / n_steps / (ended - begun))
            torch.set_num_threads(options.threads or threads)
            with full_precision():
                theirs += plain(ids, len(words), size, options.mixed, options.epochs)
        print(f"{len(ids):,} words, {len(words):,} types, {size.n_layers} x {size.width}, {device}")
        print(f"plain loop: {max(theirs):,.0f} words a second; colorless: {max(ours):,.0f}; "
              f"ratio {max(ours) / max(theirs):.2f}")  # fmt: skip
        for kind in ("recurrent", "causal"):
            out = Path(folder, kind)
            command = [sys.executable, "-m", "colorless_green", "train", kind, str(options.text)]
            command += ["--out", str(out), "--store", "none", "--device", str(device)]
            begun = time.perf_counter()
            subprocess.run([*command, "--set", f"epochs={options.epochs}"], check=True)
            took = time.perf_counter() - begun
            epochs = sum(each.seconds for each in read_curve(out / "curve.tsv"))
            print(f"{kind}: {took:.1f} s, its {options.epochs} epochs {epochs:.1f} s")


if __name__ == "__main__":
    main()
