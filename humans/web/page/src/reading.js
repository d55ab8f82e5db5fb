/** Reading word by word: a line of bars, of which a key or a tap shows the next and hides the last.
 * A hidden word is not on the page at all. */
import { Watch, input } from "./answering.js";
import { begin, make, painted } from "./dom.js";
import { direction } from "./texts.js";

const SAME_PRESS_MS = 600;
const CLICK_MS = 100; // a click comes sooner after the finger has gone

/** The jsPsych plugin of a page. */
export function reading(page) {
  return class {
    static info = page.info("reading");

    constructor(jsPsych) {
      this.jsPsych = jsPsych;
    }

    trial(display, { shown: trial }) {
      const { say } = page;
      const words = trial.options.map((word) =>
        make("span", { class: "word" }, make("bdi", {}, word)),
      );
      const line = make(
        "p",
        { class: "stimulus words", lang: trial.language, dir: direction(trial.language) },
        ...words.flatMap((word) => [word, " "]),
      );
      const next = make("button", { type: "button", class: "main next" }, say("reading_next"));
      display.replaceChildren(
        make("h1", { id: "question", class: "question" }, say("question_reading")),
        line,
        next,
      );
      for (const word of words) {
        word.style.inlineSize = `${Math.ceil(word.getBoundingClientRect().width)}px`;
      }
      words.forEach(hide);
      begin(display);
      this.read(display, trial, words, next);
    }

    async read(display, trial, words, next) {
      const done = new AbortController();
      const times = [];
      let watch = null;
      let at = -1; // the word that is seen
      let since = null; // when it was first seen; null until it is
      let total = 0;
      const step = async (event) => {
        if (!watch || !display.isConnected || (at < 0 && !watch.takes(event))) return;
        if (at >= 0) {
          if (since === null) return; // not yet painted: nobody has read it
          times.push(Math.max(0, Math.round((event.timeStamp - since) * 10) / 10));
          hide(words[at]);
        }
        at += 1;
        if (at === words.length) {
          done.abort();
          total = watch.since(event);
          page.record(trial, {
            words: times,
            rt_ms: total,
            input: input(event),
            n_ignored: watch.n_ignored,
          });
          await released(event);
          this.jsPsych.finishTrial();
          return;
        }
        since = null;
        words[at].replaceChildren(make("bdi", {}, trial.options[at]));
        words[at].classList.remove("hidden");
        const now = at;
        const seen = await painted();
        if (at === now) since = seen;
      };
      const signal = { signal: done.signal };
      display.addEventListener(
        "pointerdown",
        (event) => {
          if (event.button !== 0) return;
          event.preventDefault(); // the focus stays, and no click follows on the button
          step(event);
        },
        signal,
      );
      let pressed = -Infinity; // when a key went down: the click that some browsers make of it
      next.addEventListener(
        "click",
        (event) => {
          if (event.detail === 0 && event.timeStamp - pressed > SAME_PRESS_MS) step(event);
        },
        signal,
      );
      document.addEventListener(
        "keydown",
        (event) => {
          const enter = event.key === "Enter" && event.target === next;
          if ((event.key !== " " && !enter) || event.target.closest?.(".keys")) return;
          event.preventDefault();
          pressed = event.timeStamp;
          if (!event.repeat) step(event);
        },
        signal,
      );
      watch = new Watch(await painted(), page.study.minimum_rt_ms);
    }
  };
}

/** Resolves when the finger is off the screen, and the click that browsers make of it is over: on
 * the next screen both would press what is there. */
function released(event) {
  if (event.type !== "pointerdown") return Promise.resolve();
  return new Promise((resolve) => {
    const later = () => setTimeout(resolve, CLICK_MS);
    for (const type of ["pointerup", "pointercancel"])
      document.addEventListener(type, later, { once: true, capture: true });
  });
}

function hide(word) {
  word.replaceChildren();
  word.classList.add("hidden");
}
