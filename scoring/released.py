"""Figures of papers, counted again from the results that their authors released item by item.

An outcome has floats (the credit of an item) and whole numbers (how many items, how many ties).
`group_means` is the one counter: by group, floats are averaged and whole numbers added, so that
what it returns can be counted again (a mean over items, then over suites). What differs from paper
to paper is which columns there are, what earns credit, and what is grouped:

- Gulordava et al. 2018, `.tab` with results (as the authors' `results.py`): two
  rows a sentence and a column for each rater. A model is right where the right form has strictly
  more; people have the share that chose the right form.
- Hu et al. 2020, SyntaxGym: accuracy of a suite by model `name_corpus_seed`,
  then means over models and suites. The runs of an n-gram model vote first: they differ in what
  they drew at ties, and an item is right if more than half of them have it right.
- Hu, Chen & Levy 2020, reflexives: surprisals are averaged by item and
  condition; an item is right where the ungrammatical condition is above both others; where all
  three are equal it counts 1/3, the expectation of the authors' random draw. A cell of Table 3 is
  the mean over pronouns. The authors take the distractor by its label and the ungrammatical
  condition by `grammatical`, which is wrong in a third of the rows of `themselves` in experiment
  1a, so that a distractor counts as both; so does this, for so the paper's figures came about.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import polars as pl
import polars.selectors as cs

from colorless_green.data.errors import ErrorKind, InputError
from colorless_green.data.result import Result
from colorless_green.nonce.circuits import circuit, modifier_of
from colorless_green.nonce.formats.detect import detect_format, detect_results
from colorless_green.nonce.formats.records import table
from colorless_green.nonce.formats.reflexives import CONDITIONS, EXPERIMENTS, LABELS, is_papers
from colorless_green.nonce.formats.tab import KIND_OF_TYPE, TAB_COLUMNS
from colorless_green.nonce.intervals import cluster_interval
from colorless_green.nonce.prediction import TIE_BITS

BASELINE, DISTRACTOR, UNGRAMMATICAL = CONDITIONS
ENDINGS = (".csv", ".tab")
PLACE = "file:line"  # the column with each row's place
FREQUENCY, PEOPLE = "freq", "mturk_count"
GYM_LABELS = {  # a star: off the shelf, as in the paper's figures
    "gpt-2": "GPT-2", "gpt-2-pretrained": "GPT-2*", "gpt-2-xl-pretrained": "GPT-2-XL*",
    "grnn": "GRNN*", "jrnn": "JRNN*", "ngram": "n-gram", "ordered-neurons": "ON-LSTM",
    "rnng": "RNNG", "transformer-xl": "Transformer-XL*", "vanilla": "LSTM",
}  # fmt: skip
GYM_MODEL = r"^(?<name>.+)_(?<corpus>[^_]*)_[^_]+$"
FIGURES = ("suite", "circuit", "modifier", "corpus", "score")
VOTING = "ngram"  # the models whose runs are one model together
DROPPED = r"^(?:fgd-embed[34]|gardenpath|nn-nv)"  # suites that the authors' analysis drops
CORPORA = ("bllip-xs", "bllip-sm", "bllip-md", "bllip-lg")
SUBWORDS = "-gptbpe"  # Table 4 has GPT-2 on the corpora so called, all others on the plain ones
SURPRISALS = "target_surprisals_"  # how the names of the reflexives' files begin
REFLEXIVE = ("pronoun", "row", "item", "counterbalance", "mismatch_position", "grammatical")
REFLEXIVE_LABELS = {
    "bert": "BERT", "trans": "TransXL", "jrnn": "JRNN", "grnn": "GRNN", "tiny": "TinyLSTM",
    "rnng": "RNNG", "5gram": "5-gram",
}  # fmt: skip
REFLEXIVE_COLUMNS = (
    "experiment", "row", "items", "model", "pronoun", "n_items", "accuracy", "over_baseline",
    "over_distractor", "n_ties", "low", "high",
)  # fmt: skip
AUTHORS = {  # the reflexives' own accuracies: our column → theirs
    "accuracy": "total_acc", "over_baseline": "vs_baseline_acc",
    "over_distractor": "vs_distractor_acc",
}  # fmt: skip


def recomputed(path: Path) -> Result:
    """Counts the figures of a paper again, from the results that its authors released.

    Args:
        path: a file, or a folder: all files of the first kind in it and in the folders in it, by
            name; files of another kind are named in a message.

    Returns:
        One row per figure, in the columns of its paper's tables.

    Raises:
        InputError: there are no such results, or one of them is broken (with its line).
    """
    files = [path]
    if path.is_dir():
        files = [
            file
            for file in (*sorted(path.glob("*")), *sorted(path.glob("*/*")))
            if file.name.removesuffix(".gz").endswith(ENDINGS) and file.is_file()
        ]
    kinds = {file: kind_of(file) for file in files}
    kind = next(filter(None, kinds.values()), "")
    if not kind:
        right = "a file or folder of released results, as SyntaxGym's sg_results"
        raise InputError(str(path), "no released results in it", right, kind="empty")
    result = KINDS[kind]([file for file, its_kind in kinds.items() if its_kind == kind])
    others = [file.name for file, its_kind in kinds.items() if its_kind != kind]
    notes = (f"not {kind}, passed over: {', '.join(others)}",) if others else ()
    return Result(result.rows, result.columns, (*result.messages, *notes))


def kind_of(file: Path) -> str:
    """Tells what results a file has, by its columns.

    Args:
        file: the file.

    Returns:
        `syntaxgym_results`, `syntaxgym_perplexity`, `reflexive_surprisals`, `reflexive_accuracies`
        or `tab`; "" for none of them.

    >>> _ = Path("words.csv").write_text("word,count\\nkeys,3\\n")
    >>> kind_of(Path("words.csv"))
    ''
    """
    kind = detect_results(file)
    if kind:
        return kind
    return "tab" if detect_format(file) == "tab" and _raters(file) else ""


def group_means(outcomes: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row for each group, in the order in which groups are met: the mean of every float, the
    sum of every whole number."""
    groups = outcomes.group_by(by, maintain_order=True)
    return groups.agg(cs.float().mean(), cs.integer().sum())


