"""What a worker keeps, told by itself; apart from the tests, so that asking needs no torch."""

import os
import time

from colorless_green.scoring import spread


def kept_here(job: int) -> tuple[int, tuple[int, ...]]:
    """This process, and its models by their place in memory."""
    time.sleep(0.05)  # the other workers get some jobs too
    return os.getpid(), tuple(id(scorer) for scorer in spread._kept.values())
