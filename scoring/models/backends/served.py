"""Models behind a server of completions: `api:http://127.0.0.1:8000/v1?model=NAME`.

A text is sent as the prompt, and the server returns the log-probability of each of its tokens, in
one of two response shapes: `prompt_logprobs` (vLLM's own), or `logprobs` with `echo` (the older one
of OpenAI's completions). A server that reports only the tokens that it generates cannot score.

Tokens are matched to the characters of the text by their strings, in order:

    text     The keys are         tokens   [The][ keys][ are]  or  [▁The][▁keys][▁are]
    spans    (0,3)(3,8)(8,12)     a blank belongs to the token after it

Tokens that are pieces of one character (shown as `\ufffd`) all get the span of that character. A
token that the server adds before the text (`<s>`) is skipped; the option `bos` adds one of the
user's choice.

The API key is read from `COLORLESS_API_KEY`, is sent only to the server named, by https or within
this machine, and is stored nowhere.
"""

import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlsplit, urlunsplit

import httpx2

from ....data.errors import InputError
from ....data.version import __version__
from ...questions.query import TOKENIZER, LoadOptions, Query, Score, Span, Surprisals, refusal
from ..sanity import sanity_fault
from ..words import check_options, signature_of

KEY_VARIABLE = "COLORLESS_API_KEY"  # environment variable
EXPECTED = "api:http://127.0.0.1:8000/v1?model=NAME, of a server that gives prompt_logprobs or echo"
BATCH_SIZE, N_PARALLEL = 16, 4  # texts in a request; parallel requests
QUERIES_PER_ROUND = 512  # queries processed together
N_TRIES, TIMEOUT_S, LONGEST_WAIT_S = 5, 120.0, 60.0
WAIT_FACTOR = 1.0  # factor on every wait; tests set it to 0
RETRY_STATUSES = (408, 425, 429, 500, 502, 503, 504)  # after which another try may help
TOO_LONG_HINTS = ("context length", "maximum context", "too long", "max_model_len", "exceeds")
BITS_PER_NAT, BROKEN_CHARACTER = 1 / math.log(2), "\ufffd"  # shown for pieces of a character
ROUNDING_SLACK = 1e-3  # nats: a log-probability may exceed 0 by this much, by rounding
BLANK_MARKS = str.maketrans({"▁": " ", "Ġ": " ", "Ċ": "\n"})
LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")
MAX_SHOWN = 80  # characters of a text or of a server's answer in an error message
SHAPES: Mapping[str, Mapping[str, Any]] = {  # response shape → request options, best first
    "echo": {"echo": True, "logprobs": 1},
    "prompt_logprobs": {"prompt_logprobs": 0},
}

TokenBits: TypeAlias = tuple[str | None, float | None]
"""A token's string and its surprisal in bits; None where the server does not report it"""


class Token(NamedTuple):
    """A token of a text: its span in characters, and its surprisal in bits (None: not given)."""

    start: int
    end: int
    bits: float | None


