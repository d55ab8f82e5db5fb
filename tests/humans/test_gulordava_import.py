"""The paper's result table: items, people's counts, and natural logarithms turned into bits."""

import math
import re
from pathlib import Path

import pytest

from colorless_green import read_judgments
from colorless_green.data import Suite
from colorless_green.data.store import Store
from colorless_green.humans import Imported, ImportOptions, read_files, table_map
from tests.builders import mistake
from tests.humans.answer_material import credits_of
from tests.humans.study_material import suite

COLUMNS = (
    *("pattern", "constr_id", "sent_id", "correct_number", "form", "class", "type", "prefix"),
    *("n_attr", "punct", "freq", "len_context", "len_prefix", "sent", "full_id", "mturk_count"),
    "some-model",
)
SENTENCES = ("la nuvola che vede i sassi cade", "il nido che apre i cesti cade")


def row(variant: int, form: str, side: str, people: str, ln_p: str) -> str:
    """One line; the published variants have another word than the target in `sent`."""
    sentence = SENTENCES[variant].rsplit(" ", 1)[0]
    cells = {
        "pattern": "L__NOUN_VERB_VERB",
        "constr_id": "7",
        "sent_id": str(variant),
        "correct_number": "sing",
        "form": form,
        "class": side,
        "type": "generated" if variant else "original",
        "prefix": sentence.replace("sassi", "<unk>"),
        "n_attr": "1",
        "punct": "False",
        "freq": "12",
        "len_context": "5",
        "len_prefix": "6",
        "sent": f'{sentence} {"altro" if variant else "cade"} "" . <eos>'.replace('""', '"ora"'),
        "full_id": f"L!NOUN_VERB_VERB!Number=Sing!Number=Plur__7__{variant}",
        "mturk_count": people,
        "some-model": ln_p,
    }
    quoted = [f'"{c.replace(chr(34), chr(34) * 2)}"' if '"' in c else c for c in cells.values()]
    return "\t".join(quoted)


ROWS = (
    row(0, "cade", "correct", "9.0", "-2.0"),
    row(0, "cadono", "wrong", "1.0", "-4.0"),
    row(1, "fugge", "correct", "5.0", "-8.5"),
    row(1, "fuggono", "wrong", "5.0", "-8.5"),
)


def imported(folder: Path, *rows: str, header: str = "\t".join(COLUMNS)) -> Imported:
    path = folder / "table.tab"
    path.write_text("\n".join((header, *rows)) + "\n", encoding="utf-8")
    return read_files([path], ())


def test_a_suite_that_was_named_beside_a_file_with_items_is_told_to_be_unused(
    tmp_path: Path,
) -> None:
    imported(tmp_path, *ROWS)
    path, named = tmp_path / "table.tab", "one-of-a-kind"
    plain = read_judgments(path, map={"language": "it"})
    told = read_judgments(path, map={"language": "it"}, suite=Suite(named, suite((2,), 0)))
    assert not any(named in message for message in plain.messages)
    assert any(named in message for message in told.messages)
    assert told.to_frame().equals(plain.to_frame())


def test_two_rows_make_an_item_with_the_form_that_was_judged_in_its_sentence(
    tmp_path: Path,
) -> None:
    suite = imported(tmp_path, *ROWS).suite
    assert suite is not None
    original, variant = suite.items
    assert (original.kind, variant.kind) == ("original", "nonce")
    assert variant.cluster_id == original.cluster_id == original.item_id
    assert variant.agreement is not None
    assert (variant.agreement.right, variant.agreement.wrong) == ("fugge", "fuggono")
    assert (variant.agreement.cue, variant.agreement.gap) == ("nido", 4)
    words = ["il", "nido", "che", "apre", "i", "cesti", "fugge"]
    assert variant.agreement.tokens == (*words, '"ora"', ".")
    prefix, target, rest = variant.conditions["wrong"][0]
    assert prefix.text + target.text + rest.text == 'il nido che apre i cesti fuggono "ora" .'


def test_people_are_counted_by_form(tmp_path: Path) -> None:
    found = imported(tmp_path, *ROWS)
    assert [(each.right, each.total) for each in found.tallies] == [(9, 10), (5, 10)]
    assert [each.condition for each in found.tallies] == ["original", "nonce"]
    assert [each.n_attractors for each in found.tallies] == [1, 1]
    assert found.summary.n_judgments == 20
    assert found.summary.n_rows == 4


def test_natural_logarithms_become_bits_and_a_tie_stays_one(tmp_path: Path) -> None:
    found = imported(tmp_path, *ROWS)
    credits = credits_of(found)["some-model"]
    assert [credit for credit, _ in credits.values()] == [1.0, 0.5]
    assert next(iter(credits.values()))[1] == pytest.approx(2 / math.log(2))


