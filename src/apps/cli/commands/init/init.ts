import { join, resolve } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { unwatchFiles, watchFiles } from "../../../daemon/hook-guard/known-setup.ts";
import { acp, mcp } from "../../../install/client-runtimes.ts";
import { codexFolder } from "../../../install/codex.ts";
import { isInstalled, readRecord, recordFolder } from "../../../install/install-record.ts";
import { launcherPath, removeUnusedLauncher, writeLauncher } from "../../../install/launcher/launcher-files.ts";
import {
  ChangedMeanwhileError,
  makeChanges,
  type Plan,
  planInstall,
  planUndo,
  settleRecord,
  takeBack,
} from "../../../install/plan.ts";
import type { InstallableRuntime, InstallPlace, RuntimeName } from "../../../install/runtime.ts";
import { KNOWN_NAMES, runtimeNamed } from "../../../install/runtimes.ts";
import { wrap } from "../../../shared/printable.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { badArgument, done, failed, type Outcome } from "../../line/outcome.ts";
import { askFirst, requirePerson } from "../../line/person.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";
import { setUpClient } from "./clients.ts";
import {
  type Binding,
  bindingFor,
  type InitRequest,
  type InitWorld,
  initWorld,
  refusedHere,
  settingsRefused,
  unknownRuntime,
} from "./init-world.ts";
import { renderDone, renderPlan, renderThere, renderUndo, renderUndone } from "./render.ts";

/** The result of the step; `text` is shown to the person. */
export type TrustStep = { readonly kind: "trusted" | "open"; readonly text: string };

const AGAIN = "conduct init codex --trust";

/**
 * Codex silently skips an untrusted hook. Trusting one is a separate step with its own question: `--trust` answers it,
 * `--yes` does not. Returns `undefined` for runtimes without such a step.
 */
export async function runTrustStep(
  { runtime, folder, args }: InitRequest,
  { json, cwd, paint, columns, invocation }: Terminal,
  world: InitWorld,
): Promise<TrustStep | undefined> {
  if (runtime.name !== "codex") return undefined;
  const again = AGAIN.replace("conduct", invocation);
  const open = (why: string): TrustStep => {
    const head = `  ${paint("amber", "! Codex does not trust Conduct's hooks yet")}, and silently skips them`;
    const rest = wrap(why, columns - 4).map((line) => `    ${line}`);
    return { kind: "open", text: `${[head, ...rest].join("\n")}\n` };
  };
  const program = world.find(runtime.program);
  if (program === undefined) return open(`codex is not on the PATH; install it, then run ${again}`);
  const codexHome = codexFolder(world.env);
  try {
    if ((await world.codexTrust(codexHome, cwd, program)).bound)
      return trustedAs(paint, "Codex trusts Conduct's hooks");
  } catch (error) {
    return open(errorText(error));
  }
  if (args.trust !== true) {
    const question = "  Let Codex trust Conduct's 11 hooks as they are? Otherwise Codex skips them. [y/N] ";
    const answer = json || args.yes === true ? undefined : await world.ask(question);
    if (answer !== true) return open(`run ${again}`);
  }
  try {
    const { bound, faults } = await world.trustCodex(codexHome, cwd, program);
    const record = await readRecord(folder);
    if (record !== undefined) await settleRecord(folder, record);
    if (!bound) return open(faults[0] ?? "Codex gave no reason");
    return trustedAs(paint, "Codex now trusts Conduct's hooks");
  } catch (error) {
    return open(errorText(error));
  }
}

function trustedAs(paint: Paint, what: string): TrustStep {
  return { kind: "trusted", text: `  ${paint("green", `✓ ${what}`)}, until one of them changes\n` };
}

