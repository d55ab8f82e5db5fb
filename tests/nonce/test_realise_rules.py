"""What each language's rules make of a word in another's place (the examples of grammars)."""

import pytest

from colorless_green.data import Tree
from colorless_green.nonce import realiser
from tests.nonce.realising import Joined, planned, said


@pytest.mark.parametrize(
    "phrase",
    [
        "a European", "an hour", "a house", "a unit", "an uninteresting", "an MP", "a UFO",
        "an 8-bit", "a one-off", "an heir", "a use", "an umbrella", "an honest", "an honour",
        "an honor", "an hourly", "an honorary", "an heirloom", "a ewe", "a unicorn", "a usual",
        "a utility", "a UK", "a ubiquitous", "a once-over", "an unimportant", "an unidentified",
        "an oner", "a UN", "an FBI", "an 80", "an 85-year-old", "an 11", "an 18th", "an 1100",
        "a 110", "a 1,800", "an 18,000", "a NATO", "an X-ray", "a U-turn", "an e-mail", "a HUGE",
        "an NBC", "a U.S.", "an élan", "a yacht", "a PhD",
    ],
)  # fmt: skip
def test_english_articles(phrase: str) -> None:
    article, word = phrase.split()
    for stood, noun in (("a", "boat"), ("an", "apple")):
        plan = planned("en", f"{stood}/DET/-/2 {noun}/NOUN/-/0")
        assert said(plan.realise({1: word})) == f"{article} {word}"


@pytest.mark.parametrize("article", ["a", "an"])
def test_an_article_that_is_legal_either_way_stays(article: str) -> None:
    noun = {"a": "boat", "an": "apple"}[article]
    plan = planned("en", f"{article}/DET/-/2 {noun}/NOUN/-/0")
    assert said(plan.realise({1: "historic"})) == f"{article} historic"


def test_a_quote_is_passed_over_and_a_comma_is_not() -> None:
    quoted = planned("en", 'a/DET/-/3 "/PUNCT/-/3_ boat/NOUN/-/0')
    assert said(quoted.realise({2: "apple"})) == 'an "apple'
    paused = planned("en", "a/DET/-/3 ,/PUNCT/-/3 boat/NOUN/-/0")
    assert said(paused.realise({2: "apple"})) == "a , apple"


@pytest.mark.parametrize(
    ("noun", "clitic", "feats", "new", "text"),
    [
        ("dogs", "'", "Number=Plur", "children", "children's bed"),
        ("children", "'s", "Number=Plur", "dogs", "dogs' bed"),
        ("dogs", "'", "Number=Plur", "cats", "cats' bed"),
        ("James", "'", "Number=Sing", "Charles", "Charles' bed"),
        ("James", "'", "Number=Sing", "Anna", "Anna's bed"),
    ],
)
def test_english_genitives(noun: str, clitic: str, feats: str, new: str, text: str) -> None:
    words = f"{noun}/NOUN/{feats}/3 {clitic}/PART/-/1 bed/NOUN/-/0"
    plan = planned("en", words, {0: noun + clitic})
    assert said(plan.realise({0: new})) == text


def test_an_english_clitic_and_its_host_cannot_be_exchanged() -> None:
    plan = planned("en", "there/PRON/-/2 's/VERB/-/0 gon/VERB/-/2 na/PART/-/3", {0: "there's"})
    assert plan.closed == {1}
    glued = planned("en", "gon/VERB/-/0 na/PART/-/1", {0: "gonna"})
    assert 0 in glued.closed


ITALIAN = {
    "m": ("treno", "Gender=Masc,Number=Sing"),
    "mm": ("treni", "Gender=Masc,Number=Plur"),
    "f": ("casa", "Gender=Fem,Number=Sing"),
    "ff": ("case", "Gender=Fem,Number=Plur"),
}


