"""Raw text → CoNLL-U: the public function `parse`.

What comes out depends on the texts and the parser alone: a sentence's id is made of its text's
name, its paragraph's number and its own number in the paragraph, so that a run that goes on after
the n-th paragraph gives the bytes that it would have given without a stop.

Behind `--out` the work survives a kill: `OUT.part` has a line that says whose parse it is, then the
parser's output for each paragraph, as JSON on a line. A line that a killed run left unfinished is
cut off by the next run, which goes on there. At the end the sentences get their comments, `OUT` is
written whole, and the part goes.
"""

import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from pathlib import Path
from typing import BinaryIO

from ...data.errors import InputError
from ...data.files import Paths, listed_paths, numbered_lines, sha256_file, spooled, write_whole
from ...data.items.tree import comment_in
from ...data.languages import checked_language
from ...data.progress import Progress, silent
from ...data.result import Result
from ...data.tables import Row
from ..treebank.conllu import read
from ..treebank.treebank import ENDINGS, PACKED
from . import PARSED_BY, PARSED_FROM, parsed_by, parser_named
from .protocol import Parser, ParserModels

LINE, BLANK = "line", "blank"
BATCH = 200  # paragraphs that are parsed at a time; a parser may take them in smaller parts
DEFAULT_PACKAGE = "default"
# Control characters, tabs, all that some program takes for a line end, and ASCII blanks: inside a
# paragraph they are one blank. Other blanks (no-break, ideographic) belong to the text.
BREAKS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
TASK = "paragraphs parsed"
FORMAT = "2"  # of a part; one of another format is not gone on with
COLUMNS = ("text", "division", "n_paragraphs", "n_empty", "n_sentences", "n_words")
# Comments that are written here, whatever a parser wrote under the same keys.
OWN = re.compile(rf"#\s*(?:(?:sent_id|{PARSED_BY}|{PARSED_FROM})\s*=|new(?:doc|par)(?:\s|$))")
TEXT = re.compile(r"#\s*text\s*=")


@dataclass(frozen=True, slots=True)
class RawTextFile:
    """A file of raw text that was looked through once."""

    path: Path
    name: str  # of its own among the texts of a run: sentence ids begin with it
    digest: str  # SHA-256 (hex) of the file's bytes
    division: str  # "line" or "blank": what ends a paragraph
    n_paragraphs: int


def survey(paths: Sequence[Path]) -> tuple[RawTextFile, ...]:
    """Read texts through once, so that a fault shows before hours of parsing.

    Args:
        paths: plain text in UTF-8, packed or not.

    Returns:
        One record per file: its division, number of paragraphs, digest, and a name for ids. Where a
        blank line stands between two lines of a file, a paragraph is what stands between blank
        lines (line ends inside are blanks); else every line is one.

    Raises:
        InputError: bytes that are not UTF-8, a file without text, CoNLL-U, or two files of one
            name.

    >>> _ = Path("a.txt").write_text("One line.\\nAnother.\\n\\nA third.\\n")
    >>> [(text.name, text.division, text.n_paragraphs) for text in survey([Path("a.txt")])]
    [('a', 'blank', 2)]
    """
    texts: dict[str, RawTextFile] = {}
    for path in paths:
        if path.name.endswith(ENDINGS):
            right = f"plain text; or colorless mine {path}"
            raise InputError(str(path), "this is parsed already", right, kind="format")
        blocks = [sum(1 for _ in lines) for full, lines in groupby(_lines(path), bool) if full]
        division = BLANK if len(blocks) > 1 else LINE
        n_paragraphs = len(blocks) if division == BLANK else sum(blocks)
        if n_paragraphs == 0:
            raise InputError(str(path), "no text in it", "plain text in UTF-8", kind="empty")
        # without ending, fit for a sentence id (no blanks; `/` is UD's)
        name = re.sub(r"[\s/]+", "_", Path(PACKED.sub("", path.name)).stem)
        if name in texts:
            wrong = f"two texts of one run are called {name}"
            location = str(texts[name].path)
            raise InputError(location, wrong, "other names", kind="conflict")
        texts[name] = RawTextFile(path, name, sha256_file(path), division, n_paragraphs)
    return tuple(texts.values())


