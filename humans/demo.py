"""The whole way on the embedded sample: mine, nonce, train, score, compare, report."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.sample import LANGUAGES, grammar, treebank
from colorless_green.data.store import Store
from colorless_green.data.tables import write_tsv
from colorless_green.humans.commands import import_judgments, write_report
from colorless_green.humans.simulate import COLUMNS, simulated_judgments
from colorless_green.nonce.commands import Result, make_nonce, mine_originals
from colorless_green.nonce.grammar.conllu import to_conllu
from colorless_green.nonce.grammar.expand import sample
from colorless_green.nonce.grammar.load import parse_grammar
from colorless_green.nonce.grammar.surface import realised
from colorless_green.nonce.rows import load_suite, newest_suite
from colorless_green.scoring.commands import originals_seen, score_suites, train_models
from colorless_green.scoring.query import LoadOptions
from colorless_green.scoring.training.text import fingerprint

N_SENTENCES = 8_000  # of training text; enough for number to be learnt from
N_PARTICIPANTS = 10


def run_demo(folder: Path, *, seed: int, now: str, progress: Progress = silent) -> Iterator[Result]:
    """One folder a language in `folder`, each with its store, tables, models and `report.html`.

    Yields what each step has to say. The models learn from text that the sample's own grammar
    makes, less every sentence that gave an original; the judgments are simulated and say so.
    """
    if find_spec("matplotlib") is None:
        yield Result((), (), ["the figures need the extra [humans]; the tables come without"])
    for language in LANGUAGES:
        place = folder / language
        if (place / "colorless.db").exists():
            raise InputError(str(place), "a demo was run here before", "another folder")
        with Store(place / "colorless.db") as store:
            yield from _one_language(language, place, store, seed, now, progress)


def _one_language(
    language: str, place: Path, store: Store, seed: int, now: str, progress: Progress
) -> Iterator[Result]:
    source = place / f"{language}-sample.conllu"
    with write_whole(source) as stream:
        stream.write(treebank(language).read_text(encoding="utf-8"))
    yield mine_originals(
        [source],
        store,
        rule="released",
        feature="Number",
        vocabulary=None,
        repair="auto",
        ghosts=True,
        name=f"sample-{language}",
        language=language,
        skip_bad=False,
        out=place / "mined",
        now=now,
        progress=progress,
    )
    yield make_nonce(
        None,
        store,
        n_variants=9,
        treebanks=[],
        vocabulary=None,
        seed=seed,
        out=place / "nonce.jsonl",
        now=now,
    )
    text = _training_text(language, place, store, seed)
    yield train_models(
        "all",
        [text],
        store,
        out=place / "models",
        size="tiny",
        seed=seed,
        device="auto",
        resume=False,
        now=now,
        progress=progress,
    )
    yield score_suites(
        [],
        [],
        store,
        options=LoadOptions(),
        oov="exclude",
        ties="share",
        out=place / "scores",
        now=now,
        progress=progress,
    )
    judgments = place / "simulated-judgments.tsv"
    suite = load_suite(store, newest_suite(store, ("nonce",)))
    rows = simulated_judgments(suite.items, n_participants=N_PARTICIPANTS, seed=seed)
    write_tsv(judgments, COLUMNS, rows)
    yield import_judgments(
        judgments, store, format_name="generic", columns=[], suite="", now=now, simulated=True
    )
    yield write_report("", store, out=place / "report.html")


def _training_text(language: str, place: Path, store: Store, seed: int) -> Path:
    """Other sentences of the sample's grammar, as CoNLL-U: none that gave an original."""
    held_back = originals_seen(store)
    path = place / "training.conllu.gz"
    source = grammar(language)
    made = parse_grammar(source.read_text(encoding="utf-8"), source.name)
    with write_whole(path) as stream:
        for number, derivation in enumerate(sample(made, N_SENTENCES, seed + 1), start=1):
            words = [token.text for token in realised(derivation).tokens]
            if fingerprint(words) not in held_back:
                stream.write(to_conllu(derivation, f"{language}-training-{number}"))
    return path
