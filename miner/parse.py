"""Parse raw text to CoNLL-U: the public function `parse`; and tell which parser made a file.

The output depends on the texts and the parser alone. A sentence's id is made of its text's name,
the number of its paragraph and its own number in the paragraph, so that a run that was interrupted
and continued gives the same bytes as one without a stop.

With `--out`, an interrupted run can be continued. The *part file* `OUT.part` has a line that
identifies texts and parser, then the parser's output for each paragraph, as JSON on one line. The
next run cuts off an unfinished line, and continues there. At the end the sentences get their
comments, `OUT` is written whole, and the part file is deleted.

The first sentence of a file says which parser made it:

    # parsed_by = stanza 1.15.0 it tokenize+mwt+pos+lemma+depparse 9c1185a5c5e9fc54
    # parsed_from = 0a4d55a8d778e502

UDPipe 2 names itself there too (`# generator = UDPipe 2, https://…`, `# udpipe_model = …`, written
by its server before the first sentence). The writers of Stanza, spaCy and UDPipe 1 leave no such
comment, so that the parser of their files remains unknown.
"""

import fcntl
import hashlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from pathlib import Path
from typing import BinaryIO, Protocol

from ..data.errors import InputError
from ..data.files import Paths, listed_paths, numbered_lines, sha256_file, spool_stdin, write_whole
from ..data.items.tree import comment_in
from ..data.languages import checked_language
from ..data.progress import Progress, silent
from ..data.registry import load
from ..data.result import Result
from ..data.tables import Row
from .treebank.conllu import read
from .treebank.treebank import ENDINGS, PACKED_ENDING

STANZA = {"stanza": ".miner.stanza_parser:load"}  # imported late, since it needs torch
PARSED_BY = "parsed_by"  # the parser's signature
PARSED_FROM = "parsed_from"  # digest of the text, to recognise a repeated request
LINE, BLANK = "line", "blank"  # divisions of a text: a paragraph ends with its line, at a blank one
DIVISION_NOTES = {LINE: "each line is one", BLANK: "blank lines part them"}
BATCH = 200  # paragraphs that are parsed at a time; a parser may take them in smaller parts
# Control characters, tabs, ASCII blanks, and everything that some program takes for a line end.
# They become one blank inside a paragraph. Other blanks (no-break, ideographic) stay as they are.
BLANKS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
PROGRESS_TASK = "paragraphs parsed"
PART_VERSION = "2"  # version of the part file; others are refused
COLUMNS = ("text", "division", "n_paragraphs", "n_empty", "n_sentences", "n_words")


def parsed_by(comments: Sequence[str]) -> str:
    """Return the parser that made a file, from the comments of its first sentence.

    Args:
        comments: the sentence's comments as raw lines, with `#`.

    Returns:
        Parser and version as written; "" if no comment names one.

    >>> parsed_by(["# generator = UDPipe 2", "# udpipe_model = english-ewt-ud-2.15"])
    'UDPipe 2, english-ewt-ud-2.15'
    """
    parser = comment_in(comments, PARSED_BY)
    if parser:
        return parser
    model = comment_in(comments, "udpipe_model") or ""
    generator = comment_in(comments, "generator") or ("UDPipe" if model else "")
    return f"{generator}, {model}" if model else generator


class Parser(Protocol):
    """A parser that turns raw text into CoNLL-U."""

    @property
    def signature(self) -> str:
        """A line that identifies its parses: parser, version, language, models."""
        ...

    def parse(self, texts: Sequence[str]) -> Sequence[str]:
        """Return the CoNLL-U of each paragraph, "" for one without a sentence.

        Every sentence has the comment `# text`. The parse of one paragraph does not depend on the
        others.
        """
        ...


