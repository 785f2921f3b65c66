import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import { asObject } from "../../../../base/kernel/json.ts";
import { packageFile } from "../../../../edge/host/node/package-files.ts";
import { readCases } from "../../../../edge/host/opening/load-rules.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { trustStore } from "../../../../edge/host/trust/trust.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { replaceFile } from "../../../../edge/host/workspace/own-files.ts";
import { readTextFile } from "../../../../edge/host/workspace/read-text-file.ts";
import { isInside } from "../../../../edge/host/workspace/workspace-prompts-read.ts";
import { ConfigSource } from "../../../../engine/agent/config/config-source.ts";
import { readSettings, writeSettings } from "../../../install/settings-file.ts";
import { plural, quoted } from "../../../shared/printable.ts";
import type { ConfigSchemaArgs } from "../../declared/develop-commands.ts";
import { done, type Failure, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { askFirst, confirm } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { configHere } from "../../stores/config-here.ts";
import { shortPath } from "../../stores/config-text.ts";

/** The schema of a file, by the key that only such a file has. */
const SCHEMAS = { agents: "conduct", cases: "cases", rules: "rules" } as const;
type SchemaName = (typeof SCHEMAS)[keyof typeof SCHEMAS];

/** Editors with the YAML language server read this comment. */
const MODELINE = /^# yaml-language-server: \$schema=.*$/m;

/** `lines` are what changes, each with its sign. */
type Change = {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly lines: readonly string[];
};

export type SchemaWorld = {
  readonly home: string;
  inside(): AgentAround | undefined;
  ask(question: string): Promise<boolean | undefined>;
};

/**
 * `conduct config schema --install [FILE…]`: puts the schemas into the home, where they stay if this installation
 * moves, and names them in the first line of the files. Without files: the configuration in force and its rules.
 */
export async function installSchemas(
  args: ConfigSchemaArgs,
  terminal: Terminal,
  world: SchemaWorld = { home: conductHome(), inside: insideAgent, ask: confirm },
): Promise<Outcome> {
  const { paint, cwd } = terminal;
  const again = ["conduct config schema --install", ...args.file.map(quoted)].join(" ");
  const around = world.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can change configuration files", again);
  const files = args.file.length > 0 ? args.file.map((file) => resolve(cwd, file)) : await ownFiles(terminal, world);
  if ("ok" in files) return files;
  const schemas = schemasIn(world.home);
  const changes: Change[] = [];
  for (const file of files) {
    const change = await changeOf(file, shortPath(file, cwd), schemas);
    if ("ok" in change) return change;
    if (change.after !== change.before) changes.push(change);
  }
  const folder = join(world.home, "schema");
  const result = { schemas, files, changed: changes.map(({ file }) => file) };
  const head = `\n  ${paint("green", "✓")} schemas in ${shortPath(folder, cwd)}\n`;
  if (changes.length === 0) {
    writeSchemas(schemas);
    const none = files.length === 0 ? "there is no file of yours to change yet" : "every file names its schema already";
    return done(result, `${head}  ${paint("green", "✓")} ${none}\n\n`);
  }
  const shown = changes
    .flatMap(({ file, lines }) => [
      "",
      `  ${paint("bold", shortPath(file, cwd))}`,
      ...lines.map((line) => `    ${line}`),
    ])
    .join("\n")
    .concat("\n");
  const question = `Add ${changes.length === 1 ? "this line" : "these lines"}? Editors with the YAML language server then check the file.`;
  const asked = { yes: args.yes, shown: `${shown}\n`, question };
  const refused = await askFirst(asked, `${again} --yes`, result, terminal, world.ask);
  if (refused !== undefined) return refused;
  writeSchemas(schemas);
  const trust = trustStore(world.home);
  const revoked: string[] = [];
  for (const { file, before, after } of changes) {
    if ((await readSettings(file)) !== before) return failed("FILE_CHANGED", `${file} has changed meanwhile`, again);
    if (await trust.trusted(file, sha256(before))) revoked.push(file);
    await writeSettings(file, after);
  }
  const ended = revoked.map((file) => `  ${paint("amber", "!")} ${shortPath(file, cwd)} has changed: trust it again\n`);
  const text = `${args.yes === true ? shown : ""}${head}  ${paint("green", "✓")} ${plural(changes.length, "file")} changed\n${ended.join("")}\n`;
  return done(result, text, [{ command: "conduct config check", description: "Check the configuration" }]);
}

/** The configuration in force, with the rule files and cases next to it; nothing of a workspace or of the package. */
async function ownFiles(terminal: Terminal, { home }: SchemaWorld): Promise<readonly string[] | Failure> {
  const found = await configHere(undefined, terminal, home);
  if ("ok" in found) return found;
  const named = [...(found.loaded?.files.keys() ?? [])].filter((file) => /\.ya?ml$/.test(file));
  const own = named.filter((file) => !isInside(file, packageFile("packs")));
  const cases = await Promise.all(own.slice(1).map((path) => readCases({ path, shown: path })));
  return [...new Set([...own, ...cases.flatMap((one) => ("error" in one ? [] : [one.path]))])];
}

type SchemaPaths = { readonly [name in SchemaName]: string };

function schemasIn(home: string): SchemaPaths {
  const path = (name: SchemaName) => join(home, "schema", `${name}.schema.json`);
  return { conduct: path("conduct"), cases: path("cases"), rules: path("rules") };
}

function writeSchemas(schemas: SchemaPaths): void {
  for (const [name, path] of Object.entries(schemas)) {
    replaceFile(path, readFileSync(packageFile(`docs/schema/${name}.schema.json`)));
  }
}

async function changeOf(file: string, shown: string, schemas: SchemaPaths): Promise<Change | Failure> {
  const read = await readTextFile(file, shown, "CONFIG");
  if ("error" in read) return { ok: false, ...read.error, next: [] };
  const { text: before } = read;
  const content = asObject(new ConfigSource(before, shown).value);
  const kind = Object.entries(SCHEMAS).find(([key]) => Object.hasOwn(content, key))?.[1];
  if (kind === undefined) {
    const message = `${shown} is neither a conduct.yaml nor a file with rules or cases`;
    return failed("UNKNOWN_FILE", message, "name a file with agents, rules or cases");
  }
  const line = `# yaml-language-server: $schema=${schemas[kind]}`;
  const old = MODELINE.exec(before)?.[0].trimEnd();
  if (old !== undefined)
    return { file, lines: [`- ${old}`, `+ ${line}`], before, after: before.replace(old, () => line) };
  const [bom, rest] = before.startsWith("\uFEFF") ? ["\uFEFF", before.slice(1)] : ["", before];
  const after = `${bom}${line}${before.includes("\r\n") ? "\r\n" : "\n"}${rest}`;
  return { file, lines: [`+ ${line}`], before, after };
}
