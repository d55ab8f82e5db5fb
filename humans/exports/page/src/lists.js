/** Which list a session has: the one that its address names (`?list=2`), otherwise the next in turn,
 * so that lists stay even. Sessions are counted where answers go, or in this browser. Where nobody
 * can count them a list is drawn. */

const CONDITION = "https://pipe.jspsych.org/api/condition/";
const COUNTER = "colorless_sessions"; // in JATOS's batch session data, which the sessions share
const RIVALS = 500; // attempts: of sessions that begin at one moment, one at a time succeeds
const ATTEMPTS = 3; // to reach DataPipe
const PAUSE_MS = 400;

export async function assigned({ lists, answers }, named) {
  const asked = lists.find((number) => String(number) === named);
  if (asked) return asked;
  const turn = await TURNS[answers.to](answers).catch(drawn);
  return lists[turn % lists.length];
}

/** How many sessions began before this one. */
const TURNS = {
  /** JATOS refuses to write to a batch session that another session has changed since it was read,
   * and sends the new one: then it is read again. */
  jatos: () =>
    tried(RIVALS, async () => {
      const { batchSession } = window.jatos;
      const count = batchSession.get(COUNTER) ?? 0;
      await batchSession.set(COUNTER, count + 1);
      return count;
    }),
  datapipe: ({ experiment }) =>
    tried(ATTEMPTS, async () => {
      const reply = await fetch(CONDITION, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "*/*" },
        body: JSON.stringify({ experimentID: experiment }),
      });
      const { condition } = await reply.json();
      if (!Number.isInteger(condition)) throw new Error("DataPipe assigns no conditions");
      return condition;
    }),
  download: inBrowser,
  preview: inBrowser,
};

async function inBrowser() {
  const key = `colorless:${location.pathname}`;
  const count = Number(localStorage.getItem(key));
  localStorage.setItem(key, count + 1);
  return count;
}

async function tried(times, work) {
  for (let left = times - 1; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (!left) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * Math.random()));
    }
  }
}

function drawn() {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}
