// Sorts a table by the heading that is pressed, and says what a mark of a drawing stands for while
// the pointer is on it. Without it the page lacks nothing else: tables stand in their own order,
// and have every number that is drawn.
"use strict";

{
  const GAP = 8; // pixels between a mark and what is said of it, and from the edges of the window
  const GRACE_MS = 300; // time to reach what is said, so that it can be read and copied
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

  // A cell in two ways: the number that it has, or shows as in "−1.5", "1,204", "< 0.001" and
  // "82.4–90.5", else NaN; and its text, without a second line.
  function key(cell) {
    const text = (cell.firstChild?.textContent ?? "").trim();
    if ("value" in cell.dataset) {
      return { text, number: Number(cell.dataset.value.replace("inf", "Infinity")) };
    }
    const plain = text.replace(/[<>+,\s]/g, "").replace("−", "-");
    return { text, number: cell.matches(".number") ? Number.parseFloat(plain) : Number.NaN };
  }

  // Numbers before texts and nothing at all last, whichever way.
  function compare(a, b, way) {
    const apart = Number.isNaN(a.number) - Number.isNaN(b.number);
    if (apart) return apart;
    if (!Number.isNaN(a.number)) return way * Math.sign(a.number - b.number) || 0;
    const missing = ["", "–"].includes(a.text);
    const other = ["", "–"].includes(b.text);
    return missing || other ? missing - other : way * collator.compare(a.text, b.text);
  }

  // Equal rows stay as they stand, so that one can sort by one column and then by another.
  function sort(body, column, way) {
    const rows = Array.from(body.rows, (row) => ({ row, ...key(row.cells[column]) }));
    rows.sort((a, b) => compare(a, b, way));
    body.append(...rows.map((each) => each.row));
  }

  // Numbers begin with the greatest, texts with the first; a third press brings back the page's own
  // order.
  function sortable(table) {
    const headings = [...table.tHead.rows[0].cells];
    const [body] = table.tBodies;
    const own = [...body.rows];
    for (const [column, heading] of headings.entries()) {
      const ways = ["ascending", "descending"];
      if (own.some((row) => !Number.isNaN(key(row.cells[column]).number))) ways.reverse();
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const next = ways[ways.indexOf(heading.getAttribute("aria-sort")) + 1];
        for (const each of headings) each.removeAttribute("aria-sort");
        if (next) {
          heading.setAttribute("aria-sort", next);
          sort(body, column, next === "ascending" ? 1 : -1);
        } else {
          body.append(...own);
        }
      });
    }
  }

  // Rows that are cards on a telephone stay rows of a table to whoever is read the page.
  const roles = { table: "table", tr: "row", td: "cell", "thead th": "columnheader",
    "tbody th": "rowheader", "thead, tbody": "rowgroup" };
  for (const [which, role] of Object.entries(roles)) {
    for (const each of document.querySelectorAll(`.stacked :is(${which})`)) each.role = role;
  }

  // What is folded opens when a link leads to it.
  function unfold() {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    const part = target.querySelector(":scope > details");
    if (part) part.open = true;
    for (let each = target; each; each = each.parentElement) {
      if (each.matches("details")) each.open = true;
    }
    target.scrollIntoView();
  }
  addEventListener("hashchange", unfold);
  unfold();

  for (const table of document.querySelectorAll("table")) {
    if (table.tBodies[0].rows.length > 1) sortable(table);
  }

  // The browser would show a title by itself, over the mark and gone when the pointer moves.
  for (const drawing of document.querySelectorAll("figure svg[role=img]")) {
    const name = drawing.querySelector(":scope > title");
    if (name) {
      drawing.setAttribute("aria-label", name.textContent);
      drawing.removeAttribute("aria-labelledby");
      name.remove();
    }
    for (const title of drawing.querySelectorAll("title")) {
      title.parentNode.dataset.said = title.textContent;
      title.remove();
    }
  }

  const note = document.createElement("p");
  note.className = "said";
  note.hidden = true;
  note.setAttribute("aria-hidden", "true"); // the table under the figure has it for those who do not point
  document.body.append(note);
  let leaving = 0;

  // A line for each part of what is said, since a sentence may run from right to left and the
  // numbers after it do not.
  function line(text) {
    const part = document.createElement("bdi");
    part.textContent = text;
    return part;
  }

  // Above the mark if there is room, else below; beside it never, so that it cannot cover it.
  function say(mark) {
    note.replaceChildren(...mark.dataset.said.split(" · ").map(line));
    note.hidden = false;
    note.style.inset = "0 auto auto 0"; // all the width there is, to be measured
    const box = mark.getBoundingClientRect();
    const { width, height } = note.getBoundingClientRect();
    const most = document.documentElement.clientWidth - width - GAP;
    const left = Math.max(GAP, Math.min(box.left + (box.width - width) / 2, most));
    const above = box.top - height - GAP;
    const top = above >= 0 ? above : box.bottom + GAP;
    note.style.inset = `${top + scrollY}px auto auto ${left + scrollX}px`;
  }

  function leave() {
    note.hidden = true;
  }

  document.addEventListener("pointerover", ({ target }) => {
    const mark = target.closest("[data-said], .said");
    clearTimeout(leaving);
    if (!mark) leaving = setTimeout(leave, GRACE_MS);
    else if (mark !== note) say(mark);
  });
  document.documentElement.addEventListener("pointerleave", leave);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
  });
}
