"""Recompute the figures of papers from the item-by-item results that their authors released.

    python -m bench.papers [PUBLISHED]

PUBLISHED (`../shared/published`) has the released results. The tables of `data/published` have the
figures as printed; tests compare them with the figures computed here.

- Gulordava et al. 2018, `.tab` files with results (as in the authors' `results.py`): two rows for a
  sentence, and a column for each rater. A model is right if its score of the right form is strictly
  higher; for people, the accuracy is the share that chose the right form.
- Hu et al. 2020, SyntaxGym: the accuracy of each model `name_corpus_seed` on each suite, then means
  over models and suites. The runs of an n-gram model, which differ in random draws at ties, vote
  first: an item is right if more than half of them have it right. Their single runs are left out.
- Hu, Chen & Levy 2020, reflexives: surprisals are averaged by item and condition. An item is right
  if the surprisal of the ungrammatical condition is above both others; if all three are equal, it
  counts 1/3, the expectation of the authors' random draw. A figure of Table 3 is the mean over
  pronouns. The authors select the distractor by its label and the ungrammatical condition by
  `grammatical`, which is wrong in a third of the rows of `themselves` in experiment 1a, so that a
  distractor counts as both. We do the same, to get the paper's figures.
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
TAB = "\t"
RATERS = {"freq": "unigram", "mturk_count": "humans"}
GYM_LABELS = {  # a star marks pretrained models, as in the paper's figures
    "gpt-2": "GPT-2", "gpt-2-pretrained": "GPT-2*", "gpt-2-xl-pretrained": "GPT-2-XL*",
    "grnn": "GRNN*", "jrnn": "JRNN*", "ngram": "n-gram", "ordered-neurons": "ON-LSTM",
    "rnng": "RNNG", "transformer-xl": "Transformer-XL*", "vanilla": "LSTM",
}  # fmt: skip
GYM_MODEL = r"^(?<name>.+)_(?<corpus>[^_]*)_[^_]+$"
VOTING = "ngram"  # the name of models whose runs vote, and count as one model
DROPPED = r"^(?:fgd-embed[34]|gardenpath|nn-nv)"  # suites that the authors' analysis drops
CORPORA = ("bllip-xs", "bllip-sm", "bllip-md", "bllip-lg")
SUBWORDS = "-gptbpe"  # suffix of the corpora that Table 4 uses for GPT-2; others have none
SURPRISALS = "target_surprisals_"  # the beginning of the reflexives' file names
ROW = ("pronoun", "row", "item", "counterbalance", "mismatch_position", "grammatical")
REFLEXIVE_LABELS = {
    "bert": "BERT", "trans": "TransXL", "jrnn": "JRNN", "grnn": "GRNN", "tiny": "TinyLSTM",
    "rnng": "RNNG", "5gram": "5-gram",
}  # fmt: skip


def group_means(outcomes: pl.DataFrame, by: Iterable[str]) -> pl.DataFrame:
    """Return a row for each group, in the order of first occurrence: the mean of every column of
    floats, the sum of every column of integers."""
    groups = outcomes.group_by(*by, maintain_order=True)
    return groups.agg(cs.float().mean(), cs.integer().sum())


def agreement(file: Path) -> pl.DataFrame:
    """Return accuracies from a table of Gulordava et al., by rater, kind and construction ("" is
    all of them)."""
    rows = pl.read_csv(file, separator="\t", quote_char=None, infer_schema_length=None)
    right, wrong = rows.gather_every(2), rows.gather_every(2, offset=1)  # they alternate
    frames = []
    raters = [name for name in rows.columns if name not in (*TAB_COLUMNS, "full_id")]
    for name in raters:
        right_score, wrong_score = right[name].cast(pl.Float64), wrong[name].cast(pl.Float64)
        is_people = RATERS.get(name) == "humans"
        frames.append(right.select(
            rater=pl.lit(RATERS.get(name, name)), kind=pl.col("type").replace(KIND_OF_TYPE),
            construction="pattern", n_items=1,
            accuracy=right_score / (right_score + wrong_score) if is_people
            else (right_score > wrong_score).cast(pl.Float64),
            n_ties=((right_score == wrong_score) & (not is_people)).cast(pl.Int64),
        ))  # fmt: skip
    outcomes = pl.concat(frames)
    for name in ("kind", "construction"):  # each row also counts for "", which is all
        outcomes = pl.concat([outcomes, outcomes.with_columns(pl.lit("").alias(name))])
    return group_means(outcomes, ("rater", "kind", "construction"))


def syntaxgym(folder: Path) -> pl.DataFrame:
    """Return SyntaxGym's mean accuracies, by `figure` of the paper: `suite` (model by suite),
    `circuit`, `modifier` (`without` and `with`, for suites in pairs), `corpus` and `score`."""
    # without the single runs of the n-gram model
    files = [file for file in sorted(folder.glob("*.csv*")) if "-single_" not in file.name]
    rows = pl.concat(
        pl.read_csv(file, columns=["model", "suite", "item", "correct"]) for file in files
    )
    parts_of_name = pl.col("model").str.extract_groups(GYM_MODEL).alias("parts")
    accuracy = pl.col("correct").cast(pl.Float64)
    rows = rows.with_columns(parts_of_name, accuracy=accuracy).unnest("parts")
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
    """Average the accuracies of models on suites for each figure: over suites, then over models."""
    pairs = modifier_of(suites["suite"].unique().sort())  # (suite without, suite with a modifier)
    modifiers = pl.DataFrame(
        {"name": ["without", "with"] * len(pairs), "suite": [*chain.from_iterable(pairs)]},
        schema={"name": pl.String, "suite": pl.String},
    )
    pooled = suites.with_columns(corpus=pl.lit(""), name=pl.lit(""))
    parts = {
        "suite": pooled.with_columns(name="suite"),
        "circuit": pooled.with_columns(
            name=pl.col("suite").map_elements(circuit, return_dtype=pl.String)
        ),
        "modifier": pooled.drop("name").join(modifiers, on="suite"),
        "corpus": suites.with_columns(name=pl.lit("")),
        "score": pooled,
    }
    for figure, part in parts.items():
        # `group_means` adds up integers: 1 for each model
        models = group_means(part, ("label", "corpus", "name", "model")).with_columns(n_models=1)
        yield group_means(models, ("label", "corpus", "name")).select(
            pl.lit(figure).alias("figure"), pl.col("label").alias("model"), "corpus", "name",
            "n_models", pl.col("n_items") // pl.col("n_models"), "accuracy",
        )  # fmt: skip


def perplexities(file: Path) -> pl.DataFrame:
    """Return SyntaxGym's Table 4: the mean test perplexity over seeds, by model and corpus."""
    plain = pl.col("corpus").str.strip_suffix(SUBWORDS)
    suffix = pl.when(model="gpt-2").then(pl.lit(SUBWORDS)).otherwise(pl.lit(""))
    rows = pl.read_csv(file).filter(
        plain.is_in(CORPORA), pl.col("corpus") == plain + suffix, pl.col("model").is_in(GYM_LABELS)
    )
    labels = pl.col("model").replace(GYM_LABELS)
    return group_means(rows.select(labels, plain, perplexity="test_ppl"), ("model", "corpus"))


