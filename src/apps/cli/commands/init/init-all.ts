import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { writeLauncher } from "../../../install/launcher/launcher-files.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import { INSTALLABLE } from "../../../install/runtimes.ts";
import { writeSettings } from "../../../install/settings-file.ts";
import { hang } from "../../../shared/printable.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import { askFirst, notJournaled } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import type { InitWorld } from "./init-world.ts";
import { type Found, type Project, planProject, projectRows, refusedTurningOff } from "./plan-project.ts";
import { changesText, memoryText, programsText, rowsFor, sameInit, shortPath, writtenText } from "./render.ts";
import { type Prepared, prepare, requestFor, setUp } from "./set-up.ts";
import { trustHooks } from "./trust-codex.ts";

/** `conduct init` without a name: sets up every runtime on this machine, and the rules of the project in this folder. */
export async function initAll(args: InitArgs, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  const runtimes = INSTALLABLE.filter(
    ({ program, folder }) => world.find(program) !== undefined || existsSync(folder(world.env)),
  );
  if (runtimes.length === 0) return noRuntime();
  const prepared: Found[] = [];
  for (const runtime of runtimes) prepared.push(await find(runtime, args, terminal, world));
  const project = await planProject(prepared, terminal.cwd, world, args.level);
  if (typeof project === "string") return failed("CONFIG_INVALID", project, "conduct config check");
  const agentMayNot = refusedTurningOff(project, prepared, world, "conduct init");
  if (agentMayNot !== undefined) return agentMayNot;
  // The first conduct.yaml is written once, and not at all if the project gets its own.
  const found = prepared.map((one, at) =>
    at === 0 && project?.change === undefined
      ? one
      : withoutConfig(one, [join(world.home, "conduct.yaml"), project?.file]),
  );
  const ready = found.flatMap((one) => ("prepared" in one && !one.prepared.isThere ? [one.prepared] : []));
  const result = {
    runtimes: found.map((one) => ({
      runtime: one.runtime.name,
      ...("prepared" in one
        ? { enforcement: one.prepared.binding.settings.enforcement, isThere: one.prepared.isThere }
        : { skipped: one.why }),
      files: "prepared" in one ? one.prepared.changes.map(({ file }) => file.path) : [],
    })),
    commands: project?.commands ?? [],
    config: project?.file,
  };
  const shown = renderFound({ found, project, full: args.full === true, home: world.home, args }, terminal);
  if (ready.length === 0 && project?.change === undefined) {
    await writeLauncher(world.home);
    return done({ ...result, changed: false }, `${shown}\n\n`, NEXT);
  }
  const question = {
    yes: args.yes,
    shown: `${shown}\n`,
    question: "Set this up?",
  };
  const refused = await askFirst(question, sameInit(args, "--yes"), result, terminal, world.ask);
  if (refused !== undefined) return refused;
  if (project?.change !== undefined) await writeSettings(project.file, project.change.after ?? "");
  const notes: string[] = [];
  for (const one of ready) {
    notes.push(...notJournaled(await setUp(one, world), terminal.paint));
    // Trusting hooks is a question of its own, so only `--trust` answers it here.
    const trusted = await trustHooks({ ...one.asked, args: { ...args, yes: true } }, terminal, world);
    if (trusted !== undefined) notes.push(trusted.text.trimEnd());
  }
  const text = renderAllDone(ready, notes, terminal);
  return done({ ...result, changed: true }, args.yes === true ? `${shown}${text}` : text, NEXT);
}

const NEXT: Outcome["next"] = [
  { command: "conduct watch", description: "Watch it live" },
  { command: "conduct enforce", description: "See what would have been blocked, then enforce it" },
  { command: "conduct doctor", description: "Check that it works" },
  { command: "conduct uninstall", description: "Undo everything" },
];

function noRuntime(): Outcome {
  const programs = INSTALLABLE.map(({ program }) => program).join(", ");
  const message = `no coding agent was found: none of ${programs} is on the PATH or has settings in your home`;
  return failed("NO_RUNTIME", message, "conduct init claude-code");
}

async function find(runtime: InstallableRuntime, args: InitArgs, terminal: Terminal, world: InitWorld): Promise<Found> {
  const operator = runtime.whyNoOperator === undefined ? args.operator : undefined;
  const asked = await requestFor(runtime, { ...args, operator }, world, terminal);
  const prepared = "ok" in asked ? asked : await prepare(asked, world, terminal.cwd);
  if (!("ok" in prepared)) return { runtime, prepared };
  return { runtime, why: prepared.ok ? "" : prepared.message };
}

function withoutConfig(found: Found, configs: readonly (string | undefined)[]): Found {
  return "prepared" in found ? { ...found, prepared: withoutFiles(found.prepared, configs) } : found;
}

