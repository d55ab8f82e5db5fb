"""Nonce variants: their invariants, on real and on small treebanks."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from colorless_green import Recipe
from colorless_green.data import Agreement, Item, letter_class, parse_feats, read_vocabulary
from colorless_green.miner import Rule, mine_treebank, suite_of, treebank
from colorless_green.nonce import (
    CONTENT_UPOS,
    Lexicon,
    Matching,
    Shortfall,
    matching_for,
    variants,
)
from tests.builders import conllu, relational, shared, write_conllu


@dataclass(frozen=True)
class Made:
    """A treebank's variants with what is needed to check them."""

    items: tuple[Item, ...]
    shortfalls: tuple[Shortfall, ...]
    matching: Matching

    @property
    def lexicon(self) -> Lexicon:
        return self.matching.lexicon

    def families(self) -> list[tuple[Item, list[Item]]]:
        by_cluster: dict[str, list[Item]] = {}
        for item in self.items:
            by_cluster.setdefault(item.cluster_id, []).append(item)
        return [(members[0], members[1:]) for members in by_cluster.values()]


def make(
    path: Path,
    rule: str,
    vocabulary: Path | None = None,
    *,
    n: int = 9,
    seed: int = 0,
    min_gap: int | None = None,
) -> Made:
    source = treebank([path])
    words = None if vocabulary is None else read_vocabulary(vocabulary)
    mining = mine_treebank(source, Rule(extends=rule, min_gap=min_gap), vocabulary=words)
    matching = matching_for(source, Recipe(level="morphology", vocabulary=vocabulary), rule, "auto")
    made = variants(suite_of(mining).items, matching, n, seed=seed)
    return Made(made.items, made.shortfalls, matching)


def check_invariants(made: Made, rule_name: str) -> int:
    """Assert the invariants for every variant; return how many were looked at."""
    released = rule_name == "released"
    n_variants = 0
    for original, twins in made.families():
        before = original.agreement
        assert before is not None
        for twin in twins:
            after = twin.agreement
            assert after is not None
            n_variants += 1
            assert after.right != after.wrong
            for name in ("construction", "target_upos", "target_feats"):
                assert getattr(after, name) == getattr(before, name)
            assert after.tokens[after.target_index] == after.right  # the form scored stands there
            assert len(after.attractors) == len(before.attractors)
            if len(after.tokens) != len(before.tokens):  # French `du` + vowel: `de l'`
                assert made.matching.realiser.rules.about
                continue
            assert after.cue_index == before.cue_index
            assert after.target_index == before.target_index
            for index, (old, new) in enumerate(zip(before.tokens, after.tokens, strict=True)):
                if index == after.target_index or _several_words(before, index):
                    continue
                if before.upos[index] not in CONTENT_UPOS:
                    assert new == old or _another_shape(made, after, index)
                    continue
                donors = made.lexicon.donors(old, before.upos[index], before.feats[index])
                assert (new == old) == (not donors)  # replaced wherever it can be
                if new != old:
                    _check_replacement(made, before, index, old, new, released)
            if released:
                assert {after.right, after.wrong} <= made.lexicon.vocabulary
            if released:
                old_class = letter_class(before.right)
                assert letter_class(after.right) == letter_class(after.wrong) == old_class
    return n_variants


def _another_shape(made: Made, after: Agreement, index: int) -> bool:
    """Whether a function word could have changed with the word after it, which was replaced."""
    has_rules = made.matching.realiser.rules.about
    return bool(has_rules) and bool({index + 1, index + 2}.intersection(after.substitutions))


def _several_words(agreement: Agreement, token: int) -> bool:
    return agreement.tree is not None and agreement.tree.tokens.count(token) > 1


def _check_replacement(
    made: Made, before: Agreement, index: int, old: str, new: str, released: bool
) -> None:
    upos = before.upos[index]
    feats = parse_feats(before.feats[index])
    # under the other rules a word takes on the capitals of its place
    known = made.lexicon.paradigms.by_form
    cased = [new] if released else [form for form in known if form.lower() == new.lower()]
    uses = {form: known[form] for form in cased if form in known}
    if not uses:  # the word drawn has several shapes: French `ne`, `n'`
        assert made.matching.realiser.rules.about
        assert "'" in new
        return
    fitting = [
        n
        for each in uses.values()
        for tag, value, n in each
        if tag == upos and parse_feats(value) == feats
    ]
    assert fitting  # same POS and FEATS
    others = [
        sum(n for tag, _, n in each if tag != upos) / sum(n for _, _, n in each)
        for each in uses.values()
        if each
    ]
    assert min(others) <= (0.0 if released else 0.10)  # share of another POS
    assert max(fitting) >= (2 if released else 1)  # uses
    assert made.lexicon.vocabulary.intersection(cased)
    if released:
        assert letter_class(new) == letter_class(old)
        assert new.isalpha()


