"""`InputError`, the one exception for users' mistakes: it says where, what is wrong, what to do."""

from functools import partial
from typing import Any, Literal, TypeAlias

ErrorKind: TypeAlias = Literal[
    "missing",  # a file, a column, a stored thing or a needed option is not there
    "unknown",  # a name that is not among those there are
    "format",  # the content of a file is not of the form it should have
    "value",  # an option or setting has a value it cannot have
    "conflict",  # two things exclude each other: options, equal names, a folder of another program
    "changed",  # a file is not what it was when it was recorded
    "empty",  # there is nothing in it to work on
    "unsupported",  # this model, format or rule cannot do what is asked of it
    "unsafe",  # refused as dangerous: a pickle that runs code, a path out of an archive, a bomb
    "unreadable",  # the system refuses to read it, or its bytes are no text
    "unwritable",  # the system refuses to write it, or the disk is full
    "dependency",  # a package or program is not installed
    "network",  # a server does not answer as it should
    "resources",  # not enough memory, processes or devices
]


# A remedy that begins with one of these is a noun: the message puts "give" before it.
ARTICLES = ("a ", "an ", "another ", "one ", "other ", "the ")


class InputError(Exception):
    """A user's mistake. The command line prints it on one line and exits with code 2.

    Args:
        location: where it is: `file:line`, an option, or `suite name: item id`.
        wrong: what is wrong there, with the offending value.
        right: what would be right; something the reader can do.
        kind: the sort of mistake. Programs and tests may rely on `kind` and `location`; the wording
            of the rest may change with any release.

    >>> print(InputError("toy.conllu:3", "HEAD is 'x'", "a word number, or 0", kind="format"))
    toy.conllu:3: HEAD is 'x'; give a word number, or 0
    """

    def __init__(self, location: str, wrong: str, right: str, *, kind: ErrorKind) -> None:
        super().__init__(location, wrong, right)
        self.location, self.wrong, self.right, self.kind = location, wrong, right, kind

    def __str__(self) -> str:
        prefix = "give " if self.right.startswith(ARTICLES) else ""
        return f"{self.location}: {self.wrong}; {prefix}{self.right}"

    def __reduce__(self) -> tuple[Any, ...]:  # workers pickle it; `kind` is keyword-only
        return partial(InputError, kind=self.kind), self.args

    def at(self, location: str) -> "InputError":
        """Return the same error with another location."""
        return InputError(location, self.wrong, self.right, kind=self.kind)
