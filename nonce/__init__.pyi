from .mined import suite_of as suite_of
