/** One way through a study: consent, instructions, practice, trials in blocks, questions, the end. */
import { initJsPsych, ParameterType } from "jspsych";
import { BundleSession } from "./bundle.js";
import { choice } from "./choice.js";
import { make, save, show } from "./dom.js";
import { rating } from "./rating.js";
import { reading } from "./reading.js";
import * as screens from "./screens.js";
import { ServerSession } from "./server.js";
import * as storage from "./storage.js";
import { direction, directions, texts } from "./texts.js";
import { visitor } from "./visitor.js";

const SLOW_MS = 8_000; // sending for so long, and people are offered their answers as a file
const VERSION = "1.0.0";

async function begin() {
  const who = visitor(location.search);
  const study = await (await fetch("study.json")).json();
  directions(study);
  const language = study.instructions[who.language] ? who.language : study.language;
  const say = await texts(language);
  const root = document.documentElement;
  root.lang = say.language;
  root.dir = direction(say.language);
  document.title = study.title;
  if (who.preview) {
    await screens.message(say("preview"), [say("preview_text")]);
    return;
  }
  const tell = {
    waiting: (now) => screens.notice(now ? say("offline") : lastingNotice(say)),
    elsewhere: () => elsewhere(page),
    gone: () => gone(say),
  };
  const Session = study.answers.to === "server" ? ServerSession : BundleSession;
  const session = new Session(study, who, tell);
  const page = { study, say, session, language };
  let opened = await session.reopen();
  while (opened === "elsewhere") opened = await asked(page);
  const known = opened !== null;
  opened ??= await consented(page);
  if (opened) await take(page, opened, known);
}

function lastingNotice(say) {
  return storage.lasting ? "" : say("not_kept");
}

/** Asks whether to go on here, when the session is open in another window. */
async function asked(page) {
  const { say, session } = page;
  await screens.message(say("elsewhere"), [say("elsewhere_text")], say("continue_here"));
  return session.reopen({ take: true });
}

/** The session has gone to another window while this one was open. */
async function elsewhere(page) {
  const { say, session } = page;
  screens.progress("", 0, 0);
  await screens.message(say("elsewhere"), [say("elsewhere_text")], say("continue_here"));
  await session.reopen({ take: true });
  location.reload();
}

function gone(say) {
  screens.progress("", 0, 0);
  screens.message(say("gone"), [say("gone_text")]);
}

/** The session of somebody who agrees; null for all others. */
async function consented({ study, say, session, language }) {
  if (!(await screens.consent(study, say))) {
    const address = await session.decline();
    await screens.message(say("declined"), [
      say("declined_text"),
      ...(address ? [make("a", { class: "button main", href: address }, say("return"))] : []),
    ]);
    return null;
  }
  const opened = await session.open(language);
  if (opened === "known") {
    await screens.message(say("known"), [say("known_text"), contact(study, say)]);
    return null;
  }
  if (!opened) {
    await screens.message(say("changed"), [say("changed_text")], say("again"));
    location.reload();
  }
  return opened;
}

function contact(study, say) {
  const address = study.consent.contact_email;
  const link = make("a", { href: `mailto:${address}` }, make("bdi", {}, address));
  const colon = say.language.startsWith("fr") ? "\u00a0: " : ": ";
  return make("span", {}, say("about_contact_email"), colon, link);
}

/** Whom to ask, and the way out, on every screen from now on. */
function foot({ study, say, session }) {
  const out = make("button", { type: "button", class: "plain" }, say("withdraw"));
  out.addEventListener("click", async () => {
    if (!confirm(say("withdraw_sure"))) return;
    screens.foot();
    screens.progress("", 0, 0);
    screens.message(say("sending_heading"), []);
    await session.withdraw();
    screens.message(say("withdrawn"), [say("withdrawn_text")]);
  });
  screens.foot(contact(study, say), out);
}

/** What is left to do, from wherever one was. */
async function take(page, opened, known) {
  const { study, say, session, language } = page;
  foot(page);
  if (opened.finished) {
    screens.done(say, opened);
    return;
  }
  window.addEventListener("beforeunload", (event) => {
    if (!storage.lasting && session.n_waiting) event.preventDefault();
  });
  screens.notice(lastingNotice(say));
  const left = opened.trials.filter((trial) => !opened.answered.has(trial.trial_id));
  if (known && opened.answered.size)
    await screens.message(say("welcome_back"), [say("welcome_back_text")], say("continue"));
  else await screens.instructions(study, language, say, opened);
  if (left.length) await run(page, opened.trials, left);
  screens.progress("", 0, 0);
  const said = await screens.questions(study, say);
  await close(page, said);
}

/** The trials that are left, with what stands between them. */
async function run(page, trials, left) {
  const { say } = page;
  const totals = { practice: 0, recorded: 0 };
  for (const trial of trials) totals[sort(trial)] += trial.task === "question" ? 0 : 1;
  const plugins = { form: choice, sentence: choice, question: choice, rating, reading };
  const made = {};
  const timeline = [];
  const told = trials.some((each) => each.practice && each.right);
  let before = null;
  for (const trial of left) {
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
        const where = say(`progress_${sort(trial)}`, { n, total });
        const asked = trial.task === "question";
        screens.progress(asked ? say("progress_question", { where }) : where, n - 1, total);
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
function during(page) {
  const { say, session } = page;
  return {
    info: (name) => ({
      name: `colorless-${name}`,
      version: VERSION,
      parameters: { shown: { type: ParameterType.OBJECT } },
      data: {},
    }),
    record: (trial, answer) => {
      session.add({ n_changes: 0, ...answer, trial: trial.trial_id });
      screens.notice(lastingNotice(say));
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

/** Sends what is left, waits until it is stored, and says so. */
async function close({ study, say, session }, said) {
  const screen = screens.sending(say);
  const by_hand = () => save(`answers-${study.study ?? "study"}.json`, session.file(said));
  const slow = setTimeout(() => screen.offer(by_hand), SLOW_MS);
  const reply = await session.finish(said);
  clearTimeout(slow);
  if (reply.missing.length) screen.offer(by_hand);
  else screens.done(say, reply, study.answers.to === "server" ? study.redirect_seconds : 0);
}

begin().catch((error) => {
  console.error(error);
  show(make("h1", {}, "This page could not be shown"), make("p", {}, "Please load it again."));
});
