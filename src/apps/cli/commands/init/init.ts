import { join, resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { unwatchFiles, watchFiles } from "../../../daemon/hook-guard/known-setup.ts";
import { acp } from "../../../install/acp.ts";
import { launcherPath, writeLauncher } from "../../../install/launcher/launcher-files.ts";
import { mcp } from "../../../install/mcp.ts";
import { ChangedMeanwhileError, makeChanges, type Plan, planInstall } from "../../../install/plan.ts";
import { readRecord, recordFolder } from "../../../install/record.ts";
import type { InstallableRuntime, InstallPlace } from "../../../install/runtime.ts";
import { KNOWN_NAMES, runtimeNamed } from "../../../install/runtimes.ts";
import type { Arguments, CommandBody } from "../../line/command.ts";
import { requirePerson } from "../../line/only-a-person.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { badArgument } from "../behavior/answers.ts";
import { showAcp } from "./acp.ts";
import { failed, type InitRequest, notConfirmed, refuseAgent, settingsRefused, unknownRuntime } from "./answers.ts";
import { type Binding, bindingFor } from "./binding.ts";
import { showMcp } from "./mcp.ts";
import { renderDone, renderPlan, renderThere } from "./render.ts";
import { runTrustStep, type TrustStep } from "./trust.ts";
import { runUndo } from "./undo.ts";
import { type InitWorld, initWorld } from "./world.ts";

/** `conduct init RUNTIME [--yes] [--undo] [--operator] [--project] [--agent NAME] [--trust] [--full]` */
export const init: CommandBody = (args, terminal) => runInit(args, terminal, initWorld());

/** Shows what would be changed for a runtime to be bound, asks, changes it. A runtime that is new to Conduct is only watched. */
export async function runInit(args: Arguments, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  const runtime = runtimeNamed(args.runtime);
  if (args.runtime === acp.name) return showAcp(args, terminal, world);
  if (args.runtime === mcp.name) return showMcp(args, terminal, world);
  if (runtime === undefined) return unknownRuntime(args.runtime, "init", KNOWN_NAMES);
  const refused = refuseAgent(world, "sets up runtimes", `conduct init ${runtime.name}`);
  if (refused !== undefined) return refused;
  try {
    const project = args.project === true ? resolve(terminal.cwd) : undefined;
    const folder = recordFolder(world.home, runtime.name, project);
    const { [runtime.name]: before } = await readRuntimes(world.home);
    const place = await placeOf(world, project, before?.enforcement ?? "shadow");
    const files = runtime.files(place);
    if ("refused" in files) return badArgument(`--project: ${files.refused}`, files.fix);
    const asked = { runtime, files, folder, place, args, yes: args.yes === true };
    return args.undo === true ? await runUndo(asked, terminal, world) : await install(asked, terminal, world);
  } catch (error) {
    if (error instanceof ChangedMeanwhileError) return failed("SETTINGS_CHANGED", error.message, "run it again");
    return failed("INIT_FAILED", errorText(error), `conduct doctor ${runtime.name}`);
  }
}

async function install(asked: InitRequest, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  const { runtime, files, folder, place, yes } = asked;
  const binding = await bindingFor(asked, world);
  if ("ok" in binding) return binding;
  if (binding.isNew && binding.settings.enforcement === "enforce") {
    const fix = `run it in a terminal of your own: conduct init ${runtime.name}`;
    const person = requirePerson(world.person, "binds an enforced runtime in another way", fix);
    if ("ok" in person) return person;
  }
  const plan = await planInstall([...files, ...binding.files]);
  if ("refused" in plan) return settingsRefused(plan);
  const secret = place.daemon.token;
  const shown = { runtime, changes: plan.changes, binding, secret, full: asked.args.full === true, home: world.home };
  const result = { runtime: runtime.name, enforcement: binding.settings.enforcement, files: plan.changes.map(fileOf) };
  if (plan.changes.length === 0 && !binding.isNew) {
    const repaired = await writeLauncher(world.home);
    const trusted = await trustHooks(asked, terminal, world);
    const text = renderThere(runtime, binding, terminal, { trusted: trusted?.text, repaired });
    return { ok: true, result: { ...result, changed: repaired }, text, next: nextOf(runtime, binding) };
  }
  const seen = renderPlan(shown, terminal);
  if (!yes) {
    // Only what was seen is done: the question comes after it.
    if (!terminal.json) terminal.out(seen);
    const answer = terminal.json ? undefined : await world.ask(`\n  ${question(plan.changes.length)} [y/N] `);
    if (answer !== true) return notConfirmed(answer, `conduct init ${runtime.name} --yes`, result);
  }
  const { project } = place;
  const about = {
    runtime: runtime.name,
    project,
    at: new Date(world.now()).toISOString(),
    by: world.by,
  };
  const last = await readRecord(folder);
  // Bound before the hooks are there: what nobody has set up would be enforced at once.
  await writeLauncher(world.home);
  // `conduct enforce` may have run while the question was open: its answer stays.
  await writeRuntime(world.home, runtime.name, (now) => ({
    ...binding.settings,
    enforcement: now?.enforcement ?? binding.settings.enforcement,
  }));
  await makeChanges(folder, plan.changes, { ...about, last });
  const body = { runtime: runtime.name, ...binding.settings };
  const journaled = await world.journal({ at: world.now(), by: world.by, kind: "runtime.installed", body });
  const trusted = await trustHooks(asked, terminal, world);
  const text = renderDone(shown, terminal, { journaled, trusted });
  return {
    ok: true,
    result: {
      ...result,
      changed: true,
      record: join(folder, "record.json"),
      ...(journaled === undefined ? {} : { notJournaled: journaled }),
      ...(trusted === undefined ? {} : { trusted: trusted.kind === "trusted" }),
    },
    text: yes ? `${seen}${text}` : text,
    next: nextOf(runtime, binding),
  };
}

/** Trusting writes to a file that is watched: what Conduct's own command changes there is no tampering. */
async function trustHooks(asked: InitRequest, terminal: Terminal, world: InitWorld): Promise<TrustStep | undefined> {
  const { folder, runtime, place } = asked;
  await unwatchFiles(folder, {
    runtime: runtime.name,
    project: place.project,
  });
  try {
    return await runTrustStep(asked, terminal, world);
  } finally {
    await watchFiles(folder, await readRecord(folder));
  }
}

async function placeOf(
  world: InitWorld,
  project: string | undefined,
  enforcement: InstallPlace["enforcement"],
): Promise<InstallPlace> {
  const { env, home } = world;
  const place = { env, home, launcher: launcherPath(home), enforcement, daemon: await world.daemon() };
  return project === undefined ? place : { ...place, project };
}

function question(changes: number): string {
  return changes === 1 ? "Make this change?" : `Make these ${changes} changes?`;
}

function fileOf({ file, before, after }: Extract<Plan, { changes: unknown }>["changes"][number]) {
  const change = before === undefined ? "made" : after === undefined ? "removed" : "changed";
  return { path: file.path, change };
}

function nextOf({ name }: InstallableRuntime, { settings }: Binding): Outcome["next"] {
  const enforce = {
    command: `conduct enforce ${name}`,
    description: "See what would have been blocked, and turn it on",
  };
  return [
    { command: "conduct watch", description: "See what it does" },
    ...(settings.enforcement === "shadow" ? [enforce] : []),
    { command: `conduct doctor ${name}`, description: "See whether all of it works" },
    { command: `conduct init ${name} --undo`, description: "Take it back" },
  ];
}
