"""Find the suites and models of a request: by file, folder, name or as they are."""

import json
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
from ..data.files import read_text, user_path
from ..data.items.suite import Suite, checked
from ..data.store import Store
from ..data.stored_suites import ensure_saved, find_suites
from .models.model_folder import MODEL, Given, InMemory, Trained, is_given, is_model_folder
from .models.specs import UNKNOWN_LANGUAGES, Model, check_spec, load_model, speaks
from .outcomes.run_record import ModelRecord
from .questions.query import LoadOptions

Suites: TypeAlias = Suite | str | Path | Iterable[Suite | str | Path]
Requested: TypeAlias = Model | str | InMemory | ModelRecord
Models: TypeAlias = Model | Trained | str | Path | Iterable[Model | Trained | str | Path | Given]


class Unsupported(NamedTuple):
    """A model that cannot be asked in the way of a method, and why."""

    reason: str


def loaded_models(
    requested: Sequence[Requested], options: LoadOptions, *, each_bos: bool
) -> Iterator[Model | Unsupported]:
    """Load models one by one; with `each_bos`, also with each other first token that their files
    name, and without one.

    Of several models, those that cannot begin a text with the token asked for are `Unsupported`. A
    model in memory goes on training, if it did, when the next is asked for. Raises `InputError` if
    none of them can.
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
                if variant.scorer.signature != model.scorer.signature:
                    yield variant


@dataclass(frozen=True)
class SelectedSuite:
    """A suite cut to the items that are asked. It is stored once a model is found, never in vain.

    Attributes:
        suite: as it is asked.
        full_suite: with all its items.
        store: that it is kept in.
        stored_id: its number there, if it was found there.
        place: its file or folder, and which of the suites there; None if it came from none.
        originals: the words of every original sentence, asked or not.
    """

    suite: Suite
    full_suite: Suite
    store: Store
    stored_id: int | None
    place: tuple[Path, int] | None
    originals: tuple[tuple[str, ...], ...]

    @cached_property
    def suite_id(self) -> int:
        """The suite's number in the store."""
        if self.stored_id is not None:
            return self.stored_id
        kept = ensure_saved(self.full_suite, self.store).kept
        assert kept is not None
        return kept.id


def select_suites(
    store: Store, suites: Sequence[Suite | str | Path], prepare: Callable[[Suite], Suite]
) -> list[SelectedSuite]:
    """Read suites named by file, folder or name in the store, and take the others as they are.

    Suites of one name that are not found by name in the store are called as they were here.

    Args:
        store: where names are looked up.
        suites: what was named.
        prepare: from a suite to the one that is asked (`prepared`).
    """
    sources = [suite if isinstance(suite, Suite) else fspath(suite) for suite in suites]
    matched: list[tuple[Suite, int | None, str, tuple[Path, int] | None]] = []
    for n, source in enumerate(sources):
        if source not in sources[:n]:
            matches = find_suites(store, source)
            for part, (suite, suite_id) in enumerate(matches):
                place = None
                if isinstance(source, str) and suite_id is None:
                    place = (Path(source).absolute(), part)
                label = source if isinstance(source, str) else f"{suite.name} ({n + 1})"
                label = label if len(matches) == 1 else f"{source}/{suite.name}"
                stored_id = suite_id if isinstance(source, str) else None
                matched.append((suite, stored_id, label, place))
    n_named = Counter(suite.name for suite, *_ in matched)
    entries: list[SelectedSuite] = []
    for suite, suite_id, label, place in matched:
        full_suite, originals = checked(suite, suite.name), tuple(suite.table.originals())
        if n_named[suite.name] > 1:
            number = "" if suite_id is None else f"{suite.name} (@{suite_id})"
            suite = replace(suite, name=number if label.startswith("@") else label)
        selected = prepare(suite) if suite.items else suite
        if not selected.items:
            wrong, right = "there is no item in it to score", "a suite with items"
            raise InputError(f"suite {suite.name}", wrong, right, kind="empty")
        entries.append(SelectedSuite(selected, full_suite, store, suite_id, place, originals))
    return entries