def paragraphs(text: RawTextFile) -> Iterator[str]:
    """Read the paragraphs of a text, one at a time.

    Args:
        text: a text that `survey` looked through.

    Yields:
        Each paragraph on one line, not blank.

    >>> _ = Path("a.txt").write_text("One line.\\nAnother.\\n\\nA third.\\n")
    >>> list(paragraphs(survey([Path("a.txt")])[0]))
    ['One line. Another.', 'A third.']
    """
    if text.division == LINE:
        yield from filter(None, _lines(text.path))
    else:
        yield from (" ".join(lines) for full, lines in groupby(_lines(text.path), bool) if full)


def _lines(path: Path) -> Iterator[str]:
    """Read the lines without control characters, and without blanks at their ends."""
    return (BREAKS.sub(" ", line).strip() for _, line in numbered_lines(path))


@dataclass(frozen=True, repr=False, eq=False)
class Parse(Result):
    """What came of each text; the CoNLL-U itself where it went to no file."""

    conllu: str = ""


def parse(
    texts: Paths,
    *,
    language: str = "",
    parser: str = "stanza",
    model: str | Path = "",
    device: str = "auto",
    download: bool = False,
    out: str | Path | None = None,
    write: Callable[[str], object] | None = None,
    progress: Progress = silent,
) -> Parse:
    """Parse raw text to CoNLL-U with Stanza or another parser.

    Args:
        texts: plain text, also packed; - for standard input
        language: language of the text (BCP-47 code)
        parser: name of the parser; other packages may bring more
        model: folder with the parser's models, or the name of one of its packages
            [default: the parser's own]
        device: auto, cpu or cuda[:N]
        download: download missing models
        out: file for the parse; a run that was cut off goes on where it stopped
        write: gets the CoNLL-U piece by piece, where there is no `out`
        progress: called with (task, done, total) as the work proceeds

    Returns:
        With `out`, one row per text; else the CoNLL-U.

    Raises:
        InputError: for texts that cannot be read, an unknown parser, or models that are not there.

    Commands:
        colorless parse novel.txt --language it --download --out novel.conllu
        colorless parse - --language de --model ~/stanza

    >>> parse("text.txt", language="it").conllu  # doctest: +SKIP
    """
    if not language:
        right = "the text's, such as it for Italian"
        raise InputError("language", "no language was named", right, kind="missing")
    code = checked_language(language).lower()  # as Stanza writes zh-hans
    with spooled(listed_paths(texts), ".txt") as (paths, _):
        surveyed = survey(paths)
        chosen = parser_named(parser)(code, _models(model, device, download))
        if out is not None:
            return parse_into(Path(out), surveyed, chosen, progress=progress)
        pieces: list[str] = []
        outputs = chain.from_iterable(_outputs(surveyed, chosen, BATCH, 0, progress))
        for _, blocks, _ in _stamped(surveyed, chosen, outputs):
            (write or pieces.append)("".join(blocks))
        return Parse((), COLUMNS, [_divisions(surveyed)], conllu="".join(pieces))


def _models(model: str | Path, device: str, download: bool) -> ParserModels:
    """Return the models that a folder has (a path, or what looks like one), or a package's."""
    is_folder = isinstance(model, Path) or os.sep in model or model.startswith((".", "~"))
    if is_folder or (model and os.path.isdir(model)):
        return ParserModels(Path(model).expanduser(), DEFAULT_PACKAGE, device, download)
    return ParserModels(None, str(model) or DEFAULT_PACKAGE, device, download)


def _divisions(texts: Sequence[RawTextFile]) -> str:
    """Return a line that says where the paragraphs of each text end."""
    ends = {LINE: "each line is one", BLANK: "blank lines part them"}
    found = (f"{text.name}: {text.n_paragraphs:,} ({ends[text.division]})" for text in texts)
    return f"paragraphs: {'; '.join(found)}"


