"""Grammars for tests, and their derivations as a person reads them."""

from collections.abc import Iterable

from colorless_green.nonce import Derivation, Grammar, parse_grammar, to_conllu


def text_of(derivation: Derivation) -> str:
    """The sentence of a derivation."""
    return to_conllu(derivation, "x").split("\n")[1].removeprefix("# text = ")


def texts(derivations: Iterable[Derivation]) -> list[str]:
    """The sentences of derivations."""
    return list(map(text_of, derivations))


def rows_of(derivation: Derivation) -> list[list[str]]:
    """The columns of every token and word of a derivation, as CoNLL-U has them."""
    lines = to_conllu(derivation, "x").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def small(rules: str, lexicon: str, *, before: str = "", after: str = "") -> Grammar:
    """A grammar of one number feature and these templates and word lists."""
    return parse_grammar(
        f"""
name = "toy"
language = "xx"
capital = false
[features]
Number = ["Sing", "Plur"]
{before}
[indices]
n = "Number"
m = "Number"
[sentences]
{rules}
[lexicon]
{lexicon}
{after}
""",
        "toy.toml",
    )
