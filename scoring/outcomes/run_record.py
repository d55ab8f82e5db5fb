"""Write and read run.toml: a record of the suites, models and method behind the tables that
`score --out` writes.

`score run.toml` makes the same tables again. The file may come from anybody: the types in it are
checked, and it cannot cause code of a model to run. Paths in it are relative to its folder.
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
from ...data.validate import validate_record
from ..models.specs import Model
from ..models.words import DIGEST_DIGITS, signature_facts
from ..questions.query import LoadOptions, Masking
from .method import Method

RUN = "run.toml"
MADE_BY: Literal["colorless score"] = "colorless score"
MADE_BY_LINE = re.compile(rf'^made_by = "{MADE_BY}"$', re.M)
EXPECTED = f"the {RUN} that colorless score --out wrote"
HEADING = (
    f"# What these tables were made of; `colorless score {RUN} --out FOLDER` makes them again."
)
# Libraries whose versions are in the signatures of models.
LIBRARIES = ("colorless", "torch", "transformers", "tokenizers", "kenlm")
Record = TypeVar("Record", "SuiteRecord", "ModelRecord")


@dataclass(frozen=True, kw_only=True)
class SuiteRecord:
    """A suite that was scored, as run.toml records it.

    Attributes:
        name: its name in the tables.
        path: the path of its file, or of a folder of several suites.
        part: its index among the suites there, from 0.
        written: the file was written beside run.toml, since the suite came from no file.
        metric: how the surprisals of a region's subwords are combined.
        n_items: the number of all its items, asked or not.
        digest: a digest of its items, its predictions and the metric.
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
    """A model that was asked, as run.toml records it.

    Attributes:
        name: its name in the tables.
        where: path: the place is a file or folder. name: a name on the hub, with its revision, or
            of a package. memory, file: a program had the model, or a file its results, so that it
            cannot be asked again.
        kind: the text before the place, as in `ngram:PLACE`; "" if the place is enough.
        place: where the model is.
        options: the text behind the place, as in `masked:PLACE?pll=original`.
        dtype, bos, boundary, pll, compile: the options that it was loaded with.
        signature: all that its numbers depend on, such as digests of its files or weights.
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
        """The model as `load_model` takes it: KIND:PLACE?OPTIONS."""
        kind = f"{self.kind}:" if self.kind else ""
        options = f"?{self.options}" if self.options else ""
        return f"{kind}{self.place}{options}"

    def load_options(self, device: str) -> LoadOptions:
        """Return the options that the model was loaded with, for a device. Code that comes with the
        model is never run."""
        return LoadOptions(device, self.dtype, self.bos, self.boundary, self.pll, self.compile)


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """The content of run.toml: all that the numbers of a call of `score` depend on.

    Attributes:
        made_by: the command, by which the file is recognised.
        construction, limit, by, baselines, device: as for `score`.
        method_digest: a digest of the method, with the content of its files.
        baselines_digest: a digest of the baselines' outcomes, which may depend on a treebank.
        method: the settings of the method, without those for the table of word surprisals.
        versions: the versions of Python and of the packages that the numbers depend on.
        suites: the suites that were asked about.
        models: the models that were asked.
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
        """Return the facts that numbers depend on: name for people → version or digest."""
        return {
            **self.versions,
            "method": self.method_digest,
            "baselines (the store may have a treebank for them)": self.baselines_digest,
            **{f"suite {suite.name}": suite.digest for suite in self.suites},
            **{f"{model.name}: {key}": model.signature[key]
               for model in self.models for key in model.signature},
        }  # fmt: skip

    def to_toml(self, folder: Path) -> str:
        """Return the text of run.toml, with paths relative to the folder."""

        def relative(path: str) -> str:
            """Return a path relative to the folder, as TOML can hold it."""
            return printable(os.path.relpath(path, folder))

        tables: list[tuple[str, Mapping[str, Any]]] = [("", _plain(self))]  # (heading, table)
        method = dict(self.method)
        if unigrams := self.method.get("unigrams"):
            method["unigrams"] = relative(unigrams)
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
            for key, value in table.items():
                if value is not None:
                    is_bare_key = key.isidentifier() and key.isascii()
                    lines.append(f"{key if is_bare_key else toml_value(key)} = {toml_value(value)}")
        return "\n".join([*lines, ""])


