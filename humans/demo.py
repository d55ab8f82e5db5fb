"""The whole way on the embedded sample: mine, nonce, train, score, compare, report."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from colorless_green.data.files import write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.sample import LANGUAGES, grammar, treebank
from colorless_green.data.store import Store
from colorless_green.data.tables import frame, write_table
from colorless_green.humans.page.write import report
from colorless_green.humans.read import read_judgments
from colorless_green.humans.simulate import COLUMNS, simulated_judgments
from colorless_green.nonce.grammar.conllu import to_conllu
from colorless_green.nonce.grammar.expand import sample
from colorless_green.nonce.grammar.load import parse_grammar
from colorless_green.nonce.grammar.surface import realised
from colorless_green.nonce.make import make_nonce
from colorless_green.nonce.mine import mine
from colorless_green.nonce.rows import load_suite, newest_suite
from colorless_green.scoring.score import score
from colorless_green.scoring.train import originals_seen, train
from colorless_green.scoring.training.text import fingerprint

N_SENTENCES = 8_000  # of training text; enough for number to be learnt from
N_PARTICIPANTS = 10


def run_demo(folder: Path, *, seed: int, now: str, progress: Progress = silent) -> Iterator[Result]:
    """One folder a language in `folder`, each with its store, tables, models and `report.html`.

    Yields what each step has to say; what an earlier run has done is not done again. The models
    learn from text that the sample's own grammar makes, less every sentence that gave an original;
    the judgments are simulated and say so.
    """
    if find_spec("matplotlib") is None:
        yield Result((), (), ["the figures need the extra [humans]; the tables come without"])
    for language in LANGUAGES:
        place = folder / language
        with Store(place / "colorless.db") as store:
            demo = _Demo(language, place, store, seed, now, progress)
            yield demo.mined()
            yield demo.varied()
            yield demo.trained()
            yield demo.scored()
            yield demo.judged()
            yield report(out=place / "report.html", store=store, progress=progress)


@dataclass(frozen=True, slots=True)
class _Demo:
    """One language's way through the house; each method is a verb with the demo's options."""

    language: str
    place: Path
    store: Store
    seed: int
    now: str
    progress: Progress

    def mined(self) -> Result:
        source = self.place / f"{self.language}-sample.conllu"
        with write_whole(source) as stream:
            stream.write(treebank(self.language).read_text(encoding="utf-8"))
        return mine(
            source,
            store=self.store,
            name=f"sample-{self.language}",
            language=self.language,
            out=self.place / "mined",
            progress=self.progress,
        )

    def varied(self) -> Result:
        suite = make_nonce(
            seed=self.seed,
            out=self.place / "nonce.jsonl",
            store=self.store,
            progress=self.progress,
        )
        assert suite.account is not None
        return suite.account

    def trained(self) -> Result:
        return train(
            "all",
            self._training_text(),
            out=self.place / "models",
            seed=self.seed,
            language=self.language,
            store=self.store,
            progress=self.progress,
        )

    def _training_text(self) -> Path:
        """Other sentences of the sample's grammar, as CoNLL-U: none that gave an original."""
        held_back = originals_seen(self.store)
        path = self.place / "training.conllu.gz"
        source = grammar(self.language)
        made = parse_grammar(source.read_text(encoding="utf-8"), source.name)
        with write_whole(path) as stream:
            drawn = sample(made, N_SENTENCES, self.seed + 1)
            for number, derivation in enumerate(drawn, start=1):
                words = [token.text for token in realised(derivation).tokens]
                if fingerprint(words) not in held_back:
                    stream.write(to_conllu(derivation, f"{self.language}-training-{number}"))
        return path

    def scored(self) -> Result:
        return score(out=self.place / "scores", store=self.store, progress=self.progress)

    def judged(self) -> Result:
        path = self.place / "simulated-judgments.tsv"
        items = load_suite(self.store, newest_suite(self.store, ("nonce",))).items
        rows = simulated_judgments(items, n_participants=N_PARTICIPANTS, seed=self.seed)
        write_table(path, frame(rows, COLUMNS))
        return read_judgments([path], format="generic", simulated=True, store=self.store)
