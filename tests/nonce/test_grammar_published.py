"""Our grammars of the reflexive experiments and of Marvin & Linzen's suite: sizes, balance, scores;
and with the published words the published stimuli."""

import csv
import gzip
import io
from collections import Counter
from functools import cache

import pytest

from colorless_green.data import Item, sentence_text, sentence_words
from colorless_green.nonce import (
    grammar_items,
    item_counts,
    parse_grammar,
    predictions_of,
)
from tests.builders import shared
from tests.nonce.grammars import n_items, template_text
from tests.nonce.of_one_item import credit
from tests.nonce.published_words import (
    FILES,
    entries,
    invariable,
    lexicon,
    published,
    published_lexicon,
)

OURS = template_text("reflexives")
PRONOUNS = ("himself", "herself", "themselves")
N_ROWS = {  # experiment → items of each pronoun, sentences by pronoun (Hu, Chen & Levy 2020)
    "1a": (70, (3_360, 3_360, 3_360)),
    "1b": (70, (840, 840, 840)),
    "2a": (60, (360, 360, 720)),
    "2b": (60, (360, 360, 720)),
    "3": (60, (360, 360, 720)),
}
FOLDERS = {  # and the items of their files that are the paper's 60 (spec of the published set)
    "1a": "exp1a-ml-rc", "1b": "exp1b-ml-comp", "2a": "exp2-rc", "2b": "exp3-comp", "3": "exp4-pp",
}  # fmt: skip
SPARE = {"himself": range(46, 61), "themselves": range(46, 61), "herself": range(61, 76)}


@cache
def items(experiment: str, text: str = OURS) -> tuple[Item, ...]:
    grammar = parse_grammar(text, "reflexives.toml", only=[experiment])
    return tuple(grammar_items(grammar))


def sentences(item: Item, condition: str) -> list[str]:
    return [sentence_text(each) for each in item.conditions[condition]]


def test_every_experiment_has_the_items_and_sentences_of_the_paper() -> None:
    found = list(item_counts(parse_grammar(OURS, "reflexives.toml")))
    assert [tuple(each.values()) for each in found] == [
        (name, pronoun, n, rows[number])
        for name, (n, rows) in N_ROWS.items()
        for number, pronoun in enumerate(PRONOUNS)
    ]


def test_no_sentence_of_experiments_2_and_3_comes_twice() -> None:
    found = [
        sentence_text(wording)
        for experiment in ("2a", "2b", "3")
        for item in items(experiment)
        for wordings in item.conditions.values()
        for wording in wordings
    ]
    assert len(found) == len(set(found)) == 4_320


@pytest.mark.parametrize(
    "experiment",
    [
        "1b", "2a", "2b", "3",
    ],
)  # fmt: skip
def test_a_mismatch_changes_one_noun_and_the_pronoun_never(experiment: str) -> None:
    for item in items(experiment)[::7]:
        assert tuple(item.conditions) == ("baseline", "distractor", "ungrammatical")
        for wordings in zip(*item.conditions.values(), strict=True):
            base, *others = (sentence_words(each) for each in wordings)
            changed = [
                [n for n, pair in enumerate(zip(base, other, strict=True)) if len(set(pair)) > 1]
                for other in others
            ]
            assert sorted(map(len, changed)) == [1, 1]
            assert changed[0] != changed[1]
            assert {each[1].words for each in wordings} == {(item.facts["pronoun"],)}
            assert [each.region for each in wordings[0]] == ["prefix", "pronoun", "rest"]


def test_the_local_noun_is_the_one_that_mismatches_where_it_is_ungrammatical() -> None:
    first = items("1b")[0]
    assert [sentences(first, name)[0] for name in first.conditions] == [
        "The janitor said that the baker blamed himself.",
        "The janitors said that the baker blamed himself.",
        "The janitor said that the bakers blamed himself.",
    ]
    assert sentences(first, "baseline") == [
        "The janitor said that the baker blamed himself.",
        "The baker said that the janitor blamed himself.",
        "The grocer said that the baker blamed himself.",
        "The baker said that the grocer blamed himself.",
    ]


def test_themselves_pools_women_and_men_and_never_mixes_them() -> None:
    last = items("2a")[-1]
    assert sentences(last, "baseline") == [
        "The princes that the wizards trusted hid themselves.",
        "The wizards that the princes trusted hid themselves.",
        "The princesses that the witches trusted hid themselves.",
        "The witches that the princesses trusted hid themselves.",
    ]


@pytest.mark.parametrize(
    ("bits", "expected"),
    [
        ((1.0, 1.0, 1.0), 1 / 3),  # all alike: one of three orderings
        ((1.0, 2.0, 3.0), 1.0),
        ((1.0, 3.0, 2.0), 0.0),
        ((2.0, 1.0, 2.0), 1 / 2),
    ],
)
def test_the_prediction_is_three_way_and_a_tie_earns_its_share(
    bits: tuple[float, ...], expected: float
) -> None:
    found = parse_grammar(OURS, "x.toml", only=["3"])
    (prediction,) = predictions_of(found)
    assert predictions_of(found, items("3")[0]) == (prediction,)
    cells = [(name, "pronoun") for name in ("baseline", "distractor", "ungrammatical")]
    assert credit(prediction.formula, dict(zip(cells, bits, strict=True))) == pytest.approx(
        expected
    )


