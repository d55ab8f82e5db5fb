"""Raw text to CoNLL-U, and a parse beside the gold treebank: the public function `parse`."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import Paths, listed_paths, spooled
from colorless_green.data.languages import checked_language
from colorless_green.data.progress import Progress, silent
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.miner.conllu import read
from colorless_green.miner.mine import Request
from colorless_green.miner.parse.chunk import Chunk, Tally, parsed, texts_digest
from colorless_green.miner.parse.compare import (
    COLUMNS,
    Annotation,
    annotation_of,
    annotation_rows,
)
from colorless_green.miner.parse.compare_mined import mined_of, mined_rows
from colorless_green.miner.parse.growing import growing
from colorless_green.miner.parse.parser import Models, Parser, parser_named
from colorless_green.miner.parse.provenance import PARSED_FROM, parsed_by, value
from colorless_green.miner.parse.text import Text, survey
from colorless_green.miner.treebank import Treebank, sentences, treebank

TASK = "paragraphs parsed"
FORMAT = "1"  # of what a part holds; a part of another format is not gone on with
TEXT_COLUMNS = ("text", "division", "n_paragraphs", "n_empty", "n_sentences", "n_words")


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
        parser: its name; other packages may bring more (docs/extending.md).
        models: the folder of its models; None: the parser's own.
        package: which of its models.
        device: `auto`, `cpu` or `cuda[:n]`.
        download: fetch models that are not there.
        paragraphs: where they end: `line` (each is one), `blank` (a blank line) or `auto`.
        batch: paragraphs that are parsed at a time.
        gold: the treebank of the same text: nothing is parsed, the parses in `texts` are set
            beside it.
        out: a file for the parse; a run that was cut off goes on where it stopped.
        write: gets the CoNLL-U piece by piece, where there is no `out`.
        progress: is told how far it is.

    Returns:
        With `out`, a row a text; with `gold`, a row a measure; else the CoNLL-U.

    Raises:
        InputError: for texts that cannot be read, an unknown parser, or models that are not there.

    >>> parse("text.txt", language="it").conllu  # doctest: +SKIP
    """
    named = listed_paths(texts)
    if gold:
        return compare_parse(named, listed_paths(gold))
    if not language:
        raise InputError(
            "--language",
            "no language was named",
            "the text's, such as it for Italian",
            kind="missing",
        )
    code = checked_language(language).lower()  # as Stanza writes zh-hans
    with spooled(named, ".txt") as (paths, _):
        surveyed = survey(paths, paragraphs)
        folder = None if models is None else Path(models)
        chosen = parser_named(parser)(code, Models(folder, package, device, download))
        if out is not None:
            return parse_into(Path(out), surveyed, chosen, batch=batch, progress=progress)
        pieces: list[str] = []
        for chunk in _shown(surveyed, chosen, _nothing(surveyed), batch, progress):
            (write or pieces.append)(chunk.conllu)
        return Parse((), TEXT_COLUMNS, conllu="".join(pieces))


def parse_into(
    out: Path, texts: Sequence[Text], parser: Parser, *, batch: int, progress: Progress = silent
) -> Parse:
    """The parse of all texts in the file `out`, whole or not at all; see `parse_texts`."""
    if _parsed_before(out, texts, parser):
        return Parse(
            (), TEXT_COLUMNS, (f"{out}: the same text was parsed by {parser.signature} before",)
        )
    parts = (FORMAT, parser.signature, texts_digest(texts))
    identity = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    with growing(out, identity, len(texts)) as file:
        n_before = _n_paragraphs(file.tallies)
        for chunk in _shown(texts, parser, file.tallies, batch, progress):
            file.append(chunk)
        tallies = file.tallies
        if not any(tally.n_sentences for tally in tallies):
            raise InputError(
                str(texts[0].path),
                "the parser found no sentence",
                "text in the parser's language",
                kind="empty",
            )
    messages = [f"parsed by {parser.signature}"]
    messages += [f"went on after {n_before:,} paragraphs"] if n_before else []
    return Parse(list(_text_rows(texts, tallies)), TEXT_COLUMNS, messages)


def _parsed_before(out: Path, texts: Sequence[Text], parser: Parser) -> bool:
    if not out.is_file():
        return False
    try:
        comments = next(read(out)).comments
    except InputError:  # some other file: it is replaced, as any file behind --out
        return False
    return (parsed_by(comments), value(comments, PARSED_FROM)) == (
        parser.signature,
        texts_digest(texts),
    )


def _nothing(texts: Sequence[Text]) -> tuple[Tally, ...]:
    return (Tally(),) * len(texts)


def _n_paragraphs(tallies: Sequence[Tally]) -> int:
    return sum(tally.n_paragraphs for tally in tallies)


def _shown(
    texts: Sequence[Text], parser: Parser, done: Sequence[Tally], batch: int, progress: Progress
) -> Iterator[Chunk]:
    """The chunks as they come, each told to `progress` once it is dealt with."""
    total = sum(text.n_paragraphs for text in texts)
    progress(TASK, _n_paragraphs(done), total)
    for chunk in parsed(texts, parser, batch=batch, done=done):
        yield chunk
        progress(TASK, _n_paragraphs(chunk.tallies), total)


def _text_rows(texts: Sequence[Text], tallies: Sequence[Tally]) -> Iterator[Row]:
    for text, tally in zip(texts, tallies, strict=True):
        yield {
            "text": text.name,
            "division": text.division,
            "n_paragraphs": tally.n_paragraphs,
            "n_empty": tally.n_empty,
            "n_sentences": tally.n_sentences,
            "n_words": tally.n_words,
        }


def compare_parse(
    parses: Sequence[Path], gold: Sequence[Path], request: Request = Request()
) -> Parse:
    """A parse (CoNLL-U of any parser) beside the gold treebank of the same text.

    Either may be several files or a folder, in the order of the text. The rows are those of
    `annotation_rows` and `mined_rows`, mined from both under `request`; the repair "auto" is
    decided by the gold treebank and then done to both.
    """
    source = treebank(gold, renumber=True)  # sentences are told by their text: any ids will do
    other = treebank(parses, language=source.language, renumber=True)
    request = replace(request, renumber=True)
    rows = list(annotation_rows(_annotation(source), _annotation(other)))
    ours, mining = mined_of(source, request)
    theirs, _ = mined_of(other, replace(request, repair=mining.repair))
    by = parsed_by(next(read(other.files[0])).comments) or "a parser that it does not name"
    messages = (
        f"{other.name}: parsed by {by}",
        f"mined from both: rule {mining.rule}; repair {mining.repair}",
    )
    return Parse([*rows, *mined_rows(ours, theirs)], COLUMNS, messages)


def _annotation(source: Treebank) -> Annotation:
    return annotation_of(sentence for _, sentence in sentences(source))
