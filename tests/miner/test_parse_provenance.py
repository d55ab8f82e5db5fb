"""Who parsed a file, as its comments tell."""

import pytest

from colorless_green.miner import parsed_by

UDPIPE = (
    "# generator = UDPipe 2, https://lindat.mff.cuni.cz/services/udpipe",
    "# udpipe_model = czech-pdt-ud-2.6-200830",
    "# udpipe_model_licence = CC BY-NC-SA",
    "# newdoc",
)


@pytest.mark.parametrize(
    ("comments", "parser"),
    [
        (("# parsed_by = stanza 1.15.0 it x", "# sent_id = 1"), "stanza 1.15.0 it x"),
        (UDPIPE, "UDPipe 2, https://lindat.mff.cuni.cz/services/udpipe, czech-pdt-ud-2.6-200830"),
        (UDPIPE[1:2], "UDPipe, czech-pdt-ud-2.6-200830"),
        (UDPIPE[:1], "UDPipe 2, https://lindat.mff.cuni.cz/services/udpipe"),
        (("#parsed_by=mine",), "mine"),
        (("# parsed_by = a", *UDPIPE), "a"),
        (("# sent_id = 1", "# text = # parsed_by = x", "# generator", "# parsed_by ="), ""),
        ((), ""),
    ],
)
def test_a_parser_is_known_by_the_comments_it_writes(
    comments: tuple[str, ...], parser: str
) -> None:
    assert parsed_by(comments) == parser
