import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync } from "oxc-parser";

/** Lowest first; a layer may import itself and the layers before it. */
const LAYERS: readonly string[] = ["base", "behavior", "engine", "testing", "edge", "apps"];
/** The only packages that `behavior/` may use, each behind one file. */
const BEHAVIOR_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "behavior/results/token-counter.ts": ["gpt-tokenizer"],
  "behavior/commands/shell/syntax-tree.ts": ["unbash"],
  "behavior/policy/rules/predicate/predicate.ts": ["@marcbachmann/cel-js"],
  "behavior/policy/rules/predicate/predicate-part.ts": ["@marcbachmann/cel-js"],
  "behavior/policy/rules/predicate/predicate-pattern.ts": ["re2js"],
};
/** Node's own modules that only compute. */
const PURE = new Set(["node:crypto", "node:buffer"]);
/** Runtimes are optional peers, so nothing in `src` may need them to load. */
const RUNTIMES =
  /^(@anthropic-ai\/|@openai\/|@earendil-works\/|openclaw|opencode|@opencode-ai\/|@agentclientprotocol\/|langchain|@langchain\/|@mastra\/)/;
/** A folder with more source files needs a subfolder with a name. */
const MOST_FILES = 15;
const CLOCK = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(/;

export type LayerFault = { readonly file: string; readonly line: number; readonly message: string };

type Import = { readonly from: string; readonly line: number; readonly typeOnly: boolean; readonly dynamic: boolean };

/** Every import, global, value or crowded folder below `src` that the layout (docs/concepts/architecture.md) does not allow. */
export function checkLayers(src: string): readonly LayerFault[] {
  const files = sourceFiles(src);
  const faults = files.flatMap((file) => {
    const name = relative(src, file);
    const text = readFileSync(file, "utf8");
    const imports = importsOf(file, text);
    const faults = imports.flatMap((one) => {
      const message = one.from.startsWith(".") ? refusedFile(src, file, one) : refusedPackage(name, one);
      return message === undefined ? [] : [{ file: name, line: one.line, message }];
    });
    return [...faults, ...impure(name, text), ...valuesAmongTypes(name, text)];
  });
  return [...faults, ...fullFolders(files.map((file) => relative(src, file)))];
}

/** Test helpers in `test/`, recordings and golden files do not count. */
function fullFolders(names: readonly string[]): readonly LayerFault[] {
  const counted = names.filter((name) => !/(^|\/)(test|recorded|golden)\/|\.golden\./.test(name));
  const byFolder = Map.groupBy(counted, (name) => dirname(name));
  return [...byFolder].flatMap(([folder, files]) => {
    if (files.length <= MOST_FILES) return [];
    const message = `${files.length} source files in one folder, and ${MOST_FILES} are the most: merge files or add a subfolder`;
    return [{ file: folder, line: 1, message }];
  });
}

function refusedFile(src: string, file: string, { from }: Import): string | undefined {
  const [layer, room] = placeOf(src, file);
  const [otherLayer, otherRoom] = placeOf(src, resolve(dirname(file), from));
  if (layer === "") return undefined;
  if (otherLayer === "") return `a layer imports no file outside the layers, and this imports ${from}`;
  if (rank(otherLayer) > rank(layer)) return `${layer} must not import ${otherLayer} (${from})`;
  // Policies decide on commands, so policy reads them; nothing else in behavior imports another folder.
  const readsCommands = room === "policy" && otherRoom === "commands";
  if (layer === "behavior" && otherLayer === "behavior" && room !== otherRoom && !readsCommands) {
    return `behavior/${room} must not import behavior/${otherRoom}: only policy imports commands`;
  }
  if (layer === "apps" && otherRoom === "cli" && otherLayer === "apps" && room !== "cli") {
    return `apps/${room} must not import apps/cli: what both need belongs into apps/shared`;
  }
  const [adapter, otherAdapter] = [adapterOf(src, file), adapterOf(src, resolve(dirname(file), from))];
  if (adapter !== undefined && otherAdapter !== undefined && adapter !== otherAdapter && otherAdapter !== "shared") {
    return `adapters/${adapter} must not import adapters/${otherAdapter}: what adapters have in common is in adapters/shared`;
  }
  return undefined;
}

/** The adapter that a file belongs to: `shared` for common code, `test` for the scripted loop. */
function adapterOf(src: string, file: string): string | undefined {
  return /^edge\/adapters\/([^/]+)\//.exec(relative(src, file))?.[1];
}

function refusedPackage(name: string, { from, typeOnly, dynamic }: Import): string | undefined {
  if (RUNTIMES.test(from) && !typeOnly && !dynamic) {
    return `${from} is an optional peer: import its types, or load it when it is used`;
  }
  if (PURE.has(from)) return undefined;
  if (name.startsWith("base/")) return `base imports nothing, and this imports ${from}`;
  if (!name.startsWith("behavior/")) return undefined;
  if (BEHAVIOR_PACKAGES[name]?.some((allowed) => from.startsWith(allowed))) return undefined;
  return `behavior is pure and uses no package, and this imports ${from}`;
}

function impure(name: string, text: string): readonly LayerFault[] {
  if (!/^(base|behavior|engine)\//.test(name)) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, i) =>
    CLOCK.test(line) ? [{ file: name, line: i + 1, message: "time and randomness are passed in, below the edge" }] : [],
  );
}

function valuesAmongTypes(name: string, text: string): readonly LayerFault[] {
  if (!/^base\/(words|ports)\//.test(name)) return [];
  const values = stripTypeScriptTypes(text)
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$|export\s*\{\s*\};?/gm, "")
    .trim();
  return values === ""
    ? []
    : [{ file: name, line: 1, message: "words and ports are types only, and this has a value" }];
}

function importsOf(file: string, text: string): readonly Import[] {
  const { module } = parseSync(file, text);
  const lineAt = (offset: number) => text.slice(0, offset).split("\n").length;
  return [
    ...module.staticImports.map((one) => ({
      from: one.moduleRequest.value,
      line: lineAt(one.start),
      typeOnly: one.entries.length > 0 && one.entries.every((entry) => entry.isType),
      dynamic: false,
    })),
    ...module.staticExports.flatMap((one) =>
      one.entries.flatMap((entry) =>
        entry.moduleRequest
          ? [{ from: entry.moduleRequest.value, line: lineAt(one.start), typeOnly: entry.isType, dynamic: false }]
          : [],
      ),
    ),
    ...module.dynamicImports.flatMap((one) => {
      const quoted = /^["'`](.*)["'`]$/.exec(text.slice(one.moduleRequest.start, one.moduleRequest.end))?.[1];
      return quoted === undefined ? [] : [{ from: quoted, line: lineAt(one.start), typeOnly: false, dynamic: true }];
    }),
  ];
}

/** Without tests, which are next to the code and may use everything. */
function sourceFiles(src: string): readonly string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => join(src, name))
    .sort();
}

function placeOf(src: string, file: string): readonly [layer: string, room: string] {
  const [layer = "", room = ""] = relative(src, file).split("/");
  return rank(layer) < 0 ? ["", ""] : [layer, room];
}

function rank(layer: string): number {
  return LAYERS.indexOf(layer);
}

if (import.meta.main) {
  const src = resolve(import.meta.dirname, "../src");
  const faults = checkLayers(src);
  for (const { file, line, message } of faults) console.error(`src/${file}:${line}  ${message}`);
  console.log(faults.length === 0 ? "layers: every import points the right way" : `layers: ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
