"""Convert a published checkpoint to a model folder: the public function `convert`."""

from collections.abc import Callable
from pathlib import Path

from ..data.registry import load
from .models.model_folder import Trained

CHECKPOINTS = {"pickle": ".scoring.training.checkpoint:convert_checkpoint"}
"""Kind of checkpoint → what reads it, which needs torch."""


def convert(
    checkpoint: str | Path,
    *,
    vocabulary: str | Path,
    out: str | Path,
    order: int | None = None,
    language: str = "",
) -> Trained:
    """Convert a pickled recurrent network to a model folder without running code from the file.

    Nothing is written unless everything fits. Numbers of another width become float32.

    Args:
        checkpoint: network pickled whole by PyTorch, as its word_language_model does (.pt).
        vocabulary: its vocabulary, one word per line in the order of ids (vocab.txt of
            colorlessgreenRNNs).
        out: folder for the converted model.
        order: n of an n-gram network, which its file does not say.
        language: BCP-47 code of the words.

    Returns:
        One row about the network; `folders`.

    Raises:
        InputError: for a file that is no such checkpoint or wants to run anything, for tensors or
            words that do not fit together, and for a folder in use.

    Commands:
        colorless convert hidden650_batch128_dropout0.2_lr20.0.pt --vocabulary vocab.txt --out lstm
        colorless convert ngram.pt --vocabulary vocab.txt --order 5 --out ngram-lstm --language it

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("vocab.txt").write_text("the\\n")
    >>> cg.convert("lstm.pt", vocabulary="vocab.txt", out="lstm")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    colorless_green.data.errors.InputError: vocab.txt: ...
    """
    convert_checkpoint: Callable[..., Trained] = load(CHECKPOINTS, "pickle", "convert", "")
    return convert_checkpoint(Path(checkpoint), Path(vocabulary), Path(out), order, language)
