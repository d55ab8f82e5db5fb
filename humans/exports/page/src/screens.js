/** The screens around the trials. Each resolves with what the person did there. */
import { make, show } from "./dom.js";
import { keysPanel } from "./keys.js";
import { markdown } from "./markdown.js";
import { direction, named } from "./texts.js";

const FIELDS = [
  "researcher", "institution", "contact_email", "purpose", "procedure", "duration_minutes",
  "payment", "risks", "data_kept", "retention_until", "withdrawal", "data_sharing",
  "ethics_board", "approval_number",
];

/** A heading, some paragraphs, perhaps a button: resolves when it is pressed. */
export function message(heading, paragraphs, button) {
  return new Promise((resolve) => {
    show(
      make("h1", {}, heading),
      ...paragraphs.map((each) => (typeof each === "string" ? make("p", {}, each) : each)),
      button && make("button", { type: "button", class: "main", onclick: resolve }, button),
    );
  });
}

/** What people are told before they take part; true if they agree. */
export function consent(study, say) {
  const said = { lang: study.language, dir: direction(study.language) };
  const told = study.consent;
  return new Promise((resolve) => {
    const boxes = [
      checkbox("statement", told.consent_statement, say, said),
      checkbox("age", say("of_age", { n: told.minimum_age }), say),
    ];
    const form = make(
      "form",
      {
        novalidate: true,
        onsubmit: (event) => {
          event.preventDefault();
          const open = boxes.filter((box) => !box.check());
          if (open.length) open[0].focus();
          else resolve(true);
        },
      },
      ...boxes.map((box) => box.element),
      make(
        "div",
        { class: "row" },
        make("button", { type: "submit", class: "main" }, say("agree")),
        make("button", { type: "button", onclick: () => resolve(false) }, say("disagree")),
      ),
    );
    show(
      make("h1", said, study.title),
      make("p", {}, say("consent_lead")),
      make("dl", {}, ...FIELDS.flatMap((name) => field(name, told[name], say, said))),
      make("p", {}, say("native_wanted", { languages: wanted(study, say) })),
      study.deadline_ms > 0 && make("p", {}, say("deadline", { n: study.deadline_ms / 1000 })),
      form,
    );
  });
}

function wanted(study, say) {
  return named(study.consent.languages_required, say.language);
}

function field(name, value, say, said) {
  const text = name === "duration_minutes" ? say("minutes", { n: value }) : value;
  return [
    make("dt", {}, say(`about_${name}`)),
    make("dd", name === "duration_minutes" ? {} : said, text),
  ];
}

/** A box that must be ticked, with its error beside it. */
function checkbox(name, label, say, said = {}) {
  const error = make("span", { class: "error", id: `${name}-error` });
  const box = make("input", {
    type: "checkbox",
    id: name,
    "aria-describedby": `${name}-error`,
    onchange: () => check(),
  });
  const check = () => {
    error.textContent = box.checked ? "" : say("tick_first");
    box.setAttribute("aria-invalid", String(!box.checked));
    return box.checked;
  };
  return {
    element: make(
      "div",
      { class: "tick" },
      make("label", { class: "check" }, box, make("span", said, label)),
      error,
    ),
    check,
    focus: () => box.focus(),
  };
}

/** The researchers' instructions. */
export function instructions(study, language, say) {
  const text = study.instructions[language] ?? Object.values(study.instructions)[0];
  const spoken = study.instructions[language] ? language : Object.keys(study.instructions)[0];
  const blocks = markdown(text);
  return new Promise((resolve) => {
    show(
      blocks[0]?.tagName === "H1" ? null : make("h1", {}, say("instructions")),
      make("div", { class: "prose", lang: spoken, dir: direction(spoken) }, ...blocks),
      study.task !== "rating" && keysPanel(say),
      make("p", {}, say(study.answers.to === "jatos" ? "stay_kept" : "stay_lost")),
      make("button", { type: "button", class: "main", onclick: resolve }, say("start")),
    );
  });
}

/** What is asked at the end: {native, help}. */
export function questions(study, say) {
  return new Promise((resolve) => {
    const asked = [
      yesOrNo("native", say("native", { languages: wanted(study, say) }), say),
      yesOrNo("help", say("help"), say),
    ];
    show(
      make("h1", {}, say("questions")),
      make("p", {}, say("questions_lead")),
      make(
        "form",
        {
          novalidate: true,
          onsubmit: (event) => {
            event.preventDefault();
            const open = asked.filter((each) => !each.check());
            if (open.length) open[0].focus();
            else resolve({ native: asked[0].value(), help: asked[1].value() });
          },
        },
        ...asked.map((each) => each.element),
        make("button", { type: "submit", class: "main" }, say("send")),
      ),
    );
  });
}

