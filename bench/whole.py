"""Compare `colorless score` with its peers as whole processes, on a small Transformer.

    OMP_NUM_THREADS=1 python -m bench.whole FOLDER

FOLDER has BLiMP's files, from which 400 pairs are drawn. The model is a Llama of 30M parameters
with random weights. `colorless score`, minicons and lm-evaluation-harness compare whole sentences;
the peers get 32 sequences per call, the harness also its default of one. All run in turn, and the
best of three counts. A peer that is not installed is left out.
"""

import json
import random
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from bench.measure import COLORLESS, best_in_turn, read_lines
from colorless_green.scoring.training.causal import byte_pairs

N_PAIRS = 400
MINICONS = """
import json, sys
from minicons.scorer import IncrementalLMScorer
model = IncrementalLMScorer(sys.argv[1], "cpu")
rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
texts = [row[name] for row in rows for name in ("sentence_good", "sentence_bad")]
bits = []
for start in range(0, len(texts), 32):
    total = lambda values: values.sum(0).item()
    bits += model.sequence_score(texts[start:start + 32], reduction=total, bos_token=True)
print(sum(good > bad for good, bad in zip(bits[::2], bits[1::2], strict=True)) / len(rows))
"""
HARNESS_TASK = """
task: pairs
dataset_path: json
dataset_kwargs: {{data_files: {{validation: {pairs}}}}}
validation_split: validation
output_type: multiple_choice
doc_to_text: ""
doc_to_target: 0
doc_to_choice: "{{{{[sentence_good, sentence_bad]}}}}"
metric_list: [{{metric: acc}}]
"""


def model_and_pairs(blimp: Path, folder: Path) -> tuple[str, str]:
    """Write a model with random weights and 400 pairs into a folder; return (path of the model,
    path of the pairs)."""
    lines = read_lines(blimp)
    pairs = folder / "pairs.jsonl"
    chosen = random.Random(1).sample(lines, N_PAIRS)
    pairs.write_text("".join(f"{line}\n" for line in chosen), encoding="utf-8")
    tokenizer = byte_pairs([json.loads(line)["sentence_good"] for line in lines], 8000)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=512, intermediate_size=1376, num_hidden_layers=8,
        num_attention_heads=8, max_position_embeddings=512, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    return str(folder / "model"), str(pairs)


def main() -> None:
    """Print CPU seconds and peak memory of each program, and the ratio of its seconds to ours."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model, pairs = model_and_pairs(Path(sys.argv[1]), folder)
        ours = ["score", pairs, "--model", f"causal:{model}", "--method", "sentence"]
        commands = {"ours": [*COLORLESS, *ours, "--store", "none", "--quiet"]}
        if find_spec("minicons"):
            commands["minicons"] = [sys.executable, "-c", MINICONS, model, pairs]
        if find_spec("lm_eval"):
            (folder / "pairs.yaml").write_text(HARNESS_TASK.format(pairs=pairs), encoding="utf-8")
            harness = [sys.executable, "-m", "lm_eval", "--model", "hf", "--device", "cpu"]
            harness += ["--model_args", f"pretrained={model}", "--tasks", "pairs"]
            harness += ["--include_path", temporary, "--batch_size"]
            commands |= {"harness, 32 a call": [*harness, "32"], "harness": [*harness, "1"]}
        best = best_in_turn(commands, rounds=3)
    our_seconds, _ = best["ours"]
    for name, (seconds, memory) in best.items():
        ratio = seconds / our_seconds
        print(f"{name:18} {seconds:6.2f} CPU s {memory:6.0f} MB {ratio:5.2f} ×")


if __name__ == "__main__":
    main()
