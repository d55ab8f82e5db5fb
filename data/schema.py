"""The columns of every kind of row that the tool prints, stores or writes: names and types.

A kind of row has one schema, wherever it appears: in a table on a terminal, a file, the store, JSON
lines or a data frame. A name means the same thing in all schemas. Counts begin with `n_`, units are
part of the name (`surprisal_bits`, `rt_ms`), indices count from 0, shares are 0 to 1. An empty cell
means that the row is about all values of that column, or that there is no number.
"""

from collections.abc import Mapping
from typing import TypeAlias

Schema: TypeAlias = Mapping[str, type]
"""Column → `str`, `int`, `float` or `bool`, in the order in which they are written."""

# Results of mining (commands `mine` and `languages`).
CONSTRUCTIONS: Schema = {
    "treebank": str, "rule": str, "construction": str, "feature": str, "values": str, "n": int,
    "n_agree": int, "n_by_value": str, "n_originals": int, "rate": float, "expected": float,
    "p": float, "q": float, "low": float, "high": float, "bound": float, "design_effect": float,
    "n_informative": int, "n_other": int, "n_other_agree": int, "rate_unambiguous": float,
    "rate_pairs": float, "judged_on": str, "verdict": str, "reason": str,
}  # fmt: skip
REJECTIONS: Schema = {
    "treebank": str, "sent_id": str, "cue_index": int, "target_index": int, "construction": str,
    "reason": str,
}  # fmt: skip
LANGUAGES: Schema = {
    "language": str, "treebank": str, "feature": str, "verdict": str, "n_sentences": int,
    "n_words": int, "n_annotated": int, "n_instances": int, "n_tested": int, "n_accepted": int,
    "n_undecided": int, "n_agree": int, "n_originals": int, "n_treebank": int, "n_unimorph": int,
    "constructions": str, "licence": str,
}  # fmt: skip
BENCHMARK: Schema = {
    "language": str, "treebanks": str, "left_out": str, "licence": str, "n_sets": int,
    "n_within_limits": int, "n_items": int, "n_heads": int, "n_heads_used": int,
    "n_predicates": int, "n_auxiliaries": int, "n_modifiers": int, "modifiers": str,
    "majority_value": float, "unigram": float, "words": float, "length": float,
    "nearest_noun": float, "adjacent_word": float, "window": float, "joint": float,
    "verdict": str, "reason": str, "licence_note": str,
}  # fmt: skip

# Results of scoring (command `score`).
SCORES: Schema = {
    "run": str, "model": str, "item_id": str, "condition": str, "sentence_index": int,
    "region": str, "n_subwords": int, "surprisal_bits": float, "oov": int,
}  # fmt: skip
OUTCOMES: Schema = {
    "run": str, "model": str, "suite": str, "method": str, "policy": str, "item_id": str,
    "pair_id": str, "construction": str, "prediction": str, "right": str, "wrong": str,
    "right_bits": float, "wrong_bits": float, "credit": float, "margin_bits": float, "tie": int,
    "oov": int, "note": str,
}  # fmt: skip
ACCURACY: Schema = {
    "run": str, "model": str, "step": int, "group": str, "method": str, "policy": str, "suite": str,
    "prediction": str, "kind": str, "level": str, "construction": str, "value": str,
    "n_attractors": str, "n_items": int, "n_clusters": int, "balanced": float, "accuracy": float,
    "sd": float, "low": float, "high": float, "n_common": int, "accuracy_common": float,
    "n_ties": int, "n_oov": int,
}  # fmt: skip
WORDS: Schema = {
    "text": str, "item_id": str, "condition": str, "sentence": int, "index": int, "word": str,
    "surprisal_bits": float, "length": int, "log2_frequency": float, "n_subwords": int, "oov": int,
    "model": str,
}  # fmt: skip
CURVE: Schema = {
    "epoch": int, "step": int, "lr": float, "train_loss": float, "valid_loss": float,
    "valid_perplexity": float, "accuracy": float, "suite": str, "seconds": float,
}  # fmt: skip

# Comparisons with people and publications (commands `compare` and `humans analyse`).
COMPARISON: Schema = {
    "suite": str, "kind": str, "construction": str, "rater": str, "n_items": int,
    "accuracy": float, "low": float, "high": float, "raters": float, "majority": float,
    "choice_share": float, "measure": str, "difference": float, "difference_low": float,
    "difference_high": float, "p": float, "p_holm": float, "better": str, "spearman": float,
    "note": str,
}  # fmt: skip
COLLECTION: Schema = {
    "level": str, "name": str, "rater": str, "n_suites": int, "n_items": int, "accuracy": float,
    "sd": float, "low": float, "high": float, "suites_low": float, "suites_high": float,
    "chance": float, "n_ties": int, "n_oov": int,
}  # fmt: skip
PAIRED: Schema = {
    "name": str, "rater": str, "other": str, "n_suites": int, "n_items": int, "accuracy": float,
    "other_accuracy": float, "difference": float, "low": float, "high": float, "p": float,
    "p_holm": float, "p_floor": float, "note": str,
}  # fmt: skip
CORRELATIONS: Schema = {
    "rater": str, "other": str, "n_suites": int, "pearson": float, "spearman": float,
}  # fmt: skip
REGIONS: Schema = {
    "suite": str, "rater": str, "condition": str, "position": int, "region": str,
    "predicted": int, "n_items": int, "surprisal_bits": float, "low": float, "high": float,
}  # fmt: skip
PUBLISHED: Schema = {
    "table": str, "block": str, "row": str, "rater": str, "origin": str, "measure": str,
    "value": float, "half_width": float, "sd": float, "low": float, "high": float, "n": int,
    "source": str,
}  # fmt: skip
MEASURES: Schema = {
    "statistic": str, "kind": str, "construction": str, "rater": str, "level": str, "n": int,
    "value": float, "se": float, "low": float, "high": float, "p": float, "note": str,
}  # fmt: skip
EXCLUSIONS: Schema = {
    "level": str, "participant": str, "session": str, "item": str, "rule": str, "value": str,
    "threshold": str, "n_trials": int,
}  # fmt: skip
