import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import { COMMANDS } from "../src/apps/cli/declared/command-tree.ts";
import type { Command, Group } from "../src/apps/cli/line/command.ts";
import { COMMON_ARGS, opened } from "../src/apps/cli/line/command-line.ts";

/**
 * `npm run wiring-page [-- --check]`: lists every setting of Conduct (keys of conduct.yaml, environment variables,
 * options of commands) with the tests in `wiring/` that start the shipped program and look at its far end. Fails for a
 * setting without a test, unless `wiring/unproven.txt` names it with the reason (`SETTING # REASON`), and for a test or a
 * line of that file that names none.
 */

const ROOT = join(import.meta.dirname, "..");
const PAGE = "docs/reference/wiring.md";
const UNPROVEN = "wiring/unproven.txt";

type Schema = { readonly [key: string]: unknown };
type Proof = { readonly id: string; readonly file: string };

/** The keys of conduct.yaml. What a user adds below `programs` has a grammar and tests of its own. */
function configKeys(): readonly string[] {
  const schema = JSON.parse(readFileSync(join(ROOT, "docs/schema/conduct.schema.json"), "utf8")) as Schema;
  const keys = new Set<string>();
  const resolved = (node: Schema): Schema =>
    typeof node.$ref === "string"
      ? resolved(
          node.$ref
            .slice(2)
            .split("/")
            .reduce((at, name) => at[name] as Schema, schema),
        )
      : node;
  const walk = (given: Schema, path: string, seen: readonly Schema[]): void => {
    const node = resolved(given);
    if (seen.includes(node) || path.endsWith(".programs")) return;
    const below = [...seen, node];
    for (const kind of ["anyOf", "oneOf", "allOf"])
      for (const one of (node[kind] ?? []) as readonly Schema[]) walk(one, path, below);
    for (const [name, value] of Object.entries((node.properties ?? {}) as Record<string, Schema>)) {
      const key = path === "" ? name : `${path}.${name}`;
      keys.add(key);
      walk(value, key, below);
    }
    const { additionalProperties: rest, items } = node;
    if (typeof rest === "object" && rest !== null) walk(rest as Schema, `${path}.*`, below);
    if (typeof items === "object" && items !== null) walk(items as Schema, `${path}[]`, below);
  };
  walk(schema, "", []);
  return [...keys];
}

/** Variables that our own programs pass to each other, or that only tests set: nobody configures them. */
const OWN_VARIABLES = [
  ...[
    "CONDUCT_GATE_SESSION",
    "CONDUCT_GATE_DEPTH",
    "CONDUCT_SESSION",
    "CONDUCT_SOCKET",
    "CONDUCT_TOOLS",
    "CONDUCT_SHELL_HOOK",
  ],
  // Names in messages, and the stem of the four variables that OTEL_VARIABLES lists.
  ...["TELEGRAM_RATE", "TELEGRAM_TAKEN", "SLACK_TAKEN", "OTEL_EXPORTER_OTLP"],
  ...[
    "CONDUCT_FUZZ",
    "CONDUCT_CONSOLE_OUT",
    "CONDUCT_COVERAGE",
    "CONDUCT_RETRY",
    "CONDUCT_TEST_CACHE",
    "CONDUCT_PROGRAMS",
  ],
];

/** Read by names that are put together. */
const OTEL_VARIABLES = ["ENDPOINT", "HEADERS", "TIMEOUT", "PROTOCOL"].map((name) => `OTEL_EXPORTER_OTLP_${name}`);

