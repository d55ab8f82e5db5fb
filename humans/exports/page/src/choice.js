/** A choice between two: forms that go on from a prefix, side by side; sentences, one above the
 * other. By click, tap, Tab and Enter, letters or arrows. */
import { Watch, input } from "./answering.js";
import { begin, make, painted, unseen } from "./dom.js";
import { keys, sideOf } from "./keys.js";
import { direction } from "./texts.js";

const SIZES = [1.375, 1.25, 1.125, 1, 0.875, 0.8]; // of a form, in rem (of 18 pixels)

/** The jsPsych plugin of a page. */
export function choice(page) {
  return class {
    static info = page.info("choice");

    constructor(jsPsych) {
      this.jsPsych = jsPsych;
    }

    trial(display, { shown: trial }) {
      const stacked = trial.task !== "form";
      const { say, study } = page;
      const buttons = trial.options.map((option) => button(option, trial));
      const group = make(
        "div",
        {
          role: "group",
          "aria-labelledby": "question",
          class: `options ${stacked ? "stacked" : "beside"}`,
          dir: direction(trial.language),
        },
        ...buttons,
      );
      display.replaceChildren(
        make("h1", { id: "question", class: "question" }, say(`question_${trial.task}`)),
        stacked ? "" : prefix(trial, say),
        group,
      );
      begin(display);
      this.answer(display, trial, buttons, stacked, study);
    }

    async answer(display, trial, buttons, stacked, study) {
      const sides = sidesOf(buttons, stacked);
      hint(buttons, sides);
      if (!stacked) fit(buttons);
      const done = new AbortController();
      let n_early = 0;
      let watch = null;
      const choose = (index, event) => {
        if (!watch) n_early += 1;
        else if (watch.takes(event)) finish(index, event);
      };
      const finish = (index, event) => {
        if (!display.isConnected) return; // whoever has stopped answers nothing more
        done.abort();
        clearTimeout(timer);
        page.record(trial, {
          chosen_index: index,
          chosen: index === null ? null : trial.options[index],
          rt_ms: event ? watch.since(event) : null,
          input: event ? input(event) : "",
          side: index === null ? "" : sides[index],
          n_ignored: watch.n_ignored + n_early,
          timed_out: index === null,
        });
        page.feedback(display, trial, index, () => this.jsPsych.finishTrial());
      };
      let timer;
      buttons.forEach((each, index) =>
        each.addEventListener("click", (event) => choose(index, event), { signal: done.signal }),
      );
      document.addEventListener(
        "keydown",
        (event) => {
          const at = document.activeElement;
          if (event.repeat || (at !== document.body && !display.contains(at))) return;
          const side = sideOf(event, stacked);
          if (!side) return;
          event.preventDefault();
          choose(sides.indexOf(stacked ? { left: "top", right: "bottom" }[side] : side), event);
        },
        { signal: done.signal },
      );
      watch = new Watch(await painted(), study.minimum_rt_ms);
      if (study.deadline_ms && !done.signal.aborted)
        timer = setTimeout(() => finish(null, null), study.deadline_ms);
    }
  };
}

function prefix(trial, say) {
  return make(
    "p",
    { class: "stimulus", lang: trial.language, dir: direction(trial.language) },
    make("bdi", {}, trial.prefix),
    " ",
    make("span", { "aria-hidden": "true", class: "gap" }, "___"),
    make("span", { lang: say.language }, unseen(say("blank"))),
  );
}

function button(option, trial) {
  return make(
    "button",
    { type: "button", class: "option" },
    make("bdi", { dir: "auto", lang: trial.language }, option),
  );
}

/** Where each button is: left or right, top or bottom, as it is seen. */
function sidesOf(buttons, stacked) {
  if (stacked) return ["top", "bottom"];
  const [first, second] = buttons.map((each) => each.getBoundingClientRect().left);
  return first < second ? ["left", "right"] : ["right", "left"];
}

/** Sets forms that are too long for half of a small screen smaller, both alike, before it breaks
 * them. */
function fit(buttons) {
  for (const size of SIZES) {
    for (const each of buttons) each.style.fontSize = `${size}rem`;
    if (buttons.every(fits)) return;
  }
  for (const each of buttons) each.classList.add("long");
}

/** Whether what is in a button leaves its padding free, on both sides. */
function fits(button) {
  const room = button.clientWidth - 2 * parseFloat(getComputedStyle(button).paddingInlineStart);
  const shown = [...button.children].filter((each) => each.getClientRects().length); // kbd: by pointer
  const ends = shown.flatMap((each) => {
    const { left, right } = each.getBoundingClientRect();
    return [left, right];
  });
  return Math.max(...ends) - Math.min(...ends) <= room + 1;
}

/** Shows the letter on each button where there is likely to be a keyboard. */
function hint(buttons, sides) {
  if (!keys.on) return;
  buttons.forEach((each, index) => {
    const letter = ["left", "top"].includes(sides[index]) ? keys.left : keys.right;
    each.append(make("kbd", { "aria-hidden": "true" }, letter.toUpperCase()));
  });
}
