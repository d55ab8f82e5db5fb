"""Standard input where a file is wanted: what reads twice gets a copy of it."""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from colorless_green.data.errors import InputError

STDIN = Path("-")
BLOCK = 1 << 20

Told = Callable[[InputError], InputError]
"""An error about the copy as one about standard input; any other as it is."""


@contextmanager
def spooled(paths: Sequence[Path], ending: str) -> Iterator[tuple[list[Path], Told]]:
    """The paths, with standard input as a file (of this ending) in the place of `-`, and what
    renames errors about it. Errors raised inside are renamed already."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / f"stdin{ending}"
        if STDIN in paths:
            with open(copy, "wb") as stream:
                while block := sys.stdin.buffer.read(BLOCK):
                    stream.write(block)

        def told(error: InputError) -> InputError:
            place = error.place.replace(str(copy), "standard input")
            return error.at(place)

        try:
            yield [copy if path == STDIN else path for path in paths], told
        except InputError as error:
            raise told(error) from None