@dataclass(frozen=True, kw_only=True)
class Served:
    """A model behind a completions server, which scores whole texts."""

    url: str
    model: str
    lead: str  # text sent in front of every text
    shape: str
    client: httpx2.Client = field(repr=False)
    notes: tuple[str, ...] = ()
    unit: str = "text"

    @property
    def name(self) -> str:
        """The model's name on the server."""
        return self.model

    @property
    def policy(self) -> str:
        """The text put in front of each text, as tables show it."""
        return f"bos={self.lead or 'server'}"

    @property
    def signature(self) -> str:
        """The settings that the scores depend on: server, model, and text in front of each text."""
        return signature_of(
            model=f"api:{self.model}", server=self.url, bos=self.lead or "server", device="server"
        )

    def score(self, queries: Iterable[Query]) -> Iterator[Score]:
        """Yield a score for each query (a prefix and its continuations), in order.

        Raises `InputError` if the server stops answering or answers in a wrong format, and for a
        text whose first token has no probability.
        """
        remaining = iter(queries)
        while window := list(islice(remaining, QUERIES_PER_ROUND)):
            pairs = [(query, part) for query in window for part in query.continuations]
            tokens = self._read(f"{query.prefix}{part}" for query, part in pairs)
            tokens |= self._read(  # the surprisals of straddled prefixes are needed too
                str(query.prefix)
                for query, part in pairs
                if _straddles(tokens[f"{query.prefix}{part}"], query, part)
                and query.prefix not in tokens
            )
            for query in window:
                yield Score(tuple(_surprisals(tokens, query, part) for part in query.continuations))

    def _read(self, texts: Iterable[str]) -> dict[str, list[Token] | str]:
        """Return a dictionary from each text to its tokens, or to the server's reason for a refusal
        as text; "" has no tokens.

        Sends the texts in batches, several at a time.
        """
        distinct = [text for text in dict.fromkeys(texts) if text]
        starts = range(0, len(distinct), BATCH_SIZE)
        batches = [distinct[start : start + BATCH_SIZE] for start in starts]
        with ThreadPoolExecutor(N_PARALLEL) as pool:
            answers = chain.from_iterable(pool.map(self._read_batch, batches))
            return {"": [], **dict(zip(distinct, answers, strict=True))}

    def _read_batch(self, texts: Sequence[str]) -> list[list[Token] | str]:
        """Send one request, and return the tokens of each of its texts, or the server's reason for
        a refusal as text.

        If the server refuses the batch as too long, each text is sent alone.
        """
        prompts = [self.lead + text for text in texts]
        choices = ask(self.client, self.url, self.model, prompts, SHAPES[self.shape])
        if isinstance(choices, str):  # the reason for a refusal
            if len(texts) == 1:
                return [choices]
            return [answer for text in texts for answer in self._read_batch([text])]
        parts = zip(texts, prompts, choices, strict=True)
        return [self._tokens(text, prompt, choice) for text, prompt, choice in parts]

    def _tokens(self, text: str, prompt: str, choice: Mapping[str, Any]) -> list[Token]:
        """Return the tokens of a text, read from one choice (item) of the server's answer.

        `prompt` is `lead` plus the text; tokens of `lead` are dropped. Raises `InputError` if the
        choice is malformed or its tokens do not spell the prompt.
        """
        try:
            reported = PARSERS[self.shape](choice)
        except (AttributeError, KeyError, StopIteration, TypeError, ValueError) as error:
            raise _malformed(self.url, f"{type(error).__name__}: {error}"[:MAX_SHOWN]) from None
        if reported is None:
            raise _malformed(self.url, f"no probabilities of {text[:MAX_SHOWN]!r}")
        tokens = align_tokens(prompt, reported)
        if tokens is None:
            spelt = "".join(string or "" for string, _ in reported)[:MAX_SHOWN]
            raise _malformed(self.url, f"{text[:MAX_SHOWN]!r} in tokens that spell {spelt!r}")
        n_lead = len(self.lead)
        return [
            Token(start - n_lead, end - n_lead, bits) for start, end, bits in tokens if end > n_lead
        ]


def _straddles(tokens: list[Token] | str, query: Query, continuation: object) -> bool:
    """Return whether one of the tokens covers non-blank characters on both sides of the border
    between prefix and continuation."""
    border, text = len(query.prefix), f"{query.prefix}{continuation}"
    return not isinstance(tokens, str) and any(
        start < border < end and text[start:border].strip() and text[border:end].strip()
        for start, end, _ in tokens
    )


