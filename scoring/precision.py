"""How near a decision may be before the number type, and not the model, makes it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

LN_2 = 0.6931471805599453
HALF = ("float16", "bfloat16")
FRAGILE_NATS = {  # margins below which decisions turned over against float32
    "float32": 7e-5,  # another device, another batch
    "float16": 0.03,
    "bfloat16": 0.2,  # 8 bits of mantissa: logits near 20 come in steps of 1/8
}


def fragile_bits(dtype: str, n_subwords: ArrayLike = 1) -> NDArray[np.float64]:
    """Decisions by a margin below this, in bits, are marked in the outcomes; wider types than
    float32 count as it.

    A float32 head keeps half-precision models from ties, not from flips (on 200 decisions of a
    random GPT-2 bfloat16 turned over 1 to 3, float16 none). In half precision the errors of
    `n_subwords`, those of the longest continuation asked for, add up as independent ones do: of
    825 pairs of whole sentences SmolLM2 in bfloat16 turns over 7, and half of all margins move by
    more than 0.18 bits, one in twenty by more than 0.85.
    """
    n = np.asarray(n_subwords, dtype=float)
    nats = np.full(n.shape, FRAGILE_NATS.get(dtype, FRAGILE_NATS["float32"]))
    if dtype in HALF:
        nats *= np.sqrt(np.maximum(1, n))
    bits: NDArray[np.float64] = nats / LN_2
    return bits