def rows(experiment: str, pronoun: str) -> list[dict[str, str]]:
    """Return the rows of a published file that are behind the paper's table."""
    folder = shared("published", "reflexives", "stimuli", FOLDERS[experiment])
    (path,) = [each for each in sorted(folder.iterdir()) if each.name.startswith(pronoun)]
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found = list(csv.DictReader(io.StringIO(data.decode("utf-8"))))
    spare = () if experiment[0] == "1" else SPARE[pronoun]
    return [row for row in found if int(row["item"]) not in spare]


def nouns(row: dict[str, str]) -> tuple[str, str]:
    columns = list(row)
    before = columns.index("verb") - 2
    return row[columns[before]], row[columns[before + 1]]


def baseline(experiment: str, pronoun: str) -> list[dict[str, str]]:
    return [row for row in rows(experiment, pronoun) if row["mismatch_position"] == "none"]


@cache
def reflexives_lexicon() -> str:
    pairs = [
        (one, other)
        for one, other in zip(
            [noun for row in baseline("1b", "himself") for noun in nouns(row)],
            [noun for row in baseline("1b", "themselves") for noun in nouns(row)],
            strict=True,
        )
    ]
    partners: dict[str, set[str]] = {}
    for row in baseline("1b", "himself"):
        for one, other in (nouns(row), nouns(row)[::-1]):
            partners.setdefault(one, set()).add(other)
    both = list(dict.fromkeys(pairs))
    ranks = zip(
        *(
            dict.fromkeys(nouns(row) for row in baseline("2a", pronoun)[::2])
            for pronoun in ("himself", "herself")
        ),
        strict=True,
    )
    quads = list(ranks)
    plurals = {
        singular: plural
        for n, pronoun in enumerate(("himself", "herself"))
        for one, many in zip(
            [nouns(row) for row in baseline("2a", pronoun)],
            [
                nouns(row)
                for row in baseline("2a", "themselves")
                if any(
                    nouns(row)[0].startswith(q[n][0]) or nouns(row)[1].startswith(q[n][0])
                    for q in quads
                )
            ],
            strict=True,
        )
        for singular, plural in zip(one, many, strict=True)
    }
    return lexicon(
        {
            "The": invariable(["the"]),
            "That": invariable(["that"]),
            "Who": invariable(["that"]),
            "Near": invariable([row["sentence"].split()[2] for row in baseline("3", "himself")]),
            "Said": invariable([row["sentence"].split()[2] for row in baseline("1b", "himself")]),
            "Liked": invariable([row["sentence"].split()[5] for row in baseline("2a", "himself")]),
            "Noun": entries([each for each in both if len(partners[each[0]]) == 2], "Sing", "Plur"),
            "Other": entries([each for each in both if len(partners[each[0]]) > 2], "Sing", "Plur"),
            "Knew": invariable([row["RC_verb"] for row in baseline("1a", "himself")]),
            "Blamed": invariable([row["verb"] for row in baseline("1b", "himself")]),
            "Painted": invariable([row["verb"] for row in baseline("2a", "himself")]),
            "Young": ranked([(man[0], woman[0]) for man, woman in quads], plurals),
            "Old": ranked([(man[1], woman[1]) for man, woman in quads], plurals),
        }
    )


def ranked(words: list[tuple[str, str]], plurals: dict[str, str]) -> str:
    return "\n".join(
        f'  {{ lemma = "{man}", "Masc Sing" = "{man}", "Masc Plur" = "{plurals[man]}", '
        f'"Fem Sing" = "{woman}", "Fem Plur" = "{plurals[woman]}" }},'
        for man, woman in dict.fromkeys(words)
    )


DISTRACTORS = ("rc_subj", "nonlocal_subj", "distractor")


def condition(row: dict[str, str]) -> str:
    """By the place of the mismatch, which agrees with the sentence in every row; `grammatical` says
    the opposite in 560 rows of experiment 1a (`themselves` after hated and admired)."""
    if row["mismatch_position"] == "none":
        return "baseline"
    return "distractor" if row["mismatch_position"] in DISTRACTORS else "ungrammatical"


@pytest.mark.shared
@pytest.mark.parametrize("experiment", FOLDERS)
def test_with_the_published_words_the_grammar_makes_the_published_stimuli(experiment: str) -> None:
    text = (
        OURS[: OURS.index("[lexicon]")]
        + reflexives_lexicon()
        + OURS[OURS.index("[lexicon.Self]") :]
    )
    made = Counter(
        (item.facts["pronoun"], name, " ".join(sentence_words(wording)))
        for item in items(experiment, text)
        for name, wordings in item.conditions.items()
        for wording in wordings
    )
    assert made == Counter(
        (pronoun, condition(row), row["sentence"].removesuffix(" <eos>"))
        for pronoun in PRONOUNS
        for row in rows(experiment, pronoun)
    )


