"""What can be shown in a trial, before it has a place in a list."""

from dataclasses import dataclass

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
        """What lists are balanced for: kind, cell of a factorial block, condition shown."""
        return self.item.kind, self.item.cell, self.sole_condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus:
    """A trial without list and position. `first` and `second` are the options: the right one
    first, where one is; a sentence stands alone in `first`."""

    kind: str  # one of judgment.KINDS
    task: str
    item: str
    source: str
    construction: str = ""
    condition: str = ""
    prefix: str = ""
    first: str
    second: str = ""
    value: str = ""  # of the agreement feature, where the item has one: "Sing"
    language: str
    right: str = ""  # the answer that is right; "" where none is
    sole_condition: str = ""  # the item's condition, where one of its sentences stands alone
    right_first: bool | None = None  # None where no side is drawn, or there is nothing to choose

    @property
    def options(self) -> tuple[str, ...]:
        """The options as shown; one for a single sentence."""
        if not self.second:
            return (self.first,)
        return (self.second, self.first) if self.right_first is False else (self.first, self.second)


def versions(item: Item, task: str) -> tuple[Version, ...]:
    """The versions of an item under a task: one with both its forms, or one for each of its
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


def stimulus(version: Version, task: str, kind: str, language: str = "") -> Stimulus:
    """The version as a trial of some kind; `language` where the item's own is not to be taken."""
    item = version.item
    first, second = _options(version, task)
    return Stimulus(
        kind=kind,
        task=task,
        item=item.item_id,
        source=item.cluster_id,
        construction=item.construction,
        condition=condition(version),
        prefix=printed(prefix(item)) if task == "form" else "",
        first=first,
        second=second,
        value=item.agreement.value if item.agreement else item.facts.get("value", ""),
        language=language or item.language,
        right=first if task in CHOICES else "",
        sole_condition=version.sole_condition,
    )


def condition(version: Version) -> str:
    """The kind of item; where one sentence is shown also the item's condition that it is of."""
    kind, name = version.item.kind, version.sole_condition
    if not name:
        return kind
    return name if kind == "suite" else f"{kind} {name}"


def _options(version: Version, task: str) -> tuple[str, str]:
    if version.sole_condition:
        wording = version.item.conditions[version.sole_condition][0]
        return printed(sentence_text(wording)).strip(), ""
    pair = forms(version.item) if task == "form" else sentences(version.item)
    assert pair is not None, "versions() has seen to it"
    return normal(pair[0]), normal(pair[1])


def is_determiner_noun(item: Item) -> bool:
    """Tell whether an item is about a determiner and a noun (*these big ___*), in either order."""
    agreement = item.agreement
    return agreement is not None and {agreement.cue_upos, agreement.target_upos} == {"DET", "NOUN"}