def _plain(record: Any) -> dict[str, Any]:
    """Return the fields of a record that are written as single lines of TOML: name → value.

    Fields at their defaults, and those that become tables of TOML, are left out.
    """
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
    """Return the record of a suite.

    Args:
        suite: the suite with all its items, as it was found.
        name: its name in the tables.
        place: its file or folder, and its index among the suites there; None if it came from none.
        number: the number of the suite, from 1, for the name of the file that is written then.
    """
    path, part = place or (Path(f"suite-{number}.jsonl"), 0)
    digest = sha256(f"{content_hash(suite)} {suite.metric}".encode()).hexdigest()[:DIGEST_DIGITS]
    metric: Any = suite.metric
    return SuiteRecord(
        name=name, path=str(path), part=part, written=place is None, metric=metric,
        n_items=len(suite.items), digest=digest,
    )  # fmt: skip


def model_record(model: Model, name: str) -> ModelRecord:
    """Return the record of a loaded model, under its name in the tables."""
    signature = signature_facts(model.scorer.signature)
    kind, place, options = _spec_parts(model.spec)
    where: Any = "memory" if model.in_memory else "path" if os.path.isabs(place) else "name"
    weights, name_on_hub = signature.get("weights", ""), place.partition("@")[0]
    if where == "name" and weights.startswith(f"{name_on_hub}@"):
        place = weights.removesuffix("@None")  # the name with its revision, if it has one
    loaded: dict[str, Any] = asdict(model.options)
    del loaded["device"], loaded["trust_remote_code"]
    return ModelRecord(
        name=name, where=where, kind=kind, place=place, options=options, signature=signature,
        **loaded,
    )  # fmt: skip


def _spec_parts(spec: str) -> tuple[str, str, str]:
    """Split a spec (KIND:PLACE?OPTIONS, the text that names a model) into kind, place and options,
    each "" if it is missing. A place that is a file or folder becomes an absolute path."""
    kind, colon, rest = spec.partition(":")
    readings = [("", spec), (kind, rest)] if colon else [("", spec)]  # a path may have a colon
    for possible_kind, text in readings:
        path, _, options = text.partition("?")
        if possible_kind != "package" and user_path(path).exists():
            option, _, value = options.partition("=")
            if option == "stream":  # a text that a recurrent network has read before
                options = f"stream={user_path(value).absolute()}"
            return possible_kind, str(user_path(path).absolute()), options
    place, _, options = (rest if colon else spec).partition("?")
    return kind if colon else "", place, options


def run_record(
    suites: Sequence[SuiteRecord], models: Iterable[ModelRecord], method: Method, **choices: Any
) -> RunRecord:
    """Return the record of a call of `score`. The versions of libraries in the models' signatures
    become versions of the record.

    Args:
        suites: the suites that were asked about.
        models: the models that were asked, each once.
        method: how they were asked.
        **choices: the other fields of the record.
    """
    method = replace(method, frequencies="")
    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in ("numpy", "polars")}
    models_without_versions = []
    for model in models:
        versions |= {key: model.signature[key] for key in LIBRARIES if key in model.signature}
        others = {key: text for key, text in model.signature.items() if key not in LIBRARIES}
        models_without_versions.append(replace(model, signature=others))
    return RunRecord(
        made_by=MADE_BY, method=_settings(method), method_digest=method.digest, versions=versions,
        suites=tuple(suites), models=tuple(models_without_versions), **choices,
    )  # fmt: skip


def _settings(method: Method) -> dict[str, Any]:
    """Return the settings of a method: name → value. Settings that are None are left out, and paths
    become absolute."""
    values = {entry.name: getattr(method, entry.name) for entry in fields(method)}
    return {
        name: str(value.absolute()) if isinstance(value, Path) else value
        for name, value in values.items()
        if value is not None
    }