MARVIN_LINZEN = template_text("marvin_linzen")
N_ITEMS = {  # of each number combination, which are of equal size; LM_syneval, EMNLP2018/templates
    "simple_agrmt": (70, 2), "sent_comp": (420, 4), "vp_coord": (420, 2),
    "long_vp_coord": (200, 2), "prep_anim": (4_200, 4), "prep_inanim": (1_400, 4),
    "subj_rel": (2_800, 4), "obj_rel_across_anim": (2_800, 4), "obj_rel_across_inanim": (2_800, 4),
    "obj_rel_no_comp_across_anim": (2_800, 4), "obj_rel_no_comp_across_inanim": (2_800, 4),
    "obj_rel_within_anim": (2_800, 4), "obj_rel_within_inanim": (2_800, 4),
    "obj_rel_no_comp_within_anim": (2_800, 4), "obj_rel_no_comp_within_inanim": (2_800, 4),
    "simple_reflexives": (140, 2), "reflexive_sent_comp": (840, 4),
    "reflexives_across": (5_600, 4), "simple_npi_anim": (60, 2), "simple_npi_inanim": (72, 2),
    "npi_across_anim": (2_400, 2), "npi_across_inanim": (2_880, 2),
}  # fmt: skip
CONTENT = (
    "Person", "Friend", "Thing", "Speaker", "Listens", "Surprises", "Praises", "Reads", "Claimed",
    "Blamed", "Win", "Please",
)  # fmt: skip
FUNCTION_WORDS = {"is", "are", "be", "been", "to", "the", "in"}
N_MEMBERS = {name: 3 if "npi" in name else 2 for name in N_ITEMS}


def members(item: Item) -> tuple[str, ...]:
    return tuple(sentence_text(own[0]) for own in item.conditions.values())


def test_every_row_of_the_published_counts_is_that_of_our_grammar() -> None:
    found = list(item_counts(parse_grammar(MARVIN_LINZEN, "ours.toml")))
    assert len(found) == 72
    assert Counter((each["template"], each["n_items"]) for each in found) == Counter(
        {(name, n): n_cells for name, (n, n_cells) in N_ITEMS.items()}
    )
    assert all(
        each["n_sentences"] == n * N_MEMBERS[str(each["template"])]
        for each in found
        if isinstance(n := each["n_items"], int)
    )


@pytest.mark.shared
def test_the_counts_are_those_of_the_published_table() -> None:
    import csv

    from tests.builders import shared

    path = shared("published", "tables", "marvin_linzen_counts.csv")
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert Counter((row["file"], int(row["items"])) for row in rows) == Counter(
        {(name, n): n_cells for name, (n, n_cells) in N_ITEMS.items()}
    )


@pytest.mark.parametrize("name", [name for name, (n, cells) in N_ITEMS.items() if n * cells < 2000])
def test_no_two_items_and_no_two_members_are_the_same(name: str) -> None:
    found = parse_grammar(MARVIN_LINZEN, "ours.toml", only=[name])
    items = [members(each) for each in grammar_items(found)]
    assert len(set(items)) == len(items) == n_items(found)
    assert all(len(set(each)) == N_MEMBERS[name] for each in items)


def test_the_members_of_an_item_have_as_many_words_and_differ_in_what_is_tested() -> None:
    found = parse_grammar(MARVIN_LINZEN, "ours.toml", only=["vp_coord", "long_vp_coord"])
    for item in grammar_items(found):
        right, wrong = (own[0] for own in item.conditions.values())
        assert [each.region for each in right] == ["prefix", "target", "rest"]
        assert (right[0], right[2]) == (wrong[0], wrong[2])
        assert len(right[1].words) == len(wrong[1].words) == 1


@pytest.mark.shared
def test_our_nouns_and_verbs_are_not_the_authors() -> None:
    theirs = content_words(MARVIN_LINZEN[: MARVIN_LINZEN.index("[lexicon]")] + published_lexicon())
    assert content_words(MARVIN_LINZEN) & theirs <= FUNCTION_WORDS


def content_words(text: str) -> set[str]:
    """All words of the lists of nouns and verbs of a grammar, in all their forms."""
    return {
        word
        for shape in parse_grammar(text, "x.toml").shapes
        for slot in shape.slots
        if slot.words.name in CONTENT
        for entry in slot.words.entries
        for form in entry.forms.values()
        for word in form.words
    }


@pytest.mark.shared
@pytest.mark.parametrize("name", FILES)
def test_with_the_published_words_the_grammar_makes_the_published_file(name: str) -> None:
    text = MARVIN_LINZEN[: MARVIN_LINZEN.index("[lexicon]")] + published_lexicon()
    found = parse_grammar(text, "theirs.toml", only=[name])
    made = Counter(members(each) for each in grammar_items(found))
    assert made == Counter(each for own in published(name).values() for each in own)
