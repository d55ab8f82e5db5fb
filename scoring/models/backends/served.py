"""Models behind a server of completions: `api:http://127.0.0.1:8000/v1?model=NAME`.

A text is sent as the prompt, and the server says how probable each of its tokens was, in one of two
shapes: `prompt_logprobs` (vLLM's own), or `logprobs` with `echo` (the older one of OpenAI's
completions). A server that tells only of the tokens that it generates cannot score.

Tokens are joined to the characters of the text by their own strings, in order:

    text     The keys are         tokens   [The][ keys][ are]  or  [▁The][▁keys][▁are]
    spans    (0,3)(3,8)(8,12)     a blank goes with the token after it

Pieces of one character (`\ufffd`) all stand for that character. What the server puts before a text
(`<s>`) is not part of it; `bos` puts a text of the user's there.

The key is read from `COLORLESS_API_KEY`, goes only to the server named, by https or within this
machine, and is written nowhere.
"""

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias, TypeVar
from urllib.parse import parse_qs, urlsplit, urlunsplit

import httpx2

from ....data.errors import InputError
from ....data.version import __version__
from ...questions.query import TOKENIZER, LoadOptions, Query, Score, Span, Surprisals, refusal
from ..sanity import sanity_fault
from ..words import check_options, signed

KEY = "COLORLESS_API_KEY"  # environment variable
RIGHT = "api:http://127.0.0.1:8000/v1?model=NAME, of a server that gives prompt_logprobs or echo"
BATCH, AT_ONCE = 16, 4  # texts of a request; requests at once
WINDOW = 512  # queries looked at together
N_TRIES, TIMEOUT_S, LONGEST_WAIT_S = 5, 120.0, 60.0
PATIENCE = 1.0  # factor of all waits
PASSING = (408, 425, 429, 500, 502, 503, 504)  # statuses after which another try may help
TOO_LONG = ("context length", "maximum context", "too long", "max_model_len", "exceeds")
NATS, PIECE = 1 / math.log(2), "\ufffd"
SLACK = 1e-3  # nats above 0 that rounding makes
SIGNS = str.maketrans({"▁": " ", "Ġ": " ", "Ċ": "\n"})
LOCAL = ("127.0.0.1", "localhost", "::1")
SHOWN = 80  # characters of a text, or of what a server answers, in a message
SHAPES: Mapping[str, Mapping[str, Any]] = {  # the first names all tokens, and is taken if it can
    "echo": {"echo": True, "logprobs": 1},
    "prompt_logprobs": {"prompt_logprobs": 0},
}


T = TypeVar("T")
Told: TypeAlias = tuple[str | None, float | None]
"""A token's string and its surprisal in bits"""


class Token(NamedTuple):
    """A token of a text: where it is, and its surprisal in bits; None where the server has none."""

    start: int
    end: int
    bits: float | None


