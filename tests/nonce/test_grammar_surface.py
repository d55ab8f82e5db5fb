"""Words as they are written, and trees as CoNLL-U holds them."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import conllu
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green import generate
from colorless_green.data.sample import LANGUAGES
from colorless_green.data.sample import grammar as sample_grammar
from colorless_green.nonce import Grammar, derivations, parse_grammar, to_conllu
from tests.builders import few_examples
from tests.nonce.grammars import rows_of, small, texts


@cache
def embedded(language: str) -> Grammar:
    source = sample_grammar(language)
    return parse_grammar(source.read_text(encoding="utf-8"), source.name)


def blocks_of(language: str, n: int, seed: int) -> list[str]:
    """Sentences of an embedded grammar as the command writes them."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.conllu"
        generate(str(sample_grammar(language)), sample=n, seed=seed, out=path)
        return [block + "\n\n" for block in path.read_text("utf-8").split("\n\n")[:-1]]


def italian(nouns: str, template: str, *, capital: bool = False) -> list[str]:
    """Return what the embedded grammar's articles and prepositions look like before other nouns."""
    text = sample_grammar("it").read_text(encoding="utf-8")
    spelling = text[text.index("[sounds]") : text.index("[sentences]")]
    words = text[text.index("[lexicon.Il]") : text.index("[lexicon.Questo]")]
    paradigms = text[text.index("[paradigms]") : text.index("[lexicon]")]
    source = (
        f'name = "x"\nlanguage = "it"\ncapital = {str(capital).lower()}\n'
        '[features]\nGender = ["Masc", "Fem"]\nNumber = ["Sing", "Plur"]\n'
        f'[indices]\nn = "Number"\ng = "Gender"\n{spelling}\n[sentences]\nx = "{template}"\n'
        f"{paradigms}\n[lexicon]\n"
        'Di = { upos = "ADP", entries = ["di"] }\nIn = { upos = "ADP", entries = ["in"] }\n'
        f'Noun = {{ upos = "NOUN", entries = [{nouns}] }}\n{words}'
    )
    return texts(derivations(parse_grammar(source, "x.toml")))


def noun(one: str, more: str, gender: str) -> str:
    return f'{{ lemma = "{one}", Sing = "{one}", Plur = "{more}", Gender = "{gender}" }}'


@pytest.mark.parametrize(
    ("one", "more", "gender", "articles"),
    [  # Italian grammars agree on these; the forms before impure s, z, gn, ps, x, y are the point
        ("sogno", "sogni", "Masc", "il sogno, i sogni, del sogno, dei sogni"),
        ("studente", "studenti", "Masc", "lo studente, gli studenti, dello studente, degli "
         "studenti"),
        ("zaino", "zaini", "Masc", "lo zaino, gli zaini, dello zaino, degli zaini"),
        ("gnomo", "gnomi", "Masc", "lo gnomo, gli gnomi, dello gnomo, degli gnomi"),
        ("amico", "amici", "Masc", "l'amico, gli amici, dell'amico, degli amici"),
        ("amica", "amiche", "Fem", "l'amica, le amiche, dell'amica, delle amiche"),
        ("scuola", "scuole", "Fem", "la scuola, le scuole, della scuola, delle scuole"),
    ],
)  # fmt: skip
def test_italian_articles_and_their_contractions(
    one: str, more: str, gender: str, articles: str
) -> None:
    plain = italian(noun(one, more, gender), "Il[n g]:det Noun[n g]")
    joined = italian(noun(one, more, gender), "Di:case Il[n g]:det Noun[n g]")
    assert ", ".join(plain + joined) == articles


def test_italian_determiners() -> None:
    found = italian(noun("studente", "studenti", "Masc"), "Det[n g]:det Noun[n g]")
    assert [text.split()[0] for text in found] == [
        "uno", "ogni", "questo", "quello", "alcuni", "molti", "questi", "quegli",
    ]  # fmt: skip
    found = italian(noun("amica", "amiche", "Fem"), "Det[n g]:det Noun[n g]")
    assert ", ".join(found[:4]) == "un'amica, ogni amica, quest'amica, quell'amica"


def test_a_contraction_at_the_start_has_the_capital() -> None:
    place = noun("ufficio", "uffici", "Masc")
    found = italian(place, "In:case Il[n g]:det Noun[n g]", capital=True)
    assert found == ["Nell'ufficio", "Negli uffici"]