/** Shows the changes that bind a runtime, asks, and makes them. A new runtime starts in shadow mode. */
export async function init(args: InitArgs, terminal: Terminal, world: InitWorld = initWorld()): Promise<Outcome> {
  const runtime = runtimeNamed(args.runtime);
  const client = [acp, mcp].find(({ name }) => name === args.runtime);
  if (client !== undefined) return setUpClient(client, args, terminal, world);
  if (runtime === undefined) return unknownRuntime(args.runtime, "init", KNOWN_NAMES);
  const refused = refusedHere(world, "can set up runtimes", `conduct init ${runtime.name}`);
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
  const binding = await bindingFor(asked, world, terminal.cwd);
  if ("ok" in binding) return binding;
  if (binding.isNew && binding.settings.enforcement === "enforce") {
    const fix = `run it in your own terminal: conduct init ${runtime.name}`;
    const person = requirePerson(world.person, "can change how an enforced runtime is bound", fix);
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
    return done({ ...result, changed: repaired }, text, nextOf(runtime, binding));
  }
  const seen = renderPlan(shown, terminal);
  // The changes are shown before the question, so that only those are made.
  const question = { yes, shown: `${seen}\n`, question: makeQuestion(plan.changes.length) };
  const refused = await askFirst(question, `conduct init ${runtime.name} --yes`, result, terminal, world.ask);
  if (refused !== undefined) return refused;
  const { project } = place;
  const about = {
    runtime: runtime.name,
    project,
    at: new Date(world.now()).toISOString(),
    by: world.by,
  };
  const last = await readRecord(folder);
  // Written before the hooks: a runtime without an entry would be enforced at once.
  await writeLauncher(world.home);
  // `conduct enforce` may have run while the question was open; its result stays.
  await writeRuntime(world.home, runtime.name, (now) => ({
    ...binding.settings,
    enforcement: now?.enforcement ?? binding.settings.enforcement,
  }));
  await makeChanges(folder, plan.changes, { ...about, last });
  const body = { runtime: runtime.name, ...binding.settings };
  const journaled = await world.journal({ at: world.now(), by: world.by, kind: "runtime.installed", body });
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

/** Trusting writes to a watched file; changes by Conduct's own command are no tampering. */
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
  return { env, home, project, launcher: launcherPath(home), enforcement, daemon: await world.daemon() };
}

function makeQuestion(changes: number): string {
  return changes === 1 ? "Make this change?" : `Make these ${changes} changes?`;
}

function fileOf({ file, before, after }: Extract<Plan, { changes: unknown }>["changes"][number]) {
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

/** Undoes `conduct init`: restores the files, and the runtime works without Conduct. */
export async function runUndo(asked: InitRequest, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  const { runtime, files, folder, place, yes } = asked;
  const record = await readRecord(folder);
  if (record === undefined) {
    const where = place.project === undefined ? "" : " for this project";
    const message = `${runtime.title} was not set up by conduct init${where}: there is nothing to undo`;
    const next = [{ command: `conduct doctor ${runtime.name}`, description: "Check the runtime" }];
    return failed("NOT_INSTALLED", message, `conduct doctor ${runtime.name}`, { next });
  }
  const again = `conduct init ${runtime.name} --undo`;
  const person = requirePerson(
    world.person,
    "can remove Conduct from a runtime",
    `run it in your own terminal: ${again}`,
  );
  if ("ok" in person) return person;
  const plan = await planUndo(files, record, folder);
  if ("refused" in plan) return settingsRefused(plan);
  const changes = plan.changes.map(({ file, after }) => ({
    path: file.path,
    change: after === undefined ? "removed" : "changed",
  }));
  const result = { runtime: runtime.name, files: changes };
  const seen = renderUndo(
    { runtime, changes: plan.changes, secret: place.daemon.token, full: asked.args.full === true },
    terminal,
  );
  const question = { yes, shown: `${seen}\n`, question: `Remove Conduct from ${runtime.title}?` };
  const refused = await askFirst(question, `conduct init ${runtime.name} --undo --yes`, result, terminal, world.ask);
  if (refused !== undefined) return refused;
  await takeBack(folder, plan.changes, record);
  await unbind(runtime.name, world);
  await removeUnusedLauncher(world.home);
  const body = { runtime: runtime.name, proof: person.proof };
  const journaled = await world.journal({ at: world.now(), by: world.by, kind: "runtime.removed", body });
  const text = renderUndone(runtime, join(world.home, "conduct.yaml"), journaled, terminal);
  return done({ ...result, notJournaled: journaled }, yes ? `${seen}${text}` : text, [
    { command: `conduct init ${runtime.name}`, description: "Set it up again" },
  ]);
}

/**
 * Running sessions keep their hooks until they end. Without an entry they would be enforced, so a shadow entry stays;
 * an enforced runtime is enforced either way, and starts afresh when it is set up again.
 */
async function unbind(runtime: RuntimeName, { home }: InitWorld): Promise<void> {
  if (await isInstalled(home, runtime)) return;
  const { [runtime]: settings } = await readRuntimes(home);
  if (settings === undefined || settings.enforcement === "shadow") return;
  await writeRuntime(home, runtime, (now) => (now?.enforcement === "shadow" ? now : undefined));
}
