"""Find the suites and models that a call names: by file, folder or name, or as Python objects."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from glob import glob
from itertools import chain
from os import fspath
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ..data.errors import InputError
from ..data.files import user_path
from ..data.items.suite import Suite, checked
from ..data.store import Store
from ..data.stored_suites import ensure_saved, find_suites
from .models.model_folder import (
    Given,
    InMemory,
    Trained,
    is_given,
    is_model_folder,
    read_description,
)
from .models.specs import UNKNOWN_LANGUAGES, Model, check_spec, load_model, speaks
from .outcomes.run_record import ModelRecord, RunRecord
from .questions.query import LoadOptions

Suites: TypeAlias = Suite | str | Path | Iterable[Suite | str | Path]
Requested: TypeAlias = Model | str | InMemory | ModelRecord
Models: TypeAlias = Model | Trained | str | Path | Iterable[Model | Trained | str | Path | Given]


class Unsupported(NamedTuple):
    """The reason why a model cannot be asked by a method; it stands in the place of its results."""

    reason: str


def loaded_models(
    requested: Sequence[Requested], options: LoadOptions, *, each_bos: bool
) -> Iterator[Model | Unsupported]:
    """Load models one by one.

    A model in memory that was in training mode is set back to it before the next one is loaded.

    Args:
        requested: the models: specs (KIND:PLACE?OPTIONS), loaded models, or records of run.toml.
        options: the options to load them with.
        each_bos: True to yield a model once more for each further first token that its files name,
            and for no first token.

    Yields:
        The models; `Unsupported` for one that does not have the first token of `options`.

    Raises:
        InputError: for a model that cannot be loaded, and if no model has the first token.
    """
    n_left_out = 0
    for entry in requested:
        if isinstance(entry, InMemory):
            was_training = getattr(entry.model, "training", False)
            try:
                yield load_model(entry, **asdict(options))
            finally:
                if was_training:
                    entry.model.train()
            continue
        if isinstance(entry, ModelRecord):
            loaded = load_model(entry.spec, **asdict(entry.load_options(options.device)))
            yield replace(loaded, name=entry.name)
            continue
        try:
            model = entry if isinstance(entry, Model) else load_model(entry, **asdict(options))
        except InputError as error:
            n_left_out += 1
            if error.location != "bos" or n_left_out == len(requested):
                raise
            yield Unsupported(f"{entry}: left out ({error})")
            continue
        yield model
        if each_bos and isinstance(entry, str):
            for choice in getattr(model.scorer, "bos_choices", ()):
                variant = load_model(entry, **asdict(replace(options, bos=choice)))
                # one of the choices may be the first token that the model has by itself
                if variant.scorer.signature != model.scorer.signature:
                    yield variant


@dataclass(frozen=True)
class SelectedSuite:
    """A suite with the items that are asked. It is saved in the store only when a run needs it.

    Attributes:
        suite: the suite with the items, and the sentences, that are asked.
        full_suite: the suite with all its items.
        store: the store in which it is kept.
        stored_id: its number in the store, if it was found there by name.
        place: its file or folder, and its index among the suites there; None if it came from none.
        originals: the words of each original sentence, of all items.
    """

    suite: Suite
    full_suite: Suite
    store: Store
    stored_id: int | None
    place: tuple[Path, int] | None
    originals: tuple[tuple[str, ...], ...]

    @cached_property
    def suite_id(self) -> int:
        """The number of the full suite in the store, in which it is saved if need be."""
        if self.stored_id is not None:
            return self.stored_id
        kept = ensure_saved(self.full_suite, self.store).kept
        assert kept is not None
        return kept.id


def select_suites(
    store: Store, suites: Sequence[Suite | str | Path], prepare: Callable[[Suite], Suite]
) -> list[SelectedSuite]:
    """Read suites that are named by file, folder or name in the store; take others as they are.

    If several suites have one name, each is renamed, to what it was named by in the call or to its
    number in the store. Raises `InputError` for a suite without items.

    Args:
        store: where names are looked up.
        suites: files, folders, names in the store, or suites.
        prepare: makes the suite that is asked from one with all its items (see `prepare_suite`).
    """
    sources = [suite if isinstance(suite, Suite) else fspath(suite) for suite in suites]
    matched = [
        found
        for n, source in enumerate(sources)
        if source not in sources[:n]
        for found in _suites_of_source(store, source, n + 1)
    ]
    n_of_name = Counter(found.suite.name for found in matched)
    entries: list[SelectedSuite] = []
    for suite, stored_id, label, place in matched:
        full_suite, originals = checked(suite, suite.name), tuple(suite.table.tokens_of_originals())
        if n_of_name[suite.name] > 1:
            suite = replace(suite, name=label)
        selected = prepare(suite) if suite.items else suite
        if not selected.items:
            wrong, right = "there is no item in it to score", "a suite with items"
            raise InputError(f"suite {suite.name}", wrong, right, kind="empty")
        entries.append(SelectedSuite(selected, full_suite, store, stored_id, place, originals))
    return entries


class _FoundSuite(NamedTuple):
    """A suite that an argument of `score` names; the fields but `label` as in `SelectedSuite`."""

    suite: Suite
    stored_id: int | None
    label: str  # its name in tables if several suites have its own name
    place: tuple[Path, int] | None


def _suites_of_source(store: Store, source: Suite | str, number: int) -> Iterator[_FoundSuite]:
    """Yield the suites that one argument of `score` stands for. `number` is its place among the
    arguments, from 1, which goes into the label of a suite that is not named by a text."""
    found = find_suites(store, source)
    for index, (suite, suite_id) in enumerate(found):
        if isinstance(source, Suite):
            yield _FoundSuite(suite, None, f"{suite.name} ({number})", None)
            continue
        label = source if len(found) == 1 else f"{source}/{suite.name}"
        if label.startswith("@") and suite_id is not None:
            label = f"{suite.name} (@{suite_id})"
        place = (Path(source).absolute(), index) if suite_id is None else None
        yield _FoundSuite(suite, suite_id, label, place)


def select_models(
    store: Store, models: Models | RunRecord | None, suites: Sequence[Suite], *, trusted: bool
) -> tuple[Sequence[Requested], list[str]]:
    """Choose the models to ask: those of a record, those that are named or, if none is, those
    trained in the store for the suites' languages.

    All names are checked here, before the first model is asked, which may take hours. `trusted`
    permits running the code that comes with a model. Returns the models, then remarks.
    """
    if isinstance(models, RunRecord):
        return models.models, []
    chosen = [] if models is None else list_models(models)
    if not chosen:
        codes = dict.fromkeys(code for suite in suites for code in language_codes(suite))
        return _models_of_store(store, list(codes))
    for model in chosen:
        if isinstance(model, str):
            check_spec(model, trusted=trusted)
    return chosen, []


def list_models(models: Models) -> list[Model | str | InMemory]:
    """Return the models that the argument `model` of `score` names, each once. A pattern names all
    folders that fit it, in the order of the numbers in their names; `NAME@A,B` names two revisions
    (versions on the hub)."""
    chosen: list[Model | str | InMemory] = []
    is_one = isinstance(models, Model | Trained | str | Path) or is_given(models)
    model_list: Any = [models] if is_one else models
    for model in model_list:
        if is_given(model):
            chosen.append(InMemory(*model))
        elif isinstance(model, Model):
            chosen.append(model)
        else:
            specs = map(fspath, model.folders if isinstance(model, Trained) else [model])
            chosen += chain.from_iterable(map(expand_spec, specs))
    return [model for n, model in enumerate(chosen) if model not in chosen[:n]]


def expand_spec(spec: str) -> list[str]:
    """Return the specs that one spec stands for: those of all folders that fit a pattern, or of all
    revisions in a list with commas. Raises `InputError` for a pattern that no folder fits."""
    kind, colon, source = spec.rpartition(":")
    pattern, question_mark, options = source.partition("?")
    if "*" in pattern and not user_path(pattern).exists():
        folders = sorted(glob(str(user_path(pattern))), key=_numeric_order)
        if not folders:
            right = "folders that fit it, such as 'run/checkpoint-*'"
            raise InputError(spec, "nothing fits this pattern", right, kind="missing")
        return [f"{kind}{colon}{path}{question_mark}{options}" for path in folders]
    name, at, revisions = spec.partition("@")
    if at and "," in revisions and not user_path(spec).exists():
        return [f"{name}@{revision}" for revision in revisions.split(",") if revision]
    return [spec]


def _numeric_order(path: str) -> list[tuple[int, str]]:
    """Return a key for sorting paths so that 9 comes before 10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split("([0-9]+)", path)]


