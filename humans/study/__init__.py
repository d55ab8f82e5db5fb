"""Studies of people; here a trial: what is on one screen, made from a version of an item."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ...data.errors import InputError
from ...data.items.item import Item, sentence_text
from ..judgments.lookup import forms, normal, plain, prefix, printed, sentences

CHOICES = ("form", "sentence")  # tasks with two options


@dataclass(frozen=True, slots=True)
class Version:
    """One way of showing a source: an item and, in tasks with one sentence, which of its
    sentences."""

    item: Item
    sole_condition: str = ""  # the item's condition; "" where two forms are shown

    @property
    def factors(self) -> tuple[str, str, str]:
        """The kind, cell and condition that lists are balanced for. Cells of composed items differ
        from source to source: these are balanced for relation and value."""
        cell = f"{self.relation} {self.value}" if self.relation else self.item.cell
        return self.item.kind, cell, self.sole_condition

    @property
    def relation(self) -> str:
        """The relation of a composed item's modifiers to its head: none, same or opposite."""
        return self.item.facts.get("relation", "")

    @property
    def value(self) -> str:
        """The value of the agreement feature, such as Sing; "" where the item has none."""
        agreement = self.item.agreement
        return agreement.value if agreement else self.item.facts.get("value", "")

    @property
    def condition(self) -> str:
        """The kind of item; where one sentence is shown also the item's condition that it is of."""
        kind, name = self.item.kind, self.sole_condition
        return name if name and kind == "suite" else f"{kind} {name}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A screen: the fields that the file of a study has, and what is right.

    Attributes:
        trial_id: unique in the study: letters, digits and `-`; "" before it is in a list.
        list: from 1.
        block: from 1; practice is in block 1.
        position: in its list, from 1; practice is counted apart, before the others.
        kind: target, filler, check or practice.
        task: form, sentence or rating.
        item: item id.
        source: the item's `cluster_id`.
        construction: the item's construction.
        condition: the item's condition.
        prefix: the text before the target; "" where whole sentences are shown.
        options: as shown: two forms or sentences, or the one sentence that is rated.
        language: BCP-47 code.
        right: the right answer, which is kept apart from the trials; "" where there is none.
        value: of the agreement feature; known to a design alone, as the next one is.
        relation: of a composed item's modifiers to its head: none, same or opposite.
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
        """True where the right one of two options is first; None where there is no such choice."""
        return self.options[0] == self.right if self.right and len(self.options) == 2 else None

    def shown(self) -> Mapping[str, Any]:
        """Return the fields that the file of a study has."""
        return {name: getattr(self, name) for name in SHOWN}


SHOWN = tuple(f.name for f in fields(Trial) if f.name not in ("right", "value", "relation"))


def versions(item: Item, task: str) -> tuple[Version, ...]:
    """Return the versions of an item under a task: one with both its forms, or one for each of its
    conditions; none where its two forms are the same.

    Raises `InputError` where a choice is asked for and the item has no such two forms.
    """
    if task not in CHOICES:
        return tuple(Version(item, name) for name in item.conditions)
    pair, wholes = forms(item), sentences(item)
    if pair is None or wholes is None:
        wrong = f"its conditions are {', '.join(item.conditions)}"
        right = "right and wrong; or --task rating, which shows one sentence"
        raise InputError(f"task: item {item.item_id}", wrong, right, kind="unsupported")
    if task == "form" and not prefix(item):
        wrong = "there is nothing before its two forms, or they are not all that differs"
        right = "--task sentence"
        raise InputError(f"task: item {item.item_id}", wrong, right, kind="unsupported")
    options = pair if task == "form" else wholes
    return (Version(item),) if plain(options[0]) != plain(options[1]) else ()


def trial_of(version: Version, task: str, kind: str, language: str = "") -> Trial:
    """Return the version as a trial of some kind, the right option first; `language` where the
    item's own is not to be taken."""
    item, options = version.item, tuple[str, ...]()
    if version.sole_condition:
        wording = item.conditions[version.sole_condition][0]
        options = (printed(sentence_text(wording)).strip(),)
    elif pair := forms(item) if task == "form" else sentences(item):
        options = normal(pair[0]), normal(pair[1])
    return Trial(
        kind=kind,
        task=task,
        item=item.item_id,
        source=item.cluster_id,
        construction=item.construction,
        condition=version.condition,
        prefix=printed(prefix(item)) if task == "form" else "",
        options=options,
        language=language or item.language,
        right=options[0] if task in CHOICES else "",
        value=version.value,
        relation=version.relation,
    )


def is_determiner_noun(item: Item) -> bool:
    """Tell whether an item is about a determiner and a noun (*these big ___*), in either order."""
    agreement = item.agreement
    return agreement is not None and {agreement.cue_upos, agreement.target_upos} == {"DET", "NOUN"}