def _surprisals(
    tokens: Mapping[str, list[Token] | str], query: Query, continuation: object
) -> Surprisals:
    """Return the surprisals of a continuation's tokens, in bits; or a refusal with its reason, if
    the server refuses the text.

    If the first token begins in the prefix, its number is the surprisal of the text up to its end,
    less the surprisal of the prefix alone. `tokens` maps each text to its tokens or to the reason.
    """
    text, border = f"{query.prefix}{continuation}", len(query.prefix)
    text_tokens = tokens[text]
    if isinstance(text_tokens, str):
        return refusal(text_tokens)
    inside = [token for token in text_tokens if _attribution_offset(text, token) >= border]
    outside = [token for token in text_tokens if _attribution_offset(text, token) < border]
    bits = [token.bits for token in inside]
    spans: list[Span] = [(max(0, start - border), end - border) for start, end, _ in inside]
    if inside and _straddles(inside[:1], query, continuation):
        prefix_tokens = tokens[str(query.prefix)]
        if isinstance(prefix_tokens, str):
            return refusal(prefix_tokens)
        first = inside[0]
        if first.bits is not None:
            bits[0] = first.bits + (_total_bits(outside) - _total_bits(prefix_tokens))
        spans[0] = (first.start - border, first.end - border)  # it begins below 0
    if None in bits:
        wrong = "the server gives no probability of its first token"
        right = "a prefix, or --set bos=TOKEN, which then stands before each text"
        raise InputError(repr(text[:MAX_SHOWN]), wrong, right, kind="unsupported")
    numbers = tuple(number for number in bits if number is not None)
    return Surprisals(numbers, tuple(spans), (False,) * len(numbers))


def _total_bits(tokens: Iterable[Token]) -> float:
    """Return the surprisal of several tokens together; a token without a number counts as 0."""
    return math.fsum(token.bits or 0.0 for token in tokens)


def _attribution_offset(text: str, token: Token) -> int:
    """Return the offset of the character whose region gets the token's surprisal: the token's last
    non-blank character, or its last character if it is all blank."""
    string = text[token.start : token.end].rstrip()
    return token.start + len(string) - 1 if string else token.end - 1


def align_tokens(text: str, reported: Sequence[TokenBits]) -> list[Token] | None:
    """Match a server's tokens to the characters of a text, in order.

    Args:
        text: the text that the server read.
        reported: for each token its string (None for a first token that the server does not spell)
            and its surprisal in bits. One or two special tokens before the text are skipped, and
            so are all after its end.

    Returns:
        The tokens of the text with their spans, or None if they do not spell it. Pieces of one
        character all have that character's span.

    >>> align_tokens("The keys", [("<s>", None), ("▁The", 3.0), ("▁keys", 5.0), (".", 1.0)])
    [Token(start=0, end=3, bits=3.0), Token(start=3, end=8, bits=5.0)]
    """
    is_first_spelt = bool(reported) and reported[0][0] is not None
    # The numbers of special tokens before the text, the likeliest first.
    for n_skipped in (0, 1, 2) if is_first_spelt else (1, 0, 2):
        tokens = _aligned_from_start(text, reported[n_skipped:])
        if tokens is not None:
            return tokens
    return None


def _aligned_from_start(text: str, reported: Sequence[TokenBits]) -> list[Token] | None:
    """Match tokens to a text that begins with the first of them; None if they do not spell it.

    A first token without a string gets the shortest span after which the others fit.
    """
    if reported and reported[0][0] is None:
        for end in range(1, len(text) + 1):
            rest = _aligned_from_start(text[end:], reported[1:]) if end < len(text) else []
            if rest is not None:
                shifted = [Token(end + first, end + last, bits) for first, last, bits in rest]
                return [Token(0, end, None), *shifted]
        return None
    tokens: list[Token] = []
    pieces: list[float | None] = []  # bits of the pieces of a character whose end is not yet known
    position = 0
    for string, bits in reported:
        if position == len(text):
            break
        token = (string or "").translate(BLANK_MARKS)
        if BROKEN_CHARACTER in token:
            pieces.append(bits)
            continue
        start = position
        if pieces:  # their character ends where this token begins
            start = text.find(token, position + 1)
            if start < 0:
                return None
            tokens += [Token(position, start, piece) for piece in pieces]
            pieces = []
        end_offset = _token_end(text, token, start)
        if end_offset is None:
            return None
        tokens.append(Token(start, end_offset, bits))
        position = end_offset
    if pieces:
        tokens += [Token(position, len(text), piece) for piece in pieces]
        position = len(text)
    return tokens if position == len(text) else None