@pytest.mark.parametrize(
    ("article", "kind", "new", "text"),
    [
        ("il", "m", "studente", "lo studente"), ("i", "mm", "studenti", "gli studenti"),
        ("il", "m", "sogno", "il sogno"), ("il", "m", "amico", "l'amico"),
        ("i", "mm", "amici", "gli amici"), ("la", "f", "amica", "l'amica"),
        ("le", "ff", "amiche", "le amiche"), ("un", "m", "zaino", "uno zaino"),
        ("un", "m", "amico", "un amico"), ("una", "f", "amica", "un'amica"),
        ("quei", "mm", "anni", "quegli anni"), ("quel", "m", "anno", "quell'anno"),
        ("quel", "m", "zaino", "quello zaino"), ("la", "f", "iena", "la iena"),
        ("il", "m", "psicologo", "lo psicologo"), ("il", "m", "suocero", "il suocero"),
        ("i", "mm", "dei", "gli dei"), ("il", "m", "iodio", "lo iodio"),
        ("il", "m", "hotel", "l'hotel"),
    ],
)  # fmt: skip
def test_italian_articles(article: str, kind: str, new: str, text: str) -> None:
    noun, feats = ITALIAN[kind]
    plan = planned("it", f"{article}/DET/{feats}/2 {noun}/NOUN/{feats}/0")
    assert said(plan.realise({1: new})) == text


@pytest.mark.parametrize(
    ("preposition", "article", "token", "kind", "new", "text"),
    [
        ("di", "il", "del", "m", "gnomo", "dello gnomo"),
        ("in", "la", "nella", "f", "acqua", "nell'acqua"),
        ("a", "i", "ai", "mm", "studenti", "agli studenti"),
        ("su", "il", "Sul", "m", "albero", "Sull'albero"),
        ("da", "il", "dal", "m", "sogno", "dal sogno"),
    ],
)
def test_italian_articulated_prepositions(
    preposition: str, article: str, token: str, kind: str, new: str, text: str
) -> None:
    noun, feats = ITALIAN[kind]
    words = f"{preposition}/ADP/-/3 {article}/DET/{feats}/3 {noun}/NOUN/{feats}/0"
    assert said(planned("it", words, {0: token}).realise({2: new})) == text


def test_an_elided_article_takes_its_gender_from_its_noun() -> None:
    """`l'` is il and la, and its own FEATS do not tell which."""
    for gender, new, text in (("Fem", "casa", "la casa"), ("Masc", "treno", "il treno")):
        noun = f"amic/NOUN/Gender={gender},Number=Sing/0"
        plan = planned("it", f"l'/DET/Number=Sing/2_ {noun}")
        assert said(plan.realise({1: new})) == text


def test_where_nothing_tells_the_gender_the_sound_is_fixed() -> None:
    plan = planned("it", "l'/DET/Number=Sing/2_ Olivetti/PROPN/-/0")
    assert 1 in plan.fixed
    assert plan.prefix_depends(1)
    assert plan.admits(1, "Ansaldo")
    assert not plan.admits(1, "Fiat")


def test_rules_about_articles_leave_pronouns_alone() -> None:
    """`gli scrive` is no article before impure s; `lo psicologo` is."""
    plan = planned("it", "gli/PRON/Gender=Masc,Number=Sing/2 parla/VERB/-/0")
    assert said(plan.realise({1: "corre"})) == "gli corre"


def test_an_italian_infinitive_loses_its_vowel_before_an_enclitic() -> None:
    plan = planned("it", "veder/VERB/VerbForm=Inf/0 lo/PRON/-/1", {0: "vederlo"})
    assert said(plan.realise({0: "prendere"})) == "prenderlo"
    assert said(plan.realise({0: "porre"})) == "porlo"
    told = planned("it", "di/VERB/VerbForm=Fin/0 mmi/PRON/-/1", {0: "dimmi"})
    assert 0 in told.closed


MASC, FEM = "Gender=Masc,Number=Sing", "Gender=Fem,Number=Sing"


def test_a_french_contraction_that_comes_apart_says_where_its_words_went() -> None:
    words = f"de/ADP/-/3 le/DET/{MASC}/3 chat/NOUN/{MASC}/0 dort/VERB/-/3"
    made = planned("fr", words, {0: "du"}).realise({2: "ami"})
    assert made.tokens == ("de", "l'", "ami", "dort")
    assert made.spaces == ("", " ", "", " ")
    assert made.token_of == (0, 1, 2, 3)
    assert made.forms == ("de", "l'", "ami", "dort")


def test_two_french_words_that_become_one_share_a_place() -> None:
    words = f"de/ADP/-/3 l'/DET/-/3_ ami/NOUN/{MASC}/0 dort/VERB/-/3"
    made = planned("fr", words).realise({2: "chat"})
    assert (made.tokens, made.spaces) == (("du", "chat", "dort"), ("", " ", " "))
    assert made.token_of == (0, 0, 1, 2)


