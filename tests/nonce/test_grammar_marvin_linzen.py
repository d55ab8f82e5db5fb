"""Our grammar of Marvin & Linzen's suite: their sizes, and with their words their very files."""

from collections import Counter

import pytest

from colorless_green.data import Item, sentence_text
from colorless_green.nonce import (
    grammar_items,
    item_counts,
    parse_grammar,
)
from tests.nonce.grammars import n_items, template_text
from tests.nonce.published_words import FILES, published, published_lexicon

OURS = template_text("marvin_linzen")
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
    found = list(item_counts(parse_grammar(OURS, "ours.toml")))
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
    found = parse_grammar(OURS, "ours.toml", only=[name])
    items = [members(each) for each in grammar_items(found)]
    assert len(set(items)) == len(items) == n_items(found)
    assert all(len(set(each)) == N_MEMBERS[name] for each in items)


def test_the_members_of_an_item_have_as_many_words_and_differ_in_what_is_tested() -> None:
    found = parse_grammar(OURS, "ours.toml", only=["vp_coord", "long_vp_coord"])
    for item in grammar_items(found):
        right, wrong = (own[0] for own in item.conditions.values())
        assert [each.region for each in right] == ["prefix", "target", "rest"]
        assert (right[0], right[2]) == (wrong[0], wrong[2])
        assert len(right[1].words) == len(wrong[1].words) == 1


@pytest.mark.shared
def test_our_nouns_and_verbs_are_not_the_authors() -> None:
    theirs = content_words(OURS[: OURS.index("[lexicon]")] + published_lexicon())
    assert content_words(OURS) & theirs <= FUNCTION_WORDS


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
    text = OURS[: OURS.index("[lexicon]")] + published_lexicon()
    found = parse_grammar(text, "theirs.toml", only=[name])
    made = Counter(members(each) for each in grammar_items(found))
    assert made == Counter(each for own in published(name).values() for each in own)
