"""Raw text → CoNLL-U. Parsers stand behind one small protocol, one a file, found by name.

Which parser made a file its comments say, ours in the first sentence:

    # parsed_by = stanza 1.15.0 it tokenize+mwt+pos+lemma+depparse 9c1185a5c5e9fc54
    # parsed_from = 0a4d55a8d778e502

UDPipe 2 says it there too (`# generator = UDPipe 2, https://…`, `# udpipe_model = …`, written by
its server before the first sentence). Stanza's, spaCy's and UDPipe 1's own writers leave no such
comment: what they parsed cannot be told from a treebank.
"""

from collections.abc import Callable, Sequence

from ...data.items.tree import comment_in
from ...data.registry import load
from .protocol import Parser, ParserModels

PARSERS = {"stanza": ".miner.parse.stanza:load"}
GROUP = "colorless_green.parsers"
PARSED_BY = "parsed_by"  # the parser's signature
PARSED_FROM = "parsed_from"  # digest of the text: the same request twice is known by it


def parser_named(name: str) -> Callable[[str, ParserModels], Parser]:
    """Find a parser by its name, among the built-in ones and those of other packages.

    Args:
        name: `stanza`, or one that another package brings.

    Returns:
        What makes the parser: called with a language (BCP-47) and `ParserModels`, it raises
        `InputError` for models that are missing.

    Raises:
        InputError: there is no such parser; the message lists those there are.
    """
    factory: Callable[[str, ParserModels], Parser] = load(PARSERS, name, "parser", GROUP)
    return factory


def parsed_by(comments: Sequence[str]) -> str:
    """Tell which parser made a file, by the comments of its first sentence.

    Parsers that name themselves do so there and nowhere else.

    Args:
        comments: the sentence's comments as raw lines, `#` included.

    Returns:
        Parser and version, as written; "" if no comment names one.

    >>> parsed_by(["# generator = UDPipe 2", "# udpipe_model = english-ewt-ud-2.15"])
    'UDPipe 2, english-ewt-ud-2.15'
    """
    parser = comment_in(comments, PARSED_BY)
    if parser:
        return parser
    model = comment_in(comments, "udpipe_model") or ""
    generator = comment_in(comments, "generator") or ("UDPipe" if model else "")
    return f"{generator}, {model}" if model else generator
