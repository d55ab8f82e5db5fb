"""Doubts about a pair's label: for each flag a pair that has it, and a sound twin."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import colorless_green as cg
from colorless_green.data import Item, Tree, sample
from colorless_green.nonce import (
    AMBIGUOUS,
    FINDINGS,
    FLAGS,
    AmbiguityReason,
    VerbUses,
    flags_of,
)
from tests.nonce.doubtful import Pair, as_rows, pair, tree
from tests.nonce.test_leaks import trees

READ = {"de", "en", "es", "eu", "fi", "fr", "he", "hu", "it", "ru"}
FIN = "VerbForm=Fin"
KEY = "key/key/NOUN/Sing/3/nsubj"
KEYS = "keys/key/NOUN/Plur/3/nsubj"
HERE = "here/here/ADV/_/3/advmod"


def plain(cue: str, verb: str, wrong: str, *readings: str, language: str = "en") -> Pair:
    """Cue, a word, and a verb that the cue is the subject of."""
    return Pair((cue, HERE, verb), 1, 3, wrong, readings, language)


OPENS = f"opens/open/VERB/Sing+{FIN}+Tense=Pres/0/root"
OPEN = f"open/open/VERB/Plur+{FIN}/0/root"
SOUND = plain(KEY, OPENS, "open")

ADJECTIVE = pair(  # squadre di calcio più forti
    "1 5 forte",
    "squadre/squadra/NOUN/Plur+Gender=Fem/0/root di/di/ADP/_/3/case "
    "calcio/calcio/NOUN/Sing+Gender=Masc/1/nmod più/più/ADV/_/5/advmod "
    "forti/forte/ADJ/Plur/1/amod",
)
RELATIVE = pair(  # stranieri, che conoscono
    "1 3 conosce",
    "stranieri/straniero/NOUN/Plur/0/root che/che/PRON/PronType=Rel/3/nsubj "
    f"conoscono/conoscere/VERB/Plur+{FIN}/1/acl:relcl",
)
OBLIQUE = pair(  # posti a cui appartengono (where no subject precedes)
    "1 4 appartiene",
    "posti/posto/NOUN/Plur/0/root a/a/ADP/_/3/case cui/cui/PRON/PronType=Rel/4/obl "
    f"appartengono/appartenere/VERB/Plur+{FIN}/1/acl:relcl",
)
POSSESSOR = replace(OBLIQUE, rows=(*OBLIQUE.rows, "maestri/maestro/NOUN/Plur/4/nsubj"))
COORDINATED = pair(  # she has a car and drives
    "2 5 drive",
    f"she/she/PRON/Sing/2/nsubj has/have/VERB/Sing+{FIN}/0/root car/car/NOUN/Sing/2/obj "
    f"and/and/CCONJ/_/5/cc drives/drive/VERB/Sing+{FIN}/2/conj",
    language="en",
)
UNDER_MODAL = pair(  # make him say that it starts there and goes
    "3 5 go",
    "make/make/VERB/Mood=Imp/0/root it/it/PRON/Sing/3/nsubj "
    f"starts/start/VERB/Sing+{FIN}/1/ccomp and/and/CCONJ/_/5/cc "
    f"goes/go/VERB/Sing+{FIN}/3/conj",
    "go/go/VERB/Mood=Imp",
    language="en",
)
ITALIAN_VERBS = pair(
    "1 4 guidano",
    f"ha/avere/VERB/Sing+{FIN}/0/root casa/casa/NOUN/Sing/1/obj e/e/CCONJ/_/4/cc "
    f"guida/guidare/VERB/Sing+{FIN}/1/conj",
)
HELPED = pair(  # the movement to help her grows
    f"1 5 grow Plur+{FIN}",
    "movement/movement/NOUN/Sing/5/nsubj to/to/PART/_/3/mark "
    "help/help/VERB/VerbForm=Inf/1/acl her/she/PRON/Case=Acc/3/obj "
    f"grows/grow/VERB/Sing+{FIN}/0/root",
    "grow/grow/VERB/VerbForm=Inf",
    language="en",
)
STRANDED = pair(  # the things we listen to have
    "1 5 has",
    "things/thing/NOUN/Plur/5/nsubj we/we/PRON/_/3/nsubj listen/listen/VERB/_/1/acl:relcl "
    f"to/to/ADP/_/3/obl have/have/VERB/Plur+{FIN}/0/root",
    "to/to/PART/_ have/have/VERB/VerbForm=Inf",
    language="en",
)
GERMAN = pair(  # wenn die Luft dünn wird
    f"3 5 werden Plur+{FIN}",
    "wenn/wenn/SCONJ/_/5/mark die/der/DET/Sing+Case=Nom+Gender=Fem/3/det "
    "Luft/Luft/NOUN/Sing+Case=Nom+Gender=Fem/5/nsubj dünn/dünn/ADJ/_/5/xcomp "
    f"wird/werden/VERB/Sing+{FIN}/0/root",
    "werden/werden/VERB/VerbForm=Inf die/der/DET/Sing+Case=Acc+Gender=Fem",
    language="de",
)
GERMAN_OBJECT = pair(  # dass die Luft die Leute trifft
    f"2 4 trafen Plur+{FIN}",
    "dass/dass/SCONJ/_/4/mark Luft/Luft/NOUN/Sing+Case=Nom+Gender=Fem/4/nsubj "
    f"Leute/Leute/NOUN/Plur+Case=Acc/4/obj trifft/treffen/VERB/Sing+{FIN}/0/root",
    "Luft/Luft/NOUN/Sing+Case=Acc+Gender=Fem Leute/Leute/NOUN/Plur+Case=Nom",
    language="de",
)
GERMAN_MASCULINE = replace(
    GERMAN_OBJECT,
    rows=(GERMAN_OBJECT.rows[0], "er/er/PRON/Sing+Case=Nom/4/nsubj", *GERMAN_OBJECT.rows[2:]),
    readings=("ihn/er/PRON/Sing+Case=Acc",),
)
FRONTED = pair(  # die Luft heute trifft
    f"1 3 trafen Plur+{FIN}",
    "Luft/Luft/NOUN/Sing+Case=Nom+Gender=Fem/3/nsubj heute/heute/ADV/_/3/advmod "
    f"trifft/treffen/VERB/Sing+{FIN}/0/root",
    "Luft/Luft/NOUN/Sing+Case=Acc+Gender=Fem",
    language="de",
)
FRONTED_MASCULINE = replace(
    FRONTED,
    rows=("Bär/Bär/NOUN/Sing+Case=Nom+Gender=Masc/3/nsubj", *FRONTED.rows[1:]),
    readings=("Bären/Bär/NOUN/Sing+Case=Acc+Gender=Masc",),
)
INVERTED = pair(  # arrivano … maestri
    "1 3 maestro",
    f"arrivano/arrivare/VERB/Plur+{FIN}/0/root oggi/oggi/ADV/_/1/advmod "
    "maestri/maestro/NOUN/Plur/1/nsubj",
)
INVERTED_WITH_ARTICLE = Pair(
    (
        *INVERTED.rows[:2],
        "i/il/DET/Plur/4/det",
        "maestri/maestro/NOUN/Plur/1/nsubj",
    ),
    1,
    4,
    "maestro",
)
COPULA = pair(  # il problema oggi è
    "1 3 sono",
    "problema/problema/NOUN/Sing/4/nsubj oggi/oggi/ADV/_/4/advmod "
    f"è/essere/AUX/Sing+{FIN}/4/cop grave/grave/ADJ/Sing/0/root",
)
PREDICATE = pair(  # sono oggi problemi
    "1 3 problema",
    f"sono/essere/AUX/Plur+{FIN}/3/cop oggi/oggi/ADV/_/3/advmod problemi/problema/NOUN/Plur/0/root",
)
PREDICATE_WITH_ARTICLE = pair(
    "1 4 problema",
    f"sono/essere/AUX/Plur+{FIN}/4/cop oggi/oggi/ADV/_/4/advmod i/il/DET/Plur/4/det "
    "problemi/problema/NOUN/Plur/0/root",
)
ALONE = pair(  # la donna ha pensato
    "1 3 pensati",
    f"uomo/uomo/NOUN/Sing/3/nsubj ha/avere/AUX/Sing+{FIN}/3/aux "
    "pensato/pensare/VERB/Sing+VerbForm=Part/0/root",
)
QUANTITY = pair(
    "1 4 sing",
    "number/number/NOUN/Sing/4/nsubj of/of/ADP/_/3/case people/people/NOUN/Plur/1/nmod "
    f"sings/sing/VERB/Sing+{FIN}/0/root",
    language="en",
)
JOINED = pair(  # the nearness of the school and the home helps
    "2 9 help",
    "the/the/DET/_/2/det nearness/nearness/NOUN/Sing/9/nsubj of/of/ADP/_/5/case "
    "the/the/DET/_/5/det school/school/NOUN/Sing/2/nmod and/and/CCONJ/_/8/cc "
    f"the/the/DET/_/8/det home/home/NOUN/Sing/5/conj helps/help/VERB/Sing+{FIN}/0/root",
    language="en",
)
OBLIQUE_CUE = pair(  # in caso di parità si avrà
    "2 3 avranno",
    f"in/in/ADP/_/2/case caso/caso/NOUN/Sing/3/obl avrà/avere/VERB/Sing+{FIN}/0/root",
)
OTHER_WORD = pair(  # if you have questions or need
    "1 4 needs",
    f"have/have/VERB/Plur+{FIN}/0/root questions/question/NOUN/Plur/1/obj "
    f"or/or/CCONJ/_/4/cc need/need/VERB/Plur+{FIN}/1/conj",
    "needs/need/NOUN/Plur",
    language="en",
)
MISMATCHED = pair(  # milicias dedicados
    "1 3 dedicado",
    "milicias/milicia/NOUN/Plur+Gender=Fem/0/root hoy/hoy/ADV/_/3/advmod "
    "dedicados/dedicar/VERB/Plur+Gender=Masc+VerbForm=Part/1/acl",
    language="es",
)


PERSONS = plain(  # chiave … apre, aprite
    "chiave/chiave/NOUN/Sing/3/nsubj", f"apre/aprire/VERB/Sing+Person=3+{FIN}/0/root",
    f"aprite Plur+Person=2+{FIN}", language="it",
)  # fmt: skip
COMPANY = pair(  # музыкант с переводчиком был
    "1 4 были",
    "музыкант/музыкант/NOUN/Sing+Case=Nom/4/nsubj с/с/ADP/_/3/case "
    "переводчиком/переводчик/NOUN/Sing+Case=Ins/1/nmod "
    f"был/быть/VERB/Sing+{FIN}/0/root",
    language="ru",
)
ALONE_BEFORE = pair(  # інших, залучених до школи переходів
    "1 4 переходу Sing+Case=Gen",
    "інших/інший/DET/Plur+Case=Gen/4/det до/до/ADP/_/3/case школи/школа/NOUN/Sing+Case=Gen/4/obl "
    "переходів/перехід/NOUN/Plur+Case=Gen/0/root",
    language="uk",
)
MAY = pair(  # οι φίλοι μπορεί να
    f"1 2 μπορεί Sing+{FIN}",
    f"φίλοι/φίλος/NOUN/Plur+Case=Nom/2/nsubj μπορούν/μπορώ/VERB/Plur+{FIN}/0/root "
    f"να/να/AUX/_/4/aux πουν/λέγω/VERB/Plur+{FIN}/2/ccomp",
    language="el",
)
TITLED = pair(  # il film "Uomini soli" piace
    "1 6 piacciono",
    'film/film/NOUN/Sing/6/nsubj "/"/PUNCT/_/3/punct Uomini/uomo/NOUN/Plur/1/appos '
    f'soli/solo/ADJ/Plur/3/amod "/"/PUNCT/_/3/punct piace/piacere/VERB/Sing+{FIN}/0/root',
)
TWICE = pair(  # the the key opens
    "3 4 open",
    f"the/the/DET/_/3/det the/the/DET/_/3/det key/key/NOUN/Sing/4/nsubj {OPENS}",
    language="en",
)
MISSPELT = Pair(  # key opens enviroment
    (KEY, HERE, OPENS, "enviroment/enviroment/NOUN/Sing/3/obj"), 1, 3, "open",
    ("environment/environment/NOUN/Sing",), "en", rare=4,
)  # fmt: skip
CAPITAL = Pair(
    (KEY, "Here/here/ADV/_/3/advmod", OPENS), 1, 3, "open", ("here/here/ADV/_/90",), "en", rare=2
)

BASQUE = pair(  # Mikelek ikusi zuen, zuten
    "1 3 zuten",
    f"Mikelek/Mikel/PROPN/Sing/2/nsubj ikusi/ikusi/VERB/_/0/root zuen/edun/AUX/Sing+{FIN}/2/aux",
    language="eu",
)
THAT_HAS = f"duela/edun/AUX/Sing+{FIN}/2/aux"

CASES: dict[str, tuple[Pair, Pair]] = {
    "equal_forms": (plain(KEY, OPENS, "Opens"), SOUND),
    "ambiguous_cue": (plain(KEYS, OPEN, "opens", "keys/key/NOUN/Sing"),
                      plain(KEYS, OPEN, "opens", "keys/lock/NOUN/Sing")),
    "ambiguous_target": (
        plain(KEY, OPENS, "open", f"open/open/VERB/Sing+{FIN}+Tense=Pres+Person=3"),
        plain(KEY, OPENS, "open", f"open/open/VERB/Sing+{FIN}+Tense=Pres+Person=1"),
    ),
    "other_tense": (
        plain(KEY, f"costs/cost/VERB/Sing+{FIN}+Tense=Pres/0/root",
              f"cost Plur+{FIN}+Tense=Pres", f"cost/cost/VERB/{FIN}+Tense=Past"),
        plain(KEY, OPENS, "open", f"opened/open/VERB/{FIN}+Tense=Past"),
    ),
    "unmarked": (
        plain(KEY, f"bore/bear/VERB/Sing+{FIN}+Tense=Past/0/root", f"bores Plur+{FIN}+Tense=Past/2",
              f"ran/run/VERB/Sing+{FIN}+Tense=Past", f"ran/run/VERB/Plur+{FIN}+Tense=Past"),
        plain(KEY, f"bore/bear/VERB/Sing+{FIN}+Tense=Past/0/root", f"bores Plur+{FIN}+Tense=Past/2",
              f"ran/run/VERB/Sing+{FIN}+Tense=Past", f"rans/run/VERB/Plur+{FIN}+Tense=Past"),
    ),
    "person_too": (PERSONS, replace(PERSONS, wrong=f"aprono Plur+Person=3+{FIN}")),
    "other_marking": (
        replace(BASQUE, rows=(*BASQUE.rows[:2], THAT_HAS), wrong="dute"),
        replace(BASQUE, rows=(*BASQUE.rows[:2], THAT_HAS), wrong="dutela"),
    ),
    "other_word": (OTHER_WORD, replace(OTHER_WORD, readings=())),
    "other_noun": (ADJECTIVE, replace(ADJECTIVE, rows=(
        *ADJECTIVE.rows[:2], "calci/calcio/NOUN/Plur+Gender=Masc/1/nmod", *ADJECTIVE.rows[3:]))),
    "object_relative": (RELATIVE, replace(RELATIVE, language="en")),
    "other_genitive": (ALONE_BEFORE, replace(ALONE_BEFORE, wrong="переходу Sing+Case=Nom")),
    "impersonal": (MAY, replace(MAY, language="it")),
    "infinitive_before": (UNDER_MODAL, COORDINATED),
    "unspoken_subject": (ITALIAN_VERBS, replace(ITALIAN_VERBS, language="fr")),
    "relative_form": (BASQUE, replace(BASQUE, language="it")),
    "infinitive_marker": (STRANDED, replace(STRANDED, readings=())),
    "later_auxiliary": (GERMAN, replace(GERMAN, readings=(), wrong=f"werdet Plur+{FIN}")),
    "nearer_subject": (GERMAN_OBJECT, GERMAN_MASCULINE),
    "object_first": (FRONTED, FRONTED_MASCULINE),
    "subject_follows": (INVERTED, INVERTED_WITH_ARTICLE),
    "copula_of_predicate": (COPULA, replace(COPULA, language="fr")),
    "predicate_noun": (PREDICATE, PREDICATE_WITH_ARTICLE),
    "participle_alone": (ALONE, replace(ALONE, rows=(
        ALONE.rows[0], f"è/essere/AUX/Sing+{FIN}/3/aux", ALONE.rows[2]))),
    "quantity": (QUANTITY, replace(QUANTITY, rows=(
        "key/key/NOUN/Sing/4/nsubj", *QUANTITY.rows[1:]))),
    "coordinated_cue": (JOINED, replace(JOINED, rows=(
        *JOINED.rows[:6], "small/small/ADJ/_/8/amod", *JOINED.rows[7:]))),
    "company": (COMPANY, replace(COMPANY, rows=(
        *COMPANY.rows[:2], "горы/гора/NOUN/Sing+Case=Gen/1/nmod", COMPANY.rows[3]))),
    "unrelated": (OBLIQUE_CUE, replace(OBLIQUE_CUE, rows=(
        OBLIQUE_CUE.rows[0], "caso/caso/NOUN/Sing/3/nsubj", OBLIQUE_CUE.rows[2]))),
    "quoted_title": (TITLED, replace(TITLED, rows=(
        *TITLED.rows[:2], "uomini/uomo/NOUN/Plur/1/appos", *TITLED.rows[3:]))),
    "fragment": (MISMATCHED, SOUND),
    "unbalanced": (replace(SOUND, rows=(*SOUND.rows, "(/(/PUNCT/_/3/punct")),
                   replace(SOUND, rows=(*SOUND.rows, "b/b/X/_/3/dep", ")/)/PUNCT/_/3/punct"))),
    "contradiction": (MISMATCHED, replace(MISMATCHED, rows=(
        *MISMATCHED.rows[:2], "dedicadas/dedicar/VERB/Plur+Gender=Fem+VerbForm=Part/1/acl"),
        wrong="dedicada")),
    "doubled_word": (TWICE, replace(TWICE, rows=(
        TWICE.rows[0], "that/that/DET/PronType=Dem/3/det:predet", *TWICE.rows[2:]))),
    "pronoun_cue": (plain(KEY.replace("NOUN", "PRON"), OPENS, "open"), SOUND),
    "likely_typo": (MISSPELT, replace(MISSPELT, language="fr")),
    "odd_capital": (CAPITAL, replace(CAPITAL, rows=(KEY, HERE, OPENS))),
}  # fmt: skip


def flags(pair: Pair) -> set[str]:
    return {each.flag for each in pair.doubts()}


def test_there_is_a_case_for_every_flag() -> None:
    assert list(CASES) == list(FLAGS)


@pytest.mark.parametrize("flag", CASES)
def test_a_flag_is_raised_for_what_it_is_named_for_and_not_for_its_sound_twin(flag: str) -> None:
    doubtful, sound = CASES[flag]
    assert flag in flags(doubtful)
    assert flag not in flags(sound)


@pytest.mark.parametrize("flag", CASES)
def test_a_reason_names_a_word_of_the_sentence_or_a_form(flag: str) -> None:
    pair = CASES[flag][0]
    reason = next(each.reason for each in pair.doubts() if each.flag == flag)
    told = {*pair.tree.forms, pair.wrong.partition(" ")[0], "sentence", "Sing"}
    assert told & set(reason.replace(",", " ").split())


THESE_KEYS = ("these/this/DET/Plur/2/det", "keys/key/NOUN/Plur/4/nsubj", "here/here/ADV/_/4/advmod",
              f"open/open/VERB/Plur+{FIN}/0/root")  # fmt: skip
SMALL_HOME = (*JOINED.rows[:6], "small/small/ADJ/_/8/amod", *JOINED.rows[7:])
SHOWN = tuple(f"{stem}ace/{stem}ace/NOUN/{value}+Case=Nom+Gender=Fem"
              for stem in ("organiz", "inform", "oper") for value in ("Sing", "Plur"))  # fmt: skip
TWO_VERBS = pair(
    "1 4 играли",
    f"мать/мать/NOUN/Sing/2/nsubj пела/петь/VERB/Sing+{FIN}/0/root и/и/CCONJ/_/4/cc "
    f"играла/играть/VERB/Sing+{FIN}/2/conj",
    language="ru",
)
FAR = pair(
    "1 3 geldik",
    f"ben/ben/PRON/Sing+Person=1/3/nsubj köye/köy/NOUN/Sing/3/obl "
    f"geldim/gel/VERB/Sing+Person=1+{FIN}/0/root",
    language="tr",
)
DECIDED = Pair((
    "haizeak/haize/NOUN/Case=Erg/2/nsubj", "erabaki/erabaki/VERB/_/0/root",
    f"zuen/edun/AUX/Sing+{FIN}/2/aux", "emaitza/emaitza/NOUN/Sing/2/obj",
), 3, 4, "emaitzak", language="eu")  # fmt: skip
MANY = ("музыканты/музыкант/NOUN/Plur+Case=Nom/4/nsubj", *COMPANY.rows[1:3],
        f"были/быть/VERB/Plur+{FIN}/0/root")  # fmt: skip
THIRD, FIRST = f"Plur+Person=3+{FIN}", f"Plur+Person=1+{FIN}"
WE = plain(KEYS, f"λαμβάνουμε/λαμβάνω/VERB/{THIRD}/0/root", f"λαμβάνει Sing+Person=3+{FIN}",
           f"λαμβάνουμε/λαμβάνω/VERB/{FIRST}", *(
               f"{stem}{end}/{stem}ω/VERB/{feats}" for stem in ("μέν", "βλέπ")
               for end, feats in (("ουν", THIRD), ("ουμε", FIRST))), language="el")  # fmt: skip
WHICH_FORM = pair(
    "1 3 αφορούν",
    "μορφή/μορφή/NOUN/Sing+Gender=Fem/0/root "
    "οποίος/οποίος/PRON/Sing+Gender=Masc+PronType=Rel/3/nsubj "
    f"αφορά/αφορώ/VERB/Sing+{FIN}/1/acl:relcl",
    language="el",
)
SLIP = Pair(
    ("mit/ich/PRON/Case=Dat/4/obl", "key/key/NOUN/Sing/4/nsubj", HERE.replace("3", "4"), OPENS),
    2, 4, "open", ("mit/mit/ADP/_/60", "mir/ich/PRON/Case=Dat/60"), "de", rare=1,
)  # fmt: skip
THIS_FIRM = pair(
    "3 4 gehen",
    "der/der/DET/Definite=Def+PronType=Art/3/det dieser/dieser/DET/PronType=Dem/3/det "
    f"Firma/Firma/NOUN/Sing/4/nsubj geht/gehen/VERB/Sing+{FIN}/0/root",
    language="de",
)
AGAIN = pair(
    "1 4 opens",
    f"keys/key/NOUN/Plur/4/nsubj open/open/VERB/Plur+{FIN}/4/reparandum ,/,/PUNCT/_/2/punct "
    f"open/open/VERB/Plur+{FIN}/0/root",
)


def whose(noun: str) -> Pair:
    """NOUN, die gehen"""
    rows = (noun, "die/der/PRON/Plur+PronType=Rel/3/nsubj",
            f"gehen/gehen/VERB/Plur+{FIN}/1/acl:relcl")  # fmt: skip
    return Pair(rows, 2, 3, "geht", ("die/der/PRON/Sing+PronType=Rel+Gender=Fem",), "de")


def came_and_slept(gender: str) -> Pair:
    return pair(
        "1 3 спали",
        f"пришёл/прийти/VERB/Sing+{FIN}+Gender=Masc/0/root и/и/CCONJ/_/3/cc "
        f"спал/спать/VERB/Sing+{FIN}+Gender={gender}/1/conj",
        language="ru",
    )


def situation(*readings: str) -> Pair:
    cue = "situace/situace/NOUN/Sing+Case=Nom+Gender=Fem/3/nsubj"
    return plain(cue, OPENS, "open", *readings, language="cs")


def ended(*rows: str) -> Pair:
    """Return the sound pair with more words behind it."""
    return replace(SOUND, rows=(*SOUND.rows, *rows))


MARK = '"/"/PUNCT/_/3/punct'
MORE: tuple[tuple[str, Sequence[Pair], Sequence[Pair]], ...] = (  # flag: pairs with it, without it
    # a determiner tells
    ("ambiguous_cue", (), (
        replace(CASES["ambiguous_cue"][0], rows=THESE_KEYS, cue=2, target=4),)),
    # a relative pronoun is as ambiguous as the nouns before it: *Frau, die gehen*
    ("ambiguous_cue", (whose("Frau/Frau/NOUN/Sing+Gender=Fem/0/root"),), (
        whose("Frauen/Frau/NOUN/Plur/0/root"), whose("Mann/Mann/NOUN/Sing+Gender=Masc/0/root"))),
    # Czech *situace*: the treebank need not show its plural, most of its class are alike
    ("ambiguous_cue", (situation(*SHOWN),), (
        situation(*SHOWN[:4]), situation(*SHOWN, "situací/situace/NOUN/Plur+Case=Nom"))),
    # Spanish *la carta del poeta y escritor*: a bare singular is not joined with *la carta*
    ("coordinated_cue", (
        replace(JOINED, rows=(*SMALL_HOME[:7], "homes/home/NOUN/Plur/5/conj", SMALL_HOME[8])),), (
        replace(JOINED, rows=SMALL_HOME),)),
    # case is judged by the class where the treebank shows one case of a word only
    ("object_first", (replace(FRONTED, readings=(
        "Not/Not/NOUN/Sing+Case=Nom+Gender=Fem", "Not/Not/NOUN/Sing+Case=Acc+Gender=Fem")),), (
        replace(FRONTED, readings=(
            "Tat/Tat/NOUN/Sing+Case=Nom+Gender=Fem", "Tatn/Tat/NOUN/Sing+Case=Acc+Gender=Fem")),)),
    # *grow* is not shown as an infinitive, but *help* is, and has the spelling of its plural
    ("infinitive_before", (replace(HELPED, readings=(f"help/help/VERB/Plur+{FIN}",)),), (
        replace(HELPED, readings=(f"helps/help/VERB/Plur+{FIN}",)),)),
    # quotation marks come in pairs; one inside a word needs no partner
    ("unbalanced", (ended(MARK), ended(MARK, MARK, MARK)), (
        SOUND, ended(MARK, MARK), ended('ארה"ב/ארה"ב/PROPN/_/3/obl'))),
    ("contradiction", (came_and_slept("Fem"),), (came_and_slept("Masc"),)),
    # Greek *μορφή … ο οποίος*, hung on the wrong noun
    ("contradiction", (WHICH_FORM,), (replace(WHICH_FORM, rows=(
        WHICH_FORM.rows[0].replace("Fem", "Masc"), *WHICH_FORM.rows[1:])),)),
    ("likely_typo", (ended("teh/the/DET/Typo=Yes/3/dep"),), ()),
    # German *Mit scheint* for *Mir scheint*
    ("likely_typo", (SLIP,), (replace(SLIP, rare=0),)),
    # English *stand*, annotated as of the first person, is the third's plural, too
    ("person_too", (), (replace(PERSONS, readings=(
        f"walk/walk/VERB/Plur+Person=3+{FIN}", f"walk/walk/VERB/Plur+Person=2+{FIN}")),)),
    # Greek *λαμβάνουμε* "we take", annotated as "they take" now and then
    ("person_too", (WE,), (
        replace(WE, readings=(
            WE.readings[0], *(each.replace("ουμε/", "ουν/") for each in WE.readings[1:]))),
        replace(WE, readings=WE.readings[1:]))),
    # Russian *мать пела и играли дети*: not where every verb has its subject in sight
    ("unspoken_subject", (TWO_VERBS,), (
        replace(TWO_VERBS, language="en"), replace(TWO_VERBS, cue=1, target=2, wrong="пели"))),
    # a pronoun may be the cue where subjects may be unspoken and a noun intervenes
    ("pronoun_cue", (replace(FAR, language="de"), replace(FAR, rows=(
        FAR.rows[0], "burada/burada/ADV/_/3/advmod", FAR.rows[2]))), (FAR,)),
    # Basque *haizeak erabaki zuen emaitza*: "the result that the wind decided"
    ("relative_form", (DECIDED,), (replace(DECIDED, rows=(
        *DECIDED.rows[:2], f"du/edun/AUX/Sing+{FIN}/2/aux", DECIDED.rows[3])),)),
    # Ukrainian *з* is no Russian adposition, and a plural has nothing to gain
    ("company", (COMPANY,), (
        *(replace(COMPANY, language=language) for language in ("uk", "it", "en")),
        replace(COMPANY, rows=MANY, wrong="был"))),
    # German *zur dieser Firma*
    ("doubled_word", (THIS_FIRM,), (replace(THIS_FIRM, language="es"),)),
    # English *the keys in the door open, open*
    ("doubled_word", (AGAIN,), (replace(AGAIN, rows=(
        AGAIN.rows[0], f"close/close/VERB/Plur+{FIN}/4/reparandum", *AGAIN.rows[2:])),)),
)  # fmt: skip


@pytest.mark.parametrize(("flag", "doubtful", "sound"), MORE)
def test_a_flag_is_raised_where_it_should_be_and_nowhere_else(
    flag: str, doubtful: Sequence[Pair], sound: Sequence[Pair]
) -> None:
    assert [flag in flags(each) for each in doubtful] == [True] * len(doubtful)
    assert [flag in flags(each) for each in sound] == [False] * len(sound)


def test_an_ordinary_pair_has_no_doubts() -> None:
    assert SOUND.doubts() == ()
    assert COORDINATED.doubts() == ()


def test_gender_speaks_against_another_noun() -> None:
    rows = (
        *ADJECTIVE.rows[:3],
        "più/più/ADV/_/5/advmod",
        "nuove/nuovo/ADJ/Plur+Gender=Fem/1/amod",
    )
    assert flags(replace(ADJECTIVE, rows=rows, wrong="nuova Sing+Gender=Fem")) == {"fragment"}
    assert "other_noun" in flags(replace(ADJECTIVE, rows=rows, wrong="nuovo Sing"))


def test_an_auxiliary_that_tells_settles_what_other_words_could_license() -> None:
    """Italian *il problema è stato/stati*: after the singular copula no plural can follow."""
    rows = as_rows(
        f"problema/problema/NOUN/Sing/4/nsubj è/essere/AUX/Sing+{FIN}/4/aux "
        "stato/essere/AUX/Sing+VerbForm=Part/4/cop grave/grave/ADJ/Sing/0/root"
    )
    assert replace(COPULA, rows=rows, target=3, wrong="stati").doubts() == ()


def test_neuter_plurals_of_ancient_greek_may_have_singular_verbs() -> None:
    """*τὰ παιδία τρέχει*, too."""
    rows = (
        "παιδία/παιδίον/NOUN/Plur+Gender=Neut/2/nsubj",
        f"τρέχουσι/τρέχω/VERB/Plur+{FIN}/0/root",
    )
    own = Pair(rows, 1, 2, "τρέχει", (), "grc")
    assert "quantity" in flags(own)
    assert "quantity" not in flags(replace(own, language="el"))
    assert "quantity" not in flags(replace(own, rows=(rows[0].replace("Neut", "Masc"), rows[1])))


def test_a_past_that_the_treebank_lacks_is_known_in_english() -> None:
    """*The tour let* is past; *the keys lets* is wrong in any tense."""
    lets, let = (f"{form}/let/VERB/{number}+{FIN}+Tense=Pres/0/root"
                 for form, number in (("lets", "Sing"), ("let", "Plur")))  # fmt: skip
    assert "other_tense" in flags(plain(KEY, lets, "let"))
    assert "other_tense" not in flags(plain(KEYS, let, "lets"))
    assert "other_tense" not in flags(plain(KEY, lets, "let", language="da"))


def test_a_subject_behind_the_verb_of_a_relative_clause_is_named() -> None:
    reasons = {each.flag: each.reason for each in POSSESSOR.doubts()}
    assert "maestri" in reasons["subject_follows"]


def test_marks_are_sorted_and_name_the_family() -> None:
    assert flags_of(ADJECTIVE.doubts()) == (AMBIGUOUS, "fragment", "other_noun")
    assert flags_of(CASES["other_tense"][0].doubts()) == ("other_tense",)
    assert flags_of(()) == ()


def test_what_the_rest_of_the_sentence_settles_is_part_of_the_family() -> None:
    assert all(
        flags_of([AmbiguityReason(name, "")]) == (AMBIGUOUS, name)
        for name, each in FLAGS.items()
        if each.settled_later
    )
    assert AMBIGUOUS not in FLAGS


def test_every_finding_says_what_it_means_and_where_it_was_read() -> None:
    for name, finding in FINDINGS.items():
        assert finding.name == name
        assert finding.family in {"form", "parse", "fault", "leak", "note"}
        assert finding.meaning
        assert set(finding.languages.split()) <= READ
    assert FLAGS.keys() == {
        name for name, each in FINDINGS.items() if each.family not in ("leak", "note")
    }


def test_a_region_of_the_language_does_not_matter() -> None:
    assert flags(replace(COPULA, language="it-CH")) == flags(COPULA)


@given(trees(), st.data())
def test_doubts_depend_on_the_pair_and_the_lexicon_alone(own: Tree, data: st.DataObject) -> None:
    """Any tree has an answer, the same with paradigms made anew, and in the order of the table."""
    cue = data.draw(st.integers(0, len(own) - 2))
    target = data.draw(st.integers(cue + 1, len(own) - 1))
    rows = tuple(
        f"{form}/{form}/{upos}/{feats.replace('|', '+')}/{head + 1}/{deprel}"
        for form, upos, feats, head, deprel in zip(
            own.forms, own.upos, own.feats, own.heads, own.deprels, strict=True
        )
    )
    pair = Pair(rows, cue + 1, target + 1, "wrong Plur", language="de")
    found = pair.doubts()
    assert pair.doubts() == found
    names = [each.flag for each in found]
    assert names == [flag for flag in FLAGS if flag in names]


@pytest.mark.slow
def test_flags_depend_on_the_original_and_the_treebank_not_on_other_items() -> None:
    mined = cg.mine(str(sample.treebank("it")), language="it").originals

    def told(items: Sequence[Item]) -> dict[str, tuple[str, ...]]:
        made = cg.make_nonce(
            replace(mined, items=tuple(items)), recipe=cg.Recipe(n=1, exclude=("none",))
        )
        return {
            each.item_id: tuple(flag for flag in each.agreement.flags if flag in FLAGS)
            for each in made.items
            if each.kind == "original" and each.agreement is not None
        }

    whole = told(mined.items)
    assert any(whole.values())
    for chosen in (slice(None, None, -1), slice(None, None, 3)):
        part = told(mined.items[chosen])
        assert part
        assert part.items() <= whole.items()


@pytest.mark.slow
def test_every_flag_that_items_of_a_sample_have_is_told() -> None:
    mining = cg.mine(str(sample.treebank("it")))
    made = cg.make_nonce(mining, recipe=cg.Recipe(n=2, exclude=("none",)))
    found = {flag for each in made.items if each.agreement for flag in each.agreement.flags}
    assert {"kept_target", "same_sentence", AMBIGUOUS} <= found <= FINDINGS.keys()


WHICH = pair(  # роботи, які читають: *які* may be the object
    f"1 3 читає Sing+{FIN}",
    "роботи/робота/NOUN/Plur+Case=Nom/0/root "
    "які/який/PRON/Plur+Case=Nom+PronType=Rel/3/nsubj "
    f"читають/читати/VERB/Plur+{FIN}/1/acl:relcl",
    "які/який/PRON/Plur+Case=Acc+PronType=Rel",
    language="uk",
)


@pytest.mark.parametrize("relation", ["obj", "obl"])
def test_a_relative_word_that_shows_the_value_may_be_an_object(relation: str) -> None:
    """Where the verb takes objects, as the treebank shows, or does not say."""
    assert "object_relative" in flags(WHICH)
    uses = VerbUses()
    reads = f"читають/читати/VERB/Plur+{FIN}/0/root"
    for _ in range(3):
        uses.observe(tree(reads, f"книгу/книга/NOUN/Sing+Case=Acc/1/{relation}"))
    assert ("object_relative" in flags(replace(WHICH, verbs=uses))) == (relation == "obj")
    uses.observe(tree(reads, "з/з/ADP/_/3/case", "книгою/книга/NOUN/Sing+Case=Ins/1/obj"))
    assert ("object_relative" in flags(replace(WHICH, verbs=uses))) == (relation == "obj")


def test_a_form_that_stands_with_clauses_and_without_a_subject_is_impersonal() -> None:
    """Italian *bisogna*; not a verb whose subject is mostly spoken."""
    them = pair(
        f"1 2 bisogna Sing+{FIN}",
        f"amici/amico/NOUN/Plur/2/nsubj bisognano/bisognare/VERB/Plur+{FIN}/0/root",
    )
    bare, spoken = VerbUses(), VerbUses()
    rows = (f"bisogna/bisognare/VERB/Sing+{FIN}/0/root", "dire/dire/VERB/VerbForm=Inf/1/csubj")
    for _ in range(5):
        bare.observe(tree(*rows))
        spoken.observe(tree(*rows, "amico/amico/NOUN/Sing/1/nsubj"))
    assert "impersonal" in flags(replace(them, verbs=bare))
    assert "impersonal" not in flags(replace(them, verbs=spoken))
    assert "impersonal" not in flags(them)


def test_an_infinitive_may_have_an_object_that_stands_before_its_verb() -> None:
    from colorless_green.data import Tree
    from colorless_green.nonce import VerbUses

    uses = VerbUses()
    rows = ("she", "PRON", "_"), ("can", "VERB", "VerbForm=Fin"), ("sing", "VERB", "VerbForm=Inf")
    forms, upos, feats = zip(*rows, strict=True)
    for _ in range(5):
        uses.observe(Tree(forms, forms, upos, feats, heads=(1, -1, 1),
                          deprels=("nsubj", "root", "xcomp"), tokens=(0, 1, 2)))  # fmt: skip
    assert uses.may_take_object("can")
    assert not uses.may_take_object("sing")
