import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { sha256 } from "../../../../base/kernel/canonical-json.ts";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { writeDirective } from "../../../../behavior/contract/parse/directive-form.ts";
import { bindAgents } from "../../../../edge/host/daemon/daemon-agents.ts";
import { loadConfigText } from "../../../../edge/host/opening/load-config.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { findConfig } from "../../../../edge/host/workspace/find-config.ts";
import { projectConfigPath } from "../../../../edge/host/workspace/project-config.ts";
import { type ImportedLine, type ImportPlan, planImport, rulesText } from "../../../import/import-plan.ts";
import {
  changedLines,
  IMPORTED,
  type ImportRecord,
  readRecord,
  recordedFiles,
  recordPath,
} from "../../../import/import-record.ts";
import { contentFile, importingAgents, withImported } from "../../../import/imported-config.ts";
import { findInstructionFiles, type InstructionFile, readInstructionFile } from "../../../import/instruction-files.ts";
import { projectConfigText } from "../../../install/project-config-text.ts";
import { readSettings, writeSettings } from "../../../install/settings-file.ts";
import { oneLine, plural, quoted } from "../../../shared/printable.ts";
import type { ImportArgs } from "../../declared/develop-commands.ts";
import { badArgument, done, type Failure, failed, type Outcome, refuseAgent } from "../../line/outcome.ts";
import { askFirst, confirm, type PersonCheck, personCheck, requirePerson } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type GovernanceWorld, thisMachine, withContract } from "../../stores/with-contract.ts";
import { renderImport } from "./render-import.ts";

export type ImportWorld = {
  readonly home: string;
  inside(): AgentAround | undefined;
  ask(question: string): Promise<boolean | undefined>;
  readonly person: Pick<PersonCheck, "look">;
  governance(): GovernanceWorld;
};

const world = (): ImportWorld => {
  return { home: conductHome(), inside: insideAgent, ask: confirm, person: personCheck, governance: thisMachine };
};

/** Where the import goes: the project's file in the home, its current text, and what was imported before. */
type Target = {
  readonly config: string;
  readonly before: string | undefined;
  readonly text: string;
  readonly agents: readonly string[];
  readonly record: ImportRecord | undefined;
};

/** Shows what each line of the instruction files becomes, asks, and writes it next to the project's configuration. */
export async function importFiles(args: ImportArgs, terminal: Terminal, at: ImportWorld = world()): Promise<Outcome> {
  const again = ["conduct import", ...args.files.map(quoted)].join(" ");
  const around = at.inside();
  if (around !== undefined) return refuseAgent(around, "only a person can import rules and prompt texts", again);
  const target = await targetHere(args.agent, terminal.cwd, at.home);
  if ("ok" in target) return target;
  if (args.undo === true) {
    const there = requirePerson(at.person, "can undo an import", "run it in your own terminal: conduct import --undo");
    return "ok" in there ? there : undo(target, terminal);
  }
  const files = await readFiles(args.files, terminal.cwd, target.record);
  if ("ok" in files) return files;
  if (files.length === 0) {
    const message =
      "there is no file to import here: no CLAUDE.md, AGENTS.md, GEMINI.md, Cursor rule, Copilot instructions, .claude/settings.json or .codex/rules";
    return failed("NOTHING_TO_IMPORT", message, "name the files: conduct import FILE");
  }
  const classified = await isClassified(at.home, terminal.cwd, target.agents);
  const settled = new Map(
    target.record?.files.flatMap(({ name, lines }) => lines.map((one) => [`${name}\n${one.text}`, one.kind])),
  );
  const isSettled = ({ file, text }: ImportedLine) => settled.get(`${file}\n${text}`) === "directive";
  const first = plan(files, { classified, asDirective: isSettled });
  if ("ok" in first) return first;
  const change = changedLines(target.record, first.lines);
  const result = {
    config: target.config,
    agents: target.agents,
    lines: first.lines,
    added: change.added.length,
    gone: change.gone,
  };
  const shown = renderImport(first, change, target.record !== undefined, terminal);
  const edited = await editedRules(target);
  if (edited !== undefined) return edited;
  if (target.record !== undefined && change.added.length + change.gone.length === 0) {
    return done(result, `\n  ${terminal.paint("green", "✓")} nothing has changed since the last import\n\n`);
  }
  if (args.yes === true) {
    const there = requirePerson(at.person, "can import files of a repository", `run it in your own terminal: ${again}`);
    if ("ok" in there) return there;
  }
  const parts = `${plural(first.rules.length, "rule")} and ${plural(first.contributors.length, "prompt text")}`;
  const question = `Write ${parts} for ${target.agents.join(", ")} in this folder?`;
  const refused = await askFirst({ yes: args.yes, shown, question }, again, result, terminal, at.ask);
  if (refused !== undefined) return refused;
  const wishes = change.added.filter(({ becomes }) => becomes.kind === "directive");
  const decided = args.yes === true ? { accepted: [], notes: [] } : await askDirectives(wishes, at);
  const accepted = new Set(decided.accepted);
  const isWanted = (line: ImportedLine) =>
    isSettled(line) ||
    decided.accepted.some(
      ({ file, line: number, text }) => file === line.file && number === line.line && text === line.text,
    );
  const final = plan(files, { classified, asDirective: isWanted });
  if ("ok" in final) return final;
  const lines = final.lines.map((line) =>
    line.becomes.kind === "directive" && !isWanted(line)
      ? { ...line, becomes: { kind: "contributor" as const } }
      : line,
  );
  const fault = await write(target, terminal.cwd, files, { ...final, lines });
  if (fault !== undefined) return fault;
  const { paint } = terminal;
  const left = wishes.filter((line) => !accepted.has(line));
  const text = [
    args.yes === true ? shown : "",
    `\n  ${paint("green", "✓")} ${parts} written to ${dirname(target.config)}/${IMPORTED}\n`,
    ...(accepted.size === 0
      ? []
      : [`  ${paint("green", "✓")} ${plural(accepted.size, "directive")} added to the contract\n`]),
    ...decided.notes.map((note) => `  ${paint("amber", "!")} ${oneLine(note)}\n`),
    ...left.flatMap(({ becomes }) =>
      becomes.kind === "directive"
        ? [`  ${paint("dim", "to add it to the contract:")} conduct behavior add ${quoted(writeDirective(becomes))}\n`]
        : [],
    ),
    "\n",
  ].join("");
  return done({ ...result, directives: accepted.size }, text, [
    { command: "conduct rules list --full", description: "Show the rules in force here" },
    { command: "conduct prompt lint", description: "Find lines that contradict each other" },
    { command: "conduct import --undo", description: "Take it back" },
  ]);
}

