"""The method of scoring: how a model is asked and how its answers count. Published ones by name."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from annotated_types import Ge

from ...data.configuration import Configuration
from ...data.errors import InputError
from ..questions.query import TOKENIZER, LoadOptions, Masking
from ..questions.region_surprisals import MEASURES, WITH_UNIGRAMS

Measure: TypeAlias = Literal[
    "target", "sentence", "one-prefix", "two-prefix", "pmi", "ew", "mw",
    "meanlp", "normlp-div", "normlp-sub", "slor", "penlp", "perchar",
]  # fmt: skip
"""What is compared; see `elicitation.py` and `region_surprisals.py`"""
INHERITED: Any = None  # default of a setting: the value in the method that this one extends
EACH_BOS = "each"  # value of `bos`: each first token that the model's files name, and none
SUITE_METRIC = "suite"  # value of `metric`: the metric that the suite says
STRICT = {"ties": "wrong", "oov": "keep"}  # a tie is worth nothing, and no item is left out
METHODS: Mapping[str, Mapping[str, Any]] = {
    **{name: {"measure": name} for name in get_args(Measure)},
    "target": {
        "measure": "target", "metric": SUITE_METRIC, "eos": "none", "period": "keep", "lead": "",
        "blank": False,
        "premise": "", "unigrams": None, "oov": "exclude", "ties": "share",
        "predictions": "first", "sample": None, "seed": 0, "dtype": "float32", "bos": "auto",
        "boundary": "none", "pll": "auto", "compile": False, "trust_remote_code": False,
        "frequencies": "",
    },
    "linzen2016": {"measure": "one-prefix", "ties": "wrong"},
    "gulordava2018": {"ties": "wrong"},
    "marvin2018": {"measure": "sentence", "period": "add", **STRICT},
    "marvin2018-ngram": {
        "measure": "sentence", "period": "add", "eos": "sentence", **STRICT,
    },
    "warstadt2020": {"measure": "sentence", **STRICT},
    "hu2020": {"eos": "region", **STRICT},
    # lm-evaluation-harness 0.4.13, tasks blimp (acc) and multiblimp (acc_norm, which api/task.py
    # divides by len(choice), characters, although the task's README says bytes)
    "lm-eval-blimp": {"measure": "sentence", "blank": True, "oov": "keep"},
    "lm-eval-multiblimp": {"measure": "perchar", "oov": "keep"},
    # minicons 0.3.39: sequence_score as it is without arguments
    "minicons": {"measure": "meanlp", "bos": TOKENIZER, "pll": "original", "oov": "keep"},
    # jumelet/multiblimp 275e571, src/lm_eval/score.py: minicons' scores, added up
    "jumelet2025": {"measure": "sentence", "bos": TOKENIZER, **STRICT},
    # BLiMP-NL (Computational Linguistics 51:4); the counts are those of the text that a user names
    "suijkerbuijk2025": {"measure": "slor", "oov": "keep"},
    # better-mlm-scoring fee98cd, adapted_minicons/scorer.py: within_word_l2r, by word_ids(), summed
    "kauf2023": {"measure": "sentence", "pll": "word-l2r+tokenizer", **STRICT},
    "kauf2023-blanks": {"measure": "sentence", "pll": "word-l2r", **STRICT},
}  # fmt: skip
"""Measures by themselves, and what papers and their scripts do (docs/scoring.md)."""


@dataclass(frozen=True, kw_only=True)
class Method(Configuration):
    """A way to ask a model about a suite, and to count its answers.

    Attributes:
        measure: what is compared: target (what the suite predicts), sentence, one-prefix,
            two-prefix, pmi, ew, mw, meanlp, normlp-div, normlp-sub, slor, penlp or perchar.
        metric: how the subwords of a region are combined: suite (as the suite says, which as a
            rule is sum), sum, mean, median, range, max or min.
        eos: the end of the sentence counts: none, sentence (as part of whole sentences) or region
            (also as part of the last region).
        period: at the end of each sentence: keep, add or drop.
        blank: a blank before each sentence, as lm-evaluation-harness puts one before BLiMP's.
        lead: words before each sentence, such as "In fact,": a control for what the first token of
            a text does to a model. The sentence's first letter becomes small unless a sentence ends
            with the lead.
        premise: the neutral context of the measure pmi.
        unigrams: a text, one sentence a line, for the word frequencies of slor, normlp-div and
            normlp-sub.
        oov: items with a scored word that a word-level model does not know: exclude or keep.
        ties: a tie is worth the share of orderings that are right (share), or nothing (wrong).
        predictions: of a suite with several, show the first, all as one, or each.
        sample: score that many items of each construction, drawn at random.
        seed: random seed of the sample.
        dtype: number format of the model: float32, bfloat16, float16, or auto (as the checkpoint
            has it).
        bos: first token before a text: auto (as the model's files declare), none, a token, each
            (ask once with every token that the files declare, and once with none), or tokenizer
            (what it puts before a text; if nothing, the first subword is not scored).
        boundary: where a word counts as ended: none, space+eos or space+eos+punct.
        pll: what is masked in a masked model for one subword: original, word-l2r or whole-word,
            with +tokenizer for the tokenizer's words; auto: as the model's name says, or word-l2r.
        compile: use torch.compile; worth it on a GPU in long runs.
        trust_remote_code: run the code that comes with a model, on this machine, with your rights.
        frequencies: of words, for the table of word surprisals: wordfreq, or a file of words and
            counts.
    """

    FILES = ("frequencies",)
    NOUN = "method"
    DEFAULT = "target"
    NAMED = METHODS

    measure: Measure = INHERITED
    metric: Literal["suite", "sum", "mean", "median", "range", "max", "min"] = INHERITED
    eos: Literal["none", "sentence", "region"] = INHERITED
    period: Literal["keep", "add", "drop"] = INHERITED
    blank: bool = INHERITED
    lead: str = INHERITED
    premise: str = INHERITED
    unigrams: Path | None = INHERITED
    oov: Literal["exclude", "keep"] = INHERITED
    ties: Literal["share", "wrong"] = INHERITED
    predictions: Literal["first", "all", "each"] = INHERITED
    sample: Annotated[int, Ge(1)] | None = INHERITED
    seed: int = INHERITED
    dtype: Literal["float32", "bfloat16", "float16", "auto"] = INHERITED
    bos: str = INHERITED
    boundary: Literal["none", "space+eos", "space+eos+punct"] = INHERITED
    pll: Masking = INHERITED
    compile: bool = INHERITED
    trust_remote_code: bool = INHERITED
    frequencies: str = INHERITED

    def conflicts(self) -> Iterator[InputError]:
        """Yield an error for each setting that the measure does not use or does not allow."""
        wrong = f"the measure {self.measure} does not use it"
        if self.premise and self.measure != "pmi":
            yield InputError("premise", wrong, "measure pmi", kind="unsupported")
        if self.unigrams is not None and self.measure not in WITH_UNIGRAMS:
            right = f"measure {', '.join(WITH_UNIGRAMS[:-1])} or {WITH_UNIGRAMS[-1]}"
            yield InputError("unigrams", wrong, right, kind="conflict")
        if self.bos == TOKENIZER and self.measure not in ("sentence", *MEASURES):
            wrong = f"{TOKENIZER}, but the measure {self.measure} may need a text's first subword"
            yield InputError("bos", wrong, "a measure of whole sentences", kind="conflict")

    def demand_unigrams(self) -> None:
        """Raise `InputError` if the measure needs word frequencies and no text was named."""
        if self.measure in WITH_UNIGRAMS and self.unigrams is None:
            wrong = f"the measure {self.measure} needs word frequencies, and no text was named"
            raise InputError("unigrams", wrong, "a text, one sentence a line", kind="missing")

    def load_options(self, device: str) -> LoadOptions:
        """Return the options for loading a model on a device. If the method asks with each first
        token, these load the model with its usual one."""
        bos = "auto" if self.bos == EACH_BOS else self.bos
        return LoadOptions(
            device, self.dtype, bos, self.boundary, self.pll, self.compile, self.trust_remote_code
        )

    def asking_text(self) -> str:
        """Return a line for tables with the measure and the settings that change what a model is
        asked, such as `sentence eos=sentence`; settings at their defaults are left out. How ties
        and unknown words count, and which items are asked, is in the options of a run."""
        settings = {name: getattr(self, name) for name in ("eos", "period", "metric")}
        default = self.NAMED[self.DEFAULT]
        parts = [f"{name}={value}" for name, value in settings.items() if value != default[name]]
        parts += ["blank"] if self.blank else []
        texts = {"lead": self.lead, "premise": self.premise}
        parts += [f"{name}={text!r}" for name, text in texts.items() if text]
        return " ".join([self.measure, *parts])

    def run_options(self) -> dict[str, str]:
        """Return the settings that tell runs apart, as the store keeps them: name → text. Of most,
        only those that differ from their defaults are kept."""
        default = self.NAMED[self.DEFAULT]
        options: dict[str, str] = {"oov": self.oov, "ties": self.ties}
        for name in ("metric", "eos", "period", "blank", "lead", "premise", "sample"):
            text = str(getattr(self, name))
            if text != str(default[name]):
                options[name] = text
        if self.sample is not None:
            options["seed"] = str(self.seed)
        return options


def method_of(asking_text: str, options: Mapping[str, str]) -> Method:
    """Return a method that asks the same questions as a stored run did.

    Args:
        asking_text: the text that `Method.asking_text` returned: `sentence eos=sentence`.
        options: the options that the store keeps of the run.

    Returns:
        The method.

    >>> method_of("sentence eos=sentence", {"eos": "sentence"}).eos
    'sentence'
    """
    kept = ("metric", "eos", "period", "lead", "premise", "oov", "ties")
    texts = {name: options[name] for name in kept if name in options}
    numbers = {name: int(options[name]) for name in ("sample", "seed") if name in options}
    # The store keeps `blank` only if it is true.
    settings: dict[str, Any] = {**texts, **numbers, "blank": "blank" in options}
    measure: Any = asking_text.partition(" ")[0]
    return Method(measure=measure, **settings)
