import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";

/**
 * `npm run programs`: writes built-in-programs.ts, which Conduct loads, from programs.yaml, which people edit. With
 * `--check` it only says whether the file is up to date.
 */

const FOLDER = join(import.meta.dirname, "../src/behavior/commands/programs");
const OUT = join(FOLDER, "built-in-programs.ts");

const document = parseDocument(readFileSync(join(FOLDER, "programs.yaml"), "utf8"), { uniqueKeys: true });
if (document.errors.length > 0) throw new Error(document.errors.map(({ message }) => message).join("\n"));
// A text is cheap to load; it is parsed when the first command line is read.
const text = JSON.stringify(document.toJS()).replaceAll("\\", "\\\\").replaceAll("'", "\\'");
const json = `// Written by \`npm run programs\` from programs.yaml.\nexport const BUILT_IN =\n  '${text}';\n`;
if (!process.argv.includes("--check")) writeFileSync(OUT, json);
else if (readFileSync(OUT, "utf8") !== json) {
  console.error("built-in-programs.ts is out of date. Run: npm run programs");
  process.exitCode = 1;
}