def _token_end(text: str, token: str, start: int) -> int | None:
    """Return the offset in a text at which a token that begins at `start` ends; None if the token
    does not stand there.

    Blanks before it may be missing in the token or in the text.
    """
    if text.startswith(token, start):
        return start + len(token)
    bare = token.lstrip(" ")
    n_blanks = len(text[start:]) - len(text[start:].lstrip())
    for first_letter in (start, start + n_blanks):
        if bare and text.startswith(bare, first_letter):
            return first_letter + len(bare)
    return None


def _parse_vllm(choice: Mapping[str, Any]) -> list[TokenBits] | None:
    """Return the strings and surprisals of the tokens in one item of an answer that has vLLM's
    response shape; None if the item has no probabilities.

    Each token after the first has a mapping of candidate tokens; the text's own token comes first.
    """
    rows = choice.get("prompt_logprobs")
    if not isinstance(rows, list) or len(rows) < 2:
        return None
    reported: list[TokenBits] = [(None, None)]  # of the first token neither is given
    for candidates in rows[1:]:
        actual = next(iter(candidates.values()))
        reported.append((str(actual["decoded_token"]), _bits(actual["logprob"])))
    return reported


def _parse_echo(choice: Mapping[str, Any]) -> list[TokenBits] | None:
    """Return the strings and surprisals of the tokens in one item of an answer that has the
    response shape with `echo`; None if the item has no probabilities."""
    logprobs = choice.get("logprobs")
    if not isinstance(logprobs, dict):
        return None
    tokens, numbers = logprobs.get("tokens"), logprobs.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(numbers, list) or len(tokens) != len(numbers):
        return None
    pairs = zip(tokens, numbers, strict=True)
    return [(str(token), None if number is None else _bits(number)) for token, number in pairs]


def _bits(log_p: Any) -> float:
    """Return the surprisal in bits of a log-probability in nats. Raises `ValueError` if this is
    above 0 or not finite."""
    number = float(log_p)
    if not -math.inf < number <= ROUNDING_SLACK:
        raise ValueError(f"{log_p!r} is no log-probability")
    return max(0.0, -number) * BITS_PER_NAT


PARSERS = {"prompt_logprobs": _parse_vllm, "echo": _parse_echo}


def ask(
    client: httpx2.Client, url: str, model: str, prompts: Sequence[str], options: Mapping[str, Any]
) -> list[Mapping[str, Any]] | str:
    """Request completions, and return one item ("choice") of the answer per prompt, in order. If a
    prompt is too long for the model, return the server's reason as text.

    Temporary failures (`RETRY_STATUSES`, no connection) are retried with growing waits. `options`
    are the request options of the response shape. Raises `InputError` if no answer comes, or one
    in a wrong format.
    """
    body = {"model": model, "prompt": [*prompts], "max_tokens": 1, "temperature": 0, **options}
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
            text = " ".join(response.text[: 10 * MAX_SHOWN].split())
            is_refused = response.status_code in (400, 413, 422)
            if is_refused and any(hint in text.lower() for hint in TOO_LONG_HINTS):
                return f"the server cannot read it: {text[: 2 * MAX_SHOWN]}"
            wrong = f"it answers with status {response.status_code}: {text[:MAX_SHOWN]}"
            if response.status_code not in RETRY_STATUSES:
                break
            retry_after = response.headers.get("Retry-After", "")
            wait_s = float(retry_after) if retry_after.isdecimal() else wait_s
        if n + 1 < N_TRIES:
            time.sleep(min(wait_s, LONGEST_WAIT_S) * WAIT_FACTOR)
    right = "a server that runs; what it answered until now is kept, and not asked again"
    raise InputError(url, wrong, right, kind="network")


