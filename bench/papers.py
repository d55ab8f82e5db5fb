"""Figures of papers, counted again from the results that their authors released item by item.

    python -m bench.papers [PUBLISHED]

PUBLISHED (`../shared/published`) holds the released results. The tables of `data/published` have
the figures as printed; tests hold them against what is counted here.

- Gulordava et al. 2018, `.tab` with results (as the authors' `results.py`): two rows a sentence and
  a column for each rater. A model is right where the right form has strictly more; people have the
  share that chose the right form.
- Hu et al. 2020, SyntaxGym: accuracy of a suite by model `name_corpus_seed`, then means over models
  and suites. The runs of an n-gram model vote first: they differ in what they drew at ties, and an
  item is right if more than half of them have it right. Single runs of it are left out.
- Hu, Chen & Levy 2020, reflexives: surprisals are averaged by item and condition; an item is right
  where the ungrammatical condition is above both others; where all three are equal it counts 1/3,
  the expectation of the authors' random draw. A cell of Table 3 is the mean over pronouns. The
  authors take the distractor by its label and the ungrammatical condition by `grammatical`, which
  is wrong in a third of the rows of `themselves` in experiment 1a, so that a distractor counts as
  both; so does this, for so the paper's figures came about.
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import polars as pl
import polars.selectors as cs

from colorless_green.data.formats.reflexives import CONDITIONS, EXPERIMENTS, LABELS, is_in_paper
from colorless_green.data.formats.syntaxgym import circuit, modifier_of
from colorless_green.data.formats.tab import KIND_OF_TYPE, TAB_COLUMNS
from colorless_green.data.formula.expression import TIE_BITS

BASELINE, DISTRACTOR, UNGRAMMATICAL = CONDITIONS
RATERS = {"freq": "unigram", "mturk_count": "humans"}
GYM_LABELS = {  # a star: off the shelf, as in the paper's figures
    "gpt-2": "GPT-2", "gpt-2-pretrained": "GPT-2*", "gpt-2-xl-pretrained": "GPT-2-XL*",
    "grnn": "GRNN*", "jrnn": "JRNN*", "ngram": "n-gram", "ordered-neurons": "ON-LSTM",
    "rnng": "RNNG", "transformer-xl": "Transformer-XL*", "vanilla": "LSTM",
}  # fmt: skip
GYM_MODEL = r"^(?<name>.+)_(?<corpus>[^_]*)_[^_]+$"
VOTING = "ngram"  # the models whose runs are one model together
DROPPED = r"^(?:fgd-embed[34]|gardenpath|nn-nv)"  # suites that the authors' analysis drops
CORPORA = ("bllip-xs", "bllip-sm", "bllip-md", "bllip-lg")
SUBWORDS = "-gptbpe"  # Table 4 has GPT-2 on the corpora so called, all others on the plain ones
SURPRISALS = "target_surprisals_"  # how the names of the reflexives' files begin
ROW = ("pronoun", "row", "item", "counterbalance", "mismatch_position", "grammatical")
REFLEXIVE_LABELS = {
    "bert": "BERT", "trans": "TransXL", "jrnn": "JRNN", "grnn": "GRNN", "tiny": "TinyLSTM",
    "rnng": "RNNG", "5gram": "5-gram",
}  # fmt: skip


def group_means(outcomes: pl.DataFrame, by: Iterable[str]) -> pl.DataFrame:
    """Return a row for each group, in the order in which groups are met: the mean of every float,
    the sum of every whole number."""
    groups = outcomes.group_by(*by, maintain_order=True)
    return groups.agg(cs.float().mean(), cs.integer().sum())


def agreement(file: Path) -> pl.DataFrame:
    """Count a table of Gulordava et al. by rater, kind and construction ("" is all of them)."""
    rows = pl.read_csv(file, separator="\t", quote_char=None, infer_schema_length=None)
    right, wrong = rows.gather_every(2), rows.gather_every(2, 1)
    frames = []
    for name in [name for name in rows.columns if name not in (*TAB_COLUMNS, "full_id")]:
        one, other = right[name].cast(pl.Float64), wrong[name].cast(pl.Float64)
        is_people = RATERS.get(name) == "humans"
        frames.append(right.select(
            rater=pl.lit(RATERS.get(name, name)), kind=pl.col("type").replace(KIND_OF_TYPE),
            construction="pattern", n_items=1,
            accuracy=one / (one + other) if is_people else (one > other).cast(pl.Float64),
            n_ties=((one == other) & (not is_people)).cast(pl.Int64),
        ))  # fmt: skip
    counted = pl.concat(frames)
    for name in ("kind", "construction"):
        counted = pl.concat([counted, counted.with_columns(pl.lit("").alias(name))])
    return group_means(counted, ("rater", "kind", "construction"))


def syntaxgym(folder: Path) -> pl.DataFrame:
    """Count SyntaxGym's results by `figure`: `suite` (model by suite), `circuit`, `modifier`
    (`without` and `with`, of the pairs of suites that are there), `corpus` and `score`."""
    files = [file for file in sorted(folder.glob("*.csv*")) if "-single_" not in file.name]
    rows = pl.concat(
        pl.read_csv(file, columns=["model", "suite", "item", "correct"]) for file in files
    )
    parts = pl.col("model").str.extract_groups(GYM_MODEL).alias("parts")
    rows = rows.with_columns(parts, accuracy=pl.col("correct").cast(pl.Float64)).unnest("parts")
    votes = (
        rows.filter(name=VOTING)
        .group_by("name", "corpus", "suite", "item", maintain_order=True)
        .agg(
            model=pl.concat_str("name", "corpus", separator="_").first(),
            accuracy=(pl.col("accuracy").mean() > 0.5).cast(pl.Float64),
        )
    )
    models = pl.concat([rows.filter(pl.col("name") != VOTING), votes], how="diagonal").select(
        "corpus", "model", "suite", "accuracy", label=pl.col("name").replace(GYM_LABELS), n_items=1
    )
    suites = group_means(models, ("label", "corpus", "model", "suite"))
    return pl.concat(_figures(suites.filter(~pl.col("suite").str.contains(DROPPED))))


def _figures(suites: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Average the accuracies of models by suite for each figure, over models last."""
    pairs = modifier_of(suites["suite"].unique().sort())
    sides = pl.DataFrame(
        {"name": ["without", "with"] * len(pairs), "suite": [*chain.from_iterable(pairs)]},
        schema={"name": pl.String, "suite": pl.String},
    )
    pooled = suites.with_columns(corpus=pl.lit(""), name=pl.lit(""))
    parts = {
        "suite": pooled.with_columns(name="suite"),
        "circuit": pooled.with_columns(
            name=pl.col("suite").map_elements(circuit, return_dtype=pl.String)
        ),
        "modifier": pooled.drop("name").join(sides, on="suite"),
        "corpus": suites.with_columns(name=pl.lit("")),
        "score": pooled,
    }
    for figure, part in parts.items():
        models = group_means(part, ("label", "corpus", "name", "model")).with_columns(n_models=1)
        yield group_means(models, ("label", "corpus", "name")).select(
            pl.lit(figure).alias("figure"), pl.col("label").alias("model"), "corpus", "name",
            "n_models", pl.col("n_items") // pl.col("n_models"), "accuracy",
        )  # fmt: skip


