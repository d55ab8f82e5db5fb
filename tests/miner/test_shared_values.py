"""Values that words share for another reason than agreement: of a sentence, a document, a pair of
words. None of these treebanks has agreement, and in none may anything be accepted."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from colorless_green.miner import Construction, MinedTreebank
from tests.builders import relational
from tests.miner.mining import mined

SING, PLUR = VALUES = ("Sing", "Plur")
WHOLE = "L__NOUN__VERB__nsubj"


def sentence(
    subject: str,
    verb: str,
    others: list[str],
    *,
    lemmas: tuple[str, str] = ("thing", "do"),
) -> str:
    """A subject, three words, its verb, and other nouns behind; of these values."""
    noun, action = lemmas
    return relational(
        f"{noun}{subject}/{noun}/NOUN/Number={subject}/5/nsubj",
        *["x/x/ADP/_/5/obl"] * 3,
        f"{action}{verb}/{action}/VERB/Number={verb}/0/root",
        *(f"o{value}/o/NOUN/Number={value}/5/obl" for value in others),
    )


def noisy(value: str, share: float, random: Random) -> str:
    """The value with this probability, else any."""
    return value if random.random() < share else random.choice(VALUES)


def words(random: Random) -> tuple[str, str]:
    """Two lemmas that are rarely seen together."""
    return f"n{random.randrange(300)}", f"v{random.randrange(300)}"


def in_documents(blocks: list[str], n: int) -> Iterator[str]:
    for number, block in enumerate(blocks):
        starts = number * n // len(blocks) != (number - 1) * n // len(blocks)
        yield ("# newdoc\n" if starts else "") + block


def judged(mining: MinedTreebank) -> Construction:
    assert not any(each.accepted for each in mining.constructions)
    return next(each for each in mining.constructions if each.name == WHOLE)


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("plural", [0.2, 0.5])
def test_all_words_of_a_sentence_share_a_value(tmp_path: Path, n: int, plural: float) -> None:
    random = Random(n)
    blocks = []
    for _ in range(n):
        value = PLUR if random.random() < plural else SING
        blocks.append(sentence(value, value, [value, value], lemmas=words(random)))
    found = judged(mined(tmp_path, "tested", *blocks))
    assert (found.verdict, found.p, found.q) == ("undecided", None, None)
    assert found.evidence is not None
    assert found.evidence.n_informative == 0
    assert mined(tmp_path, "tested", *blocks, undecided=True).originals


@pytest.mark.parametrize(
    ("n", "n_documents", "share", "marked"),
    [
        *((n, 4, share, True) for n in (60, 240, 800) for share in (1.0, 0.95)),
        (80, 2, 1.0, True),
        (400, 2, 0.98, True),
        (300, 6, 1.0, True),
        (400, 8, 1.0, False),  # blocks of fifty sentences stand for them
    ],
)
def test_documents_with_a_topic_of_one_number(
    tmp_path: Path, n: int, n_documents: int, share: float, *, marked: bool
) -> None:
    """Subjects and verbs have the value of the topic, each by itself; other nouns any."""
    random = Random(n)
    blocks = []
    for number in range(n):
        topic = VALUES[number * n_documents // n % 2]
        subject, verb = (noisy(topic, share, random) for _ in range(2))
        others = [random.choice(VALUES) for _ in range(3)]
        blocks.append(sentence(subject, verb, others, lemmas=words(random)))
    documents = in_documents(blocks, n_documents) if marked else blocks
    assert judged(mined(tmp_path, "tested", *documents)).verdict != "accepted"


@pytest.mark.parametrize("n", [60, 200])
@pytest.mark.parametrize("n_collocations", [2, 3, 5])
@pytest.mark.parametrize("share", [1.0, 0.8])
def test_a_few_collocations_that_come_again_and_again(
    tmp_path: Path, n: int, n_collocations: int, share: float
) -> None:
    """The other instances, if any, are of words of any value."""
    random = Random(n)
    blocks = []
    for number in range(n):
        which = number % n_collocations
        others = [random.choice(VALUES) for _ in range(3)]
        if random.random() < share:
            value, lemmas = VALUES[which % 2], (f"cow{which}", f"low{which}")
            blocks.append(sentence(value, value, others, lemmas=lemmas))
        else:
            subject, verb = (random.choice(VALUES) for _ in range(2))
            blocks.append(sentence(subject, verb, others, lemmas=words(random)))
    assert judged(mined(tmp_path, "tested", *blocks)).verdict != "accepted"


@pytest.mark.parametrize("n", [60, 200])
def test_one_pair_of_words_is_most_instances(tmp_path: Path, n: int) -> None:
    """The others, a fifth, agree by the same chance as other words do; they are all singular."""
    random = Random(n)
    blocks = []
    for _ in range(n):
        others = [random.choice(VALUES) for _ in range(3)]
        if random.random() < 0.8:
            blocks.append(sentence(PLUR, PLUR, others, lemmas=("people", "say")))
        else:
            blocks.append(sentence(SING, SING, others, lemmas=words(random)))
    assert judged(mined(tmp_path, "tested", *blocks)).verdict != "accepted"


@pytest.mark.parametrize("n", [120, 400])
def test_the_habit_of_one_author(tmp_path: Path, n: int) -> None:
    """In one document of twenty, which has four fifths of all instances, words agree."""
    random = Random(n)
    blocks = []
    for number in range(n):
        others = [random.choice(VALUES) for _ in range(3)]
        subject = random.choice(VALUES)
        verb = subject if number < 0.8 * n else random.choice(VALUES)
        blocks.append(sentence(subject, verb, others, lemmas=words(random)))
    size = max(1, round(0.2 * n / 19))
    documents = (
        ("# newdoc\n" if number == 0 or (number >= 0.8 * n and number % size == 0) else "") + block
        for number, block in enumerate(blocks)
    )
    assert judged(mined(tmp_path, "tested", *documents)).verdict != "accepted"


@pytest.mark.parametrize("n_documents", [2, 4, 20])
def test_real_agreement_is_accepted_in_few_documents_as_in_many(
    tmp_path: Path, n_documents: int
) -> None:
    """Also where one pair of words is a third of it: values vary within documents and pairs."""
    random = Random(n_documents)
    blocks = []
    for number in range(150):
        value = random.choice((SING, SING, PLUR))
        others = [random.choice(VALUES) for _ in range(2)]
        lemmas = words(random) if number % 3 else ("dog", "bark")
        blocks.append(sentence(value, value, others, lemmas=lemmas))
    mining = mined(tmp_path, "tested", *in_documents(blocks, n_documents))
    assert {each.name for each in mining.constructions if each.accepted} == {WHOLE}
