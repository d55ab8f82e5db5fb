"""A run: one model, or a baseline, on one suite; and its rows in the store.

The store keeps the outcomes of a run as one table. Surprisals of regions are not kept, since they
follow from the model's answers in the store. Outcomes do not: some measures also need a text of the
user.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import numpy as np
import polars as pl

from ...data.items.item import RIGHT, WRONG, Item
from ...data.items.item_table import table_of
from ...data.items.sentences import code_of
from ...data.store import Store, seal
from ...data.tables import Cell
from ..models.specs import Model
from ..models.words import signature_facts
from ..questions.plan import Plan
from ..questions.region_surprisals import RegionSurprisals
from .elicitation import MethodSuite
from .evaluate import OOV, OOV_KEPT, OUTCOME_DTYPES, Outcome, cell_values, outcomes_frame

LABEL_COLUMNS = (
    "run",
    "model",
    "step",
    "group",
    "method",
    "suite",
    "policy",
)  # columns that name a run
# beginning of the signature of a model that did not run here → where its numbers come from
SOURCE_OF_SIGNATURE: Mapping[str, str] = {
    "published:": "a published file",
    "model:table|": "a table of surprisals",
}
BITS_COLUMNS = ("right_bits", "wrong_bits")
PAIR_BITS = {
    "item_id": pl.String, "prediction": pl.String, **dict.fromkeys(BITS_COLUMNS, pl.Float64)
}  # fmt: skip
STEP_PATTERN = re.compile(r"(?:(?:checkpoint|step|epoch)[-_]?|@)([0-9]{1,12})$")
COMPUTED_PREFIX = "computed:"  # beginning of the signature of a model that another program asked
PAIR_ID_NAMES = (
    "pair_id",
    "sent_id",
    "id",
)  # names of a pair's id in BLiMP, in treebanks, in a table
BASELINE = "baseline"  # the method of a baseline's run
TOY = "toy"  # said of a toy model whose card gives no reason


@dataclass(frozen=True, slots=True, eq=False)
class AskedSuite:
    """A suite as a model was asked about it, with the surprisals.

    Attributes:
        method_suite: the suite that the method asked about.
        plan: the sentences and regions that were asked about; its questions are mostly dropped to
            save memory.
        surprisal: the surprisals of these sentences and regions.
    """

    method_suite: MethodSuite
    plan: Plan
    surprisal: RegionSurprisals

    def pair_bits(self) -> pl.DataFrame:
        """Tabulate the surprisals in bits, `right_bits` and `wrong_bits`, that predictions compare.

        There is a row for each item and each prediction that compares one region (part) of the
        right sentence with one of the wrong sentence; other predictions have none.
        """
        tables = [pl.DataFrame(schema=PAIR_BITS)]
        ids = self.plan.table.frame.select("item_id")
        for prediction in self.method_suite.suite.predictions:
            cell_of = {condition: (condition, region) for condition, region in prediction.cells()}
            if set(cell_of) == {RIGHT, WRONG} and len(prediction.cells()) == 2:
                pair = [cell_of[RIGHT], cell_of[WRONG]]
                values = cell_values(self.plan, self.surprisal, pair, self.method_suite.minus)
                bits = [pl.Series(name, values[cell], nan_to_null=True)
                        for name, cell in zip(BITS_COLUMNS, pair, strict=True)]  # fmt: skip
                tables.append(ids.with_columns(pl.lit(prediction.name).alias("prediction"), *bits))
        return pl.concat(tables)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Run:
    """The outcomes of a model, or a baseline, on a suite, and what they depend on.

    Attributes:
        model: the name of the model, as in tables of accuracies and comparisons.
        outcomes: a row for each item and prediction, with the columns of `evaluate.OUTCOME_DTYPES`.
        run_id: the number of the run in the store; None if it is not kept.
        number: the number of the run in tables: in a call of `score` from 1, or that in the store.
        suite_id: the number of the suite in the store.
        suite: the name of the suite.
        group: the name shared by models that differ in their seeds only; "" for no group.
        method: how the model was asked, as `Method.asking_text` says.
        policy: first token, number type and the like, as `policy_of` says.
        prediction: the name of the suite's first prediction.
        part: the choice of items, if not all were asked.
        exposed: the number of originals in the model's training text; None if unknown.
        signature: all that the model's numbers depend on.
        device: the device that the model ran on.
        about: the model.json of a trained model; else empty.
        items: the items that were asked, as the method changed them; empty for a stored run.
        asked: what was asked, with surprisals; None for a stored run and for a baseline.
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
    asked: AskedSuite | None = None

    @property
    def step(self) -> int | None:
        """The training step in the name of a checkpoint; None for any other model."""
        match = STEP_PATTERN.search(self.model)
        return int(match[1]) if match else None

    def label(self) -> dict[str, Cell]:
        """Return column → value for the columns of tables that name the run, such as its model."""
        return {
            name: self.number if name == "run" else getattr(self, name) for name in LABEL_COLUMNS
        }

    @property
    def primary(self) -> pl.DataFrame:
        """The outcomes under the suite's first prediction."""
        return self.outcomes.filter(pl.col("prediction") == self.prediction)

    def credits(self) -> dict[str, tuple[float | None, float | None]]:
        """Return item id → (credit, margin in bits) under the suite's first prediction."""
        rows = self.primary.select("item_id", "credit", "margin_bits").iter_rows()
        return {item_id: (credit, margin) for item_id, credit, margin in rows}

    def outcomes_table(self) -> pl.DataFrame:
        """Return the outcomes with more columns: the construction, the pair's id in the treebank or
        file that it comes from, its two sentences, and the surprisals in bits that are compared."""
        table = table_of(self.items)
        json_texts = (table.frame["facts"], pl.Series(table.details, dtype=pl.String))
        ids = [
            text.str.json_path_match(f"$.{name}") for name in PAIR_ID_NAMES for text in json_texts
        ]
        pairs = table.frame.select(
            "item_id", pl.col("construction").cast(pl.String), pl.coalesce(ids).alias("pair_id")
        )
        sentences, is_pair = table.sentences, table.is_pair()
        for name in (RIGHT, WRONG):
            rows = np.flatnonzero(sentences.condition == code_of(name, sentences.conditions))
            rows = rows[is_pair[sentences.item_of_sentence()[rows]]]
            texts: list[str | None] = [None] * len(table)
            items = sentences.item_of_sentence()[rows].tolist()
            for item, text in zip(items, sentences.texts_of(rows), strict=True):
                texts[item] = text
            pairs = pairs.with_columns(pl.Series(name, texts, pl.String))
        bits = pl.DataFrame(schema=PAIR_BITS) if self.asked is None else self.asked.pair_bits()
        joined = self.outcomes.join(pairs, on="item_id", how="left", maintain_order="left")
        return joined.join(bits, on=["item_id", "prediction"], how="left", maintain_order="left")

    @property
    def unknown_items(self) -> frozenset[str]:
        """The ids of the items with a scored word that is not in the model's vocabulary."""
        notes = pl.col("note").str.split(";")
        is_unknown = notes.list.contains(OOV) | notes.list.contains(OOV_KEPT)
        return frozenset(self.primary.filter(is_unknown)["item_id"])

    @property
    def perplexity(self) -> float | None:
        """The model's perplexity per word on held-out text; None if unknown."""
        return self.about.get("held_out_perplexity")

    @property
    def toy_reason(self) -> str:
        """The reason in model.json why a model is a toy (too small or untrained to conclude from);
        "" for any other model. A model that failed the sanity check is a toy, too."""
        flag = self.about.get("toy") or self.about.get("sanity")  # true, or the reason itself
        if not flag:
            return ""
        reason = flag if isinstance(flag, str) else self.about.get("toy_reason")
        return str(reason or TOY)

    @property
    def read_from(self) -> str:
        """The file or program that a model's numbers come from; "" for a model that ran here."""
        if self.signature.startswith(COMPUTED_PREFIX):
            return self.signature.removeprefix(COMPUTED_PREFIX).partition("|")[0]
        for beginning, source in SOURCE_OF_SIGNATURE.items():
            if self.signature.startswith(beginning):
                return source
        return ""

    @property
    def how_asked(self) -> str:
        """A text for people that says how the model was asked: method, first token, unit (words or
        subwords) and number type."""
        parts = [f"method {self.method}"]
        if not self.read_from:
            facts = signature_facts(self.signature)
            bos = facts.get("bos") or "none"
            parts.append(f"first token id {bos}" if bos.isdecimal() else f"first token {bos}")
            parts.append(f"unit {'subwords' if 'tokenizer' in facts else 'words'}")
            parts += [facts["dtype"]] if "dtype" in facts else []
        return ", ".join(parts)


