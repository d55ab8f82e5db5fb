"""The verbs that look around: status and doctor."""

import colorless_green
from colorless_green.verbs.call import call
from colorless_green.verbs.options import DEFAULT_STORE, As, AsJson, Quiet, StorePath


def status(
    store: StorePath = DEFAULT_STORE,
    form: As = "table",
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Tell what the store holds: minings, suites, models with their language, runs, judgments.

    Examples:
        colorless status
        colorless status --store german.db --json
    """
    call(colorless_green.status, locals())


def doctor(form: As = "table", as_json: AsJson = False, quiet: Quiet = False) -> None:
    """Tell what is installed, the GPU, the cache, and what each extra would bring.

    Examples:
        colorless doctor
        colorless doctor --as markdown
    """
    call(colorless_green.doctor, locals())
