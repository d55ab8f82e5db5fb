"""Targeted syntactic evaluation of language models, from treebanks to people.

Everything that a verb of the command line does is one function here (docs/scoring.md); each is
loaded when it is first asked for, so that importing this package costs nothing.

    import colorless_green as cg

    mining = cg.mine("UD_German-GSD")
    suite = cg.make_nonce(mining)
    scores = cg.score(suite, ["gpt2", "ngram:de.arpa"])
    people = cg.read_judgments("answers.csv", suite=suite)
    cg.compare(scores, people)
"""

import lazy_loader

from .data.version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
