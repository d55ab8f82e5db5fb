"""Raw text → CoNLL-U: the public function `parse`.

What comes out depends on the texts and the parser alone: a sentence's id is made of its text's
name, its paragraph's number and its own number in the paragraph, so that a run that goes on after
the n-th paragraph gives the bytes that it would have given without a stop.

Behind `--out` the work survives a kill: `OUT.part` has a line that identifies texts and parser,
then the parser's output for each paragraph, as JSON on a line. A line that a killed run left
unfinished is cut off by the next run, which goes on there. At the end the sentences get their
comments, `OUT` is written whole, and the part is deleted.
"""

import hashlib
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from pathlib import Path
from typing import BinaryIO, Protocol

from ...data.errors import InputError
from ...data.files import (
    Paths,
    listed_paths,
    numbered_lines,
    sha256_file,
    spooled,
    write_whole,
)
from ...data.items.tree import comment_in
from ...data.languages import checked_language
from ...data.progress import Progress, silent
from ...data.registry import load
from ...data.result import Result
from ...data.tables import Row
from ..treebank.conllu import read
from ..treebank.treebank import ENDINGS, PACKED
from . import PARSED_BY, PARSED_FROM, parsed_by

STANZA = {"stanza": ".miner.parse.stanza:load"}  # needs torch: imported when there is text to parse
LINE, BLANK = "line", "blank"
BATCH = 200  # paragraphs that are parsed at a time; a parser may take them in smaller parts
# Control characters, tabs, ASCII blanks, and all that some program takes for a line end: inside a
# paragraph they become one blank. Other blanks (no-break, ideographic) belong to the text.
BREAKS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
PIECE = 1 << 20  # characters that `write` is given at a time
TASK = "paragraphs parsed"
FORMAT = "2"  # of a part; a part of another format is refused
COLUMNS = ("text", "division", "n_paragraphs", "n_empty", "n_sentences", "n_words")


