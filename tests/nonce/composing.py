"""A regular language, of whose clauses composed sets can be made."""

from collections.abc import Iterable, Iterator
from itertools import cycle, product
from pathlib import Path
from typing import TypeAlias

import colorless_green as cg

Word: TypeAlias = tuple[str, str, str, str, int, str]
"""Form, lemma, UPOS, FEATS, head, relation."""

NOUNS = [
    "banner", "border", "carpet", "dancer", "farmer", "garden", "hammer", "jacket", "kitten",
    "ladder", "market", "needle", "office", "packet", "rabbit", "saddle", "tablet", "uncle",
    "valley", "window", "anchor", "basket", "candle", "doctor", "engine", "finger", "guitar",
    "hunter", "island", "kettle", "lawyer", "magnet", "napkin", "orphan", "pocket", "ribbon",
    "singer", "teller", "victor", "writer", "bottle", "castle", "driver", "falcon", "gallon",
    "helmet", "insect", "jungle", "lemon", "mirror", "number", "oyster", "pencil", "record",
]  # fmt: skip
VERBS = [
    "arrive", "bleed", "cough", "dream", "emerge", "faint", "glow", "hover", "insist", "kneel",
    "laugh", "moan", "nod", "perish", "quiver", "remain", "shine", "tremble", "vanish", "whine",
    "yawn", "blink", "crawl", "drift",
]  # fmt: skip
ADPOSITIONS = ("near", "behind", "of")


def clauses() -> Iterator[list[str]]:
    """Clauses of a regular language: article, noun, a modifier, verb or copula with adjective."""
    inner = cycle(NOUNS[7:] + NOUNS[:7])
    ends = cycle([*VERBS, ""])
    numbers = cycle(product(("Sing", "Plur"), ("Sing", "Plur")))
    for number, noun in enumerate(NOUNS * 12):
        place = ADPOSITIONS[(number + number // len(NOUNS)) % len(ADPOSITIONS)]
        (value, other), modifier = next(numbers), next(inner)
        verb = next(ends)
        plain = value == "Plur"
        rows: list[Word] = [
            ("the", "the", "DET", "Definite=Def|PronType=Art", 2, "det"),
            (noun + "s" * plain, noun, "NOUN", f"Number={value}", 6, "nsubj"),
            (place, place, "ADP", "_", 5, "case"),
            ("the", "the", "DET", "Definite=Def|PronType=Art", 5, "det"),
            (modifier + "s" * (other == "Plur"), modifier, "NOUN", f"Number={other}", 2, "nmod"),
        ]
        feats = f"Mood=Ind|Number={value}|Person=3|Tense=Pres|VerbForm=Fin"
        if verb:
            rows.append((verb + "s" * (not plain), verb, "VERB", feats, 0, "root"))
        else:
            rows[1] = (*rows[1][:4], 7, "nsubj")
            rows.append(("are" if plain else "is", "be", "AUX", feats, 7, "cop"))
            rows.append(("new", "new", "ADJ", "Degree=Pos", 0, "root"))
        yield conllu_rows(*rows)


def conllu_rows(*words: Word) -> list[str]:
    return [
        f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{rel}\t_\t_"
        for number, (form, lemma, upos, feats, head, rel) in enumerate(words, start=1)
    ]


def mined(folder: Path, sentences: Iterable[list[str]], code: str = "en") -> cg.Mining:
    """Return what is mined from a treebank of these sentences."""
    path = folder / f"{code}_toy-ud-train.conllu"
    path.write_text("".join("\n".join(rows) + "\n\n" for rows in sentences), encoding="utf-8")
    return cg.mine(path, rule=cg.Rule(min_gap=0), store=":memory:")
