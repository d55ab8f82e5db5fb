/** A session whose answers go to the server that gave the page. An answer is in the outbox before
 * the next screen shows, and leaves it when the server has said that it is stored. */
import { randomHex } from "./dom.js";
import { forget, keep, load } from "./storage.js";
import { machine, tag } from "./visitor.js";
import { Patience, post } from "./wire.js";

const BEAT_MS = 10_000;
const LARGEST_BATCH = 50_000; // characters: a request may have 64 KiB
const MOST = 100; // trials of a request
const WINDOW = "colorless:window"; // in sessionStorage: goes over to the same tab loaded again
const LOST = [401, 404]; // the server knows nothing of this session

export class ServerSession {
  /** `tell` is told what happens: {elsewhere, gone, waiting}. */
  constructor(study, visitor, tell) {
    this.study = study;
    this.visitor = visitor;
    this.tell = tell;
    this.key = `colorless:${study.study}:${tag(visitor)}`;
    this.state = { outbox: [], refused: [], seq: 0, n_blurs: 0, ...load(this.key) };
    this.patience = new Patience();
    this.sending = null;
    this.window = takeWindow();
  }

  get reference() {
    return this.state.reference ?? null;
  }

  set reference(value) {
    this.change({ reference: value });
  }

  get n_waiting() {
    return this.state.outbox.length + this.state.refused.length;
  }

  change(to) {
    Object.assign(this.state, to);
    keep(this.key, this.state);
  }

  /** The session that this browser has already; null where there is none; "elsewhere" while it is
   * open in another window, unless it is taken from there. */
  async reopen({ take = false } = {}) {
    if (!this.state.token) return null;
    const reply = await this.ask("api/resume", { window: this.window, take });
    if (reply.status === 423) return "elsewhere";
    if (LOST.includes(reply.status)) {
      forget(this.key);
      return null;
    }
    return this.opened(reply.body);
  }

  /** A new session, after consent. */
  async open(language) {
    if (!this.state.request) this.change({ request: randomHex(32) });
    const { platform, identity, test } = this.visitor;
    const reply = await this.ask("api/session", {
      request: this.state.request,
      consent: this.study.consent_version,
      platform,
      identity,
      language,
      test_run: test,
      window: this.window,
      ...machine(),
    });
    if (reply.body.error === "begun before") return "known";
    if (reply.status !== 201) return null; // the study has changed: the page must be loaded again
    this.change({ token: reply.body.token });
    return this.opened(reply.body);
  }

  opened(body) {
    const here = [...this.state.outbox, ...this.state.refused].map((each) => each.trial);
    this.attend();
    this.flush();
    return { ...body, answered: new Set([...body.answered, ...here]) };
  }

  /** A reply that is an answer to the question: asks until the server gives one. */
  async ask(path, body) {
    for (;;) {
      try {
        const reply = await post(path, body, { token: this.state.token });
        if (reply.status !== 429 && reply.status < 500) {
          this.patience.reset();
          this.tell.waiting(false);
          return reply;
        }
        this.tell.waiting(true);
        await this.patience.wait(reply.wait_s);
      } catch {
        this.tell.waiting(true);
        await this.patience.wait();
      }
    }
  }

  /** Says now and then that this window is there, and at its end that it is not. */
  attend() {
    if (this.beating) return;
    this.beating = setInterval(() => this.beat(), BEAT_MS);
    window.addEventListener("blur", () => this.change({ n_blurs: this.state.n_blurs + 1 }));
    window.addEventListener("online", () => this.flush());
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
    window.addEventListener("pagehide", () => {
      giveWindow(this.window);
      this.hurry();
      this.send("api/beat", { window: this.window, leave: true });
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.hurry();
    });
  }

  async beat() {
    try {
      const reply = await post("api/beat", { window: this.window }, { token: this.state.token });
      if (reply.status === 401) this.stop("gone");
      if (reply.status === 200 && !reply.body.here) this.stop("elsewhere");
    } catch {
      // no network: the outbox will tell
    }
  }

  stop(why) {
    clearInterval(this.beating);
    this.tell[why]();
  }