function plan(files: readonly InstructionFile[], choices: Parameters<typeof planImport>[1]): ImportPlan | Failure {
  try {
    return planImport(files, choices);
  } catch (error) {
    const settings = files.find(({ kind }) => kind === "claude-settings")?.name ?? "a file";
    return failed(
      "FILE_INVALID",
      `${settings} is not valid JSON: ${errorText(error)}`,
      "correct it, or name the files to import",
    );
  }
}

async function targetHere(agent: string | undefined, cwd: string, home: string): Promise<Target | Failure> {
  const { base } = findConfig({ home, folder: cwd });
  const config = base?.from === "project" ? base.file : projectConfigPath(home, cwd);
  const before = await readSettings(config);
  const common = await readSettings(join(home, "conduct.yaml"));
  const given = before ?? common;
  const agents = agent === undefined ? importingAgents(given ?? "") : [agent];
  const text = before ?? projectConfigText({ folder: cwd, home, base: common, agents, commands: [], untested: false });
  if (agent !== undefined && !new RegExp(`^ +['"]?${agent.replace(/\W/g, "\\$&")}['"]?:`, "m").test(text)) {
    return badArgument(
      `there is no agent '${agent}' in the configuration here`,
      "conduct config check",
      "UNKNOWN_AGENT",
    );
  }
  try {
    const record = await readRecord(config);
    if (record !== undefined && record.folder !== cwd) {
      return failed(
        "IMPORTED_ELSEWHERE",
        `this project was imported in ${record.folder}`,
        `cd ${quoted(record.folder)} && conduct import`,
      );
    }
    return { config, before, text, agents, record };
  } catch (error) {
    return failed(
      "RECORD_DAMAGED",
      `${recordPath(config)} is damaged: ${errorText(error)}`,
      `delete ${recordPath(config)}, then import again`,
    );
  }
}

/** The named or found files, and those that were imported before and still exist. */
async function readFiles(
  given: readonly string[],
  cwd: string,
  record: ImportRecord | undefined,
): Promise<readonly InstructionFile[] | Failure> {
  const known = (record?.files ?? []).map(({ name }) => resolve(cwd, name)).filter((path) => existsSync(path));
  const named = given.length > 0 ? given.map((name) => resolve(cwd, name)) : await findInstructionFiles(cwd);
  const files: InstructionFile[] = [];
  for (const path of new Set([...named, ...known])) {
    const shown = given.find((name) => resolve(cwd, name) === path) ?? path;
    const read = await readInstructionFile(path, cwd);
    if ("code" in read) return failed(read.code, read.message.replace(path, shown), read.fix);
    files.push(read);
  }
  return files;
}

