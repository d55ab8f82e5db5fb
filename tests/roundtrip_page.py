"""How much of a treebank the rules of spelling give back, a row a treebank; docs/method.md has the
figures of all.

`python -m tests.roundtrip_page ../shared/treebanks`
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data import Sentence, Tree, raw_text
from colorless_green.miner import sentences, spaces_before, surface_of, tree_of, treebank
from colorless_green.nonce import SentencePlan, realiser
from tests.nonce.realising import violations


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence of a treebank as the realiser sees it."""

    sentence: Sentence
    tree: Tree
    tokens: tuple[str, ...]
    spaces: tuple[str, ...]
    plan: SentencePlan


@dataclass(slots=True)
class RoundTrip:
    """What comes back of one treebank."""

    name: str
    language: str
    n_sentences: int = 0
    n_texts: int = 0  # sentences whose raw text is `# text`
    n_sites: int = 0  # words whose shape hangs on a neighbour
    n_multiword: int = 0  # tokens of several words
    n_made: int = 0  # of these, those that a rule makes of their words
    n_other: int = 0  # sites and tokens that the rules would write otherwise
    n_unchanged: int = 0  # sentences that come out of the forced round trip as they were
    n_words: int = 0
    n_open: int = 0  # words that may be exchanged

    @property
    def kept(self) -> float:
        """The share of slots that the rules write as the treebank does; 1 without slots."""
        n_slots = self.n_sites + self.n_made
        return 1 - self.n_other / n_slots if n_slots else 1.0


def cases(folder: Path) -> Iterator[Case]:
    """Every sentence of a treebank with its plan."""
    source = treebank([folder])
    rules = realiser(source.language)
    for _, sentence in sentences(source):
        surface = surface_of(sentence, "merged")
        spaces, tree = spaces_before(surface), tree_of(sentence)
        plan = rules.plan(tree, surface.forms, spaces)
        yield Case(sentence, tree, surface.forms, spaces, plan)


def round_trip(folder: Path) -> RoundTrip:
    """Return the figures of one treebank."""
    language = treebank([folder]).language
    found = RoundTrip(folder.name, realiser(language).rules.language)
    for case in cases(folder):
        plan = case.plan
        kept, forced = plan.realise({}), plan.forced()
        assert (kept.tokens, kept.spaces) == (case.tokens, case.spaces)
        others = violations(plan, case.tokens)
        found.n_sentences += 1
        found.n_texts += raw_text(kept.tokens, kept.spaces) == case.sentence.comment("text")
        found.n_unchanged += forced == plan.layout.original
        found.n_sites += len(plan.adapting_before) + len(plan.adapting_after)
        found.n_multiword += len(plan.layout.glue)
        found.n_made += sum(way is not None for way in plan.layout.glue.values())
        found.n_other += len(others)
        found.n_words += len(case.tree)
        found.n_open += len(case.tree) - len(plan.closed)
    return found


def rows(found: list[RoundTrip]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield (
        "| treebank | file | sentences | `# text` given back | slots | written alike "
        "| sentences unchanged | multiword tokens | made of their words | words open |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for each in found:
        n_slots = each.n_sites + each.n_made
        cells = (
            each.name.removeprefix("UD_"),
            each.language if realiser(each.language).rules.about else "-",
            f"{each.n_sentences:,}",
            _percent(each.n_texts, each.n_sentences),
            f"{n_slots:,}",
            _percent(n_slots - each.n_other, n_slots),
            _percent(each.n_unchanged, each.n_sentences),
            f"{each.n_multiword:,}",
            _percent(each.n_made, each.n_multiword),
            _percent(each.n_open, each.n_words),
        )
        yield f"| {' | '.join(cells)} |"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "-"


def round_trips(folder: Path) -> list[RoundTrip]:
    """Return the figures of every treebank of a folder, by name."""
    return [round_trip(each) for each in sorted(folder.iterdir()) if each.is_dir()]


if __name__ == "__main__":
    print("\n".join(rows(round_trips(Path(sys.argv[1])))))
