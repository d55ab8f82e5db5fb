"""Settings that have a name: complete, checked, read from TOML and written as TOML.

A rule, a recipe, a method and a training are each a `Configuration`. It *extends* another one,
given by its name or its file: settings that it does not have itself are taken from there.
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
EXACT_BELOW = 1 << 53  # smaller whole numbers become floats without loss
DIGEST_DIGITS = 6  # hexadecimal
FIELD_ENTRY = re.compile(r"^    (\w+(?:, \w+)*): ", re.M)  # begins an entry of "Attributes:"


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """Settings of one kind, a field each. A field given as None gets the value in `extends`.

    Attributes:
        extends: name of known settings, or a TOML file; after construction always a known name,
            that at which the chain of extensions ends.
    """

    NOUN: ClassVar[str]
    """The word for such settings, as `rule`."""
    DEFAULT: ClassVar[str]
    """Name of the known settings that are extended if `extends` is not given."""
    NAMED: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Known name → its settings: all of them for `DEFAULT`, the differing ones for other names."""

    FILES: ClassVar[tuple[str, ...]] = ()
    """Names of the text fields that may name a file, also as `LANGUAGE=FILE`."""

    extends: str = ""

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        """Refuse keywords that are not settings, with a suggestion, which Python does not make."""
        names = [field.name for field in fields(cls)]
        raise_all(
            InputError(f"{cls.__name__}: {name}", "no such setting", nearest(name, names),
                       kind="unknown")
            for name in settings
            if name not in names
        )  # fmt: skip
        return super().__new__(cls)

    def __post_init__(self) -> None:
        """Check the given settings, and take those that are None from the settings extended."""
        location, faults = type(self).__name__, list[InputError]()
        given = {name: value for name, value in self._values().items() if value is not None}
        extends = given.pop("extends", "") or self.DEFAULT
        name, layers = _follow_extends(type(self), extends, f"{location}: extends", faults)
        layers.append(Layer(location, given))
        for field, value in _merge_layers(type(self), name, layers, faults).items():
            object.__setattr__(self, field, value)

    @classmethod
    def known(cls) -> Iterable[str]:
        """Return the names of the known settings."""
        return cls.NAMED

    @classmethod
    def settings_of(cls, name: str) -> Mapping[str, Any]:
        """Return all settings of a known name, as values by name of field."""
        return {**cls.NAMED[cls.DEFAULT], **cls.NAMED[name]}

    def conflicts(self) -> Iterable[InputError]:
        """Return an error for each forbidden combination of values, located at a field's name."""
        return ()

    def contents(self) -> dict[str, Any]:
        """Return all settings as values for JSON; a file counts by a digest of its content."""
        contents = {name: _json_value(value) for name, value in self._values().items()}
        return contents | {name: _hash_named_file(contents[name]) for name in self.FILES}

    def differing(self) -> dict[str, Any]:
        """Return those `contents` whose values differ from those of the known settings extended."""
        known = type(self)(extends=self.extends).contents()
        return {name: value for name, value in self.contents().items() if value != known[name]}

    @property
    def digest(self) -> str:
        """A digest of all settings, in six hexadecimal digits."""
        return digest_of(self.contents())

    @property
    def label(self) -> str:
        """The known name, and if some settings differ from it, `~` and a digest of these."""
        return self.extends + digest_suffix(self.differing())

    def to_toml(self) -> str:
        """Return all settings as TOML with a comment on each, for a user to edit and read back."""
        comments = field_comments(type(self))
        lines = [f"# {self.NOUN} {self.label}", f"extends = {toml_value(self.extends)}"]
        for name, value in self._values().items():
            if name != "extends":
                lines += ["", *(f"# {line}" for line in comments.get(name, ()))]
                lines.append(f"# {name} =" if value is None else f"{name} = {toml_value(value)}")
        return "\n".join([*lines, ""])

    def _values(self) -> dict[str, Any]:
        """Return the value of every field by its name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Layer(NamedTuple):
    """Some settings from one source; those of a later layer replace those of an earlier one."""

    location: str  # the source, for messages; "": each field is a parameter or an option
    values: Mapping[str, Any]
    folder: Path = Path()  # the folder that paths in the values are relative to


def configured(
    kind: type[C],
    source: C | str | Path | Sequence[C | str | Path] | None = None,
    settings: Sequence[str] = (),
    **given: Any,
) -> C:
    """Return the complete settings that a caller or a command line asks for.

    Args:
        kind: the class of the settings.
        source: settings, the name of known ones, or a TOML file; None: the default ones.
        settings: `KEY=VALUE`, as the option `--set` takes them: a TOML value, else a bare word.
        **given: values of further fields; None for a field that is not given.

    Returns:
        The settings of `source`, with values replaced first by `settings` and then by `given`.

    Raises:
        InputError: all faults at once.
    """
    faults: list[InputError] = []
    if isinstance(source, list | tuple):  # from an option that can be repeated
        if len(source) > 1:
            wrong = f"{len(source)} of them"
            raise InputError(kind.NOUN, wrong, f"one {kind.NOUN}, or its file", kind="conflict")
        source = source[0] if source else None
    if isinstance(source, kind):
        values = source._values()
        name, layers = str(values.pop("extends")), [Layer(kind.NOUN, values)]
    elif source is None or isinstance(source, str | Path):
        name, layers = _follow_extends(kind, source or kind.DEFAULT, kind.NOUN, faults)
    else:
        right = f"a {kind.__name__}, the name of a {kind.NOUN}, or its file"
        raise InputError(kind.NOUN, f"{source!r}", right, kind="value")
    layers.append(Layer("--set", _assignments(kind, settings, faults)))
    layers.append(Layer("", {name: value for name, value in given.items() if value is not None}))
    return kind(**_merge_layers(kind, name, layers, faults))


def settings_in(kind: type[C], values: Mapping[str, Any], location: str, folder: Path) -> C:
    """Make settings from a table of a TOML file, on top of the named settings that it extends.

    Args:
        kind: the class of the settings.
        values: the table: name of field → value; `extends` is a name, not a file, and
            `kind.DEFAULT` if it is left out.
        location: the table's place, for messages.
        folder: the folder that paths in it are relative to.

    Raises `InputError` with all faults at once.
    """
    name = values.get("extends", kind.DEFAULT)
    if not isinstance(name, str) or name not in kind.known():
        right = nearest(str(name), sorted(kind.known()))
        raise InputError(f"{location}: extends", f"no {kind.NOUN} {name!r}", right, kind="unknown")
    fields_given = {key: value for key, value in values.items() if key != "extends"}
    return kind(**_merge_layers(kind, name, [Layer(location, fields_given, folder)], []))


def _follow_extends(
    kind: type[Configuration], source: str | Path, location: str, faults: list[InputError]
) -> tuple[str, list[Layer]]:
    """Return the known name at which a chain of extensions ends, and the chain's files as layers.

    `source` begins the chain: a known name or a file. The layers are in the order in which they
    apply. An error is added to `faults` and ends the chain at the default name.
    """
    layers: list[Layer] = []
    chain: list[Path] = []
    while not (isinstance(source, str) and source in kind.known()):
        try:
            path = _settings_file(kind, source, location, chain)
            values = _read_settings(kind, path)
        except InputError as error:
            faults.append(error)
            return kind.DEFAULT, layers
        chain.append(path.resolve())
        source = values.pop("extends", kind.DEFAULT)
        layers.insert(0, Layer(str(path), values, path.parent))
        if isinstance(source, str) and source.endswith(".toml") and source not in kind.known():
            source = path.parent / source  # a file named in a file is relative to its folder
        location = f"{path}: extends"
    return source, layers


def _settings_file(
    kind: type[Configuration], source: object, location: str, chain: Sequence[Path]
) -> Path:
    """Return the path of the settings file that a source names.

    Raises `InputError` if it names no file, or one that is already in the chain of extensions.
    """
    if not isinstance(source, str | Path):
        right = f"the name of a {kind.NOUN}, or its file"
        raise InputError(location, repr(source), right, kind="value")
    path = Path(source)
    if not (path.suffix == ".toml" or path.is_file()):
        right = f"{nearest(str(source), sorted(kind.known()))}, or a TOML file"
        raise InputError(location, f"no {kind.NOUN} {str(source)!r}", right, kind="unknown")
    if path.resolve() in chain:
        circle = " → ".join(step.name for step in (*chain, path))
        right = f"a chain that ends in one of {', '.join(sorted(kind.known()))}"
        raise InputError(location, f"extends itself ({circle})", right, kind="conflict")
    return path


def _read_settings(kind: type[Configuration], path: Path) -> dict[str, Any]:
    """Return the settings in a TOML file: name of field → value, not yet checked.

    Raises `InputError` if it is not TOML, has tables (which no setting is), or has no setting.
    """
    example = next(_field_names(kind))
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
    """Return the values that the `KEY=VALUE` of `--set` give, by key; errors go to `faults`."""
    types = get_type_hints(kind)
    values: dict[str, Any] = {}
    entries = [settings] if isinstance(settings, str) else settings  # a text is one setting
    for entry in entries:
        name, equals, text = (part.strip() for part in entry.partition("="))
        if not name or not equals or name == "extends":  # `extends` is an option of its own
            right = f"KEY=VALUE, such as {next(_field_names(kind))}=…"
            if name == "extends":
                right = f"--{kind.NOUN} {text}"
            faults.append(InputError("--set", repr(entry), right, kind="value"))
        elif name in values:
            right = "one value; of several a list, KEY=[A, B]"
            faults.append(InputError(f"--set: {name}", "given twice", right, kind="conflict"))
        else:
            values[name] = _parse_value(text, types.get(name))
    return values


def _parse_value(text: str, annotation: object) -> object:
    """Return the value that a text after `KEY=` stands for.

    It is read as TOML, else, for a field that may be a float, as a number, else it is a word. A
    field that takes words and no numbers gets the text as it is.
    """
    members = {annotation, *get_args(annotation)}  # of `int | None` the types int and None, too
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
        if float in members:
            with suppress(ValueError):
                value = float(text)
    takes_words = members & {str, Path} and not members & {int, float, bool}
    return text if takes_words and isinstance(value, bool | int | float) else value


def _merge_layers(
    kind: type[Configuration], name: str, layers: Sequence[Layer], faults: list[InputError]
) -> dict[str, Any]:
    """Return all settings by name of field: those of the known `name`, replaced layer by layer.

    Raises `InputError` with all faults at once, also those that are already in `faults`.
    """
    types = get_type_hints(kind)
    values: dict[str, Any] = {}
    locations: dict[str, str] = {}  # field → the place that gives its value, for messages
    for location, given, folder in layers:
        converted = {key: _convert(types.get(key), value, folder) for key, value in given.items()}
        for key in converted.keys() & {*kind.FILES}:
            converted[key] = _add_folder(converted[key], folder)
        faults += faults_in(kind, converted, location)
        values |= converted
        prefix = f"{location}: " if location else ""
        locations |= {key: f"{prefix}{key}" for key in converted}
    raise_all(faults)
    values = {**kind.settings_of(name), **values, "extends": name}
    complete = object.__new__(kind)  # without `__post_init__`, which would call this function
    for field in fields(kind):
        object.__setattr__(complete, field.name, values.get(field.name))
    raise_all(
        fault.at(locations.get(fault.location, fault.location)) for fault in complete.conflicts()
    )
    return complete._values()


def _convert(annotation: object, value: object, folder: Path) -> object:
    """Return a value converted to the type of its field, by the field's annotation.

    A list becomes a tuple. If the field takes a tuple, a single word becomes a tuple of one. If it
    takes a float, a whole number becomes one. If it takes a path, text becomes one, relative to
    `folder`. Any other value is returned unchanged; it is checked later.
    """
    members = {annotation, *get_args(annotation)}  # of `int | None` the types int and None, too
    tuples = [member for member in members if getattr(member, "__origin__", None) is tuple]
    if tuples and str not in members and isinstance(value, str | Path):
        value = (value,)
    if isinstance(value, list | tuple):
        entry_types = {argument for member in tuples for argument in get_args(member)}
        return tuple(_as_path(entry, folder) if Path in entry_types else entry for entry in value)
    if float in members and type(value) is int and abs(value) < EXACT_BELOW:
        return float(value)
    return _as_path(value, folder) if Path in members else value


def _add_folder(value: object, folder: Path) -> object:
    """Put the folder's path before a text that names a file in it; leave other values as they are.

    A text may be FILE or `LANGUAGE=FILE`; in a tuple each text is treated so.
    """
    if isinstance(value, tuple):
        return tuple(_add_folder(entry, folder) for entry in value)
    if not isinstance(value, str):
        return value
    head, equals, name = value.rpartition("=")
    return f"{head}{equals}{folder / name}" if isfile(folder / name) else value


def _as_path(value: object, folder: Path) -> object:
    """Return text as a path relative to `folder`, any other value unchanged."""
    return folder / value if isinstance(value, str) else value


def digest_suffix(differing: Mapping[str, Any]) -> str:
    """Return `~` and a digest of the settings that differ from a known name; "" if none do.

    >>> digest_suffix({}), digest_suffix({"n": 5}) == digest_suffix({"n": 4})
    ('', False)
    """
    return f"~{digest_of(differing)}" if differing else ""


def digest_of(contents: Mapping[str, Any]) -> str:
    """Return a digest of settings in six hexadecimal digits.

    Their order does not matter, and a path counts by the content of its file.
    """
    plain = {name: _json_value(value) for name, value in contents.items()}
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_DIGITS]


def _json_value(value: Any) -> Any:
    """Return a setting as JSON can hold it: a path as the digest of its file, a tuple as a list."""
    if isinstance(value, Path):
        return content_digest(value) if value.exists() else value.name
    if isinstance(value, list | tuple):
        return [_json_value(entry) for entry in value]
    return value


def _hash_named_file(value: Any) -> Any:
    """Return FILE or `LANGUAGE=FILE` with a digest of the file's content in place of its name."""
    if isinstance(value, list):
        return [_hash_named_file(entry) for entry in value]
    head, equals, name = str(value).rpartition("=")
    return f"{head}{equals}{content_digest(Path(name))}" if isfile(name) else value


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it. A string is as in JSON, but for the delete character."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = str(value.absolute()) if isinstance(value, Path) else value
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _field_names(kind: type[Configuration]) -> Iterator[str]:
    """Return the names of the fields that a user can set, all but `extends`."""
    return iter([field.name for field in fields(kind) if field.name != "extends"])


def field_comments(kind: type) -> dict[str, list[str]]:
    """Return the entries under "Attributes:" in a class's docstring: name of field → lines."""
    _, _, attributes = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    parts = FIELD_ENTRY.split(attributes.partition("\n\n")[0])[1:]
    return {
        name: [" ".join(line.split()) for line in text.replace("`", "").strip().splitlines()]
        for names, text in zip(parts[::2], parts[1::2], strict=True)
        for name in names.split(", ")
    }