def select_models(
    store: Store, models: Models | None, suites: Sequence[Suite], *, trusted: bool = False
) -> tuple[list[Model | str | InMemory], list[str]]:
    """Return the models that are asked, and remarks on the choice. `trusted`: code that comes with
    them may be run."""
    chosen = [] if models is None else several(models)
    if not chosen:
        return _trained(
            store, list(dict.fromkeys(code for suite in suites for code in language_codes(suite)))
        )
    for model in chosen:
        if isinstance(model, str):
            check_spec(
                model, trusted=trusted
            )  # before the first of them is asked, which may take hours
    return chosen, []


def several(models: Models) -> list[Model | str | InMemory]:
    """Return each model once; of a pattern all folders that fit it, of `NAME@A,B` both revisions,
    in the order of their numbers."""
    chosen: list[Model | str | InMemory] = []
    is_one = isinstance(models, Model | Trained | str | Path) or is_given(models)
    named: Any = [models] if is_one else models
    for model in named:
        if is_given(model):
            chosen.append(InMemory(*model))
        elif isinstance(model, Model):
            chosen.append(model)
        else:
            specs = map(fspath, model.folders if isinstance(model, Trained) else [model])
            chosen += chain.from_iterable(map(checkpoints, specs))
    return [model for n, model in enumerate(chosen) if model not in chosen[:n]]


def checkpoints(spec: str) -> list[str]:
    """Return the models that one name stands for: the folders that fit a pattern, the revisions
    with commas between them. Raises `InputError` for a pattern that nothing fits."""
    kind, colon, source = spec.rpartition(":")
    pattern, mark, options = source.partition("?")
    if "*" in pattern and not user_path(pattern).exists():
        found = sorted(glob(str(user_path(pattern))), key=_in_order)
        if not found:
            right = "folders that fit it, such as 'run/checkpoint-*'"
            raise InputError(spec, "nothing fits this pattern", right, kind="missing")
        return [f"{kind}{colon}{path}{mark}{options}" for path in found]
    name, at, revisions = spec.partition("@")
    if at and "," in revisions and not user_path(spec).exists():
        return [f"{name}@{revision}" for revision in revisions.split(",") if revision]
    return [spec]


def _in_order(path: str) -> list[tuple[int, str]]:
    """Return a key by which numbers are sorted as numbers."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split("([0-9]+)", path)]


def _trained(store: Store, codes: Sequence[str]) -> tuple[list[Model | str | InMemory], list[str]]:
    """Return the models trained in this store that are still there and may know a language."""
    query = (
        "SELECT path, language FROM trained LEFT JOIN treebank USING (treebank_id) "
        "ORDER BY trained_id"
    )
    languages: dict[str, str] = {}
    for row in store.rows(query):
        if is_model_folder(Path(row["path"])):
            card = json.loads(read_text(Path(row["path"]) / MODEL))
            languages[str(row["path"])] = card.get("language") or row["language"] or ""
    fits = {path: speaks([language], codes) for path, language in languages.items()}
    if not any(fit is not False for fit in fits.values()):
        wrong = "no model was named and none is trained in this store"
        if languages:
            left_out = f"left out: {_with_languages(languages)}"
            wrong = f"no model trained in this store is of {', '.join(codes)} ({left_out})"
        raise InputError("model", wrong, "colorless train ngram", kind="missing")
    notes = []
    if codes:
        excluded = {path: language for path, language in languages.items() if fits[path] is False}
        unknown = {path: language for path, language in languages.items() if fits[path] is None}
        notes += [f"left out, of another language: {_with_languages(excluded)}"] if excluded else []
        notes += [f"asked, of a language not known: {_with_languages(unknown)}"] if unknown else []
    return [path for path, fit in fits.items() if fit is not False], notes


def _with_languages(models: Mapping[str, str]) -> str:
    return ", ".join(
        f"{Path(path).name} ({language})" if language else Path(path).name
        for path, language in models.items()
    )


def language_codes(suite: Suite) -> list[str]:
    """Return the languages of a suite's items, of those that say one."""
    codes = dict.fromkeys(suite.table.frame["language"])
    return [code for code in codes if code not in UNKNOWN_LANGUAGES]