def perplexities(file: Path) -> pl.DataFrame:
    """Count SyntaxGym's Table 4: the mean test perplexity over seeds, by model and corpus."""
    plain = pl.col("corpus").str.strip_suffix(SUBWORDS)
    suffix = pl.when(model="gpt-2").then(pl.lit(SUBWORDS)).otherwise(pl.lit(""))
    rows = pl.read_csv(file).filter(
        plain.is_in(CORPORA), pl.col("corpus") == plain + suffix, pl.col("model").is_in(GYM_LABELS)
    )
    labels = pl.col("model").replace(GYM_LABELS)
    return group_means(rows.select(labels, plain, perplexity="test_ppl"), ("model", "corpus"))


def reflexives(folder: Path) -> pl.DataFrame:
    """Count Table 3 by experiment, items (`paper`: those behind the table; `all`), model and
    pronoun ("" is the mean of the pronouns)."""
    tables = []
    for file in sorted(folder.glob(f"{SURPRISALS}*.csv*")):
        experiment = file.name.partition(".")[0].removeprefix(SURPRISALS)
        items = reflexive_items(pl.read_csv(file))
        keys = items.select("pronoun", "item").iter_rows()
        items = items.with_columns(paper=pl.Series([is_in_paper(experiment, *key) for key in keys]))
        for label, part in (("paper", items.filter("paper")), ("all", items)):
            by = ("experiment", "row", "items", "model", "pronoun")
            outcomes = part.drop("item", "paper").with_columns(
                pl.col("model").replace(REFLEXIVE_LABELS), experiment=pl.lit(experiment),
                row=pl.lit(EXPERIMENTS[experiment].row), items=pl.lit(label),
            )  # fmt: skip
            pronouns = group_means(outcomes, by)
            tables += [pronouns, group_means(pronouns.with_columns(pronoun=pl.lit("")), by)]
    return pl.concat(tables, how="diagonal")


def reflexive_items(rows: pl.DataFrame) -> pl.DataFrame:
    """Judge each item by model: surprisals are averaged by condition first."""
    rows = rows.with_columns(condition=pl.col("mismatch_position").replace_strict(LABELS))
    roles = pl.concat([
        rows.filter(pl.col("condition") != UNGRAMMATICAL),
        rows.filter(grammatical=0).with_columns(condition=pl.lit(UNGRAMMATICAL)),
    ])  # fmt: skip
    models = [name for name in rows.columns if name not in (*ROW, "condition")]
    bits = roles.unpivot(models, index=["pronoun", "item", "condition"], variable_name="model")
    means = bits.group_by("model", "pronoun", "item", maintain_order=True).agg(
        pl.col("value").filter(condition=name).mean().alias(name) for name in CONDITIONS
    )
    above, over = (
        (pl.col(UNGRAMMATICAL) - pl.col(name) > TIE_BITS).cast(pl.Float64)
        for name in (BASELINE, DISTRACTOR)
    )
    is_tie = pl.max_horizontal(CONDITIONS) - pl.min_horizontal(CONDITIONS) <= TIE_BITS
    return means.select(
        "model", "pronoun", "item", n_items=1,
        accuracy=pl.when(is_tie).then(1 / 3).otherwise(above * over),
        over_baseline=above, over_distractor=over, n_ties=is_tie.cast(pl.Int64),
    )  # fmt: skip


def main() -> None:
    """Print every table that the released results give."""
    published = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/published")
    tables = {
        "Hu et al. 2020, SyntaxGym": syntaxgym(published / "syntaxgym" / "sg_results"),
        "Table 4": perplexities(published / "syntaxgym" / "perplexity.csv"),
        "Hu, Chen & Levy 2020, Table 3": reflexives(published / "reflexives").filter(pronoun=""),
    }
    for file in sorted((published / "colorless" / "evaluation_output").glob("*/*.tab")):
        counted = agreement(file).filter(construction="")
        tables[f"Gulordava et al. 2018, {file.parent.name}, {file.name}"] = counted
    for title, table in tables.items():
        print(f"{title}\n{table.write_csv(separator=chr(9))}")


if __name__ == "__main__":
    main()
