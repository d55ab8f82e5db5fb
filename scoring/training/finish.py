"""The end of a training: the files that make a folder a model's."""

import json
import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from ...data.files import write_manifest, write_whole, write_whole_bytes
from ..models.model_folder import MADE_BY, MODEL, SEEN, ModelFolder
from ..models.training_text import TrainingText, fingerprints
from ..models.words import entry_word


def toy_facts(
    text: TrainingText, card: Mapping[str, Any], vocabulary: Container[str] | None = None
) -> dict[str, object]:
    """Say whether a model is a toy: its held-out perplexity is not below that of a unigram model of
    the same text, asked for the same words (those in `vocabulary`; None: all) and sentence ends.

    Words that do not occur in the text have a count of one together, as in
    `models/backends/unigram.py`; of a subword model, which has to spell them, this asks more. A
    text on which that decides is too small for it.
    """
    counts = Counter(chain.from_iterable(line.words for line in text.train))
    n_units = counts.total() + len(text.train) + 1
    held_out = Counter(chain.from_iterable(line.words for line in text.held_out))
    units = {
        word: n
        for word, n in held_out.items()
        if vocabulary is None or entry_word(word) in vocabulary
    }
    total = len(text.held_out) * math.log2(n_units / len(text.train))
    total += sum(n * math.log2(n_units / max(counts[word], 1)) for word, n in units.items())
    perplexity = 2 ** (total / (len(text.held_out) + sum(units.values())))
    measured = card["held_out_perplexity"]
    return {"unigram_perplexity": perplexity, "toy": measured is None or measured >= perplexity}


def finish_model(
    folder: Path,
    kind: str,
    card: Mapping[str, Any],
    files: Iterable[str],
    seen: TrainingText,
    *,
    made_by: str = MADE_BY,
) -> ModelFolder:
    """Write `model.json`, the fingerprints of `seen` and the manifest beside `files`, which the
    trainer has written into `folder` already."""
    with write_whole_bytes(folder / SEEN) as stream:
        stream.write(fingerprints(chain(seen.train, seen.held_out)))
    with write_whole(folder / MODEL) as text:
        json.dump({"kind": kind, **card}, text, ensure_ascii=False, indent=1)
        text.write("\n")
    write_manifest(folder, [*files, SEEN, MODEL], {"made_by": made_by})
    return ModelFolder(folder, kind, {"kind": kind, **card})


def is_trained_on(model: ModelFolder, text: TrainingText) -> bool:
    """Return whether the model was trained on this text, with as many sentences and words."""
    n_words = sum(len(line.words) for line in text.train)
    if (model.card.get("n_sentences"), model.card.get("n_words")) != (len(text.train), n_words):
        return False
    return (model.path / SEEN).read_bytes() == fingerprints(chain(text.train, text.held_out))
