"""Suggest what to run after a verb has succeeded: a command line that works as it stands."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..data.store import DEFAULT, NOWHERE, Store

AFTER = {  # name of a function → the next verb, if it does not depend on the result
    "score": "report", "compare": "report", "analyse": "report", "read_judgments": "compare",
}  # fmt: skip


def next_step(function: str, result: Any, given: Mapping[str, Any]) -> str:
    """Return the command lines that follow on a result, separated by `;`; "" if nothing follows.

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
    """Return the verb that scores a suite ("" for the newest). If the store has no trained models,
    return the verb that trains one, and nothing if it has no treebank."""
    if not Path(path).is_file():
        return []
    with Store(Path(path)) as store:
        if store.one("SELECT 1 FROM suite") is None:
            return []
        if store.one("SELECT 1 FROM trained") is None:
            return ["train ngram"] if store.one("SELECT 1 FROM treebank") else []
    return [f"score {shlex.quote(suite)}" if suite else "score"]
