/** The two letters that choose; people can have others, or none. */
import { make } from "./dom.js";

export const keys = { on: true, left: "f", right: "j" };

/** Whether a key event is a letter, by what is written on the key, or, on keyboards of another
 * script, by its place. */
function is(event, letter) {
  const latin = /^[a-z]$/i.test(event.key);
  return latin || !/^[a-z]$/.test(letter)
    ? event.key.toLowerCase() === letter
    : event.code === `Key${letter.toUpperCase()}`;
}

/** The side that a key event chooses: "left" (or the upper one), "right" (or the lower), or "". */
export function sideOf(event, stacked) {
  if (event.ctrlKey || event.altKey || event.metaKey) return "";
  if (event.key === "ArrowLeft" || (stacked && event.key === "ArrowUp")) return "left";
  if (event.key === "ArrowRight" || (stacked && event.key === "ArrowDown")) return "right";
  if (!keys.on) return "";
  return is(event, keys.left) ? "left" : is(event, keys.right) ? "right" : "";
}

/** The part of a page where people change the letters. */
export function keysPanel(say) {
  const letter = (side, label) =>
    make(
      "label",
      {},
      `${label} `,
      make("input", {
        type: "text",
        maxlength: 1,
        size: 2,
        value: keys[side],
        autocomplete: "off",
        autocapitalize: "none",
        oninput: (event) => {
          const value = event.target.value.trim().toLowerCase();
          const other = keys[side === "left" ? "right" : "left"];
          if (value && value !== other) keys[side] = value;
          else if (value) event.target.value = keys[side];
        },
      }),
    );
  return make(
    "details",
    { class: "keys" },
    make("summary", {}, say("keys_heading")),
    make("p", {}, say("keys_text")),
    make(
      "p",
      {},
      make(
        "label",
        { class: "check" },
        make("input", {
          type: "checkbox",
          checked: keys.on,
          onchange: (event) => { keys.on = event.target.checked; },
        }),
        say("keys_on"),
      ),
    ),
    make("p", {}, letter("left", say("keys_first"))),
    make("p", {}, letter("right", say("keys_second"))),
  );
}