# Options that do not make a run another one: the first prediction follows from suite and method,
# and one method may have several names.
UNKEYED_OPTIONS = ("prediction", "record")
PART_TEXTS = {"limit": "the first {} items only", "sample": "{} items of each construction only"}


def save_model(store: Store, model: Model) -> tuple[int, str]:
    """Keep a model in the store, under its signature. Call it in a transaction.

    Args:
        store: the store.
        model: the model.

    Returns:
        (id, name) in the store. If another model has the name, four hexadecimal digits of the
        signature are added to it.

    >>> from pathlib import Path
    >>> from colorless_green import load_model
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> with Store(Path("kept.db")) as store, store.transaction():
    ...     save_model(store, load_model("uniform:words.txt"))
    (1, 'words.txt')
    """
    card = json.dumps(dict(model.folder.card) if model.folder else {})
    facts = {"spec": model.spec, "group": model.group, "device": model.device, "about": card}
    return keep_model(store, model.scorer.signature, model.name, facts)


def keep_model(
    store: Store, signature: str, name: str, facts: Mapping[str, str]
) -> tuple[int, str]:
    """Find a model in the store by its signature, or insert it; return its (id, name) there. If
    another model has the name, four hexadecimal digits of the signature are added to it. Call it in
    a transaction."""
    row = store.one("SELECT model_id, name FROM model WHERE signature = ?", (signature,))
    if row is not None:
        return int(row["model_id"]), str(row["name"])
    if store.one("SELECT 1 FROM model WHERE name = ?", (name,)) is not None:
        name = f"{name}-{hashlib.sha256(signature.encode()).hexdigest()[:4]}"
    return store.insert("model", {"signature": signature, "name": name, **facts}), name


