"""Raw text to CoNLL-U, and a parse beside the gold treebank: the public function `parse`.

What comes out hangs on the texts and the parser alone: a sentence's id is made of its text's name,
its paragraph's number and its own number in the paragraph, so that a run that goes on after the
n-th paragraph gives the bytes it would have given without a stop.

Behind `--out` the file grows chunk by chunk, survives a kill, and appears under its name when
complete. Beside `OUT` lie `OUT.part`, the chunks so far, and `OUT.part.json`, its journal: how many
bytes of it are good, and what they hold. A chunk is first written and synced, then journaled, so
that what the journal counts is on the disk; what a killed run wrote beyond it is cut off when the
next one goes on. At the end the part is renamed and the journal goes.
"""

import gzip
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from operator import add
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.files import Paths, listed_paths, read_text, spooled, write_whole
from colorless_green.data.languages import checked_language
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.miner.conllu import read
from colorless_green.miner.mine import MineRequest
from colorless_green.miner.parse import (
    PARSED_BY,
    PARSED_FROM,
    Parser,
    ParserModels,
    comment,
    parsed_by,
    parser_named,
)
from colorless_green.miner.parse.compare import COLUMNS, comparison_rows
from colorless_green.miner.parse.text import RawTextFile, paragraphs, survey
from colorless_green.miner.treebank import treebank

TASK = "paragraphs parsed"
FORMAT = "1"  # of what a part holds; a part of another format is not gone on with
TEXT_COLUMNS = ("text", "division", "n_paragraphs", "n_empty", "n_sentences", "n_words")
# Comments that are written here, whatever a parser wrote under the same keys.
OWN = re.compile(rf"#\s*(?:(?:sent_id|{PARSED_BY}|{PARSED_FROM})\s*=|new(?:doc|par)(?:\s|$))")
TEXT = re.compile(r"#\s*text\s*=")


class ParseTally(NamedTuple):
    """How much of one text is parsed, and what came of it."""

    n_paragraphs: int = 0
    n_empty: int = 0  # of these, paragraphs in which the parser found no sentence
    n_sentences: int = 0
    n_words: int = 0


Tallies: TypeAlias = tuple[ParseTally, ...]  # one for each text


@dataclass(frozen=True, repr=False, eq=False)
class Parse(Result):
    """What came of each text; the CoNLL-U itself where it went to no file."""

    conllu: str = ""


def parse(
    texts: Paths,
    *,
    language: str = "",
    parser: str = "stanza",
    models: str | Path | None = None,
    package: str = "default",
    device: str = "auto",
    download: bool = False,
    paragraphs: str = "auto",
    batch: int = 200,
    gold: Paths = None,
    out: str | Path | None = None,
    write: Callable[[str], object] | None = None,
    progress: Progress = silent,
) -> Parse:
    """Parses raw text to CoNLL-U, with Stanza or another parser.

    Args:
        texts: plain text files, packed or not; `-` is standard input. With `gold`, parses of it.
        language: BCP-47 code of the text.
        parser: its name; other packages may bring more (docs/tutorial-plugin.md).
        models: the folder of its models; None: the parser's own.
        package: which of its models.
        device: `auto`, `cpu` or `cuda[:n]`.
        download: download missing models.
        paragraphs: where they end: `line` (each is one), `blank` (a blank line) or `auto`.
        batch: paragraphs that are parsed at a time.
        gold: the treebank of the same text: nothing is parsed, and the parses in `texts` are
            compared with it.
        out: a file for the parse; a run that was cut off goes on where it stopped.
        write: gets the CoNLL-U piece by piece, where there is no `out`.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        With `out`, one row per text; with `gold`, one row per measure; else the CoNLL-U.

    Raises:
        InputError: for texts that cannot be read, an unknown parser, or models that are not there.

    >>> parse("text.txt", language="it").conllu  # doctest: +SKIP
    """
    named = listed_paths(texts)
    if gold:
        return compare_parse(named, listed_paths(gold))
    if not language:
        right = "the text's, such as it for Italian"
        raise InputError("--language", "no language was named", right, kind="missing")
    code = checked_language(language).lower()  # as Stanza writes zh-hans
    with spooled(named, ".txt") as (paths, _):
        surveyed = survey(paths, paragraphs)
        folder = None if models is None else Path(models)
        chosen = parser_named(parser)(code, ParserModels(folder, package, device, download))
        if out is not None:
            return parse_into(Path(out), surveyed, chosen, batch=batch, progress=progress)
        pieces: list[str] = []
        nothing = (ParseTally(),) * len(surveyed)
        for conllu, _ in _chunks(surveyed, chosen, nothing, batch, progress):
            (write or pieces.append)(conllu)
        return Parse((), TEXT_COLUMNS, conllu="".join(pieces))