def parse_into(
    out: Path,
    texts: Sequence[RawTextFile],
    parser: Parser,
    *,
    batch: int = BATCH,
    progress: Progress = silent,
) -> Parse:
    """Parse texts into a file, whole or not at all.

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
        if (parsed_by(comments), comment_in(comments, PARSED_FROM)) == (parser.signature, digest):
            message = f"{out}: the same text was parsed by {parser.signature} before"
            return Parse((), COLUMNS, (message,))
    identity = hashlib.sha256("\n".join((FORMAT, parser.signature, digest)).encode()).hexdigest()
    part = out.with_name(out.name + ".part")
    counts: list[Counter[str]] = [Counter() for _ in texts]
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        with open(part, "a+b") as stream:
            _lock(stream, part)
            n_before = _resumed(stream, part, f"{identity}\n".encode())
            for outputs in _outputs(texts, parser, batch, n_before, progress):
                for conllu in outputs:
                    stream.write(json.dumps(conllu, ensure_ascii=False).encode() + b"\n")
                stream.flush()
                os.fsync(stream.fileno())
            stream.seek(len(identity) + 1)
            with write_whole(out) as file:
                for index, blocks, n_words in _stamped(texts, parser, map(json.loads, stream)):
                    file.writelines(blocks)
                    counts[index].update(
                        n_empty=not blocks, n_sentences=len(blocks), n_words=n_words
                    )
                if not any(count["n_sentences"] for count in counts):
                    wrong, right = "the parser found no sentence", "text in the parser's language"
                    raise InputError(str(texts[0].path), wrong, right, kind="empty")
        part.unlink()
    except OSError as error:
        wrong = f"cannot be written ({error.strerror or error})"
        right = "a writable place with free space; the same command continues from here"
        raise InputError(str(part), wrong, right, kind="unwritable") from error
    messages = [f"parsed by {parser.signature}", _divisions(texts)]
    messages += [f"went on after {n_before:,} paragraphs"] if n_before else []
    rows: list[Row] = [
        {
            "text": text.name,
            "division": text.division,
            "n_paragraphs": text.n_paragraphs,
            **{name: count[name] for name in COLUMNS[3:]},
        }
        for text, count in zip(texts, counts, strict=True)
    ]
    return Parse(rows, COLUMNS, messages)


def _texts_digest(texts: Sequence[RawTextFile]) -> str:
    """16 hex digits that change with any byte, name, order or division of the texts."""
    parts = (f"{text.name}\t{text.division}\t{text.digest}" for text in texts)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _outputs(
    texts: Sequence[RawTextFile], parser: Parser, batch: int, n_done: int, progress: Progress
) -> Iterator[Sequence[str]]:
    """Give the CoNLL-U of the paragraphs after the first `n_done`, `batch` at a time, whatever text
    they are from."""
    total = sum(text.n_paragraphs for text in texts)
    waiting = islice(chain.from_iterable(map(paragraphs, texts)), n_done, None)
    progress(TASK, n_done, total)
    while chunk := list(islice(waiting, batch)):
        outputs = parser.parse(chunk)
        assert len(outputs) == len(chunk), "a parser gave more or fewer parses than texts"
        yield outputs
        n_done += len(chunk)
        progress(TASK, n_done, total)


def _stamped(
    texts: Sequence[RawTextFile], parser: Parser, outputs: Iterator[str]
) -> Iterator[tuple[int, list[str], int]]:
    """Give for each paragraph the number of its text, the blocks of its sentences, and its words.

    `outputs` has the parser's CoNLL-U of every paragraph. The first sentence of all gets the
    comments `# parsed_by` and `# parsed_from`, the first of a text `# newdoc id`, the first of a
    paragraph `# newpar id`, each a `# sent_id` and its `# text`. A sentence without `# text` breaks
    the parser's promise (`AssertionError`).
    """
    pending = [f"# {PARSED_BY} = {parser.signature}", f"# {PARSED_FROM} = {_texts_digest(texts)}"]
    for index, text in enumerate(texts):
        pending.append(f"# newdoc id = {text.name}")
        for number, conllu in enumerate(islice(outputs, text.n_paragraphs), start=1):
            blocks: list[str] = []
            n_words = 0
            for block in re.split(r"\n\s*\n", conllu.strip("\n")):
                written = block.split("\n")
                rows = [line for line in written if line and not line.startswith("#")]
                if not rows:
                    continue
                comments = [line for line in written if line.startswith("#")]
                spoken = [line for line in comments if TEXT.match(line)]
                assert len(spoken) == 1, f"a parser gave a sentence without its text: {rows[0]!r}"
                if not blocks:
                    pending.append(f"# newpar id = {text.name}-{number}")
                lines = [*pending, f"# sent_id = {text.name}-{number}-{len(blocks) + 1}", *spoken]
                pending = []
                lines += [line for line in comments if not TEXT.match(line) and not OWN.match(line)]
                blocks.append("\n".join([*lines, *rows]) + "\n\n")
                n_words += sum(row.partition("\t")[0].isdecimal() for row in rows)
            yield index, blocks, n_words
        pending = [line for line in pending if not line.startswith("# newdoc")]


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
    """Keep a second process off the part. Where the system has no such locks, nothing does."""
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
