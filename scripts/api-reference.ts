import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runSiteTool } from "./site-tools.ts";

/**
 * `npm run api` writes the reference of every public export to docs/api. `npm run api -- --check` fails if an export
 * has no documentation comment, or if docs/api is out of date.
 */

const ROOT = resolve(import.meta.dirname, "..");
const OUT = join(ROOT, "docs/api");
const check = process.argv.includes("--check");
const folder = check ? mkdtempSync(join(tmpdir(), "conduct-api-")) : OUT;

if (!check) rmSync(OUT, { recursive: true, force: true });
const status = runSiteTool("typedoc", [
  ...["--tsconfig", "tsconfig.json", "--plugin", "typedoc-plugin-markdown", "--out", folder, "--name", "agent-conduct"],
  ...["--readme", "none", "--disableSources", "--hideGenerator", "--excludePrivate", "--excludeInternal"],
  ...["--skipErrorChecking", "--treatValidationWarningsAsErrors", "--validation.notExported", "false"],
  ...["--validation.notDocumented", "--validation.invalidLink", "--outputFileStrategy", "modules", "--hidePageHeader"],
  ...["Function", "Class", "Interface", "TypeAlias", "Variable"].flatMap((kind) => ["--requiredToBeDocumented", kind]),
  ...entryPoints().flatMap((file) => ["--entryPoints", join(ROOT, file)]),
]);
if (status !== 0) fail("the API reference has warnings: give each export above a documentation comment");
if (check) {
  const stale = differences(folder, OUT);
  rmSync(folder, { recursive: true, force: true });
  if (stale.length > 0) fail(`docs/api is out of date (${stale.join(", ")}). Run: npm run api`);
  console.log("docs/api is up to date");
}

/** Returns the source files of `exports` in package.json. */
function entryPoints(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    exports: Record<string, string | { readonly "conduct-source"?: string }>;
  };
  return Object.values(exports).flatMap((target) =>
    typeof target === "string" || target["conduct-source"] === undefined ? [] : [target["conduct-source"]],
  );
}

function differences(one: string, other: string): readonly string[] {
  const names = (at: string) => (existsSync(at) ? readdirSync(at, { recursive: true, encoding: "utf8" }) : []);
  const all = new Set([...names(one), ...names(other)].filter((name) => name.endsWith(".md")));
  const text = (at: string, name: string) => (existsSync(join(at, name)) ? readFileSync(join(at, name), "utf8") : "");
  return [...all].filter((name) => text(one, name) !== text(other, name));
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
