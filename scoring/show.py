"""Show settings as TOML, and what is in a suite: the public function `show`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..data.configuration import Configuration, configured
from ..data.errors import InputError
from ..data.items.suite import Suite
from ..data.result import Result
from ..data.store import StoreLike
from ..data.stored_suites import find_suite, newest_note, store_of
from ..data.tables import Row
from ..miner.rule import Rule
from ..nonce.page.review_page import write_page
from ..nonce.variants.nonce_account import rejections_of
from ..nonce.variants.recipe import Recipe
from .outcomes.method import Method
from .training.sizes import Training

KINDS: Mapping[str, type[Configuration]] = {
    kind.NOUN: kind for kind in (Rule, Recipe, Method, Training)
}


def show(
    name: str | Path | Suite = "",
    *,
    rejected: bool = False,
    page: str | Path | None = None,
    store: StoreLike = None,
    write: Callable[[str], object] = print,
) -> Result:
    """Show a suite, or print a rule, recipe, method or training as TOML that can be edited.

    Args:
        name: a suite (a file, a name or @number), or settings: NAME, or KIND:NAME where several
            have one name, or KIND:FILE [default: the names of all settings].
        rejected: show the originals that a suite of variants leaves out, with the reasons.
        page: write an HTML page to this file, for reading and marking the items of a suite.
        store: the project's database, where suites are looked up.
        write: called with the TOML.

    Returns:
        Of a suite the number of items by construction and kind; of settings nothing but where
        several have the name, which are listed.

    Raises:
        InputError: nothing has this name, or a suite has no account of what it leaves out.

    Commands:
        colorless show tested
        colorless show @3 --page review.html

    >>> import colorless_green as cg
    >>> cg.show("recipe:gulordava2018", write=lambda text: print(text.splitlines()[0]))
    # recipe gulordava2018
    <BLANKLINE>
    """
    if not (rejected or page) and isinstance(name, str):
        kind, colon, bare = name.partition(":")
        if colon and kind in KINDS:
            write(configured(KINDS[kind], bare).to_toml())
            return Result()
        holders = [known for known in KINDS.values() if not name or name in known.known()]
        if name and len(holders) == 1:
            write(holders[0](extends=name).to_toml())
            return Result()
        if holders:
            names = [(kind.NOUN, known) for kind in holders for known in kind.known()]
            return _listed([pair for pair in names if name in ("", pair[1])], name)
        if name.endswith(".toml"):
            right = f"{' or '.join(f'{kind}:{name}' for kind in KINDS)}"
            raise InputError("name", f"{name} may be settings of any kind", right, kind="value")
    return _shown_suite(name, rejected, page, store)


def _listed(names: Sequence[tuple[str, str]], name: str) -> Result:
    """Return the settings of these kinds and names, and how to print one of them."""
    rows: list[Row] = []
    for kind, known in names:
        usual, settings = KINDS[kind]().contents(), KINDS[kind](extends=known).contents()
        changed = [
            f"{key} {value}"
            for key, value in settings.items()
            if value != usual[key] and key != "extends"
        ]
        rows.append({"kind": kind, "name": known, "settings": ", ".join(changed) or "default"})
    kind, known = names[0]
    heading = f"{name} stands for {len(names)}" if name else "settings under names"
    message = f"{heading}; print one with `colorless show {kind}:{known}`"
    return Result(rows, ("kind", "name", "settings"), [message])


def _shown_suite(
    name: str | Path | Suite, rejected: bool, page: str | Path | None, store: StoreLike
) -> Result:
    """Return how many items a suite has by construction and kind, or what it leaves out; write
    its page."""
    with store_of(name, store) as opened:
        suite, suite_id = find_suite(opened, name)
        note = newest_note(name, suite)
        if page is not None:
            write_page(suite, Path(page))
            note.append(f"{page}: a page for reading and marking {len(suite.items):,} items")
        if rejected:
            left_out = rejections_of(opened, suite_id or 0)
            return Result(left_out.to_dicts(), left_out.columns, note)
    counts = suite.table.frame.group_by("construction", "kind", maintain_order=True).len("n_items")
    made = [f"{suite.name}: {suite.meta['made']}"] if "made" in suite.meta else []
    return Result(counts.to_dicts(), counts.columns, [*note, *made])
