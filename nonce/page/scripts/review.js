// The set as a reader goes through it: marks, filters, pages, keys.

const data = JSON.parse(document.getElementById("data").textContent);
const texts = data.texts;
const find = (id) => document.getElementById(id);
const number = (n) => n.toLocaleString("en");

const items = [];
for (const group of data.groups)
  group.forEach((item, place) => {
    if (place) for (const key of data.about) item[key] ??= group[0][key];
    Object.assign(item, { place: items.length, group });
    items.push(item);
  });
const byId = new Map(items.map((item) => [item.id, item]));

// ---- marks: kept in this browser under the set's content, over those the page came with

const KEY = `colorless-marks:${data.content}`;
const marks = new Map(Object.entries(data.marks));
let isKept = true;

function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    for (const [id, mark] of Object.entries(kept)) if (byId.has(id)) marks.set(id, mark);
  } catch {
    isKept = false;
  }
  count();
}

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(marks)));
    isKept = true;
  } catch {
    isKept = false;
  }
  count();
}

const markOf = (item) => marks.get(item.id)?.[0] ?? "";
const noteOf = (item) => marks.get(item.id)?.[1] ?? "";
// A variant goes with its original, unless it is itself accepted (`honoured` in `review_page.py`).
const isOrphan = (item) =>
  !markOf(item) && item.group[0].is_original && markOf(item.group[0]) === "reject";

function setMark(item, mark, note) {
  marks.set(item.id, [mark, note]);
  for (const each of item.group) if (find(`item-${each.place}`)) showMark(each);
  keep();
}

function showMark(item) {
  const shown = find(`item-${item.place}`);
  shown.dataset.mark = isOrphan(item) ? "orphan" : markOf(item);
  for (const radio of shown.querySelectorAll("input")) radio.checked = radio.value === markOf(item);
}

function count() {
  const by = { accept: 0, reject: 0, "": 0, orphan: 0 };
  for (const item of items) by[isOrphan(item) ? "orphan" : markOf(item)]++;
  find("n-accept").textContent = number(by.accept);
  find("n-reject").textContent = number(by.reject + by.orphan);
  find("n-undecided").textContent = number(by[""]);
  find("unkept").hidden = isKept;
}

function download() {
  const rows = items
    .filter((item) => markOf(item) || noteOf(item))
    .map((item) => [item.id, markOf(item), noteOf(item)]);
  const file = new Blob([toTable(rows)], { type: "text/csv;charset=utf-8" });
  const address = URL.createObjectURL(file);
  const name = data.suite.replace(/[^\p{L}\p{N}._-]+/gu, "-") + "-marks.csv";
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  say(`${number(rows.length)} marks and notes written to ${name}`);
}

function take(text) {
  const loaded = fromTable(text);
  const unknown = [...loaded.keys()].filter((id) => !byId.has(id));
  if (unknown.length)
    throw new Error(`no item ${unknown.slice(0, 5).join(", ")} in this set; nothing was loaded`);
  for (const [id, mark] of loaded) marks.set(id, mark);
  keep();
  draw();
  say(`${number(loaded.size)} marks loaded`);
}

