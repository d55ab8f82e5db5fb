"""From stimuli in their order to trials with names and positions, each with its right answer."""

from collections.abc import Iterator, Mapping, Sequence

from colorless_green.humans.order import Ordered, Sided, sided
from colorless_green.humans.questions import Asked
from colorless_green.humans.stimulus import Stimulus
from colorless_green.humans.study import Trial


def sided_questions(asks: Asked, seed: int, label: str) -> Mapping[str, Sided]:
    """Item that is read → its question, with the order of its answers."""
    items = {question.item: item for item, question in asks.items()}
    return {items[each.stimulus.item]: each for each in sided([*asks.values()], seed, label)}


def practice_trials(
    sides: Sequence[Sided], order: Sequence[Stimulus], number: int, after: Mapping[str, Sided]
) -> Iterator[tuple[Trial, str]]:
    """Practice of list `number`, with the right answers: in the order in which it was told, not
    that in which sides were dealt. `after` maps items to the questions that follow them."""
    by_item = {each.stimulus.item: each for each in sides}
    for position, each in enumerate(order, start=1):
        yield from _shown(by_item[each.item], f"{number}-p{position}", number, 1, position, after)


def list_trials(
    order: Ordered, number: int, after: Mapping[str, Sided]
) -> Iterator[tuple[Trial, str]]:
    """The recorded trials of a list, with the right answers. A question follows its sentence, and
    has its place in the list."""
    position = 0
    for block, own in enumerate(order.blocks, start=1):
        for each in own:
            position += 1
            yield from _shown(each, f"{number}-{position}", number, block, position, after)


def _shown(
    each: Sided, trial_id: str, number: int, block: int, position: int, after: Mapping[str, Sided]
) -> Iterator[tuple[Trial, str]]:
    """The trial, and the question that comes after it, if one does."""
    yield _trial(each, trial_id, number, block, position)
    question = after.get(each.stimulus.item)
    if question is not None:
        yield _trial(question, f"{trial_id}-q", number, block, position)


def _trial(each: Sided, trial_id: str, number: int, block: int, position: int) -> tuple[Trial, str]:
    """The trial and its right answer."""
    own = each.stimulus
    options = tuple(each.options[0].split()) if own.task == "reading" else each.options
    trial = Trial(
        trial_id=trial_id,
        list=number,
        block=block,
        position=position,
        kind=own.kind,
        task=own.task,
        item=own.item,
        source=own.source,
        construction=own.construction,
        condition=own.condition,
        prefix=own.prefix,
        options=options,
        language=own.language,
    )
    return trial, own.right
