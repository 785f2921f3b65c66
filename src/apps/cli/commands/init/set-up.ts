import { resolve } from "node:path";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { readRecord, recordFolder } from "../../../install/install-record.ts";
import { launcherPath, writeLauncher } from "../../../install/launcher/launcher-files.ts";
import { type Change, makeChanges, planInstall } from "../../../install/plan.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import type { InitArgs } from "../../declared/setup-commands.ts";
import { badArgument, type Outcome } from "../../line/outcome.ts";
import { requirePerson } from "../../line/person.ts";
import { type Binding, bindingFor, type InitRequest, type InitWorld, settingsRefused } from "./init-world.ts";

/** Everything that is known about a runtime before it is set up or undone; or why it cannot be. */
export async function requestFor(
  runtime: InstallableRuntime,
  args: InitArgs,
  world: InitWorld,
  folder: { readonly cwd: string },
): Promise<InitRequest | Outcome> {
  const { env, home } = world;
  const { whyNoOperator } = runtime;
  if (args.operator === true && args.undo !== true && whyNoOperator !== undefined)
    return badArgument(
      `--operator: ${whyNoOperator}. Elsewhere use conduct behavior and conduct elevate`,
      `conduct init ${runtime.name}`,
    );
  const project = args.project === true ? resolve(folder.cwd) : undefined;
  const { [runtime.name]: before } = await readRuntimes(home);
  const enforcement = before?.enforcement ?? "shadow";
  const place = { env, home, project, launcher: launcherPath(home), enforcement, daemon: await world.planDaemon() };
  const files = runtime.files(place);
  if ("refused" in files) return badArgument(`--project: ${files.refused}`, files.fix);
  return { runtime, files, folder: recordFolder(home, runtime.name, project), place, args, yes: args.yes === true };
}

/** The planned changes for one runtime. Nothing is written yet. */
export type Prepared = {
  readonly asked: InitRequest;
  readonly binding: Binding;
  readonly changes: readonly Change[];
  /** The runtime is set up exactly so already. */
  readonly isThere: boolean;
};

export async function prepare(asked: InitRequest, world: InitWorld, cwd: string): Promise<Prepared | Outcome> {
  const { runtime, files } = asked;
  const binding = await bindingFor(asked, world, cwd);
  if ("ok" in binding) return binding;
  if ((binding.isNew || asked.args.level !== undefined) && binding.settings.enforcement === "enforce") {
    const fix = `run it in your own terminal: conduct init ${runtime.name}`;
    const person = requirePerson(world.person, "can change how an enforced runtime is bound", fix);
    if ("ok" in person) return person;
  }
  const { project } = asked.place;
  const own = files.map((file) =>
    project && file.path.startsWith(`${project}/`) ? { ...file, within: project } : file,
  );
  const plan = await planInstall([...own, ...binding.files]);
  if ("refused" in plan) return settingsRefused(plan);
  return { asked, binding, changes: plan.changes, isThere: plan.changes.length === 0 && !binding.isNew };
}

/** Makes the changes. Returns why they are not in the governance journal; `undefined` if they are. */
export async function setUp({ asked, binding, changes }: Prepared, world: InitWorld): Promise<string | undefined> {
  const { runtime, folder, place } = asked;
  const at = world.now();
  const about = { runtime: runtime.name, project: place.project, at: new Date(at).toISOString(), by: world.by };
  const last = await readRecord(folder);
  await world.startDaemon(place.daemon);
  // Written before the hooks: a runtime without an entry would be enforced at once.
  await writeLauncher(world.home);
  // `conduct enforce` may have run while the question was open; its result stays.
  await writeRuntime(world.home, runtime.name, (now) => ({
    ...binding.settings,
    enforcement: now?.enforcement ?? binding.settings.enforcement,
  }));
  await makeChanges(folder, changes, { ...about, last });
  const body = { runtime: runtime.name, ...binding.settings };
  return world.journal({ at, by: world.by, kind: "runtime.installed", body });
}