def write_record(folder: Path, record: RunRecord, suites: Iterable[Suite], final: Path) -> None:
    """Write run.toml, and a file for each suite that came from none.

    Args:
        folder: the folder that is written to, for the time being.
        record: the record.
        suites: the suites of the record, with all their items.
        final: the name that the folder will get, to which paths are relative.
    """
    for entry, suite in zip(record.suites, suites, strict=True):
        if entry.written:  # the format has no field for the metric, which the record has
            jsonl.write(replace(suite, metric="sum"), folder / entry.path)
    text = record.to_toml(final.absolute())
    (folder / RUN).write_text(text, encoding="utf-8", newline="\n")


def find_record(suites: Sequence[object]) -> RunRecord | None:
    """Read the run.toml that is named in place of suites; None if suites are named. Raises
    `InputError` for a run.toml among other suites."""
    paths = [user_path(name) for name in suites if isinstance(name, str | Path) and name]
    runs = [
        path for path in paths if path.is_file() and MADE_BY_LINE.search(head_text(head_of(path)))
    ]
    if runs and len(suites) > 1:
        wrong = "it says itself which suites are scored"
        raise InputError(str(runs[0]), wrong, "name it alone", kind="conflict")
    return read_run(runs[0]) if runs else None


def read_run(path: Path) -> RunRecord:
    """Read a run.toml; its paths become absolute. Raises `InputError` for a file that is no valid
    run.toml, and for one that would run code of a model."""
    location, folder = str(path), path.absolute().parent
    try:
        facts = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(location, f"not TOML: {error}", EXPECTED, kind="format") from None
    lists = {
        "suites": _records(SuiteRecord, facts.get("suites"), f"{location}: suites"),
        "models": _records(ModelRecord, facts.get("models"), f"{location}: models"),
    }
    record = validate_record(RunRecord, {**facts, **lists}, location)
    method = settings_in(Method, record.method, f"{location}: method", folder)
    if method.trust_remote_code:
        right = "the models by their names, with --set trust_remote_code=true"
        raise InputError(location, "it would run code of models", right, kind="unsafe")

    def absolute(text: str) -> str:
        """Return the absolute path of one that is relative to run.toml."""
        if "\0" in text:
            raise InputError(location, "a path with a NUL", EXPECTED, kind="value")
        return os.path.normpath(folder / text)

    return replace(
        record,
        method=_settings(method),
        suites=tuple(replace(suite, path=absolute(suite.path)) for suite in record.suites),
        models=tuple(
            replace(model, place=absolute(model.place)) if model.where == "path" else model
            for model in record.models
        ),
    )


def _records(kind: type[Record], tables: object, location: str) -> tuple[Record, ...]:
    """Make a record of this type from each table in a list of TOML. Raises `InputError` if the
    value is not a list of tables, and for a table with wrong fields."""
    if not isinstance(tables, list) or not tables or any(not isinstance(t, dict) for t in tables):
        raise InputError(location, "no tables of this name", EXPECTED, kind="format")
    return tuple(validate_record(kind, table, location) for table in tables)


def read_recorded_suites(record: RunRecord) -> list[Suite]:
    """Read the suites of a record from their files, as they are now. Raises `InputError` for a
    suite that is no longer there."""
    # Each file is read once, even if several suites are in it.
    read_once: Callable[[Path], tuple[Suite, ...]] = cache(read_suites)
    suites = []
    for entry in record.suites:
        in_file = read_once(Path(entry.path))
        if entry.part >= len(in_file):
            wrong = f"it has {len(in_file)} suites, and {entry.name} was number {entry.part + 1}"
            raise InputError(entry.path, wrong, f"the folder of {RUN}", kind="changed")
        suite = replace(in_file[entry.part], name=entry.name)
        suites.append(replace(suite, metric=entry.metric) if entry.written else suite)
    return suites


def differences(record: RunRecord, now: RunRecord) -> Iterator[str]:
    """Yield a line for each fact (such as a version or digest) in which a new run differs from the
    earlier one of the record. `now` is the record of the new run."""
    old, new = record.facts(), now.facts()
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            yield f"{name}: {new.get(name) or 'none'} here, {old.get(name) or 'none'} in {RUN}"