@pytest.fixture(scope="module")
def english() -> Made:
    path = shared("treebanks", "UD_English-EWT-r2.0", "en-ud-train.conllu.gz")
    return make(path, "released", shared("vocabularies", "english-wikipedia-50k.txt"))


@pytest.mark.shared
def test_every_english_variant_obeys_every_invariant(english: Made) -> None:
    assert english.shortfalls == ()
    assert check_invariants(english, "released") == 369


@pytest.mark.shared
def test_the_pools_of_the_english_set_are_those_of_the_reference(english: Made) -> None:
    slots, targets = [], []
    for original, _ in english.families():
        before = original.agreement
        assert before is not None
        for form, upos, feats in zip(before.tokens, before.upos, before.feats, strict=True):
            if upos in CONTENT_UPOS:
                slots.append(len(english.lexicon.donors(form, upos, feats)))
        other = "Sing" if before.value == "Plur" else "Plur"
        arguments = (before.right, before.target_upos, before.target_feats, "Number", other)
        targets.append(len(english.lexicon.targets(*arguments)))
    assert (len(slots), sorted(slots)[len(slots) // 2], max(slots)) == (544, 193, 1_354)
    assert (sum(n < 5 for n in slots), sum(n == 0 for n in slots)) == (17, 8)
    assert Counter(targets) == {62: 24, 24: 17}


@pytest.mark.shared
def test_as_many_content_words_stay_as_in_the_published_set(english: Made) -> None:
    unchanged: Counter[str] = Counter()
    for original, twins in english.families():
        before = original.agreement
        assert before is not None
        for twin in twins:
            assert twin.agreement is not None
            for index, upos in enumerate(before.upos):
                stays = twin.agreement.tokens[index] == before.tokens[index]
                if upos in CONTENT_UPOS and index != before.target_index and stays:
                    unchanged[upos] += 1
    assert unchanged == {"ADJ": 36, "ADV": 18, "PROPN": 18}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "rule"),
    [
        pytest.param("UD_Portuguese-Bosque", "released", marks=pytest.mark.thorough),
        pytest.param("UD_Greek-GDT", "strict", marks=pytest.mark.thorough),
        ("UD_French-Sequoia", "released"),
    ],
)
def test_variants_of_other_languages_obey_them_too(name: str, rule: str) -> None:
    (path,) = shared("treebanks", name).glob("*-ud-train.conllu.gz")
    assert check_invariants(make(path, rule), rule) > 50


def small_treebank(path: Path, n_nouns: int) -> Path:
    """Subject – verb sentences in both numbers over `n_nouns` nouns and three verbs."""
    blocks = []
    verbs = [("go", "goes"), ("come", "comes"), ("run", "runs")]
    for number in range(24):
        value = ("Plur", "Sing")[number % 2]
        noun = f"b{'abcdefgh'[number // 2 % n_nouns]}" + ("s" if value == "Plur" else "")
        verb = verbs[number % 3][number % 2]
        blocks.append(
            conllu(
                f"{noun}/NOUN/{value}/5",
                "the/DET/-/5",
                "of/ADP/-/5",
                "the/DET/-/5",
                f"{verb}/VERB/{value}/0",
                sent_id=f"s{number}",
            ).replace(f"\t{verb}\tVERB", f"\t{verbs[number % 3][0]}\tVERB")
        )
    return write_conllu(path / "xx-ud-train.conllu", *blocks)


def test_the_same_seed_gives_the_same_variants_and_another_seed_others(tmp_path: Path) -> None:
    path = small_treebank(tmp_path, 6)
    again, other = make(path, "released", n=3), make(path, "released", n=3, seed=1)
    assert make(path, "released", n=3).items == again.items
    assert [item.agreement for item in other.items] != [item.agreement for item in again.items]


def test_a_variant_does_not_depend_on_the_other_items(tmp_path: Path) -> None:
    made = make(small_treebank(tmp_path, 6), "released", n=3)
    originals = [item for item in made.items if item.kind == "original"]
    alone = variants(originals[-1:], made.matching, 3)
    assert alone.items == made.items[-4:]