function yesOrNo(name, question, say) {
  const error = make("p", { class: "error", id: `${name}-error` });
  const radio = (value) =>
    make("input", { type: "radio", name, value, onchange: () => { error.textContent = ""; } });
  const radios = ["yes", "no"].map(radio);
  const element = make(
    "fieldset",
    { class: "question", "aria-describedby": `${name}-error` },
    make("legend", {}, question),
    ...radios.map((each) => make("label", { class: "check" }, each, make("span", {}, say(each.value)))),
    error,
  );
  const value = () => radios.find((each) => each.checked)?.value ?? "";
  return {
    element,
    value,
    check: () => {
      error.textContent = value() ? "" : say("choose_first");
      return Boolean(value());
    },
    focus: () => radios[0].focus(),
  };
}

/** The screen that waits until all is stored. `offer` shows a way to save the answers by hand. */
export function sending(say) {
  const state = make("p", { role: "status" }, say("sending"));
  const by_hand = make("div", {});
  show(make("h1", {}, say("sending_heading")), state, by_hand);
  return {
    offer(save) {
      if (by_hand.firstChild) return;
      by_hand.append(
        make("p", {}, say("not_sent")),
        make("button", { type: "button", onclick: save }, say("save")),
      );
    },
  };
}

/** The end. Only now is there a way back to where people came from, and after the study's seconds
 * (0: never) they go there by themselves, unless they say that they stay. `save` is there where the
 * answers are in a file, which a browser may have refused. */
export function done(study, say, save) {
  const { debriefing, redirect_seconds: seconds } = study;
  const completion = study.completion.complete;
  const told = [
    make("p", {}, study.ribbon ?? say(save ? "done_file" : "done_text")),
    save && make("p", {}, make("button", { type: "button", onclick: save }, say("save"))),
    ...(debriefing ? [make("h2", {}, say("debriefing")), ...markdown(debriefing)] : []),
  ];
  if (!completion) {
    show(make("h1", {}, say("done")), ...told, make("p", {}, say("close")));
    return;
  }
  const link = make("a", { class: "button main", href: completion, rel: "noreferrer" }, say("return"));
  const why = make("p", { id: "return" }, say("return_text"));
  const row = make("div", { class: "row" }, link);
  if (seconds > 0) countDown(say, link, why, row, seconds);
  show(make("h1", { "aria-describedby": "return" }, say("done")), ...told, why, row);
}

/** Follows the link after so many seconds, which are told, if nobody stops it. */
function countDown(say, link, why, row, seconds) {
  let left = seconds;
  const clock = make("bdi", {}, left);
  const [before, after] = say("leaving").split("{n}");
  const timer = setInterval(() => {
    left -= 1;
    clock.textContent = left;
    if (left > 0) return;
    clearInterval(timer);
    location.assign(link.href);
  }, 1000);
  const stay = make(
    "button",
    {
      type: "button",
      onclick: () => {
        clearInterval(timer);
        stay.remove();
        why.textContent = say("staying");
        link.focus();
      },
    },
    say("stay"),
  );
  link.addEventListener("click", () => clearInterval(timer));
  why.replaceChildren(before, make("b", { role: "timer" }, clock), after ?? "");
  row.append(stay);
}

/** Right or not, in words, and the sentence as it goes on. */
export function verdict(display, trial, right, say, next) {
  const heading = make("h1", { tabindex: -1 }, say(right ? "feedback_right" : "feedback_other"));
  const [before, after] = say(`feedback_${trial.task}`).split("{right}");
  const answer = () => make("b", {}, make("bdi", { lang: trial.language }, trial.right));
  display.replaceChildren(
    heading,
    make("p", {}, before, ...(after === undefined ? [] : [answer(), after])),
    make(
      "p",
      { class: "told", lang: trial.language, dir: direction(trial.language) },
      trial.prefix && make("bdi", {}, trial.prefix),
      " ",
      trial.task === "form" && answer(),
      trial.task === "sentence" && make("bdi", {}, trial.right),
    ),
    make("button", { type: "button", class: "main", onclick: next }, say("continue")),
  );
  heading.focus({ preventScroll: true });
}

/** How far one is, for eyes (bar) and ears (text). */
export function progress(text, value, total) {
  const line = document.getElementById("progress");
  if (line.textContent !== text) line.textContent = text;
  const bar = document.getElementById("bar");
  bar.hidden = total === 0;
  bar.max = total || 1;
  bar.value = value;
}

/** What stands at the foot of every screen. */
export function foot(...parts) {
  document.getElementById("foot").replaceChildren(...parts);
}

