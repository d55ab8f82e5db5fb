"""The one exception for mistakes of users: what is wrong, where, and what would be right."""


class InputError(Exception):
    """A user's mistake. The command line prints it on one line and exits 2."""

    def __init__(self, place: str, wrong: str, right: str, *, kind: str = "value") -> None:
        super().__init__(place, wrong, right)
        self.place, self.wrong, self.right, self.kind = place, wrong, right, kind

    def __str__(self) -> str:
        return f"{self.place}: {self.wrong}; {self.right}"
