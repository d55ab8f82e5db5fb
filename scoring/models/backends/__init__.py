"""Families of models, by name: each has a function `load(spec, options)` that returns a scorer, an
object that computes surprisals."""

from collections.abc import Mapping
from typing import Any

from . import ngram, table, unigram

BACKENDS: Mapping[str, Any] = {
    "uniform": unigram.load_uniform,
    "unigram": unigram.load,
    "ngram": ngram.load,
    "recurrent": ".scoring.models.backends.recurrent:load",
    "causal": ".scoring.models.backends.causal:load",
    "masked": ".scoring.models.backends.masked:load",
    "seq2seq": ".scoring.models.backends.seq2seq:load",
    "gguf": ".scoring.models.backends.package:load_file",
    "package": ".scoring.models.backends.package:load",
    "table": table.load,
    "api": ".scoring.models.backends.served:load",
}
GROUP = "colorless_green.backends"