function variables(): readonly string[] {
  const files = globSync("src/**/*.{ts,mjs}", { cwd: ROOT }).filter(
    (file) => !/\.test\.ts$|\/test\/|^src\/testing\/|built-in-programs/.test(file),
  );
  const found = new Set<string>(OTEL_VARIABLES);
  for (const file of files)
    for (const [, , name = ""] of readFileSync(join(ROOT, file), "utf8").matchAll(
      /(env\.|env\[?"|["'`{, ])((?:CONDUCT|OTEL|TELEGRAM|SLACK|INNGEST|DBOS)_[A-Z][A-Z_]+[A-Z])\b/g,
    ))
      found.add(name);
  return [...found].filter((name) => !OWN_VARIABLES.includes(name)).sort();
}

async function options(path: readonly string[], group: Group): Promise<readonly string[]> {
  const all: string[] = [];
  for (const [name, below] of Object.entries(group.commands)) {
    const node: Command | Group = await opened(below);
    const here = [...path, name];
    if ("commands" in node) all.push(...(await options(here, node)));
    else all.push(...optionsOf(here, node));
  }
  return all;
}

function optionsOf(path: readonly string[], { args }: Command): readonly string[] {
  return Object.entries(args)
    .filter(([name, { type }]) => type !== "positional" && type !== "words" && !(name in COMMON_ARGS))
    .map(([name]) => `conduct ${path.join(" ")} --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
}

/** What the tests say that they prove. */
function proofs(): ReadonlyMap<string, readonly Proof[]> {
  const found = new Map<string, Proof[]>();
  for (const file of globSync("wiring/**/*.test.ts", { cwd: ROOT }).sort()) {
    const { program } = parseSync(file, readFileSync(join(ROOT, file), "utf8"));
    new Visitor({
      CallExpression({ callee, arguments: [settings, title] }) {
        if (callee.type !== "Identifier" || callee.name !== "wired") return;
        const [id = ""] = title?.type === "Literal" ? String(title.value).split(" ") : [];
        const names = settings?.type === "ArrayExpression" ? settings.elements : [settings];
        for (const one of names) {
          if (one?.type !== "Literal" || id === "") throw new Error(`${file}: wired() needs literal names and a title`);
          found.set(String(one.value), [...(found.get(String(one.value)) ?? []), { id, file }]);
        }
      },
    }).visit(program);
  }
  return found;
}

const groups: readonly (readonly [string, readonly string[]])[] = [
  ["Keys of conduct.yaml", configKeys()],
  ["Environment variables", variables()],
  ["Options of commands", await options([], COMMANDS)],
];
const known = new Set(groups.flatMap(([, names]) => names));
const proven = proofs();
const reasons = new Map(
  readFileSync(join(ROOT, UNPROVEN), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => {
      const [name = "", reason = ""] = line.split(" # ");
      return [name, reason] as const;
    }),
);
const listed = [...reasons.keys()];
const faults = [
  ...[...known]
    .filter((name) => !proven.has(name) && !listed.includes(name))
    .map((name) => `${name} has no test in wiring/`),
  ...[...proven]
    .filter(([name]) => !known.has(name))
    .map(([name, [at]]) => `${at?.file}: ${at?.id} names '${name}', which is no setting`),
  ...listed
    .filter((name) => reasons.get(name) === "")
    .map((name) => `${UNPROVEN}: '${name}' has no reason: write SETTING # REASON`),
  ...listed
    .filter((name) => proven.has(name) || !known.has(name))
    .map((name) => `${UNPROVEN}: '${name}' ${proven.has(name) ? "has a test now" : "is no setting"}: remove the line`),
];
const link = ({ id, file }: Proof) => `[${id}](../../${file})`;
const rows = (names: readonly string[]) =>
  names
    .map((name) => `| \`${name}\` | ${(proven.get(name) ?? []).map(link).join(", ") || `none: ${reasons.get(name)}`} |`)
    .join("\n");
const page = `# Every setting, and the test that proves it

Each test starts the program as it is packed, with a file, variable or option that a user could write, and looks at the
far end: the bytes of the model's request, the blocked call, the row in the store. \`npm run wiring\` runs them, and this
page is generated by \`npm run wiring-page\`.
${groups.map(([heading, names]) => `\n## ${heading}\n\n| setting | test |\n|---|---|\n${rows(names)}\n`).join("")}`;
const old = readFileSync(join(ROOT, PAGE), { encoding: "utf8", flag: "a+" });
if (!process.argv.includes("--check")) writeFileSync(join(ROOT, PAGE), page);
else if (old !== page) faults.push(`${PAGE} is out of date. Run: npm run wiring-page`);
for (const fault of faults) console.error(fault);
const count = known.size - listed.length;
console.log(`wiring: ${count} of ${known.size} settings have a test that starts the shipped program`);
process.exitCode = faults.length === 0 ? 0 : 1;
