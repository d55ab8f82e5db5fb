"""Model families: `load(spec, options) -> Scorer`, registered here by name."""

BACKENDS = {
    "uniform": "colorless_green.scoring.backends.unigram:load_uniform",
    "unigram": "colorless_green.scoring.backends.unigram:load",
    "ngram": "colorless_green.scoring.backends.ngram:load",
    "recurrent": "colorless_green.scoring.backends.recurrent:load",
    "causal": "colorless_green.scoring.backends.causal:load",
    "masked": "colorless_green.scoring.backends.masked:load",
    "seq2seq": "colorless_green.scoring.backends.seq2seq:load",
    "package": "colorless_green.scoring.backends.package:load",
    "table": "colorless_green.scoring.backends.table:load",
}
GROUP = "colorless_green.backends"
