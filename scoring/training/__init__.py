"""The small models, one a file: text in, a model folder out."""

TRAINERS = {
    "unigram": "colorless_green.scoring.training.unigram:train",
    "ngram": "colorless_green.scoring.training.ngram:train",
    "recurrent": "colorless_green.scoring.training.recurrent:train",
    "causal": "colorless_green.scoring.training.causal:train",
}
