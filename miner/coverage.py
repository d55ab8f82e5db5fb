"""What many treebanks offer: per treebank and feature the constructions a rule accepts, how many
originals they give, and where the other form of the target was found."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from ..data import schema
from ..data.executor import executor
from ..data.progress import Progress, silent
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.tables import Row, demand_ending, frame, write_table
from .originals.unimorph.wordlist import read_unimorph
from .originals.wrong_form import UNIMORPH
from .search.instances import OF_FEATURE
from .shards import MapFunction
from .treebank.treebank import Treebank, named_word_lists, treebanks_in
from .treebank_mining import MinedTreebank, MineRequest, mine_treebank
from .verdict.construction import Construction

COLUMNS = schema.LANGUAGES
SHOWN_COLUMNS = (
    "language", "treebank", "feature", "verdict", "n_instances", "n_tested", "n_accepted",
    "n_originals", "n_unimorph", "constructions",
)  # fmt: skip
SHOWN = 5  # constructions named in a row
ACCEPTED = "accepted"
UNDECIDED = "undecided"  # agreement as far as it goes, in too few instances to be sure
BELOW_FLOOR = "below floor"  # more agreement than by chance, but in too few of the instances
NO_AGREEMENT = "no agreement"  # no more than by chance
TOO_FEW = "too few"  # instances of any construction
NOT_ANNOTATED = "not annotated"  # no word carries the feature


def languages(
    folder: str | Path,
    *,
    rule: str = "tested",
    feature: Names = None,
    min_gap: int | None = None,
    max_gap: int | None = None,
    min_n: int | None = None,
    floor: float | None = None,
    unimorph: Names = None,
    skip_bad: bool = False,
    renumber: bool = False,
    csv: str | Path | None = None,
    workers: int | None = None,
    ray: str = "",
    progress: Progress = silent,
) -> Result:
    """Surveys many treebanks: constructions, originals and forms found in each.

    Args:
        folder: a folder of treebanks, each a folder of its own.
        rule, feature, min_gap, max_gap, min_n, floor: as of `mine`.
        unimorph: `LANGUAGE=FILE` of UniMorph lists, for forms missing from a treebank.
        skip_bad: leave out bad sentences.
        renumber: sentence ids may come twice: each gets its line, as `mine` has it.
        csv: a file for the table.
        workers, ray: processes, or a Ray cluster, that share the treebanks.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        A row for each treebank and feature, by language and name; its verdict is `accepted`,
        `undecided`, `below floor`, `no agreement`, `too few` or `not annotated`.

    Raises:
        InputError: where there is no treebank, or one is broken.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> from colorless_green.data import sample
    >>> folder = Path(str(sample.treebank("en"))).parent
    >>> cg.languages(folder).to_frame().select("language", "verdict").rows()
    [('en', 'accepted'), ('it', 'accepted')]
    """
    if csv is not None:
        demand_ending(Path(csv), "--csv")
    request = MineRequest(
        rule=rule, features=listed(feature) or ("Number",), min_gap=min_gap, max_gap=max_gap,
        min_n=min_n, floor=floor, renumber=renumber,
    )  # fmt: skip
    with executor(workers, ray) as workforce:
        rows = list(
            coverage(
                Path(folder),
                request,
                unimorph=named_word_lists(listed(unimorph)),
                skip_bad=skip_bad,
                run=workforce.map,
                progress=progress,
            )
        )
    if csv is not None:
        write_table(Path(csv), frame(rows, schema.LANGUAGES))
    verdicts = [str(row["verdict"]) for row in rows]
    tally = ", ".join(f"{name} {verdicts.count(name)}" for name in dict.fromkeys(sorted(verdicts)))
    return Result(rows, SHOWN_COLUMNS, [f"{folder}: {tally}"], found=ACCEPTED in verdicts)


def coverage(
    folder: Path,
    request: MineRequest,
    *,
    unimorph: Mapping[str, Path],
    skip_bad: bool = False,
    run: MapFunction = map,
    progress: Progress = silent,
) -> Iterator[Row]:
    """Mines every treebank of a folder and tells what each offers, as `languages` shows it.

    Args:
        folder: a folder of treebanks, each a folder of its own.
        request: how to mine them.
        unimorph: language code → UniMorph word list, for forms missing from a treebank.
        skip_bad: leave out sentences that cannot be read.
        run: `map`, or what does the same on several workers, in the same order.
        progress: called with (task, done, total) as the work proceeds.

    Yields:
        One row per treebank and feature of the request, by language and name.

    Raises:
        InputError: there is no treebank, or one is broken.

    >>> from colorless_green.data import sample
    >>> folder = Path(str(sample.treebank("en"))).parent
    >>> rows = coverage(folder, MineRequest("strict"), unimorph={})
    >>> [(row["language"], row["verdict"], row["n_originals"]) for row in rows]
    [('en', 'accepted', 184), ('it', 'accepted', 236)]
    """
    sources = sorted(treebanks_in(folder), key=lambda treebank: (treebank.language, treebank.name))
    job = partial(rows_of, request, unimorph, skip_bad)
    for n_done, rows in enumerate(run(job, sources), start=1):
        yield from rows
        progress("treebanks", n_done, len(sources))


def rows_of(
    request: MineRequest, unimorph: Mapping[str, Path], skip_bad: bool, source: Treebank
) -> list[Row]:
    """The rows of one treebank: what it offers of each feature, or of one paired with another layer
    of it."""
    path = unimorph.get(source.language.partition("-")[0])
    words = read_unimorph(path, language=source.language) if path else None
    on_bad = (lambda fault: None) if skip_bad else None
    mining = mine_treebank(source, request, unimorph=words, on_bad=on_bad)
    return [_row(mining, feature, words is not None) for feature in mining.search.features]


def _row(mining: MinedTreebank, feature: str, with_unimorph: bool) -> Row:
    stages = mining.stages
    constructions = [
        construction
        for construction in mining.constructions
        if construction.feature.partition("~")[0] == feature
    ]
    accepted = [construction for construction in constructions if construction.accepted]
    tested = [construction for construction in constructions if construction.p is not None]
    originals = [
        original for original in mining.originals if original.feature.partition("~")[0] == feature
    ]
    n_unimorph = sum(UNIMORPH in original.flags for original in originals)
    ordered = sorted(accepted, key=lambda construction: -construction.n)
    summaries = [
        f"{construction.name.partition(OF_FEATURE)[0]} {construction.n_agree}/{construction.n}"
        for construction in ordered[:SHOWN]
    ]
    if len(ordered) > SHOWN:
        summaries.append(f"{len(ordered) - SHOWN} more")
    if accepted:
        verdict = ACCEPTED
    elif stages.annotated[feature] == 0:
        verdict = NOT_ANNOTATED
    elif mining.thresholds is None:
        verdict = NO_AGREEMENT
    elif not tested:
        verdict = TOO_FEW
    elif any(construction.undecided for construction in tested):
        verdict = UNDECIDED
    elif any(
        construction.q is not None and construction.q <= mining.thresholds.alpha
        for construction in tested
    ):
        verdict = BELOW_FLOOR
    else:
        verdict = NO_AGREEMENT
    return {
        "language": mining.treebank.language,
        "treebank": mining.treebank.name,
        "feature": feature,
        "verdict": verdict,
        "n_sentences": stages.n_sentences,
        "n_words": stages.n_words,
        "n_annotated": stages.annotated[feature],
        "n_instances": sum(construction.n for construction in _distinct(constructions)),
        "n_tested": len(tested) if mining.thresholds else None,
        "n_accepted": len(accepted),
        "n_undecided": sum(construction.undecided for construction in constructions)
        if mining.thresholds
        else None,
        "n_agree": sum(construction.n_agree for construction in _distinct(accepted)),
        "n_originals": len(originals),
        "n_treebank": len(originals) - n_unimorph,
        "n_unimorph": n_unimorph if with_unimorph else None,
        "constructions": "; ".join(summaries),
        "licence": mining.treebank.licence,
    }


def _distinct(constructions: Iterable[Construction]) -> Iterable[Construction]:
    """Constructions by name: the rule `released` judges one name once for each pair of values."""
    return {
        (construction.feature, construction.name): construction for construction in constructions
    }.values()
