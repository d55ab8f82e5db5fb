"""Making suites: nonce variants, composed sets and template grammars; auditing and reviewing them.

The public names are those of `__init__.pyi`; each is loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