def test_a_french_du_that_is_one_word_of_the_tree_keeps_the_sound_after_it() -> None:
    plan = planned("fr", f"du/DET/{MASC}/2 pain/NOUN/{MASC}/0")
    assert not plan.admits(1, "air")
    assert plan.admits(1, "vin")


def test_german_words_that_stand_apart_stay_apart() -> None:
    plan = planned("de", "in/ADP/-/3 das/DET/-/3 Haus/NOUN/-/0")
    assert said(plan.realise({1: "dem"})) == "in dem Haus"


def test_a_capital_article_is_part_of_a_name_and_does_not_contract() -> None:
    plan = planned("es", "de/ADP/-/3 La/DET/-/3 Haya/PROPN/-/0")
    assert said(plan.realise({1: "El"})) == "de El Haya"


def test_a_spanish_verb_with_an_enclitic_cannot_be_exchanged() -> None:
    plan = planned("es", "transmitiendo/VERB/-/0 se/PRON/-/1", {0: "transmitiéndose"})
    assert 0 in plan.closed
    assert 0 in planned("es", "hacer/VERB/-/0 lo/PRON/-/1", {0: "hacerlo"}).closed


def test_a_hebrew_article_after_a_preposition_is_not_written() -> None:
    plan = planned("he", "ב/ADP/-/2 בית/NOUN/-/0", {0: "בבית"})
    assert said(plan.realise({1: "גן"})) == "בגן"
    hidden = Tree(
        ("ב", "ה_", "בית"), ("",) * 3, ("ADP", "DET", "NOUN"), ("_",) * 3, (2, 2, -1), ("_",) * 3,
        (0, 0, 0),
    )  # fmt: skip
    plan = realiser("he").plan(hidden, ["בבית"], [""])
    assert 2 not in plan.closed
    assert plan.realise({2: "גן"}).tokens == ("בגן",)
    assert not plan.admits(2, "ורד")  # a first vav would be written twice, or not


def test_a_hebrew_noun_with_a_suffix_cannot_be_exchanged() -> None:
    tree = Tree(
        ("מאמר_", "_של_", "_הוא"), ("",) * 3, ("NOUN", "ADP", "PRON"), ("_",) * 3, (-1, 2, 0),
        ("_",) * 3, (0, 0, 0),
    )  # fmt: skip
    plan = realiser("he").plan(tree, ["מאמרו"], [""])
    assert plan.closed == {0, 1, 2}
    with pytest.raises(AssertionError):
        plan.realise({0: "בית"})


@pytest.mark.parametrize(
    ("prefix", "word", "token", "new", "text"),
    [
        ("و", "البيت", "والبيت", "المدرسة", "والمدرسة"),
        ("ب", "البيت", "بالبيت", "المدرسة", "بالمدرسة"),
        ("ل", "البيت", "للبيت", "المدرسة", "للمدرسة"), ("ل", "البيت", "للبيت", "اللغة", "للغة"),
    ],
)  # fmt: skip
def test_arabic_prefixes(prefix: str, word: str, token: str, new: str, text: str) -> None:
    plan = planned("ar", f"{prefix}/ADP/-/2 {word}/NOUN/-/0", {0: token})
    assert plan.admits(1, new)
    assert said(plan.realise({1: new})) == text


def test_the_arabic_article_meets_its_preposition_also_across_tokens() -> None:
    plan = planned("ar", "ل/ADP/-/2_ محمد/PROPN/-/0")
    assert plan.realise({1: "البيت"}).tokens == ("ل", "لبيت")


def test_an_arabic_word_with_a_suffix_or_without_its_article_cannot_be_exchanged() -> None:
    assert 0 in planned("ar", "كتاب/NOUN/-/0_ ه/PRON/-/1").closed
    shortened = planned("ar", "ل/ADP/-/2_ لسلطة/NOUN/Definite=Def/0")
    assert 1 in shortened.closed