class Parser(Protocol):
    """A parser that turns raw text into CoNLL-U."""

    @property
    def signature(self) -> str:
        """A line that identifies its parses: parser, version, language, models."""
        ...

    def parse(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the CoNLL-U of each paragraph, "" where there is no sentence in it.

        Every sentence has the comment `# text`. The parse of one paragraph does not depend on the
        others.
        """
        ...


@dataclass(frozen=True, slots=True)
class RawTextFile:
    """A file of raw text that was read through once."""

    path: Path
    name: str  # unique among the texts of a run: sentence ids begin with it
    digest: str  # SHA-256 (hex) of the file's bytes
    division: str  # "line" or "blank": what ends a paragraph
    n_paragraphs: int


def _surveyed(paths: Sequence[Path]) -> tuple[RawTextFile, ...]:
    """Read texts through, so that a fault shows before hours of parsing.

    Where a blank line is between two lines of a file, its paragraphs are parted by blank lines
    (line ends inside are blanks); else every line is one.
    """
    texts: dict[str, RawTextFile] = {}
    for path in paths:
        if path.name.endswith(ENDINGS):
            right = f"plain text; or colorless mine {path}"
            raise InputError(str(path), "this is parsed already", right, kind="format")
        blocks = [sum(1 for _ in lines) for full, lines in groupby(_lines(path), bool) if full]
        if not blocks:
            raise InputError(str(path), "no text in it", "plain text in UTF-8", kind="empty")
        division, n_paragraphs = (BLANK, len(blocks)) if len(blocks) > 1 else (LINE, blocks[0])
        # without ending, fit for a sentence id (no blanks; `/` is UD's)
        name = re.sub(r"[\s/]+", "_", Path(PACKED.sub("", path.name)).stem)
        if name in texts:
            wrong = f"two texts of one run are called {name}"
            raise InputError(str(texts[name].path), wrong, "other names", kind="conflict")
        texts[name] = RawTextFile(path, name, sha256_file(path), division, n_paragraphs)
    return tuple(texts.values())


def _paragraphs(text: RawTextFile) -> Iterator[str]:
    """Yield the paragraphs of a text, each on one line."""
    if text.division == LINE:
        yield from filter(None, _lines(text.path))
    else:
        yield from (" ".join(lines) for full, lines in groupby(_lines(text.path), bool) if full)


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines without control characters, and without blanks at their ends."""
    return (BREAKS.sub(" ", line).strip() for _, line in numbered_lines(path))


@dataclass(frozen=True, repr=False, eq=False)
class Parse(Result):
    """A row for each text, or the CoNLL-U where it was written to no file."""

    conllu: str = ""


def parse(
    texts: Paths,
    *,
    language: str = "",
    model: str | Path = "",
    device: str = "auto",
    download: bool = False,
    out: str | Path | None = None,
    write: Callable[[str], object] | None = None,
    progress: Progress = silent,
) -> Parse:
    """Parse raw text to CoNLL-U with Stanza.

    Args:
        texts: plain text, also packed; - for standard input
        language: language of the text (BCP-47 code)
        model: folder with Stanza's models, or the name of one of its packages
            [default: Stanza's own folder and package]
        device: auto, cpu or cuda[:N]
        download: download missing models
        out: file for the parse; a run that was cut off goes on where it stopped
        write: called with the CoNLL-U piece by piece, where there is no `out`
        progress: called with (task, done, total) as the work proceeds

    Returns:
        With `out`, one row per text; else the CoNLL-U.

    Raises:
        InputError: for texts that cannot be read, and models that are not there.

    Commands:
        colorless parse novel.txt --language it --download --out novel.conllu
        colorless parse - --language de --model ~/stanza

    >>> parse("text.txt", language="it").conllu  # doctest: +SKIP
    """
    if not language:
        right = "the text's, such as it for Italian"
        raise InputError("language", "no language was named", right, kind="missing")
    code = checked_language(language).lower()  # as Stanza writes zh-hans
    with (
        spooled(listed_paths(texts), ".txt") as (paths, _),
        tempfile.TemporaryDirectory() as folder,
    ):
        _surveyed(paths)  # a faulty text is named before the models are loaded
        parser = load(STANZA, "stanza", "parse", "")(code, model, device, download)
        file = Path(folder) / "parse.conllu" if out is None else Path(out)
        result = parse_into(file, paths, parser, progress=progress)
        if out is not None:
            return result
        pieces: list[str] = []
        with file.open(encoding="utf-8", newline="\n") as stream:
            while piece := stream.read(PIECE):
                (write or pieces.append)(piece)
    return Parse((), COLUMNS, result.messages, conllu="".join(pieces))


def _divisions(texts: Sequence[RawTextFile]) -> str:
    """Return a line that says where the paragraphs of each text end."""
    ends = {LINE: "each line is one", BLANK: "blank lines part them"}
    found = (f"{text.name}: {text.n_paragraphs:,} ({ends[text.division]})" for text in texts)
    return f"paragraphs: {'; '.join(found)}"


def parse_into(
    out: Path,
    texts: Sequence[Path],
    parser: Parser,
    *,
    batch: int = BATCH,
    progress: Progress = silent,
) -> Parse:
    """Parse texts into a file with a parser of your own, whole or not at all.

    A run that was cut off is continued; where the file is the parse of the same texts by the same
    parser already, nothing is done.

    Args:
        out: the CoNLL-U file; a name that ends in `.gz` is packed.
        texts: plain text in UTF-8, packed or not.
        parser: an object with `signature` and `parse(texts)`, as `StanzaParser` has them.
        batch: paragraphs that are parsed at a time.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        One row per text: paragraphs, sentences and words.

    Raises:
        InputError: a text cannot be read, the parser found no sentence, the file cannot be
            written, or another run's part of it is there.
    """
    surveyed = _surveyed(texts)
    digest = _texts_digest(surveyed)
    if _is_parse_of(out, parser, digest):
        message = f"{out}: the same text was parsed by {parser.signature} before"
        return Parse((), COLUMNS, (message,))
    identity = hashlib.sha256("\n".join((FORMAT, parser.signature, digest)).encode()).hexdigest()
    part = out.with_name(out.name + ".part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "a+b") as stream:
            _lock(stream, part)
            n_before = _resumed(stream, part, f"{identity}\n".encode())
            for outputs in _outputs(surveyed, parser, batch, n_before, progress):
                for conllu in outputs:
                    stream.write(json.dumps(conllu, ensure_ascii=False).encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
            stream.seek(len(identity) + 1)
            rows = _written(out, surveyed, parser, map(json.loads, stream))
        part.unlink()
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error})"
        right = "a writable place with free space; the same command continues from here"
        raise InputError(str(part), wrong, right, kind="unwritable") from error
    messages = [f"parsed by {parser.signature}", _divisions(surveyed)]
    messages += [f"went on after {n_before:,} paragraphs"] if n_before else []
    return Parse(rows, COLUMNS, messages)


def _is_parse_of(out: Path, parser: Parser, digest: str) -> bool:
    """Return whether a file is the parse of the texts of this digest by this parser."""
    try:
        comments = next(read(out)).comments if out.is_file() else ()
    except InputError:  # some other file: it is replaced, as any file behind --out
        return False
    return (parsed_by(comments), comment_in(comments, PARSED_FROM)) == (parser.signature, digest)


def _written(
    out: Path, texts: Sequence[RawTextFile], parser: Parser, outputs: Iterator[str]
) -> list[Row]:
    """Write the parser's CoNLL-U of every paragraph with our comments; return a row for each text.

    The first sentence of all gets `# parsed_by` and `# parsed_from`, the first of a text
    `# newdoc id`, the first of a paragraph `# newpar id`.
    """
    rows: list[Row] = []
    provenance = f"# {PARSED_BY} = {parser.signature}\n# {PARSED_FROM} = {_texts_digest(texts)}\n"
    with write_whole(out) as file:
        for text in texts:
            counts = Counter[str]()
            for number, conllu in enumerate(islice(outputs, text.n_paragraphs), start=1):
                paragraph = f"{text.name}-{number}"
                blocks = _blocks(conllu, paragraph)
                if blocks and not counts["n_sentences"]:
                    file.write(f"{provenance}# newdoc id = {text.name}\n")
                    provenance = ""
                if blocks:
                    file.write(f"# newpar id = {paragraph}\n")
                file.writelines(blocks)
                words = (line for block in blocks for line in block.split("\n"))
                counts["n_words"] += sum(row.partition("\t")[0].isdecimal() for row in words)
                counts["n_sentences"] += len(blocks)
                counts["n_empty"] += not blocks
            facts = {"text": text.name, "division": text.division}
            numbers = {name: counts[name] for name in COLUMNS[3:]}
            rows.append({**facts, "n_paragraphs": text.n_paragraphs, **numbers})
        if provenance:
            wrong, right = "the parser found no sentence", "text in the parser's language"
            raise InputError(str(texts[0].path), wrong, right, kind="empty")
    return rows


def _texts_digest(texts: Sequence[RawTextFile]) -> str:
    """Return 16 hex digits that change with any byte, name, order or division of the texts."""
    parts = (f"{text.name}\t{text.division}\t{text.digest}" for text in texts)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _outputs(
    texts: Sequence[RawTextFile], parser: Parser, batch: int, n_done: int, progress: Progress
) -> Iterator[Sequence[str]]:
    """Yield the CoNLL-U of the paragraphs after the first `n_done`, `batch` at a time."""
    total = sum(text.n_paragraphs for text in texts)
    waiting = islice(chain.from_iterable(map(_paragraphs, texts)), n_done, None)
    progress(TASK, n_done, total)
    while chunk := list(islice(waiting, batch)):
        outputs = parser.parse(chunk)
        assert len(outputs) == len(chunk)
        yield outputs
        n_done += len(chunk)
        progress(TASK, n_done, total)


def _blocks(conllu: str, paragraph: str) -> list[str]:
    """Return the sentences of a paragraph, each with its id and its text as comments."""
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", conllu.strip("\n")):
        lines = block.split("\n")
        rows = [line for line in lines if line and not line.startswith("#")]
        if rows:
            (text,) = (line for line in lines if line.startswith("# text ="))
            comments = [f"# sent_id = {paragraph}-{len(blocks) + 1}", text]
            blocks.append("\n".join([*comments, *rows]) + "\n\n")
    return blocks


def _resumed(stream: BinaryIO, part: Path, identity: bytes) -> int:
    """Return the number of paragraphs that a part holds, and cut off what is unfinished."""
    stream.seek(0)
    first_line = stream.readline()
    if not identity.startswith(first_line):
        wrong = "it was begun with other texts, another parser or other models"
        raise InputError(str(part), wrong, "the same again, or delete it", kind="changed")
    n_paragraphs, end = 0, len(first_line)
    for line in stream:
        try:
            is_whole = isinstance(json.loads(line), str) and line.endswith(b"\n")
        except (ValueError, RecursionError):
            is_whole = False
        if not is_whole:
            break
        n_paragraphs += 1
        end += len(line)
    stream.truncate(end)
    stream.seek(0, os.SEEK_END)
    if end < len(identity):  # new, or killed while it was begun
        stream.write(identity[end:])
    return n_paragraphs


def _lock(stream: BinaryIO, part: Path) -> None:
    """Keep a second process off the part, where the system has locks."""
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
