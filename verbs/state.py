"""The verbs that look around: status and doctor."""

import colorless_green
from colorless_green.verbs.command import Function
from colorless_green.verbs.options import DEFAULT_STORE, StorePath


def status(
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """List what the store holds: minings, suites, models, runs and judgments.

    Examples:
        colorless status
        colorless status --store german.db --json
    """
    return colorless_green.status


def doctor() -> Function:
    """Show the installation: versions, extras, GPU and cache.

    Examples:
        colorless doctor
        colorless doctor --as markdown
    """
    return colorless_green.doctor
