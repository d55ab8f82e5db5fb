"""A language's realiser: sentences in, well-formed text out, and a detector of ill-formed text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from colorless_green.miner.tree import Tree
from colorless_green.nonce.realise.language import Language
from colorless_green.nonce.realise.load import language_of, load_language
from colorless_green.nonce.realise.plan import Plan, plan_of
from colorless_green.nonce.realise.site import Ears
from colorless_green.nonce.realise.sound import Endings, Sounds


@dataclass(frozen=True, slots=True)
class Violation:
    """A word that does not look as its neighbours ask for."""

    node: int  # word of the tree, from 0
    stands: str
    should: str


@dataclass(frozen=True, slots=True)
class Realiser:
    """The rules of one language at work."""

    rules: Language
    ears: Ears

    @property
    def language(self) -> str:
        """BCP-47, without region."""
        return self.rules.code

    @property
    def has_rules(self) -> bool:
        """Whether the language has a file; without one nothing is repaired."""
        return self.rules.has_rules

    def sound(self, form: str) -> str:
        """The class of a word's beginning as the language's function words see it; without classes
        of its own, the first two letters as vowel and consonant (`CV`), "" where the script does
        not tell."""
        return self.ears.ahead[form]

    def plan(self, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]) -> Plan:
        """What can change in a sentence; made once for each original."""
        return plan_of(self.rules, self.ears, tree, tokens, spaces)

    def violations(
        self, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]
    ) -> tuple[Violation, ...]:
        """Every word that looks otherwise than the rules say, in order. For a variant, `tree` is
        the original's with the forms and places of its `Realised`."""
        plan = self.plan(tree, tokens, spaces)
        made = plan.forced()
        found: list[Violation] = []
        for node, (stands, should) in enumerate(zip(tree.forms, made.forms, strict=True)):
            if stands != should:
                found.append(Violation(node, stands, should))
        told = {each.node for each in found}
        for node, (old, new) in enumerate(zip(tree.tokens, made.places, strict=True)):
            own = plan.layout.members[old]
            if told.isdisjoint({*own, node + 1}) and tokens[old] != made.tokens[new]:
                found.append(Violation(node, tokens[old], made.tokens[new]))
                told |= {*own, node + 1}
        return tuple(sorted(found, key=lambda each: each.node))


def realiser(language: str) -> Realiser:
    """The realiser of a language by BCP-47 code; regions do not count. A language without a file
    gets a neutral one."""
    return _realiser(language_of(language.partition("-")[0].lower()))


def load_realiser(path: Path) -> Realiser:
    """The realiser of a language file of the user's own. Raises `InputError` for a bad one."""
    return _realiser(load_language(path))


@lru_cache(maxsize=256)
def _realiser(rules: Language) -> Realiser:
    return Realiser(rules, Ears(Sounds(rules.sounds), Endings(rules.endings)))