FRENCH: list[tuple[str, Joined, Joined, str]] = [
    (f"le/DET/{MASC}/2 chat/NOUN/{MASC}/0", {}, {1: "homme"}, "l'homme"),
    (f"l'/DET/-/2_ homme/NOUN/{MASC}/0", {}, {1: "héros"}, "le héros"),
    (f"l'/DET/-/2_ héroïne/NOUN/{FEM}/0", {}, {1: "haine"}, "la haine"),
    (f"la/DET/{FEM}/2 fille/NOUN/{FEM}/0", {}, {1: "héroïne"}, "l'héroïne"),
    (f"de/ADP/-/3 l'/DET/-/3_ homme/NOUN/{MASC}/0", {}, {2: "héros"}, "du héros"),
    (f"de/ADP/-/3 le/DET/{MASC}/3 chat/NOUN/{MASC}/0", {0: "du"}, {2: "ami"}, "de l'ami"),
    (f"À/ADP/-/3 le/DET/{MASC}/3 chat/NOUN/{MASC}/0", {0: "Au"}, {2: "ami"}, "À l'ami"),
    (f"ce/DET/{MASC}/2 chat/NOUN/{MASC}/0", {}, {1: "homme"}, "cet homme"),
    (f"cet/DET/{MASC}/2 homme/NOUN/{MASC}/0", {}, {1: "hibou"}, "ce hibou"),
    (f"ma/DET/{FEM}/2 fille/NOUN/{FEM}/0", {}, {1: "amie"}, "mon amie"),
    (f"mon/DET/{FEM}/2 amie/NOUN/{FEM}/0", {}, {1: "fille"}, "ma fille"),
    (f"mon/DET/{MASC}/2 ami/NOUN/{MASC}/0", {}, {1: "chat"}, "mon chat"),
    (f"à/ADP/-/3 l'/DET/-/3_ école/NOUN/{FEM}/0", {}, {2: "maison"}, "à la maison"),
    (f"à/ADP/-/3 l'/DET/-/3_ ami/NOUN/{MASC}/0", {}, {2: "marché"}, "au marché"),
    ("que/SCONJ/-/2 tu/PRON/-/0", {}, {1: "il"}, "qu'il"),
    ("d'/ADP/-/2_ un/NUM/-/0", {}, {1: "onze"}, "de onze"),
    ("s'/SCONJ/-/2_ il/PRON/-/0", {}, {1: "elle"}, "si elle"),
    ("si/SCONJ/-/2 elle/PRON/-/0", {}, {1: "il"}, "s'il"),
    ("ne/ADV/-/2 part/VERB/-/0", {}, {1: "arrive"}, "n'arrive"),
    ("c'/PRON/-/2_ est/AUX/-/0", {}, {1: "sont"}, "ce sont"),
    ("il/PRON/-/2 y/PRON/-/3 va/VERB/-/0", {}, {2: "entre"}, "il y entre"),
    (f"un/DET/{MASC}/3 beau/ADJ/{MASC}/3 chat/NOUN/{MASC}/0", {}, {2: "homme"}, "un bel homme"),
    (f"un/DET/{MASC}/3 vieil/ADJ/{MASC}/3 ami/NOUN/{MASC}/0", {}, {2: "chat"}, "un vieux chat"),
    (f"un/DET/{MASC}/3 bon/ADJ/{MASC}/3 ami/NOUN/{MASC}/0", {}, {1: "vieux"}, "un vieil ami"),
    ("de/ADP/-/2 lequel/PRON/-/0", {0: "duquel"}, {1: "laquelle"}, "de laquelle"),
    (f"L'/DET/-/2_ ami/NOUN/{MASC}/0", {}, {1: "chat"}, "Le chat"),
    ("dit/VERB/-/0_ -il/PRON/-/1", {}, {0: "va"}, "va-t-il"),
    ("va/VERB/-/0_ -t-il/PRON/-/1", {}, {0: "dit"}, "dit-il"),
]  # fmt: skip
GERMAN: list[tuple[str, Joined, Joined, str]] = [
    ("in/ADP/-/3 dem/DET/-/3 Haus/NOUN/-/0", {0: "im"}, {1: "den", 2: "Häusern"}, "in den Häusern"),
    ("zu/ADP/-/3 dem/DET/-/3 Haus/NOUN/-/0", {0: "zum"}, {1: "den", 2: "Häusern"},
     "zu den Häusern"),
    ("zu/ADP/-/3 der/DET/-/3 Frau/NOUN/-/0", {0: "Zur"}, {1: "den", 2: "Frauen"}, "Zu den Frauen"),
    ("in/ADP/-/3 dem/DET/-/3 Haus/NOUN/-/0", {0: "im"}, {1: "das"}, "ins Haus"),
    ("zu/ADP/-/3 dem/DET/-/3 Haus/NOUN/-/0", {0: "zum"}, {2: "Garten"}, "zum Garten"),
]  # fmt: skip
SPANISH: list[tuple[str, Joined, Joined, str]] = [
    (f"la/DET/{FEM}/2 casa/NOUN/{FEM}/0", {}, {1: "agua"}, "el agua"),
    (f"el/DET/{MASC}/2 agua/NOUN/{FEM}/0", {}, {1: "casa"}, "la casa"),
    (f"la/DET/{FEM}/3 otra/DET/{FEM}/3 casa/NOUN/{FEM}/0", {}, {2: "agua"}, "la otra agua"),
    ("las/DET/Gender=Fem,Number=Plur/2 casas/NOUN/Gender=Fem,Number=Plur/0", {},
     {1: "aguas"}, "las aguas"),
    (f"esta/DET/{FEM}/2 casa/NOUN/{FEM}/0", {}, {1: "agua"}, "esta agua"),
    (f"la/DET/{FEM}/2 casa/NOUN/{FEM}/0", {}, {1: "harina"}, "la harina"),
    (f"la/DET/{FEM}/2 casa/NOUN/{FEM}/0", {}, {1: "águila"}, "el águila"),
    (f"el/DET/{MASC}/2 perro/NOUN/{MASC}/0", {}, {1: "gato"}, "el gato"),
    (f"de/ADP/-/3 la/DET/{FEM}/3 casa/NOUN/{FEM}/0", {}, {2: "agua"}, "del agua"),
    (f"de/ADP/-/3 el/DET/{MASC}/3 agua/NOUN/{FEM}/0", {0: "del"}, {2: "casa"}, "de la casa"),
    ("padre/NOUN/-/0 y/CCONJ/-/3 madre/NOUN/-/1", {}, {2: "hijo"}, "padre e hijo"),
    ("nieve/NOUN/-/0 y/CCONJ/-/3 agua/NOUN/-/1", {}, {2: "hielo"}, "nieve y hielo"),
    ("padre/NOUN/-/0 e/CCONJ/-/3 hijo/NOUN/-/1", {}, {2: "madre"}, "padre y madre"),
    ("siete/NUM/-/0 o/CCONJ/-/3 nueve/NUM/-/1", {}, {2: "ocho"}, "siete u ocho"),
]  # fmt: skip
PORTUGUESE: list[tuple[str, Joined, Joined, str]] = [
    ("de/ADP/-/3 o/DET/-/3 carro/NOUN/-/0", {0: "do"}, {1: "os", 2: "carros"}, "dos carros"),
    ("a/ADP/-/3 a/DET/-/3 casa/NOUN/-/0", {0: "à"}, {1: "as", 2: "casas"}, "às casas"),
    ("por/ADP/-/3 o/DET/-/3 rio/NOUN/-/0", {0: "pelo"}, {1: "um"}, "por um rio"),
    ("em/ADP/-/3 este/DET/-/3 ano/NOUN/-/0", {0: "neste"}, {1: "aquele"}, "naquele ano"),
]  # fmt: skip
CATALAN: list[tuple[str, Joined, Joined, str]] = [
    (f"el/DET/{MASC}/2 gat/NOUN/{MASC}/0", {}, {1: "home"}, "l'home"),
    (f"la/DET/{FEM}/2 casa/NOUN/{FEM}/0", {}, {1: "universitat"}, "la universitat"),
    (f"la/DET/{FEM}/2 casa/NOUN/{FEM}/0", {}, {1: "illa"}, "l'illa"),
    (f"la/DET/{FEM}/2 casa/NOUN/{FEM}/0", {}, {1: "hora"}, "l'hora"),
    (f"el/DET/{MASC}/2 gat/NOUN/{MASC}/0", {}, {1: "iogurt"}, "el iogurt"),
    (f"de/ADP/-/3 el/DET/{MASC}/3 gat/NOUN/{MASC}/0", {0: "del"}, {2: "home"}, "de l'home"),
    (f"per/ADP/-/3 l'/DET/-/3_ home/NOUN/{MASC}/0", {}, {2: "gat"}, "pel gat"),
    ("de/ADP/-/2 casa/NOUN/-/0", {}, {1: "universitat"}, "d'universitat"),
    ("es/PRON/-/2 mou/VERB/-/0", {}, {1: "obre"}, "s'obre"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "words", "joined", "new", "text"),
    [
        *(("fr", *row) for row in FRENCH), *(("de", *row) for row in GERMAN),
        *(("es", *row) for row in SPANISH), *(("pt", *row) for row in PORTUGUESE),
        *(("ca", *row) for row in CATALAN),
        ("hu", "a/DET/-/2 ház/NOUN/-/0", {}, {1: "alma"}, "az alma"),
        ("hu", "az/DET/-/2 alma/NOUN/-/0", {}, {1: "1998-as"}, "az 1998-as"),
        ("hu", "az/DET/-/2 alma/NOUN/-/0", {}, {1: "15"}, "a 15"),
        ("ru", "в/ADP/-/2 доме/NOUN/-/0", {}, {1: "Франции"}, "во Франции"),
        ("ru", "о/ADP/-/2 доме/NOUN/-/0", {}, {1: "окне"}, "об окне"),
        ("ru", "со/ADP/-/2 стола/NOUN/-/0", {}, {1: "дома"}, "с дома"),
        ("pl", "w/ADP/-/2 domu/NOUN/-/0", {}, {1: "Francji"}, "we Francji"),
        ("pl", "ze/ADP/-/2 stołu/NOUN/-/0", {}, {1: "domu"}, "z domu"),
        ("sl", "s/ADP/-/2 psom/NOUN/-/0", {}, {1: "bratom"}, "z bratom"),
        ("sl", "k/ADP/-/2 bratu/NOUN/-/0", {}, {1: "kralju"}, "h kralju"),
        ("bg", "в/ADP/-/2 града/NOUN/-/0", {}, {1: "Варна"}, "във Варна"),
        ("hr", "s/ADP/-/2 bratom/NOUN/-/0", {}, {1: "sestrom"}, "sa sestrom"),
        ("el", f"την/DET/{FEM}/2 πόλη/NOUN/{FEM}/0", {}, {1: "δράση"}, "την δράση"),
        ("el", f"τη/DET/{FEM}/2 δράση/NOUN/{FEM}/0", {}, {1: "πόλη"}, "την πόλη"),
    ],
)  # fmt: skip
def test_words_beside_a_new_word_take_the_shapes_that_it_asks_for(
    language: str, words: str, joined: Joined, new: Joined, text: str
) -> None:
    assert said(planned(language, words, joined).realise(new)) == text


