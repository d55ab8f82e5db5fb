/** Instructions as researchers write them: headings, paragraphs, lists, **strong**, *emphasis*.
 * Everything else, HTML and links among it, is shown as it is written. */
import { make } from "./dom.js";

const HEADING = /^(#{1,3})\s+(.*)$/;
const BULLET = /^\s*[-*]\s+(.*)$/;
const NUMBER = /^\s*\d+[.)]\s+(.*)$/;
const STRONG_OR_EMPHASIS = /\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g;

/** Text with its strong and emphasised parts as nodes. */
function inline(text) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(STRONG_OR_EMPHASIS)) {
    nodes.push(text.slice(end, match.index));
    nodes.push(match[1] ? make("strong", {}, match[1]) : make("em", {}, match[2]));
    end = match.index + match[0].length;
  }
  nodes.push(text.slice(end));
  return nodes.filter((node) => node !== "");
}

/** The blocks of a text as elements. */
export function markdown(text) {
  const blocks = [];
  let open = null; // the block that the next line goes on with: {tag, lines} or {tag, items}
  const close = () => {
    if (open?.items)
      blocks.push(make(open.tag, {}, ...open.items.map((item) => make("li", {}, ...inline(item)))));
    else if (open) blocks.push(make(open.tag, {}, ...inline(open.lines.join(" "))));
    open = null;
  };
  for (const line of text.split("\n")) {
    const heading = HEADING.exec(line);
    const item = BULLET.exec(line) ?? NUMBER.exec(line);
    if (heading) {
      close();
      open = { tag: `h${heading[1].length}`, lines: [heading[2]] };
      close();
    } else if (item) {
      const tag = BULLET.test(line) ? "ul" : "ol";
      if (open?.tag !== tag) close();
      open ??= { tag, items: [] };
      open.items.push(item[1]);
    } else if (!line.trim()) {
      close();
    } else if (open?.items) {
      open.items[open.items.length - 1] += ` ${line.trim()}`;
    } else {
      open ??= { tag: "p", lines: [] };
      open.lines.push(line.trim());
    }
  }
  close();
  return blocks;
}
