/** Requests to the server: JSON out, JSON back. */

const PATIENCE_MS = 20_000;

/** {status, body, wait_s} of a POST; throws where no answer came. */
export async function post(path, body, { token = "", keepalive = false } = {}) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const reply = await fetch(path, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    keepalive,
    signal: keepalive ? undefined : AbortSignal.timeout(PATIENCE_MS),
  });
  return {
    status: reply.status,
    body: await reply.json().catch(() => ({})),
    wait_s: Number(reply.headers.get("Retry-After")) || 0,
  };
}

/** Waits 1, 2, 4 … 60 seconds with a little chance in it, less when the network or the page comes
 * back; begins anew after `reset`. */
export class Patience {
  constructor() {
    this.n_waits = 0;
    this.wake = () => {};
    window.addEventListener("online", () => this.wake());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.wake();
    });
  }

  reset() {
    this.n_waits = 0;
  }

  async wait(atLeast_s = 0) {
    const seconds = Math.max(atLeast_s, Math.min(60, 2 ** this.n_waits));
    this.n_waits += 1;
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000 * (0.75 + Math.random() / 2));
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