@dataclass(frozen=True, kw_only=True)
class Served:
    """A model that a server runs, asked for whole texts."""

    url: str
    model: str
    lead: str  # before every text
    shape: str
    client: httpx2.Client = field(repr=False)
    notes: tuple[str, ...] = ()
    unit: str = "text"

    @property
    def name(self) -> str:
        """The name that the server has for it."""
        return self.model

    @property
    def policy(self) -> str:
        """The text before each text, for tables."""
        return f"bos={self.lead or 'server'}"

    @property
    def signature(self) -> str:
        """The server, the model and what stands before a text."""
        return signed(
            model=f"api:{self.model}", server=self.url, bos=self.lead or "server", device="server"
        )

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield a score for each query. Raises `InputError` where the server answers no more or
        wrongly, and for a text whose first token has no probability."""
        for window in _batched(queries, WINDOW):
            texts = dict.fromkeys(
                f"{query.prefix}{continuation}"
                for query in window
                for continuation in query.continuations
            )
            tokens = self._read([*texts])
            within = [
                str(query.prefix)
                for query in window
                for continuation in query.continuations
                if _straddles(tokens[f"{query.prefix}{continuation}"], query, continuation)
            ]
            tokens |= self._read([text for text in dict.fromkeys(within) if text not in tokens])
            for query in window:
                yield Score(tuple(_answer(tokens, query, each) for each in query.continuations))

    def _read(self, texts: Sequence[str]) -> dict[str, list[Token] | str]:
        """Return the tokens of each text, or why the server does not read it."""
        batches = [*_batched((text for text in texts if text), BATCH)]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = [*pool.map(self._batch, batches)]
        pairs = (zip(*pair, strict=True) for pair in zip(batches, answers, strict=True))
        return {"": [], **dict(chain.from_iterable(pairs))}

    def _batch(self, texts: Sequence[str]) -> list[list[Token] | str]:
        prompts = [self.lead + text for text in texts]
        answer = ask(self.client, self.url, self.model, prompts, SHAPES[self.shape])
        if isinstance(answer, str):
            if len(texts) == 1:
                return [answer]
            return [each for text in texts for each in self._batch([text])]
        pairs = zip(texts, prompts, answer, strict=True)
        return [self._tokens(text, prompt, choice) for text, prompt, choice in pairs]

    def _tokens(self, text: str, prompt: str, choice: Mapping[str, Any]) -> list[Token]:
        try:
            told = TOLD[self.shape](choice)
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
            raise _malformed(self.url, f"{type(error).__name__}: {error}"[:SHOWN]) from None
        if told is None:
            raise _malformed(self.url, f"no probabilities of {text[:SHOWN]!r}")
        tokens = aligned(prompt, told)
        if tokens is None:
            spelt = "".join(string or "" for string, _ in told)[:SHOWN]
            raise _malformed(self.url, f"{text[:SHOWN]!r} in tokens that spell {spelt!r}")
        n = len(self.lead)
        return [Token(s - n, e - n, bits) for s, e, bits in tokens if e > n]


def _batched(values: Iterable[T], n: int) -> Iterator[list[T]]:
    iterator = iter(values)
    while batch := list(islice(iterator, n)):
        yield batch


def _straddles(tokens: list[Token] | str, query: Query, continuation: object) -> bool:
    """Return whether a token is of the prefix and of the continuation."""
    border, text = len(query.prefix), f"{query.prefix}{continuation}"
    return not isinstance(tokens, str) and any(
        start < border < end and text[start:border].strip() and text[border:end].strip()
        for start, end, _ in tokens
    )


def _answer(
    tokens: Mapping[str, list[Token] | str], query: Query, continuation: object
) -> Surprisals:
    """Return the surprisals of a continuation: its tokens', the first with what a token that begins
    in the prefix has more than the prefix alone."""
    prefix, text = str(query.prefix), f"{query.prefix}{continuation}"
    own, border = tokens[text], len(query.prefix)
    if isinstance(own, str):
        return refusal(own)
    scored = [(t, _owner(text, t) >= border) for t in own]
    inside = [token for token, is_inside in scored if is_inside]
    bits = [token.bits for token in inside]
    spans: list[Span] = [(max(0, t.start - border), t.end - border) for t in inside]
    if inside and _straddles(inside[:1], query, continuation):
        alone = tokens[prefix]
        if isinstance(alone, str):
            return refusal(alone)
        before = [token.bits or 0.0 for token, is_inside in scored if not is_inside]
        if bits[0] is not None:
            bits[0] += math.fsum(before) - math.fsum(token.bits or 0.0 for token in alone)
        spans[0] = inside[0].start - border, spans[0][1]
    if None in bits:
        wrong = "the server gives no probability of its first token"
        right = "a prefix, or --set bos=TOKEN, which then stands before each text"
        raise InputError(repr(text[:SHOWN]), wrong, right, kind="unsupported")
    numbers = tuple(number for number in bits if number is not None)
    return Surprisals(numbers, tuple(spans), (False,) * len(numbers))


def _owner(text: str, token: Token) -> int:
    """Return the character that a token belongs to: its last one that is not a blank."""
    solid = text[token.start : token.end].rstrip()
    return token.start + len(solid) - 1 if solid.strip() else token.end - 1


def aligned(text: str, told: Sequence[Told]) -> list[Token] | None:
    """Join tokens to the characters of a text, in order; None where they do not spell it.

    Args:
        text: what was read.
        told: the string of each token, None of a first one that the server does not say, and its
            surprisal in bits. What stands before the text is no part of it, nor what is behind it.

    Returns:
        The tokens of the text; pieces of one character all have its place.

    >>> aligned("The keys", [("<s>", None), ("▁The", 3.0), ("▁keys", 5.0), (".", 1.0)])
    [Token(start=0, end=3, bits=3.0), Token(start=3, end=8, bits=5.0)]
    """
    order = (0, 1, 2) if told and told[0][0] is not None else (1, 0, 2)
    for n_signs in order:  # before the text
        tokens = _aligned(text, told[n_signs:])
        if tokens is not None:
            return tokens
    return None


def _aligned(text: str, told: Sequence[Told]) -> list[Token] | None:
    if told and told[0][0] is None:
        for end in range(1, len(text) + 1):
            rest = _aligned(text[end:], told[1:]) if end < len(text) else []
            if rest is not None:
                return [Token(0, end, None), *(Token(s + end, e + end, b) for s, e, b in rest)]
        return None
    tokens: list[Token] = []
    pieces: list[float | None] = []  # of a character not yet passed
    position = 0
    for string, bits in told:
        if position == len(text):
            break
        token = (string or "").translate(SIGNS)
        if PIECE in token:
            pieces.append(bits)
            continue
        start = position
        if pieces:
            start = text.find(token, position + 1)
            if start < 0:
                return None
            tokens += [Token(position, start, piece) for piece in pieces]
            pieces = []
        stop = _end(text, token, start)
        if stop is None:
            return None
        tokens.append(Token(start, stop, bits))
        position = stop
    if pieces:
        tokens += [Token(position, len(text), piece) for piece in pieces]
        position = len(text)
    return tokens if position == len(text) else None


def _end(text: str, token: str, start: int) -> int | None:
    """Return where a token ends that is next in a text; None where it is not. A blank before it may
    be lacking on either side."""
    if text.startswith(token, start):
        return start + len(token)
    bare = token.lstrip(" ")
    n_blanks = len(text[start:]) - len(text[start:].lstrip())
    for skipped in (0, n_blanks):
        if bare and text.startswith(bare, start + skipped):
            return start + skipped + len(bare)
    return None


def _of_vllm(choice: Mapping[str, Any]) -> list[Told] | None:
    """Return the tokens of vLLM's shape: a record of candidates by id for each but the first, of
    which the text's own comes first."""
    rows = choice.get("prompt_logprobs")
    if not isinstance(rows, list) or len(rows) < 2:
        return None
    told: list[Told] = [(None, None)]
    for row in rows[1:]:
        own = next(iter(row.values()))
        told.append((str(own["decoded_token"]), _bits(own["logprob"])))
    return told


