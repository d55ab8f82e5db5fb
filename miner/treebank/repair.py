"""Repairs of annotation that a rule needs before anything is counted, by name.

A repair maps FEATS to FEATS, so each distinct string is repaired once. `ewt-2.0` is the paper's
(supplement, "Treebanks"; `preprocess_EnglishUD_morph.py`) less its fault: the published script adds
`Number=Plur` also where it stands already, which on later releases makes a third value.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cache
from operator import attrgetter
from pathlib import Path

from ...data.items.features import parse_feats
from ...data.items.tree import Sentence
from .conllu_lines import WHOLE_FILE, Span, lines_with

Repair = Callable[[str], str]
PRESENT = b"Tense=Pres"
COLUMNS = [field.name for field in fields(Sentence)]
ABOVE = attrgetter(*COLUMNS[: COLUMNS.index("feats")])
BELOW = attrgetter(*COLUMNS[COLUMNS.index("feats") + 1 :])


def english_present(feats: str) -> str:
    """Finite present forms without Number become plural; Person=3 goes where Number is Sing.

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


def present_feats(path: Path, span: Span = WHOLE_FILE) -> Iterator[str]:
    """The distinct FEATS of a span's present forms, in the order first seen: what
    `needs_english_repair` looks at, for a fraction of the cost of reading.

    Rows of faulty sentences, ranges and empty nodes are among them; FEATS that do not parse are
    not.
    """
    seen: set[bytes] = set()
    for line in lines_with(path, PRESENT, span):
        feats = line.split(b"\t", 6)[5:6]
        if line.startswith(b"#") or not feats or PRESENT not in feats[0] or feats[0] in seen:
            continue
        seen.add(feats[0])
        try:
            parse_feats(text := feats[0].decode())
        except ValueError:
            continue
        yield text


def needs_english_repair(language: str, feats: Iterable[str]) -> bool:
    """Whether a treebank is English and marks Sing but never Plur on finite present verbs, of
    which `feats` has the FEATS."""
    if language.partition("-")[0] != "en":
        return False
    singular = False
    for cell in feats:
        entries = parse_feats(cell)
        if entries.get("Tense") == "Pres" and entries.get("VerbForm") == "Fin":
            number = entries.get("Number")
            if number == "Plur":
                return False
            singular = singular or number == "Sing"
    return singular


def repaired(sentences: Iterable[Sentence], repair: Repair | None) -> Iterable[Sentence]:
    """The sentences with their FEATS repaired; as they are where `repair` is `None`."""
    if repair is None:
        return sentences
    each_once = cache(repair)
    return (
        # `dataclasses.replace` takes eight times as long
        Sentence(*(*ABOVE(sentence), tuple(map(each_once, sentence.feats)), *BELOW(sentence)))
        for sentence in sentences
    )
