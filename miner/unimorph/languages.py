"""What UniMorph and UD write differently in single languages (`languages.toml`)."""

import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from colorless_green.miner.features import parse_feats, with_value
from colorless_green.miner.unimorph.bundle import Bundle, parse_bundle


@dataclass(frozen=True, slots=True)
class Assumption:
    """A value that UD leaves out and UniMorph states."""

    upos: str
    having: Mapping[str, str]  # features and values a word must have
    without: str  # the feature it must not have
    then: tuple[str, str]  # feature and value that hold


@dataclass(frozen=True, slots=True)
class StandIn:
    """A bundle that stands for others too, since the language has one form for them all."""

    bundle: Bundle
    reads: tuple[Bundle, ...]
    exceptions: frozenset[str]  # lemmas of which that is not true


@dataclass(frozen=True, slots=True)
class Conventions:
    """How to bring a word list and a treebank of one language together."""

    dropped: frozenset[str] = frozenset()  # characters UD does not write
    assumed: tuple[Assumption, ...] = ()
    also: tuple[StandIn, ...] = ()


def conventions(language: str) -> Conventions:
    """Those of a language by BCP-47 code (`en-GB` is looked up as `en`); none for most."""
    return CONVENTIONS.get(language.partition("-")[0].lower(), NONE)


def bare(text: str, dropped: frozenset[str]) -> str:
    """A word without the characters of `dropped`, wherever they are part of a composed letter;
    as it is if nothing would be left."""
    if not dropped:
        return text
    kept = "".join(each for each in unicodedata.normalize("NFD", text) if each not in dropped)
    return unicodedata.normalize("NFC", kept) or text


def completed(upos: str, feats: str, assumed: tuple[Assumption, ...]) -> str:
    """FEATS with what the language's assumptions add."""
    for each in assumed:
        stated = parse_feats(feats)
        if (
            upos == each.upos
            and each.without not in stated
            and all(stated.get(name) == value for name, value in each.having.items())
        ):
            feats = with_value(feats, *each.then)
    return feats


def _characters(ranges: list[str]) -> frozenset[str]:
    """Code points and ranges of them, in hexadecimal, both ends included."""
    found: set[str] = set()
    for each in ranges:
        first, _, last = each.partition("-")
        found.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return frozenset(found)


def _assumption(entry: Mapping[str, str]) -> Assumption:
    feature, _, value = entry["then"].partition("=")
    having = dict(parse_feats(entry.get("having", "_")))
    return Assumption(entry["upos"], having, entry["without"], (feature, value))


def _stand_in(entry: Mapping[str, Any]) -> StandIn:
    reads = tuple(map(parse_bundle, entry["reads"]))
    return StandIn(parse_bundle(entry["bundle"]), reads, frozenset(entry["except"]))


def _conventions(entry: Mapping[str, Any]) -> Conventions:
    return Conventions(
        _characters(entry.get("drop", [])),
        tuple(map(_assumption, entry.get("assume", []))),
        tuple(map(_stand_in, entry.get("also", []))),
    )


NONE = Conventions()
CONVENTIONS: Mapping[str, Conventions] = {
    language: _conventions(entry)
    for language, entry in tomllib.loads(
        Path(__file__).with_name("languages.toml").read_text(encoding="utf-8")
    ).items()
}
