"""Show what is in a suite, a mining, a model folder or settings: the public function `show`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..data import schema
from ..data.configuration import Configuration, configured
from ..data.errors import InputError
from ..data.items.item import Item
from ..data.items.marked import item_lines
from ..data.items.suite import Suite
from ..data.registry import Names
from ..data.result import Shown, fold_text, terminal_width
from ..data.store import Store, StoreLike
from ..data.stored_suites import (
    find_suite,
    newest_note,
    originals_of_mining,
    store_of,
    stored_suite,
)
from ..data.tables import Row
from ..miner.mine import Mining
from ..miner.mining_rows import load_mining, load_rows
from ..miner.rule import Rule
from ..nonce.page.review_page import write_page
from ..nonce.variants.nonce_account import rejections_of
from ..nonce.variants.recipe import Recipe
from .models.model_folder import MODEL_CARD, read_description
from .outcomes.method import Method
from .training.sizes import Training

SETTINGS: Mapping[str, type[Configuration]] = {
    kind.NOUN: kind for kind in (Rule, Recipe, Method, Training)
}
EXAMPLES_PER_REASON = 3  # examples of what was left out for each reason


def show(
    name: str | Path | Suite | Mining = "",
    *,
    construction: Names = None,
    n: int | None = None,
    rejected: bool = False,
    page: str | Path | None = None,
    store: StoreLike = None,
) -> Shown:
    """Show what is in a suite, a mining, a model folder, or settings, with marked sentences.

    Args:
        name: a suite (a file, a name or @number), the name of a mined treebank, a model folder; or
            settings: NAME, or KIND:NAME where several have one name, or KIND:FILE [default: the
            names of all settings].
        construction: only this construction, or those of a pattern such as 'L__NOUN*'.
        n: number of variants, sets or other items of a construction [default: 2 variants, 1 set].
        rejected: show what a mining or a suite of variants leaves out, with the reasons.
        page: write an HTML page to this file, for reading and marking the items of a suite.
        store: the project's database, where suites are looked up.

    Returns:
        Text. Of suites its table has the number of items by construction, kind and value, of
        minings the constructions, of settings each with its value.

    Raises:
        InputError: nothing has this name, or a suite has no account of what it leaves out.

    Commands:
        colorless show @3 --construction 'L__NOUN*' -n 5
        colorless show @3 --page review.html

    >>> import colorless_green as cg
    >>> cg.show("recipe:gulordava2018").text.splitlines()[0]
    '# recipe gulordava2018'
    """
    # settings have no constructions or items that the other options could be about
    if isinstance(name, str) and not (rejected or page or construction or n is not None):
        settings = _show_settings(name)
        if settings is not None:
            return settings
    if isinstance(name, str | Path) and str(name) and (Path(name) / MODEL_CARD).is_file():
        return _show_model(Path(name))
    source = name.originals if isinstance(name, Mining) else name
    with store_of(source, store) as opened:
        mining_id = name.kept.id if isinstance(name, Mining) else _mining_named(opened, str(name))
        if mining_id is not None:
            return _show_mining(opened, mining_id, construction, n, rejected, page)
        suite, suite_id = find_suite(opened, source)
        notes = newest_note(source, suite)
        left_out = rejections_of(opened, suite_id or 0).to_dicts() if rejected else None
        originals = _originals_of(opened, suite_id)
        return _show_suite(
            suite, construction, n, page, notes=notes, originals=originals, left_out=left_out
        )


def _show_settings(name: str) -> Shown | None:
    """Show settings of this name as TOML that can be edited.

    If settings of several kinds (rule, recipe, method, training) have the name, or if it is "", the
    names are listed instead. Returns None if no settings have the name.
    """
    kind, colon, bare_name = name.partition(":")
    if colon and kind in SETTINGS:
        return _show_toml(configured(SETTINGS[kind], bare_name))
    kinds = [known for known in SETTINGS.values() if not name or name in known.known()]
    if name and len(kinds) == 1:
        return _show_toml(kinds[0](extends=name))
    if not kinds and not name.endswith(".toml"):
        return None
    if not kinds:
        wrong = f"{name} may be any kind of settings"
        right = " or ".join(f"{kind}:{name}" for kind in SETTINGS)
        raise InputError("name", wrong, right, kind="value")
    rows: list[Row] = []
    lines: list[str] = []
    for settings in kinds:
        fitting = [known for known in settings.known() if name in ("", known)]
        rows += [{"kind": settings.NOUN, "name": known} for known in fitting]
        lines += fold_text(f"{settings.NOUN}: {', '.join(fitting)}", terminal_width(), 2)
    message = f"print one with `colorless show {rows[0]['kind']}:{rows[0]['name']}`"
    return Shown(rows, ("kind", "name"), [message], text=_joined(lines))


def _show_toml(settings: Configuration) -> Shown:
    """Show settings as TOML that can be edited."""
    rows = [{"setting": key, "value": str(value)} for key, value in settings.contents().items()]
    return Shown(rows, ("setting", "value"), text=settings.to_toml())


def _show_model(folder: Path) -> Shown:
    """Show the settings and results in the model.json of a model folder. Raises `InputError` if
    this is no model description."""
    rows: list[Row] = [{"setting": "folder", "value": str(folder)}]
    rows += [
        {"setting": key, "value": str(value)}
        for key, value in read_description(folder).card.items()
        if not isinstance(value, dict | list) and value not in (None, "")
    ]
    text = _joined(f"{row['setting']}: {row['value']}" for row in rows)
    return Shown(rows, ("setting", "value"), text=text)


def _mining_named(store: Store, name: str) -> int | None:
    """Return the number in the store of the newest mining of the treebank with this name; None if
    no mined treebank has the name, or if a suite has it, too."""
    query = (
        "SELECT treebank_id FROM treebank WHERE name = ? AND NOT EXISTS "
        "(SELECT 1 FROM suite WHERE suite.name = treebank.name) ORDER BY used DESC LIMIT 1"
    )
    row = store.one(query, (name,))
    return None if row is None else int(row["treebank_id"])


def _show_mining(
    store: Store,
    mining_id: int,
    construction: Names,
    n: int | None,
    rejected: bool,
    page: str | Path | None,
) -> Shown:
    """Show the constructions of a mining with example sentences from the treebank (originals); with
    `rejected` the candidates that it left out."""
    row, originals_id = load_mining(store, mining_id), originals_of_mining(store, mining_id)
    assert row is not None
    constructions = load_rows(store, "construction", mining_id)
    n_accepted = sum(found["verdict"] == "accepted" for found in constructions)
    heading = {
        "mining": row["name"], "rule": f"{row['rule']}, {row['feature']}",
        "constructions": f"{n_accepted} accepted of {len(constructions)}",
    }  # fmt: skip
    suite = Suite(str(row["name"]), ())
    if originals_id is not None:
        suite = stored_suite(store, originals_id)
    left_out = load_rows(store, "rejection", mining_id) if rejected else None
    shown = _show_suite(suite, construction, n, page, notes=[], originals=(), left_out=left_out)
    text = _joined(f"{name}: {value}" for name, value in heading.items()) + shown.text
    rows = shown.rows if rejected else constructions
    return Shown(rows, shown.columns, shown.messages, text=text)


def _originals_of(store: Store, suite_id: int | None) -> Sequence[Item]:
    """Return the originals (sentences of a treebank) that a suite in the store was made from; empty
    if the store does not have them."""
    row = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (suite_id,))
    mining_id = None if row is None else row["treebank_id"]
    originals_id = None if mining_id is None else originals_of_mining(store, int(mining_id))
    return () if originals_id is None else stored_suite(store, originals_id).items


def _show_suite(
    suite: Suite,
    construction: Names,
    n: int | None,
    page: str | Path | None,
    *,
    notes: Sequence[str],
    originals: Sequence[Item],
    left_out: Sequence[Row] | None,
) -> Shown:
    """Show the items of a suite, or what was left out of it; write its page if one is requested.

    Args:
        suite: the suite.
        construction: only these constructions; None: all.
        n: the number of items of each construction; None: the default.
        page: the file for an HTML page to read and mark the items; None: none is written.
        notes: remarks to print.
        originals: the sentences of the treebank that the items were made from.
        left_out: rows of what was left out, with reasons, to show instead; None: show the items.
    """
    messages = [*notes]
    if page is not None:
        write_page(suite, Path(page))
        messages.append(f"{page}: a page for reading and marking {len(suite.items):,} items")
    if left_out is not None:
        lines = [*_reasons(left_out, originals)] or ["nothing is left out"]
        return Shown(left_out, schema.REJECTIONS, messages, text=_joined(lines))
    shown = suite.show(construction, n)
    return Shown(shown.rows, shown.columns, messages, text=shown.text)


def _reasons(rows: Sequence[Row], originals: Sequence[Item]) -> Iterator[str]:
    """Yield lines with the reasons why candidates were left out, the most frequent reason first.
    Each has its number of candidates and its first examples, with the marked sentence if this is
    among the originals. In a row the reason may have a detail, as in `reason: detail`."""
    item_at: dict[tuple[object, ...], Item] = {  # sentence, cue and target → original
        (agreement.sent_id, agreement.cue_index, agreement.target_index): item
        for item in originals
        if (agreement := item.agreement) is not None
    }
    examples: dict[str, list[tuple[Row, str]]] = {}  # reason → rows, each with its detail
    for row in rows:
        reason, _, detail = str(row["reason"]).partition(":")
        examples.setdefault(reason, []).append((row, detail))
    for reason, members in sorted(examples.items(), key=lambda group: -len(group[1])):
        yield f"{reason}  {len(members):,}"
        for row, detail in members[:EXAMPLES_PER_REASON]:
            item = item_at.get((row["sent_id"], row["cue_index"], row["target_index"]))
            line = f"  {row['sent_id']}  {row['construction']}{detail}"
            if item is not None:  # the sentence itself, then the detail, if there is one, below it
                yield from item_lines([(str(row["sent_id"]), item)])
                line = f"    {detail}" if detail else ""
            if line:
                yield from fold_text(line, terminal_width(), 4)


def _joined(lines: Iterable[str]) -> str:
    """Return lines as one text, each with a line break behind it."""
    return "".join(f"{line}\n" for line in lines)
