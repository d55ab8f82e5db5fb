"""Two hundred people at once, and a server that is killed among them."""

import asyncio
import random
import signal
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.humans.served import Process, process, write

N_PEOPLE, N_TRIALS = 200, 8
KINDS = ("filler", "target") * (N_TRIALS // 2)
pytestmark = pytest.mark.slow


class Crowd:
    """People who send each answer by itself, some of them twice, and try again as the page does."""

    def __init__(self, server: Process) -> None:
        self.address = server.address.rstrip("/")
        self.rng = random.Random(0)
        self.confirmed: set[str] = set()

    def hexadecimal(self, n: int) -> str:
        return f"{self.rng.getrandbits(8 * n):0{2 * n}x}"

    async def post(
        self, client: httpx2.AsyncClient, name: str, body: dict[str, Any], token: str = ""
    ) -> dict[str, Any]:
        headers = {"Origin": self.address}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        while True:
            try:
                reply = await client.post(f"/api/{name}", json=body, headers=headers)
            except (httpx2.NetworkError, httpx2.RemoteProtocolError):
                await asyncio.sleep(0.2)
                continue
            if reply.status_code in (200, 201):
                return dict(reply.json())
            assert reply.status_code == 429, reply.text
            await asyncio.sleep(float(reply.headers["Retry-After"]) + self.rng.random())

    async def person(self, client: httpx2.AsyncClient, consent: str) -> None:
        window = self.hexadecimal(16)
        start = {"request": self.hexadecimal(32), "consent": consent, "window": window}
        start |= {"browser": "other", "screen": "small"}
        session = await self.post(client, "session", start)
        for seq, trial in enumerate(session["trials"], start=1):
            answer = {
                "record": self.hexadecimal(16),
                "trial": trial["trial_id"],
                "seq": seq,
                "chosen_index": 0,
                "chosen": trial["options"][0],
                "rt_ms": 700,
                "at": "2026-01-01T10:00:00.000Z",
            }
            for _ in range(1 + (self.rng.random() < 0.3)):
                body = {"window": window, "trials": [answer]}
                reply = await self.post(client, "trials", body, session["token"])
                assert reply["accepted"] == [answer["record"]]
                self.confirmed.add(answer["record"])
        end = {"count": N_TRIALS, "native": "yes", "help": "no"}
        reply = await self.post(client, "finish", end, session["token"])
        assert reply["missing"] == []

    async def all(self) -> None:
        limits = httpx2.Limits(max_connections=N_PEOPLE)
        async with httpx2.AsyncClient(
            base_url=self.address, limits=limits, timeout=120, trust_env=False
        ) as client:
            consent = (await client.get("/study.json")).json()["consent_version"]
            await asyncio.gather(*(self.person(client, consent) for _ in range(N_PEOPLE)))


async def kill_and_start(server: Process, crowd: Crowd) -> None:
    """SIGKILL in the middle of it all, once a fifth of the answers have been confirmed."""
    while len(crowd.confirmed) < N_PEOPLE * N_TRIALS / 5:
        await asyncio.sleep(0.05)
    await asyncio.to_thread(server.end, signal.SIGKILL)
    await asyncio.to_thread(server.start)


@pytest.mark.parametrize("killed", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_two_hundred_people_lose_nothing_and_lists_are_level(tmp_path: Path, killed: bool) -> None:
    write(tmp_path / "s", n_lists=8, kinds=KINDS)
    with process(tmp_path / "s") as server:
        crowd = Crowd(server)

        async def run() -> None:
            work = [crowd.all()] + ([kill_and_start(server, crowd)] if killed else [])
            await asyncio.gather(*work)

        asyncio.run(run())
        server.end(signal.SIGINT)
    with closing(sqlite3.connect(tmp_path / "s" / "answers.db")) as connection:
        records = {each for (each,) in connection.execute("SELECT record FROM answer")}
        lists = Counter(each for (each,) in connection.execute("SELECT list FROM session"))
        finished = connection.execute("SELECT count(*) FROM session WHERE finished_at != ''")
        assert finished.fetchone() == (N_PEOPLE,)
        assert connection.execute("SELECT count(*) FROM audit").fetchone() == (0,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert records == crowd.confirmed
    assert len(records) == N_PEOPLE * N_TRIALS
    assert lists == dict.fromkeys(range(1, 9), N_PEOPLE // 8)
