import { join } from "node:path";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { isInstalled, readRecord } from "../../../install/install-record.ts";
import { removeUnusedLauncher } from "../../../install/launcher/launcher-files.ts";
import { type ModeChange, planUndo, takeBack } from "../../../install/plan.ts";
import type { RuntimeName } from "../../../install/runtime.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import { askFirst } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type InitRequest, type InitWorld, requirePersonIfEnforced, settingsRefused } from "./init-world.ts";
import { renderUndo, renderUndone, sameInit } from "./render.ts";

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
  const again = sameInit(asked.args, "--undo");
  const person = await requirePersonIfEnforced(world, [runtime.name], "can remove Conduct from a runtime", again);
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
  const refused = await askFirst(question, `${again} --yes`, result, terminal, world.ask);
  if (refused !== undefined) return refused;
  const journaled = await takeBackRuntime({ folder, record, changes: plan.changes }, person.proof, world);
  await removeUnusedLauncher(world.home);
  const text = renderUndone(runtime, join(world.home, "conduct.yaml"), journaled, terminal);
  return done({ ...result, notJournaled: journaled }, yes ? `${seen}${text}` : text, [
    { command: `conduct init ${runtime.name}`, description: "Set it up again" },
  ]);
}

/** Restores the files of a runtime. Returns why this is not in the governance journal; `undefined` if it is. */
export async function takeBackRuntime(
  { folder, record, changes }: ModeChange,
  proof: string,
  world: InitWorld,
): Promise<string | undefined> {
  const { runtime } = record;
  await takeBack(folder, changes, record);
  await unbind(runtime, world);
  return world.journal({ at: world.now(), by: world.by, kind: "runtime.removed", body: { runtime, proof } });
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
