"""Settings with a name: complete, checked whoever makes them, and the same from every source."""

import pickle
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, ClassVar, Literal

import pytest
from annotated_types import Ge, Le
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.configuration import Configuration, configured, digest_of, digest_suffix
from colorless_green.data.errors import ErrorKind, InputError
from tests.builders import mistake


@dataclass(frozen=True, kw_only=True)
class Garden(Configuration):
    """A garden.

    Attributes:
        extends: another garden.
        n_gnomes: how many gnomes,
            large and small.
        share: `share` in the sun.
        soil: what it grows in.
        plants: their names.
        plan: a drawing.
        is_open: whether it has a gate.
    """

    NOUN: ClassVar[str] = "garden"
    DEFAULT: ClassVar[str] = "kitchen"
    NAMED: ClassVar[Any] = {
        "kitchen": {"n_gnomes": 3, "share": 0.5, "soil": "clay", "plants": ("leek",), "plan": None,
                    "is_open": False},
        "rock": {"n_gnomes": 0, "plants": ()},
    }  # fmt: skip

    n_gnomes: Annotated[int, Ge(0)] | None = None
    share: Annotated[float, Ge(0), Le(1)] | None = None
    soil: Literal["sand", "clay"] | None = None
    plants: tuple[str, ...] | None = None
    plan: Path | None = None
    is_open: bool | None = None
    FILES: ClassVar[Any] = ("plants",)

    def conflicts(self) -> Iterable[InputError]:
        if self.soil == "sand" and not self.is_open:
            yield InputError("soil", "sand blows away", "is_open = true", kind="conflict")


WORDS = st.text(st.characters(codec="utf-8"))
GARDENS = st.builds(
    Garden,
    extends=st.sampled_from(["kitchen", "rock"]),
    n_gnomes=st.none() | st.integers(min_value=0, max_value=10**9),
    share=st.none() | st.floats(min_value=0, max_value=1),
    plants=st.none() | st.lists(WORDS).map(tuple),
    plan=st.none() | st.just(Path("no such plan.svg")),
    is_open=st.none() | st.booleans(),
)
BAD: dict[str, st.SearchStrategy[Any]] = {  # by field: values of another type or range
    "n_gnomes": st.integers(max_value=-1) | st.booleans() | st.text() | st.floats(),
    "share": st.floats(min_value=1, exclude_min=True) | st.text() | st.integers(min_value=2),
    "soil": st.text().filter(lambda word: word not in ("sand", "clay")) | st.integers(),
    "plants": st.integers() | st.lists(st.integers(), min_size=1),
    "plan": st.integers() | st.booleans(),
    "is_open": st.integers() | st.text(),
}


def faults(source: str, text: str) -> list[str]:
    """Return the places of all faults of a file."""
    Path(source).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        configured(Garden, source)
    return [": ".join(line.split(": ")[:2]) for line in str(caught.value).splitlines()]


@given(st.data())
def test_a_bad_value_is_a_mistake_that_names_its_field_whoever_says_it(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(BAD)))
    value = data.draw(BAD[name])
    with pytest.raises(InputError) as in_python:
        Garden(**{name: value})
    with pytest.raises(InputError) as as_parameter:
        configured(Garden, "rock", **{name: value})
    assert (in_python.value.location, as_parameter.value.location) == (f"Garden: {name}", name)
    assert {in_python.value.kind, as_parameter.value.kind} <= {"value", "unknown"}


@given(GARDENS)
def test_what_is_printed_is_read_back_and_is_complete(garden: Garden) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "garden.toml"
        path.write_text(garden.to_toml(), encoding="utf-8")
        found = configured(Garden, path)
    plan = None if garden.plan is None else garden.plan.absolute()
    assert found == configured(Garden, garden, plan=plan)
    missing = {field.name for field in fields(garden) if getattr(garden, field.name) is None}
    assert missing <= {"plan"}


@given(GARDENS)
def test_the_name_says_what_differs_and_nothing_else(garden: Garden) -> None:
    same = Garden(extends=garden.extends)
    assert (garden.label == garden.extends) == (garden == same)
    assert (garden.label == same.label) == (garden == same)
    assert set(garden.differing()) == {
        field.name for field in fields(garden)
        if getattr(garden, field.name) != getattr(same, field.name)
    }  # fmt: skip


@given(
    st.integers(min_value=0),
    st.booleans(),
    st.lists(WORDS.filter(lambda word: word == word.strip())),
)
def test_settings_by_file_by_set_and_in_python_are_the_same(
    n: int, is_open: bool, plants: list[str]
) -> None:
    listed = "[" + ", ".join(map(repr_toml, plants)) + "]"
    gate = str(is_open).lower()
    text = f"extends = 'rock'\nn_gnomes = {n}\nis_open = {gate}\nplants = {listed}\n"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "garden.toml"
        path.write_text(text, encoding="utf-8")
        by_file = configured(Garden, path)
    settings = [f"n_gnomes={n}", f"is_open={gate}", f"plants={listed}"]
    assert by_file == configured(Garden, "rock", settings)
    assert by_file == Garden(extends="rock", n_gnomes=n, is_open=is_open, plants=tuple(plants))


def repr_toml(word: str) -> str:
    return '"' + "".join(f"\\U{ord(char):08x}" for char in word) + '"'