@dataclass(frozen=True, slots=True)
class RawText:
    """A file of raw text, with facts from reading it through once."""

    path: Path
    name: str  # unique among the texts of a run, since sentence ids begin with it
    digest: str  # SHA-256 (hex) of the file's bytes
    division: str  # a paragraph ends with its line (`LINE`), or at a blank line (`BLANK`)
    n_paragraphs: int

    def paragraphs(self) -> Iterator[str]:
        """Yield the paragraphs, each as one line."""
        if self.division == LINE:
            return filter(None, _lines(self.path))
        groups = groupby(_lines(self.path), bool)
        return (" ".join(lines) for has_text, lines in groups if has_text)


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file without control characters, and without blanks at their ends."""
    return (BLANKS.sub(" ", line).strip() for _, line in numbered_lines(path))


def _surveyed_texts(paths: Sequence[Path]) -> tuple[RawText, ...]:
    """Read all texts through once, so that faults show before hours of parsing; return their facts.

    If a file has a blank line between two lines, blank lines separate its paragraphs; else every
    line is a paragraph.
    """
    texts: dict[str, RawText] = {}
    for path in paths:
        if path.name.endswith(ENDINGS):
            right = f"plain text; or colorless mine {path}"
            raise InputError(str(path), "this is parsed already", right, kind="format")
        lines_by_block = groupby(_lines(path), bool)  # blocks are separated by blank lines
        block_sizes = [sum(1 for _ in lines) for has_text, lines in lines_by_block if has_text]
        if not block_sizes:
            raise InputError(str(path), "no text in it", "plain text in UTF-8", kind="empty")
        has_blocks = len(block_sizes) > 1
        division, n_paragraphs = (BLANK, len(block_sizes)) if has_blocks else (LINE, block_sizes[0])
        # the file's name without ending; sentence ids may have no blanks, and UD reserves `/`
        name = re.sub(r"[\s/]+", "_", Path(PACKED_ENDING.sub("", path.name)).stem)
        if name in texts:
            wrong = f"two texts of one run are called {name}"
            raise InputError(str(texts[name].path), wrong, "other names", kind="conflict")
        texts[name] = RawText(path, name, sha256_file(path), division, n_paragraphs)
    return tuple(texts.values())


@dataclass(frozen=True, repr=False, eq=False)
class Parse(Result):
    """The result of parsing: a row for each text, or the CoNLL-U if it went to no file."""

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
        write: called with the CoNLL-U, where there is no `out`
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
        spool_stdin(listed_paths(texts), ".txt") as (paths, _),
        tempfile.TemporaryDirectory() as folder,
    ):
        _surveyed_texts(paths)  # a faulty text is named before the models are loaded
        load_parser = load(STANZA, "stanza", "parse", "")  # `stanza_parser.load`
        parser = load_parser(code, model, device, download)
        file = Path(folder) / "parse.conllu" if out is None else Path(out)
        result = parse_into(file, paths, parser, progress=progress)
        if out is not None:
            return result
        conllu = file.read_text(encoding="utf-8")
    if write is not None:
        write(conllu)
        conllu = ""
    return Parse((), COLUMNS, result.messages, conllu=conllu)


def parse_into(
    out: Path,
    texts: Sequence[Path],
    parser: Parser,
    *,
    batch: int = BATCH,
    progress: Progress = silent,
) -> Parse:
    """Parse texts into a file with a parser of your own; the file is written whole or not at all.

    An interrupted run is continued. If the file is already the parse of the same texts by the same
    parser, nothing is done.

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
            written, or the part file belongs to a run with other texts or another parser.
    """
    raw_texts = _surveyed_texts(texts)
    text_facts = (f"{text.name}\t{text.division}\t{text.digest}" for text in raw_texts)
    provenance = {PARSED_BY: parser.signature, PARSED_FROM: _digest(*text_facts)[:16]}
    if _is_parse_of(out, provenance):
        message = f"{out}: the same text was parsed by {parser.signature} before"
        return Parse((), COLUMNS, (message,))
    part = out.with_name(out.name + ".part")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "a+b") as stream:
            _lock(stream, part)
            identity = f"{_digest(PART_VERSION, *provenance.values())}\n".encode()
            n_before = _resume(stream, part, identity)
            _parse_rest(stream, raw_texts, n_before, parser, batch, progress)
            stream.seek(len(identity))  # where the first paragraph's parse begins
            rows = _write_parse(out, raw_texts, provenance, map(json.loads, stream))
        part.unlink()
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error})"
        right = "a writable place with free space; the same command continues from here"
        raise InputError(str(part), wrong, right, kind="unwritable") from error
    divisions = (f"{x.name}: {x.n_paragraphs:,} ({DIVISION_NOTES[x.division]})" for x in raw_texts)
    messages = [f"parsed by {parser.signature}", f"paragraphs: {'; '.join(divisions)}"]
    messages += [f"went on after {n_before:,} paragraphs"] if n_before else []
    return Parse(rows, COLUMNS, messages)


def _parse_rest(
    stream: BinaryIO,
    texts: Sequence[RawText],
    n_done: int,
    parser: Parser,
    batch: int,
    progress: Progress,
) -> None:
    """Parse the paragraphs after the first `n_done`, and append the parse of each to the part file
    as a line of JSON, which is on the disk before the next `batch` of paragraphs is parsed."""
    total = sum(text.n_paragraphs for text in texts)
    paragraphs = chain.from_iterable(text.paragraphs() for text in texts)
    remaining = islice(paragraphs, n_done, None)
    progress(PROGRESS_TASK, n_done, total)
    while chunk := list(islice(remaining, batch)):
        # zip raises an error if the parser returns more or fewer than one each
        for _, conllu in zip(chunk, parser.parse(chunk), strict=True):
            stream.write(json.dumps(conllu, ensure_ascii=False).encode() + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
        n_done += len(chunk)
        progress(PROGRESS_TASK, n_done, total)


def _digest(*parts: str) -> str:
    """Return the SHA-256 (hex) of texts joined by line ends."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _is_parse_of(out: Path, provenance: dict[str, str]) -> bool:
    """Return whether a file exists and begins with the comments in `provenance` (parser, texts)."""
    try:
        comments = next(read(out)).comments if out.is_file() else ()  # of the first sentence
    except InputError:  # no CoNLL-U: it will be replaced, as any file that --out names
        return False
    return all(comment_in(comments, name) == value for name, value in provenance.items())