@pytest.mark.slow
def test_a_contraction_is_a_multiword_token_and_an_elided_word_has_no_blank_after_it() -> None:
    text = "".join(blocks_of("it", 400, 3))
    lines = [line.split("\t") for line in text.split("\n")]
    start = next(n for n, line in enumerate(lines) if line[1:2] == ["dell'"])
    span, first, second = lines[start : start + 3]
    assert span[2:] == ["_"] * 7 + ["SpaceAfter=No"]
    assert span[0] == f"{first[0]}-{second[0]}"
    assert (first[1:4], second[1:4]) == (["di", "di", "ADP"], ["l'", "il", "DET"])
    assert second[5] == "Definite=Def|Number=Sing|PronType=Art"  # no Gender, as in UD's treebanks
    assert first[9] == second[9] == "_"
    alone = next(line for line in lines if line[1:2] == ["L'"])
    assert alone[9] == "SpaceAfter=No"


TOY = """
name = "toy"
language = "en"
[features]
Number = ["Sing", "Plur"]
[indices]
n = "Number"
[sounds.vowel]
starts = "a e i o u"
also = "hour"
never = "unicorn"
[[sandhi]]
form = "a"
before = "vowel"
becomes = "an"
[sentences]
t = "A:det Noun Tall[n]:amod"
[lexicon]
A = { upos = "DET", entries = ["a"] }
Noun = { upos = "NOUN", entries = ["door", "oven", "hour", "unicorn"] }
[lexicon.Tall]
upos = "VERB"
feats = "Tense=Pres|Mood=Ind|abbr=x"
entries = [{ lemma = "be tall", Sing = "is tall", Plur = "are tall", tree = "AUX*:cop ADJ" }]
"""


def test_a_or_an_by_the_sound_that_follows_with_its_exceptions() -> None:
    found = texts(derivations(parse_grammar(TOY, "t.toml")))
    assert [" ".join(each.split()[:2]) for each in found[:4]] == [
        "A door", "An oven", "An hour", "A unicorn",
    ]  # fmt: skip


def test_several_words_that_are_one_choice_have_a_tree_of_their_own() -> None:
    last = list(derivations(parse_grammar(TOY, "t.toml")))[-1]
    assert to_conllu(last, "x").split("\n")[4:6] == [
        "3\tare\tbe\tAUX\t_\tabbr=x|Mood=Ind|Number=Plur|Tense=Pres\t4\tcop\t_\t_",
        "4\ttall\ttall\tADJ\t_\t_\t2\tamod\t_\t_",
    ]


@given(st.sets(st.sampled_from(["abbr", "Case", "Voice", "Number[psor]", "Aspect"])))
def test_feats_are_in_order_regardless_of_case(names: set[str]) -> None:
    feats = "|".join(f"{name}=X" for name in names) or "_"
    lexicon = f'W = {{ upos = "X", feats = "{feats}", entries = [{{ lemma = "w", Plur = "w" }}] }}'
    (only,) = derivations(small('t = "W[Plur]"', lexicon))
    ((*_, found, _, _, _, _),) = rows_of(only)
    shown = [each.partition("=")[0] for each in found.split("|")]
    assert shown == sorted({*names, "Number"}, key=str.lower)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@few_examples
@given(seed=st.integers(0, 9_999))
def test_every_sentence_is_a_tree_whose_tokens_give_its_text(language: str, seed: int) -> None:
    (drawn,) = derivations(embedded(language), n=1, seed=seed)
    block = to_conllu(drawn, "s1")
    (tree,) = conllu.parse(block)  # an independent reader
    words = [token for token in tree if isinstance(token["id"], int)]
    assert [word["id"] for word in words] == list(range(1, len(words) + 1))
    assert [word["head"] for word in words].count(0) == 1
    heads = {word["id"]: word["head"] for word in words}
    for word in words:
        seen, at = set(), word["id"]
        while at:
            assert at not in seen
            seen.add(at)
            at = heads[at]
        assert (word["deprel"] == "root") == (word["head"] == 0)
        names = list(word["feats"] or ())
        assert names == sorted(names, key=str.lower)
    assert rebuilt(tree) == tree.metadata["text"]
    assert tree.metadata["text"][0].isupper()
    assert tree.metadata["text"].endswith(".")


def rebuilt(tree: conllu.TokenList) -> str:
    """Return the text by CoNLL-U's own rules: ranges instead of their words, a blank unless
    SpaceAfter."""
    text, covered = "", 0
    for token in tree:
        number = token["id"]
        if isinstance(number, tuple):
            covered = number[2]
        elif number <= covered:
            continue
        text += token["form"]
        text += "" if (token["misc"] or {}).get("SpaceAfter") == "No" else " "
    return text.rstrip()


def test_the_first_sentence_says_what_made_it() -> None:
    first, second = blocks_of("en", 2, 5)
    assert first.startswith("# grammar = en-sample\n# seed = 5\n# licence = MIT\n# sent_id = ")
    assert second.startswith("# sent_id = en-sample-0002\n# text = ")
