"""Sentences to be realised, written as short as they can be read."""

from collections.abc import Sequence

from colorless_green.data import Tree, raw_text
from colorless_green.nonce import RealisedSentence, SentencePlan, realiser

Joined = dict[int, str]


def planned(language: str, text: str, joined: Joined | None = None) -> SentencePlan:
    """Return the plan of words written `form/UPOS/FEATS/head` (head from 1, 0 for none); `_`
    after a word stands for no blank. `joined`: index of a first word → the token of it and the
    next one."""
    rows = text.split()
    words = [row.removesuffix("_").rsplit("/", 3) for row in rows]
    tight = [row.endswith("_") for row in rows]
    tokens: list[str] = []
    spaces: list[str] = []
    places: list[int] = []
    joined = joined or {}
    for index, (form, *_) in enumerate(words):
        if index - 1 in joined:
            places.append(len(tokens) - 1)
            continue
        spaces.append("" if index == 0 or tight[index - 1] else " ")
        tokens.append(joined.get(index, form))
        places.append(len(tokens) - 1)
    tree = Tree(
        forms=tuple(word[0] for word in words),
        lemmas=tuple(word[0].lower() for word in words),
        upos=tuple(word[1] for word in words),
        feats=tuple("|".join(word[2].split(",")) if word[2] != "-" else "_" for word in words),
        heads=tuple(int(word[3]) - 1 for word in words),
        deprels=("dep",) * len(words),
        tokens=tuple(places),
    )
    return realiser(language).plan(tree, tokens, spaces)


def said(made: RealisedSentence) -> str:
    return raw_text(made.tokens, made.spaces)


def violations(plan: SentencePlan, tokens: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Word of the tree → how it looks and how its neighbours ask it to look, if that differs."""
    forced, tree = plan.forced(), plan.layout.tree
    pairs = enumerate(zip(tree.forms, forced.forms, strict=True))
    broken = {node: pair for node, pair in pairs if pair[0] != pair[1]}
    covered = set(broken)
    for node, (old, new) in enumerate(zip(tree.tokens, forced.token_of, strict=True)):
        nodes = {*plan.layout.members[old], node + 1}
        if covered.isdisjoint(nodes) and tokens[old] != forced.tokens[new]:
            broken[node] = (tokens[old], forced.tokens[new])
            covered |= nodes
    return broken
