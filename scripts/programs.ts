import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";

/**
 * `npm run programs`: writes programs.json, which Conduct loads, from programs.yaml, which people edit. With `--check` it
 * only says whether the file is up to date.
 */

const FOLDER = join(import.meta.dirname, "../src/behavior/commands/programs");
const OUT = join(FOLDER, "programs.json");

const document = parseDocument(readFileSync(join(FOLDER, "programs.yaml"), "utf8"), { uniqueKeys: true });
if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join("\n"));
const json = `${JSON.stringify(document.toJS())}\n`;
if (!process.argv.includes("--check")) writeFileSync(OUT, json);
else if (readFileSync(OUT, "utf8") !== json) {
  console.error("programs.json is out of date. Run: npm run programs");
  process.exitCode = 1;
}
