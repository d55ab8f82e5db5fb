"""Grammars for tests, and their derivations as a person reads them."""

from collections.abc import Iterable
from dataclasses import replace
from importlib.resources import files

from colorless_green.nonce import Derivation, Grammar, item_counts, parse_grammar, to_conllu

TEMPLATES = files("colorless_green") / "nonce" / "grammar" / "templates"


def template_text(name: str) -> str:
    """Return the text of a grammar that comes with the tool."""
    return (TEMPLATES / f"{name}.toml").read_text("utf-8")


def of_templates(grammar: Grammar, *names: str) -> Grammar:
    """Return the grammar with some of its templates alone, as `only` gives it."""
    chosen = [shape for shape in grammar.shapes if shape.template in names]
    shapes = tuple(replace(shape, number=number) for number, shape in enumerate(chosen))
    return replace(grammar, shapes=shapes)


def n_items(grammar: Grammar) -> int:
    """How many items a grammar has, counted without making any."""
    return sum(int(str(row["n_items"])) for row in item_counts(grammar))


def text_of(derivation: Derivation) -> str:
    """Return the sentence of a derivation."""
    return to_conllu(derivation, "x").split("\n")[1].removeprefix("# text = ")


def texts(derivations: Iterable[Derivation]) -> list[str]:
    """Return the sentences of derivations."""
    return list(map(text_of, derivations))


def rows_of(derivation: Derivation) -> list[list[str]]:
    """Return the columns of every token and word of a derivation, as CoNLL-U has them."""
    lines = to_conllu(derivation, "x").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def small(rules: str, lexicon: str, *, before: str = "", after: str = "") -> Grammar:
    """Return a grammar of one number feature and these templates and word lists."""
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
