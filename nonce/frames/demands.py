"""What a frame asks of the word that fills it."""

from collections.abc import Iterable

from colorless_green.nonce.frames.evidence import Evidence
from colorless_green.nonce.frames.use import Fact

INNER = frozenset({"phrase", "compounded", "determining", "within", "before"})  # no frame asks


def demands(evidence: Evidence, upos: str, facts: Iterable[Fact]) -> frozenset[Fact]:
    """What a frame asks of the word that fills it: the facts of the use less the free ones."""
    asked: set[Fact] = set()
    for question, answer in facts:
        if question.startswith("quantified "):
            if question == "quantified Plur":
                continue
            fact = evidence.counting.get((question, answer), (question, answer))
        elif (
            question.partition(" ")[0] in INNER
            or (question.startswith("det ") and answer == "quant")
            or (question.startswith("alone ") and answer == "no")
        ):
            continue
        else:
            fact = (question, answer)
        if (upos, fact) not in evidence.free:
            asked.add(fact)
    return frozenset(asked)
