"""Causal models of every kind that transformers has: each is read packed where that is exact and
text by text where it is not, and gives the numbers of one call a text either way."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import transformers

from colorless_green import load_model
from colorless_green.scoring import Query, Scorer
from tests.scoring.tiny_models import causal_folder, cutter_of, plain_bits, plain_model, reads

OPTIONS: dict[str, Any] = {"device": "cpu"}
NATS = 2e-5  # a subword; docs/scoring.md
LN_2 = 0.6931471805599453
LONG = "The keys to the cabinet are here, or there, and the key to the cabinets is here"
QUERIES = (
    Query("The keys to the cabinet", (" is", " are", " are here.")),
    Query("The keys to the cabinets", (" is here, or there.", " are")),
    Query("", ("The key is here.", "Ключи", "ספר")),
    Query(LONG, (" is.", " are.")),
)

t: Any = transformers
SHAPE = {"vocab_size": 330, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
WIDE = {**SHAPE, "intermediate_size": 24}
KEYS = {**WIDE, "num_key_value_heads": 1}
HEADS = {**KEYS, "head_dim": 8}
SPECIAL = {"bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0}
EMBED = {"vocab_size": 330, "n_embd": 16, "n_layer": 2, "n_head": 2}
OPT = {**SHAPE, "ffn_dim": 24, "word_embed_proj_dim": 16}
XGLM = {"vocab_size": 330, "d_model": 16, "num_layers": 2, "attention_heads": 2, "ffn_dim": 24}
CTRL = {"vocab_size": 330, "n_embd": 16, "n_layer": 2, "n_head": 2, "dff": 24}
MIXTURE = {**KEYS, "num_local_experts": 2}
GPT_NEO = {**SHAPE, "num_layers": 2, "num_heads": 2, "intermediate_size": 24}
LOCAL = {**GPT_NEO, "attention_types": [[["global", "local"], 1]]}
MPT = {"vocab_size": 330, "d_model": 16, "n_layers": 2, "n_heads": 2, "max_seq_len": 96}
GEMMA2 = {**HEADS, "final_logit_softcapping": 3.0}
BLOOM = {"vocab_size": 330, "hidden_size": 16, "n_layer": 2, "n_head": 2}
MAMBA2 = {**SHAPE, "state_size": 4, "num_heads": 4, "head_dim": 8, "n_groups": 1, "chunk_size": 8}
RWKV = {"vocab_size": 330, "hidden_size": 16, "num_hidden_layers": 2, "attention_hidden_size": 16}
GRIFFIN = {**HEADS, "num_hidden_layers": 3, "lru_width": 16}
del MAMBA2["num_attention_heads"]
PACKED = (
    t.GPT2Config(**EMBED, n_positions=96),
    t.GPTBigCodeConfig(**EMBED, n_positions=96),
    t.GPTJConfig(**EMBED, n_positions=96, rotary_dim=4),
    t.CodeGenConfig(vocab_size=330, n_embd=32, n_layer=2, n_head=4, n_positions=96, rotary_dim=4),
    t.GPTNeoXConfig(**WIDE),
    t.LlamaConfig(**KEYS),
    t.MistralConfig(**HEADS, sliding_window=None),
    t.Qwen2Config(**KEYS),
    t.Qwen3Config(**HEADS),
    t.GemmaConfig(**HEADS),
    t.PhiConfig(**WIDE),
    t.Phi3Config(**KEYS, **SPECIAL),
    t.StableLmConfig(**KEYS),
    t.OlmoConfig(**KEYS, **SPECIAL),
    t.Olmo2Config(**KEYS, **SPECIAL),
    t.CohereConfig(**KEYS, logit_scale=0.25),
    t.Starcoder2Config(**KEYS),
    t.GraniteConfig(**KEYS, logits_scaling=3.0),
    t.SmolLM3Config(**KEYS, **SPECIAL),
    t.PersimmonConfig(**WIDE),
    t.FalconConfig(**SHAPE, alibi=False),
    t.MixtralConfig(**MIXTURE),
    t.OPTConfig(**OPT),
    t.XGLMConfig(**XGLM),
    t.BioGptConfig(**WIDE),
    t.CTRLConfig(**CTRL, n_positions=96),
    t.BertConfig(**WIDE, is_decoder=True),
)
WINDOWED = (
    t.MistralConfig(**HEADS, sliding_window=12),
    t.Gemma2Config(**GEMMA2, sliding_window=12),
    t.Gemma3TextConfig(**HEADS, sliding_window=12),
    t.GPTNeoConfig(**LOCAL, window_size=12, max_position_embeddings=96),
)
REFUSED = (
    t.BloomConfig(**BLOOM),
    t.MptConfig(**MPT),
    t.FalconConfig(**SHAPE, alibi=True),
    t.MambaConfig(**{k: v for k, v in SHAPE.items() if "heads" not in k}, state_size=4),
    t.Mamba2Config(**MAMBA2),
    t.RwkvConfig(**RWKV),
    t.RecurrentGemmaConfig(**GRIFFIN, attention_window_size=12),
)


def name(config: Any) -> str:
    window = getattr(config, "sliding_window", None) or getattr(config, "window_size", None)
    return f"{config.model_type}{'-windowed' if window else ''}"


def load(folder: Path) -> Scorer:
    return load_model(f"causal:{folder}", **OPTIONS).scorer


def assert_plain(folder: Path, queries: Sequence[Query] = QUERIES) -> list[tuple[int, int]]:
    """Every subword's number is that of one call for its text alone, in float64; what is read."""
    plain, cutter, scorer = plain_model(folder), cutter_of(folder), load(folder)
    with reads() as batches:
        scores = list(scorer.score(queries))
    for query, score in zip(queries, scores, strict=True):
        for continuation, answer in zip(query.continuations, score.continuations, strict=True):
            ids = cutter(f"{query.prefix}{continuation}")["input_ids"]
            wanted = plain_bits(plain, [0, *ids])[-len(answer.bits) :]
            assert answer.bits == pytest.approx(wanted, abs=NATS / LN_2)
    return batches


@pytest.mark.slow
@pytest.mark.parametrize("config", PACKED, ids=name)
def test_texts_share_rows_where_that_changes_no_number(config: Any, tmp_path: Path) -> None:
    folder = causal_folder(tmp_path, config)
    assert "|reading:packed|" in load(folder).signature
    n_texts = sum(len(query.continuations) for query in QUERIES)
    assert sum(rows for rows, _ in assert_plain(folder)) < n_texts


@pytest.mark.parametrize("config", WINDOWED, ids=name)
def test_texts_longer_than_a_window_are_read_alone(config: Any, tmp_path: Path) -> None:
    """A mask of ours would silently let them look too far."""
    folder = causal_folder(tmp_path, config)
    assert "|reading:packed" in load(folder).signature
    assert_plain(folder)


@pytest.mark.parametrize("config", REFUSED, ids=name)
def test_models_that_ignore_a_mask_are_read_text_by_text(config: Any, tmp_path: Path) -> None:
    folder = causal_folder(tmp_path, config)
    assert "|reading:plain|" in load(folder).signature
    assert_plain(folder)
