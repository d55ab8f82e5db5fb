"""The verb status."""

from .command import Function
from .options import DEFAULT_STORE, StorePath


def status(
    store: StorePath = DEFAULT_STORE,
) -> Function:
    """List what the store holds, and what is installed.

    Examples:
        colorless status
        colorless status --store german.db --json
    """
    from ..data.status import status

    return status
