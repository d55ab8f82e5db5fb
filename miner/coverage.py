"""What many treebanks offer: per treebank and feature the constructions a rule accepts, how many
originals they give, and where the other form of the target was found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data import schema
from colorless_green.data.executor import executor
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import Names, listed
from colorless_green.data.result import Result
from colorless_green.data.tables import Row, demand_ending, frame, write_table
from colorless_green.miner.construction import Construction
from colorless_green.miner.instances import OF_FEATURE
from colorless_green.miner.mine import MinedTreebank, Request, mine
from colorless_green.miner.partner import UNIMORPH
from colorless_green.miner.shards import Run
from colorless_green.miner.treebank import Treebank, named_word_lists, treebanks_in
from colorless_green.miner.unimorph.wordlist import read_unimorph

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


@dataclass(frozen=True, slots=True)
class Task:
    """One treebank to be looked at."""

    source: Treebank
    request: Request
    unimorph: Path | None
    skip_bad: bool


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
    """Tells what each of many treebanks offers: constructions, originals, other forms.

    Args:
        folder: a folder of treebanks, each a folder of its own.
        rule, feature, min_gap, max_gap, min_n, floor: as of `mine`.
        unimorph: `LANGUAGE=FILE` of UniMorph lists, for forms that a treebank lacks.
        skip_bad: leave out bad sentences.
        renumber: sentence ids may come twice: each gets its line, as `mine` has it.
        csv: a file for the table.
        workers, ray: processes, or a Ray cluster, that share the treebanks.
        progress: is told how far it is.

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
    [('und', 'accepted'), ('und', 'accepted')]
    """
    if csv is not None:
        demand_ending(Path(csv), "--csv")
    request = Request(
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
    said = ", ".join(f"{name} {verdicts.count(name)}" for name in dict.fromkeys(sorted(verdicts)))
    return Result(rows, SHOWN_COLUMNS, [f"{folder}: {said}"], found=ACCEPTED in verdicts)


def coverage(
    folder: Path,
    request: Request,
    *,
    unimorph: Mapping[str, Path],
    skip_bad: bool = False,
    run: Run = map,
    progress: Progress = silent,
) -> Iterator[Row]:
    """One row for each treebank of `folder` and feature of the request, by language and name.

    `unimorph`: language → word list. Raises `InputError` where there is no treebank.
    """
    sources = sorted(treebanks_in(folder), key=lambda each: (each.language, each.name))
    tasks = [
        Task(each, request, unimorph.get(each.language.partition("-")[0]), skip_bad)
        for each in sources
    ]
    for done, rows in enumerate(run(rows_of, tasks), start=1):
        yield from rows
        progress("treebanks", done, len(tasks))


def rows_of(task: Task) -> list[Row]:
    """The rows of one treebank."""
    language = task.source.language
    words = read_unimorph(task.unimorph, language=language) if task.unimorph else None
    on_bad = (lambda fault: None) if task.skip_bad else None
    mining = mine(task.source, task.request, unimorph=words, on_bad=on_bad)
    return [_row(mining, feature, task.unimorph is not None) for feature in mining.search.features]


def _is_of(feature: str, name: str) -> bool:
    """Whether a construction's feature is `feature`, or pairs it with another layer."""
    return feature == name.partition("~")[0]


def _row(mining: MinedTreebank, feature: str, with_unimorph: bool) -> Row:
    stages = mining.stages
    own = [each for each in mining.constructions if _is_of(feature, each.feature)]
    accepted = [each for each in own if each.accepted]
    tested = [each for each in own if each.p is not None]
    originals = [each for each in mining.originals if _is_of(feature, each.feature)]
    n_unimorph = sum(UNIMORPH in each.flags for each in originals)
    return {
        "language": mining.treebank.language,
        "treebank": mining.treebank.name,
        "feature": feature,
        "verdict": _verdict(mining, feature, accepted, tested),
        "n_sentences": stages.n_sentences,
        "n_words": stages.n_words,
        "n_annotated": stages.annotated[feature],
        "n_instances": sum(each.n for each in _distinct(own)),
        "n_tested": len(tested) if mining.thresholds else None,
        "n_accepted": len(accepted),
        "n_undecided": sum(each.undecided for each in own) if mining.thresholds else None,
        "n_agree": sum(each.n_agree for each in _distinct(accepted)),
        "n_originals": len(originals),
        "n_treebank": len(originals) - n_unimorph,
        "n_unimorph": n_unimorph if with_unimorph else None,
        "constructions": "; ".join(_named(accepted)),
        "licence": mining.treebank.licence,
    }


def _distinct(constructions: Iterable[Construction]) -> list[Construction]:
    """Constructions by name: the rule `released` judges one name once for each pair of values."""
    return list({(each.feature, each.name): each for each in constructions}.values())


def _verdict(
    mining: MinedTreebank,
    feature: str,
    accepted: Sequence[Construction],
    tested: Sequence[Construction],
) -> str:
    if accepted:
        return ACCEPTED
    if mining.stages.annotated[feature] == 0:
        return NOT_ANNOTATED
    if mining.thresholds is None:
        return NO_AGREEMENT
    if not tested:
        return TOO_FEW
    if any(each.undecided for each in tested):
        return UNDECIDED
    alpha = mining.thresholds.alpha
    significant = [each for each in tested if each.q is not None and each.q <= alpha]
    return BELOW_FLOOR if significant else NO_AGREEMENT


def _named(accepted: Sequence[Construction]) -> Iterator[str]:
    """The most frequent constructions with their rate, and how many more there are."""
    ordered = sorted(accepted, key=lambda each: -each.n)
    for each in ordered[:SHOWN]:
        yield f"{each.name.partition(OF_FEATURE)[0]} {each.n_agree}/{each.n}"
    if len(ordered) > SHOWN:
        yield f"{len(ordered) - SHOWN} more"
