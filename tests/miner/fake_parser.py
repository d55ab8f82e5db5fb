"""A parser for tests: known CoNLL-U by its text, and a flat tree for every other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Protocol


class AnyParser(Protocol):
    """A parser as `parse_into` takes it."""

    @property
    def signature(self) -> str: ...

    def parse(self, texts: Sequence[str]) -> Sequence[str]: ...


@dataclass(frozen=True)
class FakeParser:
    """Sentences end at words that end in `.`; a text without a letter has none."""

    known: Mapping[str, str] = field(default_factory=dict)
    signature: str = "fake 1 en"

    def parse(self, texts: Sequence[str]) -> list[str]:
        return [self.known[text] if text in self.known else flat(text) for text in texts]


class Stopped(BaseException):
    """What `Dying` raises: nothing may catch it."""


@dataclass
class Dying:
    """A parser that is stopped at a call."""

    parser: FakeParser
    calls: int  # so many succeed

    @property
    def signature(self) -> str:
        return self.parser.signature

    def parse(self, texts: Sequence[str]) -> list[str]:
        if self.calls == 0:
            raise Stopped
        self.calls -= 1
        return self.parser.parse(texts)


def flat(text: str) -> str:
    """CoNLL-U of a text in which every word hangs on the first of its sentence."""
    blocks, words = [], list[str]()
    for word in text.split():
        words.append(word)
        if word.endswith("."):
            blocks.append(_block(words))
            words = []
    if words:
        blocks.append(_block(words))
    return "".join(blocks) if any(map(str.isalpha, text)) else ""


def _block(words: Sequence[str]) -> str:
    rows = [
        f"{n}\t{word}\t{word}\tX\t_\t_\t{int(n > 1)}\t{'dep' if n > 1 else 'root'}\t_\t_"
        for n, word in enumerate(words, start=1)
    ]
    return "\n".join(["# sent_id = 7", f"# text = {' '.join(words)}", *rows]) + "\n\n"


class FakePipeline:
    """A Stanza pipeline that notes what it is given, and takes each text for one word."""

    given: Mapping[str, object] = {}

    def __init__(self, lang: str, **options: object) -> None:
        FakePipeline.given = {"lang": lang, **options}
        self.lang, self.config = lang, options
        self.processors = dict.fromkeys(str(options["processors"]).split(","))

    def bulk_process(self, texts: Sequence[str]) -> list[SimpleNamespace]:
        return list(map(_document, texts))


def _document(text: str) -> SimpleNamespace:
    word = SimpleNamespace(
        id=1, text=text, lemma=None, upos="X", xpos=None, feats=None, head=0, deprel="root"
    )
    token = SimpleNamespace(text=text, words=[word], spaces_after="")
    document = SimpleNamespace(text=text)
    document.sentences = [SimpleNamespace(text=text, tokens=[token], doc=document)]
    return document


def bare_models(folder: Path, *more: str) -> Path:
    """Return a folder with files that are named like the models of one's own training."""
    folder.mkdir(exist_ok=True)
    for name in ("tokenize", "pos", "lemma", "depparse", *more):
        (folder / f"{name}.pt").write_text(name)
    return folder
