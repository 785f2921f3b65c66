import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorText } from "../../../../base/kernel/error-text.ts";
import type { GovernanceJournal } from "../../../../base/ports/stores/governance.ts";
import { bindAgents } from "../../../../edge/host/daemon/daemon-agents.ts";
import { helloDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { oldVersion } from "../../../../edge/host/daemon/daemon-place.ts";
import { NoDaemonError } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { readPause } from "../../../../edge/host/daemon/paused.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import { findSandbox } from "../../../../edge/host/sandbox/find-sandbox.ts";
import { describeSandbox } from "../../../../edge/host/sandbox/sandbox.ts";
import { trustStore } from "../../../../edge/host/trust/trust.ts";
import { isMissing } from "../../../../edge/host/workspace/resolve-path.ts";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { homeStores } from "../../../../edge/stores/home-stores.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { REPAIR_COMMAND } from "../../../../engine/governance/governance-health.ts";
import { EMPTY_FOLD, readOn } from "../../../../engine/governance/journal-fold.ts";
import { plural } from "../../../shared/printable.ts";
import { type Check, type DoctorWorld, fails, holds, warns } from "./check.ts";

export async function checkMachine(
  world: DoctorWorld,
  store: SqlStore | undefined,
  where: string,
): Promise<readonly Check[]> {
  return [
    holds("node", `${process.versions.node}, Conduct ${conductVersion()}`),
    await checkHome(world.home),
    await checkConfig(world),
    await checked("trust", "conduct trust --list", async () => {
      const entries = await trustStore(world.home).list();
      return holds("trust", `${plural(entries.length, "file")} of workspaces trusted`);
    }),
    store === undefined
      ? warns("store", `${where} is not made yet; the first session makes it`)
      : holds("store", where),
    ...(store === undefined ? [] : [await checkKey(store)]),
    ...(await checkJournal(world, store)),
    await checkSandbox(world),
    await checkDaemon(world.home),
    ...checkPause(world),
  ];
}

async function checkHome(home: string): Promise<Check> {
  return checked("home", `chmod 700 ${home}`, async () => {
    try {
      const { mode } = await stat(home);
      if ((mode & 0o022) !== 0) return fails("home", `${home} can be written by others`, `chmod 700 ${home}`);
      return holds("home", home);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return warns("home", `${home} is not there yet`, "conduct init claude-code");
    }
  });
}

async function checkConfig({ home, cwd }: DoctorWorld): Promise<Check> {
  const file = join(home, "conduct.yaml");
  const bound = await bindAgents(home, cwd);
  if (bound.kind === "broken") return fails("config", bound.message, `conduct config check ${file}`);
  const names = bound.agents.map(({ name }) => name).join(", ");
  const [left] = bound.faults;
  if (left !== undefined) return warns("config", `${left.where}: ${left.message}`, `conduct trust ${cwd}`);
  return holds("config", `${file}: ${names}`);
}

/** Without the key, stored content is lost; with the key and the store, anyone can read it. */
async function checkKey({ keys, kind }: SqlStore): Promise<Check> {
  return checked("key", "Put back the store's key from your backup", async () => {
    const { key, state } = await keys.status();
    const where = key.kind === "file" ? key.file : "in CONDUCT_DATA_KEY";
    if (state !== "clean" && kind === "sqlite") {
      const text = `${where}; freed pages of the store still hold text from before it was encrypted`;
      return warns("key", text, "Stop every Conduct process on this store, then run: conduct doctor");
    }
    return holds("key", `${where}; back it up apart from the store: without it nobody can read what was said`);
  });
}

/** Same check as in gateway and daemon: the chain, every entry, and the head saved outside the store. */
async function checkJournal({ env, home }: DoctorWorld, store: SqlStore | undefined): Promise<readonly Check[]> {
  if (store !== undefined) return [await checkGovernance(store.governance)];
  const stores = homeStores(storePlace(env, home));
  const found = await checkGovernance(stores.governance).finally(() => stores.close());
  // Without a store there is no journal yet, unless saved heads show that there was one.
  return found.kind === "fails" ? [found] : [];
}

async function checkGovernance(governance: GovernanceJournal): Promise<Check> {
  return checked("journal", REPAIR_COMMAND, async () => {
    const hadHead = governance.witness === undefined || (await governance.witness.newest()) !== undefined;
    const { fold, fault } = await readOn(governance, EMPTY_FOLD);
    if (fault !== undefined) return fails("journal", fault.message, REPAIR_COMMAND);
    const { seq } = fold.head;
    const text = `whole, ${seq} ${seq === 1 ? "entry" : "entries"}`;
    if (hadHead || seq === 0) return holds("journal", text);
    return warns(
      "journal",
      `${text}; no head was stored outside the store, so entries removed before now go unnoticed`,
    );
  });
}

/** Only for agents hosted by the gateway; coding runtimes have sandboxes of their own. */
async function checkSandbox({ home, env }: DoctorWorld): Promise<Check> {
  return checked("sandbox", "conduct config check", async () => {
    const folder = await mkdtemp(join(tmpdir(), "conduct-doctor-"));
    try {
      const sandbox = await findSandbox({ home, env, folder });
      if (sandbox.kind === "none") return warns("sandbox", `${describeSandbox(sandbox)}`);
      return holds("sandbox", `${describeSandbox(sandbox)}, for commands that the gateway hosts`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

async function checkDaemon(home: string): Promise<Check> {
  return checked("daemon", "conduct daemon start", async () => {
    // The daemon is not started here: the self-tests use the runtimes' own path, which starts it.
    const hello = await helloDaemon(home).catch((error: unknown) => {
      if (error instanceof NoDaemonError) return undefined;
      throw error;
    });
    if (hello === undefined) return holds("daemon", "it does not run; the next hook starts it");
    const { version, pid, port, httpFault } = hello;
    if (port === undefined) return fails("daemon", `not reachable over http: ${httpFault}`, "conduct daemon stop");
    if (version === conductVersion()) return holds("daemon", `answers: process ${pid}, port ${port}`);
    if (version === oldVersion(conductVersion()))
      return warns("daemon", `process ${pid} runs code from before a change, and is busy`, "conduct daemon stop");
    return warns("daemon", `it is Conduct ${version}, this is ${conductVersion()}`, "conduct daemon stop");
  });
}

function checkPause({ home, now }: DoctorWorld): readonly Check[] {
  const pause = readPause(home, now());
  if (pause === undefined) return [];
  const until = new Date(pause.until).toISOString();
  return [warns("paused", `nothing is enforced until ${until}, by ${pause.by}`, "conduct resume")];
}

/** Turns any failure of the check into a failed check. */
export async function checked(what: string, fix: string, look: () => Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    return fails(what, errorText(error), fix);
  }
}
