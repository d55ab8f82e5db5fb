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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.folder import files_of, suite_name, write_files
from colorless_green.nonce.formats.pairs import BY_PREFIX, FULL, groups_of, pair_of, plain_name
from colorless_green.nonce.formats.pickled import Members, read_pickle, write_pickle
from colorless_green.nonce.formats.records import as_published, kept, malformed, stem
from colorless_green.nonce.item import (
    RIGHT,
    WRONG,
    Item,
    Region,
    Wording,
    item_id,
    sentence_text,
    wording,
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
    "MS": "main subject", "MV": "main verb", "LMV": "long main verb", "ES": "embedded subject",
    "EV": "embedded verb", "IS": "inanimate subject", "IV": "inanimate verb", "BS": "outer subject",
    "ANPHR": "reflexive",
}  # fmt: skip
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
ENDINGS = (".pickle",)


def read(path: Path) -> Suite:
    """The items of a file, or of all files of a folder, by name, each in its own order.

    Predictions are `full` and `prefix`, and, where some items are triples, of these the two
    comparisons with `intrusive`. A file of another name has itself as construction, and no language
    or licence. Raises `InputError` for what is no pickle of texts, and for members of other numbers
    than two or three sentences.
    """
    seen: dict[Region, Region] = {}
    items = [item for file in files_of(path, ENDINGS) for item in _items(file, seen)]
    if not items:
        raise InputError(str(path), "no pair in it", "a pickle of pairs or triples", kind="empty")
    of_triples = (RIGHT_INTRUSIVE, INTRUSIVE_WRONG)
    more = of_triples if any(INTRUSIVE in item.conditions for item in items) else ()
    name = suite_name(path, stem(path, ENDINGS))
    return checked(Suite(name, tuple(items), (FULL, BY_PREFIX, *more)), str(path))


def _items(file: Path, seen: dict[Region, Region]) -> Iterator[Item]:
    """The items of a file. Regions that come again are taken from `seen` and put there: that makes
    172 MiB of what would be 484 for all files of the paper."""
    name = stem(file, ENDINGS)
    for key, members in read_pickle(file).items():
        facts = facts_of(name, key)
        is_released = "table" in facts
        for number, sentences in enumerate(members):
            place = f"{file}: {key}: member {number + 1}"
            identity = item_id(SOURCE, name, key, number)
            conditions = _conditions(sentences, place, seen)
            raw = dict(zip(conditions, sentences, strict=True))
            plain = {each: sentence_text(own[0]) for each, own in conditions.items()}
            more = kept("marvin_linzen", [raw], [plain]) if raw != plain else {}
            yield Item(
                item_id=identity,
                kind="suite",
                cluster_id=identity,
                language="en" if is_released else "und",
                source=SOURCE if is_released else name,
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
    words = [tuple(sentence.split()) for sentence in sentences]
    if len(words) not in CONDITIONS:
        raise malformed(place, f"{len(words)} sentences", "two or three sentences")
    if not all(words):
        raise malformed(place, "an empty sentence", "sentences with words")
    shortest = min(map(len, words))
    differing = (n for n in range(shortest) if len({own[n] for own in words}) > 1)
    target = next(differing, shortest - 1)  # the last word where the sentences are equal
    found: dict[str, tuple[Wording, ...]] = {}
    for name, own in zip(CONDITIONS[len(words)], words, strict=True):
        regions = wording(own, ("", *[" "] * (len(own) - 1)), target)
        found[name] = (tuple(seen.setdefault(region, region) for region in regions),)
    return found


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Pairs and triples as one pickle if `path` ends in `.pickle`, else as a folder of those that
    the items are from, or of one for each construction. Raises `InputError` for other items."""
    groups = groups_of(suite)

    def write_file(file: Path, items: Sequence[Item]) -> None:
        members: dict[str, list[Members]] = {}
        for item in items:
            key = item.facts.get("key", item.cell or groups[item.item_id])
            members.setdefault(key, []).append(_members(item))
        write_pickle(file, members)

    def file_of(item: Item) -> str:
        return plain_name(item.facts.get("file", groups[item.item_id]))

    write_files(suite, path, "marvin_linzen", ENDINGS, file_of, write_file)


def _members(item: Item) -> Members:
    names = CONDITIONS[3 if INTRUSIVE in item.conditions else 2]
    if set(item.conditions) != {*names} or {*map(len, item.conditions.values())} != {1}:
        pair_of(item)  # tells what is wrong
    plain = {name: sentence_text(item.conditions[name][0]) for name in names}
    (record,) = as_published("marvin_linzen", item.facts, [plain], sentences=frozenset(names))
    return tuple(str(record.get(name, plain[name])) for name in names)


FORMAT = Format(read, write)
