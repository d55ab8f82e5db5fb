"""What variants are made with."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from colorless_green.miner.cue_words import Telling
from colorless_green.miner.paradigms import Paradigms
from colorless_green.nonce.balance.inflection import Inflection
from colorless_green.nonce.levels.level import Level, Matcher
from colorless_green.nonce.lexicon import Lexicon
from colorless_green.nonce.pseudo.coin import Pseudo
from colorless_green.nonce.realise.realiser import Realiser


@dataclass(frozen=True, slots=True)
class Balance:
    """Which cells of a factorial block are made."""

    inflections: Mapping[str, Inflection]  # feature, as the cue has it →
    attractors: int | None = None  # every cell up to so many; None: what can be had in both values


@dataclass(frozen=True)
class Matching:
    """Words, levels beyond `morphology`, how sentences are written, and what else is asked."""

    lexicon: Lexicon
    realiser: Realiser
    levels: tuple[tuple[Level, Matcher], ...] = ()
    keep_tail: bool | None = None  # whether words after the target stay; None: as the level has it
    balance: Balance | None = None
    pseudo: Pseudo | None = None  # content words become pseudo-words
    paradigms: Paradigms | None = None  # of all forms, where the rule's lexicon has letters alone
    tellings: Mapping[str, Telling] = field(default_factory=dict)  # feature → words that tell it
    told: Mapping[str, str] = field(default_factory=dict)  # what else they depend on: files
    words_from: tuple[str, str] = ("", "")  # treebank and licence, where not the originals' own

    @property
    def all_paradigms(self) -> Paradigms:
        """The analyses of every form of the treebank."""
        return self.paradigms or self.lexicon.paradigms

    def coinable(self, lemma: str, upos: str, form: str) -> bool:
        """Whether a pseudo-word can be made of a word; looked at once."""
        key = (lemma, upos, form)
        if key not in self._coinable:
            self._coinable[key] = self.pseudo is None or not self.pseudo.refusal(*key)
        return self._coinable[key]

    @cached_property
    def _coinable(self) -> dict[tuple[str, str, str], bool]:
        return {}

    @cached_property
    def identity(self) -> str:
        """A digest of everything but level, seed and number that a variant depends on."""
        parts = [self.lexicon.identity, str(self.keep_tail), str(self.pseudo is not None)]
        if self.balance is not None:
            parts.append(f"balance {self.balance.attractors}")
        parts += [f"{name}={value}" for name, value in sorted(self.told.items())]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()
