/** How good a sentence is: five or seven steps, a slider, or a number of one's own. */
import { Watch, input } from "./answering.js";
import { begin, make, painted } from "./dom.js";
import { direction } from "./texts.js";

/** The jsPsych plugin of a page. */
export function rating(page) {
  return class {
    static info = page.info("rating");

    constructor(jsPsych) {
      this.jsPsych = jsPsych;
    }

    trial(display, { shown: trial }) {
      const { say, study } = page;
      const scale = SCALES[study.scale](say, page);
      const error = make("p", { class: "error", id: "error", role: "alert" });
      const form = make(
        "form",
        { class: "rating", novalidate: true },
        scale.element,
        error,
        make("button", { type: "submit", class: "main" }, say("continue")),
      );
      display.replaceChildren(
        make("h1", { id: "question", class: "question" }, say("question_rating")),
        make(
          "p",
          { class: "stimulus", lang: trial.language, dir: direction(trial.language) },
          make("bdi", {}, trial.options[0]),
        ),
        form,
      );
      begin(display);
      this.answer(form, error, scale, trial, study);
    }

    async answer(form, error, scale, trial, study) {
      const { say } = page;
      let watch = null;
      let timer;
      let last = "";
      let n_early = 0;
      const done = new AbortController();
      const finish = (value, event) => {
        if (!form.isConnected) return; // whoever has stopped answers nothing more
        done.abort();
        clearTimeout(timer);
        if (value !== null) page.reference(trial, value);
        page.record(trial, {
          rating: value,
          rt_ms: event ? watch.since(event) : null,
          input: event ? last : "",
          n_changes: Math.max(0, scale.n_choices() - 1),
          n_ignored: watch.n_ignored + n_early,
          timed_out: event === null,
        });
        this.jsPsych.finishTrial();
      };
      const signal = { signal: done.signal };
      for (const type of ["click", "keydown"])
        form.addEventListener(type, (event) => { last = input(event); }, signal);
      if (scale.digits)
        document.addEventListener("keydown", (event) => scale.digits(event), signal);
      form.addEventListener(
        "submit",
        (event) => {
          event.preventDefault();
          const value = scale.value();
          if (value === null) {
            error.textContent = say(scale.wrong);
            scale.focus();
          } else if (!watch) n_early += 1;
          else if (event.timeStamp - watch.shown >= watch.minimum) finish(value, event);
          else watch.n_ignored += 1;
        },
        signal,
      );
      form.addEventListener("input", () => { error.textContent = ""; }, signal);
      watch = new Watch(await painted(), study.minimum_rt_ms);
      if (study.deadline_ms) timer = setTimeout(() => finish(null, null), study.deadline_ms);
    }
  };
}

const SCALES = {
  5: (say) => steps(5, say),
  7: (say) => steps(7, say),
  slider,
  magnitude,
};

/** Steps from 1 to n as radio buttons; digits choose too. */
function steps(n, say) {
  let n_choices = 0;
  const radios = Array.from({ length: n }, (_, index) =>
    make("input", {
      type: "radio",
      name: "rating",
      value: index + 1,
      "aria-describedby": index === 0 ? "low" : index === n - 1 ? "high" : null,
      onchange: () => { n_choices += 1; },
    }),
  );
  const element = make(
    "fieldset",
    { "aria-labelledby": "question", "aria-describedby": "error" },
    make(
      "div",
      { class: `scale of-${n}` },
      ...radios.map((radio) => make("label", {}, radio, make("span", {}, radio.value))),
    ),
    ends(say),
  );
  return {
    element,
    wrong: "choose_first",
    value: () => Number(radios.find((radio) => radio.checked)?.value) || null,
    n_choices: () => n_choices,
    focus: () => radios[0].focus(),
    digits: (event) => {
      const radio = radios[Number(event.key) - 1];
      if (!radio || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.target.closest?.(".keys")) return;
      radio.focus();
      radio.click();
    },
  };
}

function ends(say) {
  return make(
    "div",
    { class: "ends" },
    make("span", { id: "low" }, say("low")),
    make("span", { id: "high" }, say("high")),
  );
}

/** From 0 to 100, without a place that it starts from. */
function slider(say) {
  let set = false;
  let n_choices = 0;
  const range = make("input", {
    type: "range",
    id: "range",
    min: 0,
    max: 100,
    value: 50,
    class: "unset",
    "aria-labelledby": "question",
    "aria-describedby": "low high error",
    "aria-valuetext": say("no_value"),
  });
  const choose = () => {
    set = true;
    range.classList.remove("unset");
    range.removeAttribute("aria-valuetext");
  };
  range.addEventListener("pointerdown", choose);
  range.addEventListener("keydown", (event) => {
    if (/^(Arrow|Home|End|Page)/.test(event.key)) choose();
  });
  range.addEventListener("input", choose);
  range.addEventListener("change", () => { n_choices += 1; });
  return {
    element: make("div", { class: "slider" }, range, ends(say)),
    wrong: "choose_first",
    value: () => (set ? Number(range.value) : null),
    n_choices: () => n_choices,
    focus: () => range.focus(),
  };
}

/** Any number above 0; the first sentence's own number is what others are measured by. */
function magnitude(say, page) {
  let n_choices = 0;
  const { reference } = page.session;
  const number = make("input", {
    type: "text",
    id: "number",
    inputmode: "decimal",
    autocomplete: "off",
    size: 8,
    "aria-describedby": "error",
    onchange: () => { n_choices += 1; },
  });
  const element = make(
    "div",
    { class: "magnitude" },
    reference &&
      make(
        "p",
        { class: "reference" },
        say("reference", { number: reference.value }),
        " ",
        make("bdi", { lang: reference.language, dir: "auto" }, reference.sentence),
      ),
    make("label", { for: "number" }, say(reference ? "magnitude_next" : "magnitude_first")),
    number,
  );
  return {
    element,
    wrong: "magnitude_error",
    value: () => {
      const value = Number(number.value.trim().replace(",", "."));
      return value > 0 && value <= 1e9 ? value : null;
    },
    n_choices: () => n_choices,
    focus: () => number.focus(),
  };
}