def _of_echo(choice: Mapping[str, Any]) -> list[Told] | None:
    """Return the tokens of the shape with `echo`."""
    found = choice.get("logprobs")
    if not isinstance(found, dict):
        return None
    tokens, numbers = found.get("tokens"), found.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(numbers, list) or len(tokens) != len(numbers):
        return None
    pairs = zip(tokens, numbers, strict=True)
    return [(str(token), None if number is None else _bits(number)) for token, number in pairs]


def _bits(log_p: Any) -> float:
    """Return a surprisal in bits. Raises `ValueError` for what is no log-probability."""
    number = float(log_p)
    if not -math.inf < number <= SLACK:
        raise ValueError(f"{log_p!r} is no log-probability")
    return max(0.0, -number) * NATS


TOLD = {"prompt_logprobs": _of_vllm, "echo": _of_echo}


def ask(
    client: httpx2.Client, url: str, model: str, prompts: Sequence[str], more: Mapping[str, Any]
) -> list[Mapping[str, Any]] | str:
    """Return the server's answer to each prompt, in their order; why it cannot read one that is too
    long. Tries again, with growing patience, after what may pass.

    Raises:
        InputError: where no answer comes, or none that is one.
    """
    body = {"model": model, "prompt": [*prompts], "max_tokens": 1, "temperature": 0, **more}
    wrong = ""
    for n in range(N_TRIES):
        wait_s = 2.0**n
        try:
            response = client.post(f"{url}/completions", json=body)
        except httpx2.TransportError as error:
            wrong = f"it does not answer ({str(error) or type(error).__name__})"
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise _malformed(url, str(error)) from None
        else:
            if response.status_code == 200:
                return _choices(response, url, model, len(prompts))
            text = " ".join(response.text[: 10 * SHOWN].split())
            if response.status_code in (400, 413, 422) and any(k in text.lower() for k in TOO_LONG):
                return f"the server cannot read it: {text[: 2 * SHOWN]}"
            wrong = f"it answers with status {response.status_code}: {text[:SHOWN]}"
            if response.status_code not in PASSING:
                break
            asked = response.headers.get("Retry-After", "")
            wait_s = float(asked) if asked.isdecimal() else wait_s
        if n + 1 < N_TRIES:
            time.sleep(min(wait_s, LONGEST_WAIT_S) * PATIENCE)
    right = "a server that runs; what it answered until now is kept, and not asked again"
    raise InputError(url, wrong, right, kind="network")


