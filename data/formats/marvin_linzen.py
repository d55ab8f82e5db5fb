"""The format of Marvin & Linzen's pickles (LM_syneval; 2018, EMNLP): pairs, and triples for NPIs.

A file has the sentences of one template. Its keys are combinations of numbers:
`sing_MS_MV_plur_ES_EV` has a singular main subject and verb and a plural embedded one. The
conditions of a pair are `right` and `wrong`. A triple has a third one, `intrusive`, in which the
licensor stands where it does not c-command the NPI. Sentences are in lower case and have no full
stop (the fact `period` is `none`); the authors scored them with one. Words stand between blanks.

The authors compare whole sentences (`full`) or, with `word_only`, the first word that differs
(`prefix`). They do not say which comparison of a triple is which row of their Table 1; the fact
`table` follows the examples of the abstract (SCiL 2019, 12-13).
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError
from ..items.item import RIGHT, WRONG, Item, Region, Wording, item_id, wording
from ..items.prediction import parse_prediction
from ..items.suite import Suite, checked
from ..opening import open_unpacked
from ..pickles import PickledData, PickleRefused, allowed_steps
from ..records import malformed, stem
from .format import PAPERS, Format, files_of, suite_name
from .pair_formats import BY_PREFIX, FULL

SOURCE, LICENCE = "Marvin & Linzen 2018", "MIT"
INTRUSIVE = "intrusive"
CONDITIONS = {2: (RIGHT, WRONG), 3: (RIGHT, INTRUSIVE, WRONG)}
RIGHT_INTRUSIVE = parse_prediction(
    "(*;%right%) < (*;%intrusive%)", "right_intrusive", "prediction", optional=True
)
INTRUSIVE_WRONG = parse_prediction(
    "(*;%intrusive%) < (*;%wrong%)", "intrusive_wrong", "prediction", optional=True
)
KEY = re.compile(  # its groups are facts
    r"(?P<target_number>sing|plur)_[A-Z_]+?(?:_(?P<attractor_number>sing|plur)_[A-Z_]+)?"
    "|(?P<tense>past|future)"
)
PAPER_CONDITIONS: Mapping[str, tuple[str, str]] = PAPERS["marvin_linzen"]
"""Stem of a file → phenomenon and condition in Table 1, in its order"""
TABLE_PREDICTIONS = {"npi_across": RIGHT_INTRUSIVE.name}  # behind rows of Table 1; others: FULL
ANIMACY = re.compile("(?P<file>.*)_(?P<animacy>anim|inanim)")
ENDINGS = (".pickle",)
MOST_BYTES = 1 << 26  # bytes unpacked; the largest of Marvin and Linzen's has 3 MiB
# A small pickle can repeat one text without end, so what it holds is bounded, too:
MOST_MEMBERS = 1 << 21  # members of all lists together
MOST_CHARACTERS = 1 << 28  # characters of all members together
MAX_TEXTS = 1_000  # texts of one member
EXPECTED = "a dictionary of lists of tuples of texts, and nothing else"

Members: TypeAlias = tuple[str, ...]
"""The two or three sentences of an item"""


def read(path: Path) -> Suite:
    """Read the suite of a file, or of all files of a folder.

    Its predictions are `full` and `prefix`; if some items are triples, also the two comparisons
    with `intrusive`. A file that is not in PAPER_CONDITIONS is its own construction and has no
    language and licence. Raises `InputError` for a file that is not a pickle of texts, and for an
    item that does not have two or three sentences.
    """
    shared: dict[Region, Region] = {}
    items = [item for file in files_of(path, ENDINGS) for item in _items(file, shared)]
    of_triples = (RIGHT_INTRUSIVE, INTRUSIVE_WRONG)
    more = of_triples if any(INTRUSIVE in item.conditions for item in items) else ()
    name = suite_name(path, ENDINGS)
    suite = Suite(name, tuple(items), (FULL, BY_PREFIX, *more))
    return checked(suite, str(path), "a pickle of pairs or triples")


def _items(file: Path, shared: dict[Region, Region]) -> Iterator[Item]:
    """Yield the items of a file.

    Equal regions become one object, kept in `shared`: so all files of the paper take 172 MiB of
    memory and not 484. A *member* of a key is an item: a tuple of its sentences.
    """
    name = stem(file, ENDINGS)
    for key, members in read_pickle(file).items():
        facts = key_facts(name, key)
        origin = ("en", SOURCE, LICENCE) if "table" in facts else ("und", name, "")
        for number, sentences in enumerate(members):
            location = f"{file}: {key}: member {number + 1}"
            identity = item_id(SOURCE, name, key, number)
            conditions = _conditions(sentences, location, shared)
            fields = (identity, "suite", identity, *origin)
            yield Item(*fields, conditions, cell=key, facts=facts)  # items of a key share `facts`


def key_facts(file: str, key: str) -> Mapping[str, str]:
    """Return the facts that a file's stem and a key in it give: name → text.

    They are the construction, the row of Table 1, and grammatical numbers or tense.
    """
    animacy, match = ANIMACY.fullmatch(file), KEY.fullmatch(key)
    plain = animacy["file"] if animacy else file
    facts: dict[str, str | None] = {"construction": file}
    if plain in PAPER_CONDITIONS:
        phenomenon, condition = PAPER_CONDITIONS[plain]
        facts = {
            "construction": f"{phenomenon}: {condition}",
            "condition_no": str(list(PAPER_CONDITIONS).index(plain) + 1),
            "phenomenon": phenomenon,
            "condition": condition,
            "table": TABLE_PREDICTIONS.get(plain, FULL.name),
        }
    facts |= {"file": file, "key": key, "period": "none"}
    facts |= {"animacy": animacy["animacy"] if animacy else None}
    facts |= match.groupdict() if match else {}
    return {name: fact for name, fact in facts.items() if fact is not None}


def _conditions(
    sentences: Members, location: str, shared: dict[Region, Region]
) -> dict[str, tuple[Wording, ...]]:
    """Return condition → its sentence, cut into prefix, target and rest. An item has two or three
    sentences; the target is the first word in which they differ."""
    words = [tuple(sentence.split()) for sentence in sentences]
    if len(words) not in CONDITIONS:
        raise malformed(location, f"{len(words)} sentences", "two or three sentences")
    if not all(words):
        raise malformed(location, "an empty sentence", "sentences with words")
    shortest = min(map(len, words))
    differing = (i for i in range(shortest) if len({tokens[i] for tokens in words}) > 1)
    target = next(differing, shortest - 1)  # the last word if the sentences are equal
    conditions: dict[str, tuple[Wording, ...]] = {}
    for name, tokens in zip(CONDITIONS[len(words)], words, strict=True):
        regions = wording(tokens, ("", *[" "] * (len(tokens) - 1)), target)
        conditions[name] = (tuple([shared.setdefault(region, region) for region in regions]),)
    return conditions


class _Texts(PickledData):
    """An unpickler of texts, tuples, lists and dictionaries, and of nothing else."""

    dispatch = allowed_steps("""
        PROTO FRAME STOP MARK POP POP_MARK STRING UNICODE BINSTRING SHORT_BINSTRING BINUNICODE
        SHORT_BINUNICODE BINUNICODE8 EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST LIST APPEND
        APPENDS EMPTY_DICT DICT SETITEM SETITEMS PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET
        LONG_BINGET
    """)

    def _decode_string(self, raw: bytes) -> str:
        """Return the text of a Python 2 string."""
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw.decode("latin-1")


def read_pickle(path: Path) -> dict[str, list[Members]]:
    """Read a pickle and return key → list of items, each a tuple of its sentences. Texts of
    Python 2 are decoded as UTF-8, or else as Latin-1.

    Raises `InputError` for a pickle with other instructions (a class, a call, a number) or other
    types, with more than MOST_BYTES bytes or MOST_MEMBERS members, and for one that is cut off.
    """
    with open_unpacked(path) as stream:
        content = stream.read(MOST_BYTES + 1)
    try:
        if len(content) > MOST_BYTES:
            raise PickleRefused(f"it has more than {MOST_BYTES >> 20} MiB")
        return _demand_texts(_Texts(content).load())
    except Exception as error:  # a broken pickle can raise any exception
        is_refusal = isinstance(error, PickleRefused)
        reason = error if is_refusal else f"it is broken ({type(error).__name__})"
        wrong = f"a pickle that is refused: {reason}"
        raise InputError(str(path), wrong, EXPECTED, kind="unsafe") from None


def _demand_texts(value: Any) -> dict[str, list[Members]]:
    """Return the value of a pickle unchanged if it is a dictionary of lists of tuples of texts.

    Raises `PickleRefused` for any other type and for a value that is too large.
    """
    if type(value) is not dict:
        raise PickleRefused(f"it holds a {type(value).__name__}")
    n_members = n_characters = 0
    for key, members in value.items():
        if type(key) is not str or type(members) is not list:
            raise PickleRefused(f"{key!r:.40} is a {type(members).__name__}")
        n_members += len(members)
        if n_members > MOST_MEMBERS:
            raise PickleRefused(f"it has more than {MOST_MEMBERS:,} members")
        for member in members:
            is_texts = type(member) is tuple and set(map(type, member)) <= {str}
            if not is_texts or len(member) > MAX_TEXTS:
                raise PickleRefused(f"{key!r:.40} has a member that is no tuple of texts")
            n_characters += sum(map(len, member))
        if n_characters > MOST_CHARACTERS:
            raise PickleRefused(f"it has more than {MOST_CHARACTERS:,} characters")
        # Half of a surrogate pair is not a text: `encode` raises an error for it.
        "".join(text for member in members for text in member).encode()
    return value


FORMAT = Format(read)