def _in_order(name: str, values: pl.Series) -> pl.Expr:
    """A column to sort by: in the order in which it has `values`."""
    return pl.col(name).cast(pl.Enum(values.unique(maintain_order=True)))


def _read(file: Path, delimiter: str, needed: Sequence[str]) -> pl.DataFrame:
    """Every cell as text, and where its row stands."""
    rows = [{PLACE: place, **row} for place, row in table(file, delimiter, needed)]
    if not rows:
        raise InputError(str(file), "no result in it", "a row for each item", kind="empty")
    return pl.DataFrame(rows)


def _demand(
    rows: pl.DataFrame, name: str, valid: pl.Expr, right: str, kind: ErrorKind = "format"
) -> None:
    """Raises `InputError` at the first row whose cell in column `name` is not valid."""
    wrong = rows.filter(~valid.fill_null(False))
    if wrong.height:
        place, cell = wrong.select(PLACE, name).row(0)
        raise InputError(place, f"{name} is {cell!r:.20}", right, kind=kind)


def _numbers(
    rows: pl.DataFrame, names: Sequence[str], is_valid: Callable[[pl.Expr], pl.Expr], right: str
) -> pl.DataFrame:
    """The rows with numbers in columns `names`."""
    for name in names:
        number = pl.col(name).str.strip_chars().cast(pl.Float64, strict=False)
        _demand(rows, name, is_valid(number), right)
        rows = rows.with_columns(number)
    return rows


def _whole(rows: pl.DataFrame, name: str) -> pl.DataFrame:
    _demand(rows, name, pl.col(name).str.contains("^[0-9]{1,9}$"), "a whole number")
    return rows.with_columns(pl.col(name).cast(pl.Int64))


def _raters(file: Path) -> tuple[str, ...]:
    """The columns with results; none where there is the frequency alone, which every set has."""
    _, row = next(table(file, "\t", TAB_COLUMNS), ("", {}))
    raters = tuple(name for name in row if name not in (*TAB_COLUMNS, "full_id"))
    return raters if set(raters) - {FREQUENCY} else ()


