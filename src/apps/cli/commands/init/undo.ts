import { join } from "node:path";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { removeUnusedLauncher } from "../../../install/launcher/launcher-files.ts";
import { planUndo, takeBack } from "../../../install/plan.ts";
import { isInstalled, readRecord } from "../../../install/record.ts";
import type { RuntimeName } from "../../../install/runtime.ts";
import { requirePerson } from "../../line/only-a-person.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type InitRequest, notConfirmed, settingsRefused } from "./answers.ts";
import { renderUndo, renderUndone } from "./render.ts";
import type { InitWorld } from "./world.ts";

/** Takes back what `conduct init` did: files become what they were, the runtime works without Conduct. */
export async function runUndo(asked: InitRequest, terminal: Terminal, world: InitWorld): Promise<Outcome> {
  const { runtime, files, folder, place, yes } = asked;
  const record = await readRecord(folder);
  if (record === undefined) {
    const where = place.project === undefined ? "" : " for this project";
    const message = `${runtime.title} was not set up by conduct init${where}: there is nothing to take back`;
    const next = [{ command: `conduct doctor ${runtime.name}`, description: "See what is there" }];
    return { ok: false, code: "NOT_INSTALLED", message, fix: `conduct doctor ${runtime.name}`, next };
  }
  const again = `conduct init ${runtime.name} --undo`;
  const person = requirePerson(
    world.person,
    "takes Conduct out of a runtime",
    `run it in a terminal of your own: ${again}`,
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
  if (!yes) {
    if (!terminal.json) terminal.out(seen);
    const answer = terminal.json ? undefined : await world.ask(`\n  Take Conduct out of ${runtime.title}? [y/N] `);
    if (answer !== true) return notConfirmed(answer, `conduct init ${runtime.name} --undo --yes`, result);
  }
  await takeBack(folder, plan.changes, record);
  await unbind(runtime.name, world);
  await removeUnusedLauncher(world.home);
  const body = { runtime: runtime.name, proof: person.proof };
  const journaled = await world.journal({ at: world.now(), by: world.by, kind: "runtime.removed", body });
  const text = renderUndone(runtime, join(world.home, "conduct.yaml"), journaled, terminal);
  return {
    ok: true,
    result: { ...result, ...(journaled === undefined ? {} : { notJournaled: journaled }) },
    text: yes ? `${seen}${text}` : text,
    next: [{ command: `conduct init ${runtime.name}`, description: "Set it up again" }],
  };
}

/**
 * Sessions that run already keep their hooks until they end. Without settings they would be bound tightly, so one that is only
 * watched stays so; one that is enforced is so either way, and begins anew when it is set up again.
 */
async function unbind(runtime: RuntimeName, { home }: InitWorld): Promise<void> {
  if (await isInstalled(home, runtime)) return;
  const { [runtime]: settings } = await readRuntimes(home);
  if (settings === undefined || settings.enforcement === "shadow") return;
  await writeRuntime(home, runtime, (now) => (now?.enforcement === "shadow" ? now : undefined));
}