  /** Takes an answer. It is kept before this returns. */
  add(answer) {
    if (this.withdrawn) return;
    const seq = this.state.seq + 1;
    const record = { ...answer, record: randomHex(16), seq, at: new Date().toISOString() };
    this.change({ outbox: [...this.state.outbox, record], seq });
    this.flush();
  }

  /** Sends what is in the outbox, as often as it takes; one at a time. */
  flush() {
    this.sending ??= this.deliver().finally(() => {
      this.sending = null;
    });
    return this.sending;
  }

  async deliver() {
    let most = MOST;
    while (this.state.outbox.length) {
      const batch = batchOf(this.state.outbox, most);
      const reply = await this.ask("api/trials", { window: this.window, trials: batch });
      most = MOST;
      if (reply.status === 200 || reply.status === 409) {
        this.remove([...(reply.body.accepted ?? []), ...(reply.body.conflicts ?? [])]);
        if (reply.body.here === false) this.stop("elsewhere");
      } else if (LOST.includes(reply.status)) {
        this.stop("gone");
        return;
      } else if (batch.length > 1) {
        most = 1; // one of them is not taken: the others are sent alone
      } else {
        this.change({ refused: [...this.state.refused, batch[0]] });
        this.remove([batch[0].record]);
      }
    }
  }

  remove(records) {
    const gone = new Set(records);
    this.change({ outbox: this.state.outbox.filter((each) => !gone.has(each.record)) });
  }

  /** Sends what there is from a page that may be closing; what arrives twice is stored once. */
  hurry() {
    if (!this.state.outbox.length) return;
    const trials = batchOf(this.state.outbox, MOST);
    this.send("api/trials", { window: this.window, trials })?.then((reply) => {
      this.remove([...(reply?.body.accepted ?? []), ...(reply?.body.conflicts ?? [])]);
    });
  }

  send(path, body) {
    return post(path, body, { token: this.state.token, keepalive: true }).catch(() => null);
  }

  /** What was said at the end, with what the page has counted. */
  closing(said) {
    return { ...said, count: this.state.seq, n_blurs: this.state.n_blurs };
  }

  /** Waits until everything is stored; {completion, participant}, or {missing}. */
  async finish(said) {
    await this.flush();
    const reply = await this.ask("api/finish", this.closing(said));
    if (reply.status !== 200 || reply.body.missing.length) {
      return { missing: reply.body.missing ?? [] };
    }
    clearInterval(this.beating);
    return reply.body;
  }

  /** All that the server may not have, as a file that `colorless humans answers --add` takes. */
  file(said) {
    const trials = [...this.state.outbox, ...this.state.refused];
    const { token } = this.state;
    const at = new Date().toISOString();
    return JSON.stringify({ study: this.study.study, token, at, trials, ...this.closing(said) });
  }

  /** Stops, and has everything deleted, here and on the server. */
  async withdraw() {
    this.withdrawn = true;
    clearInterval(this.beating);
    this.change({ outbox: [], refused: [] });
    await this.ask("api/withdraw", {});
    forget(this.key);
  }

  /** Somebody who does not take part is counted. */
  async decline() {
    const reply = await this.ask("api/decline", {});
    return reply.body.completion ?? "";
  }
}

function batchOf(outbox, most) {
  const batch = [];
  let size = 0;
  for (const each of outbox.slice(0, most)) {
    size += new TextEncoder().encode(JSON.stringify(each)).length;
    if (size > LARGEST_BATCH && batch.length) break;
    batch.push(each);
  }
  return batch;
}

/** This window's name: the one it had before it was loaded again, which nobody else has since. (A
 * window that was duplicated finds none, for it is only laid down while the page is away.) */
function takeWindow() {
  try {
    const name = sessionStorage.getItem(WINDOW);
    sessionStorage.removeItem(WINDOW);
    return name || randomHex(16);
  } catch {
    return randomHex(16);
  }
}

function giveWindow(name) {
  try {
    sessionStorage.setItem(WINDOW, name);
  } catch {
    // then the lease has to run out
  }
}