def test_no_variant_repeats_another_or_the_original(tmp_path: Path) -> None:
    made = make(small_treebank(tmp_path, 6), "released", n=9)
    for original, twins in made.families():
        texts = [item.agreement.tokens for item in (original, *twins) if item.agreement]
        assert len(set(texts)) == len(texts)


def test_where_fewer_can_be_made_it_is_told_which_and_why(tmp_path: Path) -> None:
    made = make(small_treebank(tmp_path, 2), "released", n=9)
    assert made.shortfalls
    assert len({each.reason for each in made.shortfalls}) == 1
    n_of = Counter(item.cluster_id for item in made.items if item.kind == "nonce")
    assert all(each.n_made == n_of[each.item_id] < 9 for each in made.shortfalls)


def test_an_original_with_equal_forms_has_no_variants(tmp_path: Path) -> None:
    rows = [
        conllu(
            f"n{value}/NOUN/{value}/5",
            "x/ADP/-/5",
            "x/ADP/-/5",
            "x/ADP/-/5",
            f"put/VERB/{value}/0",
            sent_id=f"s{value}{number}",
        )
        for value in ("Sing", "Plur")
        for number in range(6)
    ]
    made = make(write_conllu(tmp_path / "xx-ud-train.conllu", *rows), "released")
    originals = [item.item_id for item in made.items]
    assert [(each.item_id, each.n_made) for each in made.shortfalls] == [
        (item_id, 0) for item_id in originals
    ]
    assert all(item.kind == "original" for item in made.items)


def attracted_blocks() -> list[str]:
    """Subjects and verbs far apart; every second sentence has an attractor in a multiword token."""
    verbs = {"go": ("goes", "go"), "see": ("Sees", "see"), "hum": ("hums", "hum")}
    blocks: list[str] = []
    for lemma, forms in verbs.items():
        for value, form in zip(("Sing", "Plur"), forms, strict=True):
            for number in range(6):
                other = "Plur" if value == "Sing" else "Sing"
                blocks.append(
                    relational(
                        f"c{value}/cue/NOUN/Number={value}/6/nsubj",
                        "2-3 ofthem",
                        "of/of/ADP/_/3/case",
                        f"them/it/NOUN/Number={other}/1/nmod",
                        "x/x/ADP/_/6/obl",
                        f"x{form}{number}/x/ADP/_/6/obl",  # equal sentences count once
                        f"{form}/{lemma}/VERB/Number={value}/0/root",
                        sent_id=f"{form}{value}{number}",
                    )
                )
    return blocks


def test_targets_of_variants_are_the_pairs_that_the_rule_itself_would_make(tmp_path: Path) -> None:
    path = write_conllu(tmp_path / "xx-ud-train.conllu", *attracted_blocks())
    made = make(path, "tested", min_gap=2)
    pairs = {("goes", "go"), ("go", "goes"), ("hums", "hum"), ("hum", "hums"), ("see", "sees")}
    n_variants = 0
    for original, twins in made.families():
        assert original.agreement is not None
        for twin in twins:
            assert twin.agreement is not None
            n_variants += 1
            assert twin.agreement.attractors == original.agreement.attractors == (1,)
            if original.agreement.right != "Sees":
                assert (twin.agreement.right, twin.agreement.wrong) in pairs
    assert n_variants > 30


def test_a_wrong_form_that_is_another_part_of_speech_in_small_letters_is_not_drawn(
    tmp_path: Path,
) -> None:
    """The plural of the verb *sum* is seen only as *Sum*; *sum* is a noun here."""
    blocks = attracted_blocks() + [
        relational(f"{form}/{lemma}/{upos}/{feats}/0/root", sent_id=f"{form}{number}")
        for number in range(3)
        for form, lemma, upos, feats in (
            ("hum", "hum", "VERB", "Number=Plur"),
            ("sums", "sum", "VERB", "Number=Sing"),
            ("Sum", "sum", "VERB", "Number=Plur"),
            ("sum", "sum", "NOUN", "Number=Sing"),
        )
    ]
    path = write_conllu(tmp_path / "xx-ud-train.conllu", *blocks)
    made = make(path, "tested", min_gap=2)
    drawn = {
        (twin.agreement.right, twin.agreement.wrong)
        for _, twins in made.families()
        for twin in twins
        if twin.agreement
    }
    assert ("hums", "hum") in drawn
    assert not [pair for pair in drawn if "sum" in pair]