async function load(input) {
  const file = input.files[0];
  if (!file) return;
  try {
    take(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
  } catch (error) {
    const reason = error instanceof TypeError ? "it is not saved as UTF-8" : error.message;
    say(`${file.name}: ${reason}`);
  }
  input.value = "";
}

function say(message) {
  find("message").textContent = message;
}

// ---- filters: a select for each property in which items differ

const name = (key) => (item) => [texts[item[key] ?? 0]];
const FACETS = [
  ["construction", name("construction")],
  ["kind", name("kind")],
  ["level", name("level")],
  ["language", name("language")],
  ["source", name("source")],
  ["value", name("value")],
  ["flag", (item) => (item.flags ?? []).map((flag) => texts[flag])],
  ["leak", (item) => (item.leaks ?? []).map(([kind]) => kind)],
  ["attractors", (item) => [String((item.attractors ?? []).length)]],
];
const ANY = "*";
const MARKS = [
  ["undecided", (item) => !markOf(item) && !isOrphan(item)],
  ["accepted", (item) => markOf(item) === "accept"],
  ["rejected", (item) => markOf(item) === "reject"],
  ["left out with its original", isOrphan],
  ["with a note", (item) => noteOf(item) !== ""],
];

const selects = new Map(); // select → whether an item passes under its value

function addSelect(label, options, passes) {
  const select = make("select", {});
  for (const [value, shown] of [[ANY, "any"], ...options]) select.append(new Option(shown, value));
  select.addEventListener("change", filter);
  selects.set(select, passes);
  find("facets").append(make("label", {}, label, " ", select));
}

function addFacets() {
  for (const [label, valuesOf] of FACETS) {
    const counts = new Map();
    for (const item of items)
      for (const value of new Set(valuesOf(item).length ? valuesOf(item) : [""]))
        counts.set(value, (counts.get(value) ?? 0) + 1);
    if (counts.size < 2) continue;
    const known = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
    const options = known.map(([value, n]) => [
      "=" + value,
      `${label === "leak" ? (LEAKS[value] ?? value) || "none" : value || "none"} (${number(n)})`,
    ]);
    addSelect(label, options, (item, value) => {
      const own = valuesOf(item);
      return own.length ? own.includes(value.slice(1)) : value === "=";
    });
  }
  const states = MARKS.map(([label], place) => [String(place), label]);
  addSelect("mark", states, (item, value) => MARKS[value][1](item));
}

const folded = (text) => text.normalize("NFC").toLowerCase();

function haystack(item) {
  const lines = item.words
    ? [item.words.join(""), item.wrong ?? "", (item.other ?? []).join("")]
    : item.lines.map(([, regions]) => regions.map(([, text]) => text).join(""));
  return folded([...lines, item.sent_id, item.id, item.cell ?? "", noteOf(item)].join("\n"));
}

// ---- pages: whole groups, as many as make up the number of items asked for

let [pages, page, current, n_found] = [[], 0, null, 0];

function filter() {
  const active = [...selects].filter(([select]) => select.value !== ANY);
  const wanted = folded(find("text").value.trim());
  const size = Number(find("size").value);
  [pages, page, current, n_found] = [[], 0, null, 0];
  let room = 0;
  for (const group of data.groups) {
    const shown = group.filter(
      (item) =>
        active.every(([select, passes]) => passes(item, select.value)) &&
        (!wanted || haystack(item).includes(wanted)),
    );
    if (!shown.length) continue;
    if (room <= 0) pages.push([]), (room = size);
    pages.at(-1).push([group, new Set(shown)]);
    room -= shown.length;
    n_found += shown.length;
  }
  draw();
}

function draw() {
  const groups = pages[page] ?? [];
  find("list").replaceChildren(...groups.map(([group, shown]) => drawGroup(group, shown)));
  for (const [group] of groups)
    for (const item of group) if (find(`item-${item.place}`)) showMark(item);
  find("n-found").textContent = number(n_found);
  const here = number(Math.min(page + 1, pages.length));
  find("page").textContent = `page ${here} of ${number(pages.length)}`;
  find("earlier").disabled = page <= 0;
  find("later").disabled = page >= pages.length - 1;
  find("nothing").hidden = n_found > 0;
  if (current) highlight(current);
}

function turn(step) {
  if (!pages[page + step]) return false;
  [page, current] = [page + step, null];
  draw();
  scrollTo(0, find("list").offsetTop - find("bar").offsetHeight);
  return true;
}

const onPage = () =>
  (pages[page] ?? []).flatMap(([group, shown]) => group.filter((item) => shown.has(item)));

function highlight(item) {
  document.querySelector("[aria-current]")?.removeAttribute("aria-current");
  current = item;
  find(`item-${item.place}`)?.setAttribute("aria-current", "true");
}

function goTo(item) {
  highlight(item);
  const shown = find(`item-${item.place}`);
  shown.focus({ preventScroll: true });
  shown.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const here = step > 0 ? onPage() : onPage().reverse();
  const isBeyond = (item) => !current || (item.place - current.place) * step > 0;
  const next = here.find(isBeyond);
  if (next) goTo(next);
  else if (turn(step)) goTo(onPage().at(step > 0 ? 0 : -1));
}

// ---- what a reader does

function toggleWords(item) {
  const shown = find(`item-${item.place}`);
  const [box, button] = [shown.querySelector(".details"), shown.querySelector(".more")];
  if (box) box.remove();
  else shown.append(details(item));
  button.setAttribute("aria-expanded", String(!box));
}

const KEYS = {
  j: () => move(1),
  k: () => move(-1),
  "]": () => turn(1),
  "[": () => turn(-1),
  "/": () => find("text").focus(),
  o: () => find("originals").click(),
  a: () => current && setMark(current, "accept", noteOf(current)),
  r: () => current && setMark(current, "reject", noteOf(current)),
  u: () => current && setMark(current, "", noteOf(current)),
  t: () => current && toggleWords(current),
  n: () => current && find(`item-${current.place}`).querySelector("textarea").focus(),
};

function onKey(event) {
  const isText = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
  if (isText && event.key === "Escape") return current ? goTo(current) : event.target.blur();
  if (isText || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}

const itemAt = (element) => items[element.closest?.(".item")?.id.slice("item-".length)];

function start() {
  recall();
  addFacets();
  const list = find("list");
  list.addEventListener("focusin", ({ target }) => itemAt(target) && highlight(itemAt(target)));
  list.addEventListener("click", ({ target }) => {
    if (itemAt(target)) highlight(itemAt(target));
    if (target.matches(".more")) toggleWords(itemAt(target));
  });
  list.addEventListener("input", ({ target }) => {
    const item = itemAt(target);
    if (target.matches("textarea")) marks.set(item.id, [markOf(item), target.value]);
    else setMark(item, target.value, noteOf(item));
  });
  list.addEventListener("change", keep); // a note, once it is written
  find("text").addEventListener("input", filter);
  find("size").addEventListener("change", filter);
  find("originals").addEventListener("change", ({ target }) =>
    document.body.classList.toggle("originals", target.checked),
  );
  find("clear").addEventListener("click", () => {
    for (const select of selects.keys()) select.value = ANY;
    find("text").value = "";
    filter();
  });
  find("earlier").addEventListener("click", () => turn(-1));
  find("later").addEventListener("click", () => turn(1));
  find("download").addEventListener("click", download);
  find("load").addEventListener("change", ({ target }) => load(target));
  document.addEventListener("keydown", onKey);
  addEventListener("storage", ({ key }) => key === KEY && (recall(), draw())); // another window
  addEventListener("pagehide", () => marks.size && keep());
  addEventListener("beforeunload", (event) => isKept || !marks.size || event.preventDefault());
  filter();
}

start();