def _choices(response: httpx2.Response, url: str, model: str, n: int) -> list[Mapping[str, Any]]:
    """Return the choices of an answer by their index. Raises `InputError` for what is no answer."""
    try:
        answer = response.json()
        choices = {int(choice["index"]): choice for choice in answer["choices"]}
    except (KeyError, TypeError, ValueError):
        kind = response.headers.get("Content-Type", "no type")
        raise _malformed(url, f"{response.text[:SHOWN]!r} ({kind})") from None
    if answer.get("model", model) != model:
        raise _malformed(url, f"as the model {str(answer['model'])[:SHOWN]!r}, not {model!r}")
    if sorted(choices) != [*range(n)]:
        raise _malformed(url, f"{len(choices)} answers to {n} texts")
    return [choices[index] for index in range(n)]


def _malformed(url: str, what: str) -> InputError:
    return InputError(url, f"it answers {what}", RIGHT, kind="format")


def load(spec: str, options: LoadOptions) -> Served:
    """Return the model of a server.

    Raises `InputError` for an address that is none, where nobody answers, for a model that it does
    not have, and where it gives fewer probabilities than a text has tokens.
    """
    check_options(options, "a served model")
    parts = urlsplit(spec)
    asked = parse_qs(parts.query)
    if parts.scheme not in ("http", "https") or not parts.hostname or {*asked} - {"model"}:
        raise InputError(f"api:{spec}", "this is no address of a server", RIGHT, kind="value")
    url = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
    key = os.environ.get(KEY, "")
    if key and parts.scheme == "http" and parts.hostname not in LOCAL:
        wrong = f"the key of {KEY} would go over an open connection"
        raise InputError(url, wrong, "https, or no key", kind="unsafe")
    headers = {"User-Agent": f"colorless-green/{__version__}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    client = httpx2.Client(headers=headers, timeout=TIMEOUT_S, trust_env=False)
    model = asked["model"][0] if asked else _only_model(client, url)
    lead = "" if options.bos in ("auto", "none", TOKENIZER) else options.bos
    shape = _shape(client, url, model)
    scorer = Served(url=url, model=model, lead=lead, shape=shape, client=client)
    wrong = sanity_fault(scorer)
    return replace(scorer, notes=(f"{model}: {wrong}",)) if wrong else scorer


def _only_model(client: httpx2.Client, url: str) -> str:
    """Return the name of the one model that a server has."""
    try:
        names = [str(each["id"]) for each in client.get(f"{url}/models").json()["data"]]
    except (httpx2.HTTPError, KeyError, TypeError, ValueError) as error:
        wrong = f"it does not say which models it has ({type(error).__name__})"
        raise InputError(url, wrong, f"api:{url}?model=NAME", kind="network") from None
    if len(names) != 1:
        wrong = f"it has {len(names)} models"
        right = f"api:{url}?model=NAME with NAME one of {', '.join(names[:10])}"
        raise InputError(url, wrong, right, kind="value")
    return names[0]


def _shape(client: httpx2.Client, url: str, model: str) -> str:
    """Return in which shape a server tells the probabilities of a text's tokens."""
    text = "The keys are old ."
    for shape, more in SHAPES.items():
        try:
            answer = ask(client, url, model, [text], more)
        except InputError as error:
            is_passing = any(f"status {status}:" in error.wrong for status in PASSING)
            if "status 4" not in error.wrong or is_passing or shape == [*SHAPES][-1]:
                raise
            continue  # it does not know the question
        told = TOLD[shape](answer[0]) if not isinstance(answer, str) else None
        if told is not None and aligned(text, told) is not None:
            return shape
    wrong = "it gives fewer log-probabilities than a text has tokens"
    right = "a server with prompt_logprobs or with echo and logprobs, such as vLLM"
    raise InputError(url, wrong, right, kind="unsupported")
