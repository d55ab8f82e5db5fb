"""The word lists behind Marvin & Linzen's released pairs, read out of the pairs themselves.

Each list is what is left of the right sentences of one file when the words already known are taken
off at both ends. Nothing of it is in the repository: it is read where the files are.
"""

import gzip
import io
import pickle
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NoReturn

from tests.builders import shared

Members = dict[str, list[tuple[str, ...]]]
"""Key → members, as in a file: (right, wrong) or (right, intrusive, wrong)."""
Pair = tuple[str, str]
"""A word in the singular and the plural, or in two tenses."""

FILES = (
    "simple_agrmt", "sent_comp", "vp_coord", "long_vp_coord", "prep_anim", "prep_inanim",
    "subj_rel", "obj_rel_across_anim", "obj_rel_across_inanim", "obj_rel_no_comp_across_anim",
    "obj_rel_no_comp_across_inanim", "obj_rel_within_anim", "obj_rel_within_inanim",
    "obj_rel_no_comp_within_anim", "obj_rel_no_comp_within_inanim", "simple_reflexives",
    "reflexive_sent_comp", "reflexives_across", "simple_npi_anim", "simple_npi_inanim",
    "npi_across_anim", "npi_across_inanim",
)  # fmt: skip


class NoClasses(pickle.Unpickler):
    """Reads plain values and refuses everything that would run code."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise AssertionError((module, name))


def published(name: str) -> Members:
    """Return the members of a file, by key."""
    folder = shared("published", "marvin_linzen", "pickles")
    (path,) = [each for each in sorted(folder.iterdir()) if each.name.split(".")[0] == name]
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found: Any = NoClasses(io.BytesIO(data), encoding="latin-1").load()
    return {str(key): [tuple(map(str, each)) for each in value] for key, value in found.items()}


def rights(name: str, start: str) -> list[str]:
    """Return the right sentences under the keys that begin so."""
    found = published(name).items()
    return [each[0] for key, members in found if key.startswith(start) for each in members]


def without(text: str, words: Iterable[str], *, at_end: bool = False) -> str:
    """Return a text without the longest of these words that it begins (or ends) with."""
    for word in sorted(words, key=len, reverse=True):
        if at_end and text.endswith(f" {word}"):
            return text.removesuffix(f" {word}")
        if not at_end and text.startswith(f"{word} "):
            return text.removeprefix(f"{word} ")
    raise AssertionError((text, words))


def pairs(one: Iterable[str], other: Iterable[str]) -> list[Pair]:
    """Two lists of the same words in two forms, each word once, in order of appearance."""
    return list(zip(dict.fromkeys(one), dict.fromkeys(other), strict=True))


def flat(words: Sequence[Pair]) -> list[str]:
    return [form for pair in words for form in pair]


def both(name: str, cut: Any) -> list[Pair]:
    """Return a word list from what `cut` makes of a file's singular and plural sentences."""
    one, other = ([cut(each) for each in rights(name, start)] for start in ("sing", "plur"))
    return pairs(one, other)


def entries(words: Sequence[Pair], first: str, second: str, more: str = "") -> str:
    """Word pairs as entries of a grammar, several words as one choice."""
    rows = []
    for one, other in words:
        n_words = len(one.split())
        tree = f', tree = "X*{" X:dep" * (n_words - 1)}"' if n_words > 1 else ""
        rows.append(
            f'  {{ lemma = "{one}", {first} = "{one}", {second} = "{other}"{tree}{more} }},'
        )
    return "\n".join(rows)


def invariable(words: Iterable[str]) -> str:
    rows = []
    for word in dict.fromkeys(words):
        tree = f', tree = "X*{" X:dep" * (len(word.split()) - 1)}"' if " " in word else ""
        rows.append(f'  {{ lemma = "{word}"{tree} }},')
    return "\n".join(rows)


def lexicon(lists: dict[str, str]) -> str:
    return "[lexicon]\n" + "".join(
        f'[lexicon.{name}]\nupos = "X"\n{"repeat = false" * (name in ("Listens", "Reads"))}\n'
        f"entries = [\n{rows}\n]\n"
        for name, rows in lists.items()
    )