def _choices(response: httpx2.Response, url: str, model: str, n: int) -> list[Mapping[str, Any]]:
    """Return the `n` choices of a server's answer, sorted by their index.

    Raises `InputError` if the answer does not have this format.
    """
    try:
        answer = response.json()
        choices = {int(choice["index"]): choice for choice in answer["choices"]}
    except (KeyError, TypeError, ValueError):
        kind = response.headers.get("Content-Type", "no type")
        raise _malformed(url, f"{response.text[:MAX_SHOWN]!r} ({kind})") from None
    if answer.get("model", model) != model:
        raise _malformed(url, f"as the model {str(answer['model'])[:MAX_SHOWN]!r}, not {model!r}")
    if sorted(choices) != [*range(n)]:
        raise _malformed(url, f"{len(choices)} answers to {n} texts")
    return [choices[index] for index in range(n)]


def _malformed(url: str, what: str) -> InputError:
    """Return (do not raise) the error for a server whose answer has a wrong format."""
    return InputError(url, f"it answers {what}", EXPECTED, kind="format")


def load(spec: str, options: LoadOptions) -> Served:
    """Return the scorer of a model on a server; `spec` is the server's address, `?model=NAME`
    behind it if it has several models. A key is read from the environment.

    Raises `InputError` for an invalid address, if no server answers there, for a model that the
    server does not have, and if it gives fewer probabilities than a text has tokens.
    """
    check_options(options, "a served model")
    parts = urlsplit(spec)
    query = parse_qs(parts.query)
    if parts.scheme not in ("http", "https") or not parts.hostname or {*query} - {"model"}:
        raise InputError(f"api:{spec}", "this is no address of a server", EXPECTED, kind="value")
    url = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
    key = os.environ.get(KEY_VARIABLE, "")
    if key and parts.scheme == "http" and parts.hostname not in LOCAL_HOSTS:
        wrong = f"the key of {KEY_VARIABLE} would go over an open connection"
        raise InputError(url, wrong, "https, or no key", kind="unsafe")
    headers = {"User-Agent": f"colorless-green/{__version__}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    client = httpx2.Client(headers=headers, timeout=TIMEOUT_S, trust_env=False)
    model = query["model"][0] if query else _only_model(client, url)
    lead = "" if options.bos in ("auto", "none", TOKENIZER) else options.bos
    shape = _working_shape(client, url, model)
    scorer = Served(url=url, model=model, lead=lead, shape=shape, client=client)
    fault = sanity_fault(scorer)
    return replace(scorer, notes=(f"{model}: {fault}",)) if fault else scorer


def _only_model(client: httpx2.Client, url: str) -> str:
    """Return the name of a server's only model. Raises `InputError` if it has none or several."""
    try:
        names = [str(entry["id"]) for entry in client.get(f"{url}/models").json()["data"]]
    except (httpx2.HTTPError, KeyError, TypeError, ValueError) as error:
        wrong = f"it does not say which models it has ({type(error).__name__})"
        raise InputError(url, wrong, f"api:{url}?model=NAME", kind="network") from None
    if len(names) != 1:
        wrong = f"it has {len(names)} models"
        right = f"api:{url}?model=NAME with NAME one of {', '.join(names[:10])}"
        raise InputError(url, wrong, right, kind="value")
    return names[0]


def _working_shape(client: httpx2.Client, url: str, model: str) -> str:
    """Return the response shape (a key of `SHAPES`) that a server supports, tried on a short text.

    Raises `InputError` if it supports none, or gives fewer probabilities than tokens.
    """
    text = "The keys are old ."
    *_, last_shape = SHAPES
    for shape, request_options in SHAPES.items():
        try:
            choices = ask(client, url, model, [text], request_options)
        except InputError as error:
            # A status of 400 to 499 that another try does not help: unknown options, perhaps.
            is_temporary = any(f"status {status}:" in error.wrong for status in RETRY_STATUSES)
            if "status 4" not in error.wrong or is_temporary or shape == last_shape:
                raise
            continue
        reported = PARSERS[shape](choices[0]) if not isinstance(choices, str) else None
        if reported is not None and align_tokens(text, reported) is not None:
            return shape
    wrong = "it gives fewer log-probabilities than a text has tokens"
    right = "a server with prompt_logprobs or with echo and logprobs, such as vLLM"
    raise InputError(url, wrong, right, kind="unsupported")
