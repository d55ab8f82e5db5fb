"""Frames: what binds a word, what a slot asks, and who may stand in it; on sentences of our own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import Sentence
from colorless_green.miner import read
from colorless_green.nonce import FrameCounter, FrameIndex
from tests.builders import relational, write_conllu

THE = "the/the/DET/Definite=Def|PronType=Art"
A = "a/a/DET/Definite=Ind|PronType=Art"
SING, PLUR = "Number=Sing", "Number=Plur"
PRES = "Mood=Ind|Number=Sing|Tense=Pres|VerbForm=Fin"


def parsed(*sentences: Sequence[str]) -> list[Sentence]:
    """Sentences of rows `form/lemma/UPOS/FEATS/head/deprel`, read by the reader."""
    blocks = [relational(*rows, sent_id=f"s{n}") for n, rows in enumerate(sentences)]
    with TemporaryDirectory() as folder:
        return list(read(write_conllu(Path(folder) / "x.conllu", *blocks)))


def learned(sentences: Sequence[Sentence], language: str = "en") -> FrameIndex:
    """Return the index of a treebank of these sentences."""
    counter = FrameCounter(language)
    for each in sentences:
        counter.observe(each)
    return counter.index()


def taught(*rows: Sequence[str], language: str = "en") -> tuple[list[Sentence], FrameIndex]:
    """Sentences, and the index of a treebank of them."""
    sentences = parsed(*rows)
    return sentences, learned(sentences, language)


def transitive(verb: str, noun: str = "dog", subject: str = "cat") -> list[str]:
    """Write *the SUBJECT VERBs the NOUN*."""
    return (
        f"{THE}/2/det {subject}/{subject}/NOUN/{SING}/3/nsubj "
        f"{verb}s/{verb}/VERB/{PRES}/0/root {THE}/5/det {noun}/{noun}/NOUN/{SING}/3/obj"
    ).split()


def intransitive(verb: str, subject: str = "cat", *more: str) -> list[str]:
    """Write *the SUBJECT VERBs*."""
    return [
        f"{THE}/2/det",
        f"{subject}/{subject}/NOUN/{SING}/3/nsubj",
        f"{verb}s/{verb}/VERB/{PRES}/0/root",
        *more,
    ]


def with_phrase(rows: Sequence[str], adposition: str, noun: str = "garden") -> list[str]:
    """Return the sentence with `ADPOSITION the NOUN` below its verb."""
    n = len(rows)
    return [
        *rows,
        f"{adposition}/{adposition}/ADP/_/{n + 3}/case",
        f"{THE}/{n + 3}/det",
        f"{noun}/{noun}/NOUN/{SING}/3/obl",
    ]


def admitted(index: FrameIndex, words: Sentence, slot: int, verb: str) -> bool:
    """Whether a verb may stand in a slot."""
    frame = index.slots(words)[slot].frame
    return index.admits(frame, f"{verb}s", verb, "VERB", PRES)


def fillers(index: FrameIndex, words: Sentence, slot: int, *words_tried: str) -> list[str]:
    """Return the words, written `form` or `form/lemma`, that may stand in a slot: with its own
    FEATS."""
    frame, kind = index.slots(words)[slot].frame, (words.upos[slot], words.feats[slot])
    found = [(word.partition("/")[0], word.rpartition("/")[2]) for word in words_tried]
    return [form for form, lemma in found if index.admits(frame, form, lemma, *kind)]


def test_a_verb_goes_where_it_has_been_seen_with_the_same_arguments() -> None:
    bank = [transitive(verb) for verb in ("see", "chase") for _ in range(3)]
    bank += [intransitive(verb) for verb in ("sleep", "snore") for _ in range(3)]
    sentences, index = taught(*bank)
    assert index.slots(sentences[0])[2].stays == ""
    assert admitted(index, sentences[0], 2, "chase")
    assert not admitted(index, sentences[0], 2, "snore")
    assert admitted(index, sentences[-1], 2, "sleep")
    assert not admitted(index, sentences[-1], 2, "chase")


def test_a_verb_must_have_been_seen_with_the_adposition() -> None:
    bank = [with_phrase(intransitive("look"), "at", noun) for noun in ("wall", "hill", "tree")]
    bank += [with_phrase(intransitive("stare"), "at", noun) for noun in ("wall", "hill", "tree")]
    bank += [with_phrase(intransitive("step"), "over", noun) for noun in ("wall", "hill", "tree")]
    sentences, index = taught(*bank)
    assert admitted(index, sentences[0], 2, "stare")
    assert not admitted(index, sentences[0], 2, "step")


def test_a_verb_that_wants_more_than_its_object_does_not_stand_with_it_alone() -> None:
    bank = [with_phrase(transitive("put"), "over") for _ in range(9)] + [transitive("put")]
    bank += [transitive("see") for _ in range(3)]
    sentences, index = taught(*bank)
    assert not admitted(index, sentences[-1], 2, "put")
    assert admitted(index, sentences[-1], 2, "see")


def test_a_conjunct_before_the_object_of_another_stays() -> None:
    shared = (
        f"{THE}/2/det cat/cat/NOUN/{SING}/3/nsubj sees/see/VERB/{PRES}/0/root "
        f"and/and/CCONJ/_/5/cc chases/chase/VERB/{PRES}/3/conj {THE}/7/det "
        f"dog/dog/NOUN/{SING}/3/obj"
    ).split()
    sentences, index = taught(shared, *(transitive("eat") for _ in range(3)))
    assert index.slots(sentences[0])[4].stays
    assert not index.slots(sentences[1])[2].stays


def test_a_conjunct_of_a_verb_with_an_object_is_no_evidence_of_lacking_one() -> None:
    shared = (
        f"{THE}/2/det cat/cat/NOUN/{SING}/3/nsubj sees/see/VERB/{PRES}/0/root {THE}/5/det "
        f"dog/dog/NOUN/{SING}/3/obj and/and/CCONJ/_/7/cc chases/chase/VERB/{PRES}/3/conj"
    ).split()
    sentences, index = taught(*[shared] * 5, *[intransitive("sleep")] * 5)
    assert not admitted(index, sentences[-1], 2, "chase")


def relative(verb: str, *, pronoun: bool) -> list[str]:
    """Write *the bird (that) the cat VERBs sings*."""
    that = [f"that/that/PRON/PronType=Rel/{6}/obj"] if pronoun else []
    shift = len(that)
    return [
        f"{THE}/2/det",
        f"bird/bird/NOUN/{SING}/{6 + shift}/nsubj",
        *that,
        f"{THE}/{4 + shift}/det",
        f"cat/cat/NOUN/{SING}/{5 + shift}/nsubj",
        f"{verb}s/{verb}/VERB/{PRES}/2/acl:relcl",
        f"sings/sing/VERB/{PRES}/0/root",
    ]


def test_a_relative_clause_without_a_pronoun_binds_noun_and_verb_and_says_nothing_of_it() -> None:
    zero = [relative("arrive", pronoun=False) for _ in range(3)]
    sentences, index = taught(*zero, *[intransitive("sleep")] * 3)
    assert index.slots(sentences[0])[4].stays
    assert index.slots(sentences[0])[1].stays
    assert not admitted(index, sentences[-1], 2, "arrive")


def test_a_relative_pronoun_fills_the_gap() -> None:
    bank = [relative("eat", pronoun=True), *[transitive("see")] * 3]
    sentences, index = taught(*bank)
    assert index.slots(sentences[0])[5].stays == ""
    assert admitted(index, sentences[0], 5, "see")


def noun_after(determiner: str, noun: str, n: int = 1) -> list[list[str]]:
    """Write *DETERMINER NOUN sleeps*, n times; no determiner for ""."""
    own = [f"{determiner}/2/det"] if determiner else []
    at = len(own) + 1
    rows = [
        *own,
        f"{noun}/{noun}/NOUN/{SING}/{at + 1}/nsubj",
        f"sleeps/sleep/VERB/{PRES}/0/root",
    ]
    return [rows] * n


def test_mass_nouns_do_not_follow_an_indefinite_article_nor_count_nouns_stand_bare() -> None:
    bank = [*noun_after("", "water", 6), *noun_after("", "sand", 6), *noun_after(THE, "water", 3)]
    for noun in ("dog", "cat", "bird", "cow"):
        bank += [*noun_after(A, noun, 4), *noun_after(THE, noun, 4)]
    sentences, index = taught(*bank)
    bare, counted = sentences[0], sentences[-8]

    def fits(words: Sentence, slot: int, noun: str) -> bool:
        return index.admits(index.slots(words)[slot].frame, noun, noun, "NOUN", SING)

    assert fits(bare, 0, "sand")
    assert not fits(bare, 0, "dog")
    assert fits(counted, 1, "dog")
    assert not fits(counted, 1, "sand")


def test_without_articles_no_frame_asks_for_them() -> None:
    bank = [*noun_after("", "kot", 6), *noun_after("ten/ten/DET/PronType=Dem", "pies", 6)]
    sentences, index = taught(*bank, language="pl")
    assert fillers(index, sentences[0], 0, "pies") == ["pies"]


def test_a_relative_pronoun_that_few_nouns_go_with_asks_for_them() -> None:
    def with_pronoun(noun: str, pronoun: str) -> list[str]:
        return (
            f"{THE}/2/det {noun}/{noun}/NOUN/{SING}/5/nsubj "
            f"{pronoun}/{pronoun}/PRON/PronType=Rel/4/nsubj sings/sing/VERB/{PRES}/2/acl:relcl "
            f"sleeps/sleep/VERB/{PRES}/0/root"
        ).split()

    bank = [with_pronoun(noun, "who") for noun in ("man", "poet") for _ in range(2)]
    bank += [with_pronoun(noun, "that") for noun in ("bird", "kettle", "stove", "radio")]
    sentences, index = taught(*bank, *noun_after(THE, "kettle", 2))
    assert fillers(index, sentences[0], 1, "poet", "kettle") == ["poet"]


def adverbial(*rows: str) -> list[str]:
    """Write *it sleeps …*."""
    it = "it/it/PRON/Number=Sing|PronType=Prs/2/nsubj"
    return [it, f"sleeps/sleep/VERB/{PRES}/0/root", *rows]


def test_what_must_stay_is_told_with_its_reason() -> None:
    cases = {
        "numeral": adverbial("two/two/NUM/NumType=Card/2/obl"),
        "function word": adverbial("in/in/ADP/_/2/obl"),
        "bare adverbial": adverbial(f"night/night/NOUN/{SING}/2/obl:tmod"),
        "name part": adverbial(
            "to/to/ADP/_/4/case", "New/New/PROPN/Number=Sing/2/obl", "York/York/PROPN/_/4/flat"
        ),
        "apposition": adverbial(f"dog/dog/NOUN/{SING}/1/appos"),
        "adverb of a closed class": adverbial("here/here/ADV/PronType=Dem/2/advmod"),
        "numbered": adverbial(f"article/article/NOUN/{SING}/2/obj", "3/3/NUM/_/3/nummod"),
        "title": adverbial(f"critic/critic/NOUN/{SING}/2/obj", "Bradley/B/PROPN/_/3/appos"),
        "address": adverbial(f"sir/sir/NOUN/{SING}/2/vocative"),
    }
    sentences, index = taught(*cases.values())
    last = {"name part": 3, "numbered": 2, "title": 2}
    found = {
        reason: index.slots(words)[last.get(reason, len(words) - 1)].stays
        for reason, words in zip(cases, sentences, strict=True)
    }
    assert all(found.values())
    assert len(set(found.values())) == len(cases)


def test_an_expletive_binds_its_verb() -> None:
    there = ["there/there/PRON/_/2/expl", f"remains/remain/VERB/{PRES}/0/root"]
    sentences = parsed(there)
    assert learned(sentences).slots(sentences[0])[1].stays


def test_a_verb_and_a_bare_noun_that_come_together_are_a_bundle() -> None:
    def takes(noun: str, *article: str) -> list[str]:
        at = 3 + len(article)
        return [
            f"she/she/PRON/{SING}/2/nsubj",
            f"takes/take/VERB/{PRES}/0/root",
            *article,
            f"{noun}/{noun}/NOUN/{SING}/2/obj",
        ][: at + 1]

    bank = [takes("care")] * 5 + [takes("hat", f"{A}/4/det")] * 5
    sentences, index = taught(*bank)
    assert index.slots(sentences[0])[1].stays == index.slots(sentences[0])[2].stays != ""
    assert index.slots(sentences[-1])[1].stays == index.slots(sentences[-1])[3].stays == ""


def test_forms_that_look_wrong_are_never_admitted() -> None:
    bank = [*noun_after(THE, "dog", 4)]
    for noun in ("DOG", "d0g", "d", "work", "thanks"):
        feats = PLUR if noun == "thanks" else SING
        rows = [f"{THE}/2/det", f"{noun}/{noun}/NOUN/{feats}/3/nsubj", f"it/it/VERB/{PRES}/0/root"]
        bank += [rows] * 3
    bank += [intransitive("x", "cat", f"work/work/VERB/{PRES}/3/xcomp")] * 3
    sentences, index = taught(*bank)
    frame = index.slots(sentences[0])[1].frame
    forms = {noun: index.admits(frame, noun, noun, "NOUN", SING) for noun in ("dog", "DOG", "d0g")}
    assert forms == {"dog": True, "DOG": False, "d0g": False}
    assert not index.admits(frame, "d", "d", "NOUN", SING)
    assert not index.admits(frame, "work", "work", "NOUN", SING)
    assert not index.admits(frame, "thanks", "thanks", "NOUN", PLUR)


def test_a_cut_form_is_neither_drawn_nor_replaced() -> None:
    def infinitive(form: str, lemma: str) -> list[str]:
        return [f"{form}/{lemma}/VERB/VerbForm=Inf/0/root"]

    bank = [infinitive(each, each) for each in ("dire", "fare", "dare", "vedere")] * 3
    bank += [
        infinitive("dir", "dire"),
        infinitive("finir", "finire"),
        infinitive("finir", "finire"),
    ]
    sentences, index = taught(*bank, language="it")
    assert fillers(index, sentences[0], 0, "vedere", "finir/finire") == ["vedere"]
    assert index.slots(sentences[-1])[0].stays
    assert not index.slots(sentences[0])[0].stays


def attribute(adjective: str, *, before: bool = True) -> list[str]:
    """Write *the ADJECTIVE dog sleeps, or the dog ADJECTIVE sleeps*."""
    dog = 3 if before else 2
    noun = f"dog/dog/NOUN/{SING}/4/nsubj"
    modifier = f"{adjective}/{adjective}/ADJ/Degree=Pos/{dog}/amod"
    middle = (modifier, noun) if before else (noun, modifier)
    return [f"{THE}/{dog}/det", *middle, f"sleeps/sleep/VERB/{PRES}/0/root"]


def test_an_adjective_stands_on_the_side_where_it_was_seen() -> None:
    bank = [attribute(each) for each in ("mere", "former") for _ in range(3)]
    bank += [attribute("rouge", before=False)] * 3
    sentences, index = taught(*bank)
    assert fillers(index, sentences[0], 1, "former", "rouge") == ["former"]


def test_a_verb_that_mostly_has_a_neuter_pronoun_for_a_subject_stays() -> None:
    es = "es/es/PRON/Gender=Neut|PronType=Prs/2/nsubj"
    there = [es, f"gibt/geben/VERB/{PRES}/0/root", f"Bier/Bier/NOUN/{SING}/2/obj"]
    other = [es, f"schläft/schlafen/VERB/{PRES}/0/root"]
    sentences, index = taught(*[there] * 6, other, *[intransitive("schlafen")] * 9, language="de")
    assert index.slots(sentences[0])[1].stays
    assert index.slots(sentences[6])[1].stays == ""


def test_where_feats_do_not_tell_the_ending_the_frame_does() -> None:
    feats = "Case=Nom|Degree=Pos|Gender=Masc|Number=Sing"

    def nominative(form: str, lemma: str) -> list[str]:
        return (
            f"{form}/{lemma}/ADJ/{feats}/2/amod dog/dog/NOUN/{SING}/3/nsubj "
            f"sleeps/sleep/VERB/{PRES}/0/root"
        ).split()

    stems = ("gut", "groß", "klein", "alt", "neu")
    bank = [nominative(stem + end, stem) for stem in stems for end in ("er", "e") for _ in range(2)]
    sentences, index = taught(*bank, language="de")
    assert fillers(index, sentences[0], 0, "alter/alt", "alte/alt") == ["alter"]


def test_a_quantifier_asks_what_the_nouns_beside_it_can_do() -> None:
    every, much = "every/every/DET/_", "much/much/DET/_"
    bank = [*noun_after("", "water", 6), *noun_after("", "sand", 6)]
    for noun in ("dog", "cat", "bird", "cow"):
        bank += [*noun_after(A, noun, 4), *noun_after(every, noun, 1)]
    bank += [*noun_after(much, "water", 1), *noun_after(much, "sand", 1)]
    sentences, index = taught(*bank)
    for words in sentences[12:]:
        assert fillers(index, words, 1, "dog", "sand") == (
            ["sand"] if words.forms[0] == "much" else ["dog"]
        )


def test_a_noun_that_its_article_contradicts_stays() -> None:
    rows = (
        "die/der/DET/Definite=Def|Gender=Fem/2/det "
        f"Mann/Mann/NOUN/Gender=Masc|Number=Sing/3/nsubj schläft/schlafen/VERB/{PRES}/0/root"
    ).split()
    agreeing = [rows[0].replace("Fem", "Masc"), *rows[1:]]
    sentences, index = taught(rows, agreeing, language="de")
    assert index.slots(sentences[0])[1].stays
    assert not index.slots(sentences[1])[1].stays


def named(name: str, *, article: str = "", noun: str = "") -> list[str]:
    """NAME sleeps, or ARTICLE NAME sleeps"""
    own = [f"{article}/2/det"] if article else []
    at = len(own) + 1
    return [
        *own,
        f"{name}/{noun or name}/PROPN/{SING}/{at + 1}/nsubj",
        f"sleeps/sleep/VERB/{PRES}/0/root",
    ]


def test_a_name_without_an_article_stands_for_none_that_has_one() -> None:
    bank = [named(name) for name in ("Anna", "Maria") for _ in range(9)]
    bank += [named("Europa", article=THE)] * 6 + [named("Galles", article=THE)] * 9
    sentences, index = taught(*bank, *[named("Europa")] * 3, language="it")

    def fits(words: Sentence, slot: int, name: str) -> bool:
        return index.admits(index.slots(words)[slot].frame, name, name, "PROPN", SING)

    with_article, without = sentences[18], sentences[0]
    assert fits(without, 0, "Maria")
    assert fits(with_article, 1, "Galles")
    assert fits(with_article, 1, "Europa")
    assert not fits(with_article, 1, "Maria")


def test_words_are_drawn_as_they_are_usually_written() -> None:
    bank = [named(name) for name in ("Anna", "matt", "ElPaso", "McCoy", "McCoy", "נעמי")] * 2
    for form, lemma in (("old", "old"), ("asian", "asian")):
        bank += [[each.replace("mere/mere", f"{form}/{lemma}") for each in attribute("mere")]] * 3
    bank += [[each.replace("mere", "Asian") for each in attribute("mere")]] * 4
    sentences, index = taught(*bank)
    name = index.slots(sentences[0])[0].frame
    found = {
        form: index.admits(name, form, form, "PROPN", SING)
        for form in ("Anna", "matt", "ElPaso", "McCoy", "נעמי")
    }
    assert found == {"Anna": True, "matt": False, "ElPaso": False, "McCoy": True, "נעמי": True}
    assert fillers(index, sentences[-10], 1, "old", "asian") == ["old"]


def test_a_form_that_mostly_has_the_other_number_is_never_drawn() -> None:
    def opera(form: str, lemma: str, number: str) -> list[str]:
        return (
            f"{THE}/2/det {form}/{lemma}/NOUN/Number={number}/3/nsubj "
            f"sleeps/sleep/VERB/{PRES}/0/root"
        ).split()

    bank = [opera("opere", "opere", "Sing")] * 2 + [opera("opere", "opera", "Plur")] * 9
    bank += [opera("opera", "opera", "Sing")] * 3 + [opera("casa", "casa", "Sing")] * 3
    sentences, index = taught(*bank, language="it")
    assert fillers(index, sentences[-1], 1, "opera", "opere") == ["opera"]


def test_nouns_of_quantity_and_collective_ones_are_never_drawn() -> None:
    bank = [rows for noun in ("dog", "bird", "team", "rest") for rows in noun_after(THE, noun, 3)]
    sentences, index = taught(*bank)
    assert fillers(index, sentences[0], 1, "bird", "team", "rest") == ["bird"]


def noun_with(noun: str, *below: str, before: str = "") -> list[str]:
    """Write *the NOUN … sleeps*; the rows below it stand after it, with heads counted from its
    own place (2); with an adposition, `it sleeps ADPOSITION the NOUN …`."""
    start = ["it/it/PRON/_/2/nsubj", f"sleeps/sleep/VERB/{PRES}/0/root"]
    if before:
        return [
            *start,
            f"{before}/{before}/ADP/_/5/case",
            f"{THE}/5/det",
            f"{noun}/{noun}/NOUN/{SING}/2/obl",
            *(row.replace("@", "5").replace("+", "8") for row in below),
        ]
    return [
        f"{THE}/2/det",
        f"{noun}/{noun}/NOUN/{SING}/0/root",
        f"is/be/AUX/{PRES}/2/cop",
        *(row.replace("@", "2").replace("+", "6") for row in below),
    ]


def to(noun: str) -> tuple[str, ...]:
    """`to the NOUN`, below a noun"""
    return ("to/to/ADP/_/+/case", f"{THE}/+/det", f"{noun}/{noun}/NOUN/{SING}/@/nmod")


def test_an_adposition_below_a_noun_needs_two_nouns() -> None:
    bank = [noun_with("road", *to(each)) for each in ("sea", "hill", "sea")]
    bank += [noun_with("way", *to(each)) for each in ("sea", "wall", "sea")]
    bank += [noun_with("chair", *to("sea"))] * 3
    by = [each.replace("to/to", "of/of") for each in to("sea")]
    bank += [noun_with(f"n{n}", *by) for n in "abcdefghijkl" for _ in range(5)]
    sentences, index = taught(*bank)
    frame = index.slots(sentences[0])[1].frame
    nouns = ("road", "way", "chair")
    assert [n for n in nouns if index.admits(frame, n, n, "NOUN", SING)] == ["road", "way"]


def test_a_clause_below_a_noun_asks_for_one_that_has_it_with_a_mark_or_without() -> None:
    def clause(relation: str, feats: str) -> str:
        return f"sings/sing/VERB/{feats}/@/{relation}"

    cases = [
        clause("ccomp", PRES),
        clause("nmod", "VerbForm=Inf"),
        clause("obl", "VerbForm=Inf"),
    ]
    bank = [noun_with(noun, row) for row in cases for noun in ("fact", "wish") for _ in range(3)]
    _, index = taught(*bank, *[noun_with("dog")] * 3)
    for row in cases:
        assert fillers(index, parsed(noun_with("fact", row))[0], 1, "wish", "dog") == ["wish"]


def test_a_clause_with_a_relative_word_is_a_relative_clause_whatever_its_subtype() -> None:
    who = "aki/aki/PRON/PronType=Rel/5/nsubj"

    def clause(noun: str, relation: str, pronoun: str = who) -> list[str]:
        return noun_with(noun, pronoun, f"sings/sing/VERB/{PRES}/@/{relation}")

    plain, subtyped = clause("fiú", "acl"), clause("fiú", "acl:relcl")
    bank = [plain, subtyped, *[clause("lány", "acl:relcl")] * 2]
    for noun in ("kutya", "madár", "kályha", "ház"):
        bank.append(clause(noun, "acl", who.replace("aki", "ami")))
    sentences, index = taught(*bank, *noun_after(THE, "kutya", 2), language="hu")
    assert index.slots(sentences[0])[1] == index.slots(sentences[1])[1]
    for words in sentences[:2]:
        assert fillers(index, words, 1, "lány", "kutya") == ["lány"]


def test_an_adjective_that_mostly_governs_something_does_not_stand_alone() -> None:
    def predicate(adjective: str, *below: str) -> list[str]:
        return [
            f"{THE}/2/det",
            f"cat/cat/NOUN/{SING}/4/nsubj",
            f"is/be/AUX/{PRES}/4/cop",
            f"{adjective}/{adjective}/ADJ/Degree=Pos/0/root",
            *below,
        ]

    of = ("of/of/ADP/_/6/case", f"sea/sea/NOUN/{SING}/4/obl")
    bank = [predicate("capable", *of)] * 6 + [predicate("capable")] * 3
    bank += [predicate("old")] * 6 + [predicate("ripe")] * 3 + [predicate("ripe", *of)]
    sentences, index = taught(*bank)
    assert fillers(index, sentences[9], 3, "capable", "old", "ripe") == ["old", "ripe"]


def test_one_noun_is_no_evidence_for_an_adposition() -> None:
    both = [with_phrase(intransitive("stand"), "by", noun) for noun in ("sea", "hill", "sea")]
    one = [with_phrase(intransitive("sit"), "by", "sea")] * 3
    sentences, index = taught(*both, *one)
    assert [v for v in ("stand", "sit") if admitted(index, sentences[0], 2, v)] == ["stand"]


def test_a_noun_that_stands_nearly_always_with_one_adposition_is_a_bundle_with_it() -> None:
    bank = [with_phrase(intransitive("sleep"), "at", "height")] * 4
    below = (f"cat/cat/NOUN/{SING}/6/nmod",)
    bank += [[*with_phrase(intransitive("sleep"), "at", "sense"), *below]] * 4
    for noun in ("sea", "hill", "wall", "tree", "bank"):
        for adposition in ("in", "by", "on", "under", "behind"):
            bank += [with_phrase(intransitive("sleep"), adposition, noun)] * 2
    sentences, index = taught(*bank)
    assert index.slots(sentences[4])[5].stays
    assert index.slots(sentences[-1])[5].stays == ""
    assert fillers(index, sentences[-1], 5, "sea", "sense", "height") == ["sea"]


VERBS = ("see", "eat", "sleep", "snore", "look", "put")
WAYS = ("alone", "object", "at", "object over")


def used(verb: str, way: str, noun: str = "garden") -> list[str]:
    """Return a sentence in which a verb is used in one of the ways."""
    rows = transitive(verb) if "object" in way else intransitive(verb)
    adposition = {"at": "at", "object over": "over"}.get(way)
    return with_phrase(rows, adposition, noun) if adposition else rows


@given(st.lists(st.sampled_from(WAYS), min_size=len(VERBS), max_size=len(VERBS)))
def test_verbs_of_one_use_each_are_exchanged_within_it_and_nowhere_else(ways: list[str]) -> None:
    own = dict(zip(VERBS, ways, strict=True))
    sentences = parsed(
        *(used(verb, way, noun) for verb, way in own.items() for noun in ("hill", "sea", "wall"))
    )
    index = learned(sentences)
    for words in sentences:
        assert index.slots(words)[2].stays == ""
        found = {verb for verb in VERBS if admitted(index, words, 2, verb)}
        assert found == {verb for verb in VERBS if own[verb] == own[words.lemmas[2]]}


uses = st.lists(st.tuples(st.sampled_from(VERBS), st.sampled_from(WAYS)), max_size=25)


@given(uses, st.sampled_from(VERBS), st.sampled_from(WAYS))
def test_seeing_a_word_in_the_frame_once_more_never_shuts_it_out(
    found: list[tuple[str, str]], verb: str, way: str
) -> None:
    sentences = parsed(*(used(*each) for each in [*found, ("see", way), (verb, way)]))
    slot = sentences[-2]
    if admitted(learned(sentences), slot, 2, verb):
        assert admitted(learned([*sentences, sentences[-1]]), slot, 2, verb)


@given(uses)
def test_the_order_of_the_sentences_does_not_matter(found: list[tuple[str, str]]) -> None:
    sentences = parsed(*(used(*each) for each in [*found, ("see", "object")]))
    one, other = learned(sentences), learned(sentences[::-1])
    assert [one.slots(each) for each in sentences] == [other.slots(each) for each in sentences]
    for words in sentences:
        assert [admitted(one, words, 2, verb) for verb in VERBS] == [
            admitted(other, words, 2, verb) for verb in VERBS
        ]


def test_a_word_that_was_never_seen_is_admitted_nowhere() -> None:
    sentences, index = taught(transitive("see"))
    assert not admitted(index, sentences[0], 2, "devour")


def test_an_empty_treebank_has_an_index_that_admits_nothing() -> None:
    index = learned([])
    words = parsed(transitive("see"))[0]
    assert index.slots(words)[2].stays == ""
    assert not admitted(index, words, 2, "see")


def nouns_with(adjective: str, *forms: tuple[str, int], language: str = "en") -> FrameIndex:
    """Return the index of sentences *the FORM VERBs*, each form a noun `mountain` so often."""
    bank = [
        [f"{THE}/2/det", f"{form}/{adjective}/NOUN/{SING}/3/nsubj", f"sees/see/VERB/{PRES}/0/root"]
        for form, n in forms
        for _ in range(n)
    ]
    return taught(*bank, language=language)[1]


@given(st.integers(1, 9), st.integers(0, 3), st.sampled_from(["mountian", "mountan", "mounain"]))
def test_a_form_seen_once_a_letter_from_a_frequent_one_of_its_cell_is_no_form(
    frequent: int, more: int, slip: str
) -> None:
    """Whatever letter it is; not where it is seen again, or the other is not frequent."""
    index = nouns_with("mountain", ("mountain", frequent), (slip, 1 + more))
    near = slip != "mountian"  # two letters swapped are two steps
    is_slip = near and frequent >= 5 and not more
    assert index.is_sound(slip, "mountain", "NOUN") == (not is_slip)
    assert index.is_sound("mountain", "mountain", "NOUN")


def test_an_accent_of_a_clitic_that_is_gone_is_no_form() -> None:
    """Greek *πράξεών του*; before a clitic stands no word that would need one."""
    his = "του/εγώ/PRON/Case=Gen/1/nmod"
    rows = {
        form: (f"{form}/{form}/NOUN/{SING}/0/root", his)
        for form in ("πράξεών", "χαρά", "λύπη", "κίνηση")
    }
    sentences, index = taught(*(row for row in rows.values() for _ in range(4)), language="el")
    assert not index.is_sound("πράξεών", "πράξη", "NOUN")
    assert index.is_sound("πράξεων", "πράξη", "NOUN")
    assert index.slots(sentences[0])[0].stays
    assert fillers(index, sentences[4], 0, "λύπη", "κίνηση", "πράξεών") == ["λύπη"]


def test_a_word_that_the_annotation_corrects_may_not_be_drawn() -> None:
    """`CorrectForm` in MISC, of the word or of its token."""
    bank = parsed(*[transitive("see", "dgo") for _ in range(3)], *[transitive("see")] * 3)
    marked = [
        replace(each, misc=(*each.misc[:-1], "CorrectForm=dog")) if "dgo" in each.forms else each
        for each in bank
    ]
    for sentences, may in ((bank, True), (marked, False)):
        index = learned(sentences)
        frame = index.slots(sentences[-1])[4].frame
        assert index.admits(frame, "dgo", "dgo", "NOUN", SING) == may


def test_a_word_that_shares_the_end_of_a_later_one_is_no_form() -> None:
    """German *Staats - und Parteichefs*."""
    chiefs = ["und/und/CCONJ/_/4/cc", "Chefs/Chef/NOUN/Number=Plur/1/conj"]
    state = [f"Staats/Staat/NOUN/{SING}/0/root", "-/-/PUNCT/_/1/punct", *chiefs]
    whole = [f"Partei/Partei/NOUN/{SING}/0/root", "mit/mit/ADP/_/4/case", *chiefs]
    sentences, index = taught(*[state, whole] * 3, language="de")
    assert fillers(index, sentences[1], 0, "Partei", "Staats/Staat") == ["Partei"]
