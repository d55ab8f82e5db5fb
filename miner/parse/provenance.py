"""Who parsed a sentence, as far as the comments of a CoNLL-U file tell.

Our own files say it in the comments of their first sentence:

    # parsed_by = stanza 1.15.0 it tokenize+mwt+pos+lemma+depparse 9c1185a5c5e9fc54
    # parsed_from = 0a4d55a8d778e502

UDPipe 2 says it there too (`# generator = UDPipe 2, https://…`, `# udpipe_model = …`, written by
its server before the first sentence). Stanza's, spaCy's and UDPipe 1's own writers leave no such
comment: what they parsed cannot be told from a treebank.
"""

from collections.abc import Sequence

PARSED_BY = "parsed_by"  # the parser's signature
PARSED_FROM = "parsed_from"  # digest of the text: the same request twice is known by it
GENERATOR = "generator"
UDPIPE_MODEL = "udpipe_model"


def parsed_by(comments: Sequence[str]) -> str:
    """The parser that the comments of one sentence name; "" if they name none.

    `comments` are raw lines, "#" included. Look at the first sentence of each file: parsers that
    say who they are do so there and nowhere else.
    """
    own = value(comments, PARSED_BY)
    if own:
        return own
    model = value(comments, UDPIPE_MODEL)
    generator = value(comments, GENERATOR) or ("UDPipe" if model else "")
    return f"{generator}, {model}" if model else generator


def value(comments: Sequence[str], key: str) -> str:
    """What stands behind `# key =`, without surrounding blanks; "" if no comment has the key."""
    for comment in comments:
        name, equals, rest = comment.lstrip("#").partition("=")
        if equals and name.strip() == key:
            return rest.strip()
    return ""
