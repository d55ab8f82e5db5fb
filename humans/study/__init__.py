"""Studies with people. Here: a *trial* is what one screen shows, and is made from a version of an
item. A *source* is an original sentence with all items made from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ...data.errors import InputError
from ...data.items.item import Item, sentence_text
from ..judgments.lookup import (
    forms_of,
    normal_form,
    normal_sentence,
    prefix_of,
    printed_text,
    sentences_of,
)

CHOICES = ("form", "sentence")  # tasks with two options


@dataclass(frozen=True, slots=True)
class Version:
    """One way to show a source: an item with both its forms or, in rating tasks, a single sentence
    of it."""

    item: Item
    sole_condition: str = ""  # the condition (right, wrong) of a single sentence; else ""

    @property
    def factors(self) -> tuple[str, str, str]:
        """The (kind, cell, condition) that lists are balanced for.

        A cell is what the item's design varies. For composed items, whose cells differ from source
        to source, its place is taken by relation and value.
        """
        cell = f"{self.relation} {self.value}" if self.relation else self.item.cell
        return self.item.kind, cell, self.sole_condition

    @property
    def relation(self) -> str:
        """The relation of the modifiers' number to that of the head noun: none, same or opposite.

        Only composed items have it; "" for all others.
        """
        return self.item.facts.get("relation", "")

    @property
    def value(self) -> str:
        """The value of the agreement feature, such as Sing; "" if the item has none."""
        agreement = self.item.agreement
        return agreement.value if agreement else self.item.facts.get("value", "")

    @property
    def condition(self) -> str:
        """The condition of the trial: the kind of item and, for a single sentence, its condition,
        such as "nonce" or "nonce wrong". A sentence of a suite has its condition alone."""
        kind, sole = self.item.kind, self.sole_condition
        return sole if sole and kind == "suite" else f"{kind} {sole}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A trial, which is one screen: the fields in the file of a study, and the right answer.

    Attributes:
        trial_id: unique in the study: letters, digits and `-`; "" before the trial is in a list.
        list: number of the list, from 1; each participant sees one list.
        block: number of the block between breaks, from 1; practice is in block 1.
        position: place in its list, from 1; practice trials are counted apart.
        kind: target, filler, check or practice.
        task: form, sentence or rating.
        item: item id.
        source: the item's `cluster_id`.
        construction: the item's construction.
        condition: the item's condition.
        prefix: the text before the target; "" if whole sentences are shown.
        options: the texts in the order shown: two forms, two sentences, or one sentence to rate.
        language: BCP-47 code.
        right: the right option, which no file with trials contains; "" if there is none.
        value: value of the agreement feature; only a design uses it, no file has it.
        relation: relation of a composed item's modifiers to its head; no file has it.
    """

    trial_id: str = ""
    list: int = 0
    block: int = 1
    position: int = 0
    kind: str
    task: str
    item: str
    source: str
    construction: str = ""
    condition: str = ""
    prefix: str = ""
    options: tuple[str, ...]
    language: str
    right: str = field(default="", repr=False)
    value: str = field(default="", compare=False)
    relation: str = field(default="", compare=False)

    @property
    def right_first(self) -> bool | None:
        """True if the right one of two options is shown first; None without two options."""
        return self.options[0] == self.right if self.right and len(self.options) == 2 else None

    def shown(self) -> Mapping[str, Any]:
        """Return the fields that a study's file of trials has: all that participants may see."""
        return {name: getattr(self, name) for name in SHOWN}


SHOWN = tuple(f.name for f in fields(Trial) if f.name not in ("right", "value", "relation"))


def versions(item: Item, task: str) -> tuple[Version, ...]:
    """Return the ways to show an item in a task.

    In a choice task this is one version with both forms, or none if the two forms are the same; in
    a rating task one version for each of the item's sentences. Raises `InputError` if a choice task
    needs two forms that the item does not have.
    """
    if task not in CHOICES:
        return tuple(Version(item, name) for name in item.conditions)
    pair, wholes = forms_of(item), sentences_of(item)
    location = f"task: item {item.item_id}"
    if pair is None or wholes is None:
        found = f"its conditions are {', '.join(item.conditions)}"
        needed = "right and wrong; or --task rating, which shows one sentence"
        raise InputError(location, found, needed, kind="unsupported")
    if task == "form" and not prefix_of(item):
        found = "there is nothing before its two forms, or they are not all that differs"
        raise InputError(location, found, "--task sentence", kind="unsupported")
    right, wrong = pair if task == "form" else wholes
    return (Version(item),) if normal_sentence(right) != normal_sentence(wrong) else ()


def trial_of(version: Version, task: str, kind: str, language: str = "") -> Trial:
    """Make a trial of the given kind (target, filler, …) from a version of an item.

    The right option is first. `language` replaces the item's own language.
    """
    item, options = version.item, tuple[str, ...]()
    if version.sole_condition:
        wording, *_ = item.conditions[version.sole_condition]
        options = (printed_text(sentence_text(wording)).strip(),)
    elif pair := forms_of(item) if task == "form" else sentences_of(item):
        options = tuple(map(normal_form, pair))
    return Trial(
        kind=kind,
        task=task,
        item=item.item_id,
        source=item.cluster_id,
        construction=item.construction,
        condition=version.condition,
        prefix=printed_text(prefix_of(item)) if task == "form" else "",
        options=options,
        language=language or item.language,
        right=options[0] if task in CHOICES else "",  # the first one, as said above
        value=version.value,
        relation=version.relation,
    )


def is_determiner_noun(item: Item) -> bool:
    """Tell whether an item tests agreement of a determiner and a noun (*these big ___*)."""
    agreement = item.agreement
    return agreement is not None and {agreement.cue_upos, agreement.target_upos} == {"DET", "NOUN"}
