/** Elements made of attributes and text: nothing here, or anywhere, parses HTML. */

/** An element with attributes (`on…` are listeners, `true` sets, `false` leaves out) and children,
 * which are nodes or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...there(children));
  return element;
}

/** Children without those that a condition has left out. */
function there(children) {
  return children.filter((child) => child != null && child !== false);
}

/** Text that is read out and not seen. */
export function unseen(text) {
  return make("span", { class: "unseen" }, text);
}

/** Shows a screen in place of the last one and tells where it begins, to eyes and ears. */
export function show(...nodes) {
  const main = document.getElementById("main");
  main.replaceChildren(...there(nodes));
  window.scrollTo(0, 0);
  begin(main);
}

/** Moves the focus to the heading of what is shown. */
export function begin(container) {
  const heading = container.querySelector("h1");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Resolves with the time of the first picture that has what was drawn before the call. */
export function painted() {
  return new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  });
}

/** `n` random bytes as hexadecimal digits. (`randomUUID` is not there without TLS.) */
export function randomHex(n) {
  const bytes = crypto.getRandomValues(new Uint8Array(n));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Offers a text as a file. */
export function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
