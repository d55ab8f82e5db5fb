/** What the page itself says, in the language of the study. */
let rtl = new Set();

/** Takes over which of the study's languages are written from right to left. */
export function directions(study) {
  rtl = new Set(study.rtl);
}

/** The direction in which a language of the study is written. */
export function direction(language) {
  return rtl.has(language) ? "rtl" : "ltr";
}

/** A function from a name (and values for its `{places}`) to a text, with the `language` it is in:
 * the one asked for, or English where nobody has written it. */
export function texts(study, language) {
  const { language: spoken, ...told } = study.texts[language];
  const say = (name, values = {}) =>
    told[name].replace(/\{(\w+)\}/g, (place, key) => values[key] ?? place);
  say.language = spoken;
  return say;
}

/** The names of languages, as the page's language calls them. */
export function named(codes, language) {
  const names = new Intl.DisplayNames([language, "en"], { type: "language" });
  const list = new Intl.ListFormat([language, "en"], { type: "disjunction" });
  return list.format(codes.map((code) => safely(() => names.of(code), code)));
}

function safely(work, otherwise) {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
