"""Marvin & Linzen's pickles (LM_syneval; 2018, EMNLP): pairs, for NPIs triples.

A file is a template, a key in it a combination of numbers: `sing_MS_MV_plur_ES_EV` has a singular
main subject and verb and a plural embedded one. A member of a pair is the condition `right` or
`wrong`; a triple's third, in which the licensor stands where it does not c-command the NPI, is
`intrusive`. Sentences are in lower case and have no full stop (the fact `period` is `none`); the
authors scored them with one. Tokens stand between blanks and are the words.
The authors compare whole sentences (`full`) or, with `word_only`, the first word that differs
(`prefix`). Which comparison of a triple is which row of their Table 1 is not said in words; the
fact `table` has it as the examples of the abstract (SCiL 2019, 12-13) tell it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.folder import files_of, named_in, written
from colorless_green.nonce.formats.pairs import BY_PREFIX, FULL, grouped, pair_of, plain_name
from colorless_green.nonce.formats.pickled import Members, read_pickle, write_pickle
from colorless_green.nonce.formats.records import as_published, kept
from colorless_green.nonce.item import (
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    WRONG,
    Item,
    Region,
    Wording,
    item_id,
    sentence_text,
)
from colorless_green.nonce.prediction import parse
from colorless_green.nonce.suite import Suite, checked

SOURCE, LICENCE = "Marvin & Linzen 2018", "MIT"
INTRUSIVE = "intrusive"
CONDITIONS = {2: (RIGHT, WRONG), 3: (RIGHT, INTRUSIVE, WRONG)}
RIGHT_INTRUSIVE = parse(
    "(*;%right%) < (*;%intrusive%)", "right_intrusive", "prediction", optional=True
)
INTRUSIVE_WRONG = parse(
    "(*;%intrusive%) < (*;%wrong%)", "intrusive_wrong", "prediction", optional=True
)
KEY = re.compile(
    r"(?P<target>sing|plur)_(?P<varied>[A-Z_]+?)(?:_(?P<attractor>sing|plur)_(?P<other>[A-Z_]+))?"
)
NUMBERS = {"sing": "singular", "plur": "plural"}
TENSES = ("past", "future")
SYMBOLS = {
    "MS": "main subject",
    "MV": "main verb",
    "LMV": "long main verb",
    "ES": "embedded subject",
    "EV": "embedded verb",
    "IS": "inanimate subject",
    "IV": "inanimate verb",
    "BS": "outer subject",
    "ANPHR": "reflexive",
}


FILES = {  # → phenomenon and condition in Table 1, in its order
    "simple_agrmt": ("agreement", "Simple"),
    "sent_comp": ("agreement", "In a sentential complement"),
    "vp_coord": ("agreement", "Short VP coordination"),
    "long_vp_coord": ("agreement", "Long VP coordination"),
    "prep": ("agreement", "Across a prepositional phrase"),
    "subj_rel": ("agreement", "Across a subject relative clause"),
    "obj_rel_across": ("agreement", "Across an object relative clause"),
    "obj_rel_no_comp_across": ("agreement", "Across an object relative (no that)"),
    "obj_rel_within": ("agreement", "In an object relative clause"),
    "obj_rel_no_comp_within": ("agreement", "In an object relative (no that)"),
    "simple_reflexives": ("reflexive", "Simple"),
    "reflexive_sent_comp": ("reflexive", "In a sentential complement"),
    "reflexives_across": ("reflexive", "Across a relative clause"),
    "simple_npi": ("npi", "Simple"),
    "npi_across": ("npi", "Across a relative clause"),
}
"""Files without `_anim` and `_inanim`, which the paper pools."""
TABLE = {"npi_across": RIGHT_INTRUSIVE.name}  # the comparison of a row, where not FULL
ANIMACY = re.compile("(?P<file>.*)_(?P<animacy>anim|inanim)")
ENDING = ".pickle"


def read(path: Path) -> Suite:
    """The items of a file, or of all files of a folder, by name, each in its own order.

    Predictions are `full` and `prefix`, and, where some items are triples, of these the two
    comparisons with `intrusive`. A file of another name has itself as construction, and no language
    or licence. Raises `InputError` for what is no pickle of texts, and for members of other numbers
    than two or three sentences.
    """
    seen: dict[Region, Region] = {}
    items = [item for file in files_of(path, ENDING) for item in _items(file, seen)]
    if not items:
        raise InputError(str(path), "no pair in it", "a pickle of pairs or triples", kind="empty")
    name = named_in(path, "suite")
    name = _stem(path) if name is None else name
    of_triples = (RIGHT_INTRUSIVE, INTRUSIVE_WRONG)
    more = of_triples if any(INTRUSIVE in item.conditions for item in items) else ()
    return checked(Suite(name, tuple(items), (FULL, BY_PREFIX, *more)), str(path))


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(ENDING)


def _items(file: Path, seen: dict[Region, Region]) -> Iterator[Item]:
    """The items of a file. Regions that come again are taken from `seen` and put there: that makes
    172 MiB of what would be 484 for all files of the paper."""
    stem = _stem(file)
    for key, members in read_pickle(file).items():
        facts = facts_of(stem, key)
        is_released = "table" in facts
        for number, sentences in enumerate(members):
            place = f"{file}: {key}: member {number + 1}"
            identity = item_id(SOURCE, stem, key, number)
            conditions = _conditions(sentences, place, seen)
            raw = dict(zip(conditions, sentences, strict=True))
            plain = {name: sentence_text(own[0]) for name, own in conditions.items()}
            more = kept("marvin_linzen", [raw], [plain]) if raw != plain else {}
            yield Item(
                item_id=identity,
                kind="suite",
                cluster_id=identity,
                language="en" if is_released else "und",
                source=SOURCE if is_released else stem,
                licence=LICENCE if is_released else "",
                conditions=conditions,
                cell=key,
                facts={**facts, **more} if more else facts,  # one object for all items of a key
            )


def facts_of(file: str, key: str) -> Mapping[str, str]:
    """What file and key tell: the construction, the row of Table 1, numbers or tense, and the
    symbols of the key in words."""
    animacy, match = ANIMACY.fullmatch(file), KEY.fullmatch(key)
    plain = animacy["file"] if animacy else file
    facts = {"construction": file}
    if plain in FILES:
        phenomenon, condition = FILES[plain]
        facts = {
            "construction": f"{phenomenon}: {condition}",
            "condition_no": str(list(FILES).index(plain) + 1),
            "phenomenon": phenomenon,
            "condition": condition,
            "table": TABLE.get(plain, FULL.name),
        }
    facts |= {"file": file, "key": key, "period": "none"}
    if animacy:
        facts["animacy"] = animacy["animacy"]
    if match:
        facts["target_number"] = match["target"]
        facts["described"] = _described(match["target"], match["varied"])
        if match["attractor"]:
            facts["attractor_number"] = match["attractor"]
            facts["described"] += "; " + _described(match["attractor"], match["other"])
    elif key in TENSES:
        facts["tense"] = facts["described"] = key
    return facts


def _described(number: str, symbols: str) -> str:
    words = (SYMBOLS.get(each, each) for each in symbols.split("_"))
    return f"{NUMBERS[number]} {', '.join(words)}"


def _conditions(
    sentences: Members, place: str, seen: dict[Region, Region]
) -> dict[str, tuple[Wording, ...]]:
    names = CONDITIONS.get(len(sentences))
    words = [tuple(sentence.split()) for sentence in sentences]
    if names is None:
        raise InputError(
            place, f"{len(sentences)} sentences", "two or three sentences", kind="format"
        )
    if not all(words):
        raise InputError(place, "an empty sentence", "sentences with words", kind="format")
    first = _first_difference(words)
    wordings = [tuple(seen.setdefault(each, each) for each in _cut(own, first)) for own in words]
    return {name: (wording,) for name, wording in zip(names, wordings, strict=True)}


def _first_difference(sentences: Sequence[tuple[str, ...]]) -> int:
    """The first place at which not all have the same word; the last one if there is none."""
    shortest = min(map(len, sentences))
    places: Iterable[int] = range(shortest)
    differing = (i for i in places if len({words[i] for words in sentences}) > 1)
    return next(differing, shortest - 1)


def _cut(words: tuple[str, ...], target: int) -> Wording:
    return (
        _region(PREFIX, words[:target], ""),
        _region(TARGET, words[target : target + 1], " " if target else ""),
        _region(REST, words[target + 1 :], " "),
    )


def _region(name: str, words: tuple[str, ...], before: str) -> Region:
    return Region(name, words, before + " ".join(words) if words else "")


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Pairs and triples as one pickle if `path` ends in `.pickle`, else as a folder of those that
    the items are from, or of one for each construction. Raises `InputError` for other items."""
    groups = {item.item_id: group for group, items in grouped(suite).items() for item in items}
    files: dict[str, dict[str, list[Members]]] = {}
    is_file = path.name.removesuffix(".gz").endswith(ENDING)
    for item in suite.items:
        group = groups[item.item_id]
        file = "" if is_file else plain_name(item.facts.get("file", group))
        key = item.facts.get("key", item.cell or group)
        files.setdefault(file, {}).setdefault(key, []).append(_members(item))
    if is_file:
        write_pickle(path, files[""])
        return
    with written(path, "marvin_linzen", {"suite": suite.name}) as folder:
        for name, members in files.items():
            write_pickle(folder / f"{name}{ENDING}", members)


def _members(item: Item) -> Members:
    names = CONDITIONS[3 if INTRUSIVE in item.conditions else 2]
    if set(item.conditions) != set(names) or any(
        len(each) != 1 for each in item.conditions.values()
    ):
        pair_of(item)  # tells what is wrong
    plain = {name: sentence_text(item.conditions[name][0]) for name in names}
    (record,) = as_published("marvin_linzen", item.facts, [plain], sentences=frozenset(names))
    return tuple(str(record.get(name, plain[name])) for name in names)


FORMAT = Format(read, write)
