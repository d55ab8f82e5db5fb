// One item, one group of items, as elements. All text goes in as text, never as markup.

const BLANK = /^[ \t\n\u00a0\u3000]*/;
const LEAKS = { S: "subject", D: "determiner or numeral", V: "verb", A: "adjective" };
const VALUES = { accept: "accept", reject: "reject", "": "undecided" };

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const english = { lang: "en", dir: "ltr" };
const bdi = (text, attributes = {}) => make("bdi", attributes, text);

// What is to be told of a token: its classes, and in words.
function rolesOf(item, index) {
  const [classes, words] = [[], []];
  const add = (name, text) => (classes.push(name), words.push(text));
  const nominal = (item.nominals ?? []).find((each) => each[0] === index);
  if (index === item.target) add("mark right", "right form");
  if (index === (item.cue ?? 0)) add("mark cue", "cue");
  if ((item.attractors ?? []).includes(index)) add("mark lure", "attractor");
  else if (nominal) add("nominal", "noun between");
  if (nominal) words.push(`${nominal[3]}, depth ${nominal[1]}, ${nominal[2]} before the target`);
  for (const [kind, token, value] of item.leaks ?? [])
    if (token === index) add("leak", `leak: ${LEAKS[kind] ?? kind}, ${value}`);
  if (item.new && index in item.new) add("new", "");
  return { classes, words: words.filter(Boolean) };
}

// A token as an element, if anything is to be told of it; else its text. The original's word stands
// above it where the page is told to show it.
function token(item, index, form) {
  const { classes, words } = rolesOf(item, index);
  if (!classes.length) return form;
  const old = item.new?.[index];
  const told = [...words, texts[item.tags[index] ?? 0], old && `instead of “${old}”`];
  const leaks = (item.leaks ?? []).filter((each) => each[1] === index).map((each) => each[0]);
  const title = told.filter(Boolean).join(" · ");
  const span = bdi(form, { class: classes.join(" "), title });
  const letters = make("sup", { "aria-hidden": "true", ...english }, leaks.join(""));
  if (leaks.length) span.append(letters);
  return old ? make("span", { class: "stack" }, make("bdi", { class: "old" }, old), span) : span;
}

const languageOf = (item) => ({
  lang: texts[item.language] || "und",
  dir: item.rtl ? "rtl" : "ltr",
});

// Where letters of two tokens join, as in عليه, a mark on one of them must not part them: both sides
// get a joiner, which `page.css` writes, so that copied text has none. Nor must a line end before a
// comma because a mark does: both stand in one run.
const JOINED = /[\p{Script=Arab}\p{Script=Syrc}\p{Script=Nkoo}\p{Script=Adlm}\p{Script=Mong}]/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;
const joiner = () => make("span", { class: "joiner" });

function joinMarks(shown, side) {
  for (const each of [shown, ...shown.querySelectorAll("bdi")]) {
    if (!each.matches("bdi:not(.old)")) continue;
    each.classList.add(`joined-${side}`);
    each[side === "start" ? "prepend" : "append"](joiner());
  }
}

// What a run has between two tokens, of which one at least is an element: an element gets a joiner
// of its own, plain text one beside it.
function seam(before, shown, isJoined) {
  if (!isJoined) return [];
  if (before.tagName) joinMarks(before, "end");
  if (shown.tagName) joinMarks(shown, "start");
  return before.tagName && shown.tagName ? [] : [joiner()];
}

function sentence(item) {
  const line = make("p", { class: "sentence", ...languageOf(item) });
  let [before, last, run] = ["", "", null];
  item.words.forEach((piece, index) => {
    const blank = BLANK.exec(piece)[0];
    const form = piece.slice(blank.length);
    const shown = index === item.target ? pair(item, form) : token(item, index, form);
    const first = [...form][0] ?? "";
    const isJoined = JOINED.test(last) && JOINED.test(first);
    const isTied = isJoined || !LETTER.test(last) || !LETTER.test(first);
    if (index && !blank && isTied && (before.tagName || shown.tagName)) {
      if (!run) {
        run = make("span", { class: "run" });
        line.lastChild.replaceWith(run);
        run.append(before);
      }
      run.append(...seam(before, shown, isJoined), shown);
    } else {
      run = null;
      line.append(blank, shown);
    }
    [before, last] = [shown, [...form].at(-1) ?? ""];
  });
  return line;
}

function pair(item, form) {
  const wrong = bdi(item.wrong ?? "", { class: "mark wrong", title: "wrong form" });
  const slash = make("span", { class: "slash" }, "/");
  return make("span", { class: "pair" }, token(item, item.target, form), slash, wrong);
}

// The marks in words, for those who listen.
function roles(item) {
  const told = item.words.map((piece, index) => {
    const words = rolesOf(item, index).words;
    return words.length ? `${words.join(", ")}: ${piece.trim()}` : "";
  });
  const wrong = `wrong form: ${item.wrong ?? ""}`;
  return make("p", { class: "said" }, [...told.filter(Boolean), wrong].join("; "));
}

// The whole sentence with the wrong form, where more than the target differs.
function otherSentence(item) {
  const [prefix, target, rest] = item.other;
  const wrong = bdi(target.trim(), { class: "mark wrong" });
  const blank = BLANK.exec(target)[0];
  return make(
    "p",
    { class: "sentence other", ...languageOf(item) },
    make("span", { class: "name", ...english }, "wrong: "),
    ...[prefix, blank, wrong, rest],
  );
}

