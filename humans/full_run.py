"""The public function `run`: the whole way from a treebank or a test set to the report."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from ..data.errors import InputError
from ..data.fetch.catalogue import published_sets
from ..data.fetch.fetch import fetch
from ..data.files import Paths, demand_file
from ..data.items.suite import Suite
from ..data.languages import checked_language
from ..data.load import import_suites
from ..data.progress import Progress, silent
from ..data.result import Result
from ..data.store import DEFAULT_STORE, Store, StoreLike, open_store
from ..data.tables import Row
from ..miner.mine import mine
from ..nonce.compose import compose
from ..nonce.make import make_nonce
from ..scoring.models.model_folder import Trained
from ..scoring.models.specs import Model
from ..scoring.outcomes.accuracy import FIRST_NOUN, RELATION
from ..scoring.outcomes.run import BASELINE
from ..scoring.outcomes.scores import OPPOSED, OPPOSITE, Scores
from ..scoring.score import score
from ..scoring.selection import Models
from ..scoring.train import train
from .comparison import Comparison, compare
from .page.report import report
from .read import Judgments, read_judgments
from .statistics.rater_accuracy import HUMANS

N_COMPOSED_SETS = 100  # 3,800 items in English, minutes for a model of 135M on a CPU
FILES_OF_2018 = ("best_model_mturk.tab", "best_model.tab")  # first the one with people's answers
COLUMNS = ("suite", "kind", "rater", "n_items", "accuracy", "low", "high")
PEOPLE_COLUMNS = ("difference", "difference_low", "difference_high", "better")  # people − model
COMPOSED_OPPOSED = f"composed, {OPPOSED}"  # first noun and attractor both mislead


@dataclass(frozen=True)
class Walk:
    """A run in progress: its settings, and what its steps have done so far.

    Attributes:
        store: store that keeps everything.
        language: BCP-47 code that the user gave; "" if the files name the language.
        progress: called with (task, done, total).
        commands: command lines that do the same steps.
        messages: messages of the steps.
        suites: suites to be scored, each as `@N`.
    """

    store: Store
    language: str
    progress: Progress
    commands: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    suites: list[str] = field(default_factory=list)

    def note_command(self, *words: str | Path) -> None:
        """Note the command that does the step just done, as words after `colorless`."""
        is_default = self.store.path.resolve() == Path(DEFAULT_STORE).resolve()
        store = () if is_default else ("--store", str(self.store.path))
        self.commands.append(shlex.join(("colorless", *map(str, words), *store)))

    def add_messages(self, *messages: str) -> None:
        """Add messages that are not there yet."""
        self.messages.extend(message for message in messages if message not in self.messages)

    @property
    def language_option(self) -> tuple[str, ...]:
        """The option that names the language; empty if the user gave none."""
        return ("--language", self.language) if self.language else ()


def run(
    what: Paths,
    *,
    model: Models | None = None,
    people: Judgments | str | Path | None = None,
    language: str = "",
    out: str | Path = "report.html",
    open_: bool = False,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Result:
    """Go the whole way: from a treebank, or a published set, to the report.

    Of a treebank: mine it, make nonce variants and composed sets of what was found, score models
    and baselines without grammar on them, compare with people, write the report. Of a test set:
    the last three. A second run does only what is new.

    Args:
        what: a treebank (CoNLL-U files or folders, or a name that `fetch` knows, such as
            UD_Polish-PDB), or a test set (a file, a folder, or a published one by its name, such
            as gulordava2018)
        model: a Hugging Face name or folder, a folder made by train, or KIND:PATH; repeat for
            several [default: an n-gram model, trained on the treebank]
        people: file of people's judgments of one of the sets
        language: code of the language, where the name or the files do not say it
        out: file for the page
        open_: open the page in the browser
        store: the project's database
        progress: called with (task, done, total) as the work proceeds

    Returns:
        The accuracy of models, of people and of the strongest baseline, by kind of sentence; the
        commands that do the same step by step are among its messages.

    Raises:
        InputError: for what is neither a treebank nor a test set, for a model or judgments that
            cannot be read, and where the page cannot be written.

    Commands:
        colorless run UD_Polish-PDB --open
        colorless run gulordava2018 --language it --model Qwen/Qwen3-0.6B-Base

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> done = cg.run(sample.treebank("en"), out="page.html")
    >>> done.to_frame()["kind"].unique(maintain_order=True).to_list()
    ['original', 'nonce', 'composed', 'composed, opposed']
    """
    path = Path(out)
    demand_file(path)
    sources = [what] if isinstance(what, str | Path) else list(what or ())
    if not sources:
        right = "a treebank, a test set, or the name of one"
        raise InputError("what", "nothing is named", right, kind="missing")
    with open_store(store) as opened:
        walk = Walk(opened, checked_language(language), progress)
        models = model
        places = [place for source in sources for place in find_or_fetch(source, walk)]
        if all(is_treebank(place) for place in places):
            models = from_treebank(places, model, walk)
        else:
            for place in places:
                from_test_set(place, walk)
        if not walk.suites:
            return Result((), COLUMNS, walk.messages, found=False)
        add_people(people, walk)
        scores = score(walk.suites, models, baselines=True, store=opened, progress=progress)
        walk.note_command("score", *walk.suites, *named_models(models), "--baselines")
        walk.add_messages(*scores.messages)
        comparison = compare(walk.suites, store=opened)
        rows = list(accuracies(scores, comparison))
        if any(row["rater"] == HUMANS for row in rows):
            walk.note_command("compare", *walk.suites)
        report(walk.suites, out=path, open_=open_, store=opened, progress=progress)
        walk.note_command("report", *walk.suites, "--out", path)
    heading = "by hand, step by step, to change what you like:"
    steps = (f"  {command}" for command in walk.commands)
    messages = (*walk.messages, heading, *steps, f"report: {path}")
    return Result(rows, shown_columns(rows), messages)


def find_or_fetch(source: str | Path, walk: Walk) -> list[Path]:
    """Return the files or folders of a treebank or test set: the path itself if it exists, else
    what `fetch` downloads by this name."""
    if Path(source).exists():
        return [Path(source)]
    name = str(source)
    parts = published_sets().get(name.casefold(), ())  # a set may have a part for each language
    if parts and walk.language:
        part = next((known.part for known in parts if known.language == walk.language), "")
        if not part and parts[-1].part == "*":  # any name is a part of the set
            part = walk.language
        name += f":{part}" if part else ""
    elif len(parts) > 1:
        codes = ", ".join(part.language for part in parts)
        wrong, right = f"{name} is in several languages", f"one of {codes}"
        raise InputError("language", wrong, right, kind="missing")
    fetched = fetch(name, progress=walk.progress)
    walk.note_command("fetch", name)
    walk.add_messages(*fetched.messages)
    return [Path(str(row["path"])) for row in fetched.rows]


def is_treebank(path: Path) -> bool:
    """Tell whether a path is a CoNLL-U file, or a folder that contains one."""
    files = path.iterdir() if path.is_dir() else (path,)
    return any(".conllu" in file.suffixes for file in files)


def from_treebank(paths: Sequence[Path], model: Models | None, walk: Walk) -> Models | None:
    """Mine a treebank, and add to the walk (the run in progress) the suites that can be made of it.
    Return the models to score: the given ones, or an n-gram model trained on the treebank. With no
    originals or no suite, return `model` as it is, perhaps None."""
    mining = mine(paths, language=walk.language, store=walk.store, progress=walk.progress)
    walk.note_command("mine", *paths, *walk.language_option)
    n_accepted = mining.constructions.filter(pl.col("verdict") == "accepted").height
    n_originals = len(mining.originals.items)
    walk.add_messages(f"mined: {n_accepted} constructions accepted, {n_originals:,} originals")
    if not n_originals:
        walk.add_messages(
            *mining.messages,
            f"there is nothing to test: no agreement that passes the rule has a wrong form; "
            f"`colorless mine {shlex.join(map(str, paths))}` shows what was found",
        )
        return model
    for suite in make_suites(walk):
        assert suite.kept is not None
        walk.suites.append(f"@{suite.kept.id}")
        walk.add_messages(f"{walk.suites[-1]} {suite.name}: {len(suite.items):,} items")
    if not walk.suites or model is not None:
        return model
    trained = train("ngram", mining, store=walk.store, progress=walk.progress)
    walk.note_command("train", "ngram")
    walk.add_messages(
        "an n-gram model of the treebank answers, for contrast; --model NAME adds a real one, "
        "from Hugging Face or a folder"
    )
    return trained


def make_suites(walk: Walk) -> Iterator[Suite]:
    """Make a suite of nonce variants and one of composed items from the newest mining, and yield
    those that could be made. A message in the walk says why the other could not."""
    try:
        variants = make_nonce(store=walk.store, progress=walk.progress)
        walk.note_command("nonce")
        yield variants
    except InputError as error:
        walk.add_messages(f"there are no nonce variants: {error}")
    try:
        composed = compose(sets=N_COMPOSED_SETS, store=walk.store, progress=walk.progress)
    except InputError as error:
        walk.add_messages(f"there are no composed sets: {error}")
        return
    if composed.items:
        walk.note_command("compose", "--sets", str(N_COMPOSED_SETS))
        yield composed
    else:
        walk.add_messages(
            "there are no composed sets: the treebank has too few of the clauses they need"
        )


def from_test_set(path: Path, walk: Walk) -> None:
    """Import a test set and add its suites to the walk (the run in progress). A folder of
    Gulordava et al. 2018 also brings the published answers of people and models."""
    files = (path / name for name in FILES_OF_2018)
    answers = next((file for file in files if file.is_file()), None)
    if answers is None:
        imported = import_suites(path, language=walk.language, store=walk.store)
        walk.note_command("import", path, *walk.language_option)
        walk.add_messages(*imported.messages)
        walk.suites.extend(dict.fromkeys(f"@{row['id']}" for row in imported.rows))
        return
    table = {"language": walk.language} if walk.language else None
    judged = read_judgments(answers, map=table, store=walk.store)
    walk.note_command("humans", "import", answers)
    walk.add_messages(*judged.messages)
    walk.suites.append(f"@{judged.kept.id}")


def add_people(people: Judgments | str | Path | None, walk: Walk) -> None:
    """Import a file of people's judgments for the first suite of the walk that has their items.
    Do nothing without judgments, or if they are imported already. Raises `InputError` if no suite
    has the items."""
    if people is None or isinstance(people, Judgments):
        return
    for suite in walk.suites:
        try:
            judged = read_judgments(people, suite=suite, store=walk.store)
        except InputError:
            if suite == walk.suites[-1]:
                raise
            continue
        walk.note_command("humans", "import", people, "--suite", suite)
        walk.add_messages(*judged.messages)
        return


def named_models(models: Models | None) -> Iterator[str]:
    """Yield the words of the command line that name models, such as `--model gpt2`; a loaded model
    without a name is `MODEL`."""
    given = models.folders if isinstance(models, Trained) else models or ()
    for model in [given] if isinstance(given, str | Path | Model) else given:
        is_spec = isinstance(model, str | Path)
        yield from ("--model", str(model) if is_spec else getattr(model, "name", "MODEL"))


def accuracies(scores: Scores, comparison: Comparison) -> Iterator[Row]:
    """Yield a row with the accuracy of each rater, by suite and kind of items: people and models,
    then the strongest baseline (a rule that knows no syntax). Composed sets have a further kind:
    the items in which first noun and attractor both have another value than the head.

    The rows of a kind are those of the comparison; if it has none, as of that further kind, they
    are those of the scores, without people.
    """
    is_baseline = pl.col("method") == BASELINE
    raters = comparison.cells.filter(construction="")  # all constructions together
    opposed = scores.accuracy((FIRST_NOUN, RELATION)).filter(
        pl.col(FIRST_NOUN) == OPPOSITE, pl.col(RELATION) == OPPOSITE
    )
    by_kind = pl.concat([
        scores.accuracy("kind").sort(pl.col("kind") != "original", maintain_order=True),
        opposed.with_columns(kind=pl.lit(COMPOSED_OPPOSED)),
    ], how="diagonal")  # fmt: skip
    for (suite, kind), rows in by_kind.group_by("suite", "kind", maintain_order=True):
        first_prediction = rows["prediction"][0]
        scored = rows.filter(prediction=first_prediction).rename({"model": "rater"})
        strongest = scored.filter(is_baseline).sort("accuracy", maintain_order=True).tail(1)
        compared = raters.filter(suite=suite, kind=kind).select(*COLUMNS, *PEOPLE_COLUMNS)
        baseline = strongest.with_columns(rater=pl.format("– {}", "rater"))
        models_and_people = compared if len(compared) else scored.filter(~is_baseline)
        for row in (*models_and_people.rows(named=True), *baseline.rows(named=True)):
            # differences from people are None in tables that do not have them
            yield {name: row.get(name) for name in (*COLUMNS, *PEOPLE_COLUMNS)}


def shown_columns(rows: Sequence[Row]) -> Sequence[str]:
    """Return the names of the columns to print. The suite's name is among them only if a kind of
    items is in several suites, the differences from people only if there are any."""
    suites_and_kinds = {(row["suite"], row["kind"]) for row in rows}
    has_one_suite_each = len({kind for _, kind in suites_and_kinds}) == len(suites_and_kinds)
    columns = [name for name in COLUMNS if name != "suite" or not has_one_suite_each]
    of_people = PEOPLE_COLUMNS if any(row["difference"] is not None for row in rows) else ()
    return (*columns, *of_people)
