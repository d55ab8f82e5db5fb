"""A small server of completions, with a tiny model behind it, in the shapes of vLLM and of OpenAI;
and its bad days."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
import transformers

from tests.scoring.tiny_models import hushed

MODEL = "tiny/model"
Answer = dict[str, Any]


class Completions:
    """What answers: the tokens of a prompt and their log-probabilities."""

    def __init__(self, folder: Path, *, lead: str = "") -> None:
        with hushed():
            auto: Any = transformers.AutoModelForCausalLM
            self.model = auto.from_pretrained(folder).eval()
            tokenizers: Any = transformers.AutoTokenizer
            self.tokenizer = tokenizers.from_pretrained(folder)
        self.lead = [self.tokenizer.convert_tokens_to_ids(lead)] if lead else []
        self.n_asked = 0

    def tokens(self, prompt: str) -> list[tuple[int, str, float | None]]:
        ids = [*self.lead, *self.tokenizer(prompt, add_special_tokens=False)["input_ids"]]
        with torch.no_grad():
            log_p = torch.log_softmax(self.model(torch.tensor([ids])).logits[0].double(), -1)
        numbers = [None, *(float(log_p[n, i]) for n, i in enumerate(ids[1:]))]
        strings = [self.tokenizer.decode([i]) for i in ids]
        return list(zip(ids, strings, numbers, strict=True))

    def choice(self, prompt: str, index: int, body: Answer) -> Answer:
        self.n_asked += 1
        told = self.tokens(prompt)
        found: Answer = {"index": index, "text": " x", "finish_reason": "length"}
        if "prompt_logprobs" in body:
            found["prompt_logprobs"] = [
                None if p is None else {str(i): {"logprob": p, "rank": 1, "decoded_token": t}}
                for i, t, p in told
            ]
        elif body.get("echo"):
            found["logprobs"] = {
                "tokens": [*(t for _, t, _ in told), " x"],
                "token_logprobs": [*(p for *_, p in told), -1.0],
            }
        return found


Change = Callable[[Answer, Answer], Answer | tuple[int, bytes] | None]
"""(what was asked, the answer) → another answer, a status and a body, or None: half of an answer"""


@contextmanager
def served(
    completions: Completions, *shapes: str, change: Change | None = None
) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Serve some shapes; give the address, and the headers of what was asked."""
    headers: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def send(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.send(200, json.dumps({"data": [{"id": MODEL}]}).encode())

        def do_POST(self) -> None:
            headers.append(dict(self.headers))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known = {k: v for k, v in body.items() if k not in ("echo", "prompt_logprobs")}
            known |= {name: body[name] for name in shapes if name in body}
            try:
                choices = [completions.choice(p, n, known) for n, p in enumerate(body["prompt"])]
            except IndexError:
                self.send(400, b"a text exceeds the maximum context length")
                return
            answer: Answer | tuple[int, bytes] | None = {"model": MODEL, "choices": choices[::-1]}
            if change is not None:
                answer = change(body, {"model": MODEL, "choices": choices[::-1]})
            if answer is None:
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"model": "')
            elif isinstance(answer, tuple):
                self.send(*answer)
            else:
                self.send(200, json.dumps(answer).encode())

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", headers
    finally:
        server.shutdown()
        server.server_close()
