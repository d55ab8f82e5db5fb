"""Measure the surprisal of each word or subword in texts and in the sentences of suites."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from ..data import schema
from ..data.configuration import configured
from ..data.errors import InputError
from ..data.files import STDIN, numbered_lines, spool_stdin
from ..data.formats.detect import detect_format
from ..data.items.item import Region, Wording, sentence_text, sentence_words
from ..data.items.sentences import penn
from ..data.items.suite import Suite
from ..data.load import load_suite
from ..data.progress import Progress, silent
from ..data.result import Result
from ..data.store import DEFAULT_STORE
from ..data.tables import Row, demand_ending, frame, write_table
from ..nonce.variants.frequencies import frequencies_named
from .outcomes.method import Method
from .questions.query import Scorer, Surprisals
from .questions.reading_times import (
    FrequencyClass,
    sentence_query,
    shift_spans,
    split_words,
    word_row,
)
from .selection import Models, Unsupported, list_models, loaded_models

Texts: TypeAlias = Suite | str | Path | Sequence[Suite | str | Path]
DOCUMENT = "document"
MAX_SENTENCES_BEFORE = 200  # context of a sentence: more than fits into any model
ARGUMENTS = "arguments"  # name of the text made of the sentences that are arguments themselves
PLACE_COLUMNS = ("text", "item_id", "condition", "sentence")  # columns that say where a word stands
EXPECTED_TEXTS = "sentences, a text with one a line, a suite, or - for standard input"


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of a text or of a suite.

    Attributes:
        text: the name of the file or suite that it is from.
        item_id: its item; "" for a sentence of a text.
        condition: its condition in the item; "" for a sentence of a text.
        sentence: its number in the text or condition, from 0.
        wording: its regions (named parts).
        before: the sentences that a model reads before it, from the same document.
    """

    text: str
    item_id: str
    condition: str
    sentence: int
    wording: Wording
    before: tuple[Wording, ...] = ()


def surprisal(
    texts: Texts,
    model: Models | None = None,
    *,
    by: Literal["word", "subword"] = "word",
    context: Literal["sentence", "document"] = "sentence",
    method: Method | str | Path | None = None,
    language: str = "",
    device: str = "auto",
    out: str | Path | None = None,
    progress: Progress = silent,
) -> Result:
    """Measure the surprisal of each word of texts, as studies of reading times need it.

    Args:
        texts: sentences; files of one sentence a line, or suites (also @N of colorless.db); - for
            standard input.
        model: a folder made by train, a Hugging Face name[@revision] or folder, or KIND:PATH
        by: a row for each word (what stands between blanks), or for each subword
        context: what a word is read after: its sentence, or all lines of its file before it, as
            many as the model holds
        method: first token, correction for leading blanks (boundary), number format, source of
            frequencies
        language: BCP-47 code, for frequencies
        device: auto, cpu, cuda or cuda:N
        out: file for the table
        progress: called with (task, done, total)

    Returns:
        One row for each word: text, sentence and index from 0, surprisal in bits, length in
        characters without the punctuation around, base-2 logarithm of its frequency, the number of
        subwords, and 1 where the vocabulary lacks it. A sentence that the model cannot read has no
        rows.

    Raises:
        InputError: for texts and models that cannot be read, and where no model is named.

    Commands:
        colorless surprisal "The keys to the cabinet are old." --model gpt2
        colorless surprisal story.txt --model gpt2 --context document --out words.tsv

    >>> import colorless_green as cg
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> cg.surprisal("the keys are old", "uniform:words.txt").to_frame().row(1)[4:7]
    (1, 'keys', 3.0)

    Why surprisal: Smith & Levy (2013), *Cognition* 128, §2.
    """
    path = None if out is None else Path(out)
    if path is not None:
        demand_ending(path, "out")
    settings = configured(Method, method)
    if model is None:
        raise InputError("model", "no model is named", "name one, as --model gpt2", kind="missing")
    named = [texts] if isinstance(texts, Suite | str | Path) else list(texts)
    lines = list(_sentences_of_arguments(named, language, context))
    if not lines:
        raise InputError("texts", "no text in them", EXPECTED_TEXTS, kind="empty")
    log_frequency = frequency_class(settings.frequencies, language)
    rows: list[Row] = []
    remarks: list[str] = []
    for loaded in loaded_models(list_models(model), settings.load_options(device), each_bos=False):
        if isinstance(loaded, Unsupported):
            remarks.append(loaded.reason)
            continue
        answers = _answers(loaded.scorer, lines, progress)
        for line, answer in zip(lines, answers, strict=True):
            if by == "word":
                measured = _word_rows(line, answer, loaded.scorer.unit, log_frequency)
            else:
                measured = _subword_rows(line, answer, loaded.scorer.unit)
            place = {name: getattr(line, name) for name in PLACE_COLUMNS}
            rows += [{**place, **row, "model": loaded.name} for row in measured]
        n_refused = sum(bool(answer.refused) for answer in answers)
        if n_refused:
            remarks.append(f"{loaded.name}: {n_refused:,} sentences are too long for it: no rows")
        remarks += loaded.notes
    table = frame(rows, schema.WORDS)
    if path is not None:
        write_table(path, table)
    # a column with the same text in all rows is not printed
    shown = [name for name in schema.WORDS if table[name].n_unique() > 1 or name == "word"]
    return Result(table.to_dicts(), shown, remarks, found=bool(rows))


