import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

/** A behaviour that a test proves: the rule id at the start of the test's title, and the rest of the title. */
export type Behaviour = { readonly id: string; readonly sentence: string; readonly file: string };
type Node = { readonly type: string; readonly [key: string]: unknown };

const ROOT = join(import.meta.dirname, "..");
const FILES = [
  "{src,console/src,bench,scripts,examples,wiring}/**/*.test.ts",
  "{src,console/src}/**/*-suite.ts",
  "compat/*/*.test.ts",
  "compat/*.test.ts",
  "src/testing/kit/**/*.ts",
];
const ID = /^([A-Z]{1,6}(?:-[A-Z]{1,4})?-?\d+[a-z]?)(?::?\s+(.*))?$/s;

/** Every behaviour in the tests, file by file. */
export function readBehaviours(): readonly Behaviour[] {
  const files = globSync(FILES, { cwd: ROOT, exclude: ["**/node_modules/**"] });
  return [...new Set(files)].sort().flatMap(behavioursOf);
}

function behavioursOf(file: string): readonly Behaviour[] {
  const found: Behaviour[] = [];
  const { program } = parseSync(file, readFileSync(join(ROOT, file), "utf8"));
  const take = (title: string) => {
    const [, id, sentence] = ID.exec(title.trim()) ?? [];
    if (id !== undefined) found.push({ id, sentence: (sentence ?? "").replace(/\s+/g, " ").trim(), file });
  };
  new Visitor({
    CallExpression(call) {
      const node = call as unknown as Node;
      const name = calleeName(node.callee as Node);
      if (name === undefined) return;
      const title = textOf((node.arguments as readonly Node[])[name === "wired" ? 1 : 0]);
      if (title === undefined) return;
      if (!/^%[sj]\b/.test(title)) take(title);
      else for (const id of rowIds(node.callee as Node)) take(`${id} ${title.replace(/^%[sj][:\s]*/, "")}`);
    },
  }).visit(program);
  return found;
}

/** `it`, `test`, `it.each(rows)`, `it.skipIf(x)` and `wired(settings, title)` are all tests. */
function calleeName(callee: Node): string | undefined {
  if (callee.type === "Identifier") return ["it", "test", "wired"].find((name) => name === callee.name);
  if (callee.type === "CallExpression") return calleeName(callee.callee as Node);
  return callee.type === "MemberExpression" ? calleeName(callee.object as Node) : undefined;
}

/** Returns the rule ids in the first column of `it.each([[id, …], …])`. */
function rowIds(callee: Node): readonly string[] {
  const rows = callee.type === "CallExpression" ? (callee.arguments as readonly Node[])[0] : undefined;
  if (rows?.type !== "ArrayExpression") return [];
  const first = (rows.elements as readonly Node[]).map((row) =>
    row?.type === "ArrayExpression" ? textOf((row.elements as readonly Node[])[0]) : undefined,
  );
  const ids = first.flatMap((text) => /^[A-Z]{1,6}(?:-[A-Z]{1,4})?-?\d+[a-z]?/.exec(text ?? "")?.[0] ?? []);
  return [...new Set(ids)];
}

function textOf(node: Node | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  if (node?.type !== "TemplateLiteral") return undefined;
  const parts = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return parts.map(({ value }) => value.cooked).join("…");
}
