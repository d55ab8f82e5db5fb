"""What can be run after a verb has succeeded: a command line that works as it stands."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..data.store import DEFAULT, NOWHERE, Store

AFTER = {  # function → the next verb, whatever came out
    "score": "report", "compare": "report", "analyse": "report", "read_judgments": "compare",
}  # fmt: skip


def next_step(function: str, result: Any, given: Mapping[str, Any]) -> str:
    """Return a command line, or two, that go on from a result; "" where nothing follows.

    Args:
        function: name of the public function that was called.
        result: what it returned.
        given: its arguments.

    >>> next_step("score", None, {"store": "my store.db"})
    "colorless report --store 'my store.db'"
    """
    store = str(given.get("store") or DEFAULT)
    row = dict(result.rows[0]) if getattr(result, "rows", None) else {}
    verbs = [AFTER[function]] if function in AFTER else []
    if function == "mine":
        verbs = ["nonce"] if len(result.originals.items) else ["compose"]
    elif function in ("make_nonce", "compose", "import_suites"):
        number = result.kept.id if getattr(result, "kept", None) else row.get("id")
        verbs = [f"show @{number}", *_scoring(store, f"@{number}")] if number else []
    elif function == "audit":
        verbs = _scoring(store, str(given.get("suite") or ""))
    elif function == "train":
        verbs = _scoring(store, "")
    elif function == "fetch" and str(row.get("folder", "")).find("UD_") >= 0:
        return f"colorless mine {shlex.quote(str(row['folder']))}"
    elif function == "parse" and given.get("out"):
        return f"colorless mine {shlex.quote(str(given['out']))}"
    if store in NOWHERE:
        return ""
    option = "" if store == DEFAULT else f" --store {shlex.quote(store)}"
    return "; ".join(f"colorless {verb}{option}" for verb in verbs)


def _scoring(path: str, suite: str) -> list[str]:
    """Return how to score a suite ("" for the newest): with the models of the store, or one to
    train."""
    if not Path(path).is_file():
        return []
    with Store(Path(path)) as store:
        if store.one("SELECT 1 FROM suite") is None:
            return []
        if store.one("SELECT 1 FROM trained") is None:
            return ["train ngram"] if store.one("SELECT 1 FROM treebank") else []
    return [f"score {shlex.quote(suite)}" if suite else "score"]
