/** One way through a study: consent, instructions, practice, trials in blocks, questions, the end. */
import { initJsPsych, ParameterType } from "jspsych";
import { choice } from "./choice.js";
import { make, show } from "./dom.js";
import { rating } from "./rating.js";
import * as screens from "./screens.js";
import { jatosReady, Session } from "./session.js";
import { direction, directions, texts } from "./texts.js";

const SLOW_MS = 8_000; // sending for so long, and people are offered their answers as a file
const VERSION = "2.0.0";

async function begin() {
  const study = JSON.parse(document.getElementById("study").textContent);
  if (study.ribbon) document.body.prepend(make("aside", { class: "ribbon" }, study.ribbon));
  if (study.answers.to === "jatos") await jatosReady();
  const address = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(window.jatos?.urlQueryParameters ?? {}))
    address.set(name, value);
  directions(study);
  const language = study.instructions[address.get("lang")] ? address.get("lang") : study.language;
  const say = texts(study, language);
  const root = document.documentElement;
  root.lang = say.language;
  root.dir = direction(say.language);
  document.title = study.title;
  const page = { study, say, session: new Session(study, address), language };
  if (await screens.consent(study, say)) await take(page);
  else await declined(page);
}

function declined({ study, say }) {
  const address = study.completion.no_consent;
  return screens.message(say("declined"), [
    say("declined_text"),
    ...(address ? [make("a", { class: "button main", href: address }, say("return"))] : []),
  ]);
}

function contact({ study, say }) {
  const address = study.consent.contact_email;
  const link = make("a", { href: `mailto:${address}` }, make("bdi", {}, address));
  const colon = say.language.startsWith("fr") ? "\u00a0: " : ": ";
  return make("span", {}, say("about_contact_email"), colon, link);
}

/** The way out, beside whom to ask. */
function wayOut({ say, session }) {
  const out = make("button", { type: "button", class: "plain" }, say("withdraw"));
  out.addEventListener("click", async () => {
    if (!confirm(say("withdraw_sure"))) return;
    screens.foot();
    screens.progress("", 0, 0);
    screens.message(say("sending_heading"), []);
    await session.withdraw();
    screens.message(say("withdrawn"), [say("withdrawn_text")]);
  });
  return out;
}

/** All that comes after consent. */
async function take(page) {
  const { study, say, session, language } = page;
  const trials = await session.open();
  screens.foot(contact(page), wayOut(page));
  await screens.instructions(study, language, say);
  await run(page, trials);
  screens.progress("", 0, 0);
  await close(page, await screens.questions(study, say));
}

/** The trials, with what stands between them. */
async function run(page, trials) {
  const { say } = page;
  const totals = { practice: 0, recorded: 0 };
  for (const trial of trials) totals[sort(trial)] += 1;
  const plugins = { form: choice, sentence: choice, rating };
  const made = {};
  const timeline = [];
  const told = trials.some((each) => each.practice && each.right);
  let before = null;
  for (const trial of trials) {
    if (before && before.practice && !trial.practice)
      timeline.push(pause(page, "practice_over", told ? "practice_over_told" : null));
    else if (before && before.block !== trial.block) timeline.push(pause(page, "rest"));
    before = trial;
    made[trial.task] ??= plugins[trial.task]({ ...page, ...during(page) });
    timeline.push({
      type: made[trial.task],
      shown: trial,
      on_start: () => {
        const n = trial.position;
        const total = totals[sort(trial)];
        screens.progress(say(`progress_${sort(trial)}`, { n, total }), n - 1, total);
      },
    });
  }
  const display = make("div", { id: "stage" });
  show(display);
  const jsPsych = initJsPsych({ display_element: display, use_webaudio: false });
  await jsPsych.run(timeline);
}

function sort(trial) {
  return trial.practice ? "practice" : "recorded";
}

/** What a task may ask of the page while it runs. */
function during({ say, session }) {
  return {
    info: (name) => ({
      name: `colorless-${name}`,
      version: VERSION,
      parameters: { shown: { type: ParameterType.OBJECT } },
      data: {},
    }),
    record: (trial, answer) => {
      session.add({ n_changes: 0, ...answer, trial: trial.trial_id });
    },
    reference: (trial, value) => {
      session.reference ??= { sentence: trial.options[0], language: trial.language, value };
    },
    feedback: (display, trial, index, next) => {
      if (!trial.practice || !trial.right || index === null) next();
      else screens.verdict(display, trial, trial.options[index] === trial.right, say, next);
    },
  };
}

/** A screen between two parts, perhaps with a second text. */
function pause({ say }, name, more = null) {
  return {
    type: class {
      static info = { name: "colorless-pause", version: VERSION, parameters: {}, data: {} };

      constructor(jsPsych) {
        this.jsPsych = jsPsych;
      }

      trial(display) {
        const heading = make("h1", { tabindex: -1 }, say(name));
        const next = () => this.jsPsych.finishTrial();
        display.replaceChildren(
          heading,
          make("p", {}, say(`${name}_text`)),
          ...(more ? [make("p", {}, say(more))] : []),
          make("button", { type: "button", class: "main", onclick: next }, say("continue")),
        );
        heading.focus({ preventScroll: true });
      }
    },
  };
}

/** Sends what is left, waits until it has arrived, and says so. */
async function close(page, said) {
  const { study, say, session } = page;
  screens.foot(contact(page)); // what has been sent can no longer be taken back here
  const screen = screens.sending(say);
  const by_hand = () => session.save(said);
  const slow = setTimeout(() => screen.offer(by_hand), SLOW_MS);
  await session.finish(said, () => screen.offer(by_hand));
  clearTimeout(slow);
  screens.done(study, say, study.answers.to === "download" && by_hand);
}

begin().catch((error) => {
  console.error(error);
  show(make("h1", {}, "This page could not be shown"), make("p", {}, "Please load it again."));
});
