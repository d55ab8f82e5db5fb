// Marks as CSV, read and written by the rules of `review_page.py`, which gives the reasons.

const GUARDED = /^'*(?:[=+\-@\t\r\n＝＋－＠]|[0-9][0-9eE.,:/ \-]*$)/;
const COLUMNS = ["item_id", "mark", "note"];
const VERDICTS = ["accept", "reject", ""];

function guarded(cell) {
  return GUARDED.test(cell) ? "'" + cell : cell;
}

function unguarded(cell) {
  return cell.startsWith("'") && GUARDED.test(cell) ? cell.slice(1) : cell;
}

function quoted(cell) {
  const safe = guarded(cell);
  return /[",;\t\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
}

// The file of [item_id, mark, note] rows.
function toTable(rows) {
  return "\ufeff" + [COLUMNS, ...rows].map((row) => row.map(quoted).join(",") + "\n").join("");
}

// {id: [mark, note]} of a file's text. Throws an Error that a reader can act on, with the line.
function fromTable(text) {
  const rows = cellsOf(text.replace(/^\ufeff/, ""));
  if (!rows.length) throw new Error("the file is empty; a header with " + COLUMNS.join(", "));
  const names = rows[0].cells.map((cell) => cell.trim().toLowerCase());
  for (const column of ["item_id", "mark"])
    if (!names.includes(column)) throw new Error(`line ${rows[0].line}: no column ${column}`);
  const marks = new Map();
  for (const { line, cells } of rows.slice(1)) {
    const cell = (name) => unguarded(cells[names.indexOf(name)] ?? "");
    const [id, note] = [cell("item_id"), cell("note")];
    const mark = cell("mark").trim().toLowerCase();
    if (!VERDICTS.includes(mark))
      throw new Error(`line ${line}: mark is “${mark}”; accept, reject, or nothing`);
    if (!id && (mark || note)) throw new Error(`line ${line}: a mark without an item_id`);
    if (!id) continue;
    const [earlier, said] = marks.get(id) ?? ["", ""];
    if (mark && earlier && mark !== earlier)
      throw new Error(`line ${line}: item ${id} is marked ${mark}, but ${earlier} above`);
    const both = said.includes(note) ? said : [said, note].filter(Boolean).join("\n");
    marks.set(id, [earlier || mark, both]);
  }
  return marks;
}

// [{line, cells}] of each row that is not blank; comma, semicolon or tab, whichever the header has.
function cellsOf(text) {
  const header = text.replace(/^[\r\n]+/, "").split(/[\r\n]/, 1)[0];
  const often = (each) => header.split(each).length;
  const delimiter = [",", ";", "\t"].reduce((a, b) => (often(b) > often(a) ? b : a));
  const found = [];
  let [line, start, cells, cell, quote] = [1, 1, [], "", "none"]; // none, open, closed
  const endCell = () => {
    cells.push(cell);
    [cell, quote] = ["", "none"];
  };
  const endRow = () => {
    endCell();
    if (cells.some((each) => each.trim())) found.push({ line: start, cells });
    [cells, start] = [[], line];
  };
  for (let place = 0; place < text.length; place++) {
    const each = text[place];
    const ends = each === "\n" || (each === "\r" && text[place + 1] !== "\n"); // \r\n ends at \n
    if (ends) line++;
    if (quote === "open") {
      if (each !== '"') cell += each;
      else if (text[place + 1] === '"') (cell += each), place++;
      else quote = "closed";
    } else if (each === '"' && !cell && quote === "none") quote = "open";
    else if (each === delimiter) endCell();
    else if (ends) endRow();
    else if (each === "\r") continue;
    else if (quote === "closed") throw new Error(`line ${line}: a quote in a cell is not doubled`);
    else cell += each;
  }
  if (quote === "open") throw new Error(`line ${start}: a quote is not closed`);
  if (cells.length || cell) endRow();
  return found;
}
