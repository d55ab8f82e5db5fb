"""What the tables of `score --out` were made of: run.toml, by which they are made again.

`score` takes the file in the place of suites. It may come from anybody: types are checked, nothing
in it makes code of a model run, and paths are relative to its folder.
"""

import os
import platform
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from annotated_types import Ge

from ...data.configuration import settings_in, toml_value
from ...data.errors import InputError
from ...data.files import printable, read_text, user_path
from ...data.formats import jsonl, read_suites
from ...data.items.suite import Suite, content_hash
from ...data.opening import head_of, head_text
from ...data.validate import validated
from ..models.specs import Model
from ..models.words import SHORT
from ..questions.query import LoadOptions, Masking
from .method import Method

RUN = "run.toml"
MADE_BY: Literal["colorless score"] = "colorless score"
MARK = re.compile(rf'^made_by = "{MADE_BY}"$', re.M)
RIGHT = f"the {RUN} that colorless score --out wrote"
HEADING = (
    f"# What these tables were made of; `colorless score {RUN} --out FOLDER` makes them again."
)
LIBRARIES = ("colorless", "torch", "transformers", "tokenizers", "kenlm")  # in signatures
T = TypeVar("T", "SuiteRecord", "ModelRecord")


@dataclass(frozen=True, kw_only=True)
class SuiteRecord:
    """A suite that was scored.

    Attributes:
        name: in the tables.
        path: of its file, or of the folder that it is in.
        part: which of the suites there, from 0.
        written: the file was written beside run.toml, since the suite came from none.
        metric: how the subwords of a region are combined.
        n_items: all its items, whether they were asked or not.
        digest: of its items, its predictions and the metric.
    """

    name: str
    path: str
    part: Annotated[int, Ge(0)] = 0
    written: bool = False
    metric: Literal["sum", "mean", "median", "range", "max", "min"] = "sum"
    n_items: int
    digest: str


