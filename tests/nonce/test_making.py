"""Making variants: settings, what is left out, what is told, and what is written."""

import contextlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import colorless_green as cg
from colorless_green.data.errors import ErrorKind
from colorless_green.data.sample import treebank as sample
from colorless_green.data.store import Store
from colorless_green.data.stored_suites import newest_suite
from colorless_green.miner import sentences
from colorless_green.miner import treebank as treebank_of
from colorless_green.nonce import CONTENT_UPOS, rejections_of
from tests.builders import mistake, relational, write_conllu

TOY = "en_toy-ud-train.conllu"
NOUNS = ("cat", "dog", "cow", "bird", "horse")
VERBS = ("run", "rest", "roam", "read", "ride")


def treebank(folder: Path, nouns_used: Sequence[str] = NOUNS) -> Path:
    """Subjects, an attractor in between, and verbs, in both numbers and all combinations; *sheep*
    has one form."""
    blocks = []
    for n, noun in enumerate(nouns_used):
        for m, verb in enumerate(VERBS):
            other = nouns_used[(n + m + 1) % len(nouns_used)]
            value, rival = ("Sing", "Plur") if (n + m) % 2 else ("Plur", "Sing")
            nouns = [
                (form + "s" if each == "Plur" and form != "sheep" else form, form, each)
                for form, each in ((noun, value), (other, rival))
            ]
            form = verb if value == "Plur" else verb + "s"
            blocks.append(
                relational(
                    "the/the/DET/Definite=Def|PronType=Art/2/det",
                    f"{nouns[0][0]}/{nouns[0][1]}/NOUN/Number={nouns[0][2]}/7/nsubj",
                    "near/near/ADP/_/5/case",
                    "the/the/DET/Definite=Def|PronType=Art/5/det",
                    f"{nouns[1][0]}/{nouns[1][1]}/NOUN/Number={nouns[1][2]}/2/nmod",
                    "often/often/ADV/_/7/advmod",
                    f"{form}/{verb}/VERB/Mood=Ind|Number={value}|Person=3|VerbForm=Fin/0/root",
                    sent_id=f"{noun}-{verb}",
                )
            )
    return write_conllu(folder / TOY, *blocks)


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the treebank and the store of what was mined from it."""
    folder = tmp_path_factory.mktemp("mined")
    treebank(folder)
    cg.mine(folder / TOY, store=folder / "colorless.db")
    return folder


@pytest.fixture
def mined(once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(once, tmp_path / "mined"))


def items(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def made(folder: Path, **options: Any) -> list[dict[str, Any]]:
    usual: dict[str, Any] = {"n": 3, "level": "+frequency", **options}
    with contextlib.chdir(folder):
        cg.make_nonce(out="n.jsonl", store="colorless.db", **usual)
    return items(folder / "n.jsonl")


def test_every_item_says_what_stands_between_and_what_gives_it_away(mined: Path) -> None:
    for item in made(mined):
        (nominal,) = item["nominals"]
        assert item["tokens"][nominal["token"]][:-1] in {n[:-1] for n in NOUNS} | set(NOUNS)
        assert nominal["distance"] == item["target_index"] - nominal["token"]
        assert nominal["value"] != item["value"]
        assert item["leaks"] == []


@pytest.mark.slow
def test_pseudo_words_are_a_paradigm_and_stand_in_no_lexicon(tmp_path: Path) -> None:
    path = Path(str(sample("it")))
    cg.mine(path, store=tmp_path / "colorless.db")
    known = {form for _, sentence in sentences(treebank_of([path])) for form in sentence.forms}
    every = made(tmp_path, construction="L__NOUN__VERB__nsubj", words="pseudo")
    found = [item for item in every if item["kind"] == "nonce"]
    assert found
    for item in found:
        target = "kept_target" not in item["flags"]
        assert "pseudo" in item["flags"]
        if target:
            assert item["right"][:3] == item["wrong"][:3]
        changed = set(item["substitutions"]) - ({item["target_index"]} if not target else set())
        assert not known.intersection(item["tokens"][index] for index in changed)


def test_above_morphology_no_lemma_comes_twice_and_none_is_one_of_the_originals_own(
    mined: Path,
) -> None:
    def nouns(item: dict[str, Any]) -> list[str]:
        words = (word.removesuffix("s") for word in item["tokens"])
        return [word for word in words if word in NOUNS]

    every = made(mined)
    own = {item["item_id"]: nouns(item) for item in every if item["kind"] == "original"}
    variants = [item for item in every if item["kind"] == "nonce"]
    assert len(variants) > 40
    for item in variants:
        assert len(set(nouns(item))) == 2
        assert not {*nouns(item)} & {*own[item["cluster_id"]]}


def test_all_targets_lists_every_pair_that_fits(mined: Path) -> None:
    for item in made(mined, recipe=cg.Recipe(all_targets=True)):
        pairs = {(each["right"], each["wrong"]) for each in item["targets"]}
        assert len(pairs) == len(VERBS)
        assert (item["right"], item["wrong"]) in pairs


def test_marks_leave_out_what_was_rejected_and_an_original_takes_its_variants(
    mined: Path,
) -> None:
    before = made(mined)
    original = next(item for item in before if item["kind"] == "original")
    variant = next(
        item
        for item in before
        if item["kind"] == "nonce" and item["cluster_id"] != original["item_id"]
    )
    (mined / "marks.csv").write_text(
        f"item_id,mark,note\n{original['item_id']},reject,\n{variant['item_id']},reject,odd\n",
        encoding="utf-8",
    )
    after = made(mined, recipe=cg.Recipe(marks=mined / "marks.csv"))
    gone = {item["item_id"] for item in before} - {item["item_id"] for item in after}
    cluster = {item["item_id"] for item in before if item["cluster_id"] == original["item_id"]}
    assert gone == cluster | {variant["item_id"]}


def test_an_original_with_an_excluded_flag_is_left_out_with_its_reason(mined: Path) -> None:
    path = mined / TOY
    text = path.read_text(encoding="utf-8").replace("\tcats\tcat", "\tcat\tcat")
    path.write_text(text, encoding="utf-8")  # one form for both numbers
    cg.mine(path, rule=cg.Rule(floor=0.5), store=mined / "colorless.db")
    found = made(mined)
    assert not [item for item in found if item["kind"] == "original" and item["cue"] == "cat"]
    with Store(mined / "colorless.db") as store:
        left_out = rejections_of(store, newest_suite(store, ["nonce"]))
        with mistake("missing", "rejected"):
            rejections_of(store, newest_suite(store, ["originals"]))
    reasons = left_out["reason"].to_list()
    assert any("ambiguous_cue: cat" in reason for reason in reasons)
    assert all(
        "ambiguous_cue: cat" in reason or "other_tense: read" in reason for reason in reasons
    )
    kept = made(mined, recipe=cg.Recipe(exclude=("none",)))
    assert [item for item in kept if item["kind"] == "original" and item["cue"] == "cat"]


@pytest.mark.parametrize(
    ("options", "kind", "place"),
    [
        ({"level": "x"}, "unknown", "level"),
        ({"seed": "1"}, "value", "seed"),
        ({"construction": "x"}, "unknown", "construction"),
        ({"recipe": "hu2020"}, "unknown", "recipe"),
        ({"recipe": cg.Recipe(attractors=1)}, "unsupported", "attractors"),
        ({"recipe": cg.Recipe(frequencies="no.txt")}, "missing", "no.txt"),
        ({"recipe": cg.Recipe(marks=Path("no.csv"))}, "missing", "no.csv"),
    ],
)
def test_a_mistake_is_told(
    once: Path, options: dict[str, Any], kind: ErrorKind, place: str
) -> None:
    with mistake(kind, place):
        made(once, **options)


def test_words_of_another_language_are_refused(mined: Path) -> None:
    treebank(mined / "other")
    (mined / "other" / TOY).rename(mined / "de_toy-ud-train.conllu")
    with mistake("conflict", "treebank"):
        made(mined, treebank="de_toy-ud-train.conllu")


@pytest.mark.slow
def test_options_that_change_the_variants_change_their_ids(mined: Path) -> None:
    seen: set[str] = set()
    for options in ({}, {"seed": 1}, {"words": "pseudo"}):
        found = {item["item_id"] for item in made(mined, **options) if item["kind"] == "nonce"}
        assert not seen & found
        seen |= found


def test_an_original_has_the_licence_of_its_own_folder_and_a_variant_those_of_its_words(
    tmp_path: Path,
) -> None:
    for name, licence in (("a", "CC BY-SA 4.0"), ("b", "CC BY-NC-SA 3.0")):
        folder = tmp_path / f"UD_English-{name}"
        folder.mkdir()
        treebank(folder)
        (folder / TOY).rename(folder / f"en_{name}-ud-train.conllu")
        (folder / "README.md").write_text(f"License: {licence}\n", "utf-8")
    only_b = tmp_path / "UD_English-b" / "en_b-ud-train.conllu"
    text = only_b.read_text("utf-8").replace("horse", "goose")
    only_b.write_text(text, "utf-8")
    mining = cg.mine([str(only_b.parent), str(tmp_path / "UD_English-a")], name="both")
    licences = {
        each.agreement.file: each.licence for each in mining.originals.items if each.agreement
    }
    assert licences == {
        "en_a-ud-train.conllu": "CC-BY-SA-4.0", "en_b-ud-train.conllu": "CC-BY-NC-SA-3.0",
    }  # fmt: skip
    made = [
        each for each in cg.make_nonce(mining, level="morphology").items if each.kind == "nonce"
    ]
    for each in made:
        assert each.agreement is not None
        foreign = {"goose", "gooses"} if each.licence == "CC-BY-SA-4.0" else {"horse", "horses"}
        other = next(licence for licence in licences.values() if licence != each.licence)
        expected = None if foreign.isdisjoint(each.agreement.tokens) else other
        assert each.facts.get("words_licence") == expected
    assert len({each.facts.get("words_licence") for each in made}) == 3


HERD = (*NOUNS, "sheep", "goat", "duck")


def test_no_word_is_drawn_that_would_make_the_label_doubtful(tmp_path: Path) -> None:
    """Below `+frame` what the new words can be is not looked at."""
    mining = cg.mine(treebank(tmp_path, HERD), store=tmp_path / "colorless.db")
    cues = {}
    for level in ("+frequency", "+frame"):
        suite = cg.make_nonce(mining, n=4, level=level, store=tmp_path / "colorless.db")
        cues[level] = {
            item.agreement.cue for item in suite.items if item.kind == "nonce" and item.agreement
        }
    assert "sheep" in cues["+frequency"]
    assert "sheep" not in cues["+frame"]
    assert {"cow", "cows", "goat", "ducks"} <= cues["+frame"]


def test_a_misspelt_word_is_none_of_the_lexicon(tmp_path: Path) -> None:
    """One marked `Typo=Yes` or with `CorrectForm`, at any level of ours."""
    text = treebank(tmp_path, HERD).read_text(encoding="utf-8")
    typo = text.replace(
        "\tsheep\tsheep\tNOUN\t_\tNumber=", "\tsheep\tsheep\tNOUN\t_\tTypo=Yes|Number="
    )
    rows = text.splitlines(keepends=True)
    marked = [row[:-2] + "CorrectForm=goat\n" if "\tsheep\tsheep" in row else row for row in rows]
    for number, spoilt in enumerate((typo, "".join(marked))):
        path = tmp_path / str(number) / TOY
        path.parent.mkdir()
        path.write_text(spoilt, encoding="utf-8")
        mining = cg.mine(path, store=path.parent / "colorless.db")
        made = cg.make_nonce(mining, n=4, level="morphology", store=path.parent / "colorless.db")
        facts = [item.agreement for item in made.items if item.kind == "nonce" and item.agreement]
        drawn = {each.tokens[node] for each in facts for node in each.substitutions}
        assert "sheep" not in drawn
        assert "cats" in drawn


def test_a_frame_that_comes_back_with_one_value_only_is_flagged_and_counted() -> None:
    """By the content words that stay before the target; those of an original's own variants too."""
    suite = cg.make_nonce(cg.mine(str(sample("it"))), level="+frame")
    values: dict[tuple[str, ...], list[tuple[str, bool]]] = {}
    for item in suite.items:
        facts = item.agreement
        if item.kind != "nonce" or facts is None:
            continue
        kept = [n for n in range(facts.target_index) if n not in facts.substitutions]
        flagged = "repeated_frame" in facts.flags
        content = [n for n in range(facts.target_index) if facts.upos[n] in CONTENT_UPOS]
        if not content or 2 * len({*content} & {*kept}) < len(content):
            assert not flagged
            continue
        words = (facts.tokens[n].lower() if n in kept else "" for n in range(facts.target_index))
        values.setdefault(tuple(words), []).append((facts.value, flagged))
    assert values
    for found in values.values():
        one = len(found) > 1 and len({value for value, _ in found}) == 1
        assert {flagged for _, flagged in found} == {one}
    n_flagged = sum(flagged for found in values.values() for _, flagged in found)
    assert n_flagged
    assert suite.account is not None
    assert any(message.startswith(f"{n_flagged} of ") for message in suite.account.messages)
