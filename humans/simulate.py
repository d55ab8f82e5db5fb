"""Judgments made up by a program, to show what a comparison looks like. Never called data.

Every simulated participant picks the right form with a probability that falls, in log-odds, with
nonce words and with each attractor: the shape of Gulordava et al. 2018, Figure 2, not its numbers.
"""

import math
from collections.abc import Iterator, Sequence

from colorless_green.data.seeds import generator
from colorless_green.data.tables import Row
from colorless_green.nonce.item import Item, factors_of

COLUMNS = ("item", "participant", "chosen", "correct_form")
LOG_ODDS = 3.2  # of the right form in an original without attractors: about 96 %
NONCE = -0.9
ATTRACTOR = -0.8
SPREAD = 0.7  # of items, uniform on both sides


def simulated_judgments(items: Sequence[Item], *, n_participants: int, seed: int) -> Iterator[Row]:
    """One answer of each participant to each agreement item with two different forms."""
    for item in items:
        agreement = item.agreement
        if agreement is None or agreement.right == agreement.wrong:
            continue
        rng = generator(seed, f"simulated judgments\t{item.item_id}")
        n_attractors = int(factors_of(item)["n_attractors"] or 0)
        log_odds = LOG_ODDS + NONCE * (item.kind == "nonce") + ATTRACTOR * n_attractors
        log_odds += SPREAD * (2 * rng.random() - 1)
        probability = 1 / (1 + math.exp(-log_odds))
        for number in range(1, n_participants + 1):
            right = rng.random() < probability
            yield {
                "item": item.item_id,
                "participant": f"simulated-{number:02d}",
                "chosen": agreement.right if right else agreement.wrong,
                "correct_form": agreement.right,
            }