def _models_of_store(
    store: Store, codes: Sequence[str]
) -> tuple[list[Model | str | InMemory], list[str]]:
    """Find the models that were trained in a store and may know one of these languages.

    Returns their folders, then remarks on models of another language, which are left out, and of an
    unknown language, which are asked. Raises `InputError` if no model is left.
    """
    query = (
        "SELECT path, language FROM trained LEFT JOIN treebank USING (treebank_id) "
        "ORDER BY trained_id"
    )
    languages: dict[str, str] = {}
    for row in store.rows(query):
        if is_model_folder(Path(row["path"])):
            card = read_description(Path(row["path"])).card
            languages[str(row["path"])] = card.get("language") or row["language"] or ""
    # True, False, or None if a language is unknown
    may_know = {path: speaks([language], codes) for path, language in languages.items()}
    if all(answer is False for answer in may_know.values()):
        wrong = "no model was named and none is trained in this store"
        if languages:
            left_out = f"left out: {_with_languages(languages)}"
            wrong = f"no model trained in this store is of {', '.join(codes)} ({left_out})"
        raise InputError("model", wrong, "colorless train ngram", kind="missing")
    notes = []
    remarks = (False, "left out, of another language"), (None, "asked, of a language not known")
    for answer, remark in remarks if codes else ():
        models = {path: code for path, code in languages.items() if may_know[path] is answer}
        notes += [f"{remark}: {_with_languages(models)}"] if models else []
    return [path for path, answer in may_know.items() if answer is not False], notes


def _with_languages(models: Mapping[str, str]) -> str:
    """Return models (path → language code) as a text for a message, such as `ngram (it)`."""
    return ", ".join(
        f"{Path(path).name} ({language})" if language else Path(path).name
        for path, language in models.items()
    )


def language_codes(suite: Suite) -> list[str]:
    """Return the language codes of a suite's items, without those that stand for an unknown
    language."""
    codes = dict.fromkeys(suite.table.frame["language"])
    return [code for code in codes if code not in UNKNOWN_LANGUAGES]