def _agreement(files: Sequence[Path]) -> Result:
    """Rows by file, rater, kind and construction; an empty kind or construction is all of them."""
    apart = len({file.parent for file in files}) > 1
    frames = []
    for file in files:
        names = _raters(file)
        rows = _read(file, "\t", TAB_COLUMNS)
        if rows.height % 2:
            right = "two rows for each sentence"
            raise InputError(str(file), f"{rows.height} rows", right, kind="format")
        classes = pl.Series("class", ["correct", "wrong"] * (rows.height // 2))
        _demand(rows, "class", pl.col("class") == classes, "a correct and a wrong row a sentence")
        rows = _numbers(rows, names, pl.Expr.is_not_nan, "a number")
        if PEOPLE in names:
            both = pl.col(PEOPLE) + pl.col(PEOPLE).shift(-1)
            valid = (pl.int_range(pl.len()) % 2 == 1) | (both > 0)
            _demand(rows, PEOPLE, (pl.col(PEOPLE) >= 0) & valid, "numbers of people")
        one, other = rows.gather_every(2), rows.gather_every(2, 1)
        for name in names:
            correct, rival = one[name], other[name]
            credit, n_ties = (correct > rival).cast(pl.Float64), (correct == rival).cast(pl.Int64)
            if name == PEOPLE:
                credit, n_ties = correct / (correct + rival), n_ties * 0
            frames.append(one.select(
                file=pl.lit(f"{file.parent.name}/{file.name}" if apart else file.name),
                rater=pl.lit({FREQUENCY: "unigram", PEOPLE: "humans"}.get(name, name)),
                kind=pl.col("type").replace(KIND_OF_TYPE),
                construction="pattern", n_items=1, accuracy=credit, n_ties=n_ties,
            ))  # fmt: skip
    by = ("file", "rater", "kind", "construction")
    everything = pl.concat(frames)
    for name in ("kind", "construction"):
        everything = pl.concat([everything, everything.with_columns(pl.lit("").alias(name))])
    order = (_in_order(name, everything[name]) for name in by[:2])
    rows = group_means(everything, by).sort(*order, "kind", "construction")
    return Result(rows.to_dicts(), (*by, "n_items", "accuracy", "n_ties"))


def _gym(files: Sequence[Path]) -> Result:
    """Rows by `figure`: `suite` (model by suite), `circuit`, `modifier` (`without` and `with`, of
    the pairs of suites that are there), `corpus` (SG score by training corpus) and `score`.

    A file with fewer runs of an n-gram model than another (`ngram-single`) is left out: a single
    run, released beside the fifty, is no vote.
    """
    read = []
    for file in files:
        rows = _whole(_read(file, ",", ("model", "suite", "item", "correct")), "item")
        _demand(rows, "correct", pl.col("correct").is_in(["True", "False"]), "True or False")
        once = pl.struct("model", "suite", "item").is_first_distinct()
        _demand(rows, "item", once, "each outcome once", kind="conflict")
        _demand(rows, "model", pl.col("model").str.contains(GYM_MODEL), "a_b_0, say")
        parts = pl.col("model").str.extract_groups(GYM_MODEL).alias("parts")
        credit = (pl.col("correct") == "True").cast(pl.Float64)
        read.append(rows.with_columns(parts, file=pl.lit(str(file)), accuracy=credit))
    rows = pl.concat(read).unnest("parts")
    runs = rows.filter(name=VOTING).group_by("file", "corpus").agg(n=pl.col("model").n_unique())
    fewer = runs.filter(pl.col("n") < pl.col("n").max().over("corpus"))["file"].unique().to_list()
    rows = rows.filter(~pl.col("file").is_in(fewer))
    homes = rows.select("file", "model").unique(maintain_order=True)
    twice = homes.filter(~pl.col("model").is_first_distinct())
    if twice.height:
        file, model = twice.row(0)
        wrong = f"the model {model!r} is in another file too"
        raise InputError(file, wrong, "each model once", kind="conflict")
    place = str(files[0])
    # The runs of an n-gram model on a corpus are one model.
    runs = rows.filter(name=VOTING)
    votes = runs.group_by("name", "corpus", "suite", "item", maintain_order=True).agg(
        model=pl.concat_str("name", "corpus", separator="_").first(),
        accuracy=(pl.col("accuracy").mean() > 0.5).cast(pl.Float64),
        n=pl.len(),
    )
    n_runs = runs.group_by("corpus").agg(n_runs=pl.col("model").n_unique())
    if votes.join(n_runs, on="corpus").filter(pl.col("n") != pl.col("n_runs")).height:
        wrong, right = "n-gram runs of different items", "runs on the same suites"
        raise InputError(place, wrong, right, kind="conflict")
    models = pl.concat([rows.filter(pl.col("name") != VOTING), votes], how="diagonal").select(
        "corpus", "model", "suite", "accuracy", label=pl.col("name").replace(GYM_LABELS), n_items=1
    )
    suites = group_means(models, ("label", "corpus", "model", "suite"))
    n_suites = suites.group_by("model", maintain_order=True).len()
    odd = n_suites.filter(pl.col("len") < suites["suite"].n_unique())
    if odd.height:
        wrong = f"{odd['model'][0]} has other suites than others"
        raise InputError(place, wrong, "results on the same suites", kind="conflict")
    kept = suites.filter(~pl.col("suite").str.contains(DROPPED))
    if not kept.height:
        raise InputError(place, "no suite that the analysis keeps", "other suites", kind="empty")
    n_all, n_kept = suites["suite"].n_unique(), kept["suite"].n_unique()
    note = f"{n_kept} suites, {n_all - n_kept} of which the analysis drops left out"
    left_out = ", ".join(file.name for file in files if str(file) in fewer)
    messages = (f"left out for files with more runs: {left_out}",) if left_out else ()
    order = (_in_order("model", models["label"]), _in_order("figure", pl.Series(FIGURES)), "name")
    figures = pl.concat(_figures(kept)).sort(*order, maintain_order=True)
    return Result(figures.to_dicts(), figures.columns, (*messages, note))


def _figures(suites: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The figures' rows, from the accuracies of models by suite."""
    pairs = modifier_of(suites["suite"].unique().sort())
    sides = pl.DataFrame(
        {"name": ["without", "with"] * len(pairs), "suite": [*chain.from_iterable(pairs)]},
        schema={"name": pl.String, "suite": pl.String},
    )
    circuits = pl.col("suite").map_elements(circuit, return_dtype=pl.String)
    pooled = suites.with_columns(corpus=pl.lit(""), name=pl.lit(""))
    parts = (
        pooled.with_columns(name="suite"),
        pooled.with_columns(name=circuits),
        pooled.drop("name").join(sides, on="suite"),
        suites.with_columns(name=pl.lit("")),
        pooled,
    )
    by = ("label", "corpus", "name")
    for figure, part in zip(FIGURES, parts, strict=True):
        models = group_means(part, (*by, "model")).with_columns(n_models=1)
        yield group_means(models, by).select(
            pl.lit(figure).alias("figure"), pl.col("label").alias("model"), "corpus", "name",
            "n_models", pl.col("n_items") // pl.col("n_models"),  # every model has the same items
            "accuracy",
        )  # fmt: skip


def _perplexities(files: Sequence[Path]) -> Result:
    """SyntaxGym's Table 4: mean test perplexity over seeds, by model and corpus, of GPT-2 on
    corpora cut into its own subwords, of all others on the plain ones."""
    read = pl.concat(_read(file, ",", ("model", "corpus", "seed", "test_ppl")) for file in files)
    suffix = pl.when(model="gpt-2").then(pl.lit(SUBWORDS)).otherwise(pl.lit(""))
    plain = pl.col("corpus").str.strip_suffix(SUBWORDS)
    in_table = plain.is_in(CORPORA) & (pl.col("corpus") == plain + suffix)
    rows = read.filter(in_table & pl.col("model").is_in(GYM_LABELS.keys()))
    right = "a perplexity, 1 or more"
    rows = _numbers(rows, ["test_ppl"], lambda ppl: ppl.is_finite() & (ppl >= 1), right)
    label = pl.col("model").replace(GYM_LABELS)
    seeds = rows.select(label, plain, n_models=1, perplexity="test_ppl")
    means = group_means(seeds, ("model", "corpus"))
    note = f"{read.height - rows.height} rows are not in the paper's table"
    return Result(means.to_dicts(), ("model", "corpus", "n_models", "perplexity"), (note,))


def _reflexives(files: Sequence[Path]) -> Result:
    """Rows by experiment, items (`paper`: those behind Table 3; `all`), model and pronoun; an empty
    pronoun is the mean of the pronouns, with its interval over items."""
    by, results = ("pronoun",), []
    for file in files:
        name = file.name.removesuffix(".gz").removesuffix(".csv").removeprefix(SURPRISALS)
        if name not in EXPERIMENTS:
            wrong = f"its name does not tell the experiment ({name!r:.40})"
            raise InputError(str(file), wrong, f"{SURPRISALS}exp2-rc.csv, say", kind="format")
        items = _reflexive_items(file)
        in_paper = [is_papers(name, *key) for key in items.select("pronoun", "item").iter_rows()]
        about = {"experiment": name, "row": EXPERIMENTS[name].row}
        for (model,), of_model in items.with_columns(paper=pl.Series(in_paper)).group_by(
            "model", maintain_order=True
        ):
            label = REFLEXIVE_LABELS.get(str(model), model)
            for which, chosen in (("paper", of_model.filter("paper")), ("all", of_model)):
                head = {**about, "items": which, "model": label}
                pronouns = group_means(chosen.drop("item"), by)
                (mean,) = group_means(pronouns.with_columns(pronoun=pl.lit("")), by).to_dicts()
                keys = [f"{p} {n}" for p, n in chosen.select("pronoun", "item").iter_rows()]
                interval = cluster_interval(chosen["accuracy"].to_list(), keys)
                limits = {"low": interval.low, "high": interval.high} if interval else {}
                results += [{**head, **row} for row in (*pronouns.to_dicts(), {**mean, **limits})]
    return Result(results, REFLEXIVE_COLUMNS)


def _reflexive_items(file: Path) -> pl.DataFrame:
    """Outcomes by model, pronoun and item."""
    rows = _whole(_read(file, ",", REFLEXIVE), "item")
    models = [name for name in rows.columns if name not in (PLACE, *REFLEXIVE)]
    if not models:
        wrong, right = "no surprisal in it", "a column for each model"
        raise InputError(str(file), wrong, right, kind="empty")
    label, labels = pl.col("mismatch_position"), ", ".join(LABELS)
    _demand(rows, "mismatch_position", label.is_in(LABELS.keys()), f"one of {labels}", "unknown")
    rows = _numbers(rows, models, pl.Expr.is_finite, "a surprisal")
    rows = rows.with_columns(condition=label.replace(LABELS))
    rows = pl.concat([
        rows.filter(pl.col("condition") != UNGRAMMATICAL),
        rows.filter(grammatical="0").with_columns(condition=pl.lit(UNGRAMMATICAL)),
    ])  # fmt: skip
    bits = rows.unpivot(
        models, index=[PLACE, "pronoun", "item", "condition"], variable_name="model"
    )
    means = bits.group_by("model", "pronoun", "item", maintain_order=True).agg(
        pl.col(PLACE).first(),
        *(pl.col("value").filter(condition=name).mean().alias(name) for name in CONDITIONS),
    )
    complete = pl.all_horizontal(pl.col(CONDITIONS).is_not_null())
    _demand(means, "item", complete, f"{', '.join(CONDITIONS)} of each item", "missing")
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


def _authors_accuracies(files: Sequence[Path]) -> Result:
    """The reflexives' own accuracies (`accuracy/*.csv`, all items), by pronoun and their mean. Ties
    of the 5-gram model were drawn at random there."""
    results = []
    titles = {name: experiment.row for name, experiment in EXPERIMENTS.items()}
    for file in files:
        rows = _read(file, ",", ("exp", "model", "pronoun", *AUTHORS.values()))
        shares = _numbers(rows, list(AUTHORS.values()), pl.Expr.is_finite, "a share").select(
            pl.col("model").replace(REFLEXIVE_LABELS),
            "pronoun",
            experiment="exp",
            row=pl.col("exp").replace_strict(titles, default=""),
            items=pl.lit("all"),
            **{column: pl.col(published) for column, published in AUTHORS.items()},
        )
        means = group_means(shares, ("experiment", "row", "items", "model"))
        results += [*shares.to_dicts(), *means.with_columns(pronoun=pl.lit("")).to_dicts()]
    return Result(results, REFLEXIVE_COLUMNS)


KINDS: Mapping[str, Callable[[Sequence[Path]], Result]] = {
    "syntaxgym_results": _gym,
    "syntaxgym_perplexity": _perplexities,
    "reflexive_surprisals": _reflexives,
    "reflexive_accuracies": _authors_accuracies,
    "tab": _agreement,
}
"""What a file is (told by its columns), and what is computed of one or several of its kind."""