/** Without the common conduct.yaml, for a project that gets its own. */
export function withoutCommon(prepared: Prepared, home: string): Prepared {
  return withoutFiles(prepared, [join(home, "conduct.yaml")]);
}

function withoutFiles(prepared: Prepared, files: readonly (string | undefined)[]): Prepared {
  return { ...prepared, changes: prepared.changes.filter(({ file }) => !files.includes(file.path)) };
}

type Shown = {
  readonly found: readonly Found[];
  readonly project: Project | undefined;
  readonly full: boolean;
  readonly home: string;
  readonly args: InitArgs;
};

function renderFound({ found, project, full, home, args }: Shown, terminal: Terminal): string {
  const row = rowsFor(terminal);
  const short = (path: string) => shortPath(path, homedir());
  const wide = Math.max(...found.map(({ runtime }) => runtime.title.length));
  const secret = found.flatMap((one) => ("prepared" in one ? [one.prepared.asked.place.daemon.token] : []))[0] ?? "";
  const ofRuntimes = found.flatMap((one) => ("prepared" in one ? one.prepared.changes : []));
  return [
    "",
    ...found.flatMap((one) => row2(one.runtime.title.padEnd(wide), stateOf(one, short), terminal)),
    "",
    ...(project === undefined
      ? row("project", "no test, build or lint command was found in this folder")
      : projectRows(project, terminal)),
    ...(args.operator === true ? withoutOperator(found).flatMap((text) => row("you", text)) : []),
    ...memories(found).flatMap((text) => row("memory", text)),
    ...row("programs", programsOf(found, home)),
    ...(project !== undefined && project.change === undefined ? row("rules", `${short(project.file)}, unchanged`) : []),
    "",
    ...(project?.change === undefined
      ? []
      : changesText({ changes: [project.change], secret, full: true, about: true }, terminal)),
    ...(full ? changesText({ changes: ofRuntimes, secret, full, about: true }, terminal) : []),
  ].join("\n");
}

/** The exec gate, and the runtimes whose shell does not use it. */
function programsOf(found: readonly Found[], home: string): string {
  const set = found.filter((one) => "prepared" in one).map(({ runtime }) => runtime);
  const without = set.filter(({ neverGated }) => neverGated !== undefined);
  if (set.length > 0 && without.length === set.length) return programsText(home, without[0]?.neverGated);
  const not = without.map(({ title }) => title).join(", ");
  return `${programsText(home)}${not === "" ? "" : `; not in ${not}`}`;
}

/** The runtimes where `--operator` has no effect. */
function withoutOperator(found: readonly Found[]): readonly string[] {
  return found.flatMap(({ runtime: { title, whyNoOperator } }) =>
    whyNoOperator === undefined ? [] : [`a user, not the operator, in ${title}: ${whyNoOperator}`],
  );
}

/** One line per user: usually all runtimes have the same. */
function memories(found: readonly Found[]): readonly string[] {
  const texts = found.flatMap((one) =>
    "prepared" in one && !one.prepared.isThere ? [memoryText(one.prepared.binding.settings.user)] : [],
  );
  return [...new Set(texts)];
}

function row2(label: string, text: string, { paint, columns }: Terminal): readonly string[] {
  return hang(`  ${paint("bold", label)}  `, text, columns);
}

function stateOf(found: Found, short: (path: string) => string): string {
  if (!("prepared" in found)) return `left alone: ${found.why}`;
  const { binding, changes, isThere } = found.prepared;
  const how = binding.settings.enforcement === "shadow" ? "shadow mode, blocks nothing" : "enforced";
  if (isThere) return `set up already: ${how}`;
  if (binding.hasNoRules)
    return `${binding.agent} has no rules, so nothing is ever blocked: add rules to it in ${short(binding.config)}`;
  const files = changes.map(({ file }) => short(file.path)).join(", ");
  return files === "" ? `${how}; its files are right` : `${how}: ${files}`;
}

function renderAllDone(ready: readonly Prepared[], notes: readonly string[], terminal: Terminal): string {
  const { paint, invocation } = terminal;
  const row = rowsFor(terminal);
  const names = ready.map(({ asked }) => asked.runtime.title).join(", ");
  const files = ready.reduce((sum, { changes }) => sum + changes.length, 0);
  return [
    "",
    ready.length === 0
      ? `  ${paint("green", "✓ the rules of this project are written")}`
      : `  ${paint("green", `✓ ${names}:`)} ${writtenText(files)}`,
    ...notes,
    "",
    ...row("first", ready.map(({ asked }) => asked.runtime.start).join("; ") || "work as usual"),
    ...row("then", `work as usual; in another terminal: ${invocation} watch`),
    ...row("later", `${invocation} enforce shows what would have been blocked, and enforces it`),
    ...row("check", `${invocation} doctor`),
    ...row("undo", `${invocation} uninstall`),
    "",
    "",
  ].join("\n");
}
