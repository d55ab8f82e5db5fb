"""The dataset folder: its card, its licences, and what the real `datasets` makes of it."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from colorless_green.data import Item, Suite, pair_of, write_suite
from tests.builders import few_examples
from tests.nonce.format_material import holds_not, pair, pair_suites


def items() -> list[Item]:
    plain = pair(1, "The keys to the cabinet", " are", " is", " here.")
    forms = {**plain.facts, "wrong_form_licence": "CC-BY-3.0"}
    hebrew = replace(plain, item_id="c", language="he", licence="CC-BY-NC-SA-2.5")
    english = replace(plain, language="en", licence="CC-BY-SA-4.0", source="UD_English-EWT")
    return [
        english,
        replace(english, item_id="b", licence="CC-BY-NC-SA-4.0", source="UD_English-GUM"),
        hebrew,
        replace(hebrew, item_id="d", facts=forms),
        replace(pair(2, "l'", "amie", "ami", " est là"), language="pt-BR", licence="MIT"),
    ]


def written(folder: Path, suite: Suite) -> str:
    """Return the card of a suite's folder."""
    write_suite(suite, folder, "huggingface", licence_ok=True)
    return (folder / "README.md").read_text("utf-8")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]


def configurations(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each configuration that the card names, in its order."""
    card = (folder / "README.md").read_text("utf-8")
    named = re.findall(r'- config_name: "(.*)"\n.*\n.*\n    path: "(.*)"', card)
    return {name: lines(folder / file) for name, file in named}


def test_what_may_not_be_mixed_is_a_configuration_of_its_own(tmp_path: Path) -> None:
    """A form from elsewhere brings its licence along."""
    written(tmp_path / "set", Suite("s", tuple(items())))
    found = {
        name: {row["licence"] for row in rows}
        for name, rows in configurations(tmp_path / "set").items()
    }
    assert found == {
        "en_one_CC_BY_SA_4_0": {"CC-BY-SA-4.0"},
        "en_one_CC_BY_NC_SA_4_0": {"CC-BY-NC-SA-4.0"},
        "he_one_CC_BY_NC_SA_2_5": {"CC-BY-NC-SA-2.5"},
        "he_one_CC_BY_3_0_CC_BY_NC_SA_2_5": {"CC-BY-3.0 AND CC-BY-NC-SA-2.5"},
        "pt_BR_two": {"MIT"},
    }


@pytest.mark.parametrize(
    ("licence", "expected", "address"),
    [
        ("CC-BY-SA-4.0", "cc-by-sa-4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("CC-BY-NC-SA-2.5", "other", "https://creativecommons.org/licenses/by-nc-sa/2.5/"),
        ("LGPLLR", "lgpl-lr", "https://spdx.org/licenses/LGPLLR"),
        ("GPL-3.0-only", "gpl-3.0", "https://spdx.org/licenses/GPL-3.0-only"),
        ("LicenseRef-UD-treebanks", "other", ""),
        ("", "unknown", ""),
    ],
)
def test_licences_have_the_names_of_the_hub(
    tmp_path: Path, licence: str, expected: str, address: str
) -> None:
    card = written(tmp_path / "set", Suite("s", (replace(items()[0], licence=licence),)))
    assert f"\nlicense: {expected}\n" in card
    assert f"| {licence or 'unknown'} | {address} | 1 |\n" in card


def test_a_form_from_elsewhere_does_not_make_a_licence_known(tmp_path: Path) -> None:
    card = written(tmp_path / "set", Suite("s", (replace(items()[3], licence=""),)))
    assert "\nlicense: unknown\n" in card


def test_an_unknown_licence_is_refused_unless_it_is_asked_for(tmp_path: Path) -> None:
    item = replace(items()[0], licence="")
    holds_not(
        "missing", f"item {item.item_id}", Suite("s", (item,)), tmp_path / "set", "huggingface"
    )
    written(tmp_path / "set", Suite("s", (item,)))


def test_the_card_tells_licences_making_and_losses(tmp_path: Path) -> None:
    meta = {"seed": "7", "lost: ambiguous target": "12"}
    card = written(tmp_path / "set", Suite("en/tested", tuple(items()), meta=meta))
    for line in (
        "license:\n- cc-by-sa-4.0\n- cc-by-nc-sa-4.0\n- other\n- cc-by-3.0\n- mit\n",
        'license_name: "CC-BY-NC-SA-2.5"\n',
        'license_link: "https://creativecommons.org/licenses/by-nc-sa/2.5/"\n',
        'language:\n- "en"\n- "he"\n- "pt"\n',
        "| lost: ambiguous target | 12 |\n",
        "| CC-BY-3.0 AND CC-BY-NC-SA-2.5 | https://creativecommons.org/licenses/by/3.0/ "
        "https://creativecommons.org/licenses/by-nc-sa/2.5/ | 1 |\n",
    ):
        assert line in card


def test_the_text_of_a_suite_is_no_markup_of_its_card(tmp_path: Path) -> None:
    suite = Suite("<script>|[a](b)\n# x", tuple(items()[:1]), meta={"k": "a | b\n| c"})
    card = written(tmp_path / "set", suite)
    assert "\n# &lt;script&gt;\\|\\[a\\](b) # x\n" in card
    assert "| k | a \\| b \\| c |\n" in card


def test_provenance_tells_where_every_item_is_from(tmp_path: Path) -> None:
    written(tmp_path / "set", Suite("s", tuple(items())))
    found = lines(tmp_path / "set" / "provenance.jsonl")
    assert [each["item_id"] for each in found] == [item.item_id for item in items()]
    assert found[3]["config"] == "he_one_CC_BY_3_0_CC_BY_NC_SA_2_5"
    assert found[3]["facts"]["wrong_form_licence"] == "CC-BY-3.0"


@pytest.mark.slow
@few_examples
@given(pair_suites())
def test_every_item_is_in_one_configuration_of_one_licence(
    tmp_path_factory: pytest.TempPathFactory, suite: Suite
) -> None:
    folder = tmp_path_factory.mktemp("h") / "set"
    written(folder, suite)
    found = configurations(folder)
    own = {item.item_id: item for item in suite.items}
    assert sorted(row["item_id"] for rows in found.values() for row in rows) == sorted(own)
    for rows in found.values():
        assert len({(row["licence"], row["language"]) for row in rows}) == 1
        for row in rows:
            pair = pair_of(own[row["item_id"]])
            assert (row["sentence_good"], row["sentence_bad"]) == (pair.right, pair.wrong)
            if row["prefix"] or row["word_good"]:
                assert pair.right.startswith(row["prefix"] + row["word_good"])
                assert pair.wrong.startswith(row["prefix"] + row["word_bad"])


LOAD = """
import json, sys
import datasets
from datasets import get_dataset_config_names, load_dataset
found = {}
for name in get_dataset_config_names(sys.argv[1]):
    rows = load_dataset(sys.argv[1], name, split="test")
    found[name] = [rows[n] for n in range(len(rows))]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_every_configuration_is_loaded_by_datasets(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    odd = replace(pair(9, 'a "tab\t', " x\n", " y\u2028𝔊", "\\n ספר"), language="he", licence="MIT")
    folder = tmp_path / "set"
    written(folder, Suite('odd: "name"\u0085 𝔊\n---', (*items(), odd)))
    done = subprocess.run(
        [sys.executable, "-c", LOAD, str(folder)],
        cwd=tmp_path,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = json.loads(done.stdout.splitlines()[-1])
    assert loaded == configurations(folder)
    assert sum(map(len, loaded.values())) == len(items()) + 1
