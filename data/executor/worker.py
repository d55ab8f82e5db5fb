"""The far side: a job comes in as bytes, its answer goes out as bytes, whatever happens."""

import os
import pickle
import signal
import traceback
from collections.abc import Callable
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, TypeAlias

from colorless_green.data.errors import InputError
from colorless_green.data.executor.order import Answer

Function: TypeAlias = Callable[[Any], Any]

_seat = 0  # of this process; `serve` sets it before the first job


def seat() -> int:
    """Which of the processes of one machine that work side by side this one is, from 0.

    Whoever takes the place of one that died takes its seat. 0 where jobs are not done by
    processes of `--workers`. It is for what the machine has several of, as GPUs: nothing of it may
    show in a result.
    """
    return _seat


def unpacked(function: bytes) -> Function:
    """The function in a pickle; if it cannot be loaded here, one that raises why."""
    try:
        loaded: Function = pickle.loads(function)
    except Exception as error:
        fault = error

        def broken(job: object) -> object:
            raise fault

        return broken
    return loaded


def answer(function: Function, job: bytes) -> bytes:
    """The pickled `Answer` to a pickled job."""
    try:
        return pickle.dumps(Answer(function(pickle.loads(job))))
    except BaseException as error:  # also SystemExit: it is for the parent to end
        return pickle.dumps(Answer(None, _portable(error)))


def _portable(error: BaseException) -> BaseException:
    """`error` with the traceback it has here as a note, which a pickle keeps; of an exception that
    does not survive pickling, a `RuntimeError` that says as much. A user's mistake stays as it is.
    """
    if isinstance(error, InputError):
        return error
    trace = "".join(traceback.format_exception(error))
    error.add_note(f"In a worker:\n{trace}")
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:
        pass  # the substitute says all that this one said
    substitute = RuntimeError(f"{type(error).__name__}: {error}")
    substitute.add_note(f"In a worker:\n{trace}")
    return substitute


def serve(connection: Connection, seat: int) -> None:
    """The life of a worker process: two messages a job (the function, or nothing if it is the last
    one's; the job), one answer. It ends with the connection, or with the parent."""
    global _seat
    _seat = seat
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, who ends its workers
    Thread(target=_end_with_parent, daemon=True).start()
    function: Function | None = None
    try:
        while True:
            packed, job = connection.recv_bytes(), connection.recv_bytes()
            if packed:
                function = unpacked(packed)
            assert function is not None
            connection.send_bytes(answer(function, job))
    except (EOFError, OSError):
        return


def _end_with_parent() -> None:
    """Ends this process, in the middle of a job too, when its parent has died of whatever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
