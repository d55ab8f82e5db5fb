"""Survey many treebanks: for each treebank and feature, the constructions that a rule accepts, the
number of originals, and whether wrong forms come from the treebank or from UniMorph."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from ..data import schema
from ..data.configuration import configured
from ..data.executor import executor
from ..data.progress import Progress, silent
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.tables import Row, demand_ending, frame, write_table
from .originals.wordlist import word_list_of
from .originals.wrong_form import UNIMORPH
from .rule import Rule
from .search.instances import OF_FEATURE
from .treebank.treebank import Treebank, named_word_lists, treebanks_in
from .treebank_mining import MinedTreebank, mine_treebank
from .verdict.construction import Construction

SHOWN_COLUMNS = (
    "language", "treebank", "feature", "verdict", "n_instances", "n_tested", "n_accepted",
    "n_originals", "n_unimorph", "constructions",
)  # fmt: skip
MAX_NAMED_CONSTRUCTIONS = 5  # in a row of the table
ACCEPTED = "accepted"
UNDECIDED = "undecided"  # a high agreement rate, but too few instances to be sure
BELOW_FLOOR = "below floor"  # more agreement than by chance, but too low a rate
NO_AGREEMENT = "no agreement"  # no more than by chance
TOO_FEW = "too few"  # no construction has enough instances to be tested
NOT_ANNOTATED = "not annotated"  # no word carries the feature


def languages(
    folder: str | Path,
    *,
    rule: Rule | str | Path | None = None,
    feature: Names = None,
    unimorph: Names = None,
    skip_bad: bool = False,
    workers: int | None = None,
    ray: str = "",
    out: str | Path | None = None,
    progress: Progress = silent,
) -> Result:
    """Survey many treebanks: constructions, originals and forms found in each.

    Args:
        folder: folder with one folder per treebank
        rule: tested, strict or released, or a TOML file [default: tested]
        feature: feature that agrees; repeat for several [default: Number]
        unimorph: LANGUAGE=FILE: a UniMorph list for forms missing from a treebank
        skip_bad: skip malformed sentences
        workers: number of worker processes [default: 1; with --ray, the whole cluster]
        ray: run on a Ray cluster: auto, HOST:PORT, ray://HOST:10001 or local
        out: file for the table (.tsv, .csv, .jsonl or .parquet)
        progress: called with (task, done, total) as the work proceeds

    Returns:
        A row for each treebank and feature, by language and name; its verdict is `accepted`,
        `undecided`, `below floor`, `no agreement`, `too few` or `not annotated`.

    Raises:
        InputError: where there is no treebank, or one is broken.

    Commands:
        colorless languages ud-treebanks-v2.16 --workers 4 --out languages.csv
        colorless languages ud-treebanks-v2.16 --feature Gender --feature Person

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> from colorless_green.data import sample
    >>> folder = Path(str(sample.treebank("en"))).parent
    >>> cg.languages(folder).to_frame().select("language", "verdict").rows()
    [('en', 'accepted'), ('it', 'accepted')]
    """
    settings = configured(Rule, rule)
    if out is not None:
        demand_ending(Path(out), "out")
    features = listed(feature) or ("Number",)
    job = partial(rows_of, settings, features, named_word_lists(listed(unimorph)), skip_bad)
    rows: list[Row] = []
    with executor(workers, ray) as workforce:
        sources = sorted(treebanks_in(Path(folder)), key=lambda bank: (bank.language, bank.name))
        for n_done, treebank_rows in enumerate(workforce.map(job, sources), start=1):
            rows += treebank_rows
            progress("treebanks", n_done, len(sources))
    if out is not None:
        write_table(Path(out), frame(rows, schema.LANGUAGES))
    verdicts = [str(row["verdict"]) for row in rows]
    tally = ", ".join(f"{name} {verdicts.count(name)}" for name in sorted(set(verdicts)))
    message = f"{folder}: rule {settings.label} ({settings.digest}); {tally}"
    return Result(rows, SHOWN_COLUMNS, [message], found=ACCEPTED in verdicts)


def rows_of(
    rule: Rule,
    features: Sequence[str],
    unimorph: Mapping[str, Path],
    skip_bad: bool,
    source: Treebank,
) -> list[Row]:
    """Mine one treebank and return a row of the table for each feature.

    The row of a feature includes constructions that pair it with another layer of the same feature
    (`Number~Number[abs]`). `unimorph` maps languages to the files of UniMorph lists.
    """
    language, _, _ = source.language.partition("-")  # without the region of `pt-BR`
    words = word_list_of(unimorph.get(language), source.language)
    on_bad = (lambda fault: None) if skip_bad else None  # bad sentences are not reported here
    mining = mine_treebank(source, rule, features=features, unimorph=words, on_bad=on_bad)
    has_list = words is not None
    return [_row(mining, feature, has_list) for feature in mining.search.features]


def _row(mining: MinedTreebank, feature: str, has_unimorph_list: bool) -> Row:
    """Return the row of a treebank and a feature, in the columns of `schema.LANGUAGES`.

    Constructions of the feature and another layer of it, `Number~Number[abs]`, count as its own.
    """
    stages, makes_test = mining.stages, mining.thresholds is not None
    constructions = [x for x in mining.constructions if x.feature.partition("~")[0] == feature]
    originals = [x for x in mining.agreements if x.feature.partition("~")[0] == feature]
    accepted = [construction for construction in constructions if construction.accepted]
    n_unimorph = sum(UNIMORPH in original.flags for original in originals)
    n_tested = sum(construction.evidence is not None for construction in constructions)
    n_undecided = sum(construction.undecided for construction in constructions)
    return {
        "language": mining.treebank.language,
        "treebank": mining.treebank.name,
        "feature": feature,
        "verdict": _verdict(mining, constructions, stages.annotated[feature]),
        "n_sentences": stages.n_sentences,
        "n_words": stages.n_words,
        "n_annotated": stages.annotated[feature],
        "n_instances": sum(construction.n for construction in _distinct(constructions)),
        "n_tested": n_tested if makes_test else None,
        "n_accepted": len(accepted),
        "n_undecided": n_undecided if makes_test else None,
        "n_agree": sum(construction.n_agree for construction in _distinct(accepted)),
        "n_originals": len(originals),
        "n_treebank": len(originals) - n_unimorph,
        "n_unimorph": n_unimorph if has_unimorph_list else None,
        "constructions": _summary(accepted),
        "licence": mining.treebank.licence,
    }


def _verdict(mining: MinedTreebank, constructions: Sequence[Construction], n_annotated: int) -> str:
    """Sum up the verdicts on a feature's constructions as one verdict on the feature.

    `n_annotated` is the number of words that carry the feature. Of a construction, `p` is the
    p-value of its test, and `q` the same corrected for the number of tests.
    """
    if any(construction.accepted for construction in constructions):
        return ACCEPTED
    if n_annotated == 0:
        return NOT_ANNOTATED
    if mining.thresholds is None:  # the rule makes no test
        return NO_AGREEMENT
    tested = [construction for construction in constructions if construction.p is not None]
    if not tested:
        return TOO_FEW
    if any(construction.undecided for construction in tested):
        return UNDECIDED
    alpha = mining.thresholds.alpha
    is_above_chance = any(x.q is not None and x.q <= alpha for x in tested)
    return BELOW_FLOOR if is_above_chance else NO_AGREEMENT


def _summary(accepted: Sequence[Construction]) -> str:
    """Name the most frequent accepted constructions, each with (agreeing instances)/(instances).

    Names lose the feature at their end (from `OF_FEATURE`), which has its own column.
    """
    ordered = sorted(accepted, key=lambda construction: -construction.n)
    entries = [
        f"{construction.name.partition(OF_FEATURE)[0]} {construction.n_agree}/{construction.n}"
        for construction in ordered[:MAX_NAMED_CONSTRUCTIONS]
    ]
    n_more = len(ordered) - len(entries)
    return "; ".join([*entries, f"{n_more} more"] if n_more else entries)


def _distinct(constructions: Iterable[Construction]) -> Iterable[Construction]:
    """Drop repeated constructions: the rule `released` lists one once for each pair of values, each
    time with the same numbers of instances."""
    return {(x.feature, x.name): x for x in constructions}.values()
