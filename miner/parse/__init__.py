"""Raw text → CoNLL-U. Parsers stand behind one small protocol (`parser.py`), one a file."""

PARSERS = {
    "stanza": "colorless_green.miner.parse.stanza:load",
}
GROUP = "colorless_green.parsers"