// A condition's sentence, of an item that is no agreement pair: regions that differ are marked.
function conditionLine(item, [condition, regions]) {
  const [, first] = item.lines[0];
  const sides = { right: "right", good: "right", wrong: "wrong", bad: "wrong" };
  const side = Object.hasOwn(sides, condition) ? sides[condition] : "other";
  const shown = regions.flatMap(([region, text], place) => {
    if (text === first[place]?.[1] && item.lines.every(([, each]) => each[place]?.[1] === text))
      return [text];
    const blank = BLANK.exec(text)[0];
    return [blank, bdi(text.slice(blank.length), { class: `mark ${side}`, title: region })];
  });
  const name = make("span", { class: "name", ...english }, bdi(condition), ": ");
  return make("p", { class: "sentence", ...languageOf(item) }, name, ...shown);
}

const sentencesOf = (item) =>
  item.lines
    ? item.lines.map((line) => conditionLine(item, line))
    : [sentence(item), ...(item.other ? [otherSentence(item)] : []), roles(item)];

const nameOf = (item) =>
  texts[item.kind] === "nonce" ? `variant ${item.variant ?? ""}` : texts[item.kind];

// The line above a sentence: what the item is, and what it has not in common with its group.
function heading(item, first) {
  const parts = [make("strong", {}, nameOf(item))];
  const add = (label, text) => text && parts.push(make("span", {}, label, bdi(text)));
  add("", texts[item.level ?? 0]);
  add("seed ", item.seed);
  add("", item.cell);
  for (const key of ["value", "construction", "language", "source", "licence", "rule"])
    if (item !== first && item[key] !== first[key]) add("", texts[item[key]]);
  add("the cue is not said: ", item.ghost);
  for (const flag of item.flags ?? []) parts.push(bdi(texts[flag], { class: "flag" }));
  if (item.n_targets) add("", `${item.n_targets} further targets`);
  return make("p", { class: "about name", id: `about-${item.place}` }, ...parts);
}

function controls(item) {
  const set = make("fieldset", { "aria-describedby": `about-${item.place}` });
  set.append(make("legend", { class: "said" }, "mark"));
  for (const [value, label] of Object.entries(VALUES)) {
    const radio = make("input", { type: "radio", name: `mark-${item.place}`, value });
    radio.checked = markOf(item) === value;
    set.append(make("label", { class: label }, radio, label));
  }
  const about = { rows: 1, placeholder: "note", "aria-label": "note", dir: "auto" };
  const note = make("textarea", about);
  note.value = noteOf(item);
  const more = make("button", { type: "button", class: "more", "aria-expanded": "false" }, "words");
  return make("div", { class: "controls" }, set, note, more);
}

// The tokens of an item with all that is known of each, and its facts: made when asked for.
function details(item) {
  const box = make("div", { class: "details" });
  if (item.words) {
    const forms = item.words.map((piece, i) => item.forms?.[i] ?? piece.replace(BLANK, ""));
    box.append(make("p", { class: "tokens", ...languageOf(item) }, forms.join(" ")));
    const rows = forms.map((form, index) => {
      const old = item.new?.[index] ?? "";
      const roles = rolesOf(item, index).words.join(", ");
      const cells = [String(index), form, texts[item.tags[index] ?? 0], old, roles];
      return make("tr", {}, ...cells.map((cell) => make("td", {}, bdi(cell))));
    });
    const names = ["", "token", "POS and FEATS", "original word", "marked as"];
    const head = make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)));
    const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
    box.append(make("div", { class: "scroll", tabindex: "0" }, table));
  }
  const facts = item.facts.map(([name, fact]) => [texts[name], texts[fact]]);
  if (item.targets) {
    const some = item.targets.map((pair) => pair.join("/")).join(", ");
    facts.push(["further targets", some + (item.n_targets > item.targets.length ? ", …" : "")]);
  }
  facts.push(["item_id", item.id]);
  for (const [name, fact] of facts)
    box.append(make("p", {}, make("span", { class: "soft" }, bdi(name), ": "), bdi(fact)));
  return box;
}

function drawItem(item, first, isContext) {
  const shown = make("li", {
    class: isContext ? "item context" : "item",
    id: `item-${item.place}`,
    tabindex: "-1",
  });
  shown.append(heading(item, first), ...sentencesOf(item), controls(item));
  return shown;
}

// A group: what its items share, then each of `shown` (and its original, as context).
function drawGroup(group, shown) {
  const first = group[0];
  const parts = [];
  const add = (text, label = "") => text && parts.push(make("span", {}, label, bdi(text)));
  add(texts[first.construction]);
  add(texts[first.value]);
  if (first.words) add(`${first.gap ?? 0} between`);
  for (const key of ["language", "source", "file"]) add(texts[first[key]]);
  add(first.sent_id, "sentence ");
  add(texts[first.rule], "rule ");
  add(texts[first.licence]);
  add(first.set_id, "set ");
  const list = make("ol", {});
  for (const item of group)
    if (item === first || shown.has(item)) list.append(drawItem(item, first, !shown.has(item)));
  return make("section", { class: "group" }, make("h2", { class: "about" }, ...parts), list);
}
