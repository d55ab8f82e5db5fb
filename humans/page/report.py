"""The public function `report`, which writes the page."""

import webbrowser
from pathlib import Path

from ...data.files import demand_file, write_whole
from ...data.progress import Progress, silent
from ...data.registry import Names, listed
from ...data.result import Result
from ...data.store import StoreLike, open_store
from ..comparison import ScoresOrNames, store_of, suite_results
from ..read import Judgments
from ..statistics.runs import newest_note

COLUMNS = ("suite", "report")


def report(
    scores: ScoresOrNames = None,
    people: Judgments | None = None,
    out: str | Path = "report.html",
    *,
    construction: Names = None,
    open_: bool = False,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Result:
    """Write all results as one self-contained HTML page.

    Args:
        scores: suites: names, @numbers, or patterns with `*` and `?`; or what `score` returned,
            whose runs alone are used [default: the one scored or judged last].
        people: what `read_judgments` returned. If it is kept in another store than the scores, it
            is added to theirs first.
        out: file for the page.
        construction: only items of these constructions: a name, or a pattern with `*` and `?`.
        open_: open the page in the browser.
        store: the project's database, where suites that are named are.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        The suites on the page, and its file.

    Raises:
        InputError: for names that no suite has, for people who judged other items than the models,
            where nothing was scored or judged, and where the page cannot be written.

    Commands:
        colorless report
        colorless report 'fgd*' --out gaps.html

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text(
    ...     "item,source,kind,prefix,correct_form,wrong_form\\n"
    ...     "i1,s1,target,the keys,are,is\\ni2,s2,target,the key,is,are\\n")
    >>> _ = Path("answers.csv").write_text(
    ...     "participant,item,chosen\\nanna,i1,are\\nanna,i2,are\\nbert,i1,are\\n")
    >>> people = cg.read_judgments("answers.csv", items="items.csv")
    >>> cg.report(people=people, out="page.html")
    suite: items
    report: page.html
    """
    path = Path(out)
    demand_file(path)
    with open_store(store_of(scores, people, store), existing=True) as opened_store:
        from ._page import html
        from ._report_data import report_data

        results = suite_results(opened_store, scores, people, listed(construction))
        with write_whole(path) as stream:
            stream.write(html(report_data(opened_store, results, progress)))
        suites = [result.suite.name for result in results]
    messages = [newest_note(suites[0])] if scores is None and people is None else []
    if open_ and not webbrowser.open(path.resolve().as_uri()):
        messages.append(f"no browser could be opened: {path}")
    return Result([{"suite": suite, "report": str(path)} for suite in suites], COLUMNS, messages)
