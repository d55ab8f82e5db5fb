"""Questions on what was read word by word: a table of them, and after which sentences they come.

Without them nobody knows whether people understood what they read. A question belongs to a source:
whoever is asked after one version of it, is asked in every list after that list's own version, as
far as there are questions for it. So lists ask equally often, and conditions as evenly as the Latin
square allows.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.registry import abridged, nearest
from colorless_green.data.seeds import generator, shuffled
from colorless_green.humans.formats.sheet import read_sheet
from colorless_green.humans.judgment import QUESTION
from colorless_green.humans.lookup import normal
from colorless_green.humans.stimulus import Stimulus
from colorless_green.humans.texts import Texts
from colorless_green.nonce.item import Item

COLUMNS = ("item", "question", "right", "wrong")
ROUNDING = 1e-9  # a third of 12 is 4, whatever the floats say
TOLD = 5  # items that the message of an error lists


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a sentence that was read, with two answers to choose from.

    Attributes:
        item: id of the item whose sentence it is about.
        condition: of the item; "": for all conditions without a question of their own.
        question: the text.
        right: the right answer.
        wrong: the wrong answer.
        place: file:line, for messages.
    """

    item: str
    condition: str
    question: str
    right: str
    wrong: str
    place: str

    @property
    def identity(self) -> str:
        """The item id of its answers, which is never that of an item of the suite."""
        return ":".join(filter(None, (QUESTION, self.item, self.condition)))


QuestionsByItem: TypeAlias = Mapping[str, Stimulus]
"""Item that is read → the question that comes after it."""


def read_questions(path: Path) -> tuple[Question, ...]:
    """Reads a table of comprehension questions.

    Args:
        path: a TSV or CSV file with the columns item, question, right and wrong, and condition
            where the versions of an item have questions of their own.

    Returns:
        The questions, in the order of the table.

    Raises:
        InputError: for a missing column, an empty cell, two equal answers, or two questions about
            one sentence.

    >>> _ = Path("questions.csv").write_text(
    ...     "item,question,right,wrong\\ni1,Where are the keys?,on the table,in the cabinet\\n")
    >>> [(found.item, found.right) for found in read_questions(Path("questions.csv"))]
    [('i1', 'on the table')]
    """
    sheet = read_sheet(path, (*COLUMNS, "condition"))
    for name in COLUMNS:
        if name not in sheet.columns:
            wrong = f"no column {name}; the columns are {', '.join(sheet.columns)}"
            right = f"{', '.join(COLUMNS)}, and condition if versions differ"
            raise InputError(f"{path}:1", wrong, right, kind="missing")
    questions: dict[tuple[str, str], Question] = {}
    for line in sheet.lines:
        place, cells = line.place, {name: normal(line.cells[name]) for name in COLUMNS}
        if empty := [name for name, cell in cells.items() if not cell]:
            wrong = f"nothing in {', '.join(empty)}"
            raise InputError(place, wrong, "a text in each column", kind="format")
        if cells["right"] == cells["wrong"]:
            wrong, right = f"both answers are {cells['right']!r}", "a right and a wrong answer"
            raise InputError(place, wrong, right, kind="conflict")
        question = Question(**cells, condition=line.cells.get("condition", ""), place=place)
        before = questions.setdefault((question.item, question.condition), question)
        if before is not question:
            wrong = f"item {question.item!r} has a question in {before.place} already"
            right = "one question a sentence; a column condition for those of versions"
            raise InputError(place, wrong, right, kind="conflict")
    return tuple(questions.values())


def demand_fitting(questions: Sequence[Question], items: Iterable[Item]) -> None:
    """Raises `InputError` for questions about items, or conditions of items, that there are not."""
    by_id = {item.item_id: item for item in items}
    strangers = [question for question in questions if question.item not in by_id]
    if strangers:
        named = abridged((repr(stranger.item) for stranger in strangers), TOLD)
        wrong = f"{named}: no such item among the targets and fillers"
        right = "the item's id, as in the suite or the file of --fillers"
        raise InputError(strangers[0].place, wrong, right, kind="unknown")
    for question in questions:
        conditions = by_id[question.item].conditions
        if question.condition and question.condition not in conditions:
            wrong = f"item {question.item!r} has no condition {question.condition!r}"
            right = f"{nearest(question.condition, conditions)}, or nothing for all of them"
            raise InputError(question.place, wrong, right, kind="unknown")


def shipped_questions(texts: Texts | None) -> tuple[Question, ...]:
    """Those on the practice sentences that come with a language."""
    return tuple(
        Question(f"practice-{number}", "", example.question, example.answer, example.other, "")
        for number, example in enumerate(texts.practice if texts else (), start=1)
        if example.question
    )


def asked(
    lists: Sequence[Sequence[Stimulus]], questions: Sequence[Question], share: float, seed: int
) -> tuple[QuestionsByItem, ...]:
    """For each list the questions that are asked in it, after at most this share of its trials.

    Sources are taken one by one: first those that can be asked about in most lists, then of the
    construction, then in the conditions that have been asked about least, then at random. Hence a
    list lacks a question that another has only where it has none to ask.
    """
    posed = {(question.item, question.condition): question for question in questions}
    waiting: dict[str, dict[int, tuple[Stimulus, Question]]] = {}  # source → list → read, asked
    for place, trials in enumerate(lists):
        for read in trials:
            question = posed.get((read.item, read.shown)) or posed.get((read.item, ""))
            if question is not None:
                waiting.setdefault(read.source, {})[place] = read, question
    most = [math.floor(share * len(trials) + ROUNDING) for trials in lists]
    chosen: list[dict[str, Stimulus]] = [{} for _ in lists]
    constructions: Counter[str] = Counter()
    conditions: Counter[tuple[int, str]] = Counter()

    def cost(source: str) -> tuple[int, int, int]:
        by_list = waiting[source]
        construction = next(iter(by_list.values()))[0].construction
        often = sum(conditions[place, read.condition] for place, (read, _) in by_list.items())
        return -len(by_list), constructions[construction], often

    order = shuffled(generator(seed, "questions"), sorted(waiting))
    while order:
        source = min(order, key=cost)
        order.remove(source)
        for place, (read, question) in waiting[source].items():
            if len(chosen[place]) < most[place]:
                chosen[place][read.item] = _stimulus(read, question)
                constructions[read.construction] += 1
                conditions[place, read.condition] += 1
    return tuple(chosen)


def _stimulus(read: Stimulus, question: Question) -> Stimulus:
    """The question as a trial; of a practice sentence it is practice too."""
    return replace(
        read,
        kind=read.kind if read.kind == "practice" else QUESTION,
        task=QUESTION,
        item=question.identity,
        prefix=question.question,
        first=question.right,
        second=question.wrong,
        value="",
        right=question.right,
    )
