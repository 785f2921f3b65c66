import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { acp, mcp } from "../../../install/client-runtimes.ts";
import { programVersion } from "../../../install/find-program.ts";
import { isInstalled } from "../../../install/install-record.ts";
import { INSTALLABLE, KNOWN_NAMES, runtimeNamed } from "../../../install/runtimes.ts";
import type { DoctorArgs } from "../../declared/setup-commands.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { withStore } from "../../stores/with-store.ts";
import { initWorld, knownDaemon, unknownRuntime } from "../init/init-world.ts";
import { checkMachine, type DoctorWorld } from "./check.ts";
import { checkClient } from "./check-client.ts";
import { doctorOutcome, type RuntimeCheckup } from "./render.ts";
import { checkRuntime } from "./runtime.ts";

export function doctorHere(args: DoctorArgs, terminal: Terminal): Promise<Outcome> {
  const version = (program: string) => programVersion(program, process.env);
  const world = initWorld();
  const daemon = async () => knownDaemon(world.home);
  return runDoctor(args, terminal, { ...world, daemon, cwd: terminal.cwd, version });
}

/** Checks every requirement of a bound runtime, and lists what is not enforced even then. */
export async function runDoctor(args: DoctorArgs, terminal: Terminal, world: DoctorWorld): Promise<Outcome> {
  const given = args.runtime === "all" ? undefined : args.runtime;
  const named = runtimeNamed(given);
  if (given !== undefined && !KNOWN_NAMES.includes(given)) return unknownRuntime(given, "doctor", KNOWN_NAMES);
  return withStore(
    world,
    (store, where) => examine(store, where),
    // A self-test starts a first session, which creates the store.
    (where) => (given === undefined ? examine(undefined, where) : examineAnew(where)),
  );

  async function examineAnew(where: string): Promise<Outcome> {
    const store = await openSqlStore(storePlace(world.env, world.home));
    try {
      return await examine(store, where);
    } finally {
      await store.close();
    }
  }

  async function examine(store: SqlStore | undefined, where: string): Promise<Outcome> {
    const machine = await checkMachine(world, store, where);
    const runtimes: RuntimeCheckup[] = [];
    for (const client of [acp, mcp])
      if (given === client.name) runtimes.push(await checkClient(client, world, store?.events));
    for (const runtime of given === undefined ? INSTALLABLE : [named ?? []].flat())
      if (named !== undefined || (await isInstalled(world.home, runtime.name)))
        runtimes.push(await checkRuntime(runtime, world, store?.events));
    return doctorOutcome(machine, runtimes, given === undefined, terminal);
  }
}
