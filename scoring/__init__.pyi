from .outcome import Outcome as Outcome
