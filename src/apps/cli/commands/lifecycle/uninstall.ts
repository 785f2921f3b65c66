import { existsSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { gatePlace } from "../../../../edge/host/gate/gate-place.ts";
import { packagePlace, versionsFolder } from "../../../../edge/host/node/installed-copy.ts";
import { packageFolder } from "../../../../edge/host/node/package-files.ts";
import { readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { keysFolder } from "../../../../edge/stores/seal/key-files.ts";
import { acp, mcp } from "../../../install/client-runtimes.ts";
import { readRecord, recordFolders } from "../../../install/install-record.ts";
import { launcherPath } from "../../../install/launcher/launcher-files.ts";
import { type ModeChange, planUndo } from "../../../install/plan.ts";
import { runtimeNamed } from "../../../install/runtimes.ts";
import { plural } from "../../../shared/printable.ts";
import type { UninstallArgs } from "../../declared/setup-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import { askFirst, type PersonCheck, personCheck, requireTypedCode } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { withStore } from "../../stores/with-store.ts";
import { runStop } from "../daemon/daemon.ts";
import {
  type InitWorld,
  initWorld,
  knownDaemon,
  refusedHere,
  requirePersonIfEnforced,
  settingsRefused,
} from "../init/init-world.ts";
import { rowsFor, shortPath } from "../init/render.ts";
import { takeBackRuntime } from "../init/undo.ts";

export type UninstallWorld = Omit<InitWorld, "person"> & { readonly person: PersonCheck };

const AGAIN = "conduct uninstall";
const short = (path: string) => shortPath(path, homedir());

/**
 * Undoes every runtime, stops the daemon, and removes the launcher and the copies of the package. Data stays, unless a
 * person asks for its removal and types a code.
 */
export async function uninstall(
  args: UninstallArgs,
  terminal: Terminal,
  world: UninstallWorld = { ...initWorld(), person: personCheck },
): Promise<Outcome> {
  const refused = refusedHere(world, "can uninstall Conduct", AGAIN);
  if (refused !== undefined) return refused;
  const person = await requirePersonIfEnforced(world, "all", "can uninstall Conduct", AGAIN);
  if ("ok" in person) return person;
  try {
    const installed = await planAll(world);
    if ("ok" in installed) return installed;
    const data = args.data === true ? await dataOf(world) : [];
    if ("ok" in data) return data;
    const clients = Object.keys(await readRuntimes(world.home)).filter(
      (name) => name === acp.name || name === mcp.name,
    );
    const shown = renderPlan(installed, clients, data, world.home, terminal);
    const result = { runtimes: installed.map(({ record }) => record.runtime), clients, data };
    const question = { yes: args.yes, shown, question: "Uninstall Conduct?" };
    const unconfirmed = await askFirst(question, `${AGAIN} --yes`, result, terminal, world.ask);
    if (unconfirmed !== undefined) return unconfirmed;
    if (data.length > 0) {
      const what = "The data cannot be restored.";
      const typed = await requireTypedCode(world.person, what, "can delete the data", `${AGAIN} without --data`);
      if ("ok" in typed) return typed;
    }
    const notes = await removeAll(installed, clients, person.proof, world);
    for (const path of data) await rm(path, { recursive: true, force: true });
    // Other stores may have keys there too.
    if (data.length > 0) await rmdir(keysFolder(world.env)).catch(() => undefined);
    const text = renderDone(installed, clients, data, notes, world.home, terminal);
    return done({ ...result, package: packageCommand(world.home) }, args.yes === true ? `${shown}${text}` : text);
  } catch (error) {
    return failed("UNINSTALL_FAILED", errorText(error), "correct that, then run: conduct uninstall");
  }
}

/** The changes that undo every runtime, for the account and for projects; or why one cannot be undone. */
async function planAll(world: UninstallWorld): Promise<readonly ModeChange[] | Outcome> {
  const { env, home } = world;
  const found: ModeChange[] = [];
  for (const folder of await recordFolders(home)) {
    const record = await readRecord(folder);
    const runtime = runtimeNamed(record?.runtime);
    if (record === undefined || runtime === undefined) continue;
    const { project } = record;
    const place = { env, home, project, launcher: launcherPath(home), daemon: knownDaemon(home) };
    const files = runtime.files({ ...place, enforcement: "shadow" });
    const plan = await planUndo("refused" in files ? [] : files, record, folder);
    if ("refused" in plan) return settingsRefused(plan);
    found.push({ folder, record, changes: plan.changes });
  }
  return found;
}

/** Everything that `--data` deletes; or why nothing is deleted. */
async function dataOf(world: UninstallWorld): Promise<readonly string[] | Outcome> {
  const { env, home } = world;
  const isOurs = ["daemon.json", "runtimes.json", "conduct.db"].some((name) => existsSync(join(home, name)));
  if (!isOurs || `${homedir()}${sep}`.startsWith(`${home}${sep}`)) {
    const message = `${home} does not look like Conduct's own folder, so it is not deleted`;
    return failed("NOT_CONDUCT_HOME", message, "set CONDUCT_HOME to the right folder, or omit --data");
  }
  let key: string | undefined;
  if (storePlace(env, home).kind === "sqlite") {
    await withStore(
      world,
      async (store) => {
        const status = await store.keys.status();
        if (status.key.kind === "file") key = status.key.file;
        return done({}, "");
      },
      () => done({}, ""),
    );
  }
  // Agents of the gateway work in a folder next to the home.
  return [home, `${home}-work`, key ?? ""].filter((path) => existsSync(path));
}

/** Returns remarks for the person. */
async function removeAll(
  installed: readonly ModeChange[],
  clients: readonly string[],
  proof: string,
  world: UninstallWorld,
): Promise<readonly string[]> {
  const { home } = world;
  const notes: string[] = [];
  for (const one of installed) {
    const unjournaled = await takeBackRuntime(one, proof, world);
    if (unjournaled !== undefined) notes.push(`not in the journal: ${unjournaled}`);
  }
  for (const name of clients) await writeRuntime(home, name, undefined);
  const stopped = await runStop(home, undefined);
  if (!stopped.ok) notes.push(`the daemon was not stopped: ${stopped.message}`);
  const { socket, log } = daemonPlace(home);
  for (const path of [join(home, "bin"), gatePlace(home).folder, versionsFolder(home), socket, log])
    await rm(path, { recursive: true, force: true });
  return notes;
}

/** How the package itself is removed, which only npm can do. */
function packageCommand(home: string): string {
  const place = packagePlace(home);
  switch (place.kind) {
    case "global":
      return `npm uninstall -g --prefix ${short(place.prefix)} agent-conduct`;
    case "checkout":
      return `delete the checkout: ${short(packageFolder())}`;
    case "copy":
    case "volatile":
      return "nothing: npx keeps the package in its cache only";
  }
}

function renderPlan(
  installed: readonly ModeChange[],
  clients: readonly string[],
  data: readonly string[],
  home: string,
  terminal: Terminal,
): string {
  const row = rowsFor(terminal);
  return [
    "",
    `  ${terminal.paint("bold", "Uninstalling Conduct")}`,
    "",
    ...installed.flatMap(({ record, changes }) => {
      const where = record.project === undefined ? "" : ` in ${short(record.project)}`;
      const files = changes.map(
        ({ file, after }) => `${short(file.path)} ${after === undefined ? "removed" : "restored"}`,
      );
      return row(
        "undo",
        `${runtimeNamed(record.runtime)?.title}${where}: ${files.join(", ") || "nothing of Conduct is left in its files"}`,
      );
    }),
    ...clients.flatMap((name) => row("undo", `${name}: its entry in the client's settings is yours to remove`)),
    ...row("stop", "the daemon"),
    ...row(
      "remove",
      `${[join(home, "bin"), gatePlace(home).folder].map(short).join(", ")} and ${short(versionsFolder(home))}`,
    ),
    ...(data.length === 0
      ? row("keep", `${short(home)}: sessions, journal, contract and rules (--data deletes them)`)
      : row(
          "delete",
          `${data.map(short).join(" and ")}: all sessions, the journal, the contract, your rules, and the key`,
        )),
    "",
    "",
  ].join("\n");
}

function renderDone(
  installed: readonly ModeChange[],
  clients: readonly string[],
  data: readonly string[],
  notes: readonly string[],
  home: string,
  terminal: Terminal,
): string {
  const { paint } = terminal;
  const row = rowsFor(terminal);
  const starts = installed.flatMap(({ record }) => runtimeNamed(record.runtime)?.start ?? []);
  return [
    "",
    `  ${paint("green", "✓ Conduct is uninstalled")}: ${plural(installed.length, "runtime")} undone, daemon stopped, launcher removed${data.length === 0 ? "" : ", data deleted"}`,
    ...notes.map((note) => `  ${paint("amber", "!")} ${note}`),
    ...(starts.length === 0 ? [] : row("first", [...new Set(starts)].join("; "))),
    ...clients.flatMap((name) =>
      row("then", `remove the entry that starts ${short(launcherPath(home))} from the settings of your ${name} client`),
    ),
    ...(data.length === 0 ? row("kept", short(home)) : []),
    ...row("package", packageCommand(home)),
    "",
    "",
  ].join("\n");
}
