"""The trainers by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...data.progress import Progress, silent
from ...data.registry import load
from ..models.model_folder import ModelFolder
from ..models.training_text import TrainingText
from . import ngram, unigram
from .curve import EpochSuite
from .sizes import ORDER, SIZES, Training, check_training

TRAINERS: Mapping[str, Any] = {
    "unigram": unigram.train,
    "ngram": ngram.train,
    "recurrent": ".scoring.training.recurrent:train",
    "causal": ".scoring.training.causal:train",
}


def train_one(
    kind: str,
    text: TrainingText,
    folder: Path,
    training: Training | None = None,
    *,
    seed: int = 0,
    device: str = "auto",
    resume: bool = False,
    quiz: EpochSuite | None = None,
    progress: Progress = silent,
) -> ModelFolder:
    """Train one model.

    Args:
        kind: a key of TRAINERS, or what another distribution registers.
        text: what is learned from, and a part that is held out; only an n-gram model can be made
            of a text that is not in memory.
        folder: is made if need be.
        training: what the model shall be like; None is the default one.
        seed: of neural models; the others are the same whatever it is.
        device: of neural models.
        resume: a neural training that was interrupted goes on from its last whole epoch; one that
            is finished is returned as it is.
        quiz: what a neural model is asked after every epoch, for its learning curve.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        The folder of the trained model; of a neural model the weights of its best epoch.

    Raises:
        InputError: for what the kind does not know or cannot serve.

    >>> from colorless_green.scoring import Line, split_lines
    >>> text = split_lines([Line((f"w{n}",), f"w{n}") for n in range(100)], "text")
    >>> train_one("unigram", text, Path("model")).card["n_sentences"]
    93
    """
    trainer = load(TRAINERS, kind, "MODEL", "colorless_green.trainers")
    options: dict[str, Any] = {"seed": seed, "progress": progress}
    training = training or Training()
    if kind in TRAINERS:
        check_training(kind, training)
    if kind in SIZES:
        options |= {"training": training, "device": device, "resume": resume, "quiz": quiz}
    if kind == "ngram":
        options |= {"order": training.order or ORDER, "prune": training.prune or ()}
    trained: ModelFolder = trainer(text, folder, **options)
    return trained