@cache
def published_lexicon() -> str:
    """Return the authors' words under the names of the lists of our grammar."""
    person = both("simple_agrmt", lambda each: each.split()[1])
    acts = both("simple_agrmt", lambda each: each.split(" ", 2)[2])

    def clause(sentence: str) -> str:  # "ES EV" of "the MS that the ES EV MV"
        return without(sentence.split(" that the ")[1], flat(acts), at_end=True)

    name = "obj_rel_within_anim"  # its keys begin with the number of the embedded noun
    friend = both(name, lambda each: clause(each).rsplit(" ", 1)[0])
    knows = both(name, lambda each: clause(each).rsplit(" ", 1)[1])

    def ends(sentence: str) -> list[str]:  # "IS" and "IV" of "the IS that the ES EV IV"
        left, right = sentence.removeprefix("the ").split(" that the ")
        return [left, without(without(right, flat(friend)), flat(knows))]

    thing = both("obj_rel_across_inanim", lambda each: ends(each)[0])
    surprises = both("obj_rel_across_inanim", lambda each: ends(each)[1])

    def near(sentence: str, nouns: list[Pair], verbs: list[Pair]) -> str:
        rest = without(without(sentence, flat(verbs), at_end=True), flat(friend), at_end=True)
        return without(rest.removeprefix("the ").removesuffix(" the"), flat(nouns))

    def long(sentence: str) -> str:
        return sentence.split(" and ")[1]

    polar = [each.split()[1:] for each in rights("simple_npi_inanim", "")]
    polar_things = {" ".join(each[: each.index("ever") - 1]) for each in polar}
    things = entries([each for each in thing if each[1] in polar_things], "Sing", "Plur")
    others = [each for each in thing if each[1] not in polar_things]
    simple = rows_of("simple_npi_anim", lambda each: each.split()[0])
    far = rows_of("npi_across_anim", lambda each: each.split()[0])
    next_to = rows_of("npi_across_anim", lambda each: each.split(" that ")[1].split()[0])
    return lexicon(
        {
            "The": invariable(["the"]),
            "That": invariable(["that"]),
            "And": invariable(["and"]),
            "Ever": invariable(["ever"]),
            "Person": entries(person, "Sing", "Plur"),
            "Listens": entries(acts, "Sing", "Plur"),
            "Friend": entries(friend, "Sing", "Plur"),
            "Praises": entries(knows, "Sing", "Plur"),
            "Thing": things + "\n" + entries(others, "Sing", "Plur", ', with = "plain"'),
            "Surprises": entries(surprises, "Sing", "Plur"),
            "Near": invariable(near(each, person, acts) for each in rights("prep_anim", "")),
            "From": invariable(near(each, thing, surprises) for each in rights("prep_inanim", "")),
            "Speaker": entries(
                pairs(
                    [each.split()[1] for each in rights("sent_comp", "sing_MS_MV_sing")],
                    [each.split()[1] for each in rights("sent_comp", "sing_MS_MV_plur")],
                ),
                "Sing",
                "Plur",
            ),
            "Claimed": invariable(each.split()[2] for each in rights("sent_comp", "")),
            "Reads": entries(both("long_vp_coord", long), "Sing", "Plur"),
            "Blamed": invariable(each.split()[2] for each in rights("simple_reflexives", "")),
            "Self": entries(
                list(
                    dict.fromkeys(
                        (right.split()[-1], wrong.split()[-1])
                        for key, members in published("simple_reflexives").items()
                        if key.startswith("sing")
                        for right, wrong in members
                    )
                ),
                "Sing",
                "Plur",
            ),
            "No": determiners(simple),
            "NoFar": determiners(far),
            "NoNext": determiners(next_to),
            "Will": entries(pairs(auxiliaries("past"), auxiliaries("future")), "Past", "Future"),
            "Win": entries(pairs(after("anim", "past"), after("anim", "future")), "Past", "Future"),
            "Please": entries(
                pairs(after("inanim", "past"), after("inanim", "future")), "Past", "Future"
            ),
        }
    )


def rows_of(name: str, cut: Any) -> list[tuple[str, ...]]:
    """Return the determiners of the three members of a file's items, each row once. A row is
    told by the first member's first word, since its inner determiner is the same in all."""
    found: dict[str, tuple[str, ...]] = {}
    for members in published(name).values():
        for each in members:
            found.setdefault(each[0].split()[0], tuple(cut(sentence) for sentence in each))
    return list(found.values())


def determiners(rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join(
        f'  {{ lemma = "{n}", licensed = "{one}", intrusive = "{two}", unlicensed = "{three}" }},'
        for n, (one, two, three) in enumerate(rows)
    )


def auxiliaries(tense: str) -> list[str]:
    return [each.split(" ever ")[0].split()[-1] for each in rights("simple_npi_anim", tense)]


def after(animacy: str, tense: str) -> list[str]:
    return [each.split(" ever ")[1] for each in rights(f"simple_npi_{animacy}", tense)]
