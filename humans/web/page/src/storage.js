/** What stays when the page is loaded again; where the browser keeps nothing, what stays until. */

const memory = new Map();

/** Whether the browser keeps what it is given. False as soon as it has once refused. */
export let lasting = true;

/** The value under a key, or null. */
export function load(key) {
  if (memory.has(key)) return JSON.parse(memory.get(key));
  try {
    const text = localStorage.getItem(key);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** Puts a value under a key. */
export function keep(key, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(key, text);
    memory.delete(key);
  } catch {
    lasting = false;
    memory.set(key, text);
  }
}

/** Forgets a key. */
export function forget(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    lasting = false;
  }
}
