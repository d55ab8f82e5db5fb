"""Verbs only."""


def main() -> None:
    """The command `colorless`."""
