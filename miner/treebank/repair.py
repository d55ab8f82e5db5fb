"""Repairs of annotation that a rule needs before anything is counted, by name.

A repair maps FEATS to FEATS, so each distinct string is repaired once. `ewt-2.0` is the paper's
(supplement, "Treebanks"; `preprocess_EnglishUD_morph.py`) less its fault: the published script adds
`Number=Plur` also where it stands already, which on later releases makes a third value.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from operator import attrgetter

from ...data.items.features import parse_feats
from ...data.items.tree import Sentence

Repair = Callable[[str], str]
PRESENT = "Tense=Pres"
COLUMNS = [field.name for field in fields(Sentence)]
ABOVE = attrgetter(*COLUMNS[: COLUMNS.index("feats")])
BELOW = attrgetter(*COLUMNS[COLUMNS.index("feats") + 1 :])


def english_present(feats: str) -> str:
    """Make finite present forms without Number plural; drop Person=3 where Number is Sing.

    So `need` and `needs` differ in Number alone. First and second person singular forms become
    plurals too, as in the paper's data.
    """
    entries = dict(parse_feats(feats))
    if entries.get("Number") == "Sing":
        if entries.pop("Person", "3") != "3":
            return feats
    elif (
        entries.get("Tense") == "Pres" and entries.get("VerbForm") == "Fin"
    ) and "Number" not in entries:
        entries["Number"] = "Plur"
    else:
        return feats
    return "|".join(f"{name}={entries[name]}" for name in sorted(entries)) or "_"


REPAIRS: dict[str, Repair] = {"ewt-2.0": english_present}


def needs_english_repair(language: str, lines: Iterable[str]) -> bool:
    """Tell whether a treebank with these lines is English and marks Sing but never Plur on finite
    present verbs."""
    if language.partition("-")[0] != "en":
        return False
    singular = False
    for line in lines:
        cells = line.split("\t") if PRESENT in line else []
        entries = cells[5].split("|") if len(cells) > 5 else []
        if "VerbForm=Fin" in entries:
            if "Number=Plur" in entries:
                return False
            singular = singular or "Number=Sing" in entries
    return singular


def repaired(sentences: Iterable[Sentence], repair: Repair | None) -> Iterable[Sentence]:
    """Return the sentences with their FEATS repaired; as they are where `repair` is `None`."""
    if repair is None:
        return sentences
    each_once = cache(repair)
    return (
        # `dataclasses.replace` takes eight times as long
        Sentence(*(*ABOVE(sentence), tuple(map(each_once, sentence.feats)), *BELOW(sentence)))
        for sentence in sentences
    )