def parse_into(
    out: Path,
    texts: Sequence[RawTextFile],
    parser: Parser,
    *,
    batch: int,
    progress: Progress = silent,
) -> Parse:
    """Parses texts into a file, whole or not at all.

    A run that was cut off is continued; where the file is the parse of the same text by the same
    parser already, nothing is done.

    Args:
        out: the CoNLL-U file; a name that ends in `.gz` is packed.
        texts: the texts, as `survey` gives them.
        parser: the parser.
        batch: paragraphs that are parsed at a time.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        One row per text: paragraphs, sentences and words.

    Raises:
        InputError: the parser found no sentence, the file cannot be written, or another run's part
            of it stands in the way.
    """
    digest = _texts_digest(texts)
    if out.is_file():
        try:
            comments = next(read(out)).comments
        except InputError:  # some other file: it is replaced, as any file behind --out
            comments = ()
        if (parsed_by(comments), comment(comments, PARSED_FROM)) == (parser.signature, digest):
            message = f"{out}: the same text was parsed by {parser.signature} before"
            return Parse((), TEXT_COLUMNS, (message,))
    identity = hashlib.sha256("\n".join((FORMAT, parser.signature, digest)).encode()).hexdigest()
    with _growing(out, identity, len(texts)) as (before, append):
        tallies = before
        for conllu, tallies in _chunks(texts, parser, before, batch, progress):
            append(conllu, tallies)
        if not any(tally.n_sentences for tally in tallies):
            wrong, right = "the parser found no sentence", "text in the parser's language"
            raise InputError(str(texts[0].path), wrong, right, kind="empty")
    n_before = sum(tally.n_paragraphs for tally in before)
    messages = [f"parsed by {parser.signature}"]
    messages += [f"went on after {n_before:,} paragraphs"] if n_before else []
    rows = [
        {"text": text.name, "division": text.division, **tally._asdict()}
        for text, tally in zip(texts, tallies, strict=True)
    ]
    return Parse(rows, TEXT_COLUMNS, messages)


def compare_parse(
    parses: Sequence[Path], gold: Sequence[Path], request: MineRequest = MineRequest()
) -> Parse:
    """Compares a parse, of any parser, with the gold treebank of the same text.

    Args:
        parses: CoNLL-U files or a folder, in the order of the text.
        gold: the same of the treebank.
        request: how constructions are mined from both.

    Returns:
        One row per measure (`comparison_rows`).

    Raises:
        InputError: a file is faulty, or the request is.

    >>> from colorless_green.data import sample
    >>> file = sample.treebank("en")
    >>> compare_parse([file], [file]).to_frame().filter(measure="las")["f1"].item()
    1.0
    """
    source = treebank(gold, renumber=True)  # sentences are told by their text: any ids will do
    other = treebank(parses, language=source.language, renumber=True)
    rows, mining = comparison_rows(source, other, replace(request, renumber=True))
    by = parsed_by(next(read(other.files[0])).comments) or "a parser that it does not name"
    messages = (
        f"{other.name}: parsed by {by}",
        f"mined from both: rule {mining.rule}; repair {mining.repair}",
    )
    return Parse(rows, COLUMNS, messages)


def _texts_digest(texts: Sequence[RawTextFile]) -> str:
    """16 hex digits that change with any byte, name, order or division of the texts."""
    parts = (f"{text.name}\t{text.division}\t{text.digest}" for text in texts)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _chunks(
    texts: Sequence[RawTextFile], parser: Parser, done: Tallies, batch: int, progress: Progress
) -> Iterator[tuple[str, Tallies]]:
    """The parse of all paragraphs that `done` does not count, in order, each with the tallies of
    all texts after it; told to `progress` once it is dealt with.

    `batch` paragraphs, whatever text they are from, go to the parser at a time and make a chunk.
    The first sentence of all carries `# parsed_by` and `# parsed_from`, the first of a text
    `# newdoc id`, the first of a paragraph `# newpar id`, each a `# sent_id` and its `# text`.
    """
    about = [f"# {PARSED_BY} = {parser.signature}", f"# {PARSED_FROM} = {_texts_digest(texts)}"]
    total = sum(text.n_paragraphs for text in texts)
    tallies = list(done)
    waiting = (
        (index, paragraph)
        for index, (text, tally) in enumerate(zip(texts, done, strict=True))
        if tally.n_paragraphs < text.n_paragraphs
        for paragraph in islice(paragraphs(text), tally.n_paragraphs, None)
    )
    progress(TASK, sum(tally.n_paragraphs for tally in tallies), total)
    while chunk := list(islice(waiting, batch)):
        parts: list[str] = []
        results = parser.parse([paragraph for _, paragraph in chunk])
        for (index, _), conllu in zip(chunk, results, strict=True):
            first = not any(tally.n_sentences for tally in tallies)
            blocks, tallies[index] = _stamped(
                conllu, texts[index].name, tallies[index], about if first else ()
            )
            parts += blocks
        yield "".join(parts), tuple(tallies)
        progress(TASK, sum(tally.n_paragraphs for tally in tallies), total)


