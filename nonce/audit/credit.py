"""What a guess is worth."""

from collections.abc import Mapping

TIE = 1e-9  # sums of logarithms that are equal on paper differ by less, those that are not by more


def credit(margin: float) -> float:
    """1 for a positive margin of the right form over the wrong one, 0 for a negative, ½ for a
    tie."""
    return 0.5 if abs(margin) <= TIE else float(margin > 0)


def share(scores: Mapping[str, float], right: str) -> float:
    """Of the values with the highest score, the share that `right` is: 1 alone, 1/k among k, 0 if
    it is not among them."""
    highest = max(scores.values())
    best = [value for value, score in scores.items() if highest - score <= TIE]
    return float(right in best) / len(best)