def frequency_class(source: str, language: str) -> FrequencyClass | None:
    """Return the function that gives the frequency of a word (base-2 logarithm of its count) in a
    source; None if the source is "". Raises `InputError` for a source that counts no words."""
    if not source:
        return None
    frequencies = frequencies_named(source, language)
    if frequencies is None:
        wrong = f"{source!r} counts no words here"
        raise InputError("frequencies", wrong, "wordfreq with --language, or a file", kind="value")
    return frequencies.frequency_class


def _sentences_of_arguments(
    arguments: Sequence[Suite | str | Path], language: str, context: str
) -> Iterator[Line]:
    """Yield the sentences of the arguments of `surprisal`, in order. An argument is a suite, a file
    of text or of a suite, standard input, @N of a suite in the store, or a sentence; the arguments
    that are sentences come last, as one text."""
    sentences: list[str] = []
    for argument in arguments:
        if isinstance(argument, Suite):
            yield from _sentences_of_suite(argument)
            continue
        path = Path(argument)
        if path == STDIN:
            with spool_stdin([STDIN], ".txt") as ((copy,), _):  # the text, copied to a file
                yield from _sentences_of_file(copy, "standard input", context)
        elif _is_file(path):
            if path.suffix != ".txt" and detect_format(path):
                yield from _sentences_of_suite(load_suite(path, language=language or "und"))
            else:
                yield from _sentences_of_file(path, path.name, context)
        elif re.fullmatch(r"@[0-9]+", str(argument)):
            yield from _sentences_of_suite(load_suite(str(argument), store=DEFAULT_STORE))
        elif isinstance(argument, Path) or re.fullmatch(r"\S+\.\w{1,6}", str(argument)):
            # a path, or a text that looks like the name of a file
            raise InputError(str(argument), "there is no such file", EXPECTED_TEXTS, kind="missing")
        else:
            sentences.append(str(argument))
    yield from _sentences_of_text(sentences, ARGUMENTS, context)


def _is_file(path: Path) -> bool:
    """Return True for a file; False also for a sentence that no file could be named by."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # a sentence that is too long for a name
        return False


def _sentences_of_file(path: Path, name: str, context: str) -> Iterator[Line]:
    """Yield the sentences of a file with one sentence a line."""
    yield from _sentences_of_text((line for _, line in numbered_lines(path)), name, context)


def _sentences_of_text(texts: Iterable[str], name: str, context: str) -> Iterator[Line]:
    """Yield the sentences of one text, without empty lines. If the context is `document`, each has
    the sentences before it, as many as `MAX_SENTENCES_BEFORE`."""
    before: tuple[Wording, ...] = ()
    for number, text in enumerate(filter(None, map(str.strip, texts))):
        wording = (Region("*", penn(text), text),)  # one region, cut into tokens by `penn`
        yield Line(name, item_id="", condition="", sentence=number, wording=wording, before=before)
        if context == DOCUMENT:
            before = (*before, wording)[-MAX_SENTENCES_BEFORE:]


def _sentences_of_suite(suite: Suite) -> Iterator[Line]:
    """Yield the sentences of each condition of each item."""
    for item in suite.items:
        for condition, wordings in item.conditions.items():
            for number, wording in enumerate(wordings):
                yield Line(suite.name, item.item_id, condition, number, wording)


def _answers(scorer: Scorer, lines: Sequence[Line], progress: Progress) -> list[Surprisals]:
    """Ask a model for the surprisals (bits) of the subwords of each sentence, in order. As long as
    a model cannot read a sentence with those before it, only the later half of these is kept."""
    answers: dict[int, Surprisals] = {}
    waiting = dict(enumerate(lines))
    while waiting:
        # each query comes with the length of the blank before its sentence
        queries = [sentence_query(scorer, line.wording, line.before) for line in waiting.values()]
        scores = scorer.score(query for query, _ in queries)
        shortened: dict[int, Line] = {}
        for (n, line), (_, n_blanks), score in zip(waiting.items(), queries, scores, strict=True):
            (answer,) = score.continuations
            if answer.refused and line.before:
                shortened[n] = replace(line, before=line.before[len(line.before) // 2 + 1 :])
                continue
            answers[n] = shift_spans(answer, n_blanks)
            progress("surprisals", len(answers), len(lines))
        waiting = shortened
    return [answers[n] for n in range(len(lines))]


def _word_rows(
    line: Line, answer: Surprisals, unit: str, log_frequency: FrequencyClass | None
) -> Iterator[Row]:
    """Yield a row for each word of a sentence; none if the model could not read it."""
    if answer.refused:
        return
    for index, word in enumerate(split_words(line.wording, unit)):
        yield {"index": index, **word_row(word, answer, log_frequency)}


def _subword_rows(line: Line, answer: Surprisals, unit: str) -> Iterator[Row]:
    """Yield a row for each subword of a sentence; none if the model could not read it. The span of
    a subword counts words of the sentence if `unit` is `words`, else characters."""
    text = sentence_text(line.wording)
    words = sentence_words(line.wording)
    for index, (bits, (start, end), oov) in enumerate(
        zip(answer.bits, answer.spans, answer.oov, strict=True)
    ):
        start = max(0, start)  # the blank before the sentence is at -1
        string = " ".join(words[start:end]) if unit == "words" else text[start:end]
        yield {
            "index": index, "word": string, "surprisal_bits": bits, "length": len(string.strip()),
            "n_subwords": 1, "oov": int(oov),
        }  # fmt: skip