def reflexives(folder: Path) -> pl.DataFrame:
    """Return the accuracies of Table 3 by experiment, items (`paper`: those behind the table;
    `all`), model and pronoun ("" is the mean of the pronouns)."""
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
    """Return each model's accuracy on each item, from surprisals averaged by condition."""
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
    above_baseline, above_distractor = (
        (pl.col(UNGRAMMATICAL) - pl.col(name) > TIE_BITS).cast(pl.Float64)
        for name in (BASELINE, DISTRACTOR)
    )
    is_tie = pl.max_horizontal(CONDITIONS) - pl.min_horizontal(CONDITIONS) <= TIE_BITS
    return means.select(
        "model", "pronoun", "item", n_items=1,
        accuracy=pl.when(is_tie).then(1 / 3).otherwise(above_baseline * above_distractor),
        over_baseline=above_baseline, over_distractor=above_distractor,
        n_ties=is_tie.cast(pl.Int64),
    )  # fmt: skip


def main() -> None:
    """Print the recomputed tables of all papers."""
    published = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared/published")
    tables = {
        "Hu et al. 2020, SyntaxGym": syntaxgym(published / "syntaxgym" / "sg_results"),
        "Table 4": perplexities(published / "syntaxgym" / "perplexity.csv"),
        "Hu, Chen & Levy 2020, Table 3": reflexives(published / "reflexives").filter(pronoun=""),
    }
    for file in sorted((published / "colorless" / "evaluation_output").glob("*/*.tab")):
        table = agreement(file).filter(construction="")
        tables[f"Gulordava et al. 2018, {file.parent.name}, {file.name}"] = table
    for title, table in tables.items():
        print(f"{title}\n{table.write_csv(separator=TAB)}")


if __name__ == "__main__":
    main()
