/** A session of a page that has no server of ours: answers are kept here and go, at the end, to the
 * person's own disk, to JATOS or to DataPipe, as the rows that jsPsych would write. */
import { make, randomHex, save } from "./dom.js";
import { forget, keep, load } from "./storage.js";
import { tag } from "./visitor.js";

const DATAPIPE = "https://pipe.jspsych.org/api/data/";
const OWN = ["list", "kind", "item", "condition", "prefix"]; // of a trial, beside its answer

export class BundleSession {
  constructor(study, visitor) {
    this.study = study;
    this.visitor = visitor;
    this.key = `colorless:${location.pathname}:${study.title}:${tag(visitor)}`;
    this.state = { answers: [], ...load(this.key) };
    this.started = Date.now();
  }

  get reference() {
    return this.state.reference ?? null;
  }

  set reference(value) {
    this.change({ reference: value });
  }

  get n_waiting() {
    return 0;
  }

  change(to) {
    Object.assign(this.state, to);
    keep(this.key, this.state);
  }

  async reopen() {
    if (this.study.answers.to === "jatos") await jatos();
    return this.state.session ? this.opened() : null;
  }

  async open() {
    const { lists } = this.study;
    const asked = lists.find((number) => String(number) === this.visitor.list);
    const drawn = lists[crypto.getRandomValues(new Uint32Array(1))[0] % lists.length];
    const participant = this.visitor.identity || randomHex(8);
    this.change({ session: randomHex(8), participant, list: asked ?? drawn });
    return this.opened();
  }

  async opened() {
    const trials = await (await fetch(`list-${this.state.list}.json`)).json();
    this.trials = new Map(trials.map((trial) => [trial.trial_id, trial]));
    return {
      trials,
      answered: new Set(this.state.answers.map((each) => each.trial)),
      participant: "",
      finished: Boolean(this.state.finished),
      completion: this.study.completion?.complete ?? "",
    };
  }

  add(answer) {
    if (this.withdrawn) return;
    const at = new Date().toISOString();
    const elapsed = Date.now() - this.started;
    this.change({ answers: [...this.state.answers, { ...answer, at, elapsed }] });
    // each time all of it, so that JATOS has what there is of whoever does not come to the end
    if (this.study.answers.to === "jatos") window.jatos.submitResultData(this.rows({}));
  }

  /** jsPsych's rows, one for each recorded trial, as JSON. */
  rows(said) {
    const rows = this.state.answers.map((answer, index) => {
      const trial = this.trials.get(answer.trial);
      const person = { prolific: "PROLIFIC_PID", mturk: "workerId" }[this.visitor.platform];
      return {
        ...shape(trial, answer),
        trial_index: index,
        time_elapsed: answer.elapsed,
        trial_id: `${this.state.session}/${trial.trial_id}`,
        session: this.state.session,
        [person ?? "participant"]: this.state.participant,
        ...Object.fromEntries(OWN.map((name) => [name, trial[name]])),
        ...(trial.right ? { correct_form: trial.right } : {}), // practice: no suite knows it
        at: answer.at,
        ...said,
      };
    });
    return JSON.stringify(rows);
  }

  async finish(said) {
    const rows = this.rows(said);
    const { to, experiment } = this.study.answers;
    const done = { missing: [], participant: "", completion: this.study.completion?.complete ?? "" };
    try {
      if (to === "jatos") {
        await window.jatos.submitResultData(rows);
        if (done.completion) window.jatos.endStudyAndRedirect(done.completion);
        else window.jatos.endStudy();
      } else if (to === "datapipe") {
        const filename = `${this.state.session}.json`;
        const reply = await fetch(DATAPIPE, {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "*/*" },
          body: JSON.stringify({ experimentID: experiment, filename, data: rows }),
        });
        if (!reply.ok) return { missing: [""] };
      } else {
        save(`${this.state.session}.json`, rows);
      }
    } catch {
      return { missing: [""] };
    }
    this.change({ finished: true });
    return done;
  }

  file(said) {
    return this.rows(said);
  }

  /** Stops, and forgets everything; JATOS deletes what it was sent before. */
  async withdraw() {
    this.withdrawn = true;
    forget(this.key);
    if (this.study.answers.to === "jatos") window.jatos.abortStudy();
  }

  async decline() {
    forget(this.key);
    return this.study.completion?.no_consent ?? "";
  }
}

/** An answer as the jsPsych plugin of its sort has it. */
function shape(trial, answer) {
  const common = { rt: answer.rt_ms, input: answer.input, n_ignored: answer.n_ignored };
  if (trial.task === "reading") {
    return {
      ...common,
      trial_type: "self-paced-reading",
      word: trial.options,
      rt: answer.words,
      rt_total: answer.rt_ms,
      sentence: trial.options.join(" "),
    };
  }
  if (trial.task === "rating") {
    return {
      ...common,
      trial_type: "html-slider-response",
      stimulus: escaped(trial.options[0]),
      response: answer.rating,
      n_changes: answer.n_changes,
    };
  }
  return {
    ...common,
    trial_type: "html-button-response",
    stimulus: escaped(trial.prefix),
    choices: trial.options.map(escaped),
    response: answer.chosen_index,
    side: answer.side,
  };
}

/** A text as HTML, which is what jsPsych's own plugins show. */
function escaped(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);
}

/** JATOS's own script, which it serves beside the page. */
function jatos() {
  return new Promise((resolve, reject) => {
    const script = make("script", {
      src: "jatos.js",
      onload: () => window.jatos.onLoad(resolve),
      onerror: () => reject(new Error("jatos.js is not there")),
    });
    document.head.append(script);
  });
}
