"""Values that words share for another reason than agreement: of a sentence, a document, a pair of
words. None of these treebanks has agreement, and in none may anything be accepted."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import pytest

from colorless_green.miner import Construction
from tests.builders import relational
from tests.miner.mining import accepted, mined

SING, PLUR = VALUES = ("Sing", "Plur")
WHOLE = "L__NOUN__VERB__nsubj"


def sentence(
    subject: str,
    verb: str,
    others: list[str],
    *,
    lemmas: tuple[str, str] = ("thing", "do"),
) -> str:
    """Return a subject, three words, its verb, and other nouns behind; of these values."""
    noun, action = lemmas
    return relational(
        f"{noun}{subject}/{noun}/NOUN/Number={subject}/5/nsubj",
        *["x/x/ADP/_/5/obl"] * 3,
        f"{action}{verb}/{action}/VERB/Number={verb}/0/root",
        *(f"o{value}/o/NOUN/Number={value}/5/obl" for value in others),
    )


def noisy(value: str, share: float, random: Random) -> str:
    """Return the value with this probability, else any."""
    return value if random.random() < share else random.choice(VALUES)


def words(random: Random) -> tuple[str, str]:
    """Two lemmas that are rarely seen together."""
    return f"n{random.randrange(300)}", f"v{random.randrange(300)}"


def judged(path: Path, blocks: Iterable[str]) -> Construction:
    """Return the verdict on subjects and verbs; nothing is accepted."""
    mining = mined(path, "tested", *blocks)
    assert not any(each.accepted for each in mining.constructions)
    return next(each for each in mining.constructions if each.name == WHOLE)


def in_documents(blocks: list[str], n: int) -> Iterator[str]:
    for number, block in enumerate(blocks):
        starts = number * n // len(blocks) != (number - 1) * n // len(blocks)
        yield ("# newdoc\n" if starts else "") + block


def any_of(random: Random, n: int = 3) -> list[str]:
    return [random.choice(VALUES) for _ in range(n)]


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("plural", [0.2, 0.5])
def test_all_words_of_a_sentence_share_a_value(tmp_path: Path, n: int, plural: float) -> None:
    random = Random(n)
    blocks = []
    for _ in range(n):
        value = PLUR if random.random() < plural else SING
        blocks.append(sentence(value, value, [value, value], lemmas=words(random)))
    found = judged(tmp_path, blocks)
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
        blocks.append(sentence(subject, verb, any_of(random), lemmas=words(random)))
    judged(tmp_path, in_documents(blocks, n_documents) if marked else blocks)


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
        which, others = number % n_collocations, any_of(random)
        subject = verb = VALUES[which % 2]
        lemmas = f"cow{which}", f"low{which}"
        if random.random() >= share:
            (subject, verb), lemmas = any_of(random, 2), words(random)
        blocks.append(sentence(subject, verb, others, lemmas=lemmas))
    judged(tmp_path, blocks)


@pytest.mark.parametrize("n", [60, 200])
def test_one_pair_of_words_is_most_instances(tmp_path: Path, n: int) -> None:
    """The others, a fifth, agree by the same chance as other words do; they are all singular."""
    random = Random(n)
    blocks = []
    for _ in range(n):
        others = any_of(random)
        value, lemmas = (
            (PLUR, ("people", "say")) if random.random() < 0.8 else (SING, words(random))
        )
        blocks.append(sentence(value, value, others, lemmas=lemmas))
    judged(tmp_path, blocks)


@pytest.mark.parametrize("n", [120, 400])
def test_the_habit_of_one_author(tmp_path: Path, n: int) -> None:
    """In one document of twenty, which has four fifths of all instances, words agree."""
    random = Random(n)
    size = max(1, round(0.2 * n / 19))
    blocks = []
    for number in range(n):
        others, subject = any_of(random), random.choice(VALUES)
        verb = subject if number < 0.8 * n else random.choice(VALUES)
        block = sentence(subject, verb, others, lemmas=words(random))
        starts = number == 0 or (number >= 0.8 * n and number % size == 0)
        blocks.append(("# newdoc\n" if starts else "") + block)
    judged(tmp_path, blocks)


@pytest.mark.parametrize("n_documents", [2, 4, 20])
def test_real_agreement_is_accepted_in_few_documents_as_in_many(
    tmp_path: Path, n_documents: int
) -> None:
    """Also where one pair of words is a third of it: values vary within documents and pairs."""
    random = Random(n_documents)
    blocks = []
    for number in range(150):
        value = random.choice((SING, SING, PLUR))
        others = any_of(random, 2)
        lemmas = words(random) if number % 3 else ("dog", "bark")
        blocks.append(sentence(value, value, others, lemmas=lemmas))
    assert accepted(mined(tmp_path, "tested", *in_documents(blocks, n_documents))) == {WHOLE}
