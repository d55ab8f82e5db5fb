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
    """The texts behind `paths`, each read through once, so that a fault shows before hours of
    parsing.

    `division` of plain text: "line" (every line is a paragraph), "blank" (blank lines stand
    between paragraphs; line ends inside one are blanks) or "auto": "blank" where a blank line
    stands between two lines of the file, else "line". A CoNLL-U file (`.conllu`, `.conllu.gz`) is
    taken for the text of its sentences (see `treebank_paragraphs`). Raises `InputError` for bytes
    that are not UTF-8, a file without text, and two files of one name.
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
    """The paragraphs of a text, each on one line and not blank, one at a time."""
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
    """The raw text of a treebank: sentences joined as they stood, a paragraph at a time.

    A paragraph begins where `# newpar` or `# newdoc` says so, and after `longest` sentences
    (conllu_to_text.pl of UD's tools, which has no such limit).
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
    """The sentence as `# text` gives it, else its surface tokens with the blanks between them."""
    text = sentence.comment("text")
    if text is not None:
        return text
    parts = (form + ("" if glued else " ") for form, glued, _ in surface_tokens(sentence))
    return "".join(parts).removesuffix(" ")
