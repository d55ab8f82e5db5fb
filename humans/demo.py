"""All steps on the embedded sample: mine, nonce, train, score, compare, report."""

import math
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from ..data.files import write_whole
from ..data.items.item import Item, factors_of
from ..data.progress import Progress, silent
from ..data.result import Result
from ..data.sample import LANGUAGES, grammar, treebank
from ..data.seeds import generator
from ..data.store import Store
from ..data.tables import Row, frame, write_table
from ..miner.mine import mine
from ..nonce.grammar.grammar import derivations
from ..nonce.grammar.load_grammar import parse_grammar
from ..nonce.grammar.written_tokens import conllu_block, realised
from ..nonce.make import make_nonce
from ..scoring.models.model_folder import fingerprint
from ..scoring.score import score
from ..scoring.train import originals_seen, train
from .page.report import report
from .read import ImportRequest, import_judgments

N_SENTENCES = 7_000  # of training text; enough for number to be learnt from
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
        One row per language; the messages are those of all steps.

    Raises:
        InputError: where nothing can be written.

    Commands:
        colorless demo
        colorless demo try --seed 1

    >>> import colorless_green as cg
    >>> cg.run_demo("demo")  # doctest: +SKIP
    language  suite                   n_items  n_models  report
    en        sample-en/tested/nonce     1952         4  demo/en/report.html
    it        sample-it/tested/nonce     2295         4  demo/it/report.html
    """
    messages: list[str] = []
    rows: list[Row] = []
    if find_spec("matplotlib") is None:
        messages.append("the figures need the extra [humans]; the tables come without")
    for language in LANGUAGES:
        base = Path(folder) / language
        source, page = base / f"{language}-sample.conllu", base / "report.html"
        with write_whole(source) as stream:
            stream.write(treebank(language).read_text(encoding="utf-8"))
        with Store(base / "colorless.db") as store:
            mining = mine(
                source,
                name=f"sample-{language}",
                language=language,
                out=base / "mined",
                store=store,
                progress=progress,
            )
            suite = make_nonce(
                mining, seed=seed, out=base / "nonce.jsonl", store=store, progress=progress
            )
            trained = train(
                "all",
                _training_text(store, language, base / "training.conllu.gz", seed),
                seeds=[seed],
                language=language,
                out=base / "models",
                store=store,
                progress=progress,
            )
            scores = score(suite, out=base / "scores", store=store, progress=progress)
            path = base / "simulated-judgments.tsv"
            made_up = simulated_judgments(suite.items, n_participants=N_PARTICIPANTS, seed=seed)
            write_table(path, frame(made_up, COLUMNS))
            request = ImportRequest(files=path, format="generic", suite=suite, simulated=True)
            people = import_judgments(request, store)
            report(scores, people, page, progress=progress)
            account = suite.account or Result()
            for result in (mining, account, trained, scores, people):
                messages += result.messages
            rows.append(
                {
                    "language": language,
                    "suite": suite.name,
                    "n_items": len(suite.items),
                    "n_models": len(scores.runs),
                    "report": str(page),
                }
            )
    return Result(rows, tuple(rows[0]), messages)


def _training_text(store: Store, language: str, path: Path, seed: int) -> Path:
    """Write other sentences of the sample's grammar as CoNLL-U: none that gave an original."""
    held_back = originals_seen(store)
    source = grammar(language)
    parsed = parse_grammar(source.read_text(encoding="utf-8"), source.name)
    with write_whole(path) as stream:
        drawn = derivations(parsed, n=N_SENTENCES, seed=seed + 1)
        for number, derivation in enumerate(drawn, start=1):
            sentence = realised(derivation)
            if fingerprint(token.text for token in sentence.tokens) not in held_back:
                stream.write(conllu_block(sentence, f"{language}-training-{number}"))
    return path


COLUMNS = ("item", "participant", "chosen", "correct_form")
LOG_ODDS = 3.2  # of the right form in an original without attractors: about 96 %
NONCE = -0.9
ATTRACTOR = -0.8
SPREAD = 0.7  # of items, uniform on both sides


def simulated_judgments(items: Sequence[Item], *, n_participants: int, seed: int) -> Iterator[Row]:
    """Yield an answer of each participant to each agreement item with two different forms."""
    for item in items:
        agreement = item.agreement
        if agreement is None or agreement.right == agreement.wrong:
            continue
        rng = generator(seed, f"simulated judgments\t{item.item_id}")
        n_attractors = int(factors_of(item)["n_attractors"] or 0)
        log_odds = LOG_ODDS + NONCE * (item.kind == "nonce") + ATTRACTOR * n_attractors
        log_odds += SPREAD * (2 * rng.random() - 1)
        probability = 1 / (1 + math.exp(-log_odds))
        for number in range(1, n_participants + 1):
            right = rng.random() < probability
            yield {
                "item": item.item_id,
                "participant": f"simulated-{number:02d}",
                "chosen": agreement.right if right else agreement.wrong,
                "correct_form": agreement.right,
            }