def _stamped(
    conllu: str, name: str, tally: ParseTally, about: Sequence[str]
) -> tuple[list[str], ParseTally]:
    """The blocks of one paragraph's sentences with our comments, and the text's tally after it.

    `about`: comments for the very first sentence. A sentence without `# text` breaks the parser's
    promise (`AssertionError`).
    """
    number = tally.n_paragraphs + 1
    blocks: list[str] = []
    n_words = 0
    for block in re.split(r"\n\s*\n", conllu.strip("\n")):
        written = block.split("\n")
        comments = [line for line in written if line.startswith("#")]
        rows = [line for line in written if line and not line.startswith("#")]
        if not rows:
            continue
        text = [line for line in comments if TEXT.match(line)]
        assert len(text) == 1, f"a parser gave a sentence without its text: {rows[0]!r}"
        lines: list[str] = []
        if not blocks:
            lines += [*about, *([f"# newdoc id = {name}"] if tally.n_sentences == 0 else [])]
            lines += [f"# newpar id = {name}-{number}"]
        lines += [f"# sent_id = {name}-{number}-{len(blocks) + 1}", *text]
        lines += [line for line in comments if not TEXT.match(line) and not OWN.match(line)]
        blocks.append("\n".join([*lines, *rows]) + "\n\n")
        n_words += sum(row.partition("\t")[0].isdecimal() for row in rows)
    more = (1, not blocks, len(blocks), n_words)
    return blocks, ParseTally(*map(add, tally, more))


@contextmanager
def _growing(
    out: Path, identity: str, n_texts: int
) -> Iterator[tuple[Tallies, Callable[[str, Tallies], None]]]:
    """What the part of `out` holds, as the last run with the same `identity` left it, and what adds
    a chunk to it: once that returns, no kill can lose the chunk.

    Leaving it without an exception makes the part `out` (an older `out` is replaced); after an
    exception or a kill, part and journal stay. A name that ends in `.gz` is packed. Raises
    `InputError` where the part is another run's, is written to by another process, or does not
    fit its journal.
    """
    part = out.with_name(out.name + ".part")
    journal = out.with_name(out.name + ".part.json")

    def note(n_bytes: int, tallies: Tallies) -> None:
        about = {"identity": identity, "n_bytes": n_bytes, "tallies": tallies}
        with write_whole(journal) as file:
            json.dump(about, file)

    if not part.exists() and not journal.exists():
        note(0, (ParseTally(),) * n_texts)
    elif not journal.exists():
        wrong = f"it has no journal {journal.name}"
        raise InputError(str(part), wrong, "delete it, or another --out", kind="conflict")
    try:
        with open(part, "ab") as stream:
            _lock(stream, part)
            n_bytes, before = _read_journal(journal, part, identity, n_texts)
            if os.fstat(stream.fileno()).st_size < n_bytes:
                wrong = "is shorter than its journal says"
                right = f"delete it and {journal.name}"
                raise InputError(str(part), wrong, right, kind="changed")
            stream.truncate(n_bytes)
            stream.seek(0, os.SEEK_END)

            def append(conllu: str, tallies: Tallies) -> None:
                data = conllu.encode()
                if out.suffix == ".gz" and data:  # members that are joined are one gzip file
                    data = gzip.compress(data, mtime=0)
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
                note(stream.tell(), tallies)

            yield before, append
        os.replace(part, out)  # closed before: an open file cannot be renamed everywhere
        journal.unlink()
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error})"
        right = "a writable place with free space; the same command continues from here"
        raise InputError(str(part), wrong, right, kind="unwritable") from error


def _lock(stream: BinaryIO, part: Path) -> None:
    """Keeps a second process off the part. Where the system has no such locks, nothing does."""
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wrong = "another process is writing to it"
            right = "wait for it, or another --out"
            raise InputError(str(part), wrong, right, kind="conflict") from None
        except OSError:  # a file system without locks
            return


def _read_journal(journal: Path, part: Path, identity: str, n_texts: int) -> tuple[int, Tallies]:
    try:
        about = json.loads(read_text(journal))
        n_bytes = int(about["n_bytes"])
        tallies = tuple(ParseTally(*map(int, numbers)) for numbers in about["tallies"])
        of_this_run = about["identity"] == identity and len(tallies) == n_texts
    except (ValueError, KeyError, TypeError, RecursionError):
        wrong = "this is not the journal of a parse"
        raise InputError(str(journal), wrong, f"delete it and {part.name}", kind="format") from None
    if not of_this_run:
        wrong = "it was begun with other texts, another parser or other models"
        right = f"the same again, or delete it and {journal.name}"
        raise InputError(str(part), wrong, right, kind="changed")
    return n_bytes, tallies