def test_turkish_particles_follow_the_vowels_before_them() -> None:
    plan = planned("tr", "ev/NOUN/-/0 mi/AUX/-/1")
    texts = [said(plan.realise({0: word})) for word in ("kış", "okul", "göl", "deniz")]
    assert texts == ["kış mı", "okul mu", "göl mü", "deniz mi"]


@pytest.mark.parametrize("language", ["ga", "cy", "br"])
def test_where_words_mutate_the_first_letter_stays(language: str) -> None:
    plan = planned(language, "an/DET/-/2 cat/NOUN/-/0 mor/ADJ/-/2")
    assert plan.fixed[1][1]
    assert plan.fixed[2][1]
    assert plan.admits(2, "mawr")
    assert not plan.admits(2, "bach")


def test_without_a_file_a_word_after_a_function_word_keeps_letter_and_sound() -> None:
    plan = planned("mt", "il/DET/-/2 ktieb/NOUN/-/0 sabiħ/ADJ/-/2")
    assert not realiser("mt").rules.about
    assert 1 in plan.fixed
    assert 2 not in plan.fixed
    assert plan.admits(1, "klieb")
    assert not plan.admits(1, "kelb")  # a vowel comes second
    assert not plan.admits(1, "ftit")
    assert plan.admits(2, "ġdid")


def test_a_script_without_vowels_asks_for_nothing() -> None:
    plan = planned("th", "这/DET/-/2 人/NOUN/-/0")
    assert plan.admits(1, "书")


def test_a_word_is_not_exchanged_for_a_sign() -> None:
    assert not planned("de", "das/DET/-/2 Haus/NOUN/-/0").admits(1, "&")