def _write_parse(
    out: Path, texts: Sequence[RawText], provenance: dict[str, str], outputs: Iterator[str]
) -> list[Row]:
    """Write the parse with our comments to `out`; return a row of numbers for each text.

    `outputs` are the parser's CoNLL-U of each paragraph. The file's first sentence gets the
    provenance, the first of a text `# newdoc id`, the first of a paragraph `# newpar id`.
    """
    rows: list[Row] = []
    file_comments = "".join(f"# {name} = {value}\n" for name, value in provenance.items())
    with write_whole(out) as file:
        for text in texts:
            text_comments = f"{file_comments}# newdoc id = {text.name}\n"
            counts = Counter[str]()
            for number, conllu in enumerate(islice(outputs, text.n_paragraphs), start=1):
                paragraph = f"{text.name}-{number}"
                blocks = _sentence_blocks(conllu, paragraph)
                if blocks:
                    file.writelines([text_comments, f"# newpar id = {paragraph}\n", *blocks])
                    text_comments = file_comments = ""  # these are written only once
                lines = (line for block in blocks for line in block.split("\n"))
                ids = (line.partition("\t")[0] for line in lines)  # a word's is a number
                counts["n_words"] += sum(map(str.isdecimal, ids))
                counts["n_sentences"] += len(blocks)
                counts["n_empty"] += not blocks
            facts = {"text": text.name, "division": text.division}
            numbers = {name: counts[name] for name in ("n_empty", "n_sentences", "n_words")}
            rows.append({**facts, "n_paragraphs": text.n_paragraphs, **numbers})
        if file_comments:  # no sentence was written
            wrong, right = "the parser found no sentence", "text in the parser's language"
            raise InputError(str(texts[0].path), wrong, right, kind="empty")
    return rows


def _sentence_blocks(conllu: str, paragraph: str) -> list[str]:
    """Split a paragraph's CoNLL-U into sentences, with id and text as their only comments.

    `paragraph` is the paragraph's id. Return [] if the parser found no sentence.
    """
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", conllu.strip("\n")):
        lines = block.split("\n")
        rows = [line for line in lines if line and not line.startswith("#")]
        if rows:
            (text_comment,) = (line for line in lines if line.startswith("# text ="))
            id_comment = f"# sent_id = {paragraph}-{len(blocks) + 1}"
            blocks.append("\n".join([id_comment, text_comment, *rows]) + "\n\n")
    return blocks


def _resume(stream: BinaryIO, part: Path, identity: bytes) -> int:
    """Make a part file ready to be continued; return the number of paragraphs that it has.

    An unfinished line is cut off. Raises `InputError` if the file does not begin with `identity`,
    the line that identifies texts and parser.
    """
    stream.seek(0)
    first_line = stream.readline()
    if not identity.startswith(first_line):  # it may be empty or cut off
        wrong = "it was begun with other texts, another parser or other models"
        raise InputError(str(part), wrong, "the same again, or delete it", kind="changed")
    n_paragraphs, end = 0, len(first_line)  # `end`: of the last whole line, in bytes
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
    stream.write(identity[end:])  # nothing, unless the file is new or its first line was cut off
    return n_paragraphs


def _lock(stream: BinaryIO, part: Path) -> None:
    """Lock the part file against other processes; do nothing if the file system has no locks.

    Raises `InputError` if another process holds the lock.
    """
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        wrong, right = "another process is writing to it", "wait for it, or another --out"
        raise InputError(str(part), wrong, right, kind="conflict") from None
    except OSError:
        return
