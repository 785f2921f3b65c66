import { join, resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { acp, mcp } from "../../../install/client-runtimes.ts";
import { readRecord, recordFolder } from "../../../install/install-record.ts";
import { writeLauncher } from "../../../install/launcher/launcher-files.ts";
import { type Change, ChangedMeanwhileError } from "../../../install/plan.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import { INSTALLABLE, KNOWN_NAMES, runtimeNamed } from "../../../install/runtimes.ts";
import { writeSettings } from "../../../install/settings-file.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { LEVELS } from "../../line/command.ts";
import { badArgument, done, failed, type Outcome, unwritable } from "../../line/outcome.ts";
import { askFirst } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { setUpClient } from "./clients.ts";
import { initAll, withoutCommon } from "./init-all.ts";
import {
  type Binding,
  type InitRequest,
  type InitWorld,
  initWorld,
  refusedHere,
  unknownRuntime,
} from "./init-world.ts";
import { planProject, projectRows, refusedTurningOff } from "./plan-project.ts";
import { renderDone, renderPlan, renderThere, sameInit } from "./render.ts";
import { prepare, requestFor, setUp } from "./set-up.ts";
import { trustHooks } from "./trust-codex.ts";
import { runUndo } from "./undo.ts";

/** `--undo` without a name means the only runtime that is set up. */
async function onlySetUp({ project }: InitArgs, { home }: InitWorld, { cwd }: Terminal): Promise<string | Outcome> {
  const names: string[] = [];
  for (const { name } of INSTALLABLE) {
    const folder = recordFolder(home, name, project === true ? resolve(cwd) : undefined);
    if ((await readRecord(folder)) !== undefined) names.push(name);
  }
  const [only] = names;
  if (only === undefined)
    return failed("NOT_INSTALLED", "no runtime is set up: there is nothing to undo", "conduct status");
  if (names.length === 1) return only;
  const message = `several runtimes are set up: ${names.join(", ")}. Name one, or undo all of them with conduct uninstall`;
  return badArgument(message, `conduct init ${only} --undo`);
}

/**
 * Shows the changes that bind a runtime, asks, and makes them. A new runtime starts in shadow mode. Without a name,
 * every runtime on this machine is set up.
 */
export async function init(args: InitArgs, terminal: Terminal, world: InitWorld = initWorld()): Promise<Outcome> {
  const named =
    args.undo === true && args.runtime === undefined ? await onlySetUp(args, world, terminal) : args.runtime;
  if (typeof named === "object") return named;
  const runtime = runtimeNamed(named);
  const client = [acp, mcp].find(({ name }) => name === named);
  if (client !== undefined) return setUpClient(client, args, terminal, world);
  if (runtime === undefined && named !== undefined) return unknownRuntime(named, "init", KNOWN_NAMES);
  const { level } = args;
  if (level !== undefined && !LEVELS.includes(level)) {
    return badArgument(`there is no level '${level}'; there are ${LEVELS.join(", ")}`, "conduct init --level gentle");
  }
  if (args.user !== undefined && !/^[^\s\p{C}](?:[^\p{C}]{0,98}[^\s\p{C}])?$/u.test(args.user.trim())) {
    return badArgument("--user must be a name of 1 to 100 characters on one line", "conduct init --user ann");
  }
  const again = runtime === undefined ? "conduct init" : `conduct init ${runtime.name}`;
  const refused = refusedHere(world, "can set up runtimes", again);
  if (refused !== undefined) return refused;
  try {
    if (runtime === undefined) return await initAll(args, terminal, world);
    const asked = await requestFor(runtime, args, world, terminal);
    if ("ok" in asked) return asked;
    return args.undo === true ? await runUndo(asked, terminal, world) : await install(asked, terminal, world);
  } catch (error) {
    if (error instanceof ChangedMeanwhileError) return failed("SETTINGS_CHANGED", error.message, "run it again");
    const unwritten = unwritable(error);
    if (unwritten !== undefined) return unwritten;
    const check = runtime === undefined ? "conduct doctor" : `conduct doctor ${runtime.name}`;
    return failed("INIT_FAILED", errorText(error), check);
  }
}

async function install(asked: InitRequest, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  const { runtime, folder, place, yes } = asked;
  const prepared = await prepare(asked, world, terminal.cwd);
  if ("ok" in prepared) return prepared;
  const { binding } = prepared;
  const found = [{ runtime, prepared }];
  const project = await planProject(found, terminal.cwd, world, asked.args.level);
  if (typeof project === "string") return failed("CONFIG_INVALID", project, "conduct config check");
  const agentMayNot = refusedTurningOff(project, found, world, `conduct init ${runtime.name}`);
  if (agentMayNot !== undefined) return agentMayNot;
  const own = project?.change;
  const ready = own === undefined ? prepared : withoutCommon(prepared, world.home);
  const changes = [...ready.changes, ...(own === undefined ? [] : [own])];
  const secret = place.daemon.token;
  const shown = { runtime, changes, binding, secret, full: asked.args.full === true, home: world.home };
  const result = { runtime: runtime.name, enforcement: binding.settings.enforcement, files: changes.map(fileOf) };
  if (prepared.isThere && own === undefined) {
    const repaired = await writeLauncher(world.home);
    const trusted = await trustHooks(asked, terminal, world);
    const text = renderThere(runtime, binding, terminal, { trusted: trusted?.text, repaired });
    const tests = project?.untested === "on" ? `${projectRows(project, terminal).join("\n")}\n\n` : "";
    return done({ ...result, changed: repaired }, `${text}${tests}`, nextOf(runtime, binding));
  }
  const named = project?.change === undefined ? "" : `${projectRows(project, terminal).join("\n")}\n\n`;
  const seen = `${renderPlan(shown, terminal)}${named}`;
  // The changes are shown before the question, so that only those are made.
  const question = {
    yes,
    shown: `${seen}\n`,
    question: makeQuestion(changes.length),
  };
  const refused = await askFirst(question, sameInit(asked.args, "--yes"), result, terminal, world.ask);
  if (refused !== undefined) return refused;
  if (own !== undefined) await writeSettings(own.file.path, own.after ?? "");
  const journaled = await setUp(ready, world);
  const trusted = await trustHooks(asked, terminal, world);
  const text = renderDone(shown, terminal, { journaled, trusted });
  return done(
    {
      ...result,
      changed: true,
      record: join(folder, "record.json"),
      notJournaled: journaled,
      trusted: trusted && trusted.kind === "trusted",
    },
    yes ? `${seen}${text}` : text,
    nextOf(runtime, binding),
  );
}

function makeQuestion(changes: number): string {
  return changes === 1 ? "Make this change?" : `Make these ${changes} changes?`;
}

function fileOf({ file, before, after }: Change) {
  const change = before === undefined ? "made" : after === undefined ? "removed" : "changed";
  return { path: file.path, change };
}

function nextOf({ name }: InstallableRuntime, { settings }: Binding): Outcome["next"] {
  const enforce = {
    command: `conduct enforce ${name}`,
    description: "See what would have been blocked, then enforce it",
  };
  return [
    { command: "conduct watch", description: "Watch it live" },
    ...(settings.enforcement === "shadow" ? [enforce] : []),
    { command: `conduct doctor ${name}`, description: "Check that it works" },
    { command: `conduct init ${name} --undo`, description: "Undo it" },
  ];
}
