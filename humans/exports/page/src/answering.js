/** When an answer is one: not before anybody can have read, and not twice for one tap. */

const DOUBLE_TAP_MS = 300;
let lastTap = -Infinity; // when the last tap or click was taken for an answer

/** What made an event: keyboard, mouse, touch or pen. */
export function input(event) {
  if (event.type.startsWith("key")) return "keyboard";
  if (event.type.startsWith("pointer")) return event.pointerType || "mouse";
  return event.detail === 0 ? "keyboard" : (event.pointerType || "mouse");
}

/** A judge of the events on one screen; `shown` is when it was first seen. */
export class Watch {
  constructor(shown, minimum) {
    this.shown = shown;
    this.minimum = minimum;
    this.n_ignored = 0;
  }

  /** Whether an event is an answer; if not, it is counted. */
  takes(event) {
    const tap = input(event) !== "keyboard";
    const early = this.since(event) < this.minimum;
    if (early || (tap && event.timeStamp - lastTap < DOUBLE_TAP_MS)) {
      this.n_ignored += 1;
      return false;
    }
    if (tap) lastTap = event.timeStamp;
    return true;
  }

  /** Milliseconds from the first picture to an event. */
  since(event) {
    return Math.round((event.timeStamp - this.shown) * 10) / 10;
  }
}