def test_every_further_column_of_numbers_is_a_model(tmp_path: Path) -> None:
    header = "\t".join((*COLUMNS, "remark", "other model"))
    rows = [f"{each}\tnothing\t-1.5e0" for each in ROWS]
    found = imported(tmp_path, *rows, header=header)
    assert list(found.outcomes) == ["some-model", "other model"]


def test_a_table_without_people_gives_items_and_models_alone(tmp_path: Path) -> None:
    header = "\t".join(name for name in COLUMNS if name != "mturk_count")
    rows = ["\t".join((*each.split("\t")[:-2], each.split("\t")[-1])) for each in ROWS]
    found = imported(tmp_path, *rows, header=header)
    assert found.tallies == ()
    assert [len(each) for each in found.outcomes.values()] == [2]


def models_in(path: Path) -> list[tuple[str, bytes]]:
    """Each model of a store with its outcomes."""
    with Store(path) as store:
        query = "SELECT name, outcomes FROM run JOIN model USING (model_id) ORDER BY run_id"
        return [(str(row["name"]), row["outcomes"]) for row in store.rows(query)]


def test_a_model_of_the_same_name_and_other_numbers_gets_a_name_of_its_own(
    tmp_path: Path,
) -> None:
    store = tmp_path / "s.db"
    header = "\t".join(name for name in COLUMNS if name != "mturk_count")
    rows = ["\t".join((*each.split("\t")[:-2], each.split("\t")[-1])) for each in ROWS]
    table = "\n".join((header, *rows)) + "\n"
    (tmp_path / "one.tab").write_text(table, "utf-8")
    (tmp_path / "same.tab").write_text(table, "utf-8")
    (tmp_path / "other.tab").write_text(table.replace("-4.0", "-9.0"), "utf-8")
    for _ in range(2):
        read_judgments(tmp_path / "one.tab", map={"language": "it"}, store=store)
    (first,) = models_in(store)
    assert first[0] == "some-model"
    read_judgments(tmp_path / "same.tab", map={"language": "it"}, store=store)
    assert {name for name, _ in models_in(store)} == {"some-model"}  # on a suite of another name
    told = read_judgments(tmp_path / "other.tab", map={"language": "it"}, store=store)
    kept, _, (name, outcomes) = models_in(store)
    assert kept == first
    assert re.fullmatch("some-model-[0-9a-f]{4}", name)
    assert outcomes != first[1]
    assert any(name in message for message in told.messages)


def test_a_model_whose_name_begins_anothers_keeps_its_numbers(tmp_path: Path) -> None:
    header = "\t".join((*COLUMNS[:-1], "lstm-big", "lstm", "lstm|small"))
    rows = [f"{each}\t-1.5\t-2.5" for each in ROWS]
    (tmp_path / "t.tab").write_text("\n".join((header, *rows)) + "\n", "utf-8")
    for _ in range(2):
        told = read_judgments(tmp_path / "t.tab", map={"language": "it"}, store=tmp_path / "s.db")
        assert not any("another model" in message for message in told.messages)
    names = [name for name, _ in models_in(tmp_path / "s.db")]
    assert names == ["lstm-big", "lstm", "lstm|small"]


def test_the_language_is_that_of_the_option_or_of_the_folder(tmp_path: Path) -> None:
    italian = tmp_path / "Italian"
    italian.mkdir()
    assert imported(italian, *ROWS).suite.name == "gulordava2018-it"  # type: ignore[union-attr]
    path = italian / "table.tab"
    swiss = read_files([path], (), ImportOptions(table_map({"language": "it-CH"}))).suite
    assert swiss is not None
    assert {item.language for item in swiss.items} == {"it-CH"}
    unknown = imported(tmp_path, *ROWS).suite
    assert unknown is not None
    assert unknown.items[0].language == "und"


@pytest.mark.parametrize(("people", "ln_p"), [("4.5", "-8.5"), ("5.0", "0.5"), ("5.0", "-inf")])
def test_numbers_that_are_none_are_refused_with_their_line(
    tmp_path: Path, people: str, ln_p: str
) -> None:
    with mistake("format", f"{tmp_path}/table.tab:4"):
        imported(tmp_path, *ROWS[:2], row(1, "fugge", "correct", people, ln_p), ROWS[3])


def test_one_table_at_a_time(tmp_path: Path) -> None:
    with mistake("value", "files"):
        read_files([tmp_path / "a.tab", tmp_path / "b.tab"], (), format_name="gulordava")
