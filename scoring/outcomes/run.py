"""A run: one model, or a baseline, on one suite."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from ...data.items.item import RIGHT, WRONG, Item
from ...data.items.item_table import table_of
from ...data.items.sentences import code_of
from ...data.tables import Cell
from ..questions.elicitation import MethodSuite
from ..questions.outcome import OOV, OOV_KEPT
from ..questions.plan import Plan
from ..questions.region_surprisals import RegionSurprisals
from .evaluate import cell_values

LABEL = ("run", "model", "step", "group", "method", "suite", "policy")  # of the rows of a run
READ: Mapping[str, str] = {  # how signatures of models begin that did not run here → where from
    "published:": "a published file",
    "model:table|": "a table of surprisals",
}
BITS = ("right_bits", "wrong_bits")
PAIR_BITS = {
    "item_id": pl.String, "prediction": pl.String, **dict.fromkeys(BITS, pl.Float64)
}  # fmt: skip
STEP = re.compile(r"(?:(?:checkpoint|step|epoch)[-_]?|@)([0-9]{1,12})$")
COMPUTED = "computed:"  # begins the signature of a model that another program asked
OWN_IDS = ("pair_id", "sent_id", "id")  # of a pair where it comes from: BLiMP, treebanks, a table
BASELINE = "baseline"  # the method of rows that no model stands behind
TOY = "toy"  # where no reason is told


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A suite as it was put to a model, with the surprisals that answer it.

    Attributes:
        asking: what the method made of the suite.
        plan: what was asked, as a rule without its questions, which are as long as all texts.
        surprisal: the answers.
    """

    asking: MethodSuite
    plan: Plan
    surprisal: RegionSurprisals

    def pair_bits(self) -> pl.DataFrame:
        """Return what a prediction compares of the right and the wrong sentence, a row an item and
        prediction that is about these two alone."""
        parts = [pl.DataFrame(schema=PAIR_BITS)]
        ids = self.plan.table.frame.select("item_id")
        for prediction in self.asking.suite.predictions:
            cells = {condition: (condition, region) for condition, region in prediction.cells()}
            if set(cells) == {RIGHT, WRONG} and len(prediction.cells()) == 2:
                pair = [cells[RIGHT], cells[WRONG]]
                values = cell_values(self.plan, self.surprisal, pair, self.asking.minus)
                bits = [pl.Series(name, values[cell], nan_to_null=True)
                        for name, cell in zip(BITS, pair, strict=True)]  # fmt: skip
                parts.append(ids.with_columns(pl.lit(prediction.name).alias("prediction"), *bits))
        return pl.concat(parts)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Run:
    """A model, or a baseline, on a suite: its outcomes, and what they depend on.

    Attributes:
        model: its name, as accuracies and comparisons have it.
        outcomes: one row an item and prediction: the columns of `outcome.OUTCOMES`.
        run_id: its number in the store; None where it has none.
        number: in tables: of the run in a call of `score`, from 1, or in the store.
        suite_id: the suite's number in the store.
        suite: the suite's name.
        group: models of one group are seeds of one setting; "": the model is in none.
        method: how the model was asked, as `Method.asked` has it.
        policy: first token, number type and the like, as `policy_of` has it.
        prediction: the suite's first.
        part: which items were asked, where not all were.
        exposed: number of originals in the model's training text; None where nobody knows.
        signature: what the model's numbers depend on.
        device: that the model ran on.
        about: the model.json of a trained model; else empty.
        items: those that were asked, with the periods of the method; none of a stored run.
        asked: what was asked, with the answers; None of a stored run and of a baseline.
    """

    model: str
    outcomes: pl.DataFrame
    run_id: int | None = None
    number: str = ""
    suite_id: int | None = None
    suite: str = ""
    group: str = ""
    method: str = ""
    policy: str = ""
    prediction: str = ""
    part: str = ""
    exposed: int | None = None
    signature: str = ""
    device: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)
    items: Sequence[Item] = ()
    asked: Asked | None = None

    @property
    def step(self) -> int | None:
        """The training step that the name of a checkpoint says; None of any other model."""
        match = STEP.search(self.model)
        return int(match[1]) if match else None

    def label(self) -> dict[str, Cell]:
        """Return what heads each row of the run in a table."""
        return {name: self.number if name == "run" else getattr(self, name) for name in LABEL}

    @property
    def primary(self) -> pl.DataFrame:
        """The outcomes under the suite's first prediction."""
        return self.outcomes.filter(pl.col("prediction") == self.prediction)

    def credits(self) -> dict[str, tuple[float | None, float | None]]:
        """Return item → (credit, margin) under the suite's first prediction."""
        rows = self.primary.select("item_id", "credit", "margin_bits").iter_rows()
        return {item_id: (credit, margin) for item_id, credit, margin in rows}

    def outcomes_table(self) -> pl.DataFrame:
        """Return the outcomes with the pair's own id, construction and sentences, and the bits of
        both sentences that each prediction compares."""
        table = table_of(self.items)
        sources = (table.frame["facts"], pl.Series(table.details, dtype=pl.String))
        ids = [text.str.json_path_match(f"$.{name}") for name in OWN_IDS for text in sources]
        pairs = table.frame.select(
            "item_id", pl.col("construction").cast(pl.String), pl.coalesce(ids).alias("pair_id")
        )
        sentences, is_pair = table.sentences, table.is_pair()
        for name in (RIGHT, WRONG):
            rows = np.flatnonzero(sentences.condition == code_of(name, sentences.conditions))
            rows = rows[is_pair[sentences.item()[rows]]]
            texts: list[str | None] = [None] * len(table)
            items = sentences.item()[rows].tolist()
            for item, text in zip(items, sentences.texts_of(rows), strict=True):
                texts[item] = text
            pairs = pairs.with_columns(pl.Series(name, texts, pl.String))
        bits = pl.DataFrame(schema=PAIR_BITS) if self.asked is None else self.asked.pair_bits()
        joined = self.outcomes.join(pairs, on="item_id", how="left", maintain_order="left")
        return joined.join(bits, on=["item_id", "prediction"], how="left", maintain_order="left")

    @property
    def unknown(self) -> frozenset[str]:
        """Items with a scored word outside the vocabulary."""
        notes = pl.col("note").str.split(";")
        unknown = notes.list.contains(OOV) | notes.list.contains(OOV_KEPT)
        return frozenset(self.primary.filter(unknown)["item_id"])

    @property
    def perplexity(self) -> float | None:
        """Per word, on held-out text."""
        return self.about.get("held_out_perplexity")

    @property
    def toy(self) -> str:
        """Why a model is too small or untrained to stand for anything, as its card says, or that it
        is so; empty of any other. A model that failed the sanity gate is a toy, too."""
        flag = self.about.get("toy") or self.about.get("sanity")
        reason = flag if isinstance(flag, str) else self.about.get("toy_reason")
        return str(reason or TOY) if flag else ""

    @property
    def read_from(self) -> str:
        """The file that its numbers were read from, or the program that computed them; empty of a
        model that ran here."""
        if self.signature.startswith(COMPUTED):
            return self.signature.removeprefix(COMPUTED).partition("|")[0]
        return next(
            (source for begin, source in READ.items() if self.signature.startswith(begin)), ""
        )

    @property
    def how_asked(self) -> str:
        """Method, first token, unit and number type, for people."""
        fields = dict(part.partition(":")[::2] for part in self.signature.split("|"))
        unit = "subwords" if "tokenizer" in fields else "words"
        parts = [f"method {self.method}"]
        if not self.read_from:
            bos = fields.get("bos") or "none"
            parts += [f"first token {'id ' * bos.isdecimal()}{bos}", f"unit {unit}"]
            parts += [fields["dtype"]] if "dtype" in fields else []
        return ", ".join(parts)
