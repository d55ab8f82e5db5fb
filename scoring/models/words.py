"""Functions that word-level models share: they spell words, check options and build answers; and
functions that read model specs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from ...data.errors import InputError
from ...data.files import user_path
from ...data.registry import nearest
from ...data.version import __version__
from ..questions.query import LoadOptions, Stretch, Surprisals

T = TypeVar("T")

UNKNOWN, START, END = "<unk>", "<s>", "</s>"
SPECIAL = (UNKNOWN, START, END)

# KenLM splits at these characters only (`lm/read_arpa.cc`); Python's `split()` also at U+00A0.
BLANK = re.compile("[ \t\r\n\0]")
FILE_ENDINGS = (  # endings of files, which no model's name on the hub has
    ".arpa", ".bin", ".binary", ".bz2", ".csv", ".db", ".gguf", ".gz", ".json", ".jsonl", ".klm",
    ".pt", ".pth", ".safetensors", ".tsv", ".txt", ".xz", ".zip",
)  # fmt: skip
DIGEST_DIGITS = 16  # hex digits of a digest that a signature has: 64 bits


def entry_word(word: str) -> str:
    """Return a word as vocabularies spell it: blanks within it become U+00A0.

    An ARPA file cannot hold a space, tab, CR, LF or NUL in a word, and words with inner blanks are
    usual in Vietnamese treebanks. Training and scoring both use this spelling. `a b` and `a\u00a0b`
    are the same word.
    """
    return BLANK.sub("\u00a0", word)


def check_words(words: Iterable[str]) -> None:
    """Raise `InputError` for the first word of a training text that is empty or a reserved
    token."""
    for word in words:
        if not word:
            wrong, right = "it has an empty word", "words of a letter or more"
            raise InputError("training text", wrong, right, kind="format")
        if word in SPECIAL:
            right = f"text without {', '.join(SPECIAL)}, which are reserved"
            raise InputError("training text", f"it has the word {word!r}", right, kind="format")


def entries_of(stretch: Stretch) -> tuple[str, ...]:
    """Return words, which raw text is not, as vocabularies spell them."""
    assert not isinstance(stretch, str), "a scorer of unit 'words' is asked for words"
    return tuple(map(entry_word, stretch))


def text_digest(text: str) -> str:
    """Return the first `DIGEST_DIGITS` hex digits of a text's SHA-256."""
    return sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


def whole_words(bits: Sequence[float], oov: Sequence[bool], *, ends: bool = False) -> Surprisals:
    """Return the surprisals of a text whose every word has one number, `bits`; word i gets the span
    (i, i + 1).

    `oov` says for each word whether the vocabulary lacks it. If `ends`, `bits` has one number more,
    the surprisal of the end of the sentence.
    """
    n_words = len(oov)
    spans = tuple((i, i + 1) for i in range(n_words))
    if ends:
        spans = (*spans, (n_words, n_words))  # the end has no width, and is always known
        oov = (*oov, False)
    return Surprisals(tuple(bits), spans, tuple(oov))


def check_options(options: LoadOptions, model: str) -> None:
    """Raise `InputError` if the option `dtype` is not float32, the only choice for a word-level
    model. `model` is what the message calls the model.

    Other options are not checked: models that run on the CPU only ignore `device`, and all of these
    models ignore `boundary`, since it concerns subwords.
    """
    if options.dtype != "float32":
        wrong = f"{options.dtype!r} for {model}, which has no choice of it"
        raise InputError("dtype", wrong, "float32", kind="value")


def path_of(spec: str, kind: str, right: str) -> Path:
    """Return the path `spec`, the part of a model spec after `kind:`. Raises `InputError` if it is
    empty or does not exist; `right` says in the message what is expected there."""
    if not spec:
        raise InputError(f"--model {kind}", "no path after the name", right, kind="missing")
    path = user_path(spec)
    if not path.exists():
        raise missing_path_error(spec, right)
    return path


def split_spec(spec: T, options: Mapping[str, tuple[str, ...]]) -> tuple[T | str, dict[str, str]]:
    """Split a spec `BASE?name=value&…`; return its base, and a dictionary with the value of every
    option.

    `options` maps names to allowed values, the first of which is the default. If `spec` is no text
    but a model in memory, it is returned as it is, with the defaults. Raises `InputError` for an
    unknown option or value.
    """
    chosen = {name: values[0] for name, values in options.items()}
    if not isinstance(spec, str):
        return spec, chosen
    base, *option_texts = spec.split("?")
    for option in (option for text in option_texts for option in text.split("&")):
        name, _, value = option.partition("=")
        if value not in options.get(name, ()):
            choices = [f"{key}={choice}" for key, values in options.items() for choice in values]
            wrong = f"no such option {option!r}"
            raise InputError(spec, wrong, nearest(option, choices), kind="unknown")
        chosen[name] = value
    return base, chosen


def is_path(text: str) -> bool:
    """Return whether a text can only be a local path, not the name of a model on the hub, which is
    NAME or OWNER/NAME. OWNER/NAME is a path too if there is a folder OWNER here."""
    first_part, slash, remainder = text.partition("/")
    return (
        text.startswith((".", "/", "~"))
        or text.endswith(FILE_ENDINGS)
        or "/" in remainder
        or bool(slash and Path(first_part).is_dir())
    )


def missing_path_error(spec: str, right: str) -> InputError:
    """Return (do not raise) the error for a path that does not exist. It suggests the most similar
    name in the same folder, or else `right`."""
    path = user_path(spec)
    names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    for similar in get_close_matches(path.name, names, 1):  # one at most
        right = f"perhaps {spec.removesuffix('/').removesuffix(path.name)}{similar}"
    return InputError(spec, "there is no such file or folder", right, kind="missing")


def signature_of(**parts: object) -> str:
    """Return the signature of a scorer: text that differs whenever its scores may differ.

    It consists of `key:value` pairs joined by `|`, the version of this program last.
    """
    return "|".join(f"{key}:{value}" for key, value in {**parts, "colorless": __version__}.items())


def signature_facts(signature: str) -> dict[str, str]:
    """Return the facts in a model's signature: name → text; it is written `name:text|name:text`."""
    triples = (part.partition(":") for part in signature.split("|"))
    return {name: text for name, _, text in triples}
