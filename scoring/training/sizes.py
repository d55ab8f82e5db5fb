"""What a neural model to be trained is like: how large, and how it learns."""

from dataclasses import dataclass, fields

from colorless_green.scoring.training.schedule import Schedule


class _Told:
    """Told as `Size(…)` whatever its class: identities of trainings that are on disk hold that."""

    __slots__ = ()

    def __repr__(self) -> str:
        told = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))  # type: ignore[arg-type]
        return f"Size({', '.join(told)})"


@dataclass(frozen=True, slots=True, repr=False)
class NetworkSize(_Told):
    """A recurrent network and how it is trained."""

    width: int  # of embedding and layers alike
    n_layers: int
    dropout: float
    tied: bool
    n_rows: int  # sentences, or parallel streams, in a batch
    chunk: int | None  # words of a stream that are learned from at once; None: by sentences
    n_threads: int | None  # on a CPU; None: torch's choice
    optimiser: str  # "adam" or "sgd"
    schedule: Schedule
    rnn_type: str = "LSTM"
    order: int | None = None  # of an n-gram network


@dataclass(frozen=True, slots=True, repr=False)
class TransformerSize(_Told):
    """A causal Transformer and how it is trained."""

    width: int
    n_layers: int
    n_heads: int
    n_positions: int  # subwords it can read at once
    n_subwords: int  # of the BPE at most; a small text gives fewer
    dropout: float
    n_rows: int  # sentences in a batch
    n_threads: int | None  # on a CPU; None: torch's choice
    schedule: Schedule