def save_run(
    store: Store,
    *,
    model_id: int,
    suite_id: int,
    method: str,
    options: Mapping[str, str],
    exposed: int | None,
    outcomes: pl.DataFrame,
    now: str,
) -> int:
    """Keep a finished run with its outcomes. Call it in a transaction.

    Args:
        store: the store.
        model_id: the number of the model there.
        suite_id: the number of the suite there.
        method: how the model was asked, as `Method.asking_text` says.
        options: the settings that tell runs apart.
        exposed: the number of originals of the suite in the model's training text; `None` if
            unknown.
        outcomes: as `outcomes_frame` makes them.
        now: the time, in ISO 8601.

    Returns:
        The number of the run. If the store has this run already, nothing is written but that it was
        used, and its number is returned.
    """
    pairs = sorted((name, value) for name, value in options.items() if name not in UNKEYED_OPTIONS)
    parts = (model_id, suite_id, method, pairs)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()
    row = store.one("SELECT run_id FROM run WHERE key = ?", (key,))
    if row is not None:
        store.execute("UPDATE run SET used = ? WHERE run_id = ?", (store.tick(), row["run_id"]))
        return int(row["run_id"])
    return store.insert(
        "run",
        {
            "key": key,
            "model_id": model_id,
            "suite_id": suite_id,
            "method": method,
            "options": json.dumps(dict(options)),
            "exposed": exposed,
            "finished": 1,
            "used": store.tick(),
            "created": now,
            "outcomes": _packed(outcomes),
            "n_items": outcomes["item_id"].n_unique(),
        },
    )


def _packed(frame: pl.DataFrame) -> bytes:
    """Pack a frame into bytes for the store: compressed Arrow, with a seal (a check value) by which
    changes are found."""
    stream = BytesIO()
    frame.write_ipc(stream, compression="zstd")
    return seal(stream.getvalue())


def load_outcomes(store: Store, run_id: int) -> pl.DataFrame:
    """Read the outcomes of a stored run.

    Args:
        store: the store.
        run_id: the number of the run there.

    Returns:
        One row per item and prediction; columns are the fields of `Outcome`.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> _ = Path("keys.tsv").write_text("right\\twrong\\nthe keys are .\\tthe keys is old .\\n")
    >>> with Store(Path("kept.db")) as store:
    ...     scores = cg.score("keys.tsv", "uniform:words.txt", store=store)
    ...     load_outcomes(store, scores.run_ids[0]).select("prediction", "margin_bits").rows()
    [('full', 3.0), ('prefix', 3.0), ('all', 3.0)]
    """
    row = store.one("SELECT outcomes FROM run WHERE run_id = ?", (run_id,))
    assert row is not None
    if row["outcomes"] is not None:
        return pl.read_ipc(BytesIO(store.unseal(row["outcomes"])))
    names = ", ".join(OUTCOME_DTYPES)  # an earlier version kept them row by row
    rows = store.rows(f"SELECT {names} FROM outcome WHERE run_id = ?", (run_id,))
    return outcomes_frame(Outcome(**row) for row in rows)


def stored_run(store: Store, run_id: int) -> Run:
    """Read a run with its outcomes, and the facts of its model, from the store. Its `items` and
    `asked` stay empty."""
    row = store.one(
        "SELECT run.suite_id, run.method, run.options, run.exposed, suite.name AS suite, "
        'model.name AS model, model."group", model.signature, model.device, model.about '
        "FROM run JOIN model USING (model_id) JOIN suite USING (suite_id) WHERE run_id = ?",
        (run_id,),
    )
    assert row is not None
    outcomes = load_outcomes(store, run_id)
    options: dict[str, str] = json.loads(row["options"])
    first = outcomes["prediction"][0] if outcomes.height else ""
    names = ("suite_id", "method", "exposed", "suite", "model", "group", "signature", "device")
    parts = [text.format(options[name]) for name, text in PART_TEXTS.items() if name in options]
    return Run(
        **{name: row[name] for name in names},
        run_id=run_id,
        number=str(run_id),
        outcomes=outcomes,
        about=json.loads(row["about"]),
        prediction=options.get("prediction", first),
        part=", ".join(parts),
    )
