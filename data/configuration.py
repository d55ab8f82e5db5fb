"""Settings that have a name: complete, checked, read from TOML and written as TOML.

A rule, a recipe, a method, a training is a `Configuration`. It extends another one, by name or
file, and what it does not say itself is as there.
"""

import hashlib
import inspect
import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from os.path import isfile
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, get_args, get_type_hints

from .errors import InputError
from .files import read_text
from .memo import content_digest
from .registry import nearest
from .validate import faults_in, raise_all

C = TypeVar("C", bound="Configuration")
EXACT = 1 << 53  # whole numbers below are floats without loss
DIGITS = 6  # of a digest in a name
ENTRY = re.compile(r"^    (\w+(?:, \w+)*): ", re.M)  # begins a field in a docstring's Attributes


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """Settings of one kind. A field that is None when it is made is as in what `extends` names.

    Attributes:
        extends: name of known settings, or a TOML file; once made, the known name at its end.
    """

    NOUN: ClassVar[str]
    """What one is called, such as `rule`."""
    DEFAULT: ClassVar[str]
    """Name of the settings that are extended where nothing is said."""
    NAMED: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Name → all settings, or what differs from those of `DEFAULT`."""

    FILES: ClassVar[tuple[str, ...]] = ()
    """Fields of text that may name a file, also as `LANGUAGE=FILE`."""

    extends: str = ""

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        """Refuse a keyword that is no setting, for which Python has no suggestion."""
        names = [field.name for field in fields(cls)]
        raise_all(
            InputError(f"{cls.__name__}: {name}", "no such setting", nearest(name, names),
                       kind="unknown")
            for name in settings
            if name not in names
        )  # fmt: skip
        return super().__new__(cls)

    def __post_init__(self) -> None:
        location, faults = type(self).__name__, list[InputError]()
        own = {name: value for name, value in self._values().items() if value is not None}
        extends = own.pop("extends", "") or self.DEFAULT
        name, layers = _chain(type(self), extends, f"{location}: extends", faults)
        layers.append(Layer(location, own))
        for field, value in _settled(type(self), name, layers, faults).items():
            object.__setattr__(self, field, value)

    @classmethod
    def known(cls) -> Iterable[str]:
        """Return the names of the known settings."""
        return cls.NAMED

    @classmethod
    def settings_of(cls, name: str) -> Mapping[str, Any]:
        """Return all settings under a known name."""
        return {**cls.NAMED[cls.DEFAULT], **cls.NAMED[name]}

    def conflicts(self) -> Iterable[InputError]:
        """Return the faults of fields together; the location of each is the name of a field."""
        return ()

    def contents(self) -> dict[str, Any]:
        """Return all settings as JSON has them, a file's content in place of its path."""
        contents = {name: _content(value) for name, value in self._values().items()}
        return contents | {name: _file_content(contents[name]) for name in self.FILES}

    def differing(self) -> dict[str, Any]:
        """Return the contents that differ from those under the name that this extends."""
        known = type(self)(extends=self.extends).contents()
        return {name: value for name, value in self.contents().items() if value != known[name]}

    @property
    def digest(self) -> str:
        """Six hexadecimal digits over all settings."""
        return digest_of(self.contents())

    @property
    def label(self) -> str:
        """The name, and `~` with six hexadecimal digits over what differs from it."""
        return self.extends + mark_of(self.differing())

    def to_toml(self) -> str:
        """Return all settings as TOML with a comment on each, to be edited and read back."""
        comments = field_comments(type(self))
        lines = [f"# {self.NOUN} {self.label}", f"extends = {toml_value(self.extends)}"]
        for name, value in self._values().items():
            if name != "extends":
                lines += ["", *(f"# {line}" for line in comments.get(name, ()))]
                lines.append(f"# {name} =" if value is None else f"{name} = {toml_value(value)}")
        return "\n".join([*lines, ""])

    def _values(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Layer(NamedTuple):
    """Settings from one source; those of a later layer take the place of an earlier one's."""

    location: str  # "": the fields are parameters or options of their own
    values: Mapping[str, Any]
    folder: Path = Path()  # that paths are relative to


def configured(
    kind: type[C],
    source: C | str | Path | Sequence[C | str | Path] | None = None,
    settings: Sequence[str] = (),
    **given: Any,
) -> C:
    """Return the settings that are meant.

    Args:
        kind: what settings they are.
        source: such settings, their name, or a TOML file; None: the default ones.
        settings: `KEY=VALUE`, as the option `--set` takes them: a TOML value, else a bare word.
        **given: further fields; None for one that is not said.

    Returns:
        The settings: those of `source`, with `settings` and then `given` in place of what it says.

    Raises:
        InputError: all faults at once.
    """
    faults: list[InputError] = []
    if isinstance(source, list | tuple):
        if len(source) > 1:
            wrong = f"{len(source)} of them"
            raise InputError(kind.NOUN, wrong, f"one {kind.NOUN}, or its file", kind="conflict")
        source = source[0] if source else None
    if isinstance(source, kind):
        values = source._values()
        name, layers = str(values.pop("extends")), [Layer(kind.NOUN, values)]
    elif source is None or isinstance(source, str | Path):
        name, layers = _chain(kind, source or kind.DEFAULT, kind.NOUN, faults)
    else:
        right = f"a {kind.__name__}, the name of a {kind.NOUN}, or its file"
        raise InputError(kind.NOUN, f"{source!r}", right, kind="value")
    layers.append(Layer("--set", _assignments(kind, settings, faults)))
    layers.append(Layer("", {name: value for name, value in given.items() if value is not None}))
    return kind(**_settled(kind, name, layers, faults))


def settings_in(kind: type[C], values: Mapping[str, Any], location: str, folder: Path) -> C:
    """Return the settings of a table in some file, whose paths are relative to a folder. Raises
    `InputError` with all faults at once."""
    name = values.get("extends", kind.DEFAULT)
    if not isinstance(name, str) or name not in kind.known():
        right = nearest(str(name), sorted(kind.known()))
        raise InputError(f"{location}: extends", f"no {kind.NOUN} {name!r}", right, kind="unknown")
    own = {key: value for key, value in values.items() if key != "extends"}
    return kind(**_settled(kind, name, [Layer(location, own, folder)], []))


def _chain(
    kind: type[Configuration], source: str | Path, location: str, faults: list[InputError]
) -> tuple[str, list[Layer]]:
    """Return the known name at the end of what a source extends, and the layers from there on."""
    layers: list[Layer] = []
    seen: list[Path] = []
    while not (isinstance(source, str) and source in kind.known()):
        try:
            path = _settings_file(kind, source, location, seen)
            values = _read(kind, path)
        except InputError as error:
            faults.append(error)
            return kind.DEFAULT, layers
        seen.append(path.resolve())
        source = values.pop("extends", kind.DEFAULT)
        layers.insert(0, Layer(str(path), values, path.parent))
        if isinstance(source, str) and source.endswith(".toml") and source not in kind.known():
            source = path.parent / source
        location = f"{path}: extends"
    return source, layers


def _settings_file(
    kind: type[Configuration], source: object, location: str, seen: Sequence[Path]
) -> Path:
    """Return the file that a source names. Raises `InputError` for what names none, and for a file
    that was seen in the same chain."""
    if not isinstance(source, str | Path):
        right = f"the name of a {kind.NOUN}, or its file"
        raise InputError(location, repr(source), right, kind="value")
    path = Path(source)
    if not (path.suffix == ".toml" or path.is_file()):
        right = f"{nearest(str(source), sorted(kind.known()))}, or a TOML file"
        raise InputError(location, f"no {kind.NOUN} {str(source)!r}", right, kind="unknown")
    if path.resolve() in seen:
        circle = " → ".join(step.name for step in (*seen, path))
        right = f"a chain that ends in one of {', '.join(sorted(kind.known()))}"
        raise InputError(location, f"extends itself ({circle})", right, kind="conflict")
    return path


def _read(kind: type[Configuration], path: Path) -> dict[str, Any]:
    """Return the settings of a TOML file. Raises `InputError`."""
    example = next(_settable(kind))
    try:
        values = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        right = f"{example} = … and the like"
        raise InputError(str(path), f"not TOML: {error}", right, kind="format") from None
    if tables := [f"[{name}]" for name, value in values.items() if isinstance(value, dict)]:
        wrong = f"has the tables {', '.join(tables)}"
        right = f"the settings of one {kind.NOUN}, under no heading"
        raise InputError(str(path), wrong, right, kind="format")
    if not values:
        right = f"at least one setting, such as {example}"
        raise InputError(str(path), "no setting in it", right, kind="empty")
    return values


def _assignments(
    kind: type[Configuration], settings: Sequence[str], faults: list[InputError]
) -> dict[str, Any]:
    """Return what `KEY=VALUE` say."""
    types = get_type_hints(kind)
    values: dict[str, Any] = {}
    for entry in [settings] if isinstance(settings, str) else settings:
        name, equals, text = (part.strip() for part in entry.partition("="))
        if not name or not equals or name == "extends":
            right = f"KEY=VALUE, such as {next(_settable(kind))}=…"
            if name == "extends":
                right = f"--{kind.NOUN} {text}"
            faults.append(InputError("--set", repr(entry), right, kind="value"))
        elif name in values:
            right = "one value; of several a list, KEY=[A, B]"
            faults.append(InputError(f"--set: {name}", "given twice", right, kind="conflict"))
        else:
            values[name] = _read_value(text, types.get(name))
    return values


def _read_value(text: str, annotation: object) -> object:
    """Return the value of `KEY=VALUE`: TOML, else a number as people write it, else a word."""
    members = {annotation, *get_args(annotation)}
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
        if float in members:
            with suppress(ValueError):
                value = float(text)
    is_word = members & {str, Path} and not members & {int, float, bool}
    return text if is_word and isinstance(value, bool | int | float) else value


def _settled(
    kind: type[Configuration], name: str, layers: Sequence[Layer], faults: list[InputError]
) -> dict[str, Any]:
    """Return all settings by name of field, `extends` too. Raises all faults there are."""
    types = get_type_hints(kind)
    values: dict[str, Any] = {}
    locations: dict[str, str] = {}
    for location, given, folder in layers:
        read = {key: _coerced(types.get(key), value, folder) for key, value in given.items()}
        read |= {key: _located(read[key], folder) for key in kind.FILES if key in read}
        faults += faults_in(kind, read, location)
        values |= read
        prefix = f"{location}: " if location else ""
        locations |= {key: f"{prefix}{key}" for key in read}
    raise_all(faults)
    values = {**kind.settings_of(name), **values, "extends": name}
    settled = object.__new__(kind)
    for field in fields(kind):
        object.__setattr__(settled, field.name, values.get(field.name))
    raise_all(
        fault.at(locations.get(fault.location, fault.location)) for fault in settled.conflicts()
    )
    return settled._values()


def _coerced(annotation: object, value: object, folder: Path) -> object:
    """Return a value as a field has it: a list as a tuple, one word for several alone, a whole
    number as a float and text as a path where the field is one."""
    members = {annotation, *get_args(annotation)}
    several = [member for member in members if getattr(member, "__origin__", None) is tuple]
    if several and str not in members and isinstance(value, str | Path):
        value = (value,)
    if isinstance(value, list | tuple):
        inner = {argument for member in several for argument in get_args(member)}
        return tuple(_as_path(entry, folder) if Path in inner else entry for entry in value)
    if float in members and type(value) is int and abs(value) < EXACT:
        return float(value)
    return _as_path(value, folder) if Path in members else value


def _located(value: object, folder: Path) -> object:
    """Return text that names a file of the folder with its path, other text as it is."""
    if isinstance(value, tuple):
        return tuple(_located(entry, folder) for entry in value)
    if not isinstance(value, str):
        return value
    head, equals, name = value.rpartition("=")
    return f"{head}{equals}{folder / name}" if isfile(folder / name) else value


def _as_path(value: object, folder: Path) -> object:
    return folder / value if isinstance(value, str) else value


def mark_of(differing: Mapping[str, Any]) -> str:
    """Return `~` and six hexadecimal digits over what differs from a name; "" for nothing.

    >>> mark_of({}), mark_of({"n": 5}) == mark_of({"n": 4})
    ('', False)
    """
    return f"~{digest_of(differing)}" if differing else ""


def digest_of(contents: Mapping[str, Any]) -> str:
    """Return six hexadecimal digits over settings, whatever their order; a path counts by the
    content of its file."""
    plain = {name: _content(value) for name, value in contents.items()}
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _content(value: Any) -> Any:
    if isinstance(value, Path):
        return content_digest(value) if value.exists() else value.name
    if isinstance(value, list | tuple):
        return [_content(entry) for entry in value]
    return value


def _file_content(value: Any) -> Any:
    """Return text that names a file, also as `LANGUAGE=FILE`, with the file's content."""
    if isinstance(value, list):
        return [_file_content(entry) for entry in value]
    head, equals, name = str(value).rpartition("=")
    return f"{head}{equals}{content_digest(Path(name))}" if isfile(name) else value


def toml_value(value: Any) -> str:
    """Return a value as TOML. JSON's strings are TOML's, but for the delete character."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = str(value.absolute()) if isinstance(value, Path) else value
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _settable(kind: type[Configuration]) -> Iterator[str]:
    return iter([field.name for field in fields(kind) if field.name != "extends"])


def field_comments(kind: type) -> dict[str, list[str]]:
    """Return the lines on each field in a class's docstring."""
    _, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    parts = ENTRY.split(attributes.partition("\n\n")[0])[1:]
    return {
        name: [" ".join(line.split()) for line in text.replace("`", "").strip().splitlines()]
        for names, text in zip(parts[::2], parts[1::2], strict=True)
        for name in names.split(", ")
    }
