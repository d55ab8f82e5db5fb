"""From the options of a verb to the function that does the work: one jump."""

from collections.abc import Callable, Mapping
from typing import Any

from colorless_green.data import console
from colorless_green.data.progress import drawn

NO_STORE = "none"
PRINTING = ("form", "as_json", "quiet")  # the options that are about printing alone


def call(function: Callable[..., Any], options: Mapping[str, Any], **more: Any) -> None:
    """Calls the public function whose options a verb declares, and prints what it returns.

    Args:
        function: takes every option of the verb under its name, but those about printing.
        options: all arguments of the verb, `locals()`. That a function has every option of its
            verb, with the same default, is a law of the tests (`tests/test_verbs.py`).
        more: what a command line has and a caller from Python need not say.
    """
    own = {name: value for name, value in options.items() if name not in PRINTING}
    if own.get("store") == NO_STORE:
        own["store"] = None
    with drawn(not options["quiet"]) as progress:
        result = function(**own, **more, progress=progress)
    account = getattr(result, "account", result)  # of a suite, what its maker tells of it
    console.show(account, options["form"], options["as_json"], options["quiet"])
