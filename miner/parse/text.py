"""Raw text as paragraphs: plain UTF-8 files, or the text of a treebank to be parsed anew."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.files import numbered_lines, sha256_file
from colorless_green.data.registry import nearest
from colorless_green.miner.conllu import read
from colorless_green.miner.surface import surface_tokens
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import ENDINGS, PACKED

AUTO, LINE, BLANK = "auto", "line", "blank"
TREEBANK = "treebank"
DIVISIONS = (AUTO, LINE, BLANK)
# Control characters, tabs, all that some program takes for a line end, and ASCII blanks: inside a
# paragraph they are one blank. Other blanks (no-break, ideographic) belong to the text.
BREAKS = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]+")
NEW_PARAGRAPH = re.compile(r"#\s*new(?:par|doc)(?:\s|$)")
# Half of UD's treebanks mark no paragraphs. One paragraph of the whole file would not fit in
# memory, one per sentence would give the sentence ends away: this gives away one in a hundred.
LONGEST = 100  # sentences of a treebank in a paragraph


@dataclass(frozen=True, slots=True)
class RawTextFile:
    """A file of raw text that was looked through once."""

    path: Path
    name: str  # of its own among the texts of a run: sentence ids begin with it
    digest: str  # SHA-256 (hex) of the file's bytes
    division: str  # "line", "blank" or "treebank": what ends a paragraph
    n_paragraphs: int


def survey(paths: Sequence[Path], division: str = AUTO) -> tuple[RawTextFile, ...]:
    """Reads texts through once, so that a fault shows before hours of parsing.

    Args:
        paths: plain text in UTF-8, packed or not; a CoNLL-U file stands for the text of its
            sentences (`treebank_paragraphs`).
        division: what a paragraph of plain text is: `line` (every line), `blank` (what stands
            between blank lines; line ends inside are blanks) or `auto` (`blank` where a blank line
            stands between two lines of the file, else `line`).

    Returns:
        One record per file: its division, number of paragraphs, digest, and a name for ids.

    Raises:
        InputError: bytes that are not UTF-8, a file without text, two files of one name, or an
            unknown division.

    >>> _ = Path("a.txt").write_text("One line.\\nAnother.\\n\\nA third.\\n")
    >>> [(text.name, text.division, text.n_paragraphs) for text in survey([Path("a.txt")])]
    [('a', 'blank', 2)]
    """
    if division not in DIVISIONS:
        wrong, right = f"no such division {division!r}", nearest(division, DIVISIONS)
        raise InputError("--paragraphs", wrong, right, kind="unknown")
    texts: dict[str, RawTextFile] = {}
    for path in paths:
        its_division = division
        if path.name.endswith(ENDINGS):
            its_division, n_paragraphs = TREEBANK, sum(1 for _ in treebank_paragraphs(read(path)))
        else:
            blocks = [sum(1 for _ in lines) for full, lines in groupby(_lines(path), bool) if full]
            if its_division == AUTO:
                its_division = BLANK if len(blocks) > 1 else LINE
            n_paragraphs = len(blocks) if its_division == BLANK else sum(blocks)
        if n_paragraphs == 0:
            raise InputError(str(path), "no text in it", "plain text in UTF-8", kind="empty")
        # without ending, fit for a sentence id (no blanks; `/` is UD's)
        name = re.sub(r"[\s/]+", "_", Path(PACKED.sub("", path.name)).stem)
        if name in texts:
            wrong = f"two texts of one run are called {name}"
            place = str(texts[name].path)
            raise InputError(place, wrong, "other names", kind="conflict")
        texts[name] = RawTextFile(path, name, sha256_file(path), its_division, n_paragraphs)
    return tuple(texts.values())


def paragraphs(text: RawTextFile) -> Iterator[str]:
    """Reads the paragraphs of a text, one at a time.

    Args:
        text: a text that `survey` looked through.

    Yields:
        Each paragraph on one line, not blank.

    >>> _ = Path("a.txt").write_text("One line.\\nAnother.\\n\\nA third.\\n")
    >>> list(paragraphs(survey([Path("a.txt")])[0]))
    ['One line. Another.', 'A third.']
    """
    if text.division == TREEBANK:
        yield from treebank_paragraphs(read(text.path))
    elif text.division == LINE:
        yield from filter(None, _lines(text.path))
    else:
        yield from (" ".join(lines) for full, lines in groupby(_lines(text.path), bool) if full)


def _lines(path: Path) -> Iterator[str]:
    return (one_line(line) for _, line in numbered_lines(path))


def one_line(text: str) -> str:
    """`text` without control characters, line breaks and blanks at its ends."""
    return BREAKS.sub(" ", text).strip()


def treebank_paragraphs(sentences: Iterable[Sentence], longest: int = LONGEST) -> Iterator[str]:
    """Joins a treebank's sentences to raw text, a paragraph at a time.

    As conllu_to_text.pl of UD's tools does, but for the limit.

    Args:
        sentences: the sentences, in order.
        longest: sentences after which a paragraph ends, if no `# newpar` or `# newdoc` does.

    Yields:
        Each paragraph on one line.

    >>> from colorless_green.data import sample
    >>> next(treebank_paragraphs(read(sample.treebank("en"))))[:48]
    'Some old editors ignored that actor. Their music'
    """
    parts: list[str] = []
    for sentence in sentences:
        begins = any(map(NEW_PARAGRAPH.match, sentence.comments))
        if begins or len(parts) == longest:
            yield from filter(None, [one_line("".join(parts))])
            parts = []
        *_, (_, glued, _) = surface_tokens(sentence)
        parts.append(raw_text(sentence) + ("" if glued else " "))
    yield from filter(None, [one_line("".join(parts))])


def raw_text(sentence: Sentence) -> str:
    """Gives a sentence as text: its comment `# text`, else its tokens with the blanks between them.

    Args:
        sentence: the sentence.

    Returns:
        The text, without a blank behind it.

    >>> from colorless_green.data import sample
    >>> raw_text(next(read(sample.treebank("en"))))
    'Some old editors ignored that actor.'
    """
    text = sentence.comment("text")
    if text is not None:
        return text
    parts = (form + ("" if glued else " ") for form, glued, _ in surface_tokens(sentence))
    return "".join(parts).removesuffix(" ")
