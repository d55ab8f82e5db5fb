"""The verb status."""

import colorless_green
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import DEFAULT_STORE, StorePath


def status(
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """List what the store holds, and what is installed.

    Examples:
        colorless status
        colorless status --store german.db --json
    """
    return colorless_green.status