def test_a_file_goes_before_what_it_extends_and_set_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("extends = 'b.toml'\nn_gnomes = 1\n")
    (tmp_path / "b.toml").write_text(
        "extends = 'rock'\nn_gnomes = 2\nshare = 0.25\nplants = ['ivy']\n"
    )
    found = configured(Garden, tmp_path / "a.toml", ["share=1", "soil=clay"])
    assert (found.extends, found.n_gnomes, found.share) == ("rock", 1, 1)
    assert (found.plants, found.soil) == (("ivy",), "clay")
    assert configured(Garden, tmp_path / "a.toml", n_gnomes=7).n_gnomes == 7
    assert Garden(extends=str(tmp_path / "b.toml"), n_gnomes=1).share == 0.25


def test_a_whole_number_counts_as_a_float() -> None:
    assert Garden(share=1).digest == Garden(share=1.0).digest
    with mistake("value", "Garden: share"):
        Garden(share=10**400)


def test_set_takes_numbers_and_words_as_people_write_them() -> None:
    assert configured(Garden, None, ["share=.25"]).share == 0.25
    assert configured(Garden, None, ["plan=1984"]).plan == Path("1984")
    assert configured(Garden, None, ["plants=['1984']"]).plants == ("1984",)


@pytest.mark.parametrize("keyword", ["n_gnomse", "pond"])
def test_a_keyword_that_is_no_setting_is_a_mistake_with_the_nearest(keyword: str) -> None:
    given: dict[str, Any] = {keyword: 1}
    with mistake("unknown", f"Garden: {keyword}"):
        Garden(**given)
    with mistake("value", "Garden: extends"):
        Garden(extends=3)  # type: ignore[arg-type]


def test_a_record_survives_a_process() -> None:
    assert pickle.loads(pickle.dumps(Garden(n_gnomes=7))) == Garden(n_gnomes=7)


def test_a_word_counts_for_a_list_and_paths_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("plants = 'ivy'\nplan = 'plan.svg'\n")
    found = configured(Garden, tmp_path / "a.toml", ["plants=rose"])
    assert (found.plants, found.plan) == (("rose",), tmp_path / "plan.svg")


def test_text_that_may_name_a_file_is_looked_for_in_the_folder_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("plants = ['words.tsv', 'it=words.tsv', 'ivy']\n")
    (tmp_path / "words.tsv").write_text("x")
    words = tmp_path / "words.tsv"
    assert configured(Garden, tmp_path / "a.toml").plants == (str(words), f"it={words}", "ivy")
    assert configured(Garden, None, ["plants=words.tsv"]).plants == ("words.tsv",)


def test_a_file_of_settings_counts_by_its_content(tmp_path: Path) -> None:
    marks = set()
    for name, text in (("a", "one"), ("b", "one"), ("a", "two")):
        (tmp_path / name).write_text(text)
        marks.add(Garden(plan=tmp_path / name).label)
        marks.add("kitchen" + digest_suffix({"plan": tmp_path / name}))
    assert len(marks) == 2
    assert digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("", ["g.toml: no setting"]),
        ("n_gnomes = = 3", ["g.toml: not TOML"]),
        ("n_gnomse = 1\nshare = 7\nsoil = 3", ["g.toml: n_gn", "g.toml: share", "g.toml: soil"]),
        ("extends = 'rocks'\nshare = 2", ["g.toml: extends", "g.toml: share"]),
        ("extends = 3", ["g.toml: extends"]),
        ("extends = 'g.toml'", ["g.toml: extends"]),
        ("extends = 'h.toml'", ["h.toml: extends"]),
        ("extends = 'gone.toml'", ["gone.toml: there is no such file"]),
        ("[garden]\nshare = 0.5\n[rule]\n", ["g.toml: has the tables [garden], [rule]"]),
        ("soil = 'sand'", ["g.toml: soil"]),
    ],
    ids=repr,
)
def test_all_faults_of_a_file_are_said_at_once(
    text: str, places: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("h.toml").write_text("extends = 'g.toml'\n")
    found = faults("g.toml", text)
    assert len(found) == len(places)
    assert all(map(str.startswith, found, places)), found


@pytest.mark.parametrize(
    ("source", "settings", "kind", "place"),
    [
        ("rocks", [], "unknown", "garden"),
        (["rock", "kitchen"], [], "conflict", "garden"),
        (3, [], "value", "garden"),
        ("rock", ["share"], "value", "--set"),
        ("rock", ["extends=kitchen"], "value", "--set"),
        ("rock", ["pond=1"], "unknown", "--set: pond"),
        ("rock", ["=1"], "value", "--set"),
        ("rock", ["plants=rose", "plants=ivy"], "conflict", "--set: plants"),
        ("rock", ["share=2"], "value", "--set: share"),
        ("rock", ["soil=sand"], "conflict", "--set: soil"),
    ],
    ids=repr,
)
def test_what_is_said_wrong_is_a_mistake_at_its_place(
    source: Any, settings: list[str], kind: ErrorKind, place: str
) -> None:
    with mistake(kind, place):
        configured(Garden, source, settings)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"extends = '\x00'", b"a" * 100])
def test_a_hostile_file_is_a_mistake(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "g.toml").write_bytes(content)
    with pytest.raises(InputError):
        configured(Garden, tmp_path / "g.toml")


def test_a_comment_says_what_each_setting_is() -> None:
    lines = Garden(n_gnomes=4).to_toml().splitlines()
    assert lines[0].startswith("# garden kitchen~")
    position = lines.index("n_gnomes = 4")
    assert lines[position - 2 : position] == ["# how many gnomes,", "# large and small."]
    assert "# plan =" in lines