/** Are the sessions of these agents classified, so that tags can match? */
async function isClassified(home: string, cwd: string, agents: readonly string[]): Promise<boolean> {
  const bound = await bindAgents(home, cwd);
  if (bound.kind !== "ready") return false;
  const own = bound.agents.filter(({ name }) => agents.includes(name));
  return own.length > 0 && own.every(({ sessionLabels }) => sessionLabels?.enabled === true);
}

/** Edits of the written rules would be lost, so a person has to move them first. */
async function editedRules({ config, record }: Target): Promise<Failure | undefined> {
  if (record === undefined) return undefined;
  const file = join(dirname(config), IMPORTED, "rules.yaml");
  const now = await readSettings(file);
  if (now === undefined || sha256(now) === record.rules) return undefined;
  return failed(
    "IMPORT_EDITED",
    `${file} was edited after the import`,
    `move your rules to ${config}, run conduct import --undo, and import again`,
  );
}

async function askDirectives(wishes: readonly ImportedLine[], { ask, governance }: ImportWorld) {
  const accepted: ImportedLine[] = [];
  const notes: string[] = [];
  for (const line of wishes) {
    if (line.becomes.kind !== "directive") continue;
    const { type, text } = line.becomes;
    const said = writeDirective({ type, text });
    const yes = await ask(`  Add '${said}' to the contract of all your agents? (${line.file}:${line.line}) [y/N] `);
    if (yes !== true) continue;
    const asked = governance();
    const outcome = await withContract(asked, "write", async ({ service }) => {
      const decision = await service.change({ kind: "add", type, text }, await asked.by());
      return decision.kind === "refused" ? failed(decision.code, decision.message, decision.fix) : done(undefined, "");
    });
    if (outcome.ok) accepted.push(line);
    else notes.push(`${said}: ${outcome.message}`);
  }
  return { accepted, notes };
}

async function write(
  target: Target,
  folder: string,
  files: readonly InstructionFile[],
  final: ImportPlan,
): Promise<Failure | undefined> {
  const { config, agents } = target;
  const imported = join(dirname(config), IMPORTED);
  const rules = rulesText(final.rules);
  const texts: readonly (readonly [string, string])[] = [
    ["rules.yaml", rules],
    ...final.contributors.map(({ id, content }) => [contentFile(id), `${content}\n`] as const),
  ];
  const old = await Promise.all(texts.map(async ([name]) => [name, await readSettings(join(imported, name))] as const));
  for (const [name, text] of texts) await writeSettings(join(imported, name), text);
  const after = withImported(target.text, agents, {
    hasRules: final.rules.length > 0,
    contributors: final.contributors,
  });
  const loaded = await loadConfigText(after, config);
  if ("faults" in loaded.parsed) {
    for (const [name, text] of old) {
      if (text === undefined) await rm(join(imported, name), { force: true });
      else await writeSettings(join(imported, name), text);
    }
    const [fault] = loaded.parsed.faults;
    return failed(
      "IMPORT_INVALID",
      `the configuration would be invalid: ${fault?.file}:${fault?.line} ${fault?.message}`,
      "nothing was changed; import fewer files",
    );
  }
  const { record: last } = target;
  const isOurs = last !== undefined && target.before !== undefined && sha256(target.before) === last.config;
  const record: ImportRecord = {
    folder,
    rules: sha256(rules),
    config: sha256(after),
    before: last === undefined ? target.before : isOurs ? last.before : withoutImported(target.text, agents),
    files: recordedFiles(files, final.lines),
  };
  await writeSettings(recordPath(config), `${JSON.stringify(record, undefined, 2)}\n`);
  await writeSettings(config, after);
  return undefined;
}

function withoutImported(text: string, agents: readonly string[]): string {
  return withImported(text, agents, { hasRules: false, contributors: [] });
}

/** Removes what the import wrote. The rest of the configuration stays, and so do directives. */
async function undo({ config, before, agents, record }: Target, { paint }: Terminal): Promise<Outcome> {
  if (record === undefined || before === undefined)
    return failed("NOT_IMPORTED", "nothing was imported in this folder", "conduct import");
  if (sha256(before) !== record.config) await writeSettings(config, withoutImported(before, agents));
  else if (record.before === undefined) await rm(config);
  else await writeSettings(config, record.before);
  await rm(join(dirname(config), IMPORTED), { recursive: true, force: true });
  return done(
    { config, undone: record.files.map(({ name }) => name) },
    `\n  ${paint("green", "✓")} the import is undone; directives stay: conduct behavior list\n\n`,
  );
}
