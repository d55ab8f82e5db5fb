"""The public function `run_demo`: the whole way on a bundled sample, with small models and
simulated people."""

import math
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..data.files import write_whole
from ..data.items.item import Item, factors_of
from ..data.progress import Progress, silent
from ..data.result import Result
from ..data.sample import LANGUAGES, grammar, treebank
from ..data.seeds import generator
from ..data.store import Store
from ..data.tables import Row, frame, write_table
from ..miner.mine import mine
from ..nonce.grammar.generate import parse_grammar
from ..nonce.grammar.grammar import derivations
from ..nonce.grammar.written_tokens import conllu_block, derived_sentence
from ..nonce.make import make_nonce
from ..scoring.models.model_folder import fingerprint
from ..scoring.train import fingerprints_of_originals, train
from .full_run import COLUMNS as RUN_COLUMNS
from .full_run import run
from .read import ImportRequest, import_judgments

N_SENTENCES = 7_000  # of the training text: enough to learn number agreement
N_PARTICIPANTS = 10


def run_demo(folder: str | Path = "demo", *, seed: int = 0, progress: Progress = silent) -> Result:
    """Run every step on a bundled sample, with simulated judgments that are labelled so.

    The sample is in English and Italian; the steps are constructions, variants, models, scores,
    judgments and report. The models learn from text that the sample's own grammar makes, without
    any sentence that gave an original. A second run reuses what the first has done.

    Args:
        folder: folder for everything: in it one a language, with store, tables, models and page.
        seed: random seed of variants, models and simulated judgments.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        The rows of `run`, for each language.

    Raises:
        InputError: where nothing can be written.

    Commands:
        colorless demo
        colorless demo try --seed 1

    >>> import colorless_green as cg
    >>> cg.run_demo("demo").columns  # doctest: +SKIP
    ('language', 'kind', 'rater', 'n_items', 'accuracy', 'low', 'high')
    """
    messages: list[str] = []
    rows: list[Row] = []
    if find_spec("matplotlib") is None:
        messages.append("the figures need the extra [humans]; the tables come without")
    for language in LANGUAGES:
        base = Path(folder) / language
        source = base / f"sample-{language}.conllu"
        with write_whole(source) as stream:
            stream.write(treebank(language).read_text(encoding="utf-8"))
        with Store(base / "colorless.db") as store:
            in_store: dict[str, Any] = {"store": store, "progress": progress}
            mining = mine(source, language=language, **in_store)
            suite = make_nonce(mining, seed=seed, **in_store)
            text = _training_text(store, language, base / "training.conllu.gz", seed)
            trained = train(
                "all", text, seeds=[seed], language=language, out=base / "models", **in_store
            )
            path = base / "simulated-judgments.tsv"
            made_up = simulated_judgments(suite.items, n_participants=N_PARTICIPANTS, seed=seed)
            write_table(path, frame(made_up, COLUMNS))
            request = ImportRequest(files=path, format="generic", suite=suite, simulated=True)
            people = import_judgments(request, store)
            done = run(
                source,
                model=trained,
                people=people,
                language=language,
                out=base / "report.html",
                **in_store,
            )
            messages += [*trained.messages, *done.messages]
            rows += [{"language": language, **row} for row in done.rows]
    messages.append("the judgments are SIMULATED, made by a program")
    _, *columns = RUN_COLUMNS  # the suite's name says no more than the language
    return Result(rows, ("language", *columns), messages)


def _training_text(store: Store, language: str, path: Path, seed: int) -> Path:
    """Write training sentences, drawn from the sample's grammar, as a CoNLL-U file and return
    its path. Sentences that are originals (test sentences of the store) are left out."""
    held_out = fingerprints_of_originals(store)
    rules_file = grammar(language)
    rules = parse_grammar(rules_file.read_text(encoding="utf-8"), rules_file.name)
    with write_whole(path) as stream:
        # seed + 1: other random numbers than those of the variants
        drawn = derivations(rules, n=N_SENTENCES, seed=seed + 1)
        for number, derivation in enumerate(drawn, start=1):
            sentence = derived_sentence(derivation)
            if fingerprint(token.text for token in sentence.tokens) not in held_out:
                stream.write(conllu_block(sentence, f"{language}-training-{number}"))
    return path


COLUMNS = ("item", "participant", "chosen", "correct_form")  # of the simulated answers
BASE_LOG_ODDS = 3.2  # natural log-odds that an answer is right, original without attractors: 96 %
NONCE_SHIFT = -0.9  # added to the log-odds for a nonce variant
ATTRACTOR_SHIFT = -0.8  # added to the log-odds for each attractor
MAX_ITEM_SHIFT = 0.7  # largest random shift of an item's log-odds, up or down


def simulated_judgments(items: Sequence[Item], *, n_participants: int, seed: int) -> Iterator[Row]:
    """Yield made-up answers: a row for each participant and each agreement item that has two
    different forms. The more attractors an item has, the more answers are wrong."""
    for item in items:
        agreement = item.agreement
        if agreement is None or agreement.right == agreement.wrong:
            continue
        random = generator(seed, f"simulated judgments\t{item.item_id}")
        n_attractors = int(factors_of(item)["n_attractors"] or 0)
        log_odds = (
            BASE_LOG_ODDS + NONCE_SHIFT * (item.kind == "nonce") + ATTRACTOR_SHIFT * n_attractors
        )
        log_odds += MAX_ITEM_SHIFT * (2 * random.random() - 1)
        probability = 1 / (1 + math.exp(-log_odds))
        for number in range(1, n_participants + 1):
            is_right = random.random() < probability
            yield {
                "item": item.item_id,
                "participant": f"simulated-{number:02d}",
                "chosen": agreement.right if is_right else agreement.wrong,
                "correct_form": agreement.right,
            }
