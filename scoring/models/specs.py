"""Model specs, and loading a model by its spec: `kind:where`, or only `where` if the kind is known:
a folder made by `train`, a checkpoint of transformers, a name on the hub. Some kinds take options
at the end: `masked:where?pll=original`, `seq2seq:where?eos=yes`, `recurrent:where?stream=FILE`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.util import find_spec
from os import fspath
from pathlib import Path
from typing import Any

import polars as pl

from ...data.errors import InputError
from ...data.files import user_path
from ...data.items.item import Region
from ...data.items.sentences import penn
from ...data.registry import did_you_mean, load
from ...data.tables import frame
from ..questions.query import BackendLoader, LoadOptions, Masking, Scorer
from ..questions.reading_times import sentence_query, split_words, word_row
from .backends import BACKENDS, GROUP
from .model_folder import (
    Given,
    InMemory,
    ModelFolder,
    Trained,
    is_model_folder,
    read_description,
    read_model,
)
from .words import is_path, missing_path_error, signature_facts

CHECKPOINTS = ("causal", "masked", "seq2seq")  # kinds of transformers' models
HF_FUNCTIONS = {
    "kind": ".scoring.models.origin:backend_for",
    "languages": ".scoring.models.origin:card_languages",
    "in memory": ".scoring.models.origin:kind_in_memory",
}
HEAVY_PACKAGES = ("torch", "transformers")  # may be missing, and take seconds to import
WORD_COLUMNS = {
    "sentence": int, "index": int, "word": str, "surprisal_bits": float, "n_subwords": int,
    "oov": int,
}  # fmt: skip
MIN_SIMILARITY = 0.75  # from which a name is suggested as a misspelt entry of the current folder


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Model:
    """A loaded model and where it came from.

    Attributes:
        spec: the text that the user wrote, `kind:where` or only `where`.
        name: short, for tables: the folder's or file's own name, or what its backend says.
        scorer: computes the surprisals.
        folder: the model's folder, if `train` made it; otherwise `None`.
        options: the options that it was loaded with.
        languages: their codes, read from its folder or card; empty if these name none.
        in_memory: whether a program passed it as an object, so that no file or name leads to it.
    """

    spec: str
    name: str
    scorer: Scorer
    folder: ModelFolder | None = None
    options: LoadOptions = field(default_factory=LoadOptions)
    languages: tuple[str, ...] = ()
    in_memory: bool = False

    def __repr__(self) -> str:
        facts = [self.name, self.spec, *self.languages, self.device, self.dtype]
        return f"Model({', '.join(dict.fromkeys(facts))})"

    @property
    def group(self) -> str:
        """The model's group: models of one training with different seeds share it; "" for none."""
        return str(self.folder.card.get("group", "")) if self.folder else ""

    @property
    def device(self) -> str:
        """The device that it runs on, from the signature."""
        return signature_facts(self.scorer.signature).get("device", "cpu")

    @property
    def dtype(self) -> str:
        """Its number type, from the signature."""
        return signature_facts(self.scorer.signature).get("dtype", "float32")

    @property
    def toy(self) -> str:
        """The reason why the model is a toy, too poor to be compared with others; "" if it is not,
        or was not made by `train`."""
        return self.folder.toy if self.folder else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes from its card and its backend."""
        toy = (f"{self.name}: a toy: {self.toy}",) if self.toy else ()
        return (*toy, *getattr(self.scorer, "notes", ()))

    def surprisals(self, sentences: str | Iterable[str]) -> pl.DataFrame:
        """Return the surprisal of each word given those before it, in bits.

        Args:
            sentences: one or several, as raw text. A word is what stands between blanks; blanks at
                the ends of a sentence are not part of it.

        Returns:
            One row a word: `sentence` and `index` from 0, `word`, `surprisal_bits` (of all its
            subwords), `n_subwords`, `oov` (1 where the vocabulary lacks it). A sentence that is
            too long for the model has no rows.

        >>> import colorless_green as cg
        >>> from pathlib import Path
        >>> _ = Path("words.txt").write_text("the key keys is are old .")
        >>> cg.load_model("uniform:words.txt").surprisals("the keys are old").rows()[1]
        (0, 1, 'keys', 3.0, 1, 0)
        """
        sentence_list = [sentences] if isinstance(sentences, str) else sentences
        # Each sentence is one region, since no part of it is compared with another.
        wordings = [(Region("*", penn(text.strip()), text.strip()),) for text in sentence_list]
        queries = [sentence_query(self.scorer, wording)[0] for wording in wordings]
        rows = []
        scores = self.scorer.score(queries)
        for number, (wording, score) in enumerate(zip(wordings, scores, strict=True)):
            (answer,) = score.continuations
            words = [] if answer.refused else split_words(wording, self.scorer.unit)
            for index, word in enumerate(words):
                rows.append({"sentence": number, "index": index, **word_row(word, answer)})
        return frame(rows, WORD_COLUMNS)


def load_model(
    spec: str | Path | Trained | Given | InMemory,
    *,
    device: str = "auto",
    dtype: str = "float32",
    bos: str = "auto",
    boundary: str = "none",
    pll: Masking = "auto",
    compile: bool = False,
    trust_remote_code: bool = False,
) -> Model:
    """Load a language model.

    Args:
        spec: `kind:where`, with the kind one of unigram, ngram, recurrent, causal, masked, seq2seq,
            package, table, uniform; or only where: a folder made by `train`, a folder of
            transformers, or a name on the Hugging Face hub, with `@revision` or without; or what
            `train` returned, where that is one model; or a model of transformers in memory with its
            tokenizer, as (model, tokenizer) or (model, tokenizer, name): it is put into evaluation
            mode, and stays where it is.
        device: auto, cpu, cuda or cuda:n. auto: a GPU, if there is one; a model that it does not
            hold is spread over all devices.
        dtype: float32, bfloat16, float16 or auto (as the checkpoint has it).
        bos: the first token before a text: auto (the BOS that the model's files declare, else its
            EOS), none, a token of the vocabulary, or tokenizer (what it puts before a text; if
            nothing, the first subword of a text has no surprisal).
        boundary: where a word counts as ended: none, space+eos or space+eos+punct.
        pll: what is masked in a masked model for one subword: original, word-l2r or whole-word,
            with +tokenizer for the tokenizer's words; auto: as the spec says, or word-l2r.
        compile: use torch.compile; worth it on a GPU in long runs.
        trust_remote_code: run code that comes with the model, on this machine.

    Returns:
        The model; `score`, `score_pairs` and its own `surprisals` ask it.

    Raises:
        InputError: for a kind or name that does not exist, for a path that is not there, for broken
            files, for options the model cannot obey, where the hub cannot be reached, and where an
            extra is not installed.

    >>> import colorless_green as cg
    >>> from pathlib import Path
    >>> _ = Path("words.txt").write_text("the key keys is are old .")
    >>> cg.load_model("uniform:words.txt")
    Model(words.txt, uniform:words.txt, cpu, float64)
    """
    if isinstance(spec, Trained):
        if len(spec.folders) != 1:
            raise InputError("spec", f"{len(spec.folders)} models", "one", kind="value")
        spec = spec.folders[0]
    options = LoadOptions(device, dtype, bos, boundary, pll, compile, trust_remote_code)
    if isinstance(spec, tuple | InMemory):
        return _load_in_memory(spec if isinstance(spec, InMemory) else InMemory(*spec), options)
    text = fspath(spec)
    kind, source = _kind_and_source(text, trusted=trust_remote_code)
    loader: BackendLoader = load(BACKENDS, kind, f"--model {text}", GROUP)
    where, _, _ = source.partition("?")  # without the kind's options
    path = user_path(where)
    folder = read_model(path) if is_model_folder(path) else None
    scorer = loader(source, options)
    name = getattr(scorer, "name", "") or path.name or kind
    if folder is not None:
        languages = [str(folder.card.get("language") or "")]
    elif kind in CHECKPOINTS:
        languages = load(HF_FUNCTIONS, "languages", text, GROUP)(where)
    else:
        languages = list(getattr(scorer, "languages", ()))
    return Model(text, name, scorer, folder, options, tuple(filter(None, languages)))


def _load_in_memory(given: InMemory, options: LoadOptions) -> Model:
    """Return a `Model` with the scorer for a transformers model in memory, whose kind is read from
    its class."""
    kind_of: Callable[[InMemory], tuple[str, InMemory]] = load(
        HF_FUNCTIONS, "in memory", "model", GROUP
    )
    kind, named = kind_of(given)
    loader: Callable[[Any, LoadOptions], Scorer] = load(BACKENDS, kind, named.name, GROUP)
    scorer = loader(named, options)
    return Model(named.name, named.name, scorer, options=options, in_memory=True)


def check_spec(spec: str, *, trusted: bool = False) -> None:
    """Raise `InputError` if the kind or the path of a model spec does not exist, or if it names a
    folder made by `train` whose files were changed. No model is loaded."""
    kind, source = _kind_and_source(spec, trusted=trusted)
    if is_model_folder(path := user_path(source)):
        read_model(path)
    if kind not in BACKENDS or not all(map(find_spec, HEAVY_PACKAGES)):
        load(BACKENDS, kind, f"--model {spec}", GROUP)  # raises the error, if there is one
    name, _, _ = source.partition("?")
    if kind in CHECKPOINTS:
        is_file = is_path(name)
    else:
        is_file = kind in BACKENDS and kind not in ("api", "package")
    if name and is_file and not user_path(name).exists():
        raise missing_path_error(name, "a folder made by colorless train, or KIND:PATH")


def _kind_and_source(spec: str, *, trusted: bool = False) -> tuple[str, str]:
    """Return the kind of a model spec (a key of `BACKENDS`, or a kind that another distribution
    registers), and the rest of the spec, which the kind's backend loads.

    An existing path takes precedence over a name on the hub. Raises `InputError` if the kind cannot
    be determined.
    """
    where, _, _ = spec.partition("?")
    path = user_path(where)
    if is_model_folder(path):
        return read_description(path).kind, spec
    if any((path / name).is_file() for name in ("config.json", "adapter_config.json")):
        return str(load(HF_FUNCTIONS, "kind", spec, GROUP)(str(path), trusted=trusted)), spec
    if path.suffix == ".gguf" and path.is_file():
        return "gguf", spec
    kind, colon, source = spec.partition(":")
    if colon or kind in BACKENDS:
        return kind, source
    if path.exists():
        kinds = ", ".join(sorted(BACKENDS))
        wrong = "its files do not say what kind of model it is"
        raise InputError(spec, wrong, f"KIND:{spec} with KIND one of {kinds}", kind="format")
    if is_path(spec):
        raise missing_path_error(spec, "a folder made by colorless train, or KIND:PATH")
    try:
        return str(load(HF_FUNCTIONS, "kind", spec, GROUP)(spec, trusted=trusted)), spec
    except InputError as error:  # not on the hub, or no connection: suggest names known here
        hint = did_you_mean(spec, ["package:smollm2", "smollm2", *BACKENDS, *_model_folders()])
        hint = hint.replace("'smollm2'", "'package:smollm2'")
        entries = [entry.name for entry in Path().iterdir()]
        for similar in get_close_matches(spec, entries, 1, MIN_SIMILARITY):
            if repr(similar) not in hint:
                hint = f"did you mean {similar!r}? {hint}"
        raise InputError(error.location, error.wrong, hint + error.right, kind=error.kind) from None


def _model_folders() -> list[str]:
    """Return the model folders in `models/`, where `train` writes by default."""
    return [str(path.parent) for path in sorted(Path("models").glob("**/model.json"))]


UNKNOWN_LANGUAGES = ("", "und", "mul", "multilingual")  # codes that name no single language


def speaks(
    languages: Iterable[str], requested: Mapping[str, object] | Iterable[str]
) -> bool | None:
    """Return whether a model's languages include one of the requested ones; None if the model's
    languages, or the requested ones, are not known. Only the first part of a code counts ("pt" of
    "pt-BR")."""
    spoken, sought = (
        {code.lower().replace("_", "-").partition("-")[0] for code in codes}
        for codes in (languages, requested)
    )
    if not spoken or not sought or (spoken | sought) & set(UNKNOWN_LANGUAGES):
        return None
    return bool(spoken & sought)