@dataclass(frozen=True, kw_only=True)
class ModelRecord:
    """A model that was asked.

    Attributes:
        name: in the tables.
        where: the place is a file or folder, a name (on the hub, with its revision, or of a
            package), or what it cannot be asked from again: the memory of a program, a file of
            results.
        kind: what stands before the place, as in `ngram:PLACE`; "" where the place tells it.
        place: of the model.
        options: what stands behind the place, as in `masked:PLACE?pll=original`.
        dtype, bos, boundary, pll, compile: how it was loaded.
        signature: what its numbers depend on, digests of its files or weights among it.
    """

    name: str
    where: Literal["path", "name", "memory", "file"]
    kind: str = ""
    place: str
    options: str = ""
    dtype: Literal["float32", "bfloat16", "float16", "auto"] = "float32"
    bos: str = "auto"
    boundary: Literal["none", "space+eos", "space+eos+punct"] = "none"
    pll: Masking = "auto"
    compile: bool = False
    signature: Mapping[str, str] = field(default_factory=dict)

    @property
    def spec(self) -> str:
        """Return what `load_model` takes."""
        kind = self.kind and f"{self.kind}:"
        return f"{kind}{self.place}{self.options and '?'}{self.options}"

    def load_options(self, device: str) -> LoadOptions:
        """Return how it was loaded, but for the device. Code of its own is not run again."""
        return LoadOptions(device, self.dtype, self.bos, self.boundary, self.pll, self.compile)


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A run: what its numbers were made of.

    Attributes:
        made_by: the verb, by which the file is known.
        construction, limit, by, baselines, device: as for `score`.
        method_digest: of the method, with the content of its files.
        baselines_digest: of what the baselines made of the suites, which may depend on a treebank.
        method: all its settings, but those of the table of word surprisals.
        versions: of Python and of the packages that the numbers depend on.
        suites: those that were asked about.
        models: those that were asked.
    """

    made_by: Literal["colorless score"]
    construction: tuple[str, ...] = ()
    limit: Annotated[int, Ge(1)] | None = None
    by: tuple[str, ...] = ()
    baselines: bool = False
    device: str = "auto"
    method_digest: str
    baselines_digest: str = ""
    method: Mapping[str, Any]
    versions: Mapping[str, str]
    suites: tuple[SuiteRecord, ...]
    models: tuple[ModelRecord, ...]

    def facts(self) -> dict[str, str]:
        """Return what the numbers depend on, under names for people."""
        return {
            **self.versions,
            "method": self.method_digest,
            "baselines (the store may have a treebank for them)": self.baselines_digest,
            **{f"suite {suite.name}": suite.digest for suite in self.suites},
            **{f"{model.name}: {key}": model.signature[key]
               for model in self.models for key in model.signature},
        }  # fmt: skip

    def to_toml(self, folder: Path) -> str:
        """Return the file for a folder, to which its paths are relative."""

        def relative(path: str) -> str:
            return printable(os.path.relpath(path, folder))

        tables: list[tuple[str, Mapping[str, Any]]] = [("", _plain(self))]
        unigrams = self.method.get("unigrams")
        method = {**self.method, **({"unigrams": relative(unigrams)} if unigrams else {})}
        tables += [("[versions]", self.versions), ("[method]", method)]
        for suite in self.suites:
            path = suite.path if suite.written else relative(suite.path)
            tables.append(("[[suites]]", {**_plain(suite), "path": path}))
        for model in self.models:
            place = relative(model.place) if model.where == "path" else model.place
            tables.append(("[[models]]", {**_plain(model), "place": place}))
            tables.append(("[models.signature]", model.signature))
        lines = [HEADING]
        for heading, table in tables:
            lines += ["", heading] if heading else []
            lines += [
                f"{key if key.isidentifier() and key.isascii() else toml_value(key)} = "
                f"{toml_value(value)}"
                for key, value in table.items()
                if value is not None
            ]
        return "\n".join([*lines, ""])


def _plain(record: Any) -> dict[str, Any]:
    """Return the fields of a record that are no tables and not as usual."""
    return {
        entry.name: value
        for entry in fields(record)
        if (value := getattr(record, entry.name)) != entry.default
        and not isinstance(value, Mapping)
        and entry.name not in ("suites", "models")
    }


def suite_record(
    suite: Suite, name: str, place: tuple[Path, int] | None, number: int
) -> SuiteRecord:
    """Return the record of a suite with all its items.

    Args:
        suite: as it was found.
        name: in the tables.
        place: its file or folder, and which of the suites there; None if it came from none.
        number: of the suite, from 1, for the file that is written then.
    """
    path, part = place or (Path(f"suite-{number}.jsonl"), 0)
    digest = sha256(f"{content_hash(suite)} {suite.metric}".encode()).hexdigest()[:SHORT]
    metric: Any = suite.metric
    return SuiteRecord(
        name=name, path=str(path), part=part, written=place is None, metric=metric,
        n_items=len(suite.items), digest=digest,
    )  # fmt: skip


def model_record(model: Model, name: str) -> ModelRecord:
    """Return the record of a loaded model, under its name in the tables."""
    signature = dict(part.partition(":")[::2] for part in model.scorer.signature.split("|"))
    kind, place, options = _divided(model.spec)
    where: Any = "memory" if model.in_memory else "path" if os.path.isabs(place) else "name"
    weights = signature.get("weights", "")
    if where == "name" and weights.startswith(place.partition("@")[0] + "@"):
        place = weights.removesuffix("@None")  # with its revision
    loaded: dict[str, Any] = asdict(model.options)
    del loaded["device"], loaded["trust_remote_code"]
    return ModelRecord(
        name=name, where=where, kind=kind, place=place, options=options, signature=signature,
        **loaded,
    )  # fmt: skip


def _divided(spec: str) -> tuple[str, str, str]:
    """Return the kind, place and options of a spec; a place that is in the file system is an
    absolute path."""
    kind, colon, rest = spec.partition(":")
    for before, text in (("", spec), *([(kind, rest)] if colon else [])):
        path, _, options = text.partition("?")
        if before != "package" and user_path(path).exists():
            option, _, value = options.partition("=")
            if option == "stream":  # the text that a recurrent network reads on from
                options = f"stream={user_path(value).absolute()}"
            return before, str(user_path(path).absolute()), options
    place, _, options = (rest if colon else spec).partition("?")
    return kind if colon else "", place, options


def run_record(
    suites: Sequence[SuiteRecord], models: Iterable[ModelRecord], method: Method, **choices: Any
) -> RunRecord:
    """Return the record of a run.

    Args:
        suites: that were asked about.
        models: that were asked, each once.
        method: how.
        **choices: the further fields of the record.
    """
    method = replace(method, frequencies="")
    names = ("numpy", "polars")
    versions = {"python": platform.python_version(), **{name: version(name) for name in names}}
    own = []
    for model in models:
        versions |= {key: model.signature[key] for key in LIBRARIES if key in model.signature}
        facts = {key: text for key, text in model.signature.items() if key not in LIBRARIES}
        own.append(replace(model, signature=facts))
    return RunRecord(
        made_by=MADE_BY, method=_table(method), method_digest=method.digest, versions=versions,
        suites=tuple(suites), models=tuple(own), **choices,
    )  # fmt: skip


def _table(method: Method) -> dict[str, Any]:
    """Return all settings of a method, paths absolute."""
    values = {entry.name: getattr(method, entry.name) for entry in fields(method)}
    return {
        name: str(value.absolute()) if isinstance(value, Path) else value
        for name, value in values.items()
        if value is not None
    }


def write_record(folder: Path, record: RunRecord, suites: Iterable[Suite], final: Path) -> None:
    """Write run.toml, and the suites that are in no file.

    Args:
        folder: that is written to.
        record: of the run.
        suites: all of them, with all their items.
        final: what the folder will be, to which paths are relative.
    """
    for entry, suite in zip(record.suites, suites, strict=True):
        if entry.written:  # the record has the metric, for which the format has no place
            jsonl.write(replace(suite, metric="sum"), folder / entry.path)
    text = record.to_toml(final.absolute())
    (folder / RUN).write_text(text, encoding="utf-8", newline="\n")


def recorded(suites: Sequence[object]) -> RunRecord | None:
    """Return the record that is named in the place of suites; None where none is. Raises
    `InputError` for one among other suites."""
    paths = [user_path(entry) for entry in suites if isinstance(entry, str | Path) and entry]
    runs = [path for path in paths if path.is_file() and MARK.search(head_text(head_of(path)))]
    if runs and len(suites) > 1:
        wrong = "it says itself which suites are scored"
        raise InputError(str(runs[0]), wrong, "name it alone", kind="conflict")
    return read_run(runs[0]) if runs else None


def read_run(path: Path) -> RunRecord:
    """Return the record in a file, with absolute paths. Raises `InputError` for what is none."""
    location, folder = str(path), path.absolute().parent
    try:
        facts = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(location, f"not TOML: {error}", RIGHT, kind="format") from None
    lists = {
        "suites": _records(SuiteRecord, facts.get("suites"), f"{location}: suites"),
        "models": _records(ModelRecord, facts.get("models"), f"{location}: models"),
    }
    record = validated(RunRecord, {**facts, **lists}, location)
    method = settings_in(Method, record.method, f"{location}: method", folder)
    if method.trust_remote_code:
        right = "the models by their names, with --set trust_remote_code=true"
        raise InputError(location, "it would run code of models", right, kind="unsafe")

    def found(text: str) -> str:
        if "\0" in text:
            raise InputError(location, "a path with a NUL", RIGHT, kind="value")
        return os.path.normpath(folder / text)

    return replace(
        record,
        method=_table(method),
        suites=tuple(replace(suite, path=found(suite.path)) for suite in record.suites),
        models=tuple(
            replace(model, place=found(model.place)) if model.where == "path" else model
            for model in record.models
        ),
    )


def _records(kind: type[T], tables: object, location: str) -> tuple[T, ...]:
    """Return the records of a list of tables."""
    if not isinstance(tables, list) or not tables or not all(isinstance(e, dict) for e in tables):
        raise InputError(location, "no tables of this name", RIGHT, kind="format")
    return tuple(validated(kind, table, location) for table in tables)


def suites_of(record: RunRecord) -> list[Suite]:
    """Return the suites of a record as they are now. Raises `InputError` for one that is gone."""
    reading: Callable[[Path], tuple[Suite, ...]] = cache(read_suites)
    suites = []
    for entry in record.suites:
        there = reading(Path(entry.path))
        if entry.part >= len(there):
            wrong = f"it has {len(there)} suites, and {entry.name} was number {entry.part + 1}"
            raise InputError(entry.path, wrong, f"the folder of {RUN}", kind="changed")
        suite = replace(there[entry.part], name=entry.name)
        suites.append(replace(suite, metric=entry.metric) if entry.written else suite)
    return suites


def differences(record: RunRecord, now: RunRecord) -> Iterator[str]:
    """Say what is not as it was when a record was written, each in a line."""
    was, current = record.facts(), now.facts()
    for name in {**was, **current}:
        if was.get(name) != current.get(name):
            yield f"{name}: {current.get(name) or 'none'} here, {was.get(name) or 'none'} in {RUN}"
