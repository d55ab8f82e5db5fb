"""Suites to suites: nonce variants, composed sets, template grammars, and what judges them.

The public names are those of `__init__.pyi`; each is loaded when it is first asked for.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
