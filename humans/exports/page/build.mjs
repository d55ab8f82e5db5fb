/** Builds ../static: one script, one style sheet, and the licences of what is in it. */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(here, process.argv[2] ?? "../static");

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const result = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.js"],
  outfile: join(out, "page.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none", // all in THIRD_PARTY.txt
  metafile: true,
});
await build({
  absWorkingDir: here,
  entryPoints: ["src/page.css"],
  outfile: join(out, "page.css"),
  minify: true,
  target: ["chrome110", "firefox115", "safari16"],
});
for (const name of ["index.html", "icon.svg"]) cpSync(join(here, "src", name), join(out, name));

const used = Object.keys(result.metafile.inputs)
  .map((path) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
  .filter(Boolean);
const names = [...new Set([...used, ...contained("jspsych")])].sort();
writeFileSync(join(out, "THIRD_PARTY.txt"), names.map(notice).join(`\n${"-".repeat(78)}\n\n`));

/** What a package has bundled into itself. */
function contained(name) {
  const { dependencies = {} } = manifest(name);
  return Object.keys(dependencies).filter((each) => each !== "type-fest"); // types alone
}

function manifest(name) {
  return JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8"));
}

/** Name, version and licence text: the package's own file, else the one kept in licences/. */
function notice(name) {
  const { version, license } = manifest(name);
  const folder = join(here, "node_modules", name);
  const own = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const path = own ? join(folder, own) : join(here, "licences", `${name}.txt`);
  const text = readFileSync(path, "utf8").replaceAll("\r\n", "\n").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}

const sum = createHash("sha256").update(readFileSync(join(out, "page.js"))).digest("hex");
console.log(`page.js ${readFileSync(join(out, "page.js")).length} bytes, SHA-256 ${sum}`);
