"""Raw text → CoNLL-U, by Stanza; and the comments that say which parser made a file.

Which parser made a file its comments say, ours in the first sentence:

    # parsed_by = stanza 1.15.0 it tokenize+mwt+pos+lemma+depparse 9c1185a5c5e9fc54
    # parsed_from = 0a4d55a8d778e502

UDPipe 2 says it there too (`# generator = UDPipe 2, https://…`, `# udpipe_model = …`, written by
its server before the first sentence). Stanza's, spaCy's and UDPipe 1's own writers leave no such
comment: which parser made their treebanks is unknown.
"""

from collections.abc import Sequence

from ...data.items.tree import comment_in

PARSED_BY = "parsed_by"  # the parser's signature
PARSED_FROM = "parsed_from"  # digest of the text: a repeated request is recognised by it


def parsed_by(comments: Sequence[str]) -> str:
    """Return which parser made a file, by the comments of its first sentence.

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
