"""One noun in another value, and what follows it: forms, obstacles, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.miner import Tree
from colorless_green.nonce import Inflection, reinflected, with_changes
from tests.nonce.reinflecting import listed, text_of, tree, words

S, P = "Number=Sing", "Number=Plur"
ENGLISH = listed(
    f"key/key/NOUN/{S}", f"keys/key/NOUN/{P}", f"this/this/DET/{S}", f"these/this/DET/{P}",
    f"is/be/AUX/{S}", f"are/be/AUX/{P}", f"opens/open/VERB/{S}", f"open/open/VERB/{P}",
    f"door/door/NOUN/{S}", f"doors/door/NOUN/{P}", f"sheep/sheep/NOUN/{S}",
    f"sheep/sheep/NOUN/{P}", f"man/man/NOUN/{S}", f"men/man/NOUN/{P}", f"dust/dust/NOUN/{S}",
)  # fmt: skip
FORMS = words(ENGLISH)
KEY = (
    f"This/this/DET/{S}/2/det key/key/NOUN/{S}/8/nsubj to/to/ADP/-/5/case these/this/DET/{P}/5/det "
    f"doors/door/NOUN/{P}/2/nmod of/of/ADP/-/7/case Ann/Ann/PROPN/{S}/5/nmod "
    f"old/old/ADJ/-/0/root is/be/AUX/{S}/8/cop"
)


def changed(what: str, node: int, value: str, forms: Inflection, target: int = -1) -> str | None:
    """The sentence after a change, if it can be made."""
    before = tree(what)
    found = reinflected(before, node, "Number", value, forms, target=target)
    if isinstance(found, str):
        return None
    return text_of(with_changes(before, found).forms)


def test_determiner_and_copula_follow_a_subject_and_nothing_else_changes() -> None:
    assert changed(KEY, 1, "Plur", FORMS) == "These keys to these doors of Ann old are"


def test_a_noun_that_is_no_subject_takes_its_determiner_along_alone() -> None:
    assert changed(KEY, 4, "Sing", FORMS) == "This key to this door of Ann old is"


def test_the_target_is_left_to_the_caller() -> None:
    assert changed(KEY, 1, "Plur", words(ENGLISH), 8) == "These keys to these doors of Ann old is"


def test_what_has_the_value_already_does_not_change() -> None:
    found = reinflected(tree(KEY), 4, "Number", "Plur", FORMS)
    assert found == {}


def test_feats_change_with_the_forms() -> None:
    found = reinflected(tree(KEY), 1, "Number", "Plur", FORMS)
    assert isinstance(found, dict)
    assert found == {0: ("These", P), 1: ("keys", P), 8: ("are", P)}


def test_the_verb_of_a_relative_clause_follows_where_the_pronoun_is_its_subject() -> None:
    subject = (
        f"men/man/NOUN/{P}/0/root who/who/PRON/PronType=Rel/3/nsubj open/open/VERB/{P}/1/acl:relcl "
        f"this/this/DET/{S}/5/det door/door/NOUN/{S}/3/obj"
    )
    assert changed(subject, 0, "Sing", FORMS) == "man who opens this door"
    thing = (
        f"door/door/NOUN/{S}/0/root that/that/PRON/PronType=Rel/4/obj men/man/NOUN/{P}/4/nsubj "
        f"open/open/VERB/{P}/1/acl:relcl"
    )
    assert changed(thing, 0, "Plur", FORMS) == "doors that men open"
    assert changed(thing, 2, "Sing", FORMS) == "door that man opens"


def test_predicates_that_share_a_subject_follow_and_one_with_its_own_does_not() -> None:
    both = (
        f"man/man/NOUN/{S}/2/nsubj opens/open/VERB/{S}/0/root and/and/CCONJ/-/4/cc "
        f"opens/open/VERB/{S}/2/conj and/and/CCONJ/-/7/cc door/door/NOUN/{S}/7/nsubj "
        f"opens/open/VERB/{S}/2/conj"
    )
    assert changed(both, 0, "Plur", FORMS) == "men open and open and door opens"


SLAVIC = listed(
    "стол/стол/NOUN/Gender=Masc|Number=Sing", "столы/стол/NOUN/Gender=Masc|Number=Plur",
    "книга/книга/NOUN/Gender=Fem|Number=Sing", "книги/книга/NOUN/Gender=Fem|Number=Plur",
    "новый/новый/ADJ/Gender=Masc|Number=Sing", "новая/новый/ADJ/Gender=Fem|Number=Sing",
    "новое/новый/ADJ/Gender=Neut|Number=Sing", "новые/новый/ADJ/Number=Plur",
)  # fmt: skip


@pytest.mark.parametrize(
    ("noun", "lemma", "gender", "singular"),
    [("столы", "стол", "Masc", "новый стол"), ("книги", "книга", "Fem", "новая книга")],
)
def test_gender_comes_from_the_noun_where_plurals_tell_none(
    noun: str, lemma: str, gender: str, singular: str
) -> None:
    phrase = (
        f"новые/новый/ADJ/Number=Plur/2/amod {noun}/{lemma}/NOUN/Gender={gender}|Number=Plur/0/root"
    )
    assert changed(phrase, 1, "Sing", words(SLAVIC)) == singular


def test_of_several_forms_in_use_the_one_spelled_most_alike_is_taken() -> None:
    basque = listed(
        f"du/ukan/AUX/{S}", *[f"zuten/ukan/AUX/{P}"] * 3, f"dute/ukan/AUX/{P}",
        f"gizon/gizon/NOUN/{S}", f"gizonek/gizon/NOUN/{P}",
    )  # fmt: skip
    clause = f"gizon/gizon/NOUN/{S}/2/nsubj du/ukan/AUX/{S}/0/root"
    assert changed(clause, 0, "Plur", words(basque)) == "gizonek dute"


@pytest.mark.parametrize(
    ("noun", "plural", "expected"),
    [
        ("Key/key", "keys/key", "Keys"), ("key/key", "Keys/key", "keys"),
        ("KEY/key", "keys/key", "KEYS"), ("Haus/Haus", "häuser/Haus", None),
        ("'s/be", "are/be", None),
    ],
)  # fmt: skip
def test_letter_case_is_kept(noun: str, plural: str, expected: str | None) -> None:
    forms = words(listed(f"{noun}/NOUN/{S}", f"{plural}/NOUN/{P}"))
    found = reinflected(tree(f"{noun}/NOUN/{S}/0/root"), 0, "Number", "Plur", forms)
    assert (found[0][0] if isinstance(found, dict) else None) == expected


def test_a_form_in_capitals_is_the_word_in_capitals() -> None:
    forms = words(listed(f"key/key/NOUN/{S}", f"KEYS/key/NOUN/{P}", f"keys/key/NOUN/{P}"))
    assert changed(f"key/key/NOUN/{S}/0/root", 0, "Plur", forms) == "keys"


def phrase(*below: str, noun: str = f"man/man/NOUN/{S}") -> str:
    """A noun (the last word but what hangs on it) as the root, with these words before it."""
    place = len(below) + 1
    before = [row.replace("/0/", f"/{place}/") for row in below]
    return " ".join([*before, f"{noun}/0/root"])


OBSTACLES = {  # what stands in the way → the sentence, the same without it, a word of the reason
    "no other form": (phrase(noun=f"dust/dust/NOUN/{S}"), phrase(), "dust"),
    "equal forms": (phrase(noun=f"sheep/sheep/NOUN/{S}"), phrase(), "sheep"),
    "a numeral": (phrase("two/two/NUM/-/0/nummod"), phrase("two/two/NUM/-/0/dep"), "man"),
    "an apposition": (phrase(f"Ann/Ann/PROPN/{S}/0/appos"), phrase(f"Ann/Ann/X/{S}/0/dep"), "man"),
    "a name": (phrase("Ann/Ann/PROPN/-/0/flat"), phrase("Ann/Ann/PROPN/-/0/dep"), "man"),
    "no agreement": (phrase(f"these/this/DET/{P}/0/det"), phrase(f"this/this/DET/{S}/0/det"),
                     "these"),
    "a quantifier": (phrase("all/all/DET/PronType=Tot|Number=Sing/0/det"),
                     phrase(f"this/this/DET/{S}/0/det"), "all"),
    "a compound": (f"man/man/NOUN/{S}/2/compound doors/door/NOUN/{P}/0/root",
                   f"man/man/NOUN/{S}/2/nmod doors/door/NOUN/{P}/0/root", "man"),
    "a reflexive": (f"man/man/NOUN/{S}/2/nsubj opens/open/VERB/{S}/0/root "
                    f"himself/himself/PRON/{S}|Person=3|PronType=Prs|Reflex=Yes/2/obj",
                    f"man/man/NOUN/{S}/2/nsubj opens/open/VERB/{S}/0/root "
                    "you/you/PRON/Person=2|PronType=Prs/2/obj", "himself"),
    "a pronoun for it": (f"man/man/NOUN/{S}/3/nsubj he/he/PRON/{S}|Person=3|PronType=Prs/3/"
                         f"dislocated opens/open/VERB/{S}/0/root",
                         f"man/man/NOUN/{S}/3/nsubj so/so/ADV/-/3/advmod "
                         f"opens/open/VERB/{S}/0/root", "he"),
    "another marking": (f"man/man/NOUN/{S}/2/nsubj opens/open/VERB/Number[subj]=Sing/0/root",
                        f"man/man/NOUN/{S}/2/nsubj opens/open/VERB/{S}/0/root", "opens"),
}  # fmt: skip


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_what_cannot_be_done_is_told_with_the_word_that_forbids_it(obstacle: str) -> None:
    forbidden, free, word = OBSTACLES[obstacle]
    found, done = (
        reinflected(tree(text), tree(text).upos.index("NOUN"), "Number", "Plur", FORMS)
        for text in (forbidden, free)
    )
    assert isinstance(done, dict)
    assert isinstance(found, str)
    assert word in found.replace(",", " ").split()


def test_every_obstacle_has_a_reason_of_its_own() -> None:
    reasons = {
        str(reinflected(tree(text), tree(text).upos.index("NOUN"), "Number", "Plur", FORMS))
        for text, _, _ in OBSTACLES.values()
    }
    assert len(reasons) == len(OBSTACLES)


def noun_phrase(determiner: str, value: str) -> str:
    form = {"Sing": "man", "Plur": "men"}[value]
    return f"{determiner}/{determiner}/DET/-/2/det {form}/man/NOUN/Number={value}/0/root"


@pytest.mark.parametrize(("n_seen", "expected"), [(12, None), (4, "each men")])
def test_a_determiner_is_bound_to_a_value_by_how_often_it_is_seen(
    n_seen: int, expected: str | None
) -> None:
    treebank = [noun_phrase("each", "Sing")] * n_seen + [noun_phrase("the", "Plur")] * 12
    treebank += [noun_phrase("the", "Sing")] * 3
    forms = words(ENGLISH, *treebank)
    assert changed(noun_phrase("each", "Sing"), 1, "Plur", forms) == expected
    assert changed(noun_phrase("the", "Plur"), 1, "Sing", forms) == "the man"


def test_a_count_noun_needs_a_determiner_in_the_value_that_has_an_indefinite_article() -> None:
    article = "a/a/DET/Definite=Ind|PronType=Art/2/det"
    counted = f"{article} man/man/NOUN/{S}/3/nsubj opens/open/VERB/{S}/0/root"
    bare = f"men/man/NOUN/{P}/2/nsubj open/open/VERB/{P}/0/root"
    forms = words(ENGLISH, *[counted] * 6, *[bare] * 6)
    assert changed(bare, 0, "Sing", forms) is None
    mass = f"man/man/NOUN/{S}/2/nsubj opens/open/VERB/{S}/0/root"
    assert changed(bare, 0, "Sing", words(ENGLISH, *[counted, mass] * 6)) == "man opens"


def italian(auxiliary: str, participle: str) -> str:
    """A plural subject with an auxiliary and a participle."""
    lemma = {"hanno": "avere", "sono": "essere"}[auxiliary]
    value = {"viste": f"Gender=Fem|{P}", "visto": f"Gender=Masc|{S}"}[participle]
    return (
        f"case/casa/NOUN/{P}/3/nsubj {auxiliary}/{lemma}/AUX/{P}|VerbForm=Fin/3/aux "
        f"{participle}/vedere/VERB/{value}|VerbForm=Part/0/root"
    )


def test_a_treebank_tells_whether_a_participle_agrees() -> None:
    lexicon = listed(
        f"casa/casa/NOUN/{S}", f"ha/avere/AUX/{S}|VerbForm=Fin", f"è/essere/AUX/{S}|VerbForm=Fin",
        f"visto/vedere/VERB/Gender=Masc|{S}|VerbForm=Part",
        f"vista/vedere/VERB/Gender=Fem|{S}|VerbForm=Part",
    )  # fmt: skip
    treebank = [italian("hanno", "visto")] * 12 + [italian("sono", "viste")] * 12
    forms = words(lexicon, *treebank)
    assert changed(italian("sono", "viste"), 0, "Sing", forms) == "casa è vista"
    assert changed(italian("hanno", "visto"), 0, "Sing", forms) == "casa ha visto"


def test_a_predicate_noun_stays_where_the_treebank_lets_it() -> None:
    def said(subject: str, copula: str, noun: str) -> str:
        first, second, third = (
            {"men": P, "man": S, "are": P, "is": S, "doors": P, "door": S}[each]
            for each in (subject, copula, noun)
        )
        return (
            f"{subject}/man/NOUN/{first}/3/nsubj {copula}/be/AUX/{second}/3/cop "
            f"{noun}/door/NOUN/{third}/0/root"
        )

    treebank = [
        *[said("men", "are", "doors")] * 9,
        *[said("men", "are", "door")] * 4,
        *[said("man", "is", "door")] * 9,
    ]
    forms = words(ENGLISH, *treebank)
    assert changed(said("man", "is", "door"), 0, "Plur", forms) == "men are door"
    assert changed(said("men", "are", "doors"), 0, "Sing", forms) is None


@st.composite
def sentences(draw: st.DrawFn) -> Tree:
    """A subject with up to three nouns below it, and its copula."""
    values = draw(st.lists(st.sampled_from(["Sing", "Plur"]), min_size=1, max_size=4))
    rows: list[str] = []
    for n, value in enumerate(values):
        place = 3 * n + 2
        noun = draw(st.sampled_from(["key", "door", "man"]))
        form = noun if value == "Sing" else {"key": "keys", "door": "doors", "man": "men"}[noun]
        this = {"Sing": "this", "Plur": "these"}[value]
        relation = f"{3 * len(values)}/nsubj" if n == 0 else f"{place - 3}/nmod"
        rows.append(f"{this}/this/DET/Number={value}/{place}/det")
        rows.append(f"{form}/{noun}/NOUN/Number={value}/{relation}")
        if n + 1 < len(values):
            rows.append(f"of/of/ADP/-/{place + 3}/case")
    copula = {"Sing": "is", "Plur": "are"}[values[0]]
    rows.append(f"old/old/ADJ/-/0/root {copula}/be/AUX/Number={values[0]}/{3 * len(values)}/cop")
    return tree(" ".join(rows))


@given(sentences(), st.data())
def test_a_change_taken_back_gives_the_sentence(before: Tree, data: st.DataObject) -> None:
    nouns = [i for i, upos in enumerate(before.upos) if upos == "NOUN"]
    node = data.draw(st.sampled_from(nouns))
    own = before.feats[node].removeprefix("Number=")
    there = reinflected(before, node, "Number", {"Sing": "Plur", "Plur": "Sing"}[own], FORMS)
    assert isinstance(there, dict)
    after = with_changes(before, there)
    assert node in there
    assert after != before
    back = reinflected(after, node, "Number", own, FORMS)
    assert isinstance(back, dict)
    assert with_changes(after, back) == before


@given(sentences(), st.data())
def test_the_order_of_two_changes_does_not_matter(before: Tree, data: st.DataObject) -> None:
    nouns = [i for i, upos in enumerate(before.upos) if upos == "NOUN"]
    one, other = data.draw(st.sampled_from(nouns)), data.draw(st.sampled_from(nouns))
    results = []
    for order in ((one, other), (other, one)):
        now = before
        for node in order:
            found = reinflected(now, node, "Number", "Plur", FORMS)
            assert isinstance(found, dict)
            now = with_changes(now, found)
        results.append(now)
    assert results[0] == results[1]
