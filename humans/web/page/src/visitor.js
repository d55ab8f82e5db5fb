/** Who opens the page, as its address says, and with what. */

const NO_ASSIGNMENT = "ASSIGNMENT_ID_NOT_AVAILABLE"; // Mechanical Turk's preview

/** Platform, its id of the person, whether it is only a look (preview) or a test run. */
export function visitor(search) {
  const told = new URLSearchParams(search);
  const first = (...names) => names.map((name) => told.get(name)?.trim()).find(Boolean) ?? "";
  const ids = {
    prolific: first("PROLIFIC_PID"),
    mturk: first("workerId"),
    lab: first("participant"),
  };
  const platform = Object.keys(ids).find((name) => ids[name] && !ids[name].includes("{{")) ?? "";
  return {
    platform,
    identity: platform ? ids[platform].slice(0, 200) : "",
    preview: told.get("assignmentId") === NO_ASSIGNMENT,
    test: told.has("test"),
    language: first("lang"),
    list: first("list"),
  };
}

/** A short name for a visitor, to tell several people on one machine apart. */
export function tag({ platform, identity, test }) {
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (const char of `${platform}:${identity}:${test}`)
    hash = Math.imul(hash ^ char.codePointAt(0), 0x01000193) >>> 0;
  return hash.toString(16);
}

/** The browser's family and how big the screen is, and no more. */
export function machine() {
  const agent = navigator.userAgent;
  const family = /Firefox\//.test(agent)
    ? "firefox"
    : /Chrom(e|ium)\//.test(agent)
      ? "chromium"
      : /Safari\//.test(agent)
        ? "safari"
        : "other";
  const width = Math.min(screen.width, screen.height);
  return {
    browser: family,
    device: matchMedia("(pointer: coarse)").matches ? "touch" : "mouse",
    screen: width < 600 ? "small" : width < 1000 ? "medium" : "large",
  };
}
