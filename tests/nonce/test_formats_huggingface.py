"""The dataset folder: its card, its licences, and what the real `datasets` makes of it."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import format_of, huggingface
from colorless_green.nonce.formats.licences import hub_id, licences_of, link
from colorless_green.nonce.item import Item
from colorless_green.nonce.suite import Suite
from tests.nonce.format_material import pair, pair_suites


def items() -> list[Item]:
    texts = ("The keys to the cabinet", " are", " is", " here.")
    plain = pair(1, *texts)
    return [
        replace(plain, language="en", licence="CC-BY-SA-4.0", source="UD_English-EWT"),
        replace(
            plain, item_id="b", language="en", licence="CC-BY-NC-SA-4.0", source="UD_English-GUM"
        ),
        replace(plain, item_id="c", language="he", licence="CC-BY-NC-SA-2.5", source="UD_Hebrew-X"),
        replace(
            plain,
            item_id="d",
            language="he",
            licence="CC-BY-NC-SA-2.5",
            facts={**plain.facts, "wrong_form_licence": "CC-BY-SA-3.0"},
        ),
        replace(pair(2, "l'", "amie", "ami", " est là"), language="pt-BR", licence="MIT"),
    ]


def test_what_may_not_be_mixed_is_a_configuration_of_its_own() -> None:
    found = huggingface.configurations(Suite("s", tuple(items())))
    assert [(each.name, each.licences) for each in found] == [
        ("en_one_CC_BY_SA_4_0", ("CC-BY-SA-4.0",)),
        ("en_one_CC_BY_NC_SA_4_0", ("CC-BY-NC-SA-4.0",)),
        ("he_one_CC_BY_NC_SA_2_5", ("CC-BY-NC-SA-2.5",)),
        ("he_one_CC_BY_NC_SA_2_5_CC_BY_SA_3_0", ("CC-BY-NC-SA-2.5", "CC-BY-SA-3.0")),
        ("pt_BR_two", ("MIT",)),
    ]


def test_a_form_from_elsewhere_brings_its_licence_along() -> None:
    assert licences_of(items()[3]) == ("CC-BY-NC-SA-2.5", "CC-BY-SA-3.0")
    assert licences_of(replace(items()[3], licence="")) == ()


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
def test_licences_have_the_names_of_the_hub(licence: str, expected: str, address: str) -> None:
    assert (hub_id(licence), link(licence)) == (expected, address)


def test_an_unknown_licence_is_refused_unless_it_is_asked_for(tmp_path: Path) -> None:
    suite = Suite("s", (replace(items()[0], licence=""),))
    with pytest.raises(InputError) as caught:
        huggingface.write(suite, tmp_path / "set")
    assert str(caught.value) == (
        "item 0000000000000001: nothing is known of the licence of UD_English-EWT; "
        "--license-ok to publish it as of unknown licence, or another format"
    )
    assert not (tmp_path / "set").exists()
    form = format_of(tmp_path, "huggingface")
    assert form.write_unlicensed is not None
    form.write_unlicensed(suite, tmp_path / "set", None)
    assert "\nlicense: unknown\n" in (tmp_path / "set" / "README.md").read_text("utf-8")


def test_the_card_tells_licences_making_and_losses(tmp_path: Path) -> None:
    suite = Suite("en/tested", tuple(items()), meta={"seed": "7", "lost: ambiguous target": "12"})
    huggingface.write(suite, tmp_path / "set")
    card = (tmp_path / "set" / "README.md").read_text("utf-8")
    for line in (
        "license:\n- cc-by-sa-4.0\n- cc-by-nc-sa-4.0\n- other\n- cc-by-sa-3.0\n- mit\n",
        'license_name: "CC-BY-NC-SA-2.5"\n',
        'license_link: "https://creativecommons.org/licenses/by-nc-sa/2.5/"\n',
        'language:\n- "en"\n- "he"\n- "pt"\n',
        "| lost: ambiguous target | 12 |\n",
        "| CC-BY-NC-SA-2.5 AND CC-BY-SA-3.0 | https://creativecommons.org/licenses/by-nc-sa/2.5/ "
        "https://creativecommons.org/licenses/by-sa/3.0/ | 1 |\n",
    ):
        assert line in card


def test_the_text_of_a_suite_is_no_markup_of_its_card(tmp_path: Path) -> None:
    suite = Suite("<script>|[a](b)\n# x", tuple(items()[:1]), meta={"k": "a | b\n| c"})
    huggingface.write(suite, tmp_path / "set")
    card = (tmp_path / "set" / "README.md").read_text("utf-8")
    assert "\n# &lt;script&gt;\\|\\[a\\](b) # x\n" in card
    assert "| k | a \\| b \\| c |\n" in card


def test_provenance_tells_where_every_item_is_from(tmp_path: Path) -> None:
    huggingface.write(Suite("s", tuple(items())), tmp_path / "set")
    lines = (tmp_path / "set" / "provenance.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    assert [each["item_id"] for each in found] == [item.item_id for item in items()]
    assert found[3]["config"] == "he_one_CC_BY_NC_SA_2_5_CC_BY_SA_3_0"
    assert found[3]["facts"]["wrong_form_licence"] == "CC-BY-SA-3.0"


@given(pair_suites())
@settings(max_examples=30)
def test_every_item_is_in_one_configuration(suite: Suite) -> None:
    found = [item for each in huggingface.configurations(suite) for item in each.items]
    assert sorted(item.item_id for item in found) == sorted(item.item_id for item in suite.items)
    for each in huggingface.configurations(suite):
        assert {licences_of(item) for item in each.items} == {each.licences}


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
    odd = pair(9, 'a "tab\t', " x\n", " y\u2028𝔊", "\\n ספר")
    suite = Suite(
        'odd: "name"\u0085 𝔊\n---', (*items(), replace(odd, language="he", licence="MIT"))
    )
    folder = tmp_path / "set"
    huggingface.write(suite, folder)
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
    assert loaded == {
        each.name: [huggingface.row(item) for item in each.items]
        for each in huggingface.configurations(suite)
    }
