/** One person's way through a list. Answers are kept in memory, as the rows that jsPsych would write,
 * and go to a file on this machine, to JATOS or to DataPipe: what has not gone there is lost when the
 * page is closed. */
import { make, randomHex, save } from "./dom.js";
import { assigned } from "./lists.js";

const DATAPIPE = "https://pipe.jspsych.org/api/data/";
const LONGEST_PAUSE_S = 60;
const OF_TRIAL = ["list", "kind", "item", "condition", "prefix"];
const IDENTITIES = ["PROLIFIC_PID", "workerId", "participant"]; // in an address

export class Session {
  /** `address` has the parameters of the address (URLSearchParams). */
  constructor(study, address) {
    this.study = study;
    this.address = address;
    this.id = randomHex(8);
    this.answers = new Map(); // trial → answer
    this.reference = null; // of magnitude estimation
    this.started = Date.now();
  }

  /** Begins it: the trials of its list. */
  async open() {
    const { study, address } = this;
    const list = await assigned(study, address.get("list"));
    const name = IDENTITIES.find((each) => address.get(each)?.trim()) ?? "participant";
    this.person = { [name]: address.get(name)?.trim() || randomHex(8) };
    this.trials = study.trials[list];
    if (!study.ribbon) window.addEventListener("beforeunload", asked);
    return this.trials;
  }

  add(answer) {
    const at = new Date().toISOString();
    this.answers.set(answer.trial, { ...answer, at, elapsed: Date.now() - this.started });
    // each time all of it, so that JATOS has what there is of whoever does not come to the end
    if (this.study.answers.to === "jatos") window.jatos.submitResultData(this.rows({}));
  }

  /** jsPsych's rows as JSON: a trial that was not reached has a row without an answer, so that it can
   * be told who has answered too little. Practice has one once it is answered. */
  rows(said) {
    const there = this.trials.filter((each) => !each.practice || this.answers.has(each.trial_id));
    const rows = there.map((trial, index) => {
      const answer = this.answers.get(trial.trial_id) ?? {};
      return {
        ...shape(trial, answer),
        trial_index: index,
        time_elapsed: answer.elapsed,
        trial_id: `${this.id}/${trial.trial_id}`,
        session: this.id,
        ...this.person,
        ...Object.fromEntries(OF_TRIAL.map((name) => [name, trial[name]])),
        ...(trial.right ? { correct_form: trial.right } : {}), // practice: no suite knows it
        at: answer.at,
        ...said,
      };
    });
    return JSON.stringify(rows);
  }

  save(said) {
    save(`${this.id}.json`, this.rows(said));
  }

  /** Sends everything, as often as it takes; calls `failed` each time that it did not arrive. */
  async finish(said, failed) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.send(said, attempt);
        break;
      } catch {
        failed();
        const seconds = Math.min(LONGEST_PAUSE_S, 2 ** attempt);
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      }
    }
    this.end();
  }

  async send(said, attempt) {
    const { to, experiment } = this.study.answers;
    if (to === "download") this.save(said);
    if (to === "jatos") {
      await window.jatos.submitResultData(this.rows(said));
      const { endStudyWithoutRedirect, endStudyAjax } = window.jatos; // the latter before 3.9.7
      await (endStudyWithoutRedirect ?? endStudyAjax)(); // the debriefing is still to be read
    }
    if (to === "datapipe") {
      // a name of its own for each attempt: of one that arrived DataPipe takes no second file, and
      // the import keeps a row that comes twice once
      const filename = `${this.id}${attempt > 1 ? `-${attempt}` : ""}.json`;
      const reply = await fetch(DATAPIPE, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "*/*" },
        body: JSON.stringify({ experimentID: experiment, filename, data: this.rows(said) }),
      });
      if (!reply.ok) throw new Error(`DataPipe: ${reply.status}`);
    }
  }

  /** Stops, and has what was sent before deleted. */
  async withdraw() {
    this.end();
    const { abortStudyWithoutRedirect, abortStudyAjax } = window.jatos ?? {};
    await (abortStudyWithoutRedirect ?? abortStudyAjax)?.();
  }

  end() {
    window.removeEventListener("beforeunload", asked);
  }
}

/** Has the browser ask before it closes the page. */
function asked(event) {
  event.preventDefault();
}

/** An answer as the jsPsych plugin of its sort has it. */
function shape(trial, answer) {
  const common = { rt: answer.rt_ms ?? null, input: answer.input, n_ignored: answer.n_ignored };
  if (trial.task === "rating") {
    return {
      ...common,
      trial_type: "html-slider-response",
      stimulus: escaped(trial.options[0]),
      response: answer.rating ?? null,
      n_changes: answer.n_changes,
    };
  }
  return {
    ...common,
    trial_type: "html-button-response",
    stimulus: escaped(trial.prefix),
    choices: trial.options.map(escaped),
    response: answer.chosen_index ?? null,
    side: answer.side,
  };
}

/** A text as HTML, which is what jsPsych's own plugins show. */
function escaped(text) {
  return text.replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0)};`);
}

/** Loads JATOS's own script, which it serves beside the page. */
export function jatosReady() {
  return new Promise((resolve, reject) => {
    const script = make("script", {
      src: "jatos.js",
      onload: () => window.jatos.onLoad(resolve),
      onerror: () => reject(new Error("jatos.js is not there")),
    });
    document.head.append(script);
  });
}
