import { storePlace } from "../../edge/host/store-place.ts";
import { openSqlStore } from "../../edge/stores/sql/open-sql-store.ts";
import type { SqlStore } from "../../edge/stores/sql/sql-store.ts";
import { acp } from "../install/acp.ts";
import { programVersion } from "../install/find-program.ts";
import { mcp } from "../install/mcp.ts";
import { isInstalled } from "../install/record.ts";
import { INSTALLABLE, KNOWN_NAMES, runtimeNamed } from "../install/runtimes.ts";
import { textOf } from "./behavior-world.ts";
import type { Arguments, CommandBody } from "./command.ts";
import { checkAcp } from "./doctor-acp.ts";
import { type Check, type DoctorWorld, ISOLATION, type RuntimeCheckup } from "./doctor-check.ts";
import { checkMachine } from "./doctor-machine.ts";
import { checkMcp } from "./doctor-mcp.ts";
import { renderDoctor } from "./doctor-render.ts";
import { checkRuntime } from "./doctor-runtime.ts";
import { unknownRuntime } from "./init-answers.ts";
import { initWorld, knownDaemon } from "./init-world.ts";
import type { Outcome } from "./outcome.ts";
import { plural } from "./printable.ts";
import type { Terminal } from "./terminal.ts";
import { withStore } from "./watch-store.ts";

/** `conduct doctor [RUNTIME]` */
export const doctor: CommandBody = (args, terminal) => {
  const version = (program: string) => programVersion(program, process.env);
  const world = initWorld();
  const daemon = async () => knownDaemon(world.home);
  return runDoctor(args, terminal, { ...world, daemon, cwd: terminal.cwd, version });
};

/** Looks at everything that has to hold for a runtime to be bound, and says what is not enforced even then. */
export async function runDoctor(args: Arguments, terminal: Terminal, world: DoctorWorld): Promise<Outcome> {
  const given = args.runtime === "all" ? undefined : textOf(args.runtime);
  const named = runtimeNamed(given);
  if (given !== undefined && !KNOWN_NAMES.includes(given)) return unknownRuntime(given, "doctor", KNOWN_NAMES);
  return withStore(
    world,
    (store, where) => examine(store, where),
    // A self-test leads to a first session, and that makes the store.
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
    if (given === acp.name) runtimes.push(await checkAcp(world, store?.events));
    if (given === mcp.name) runtimes.push(await checkMcp(world, store?.events));
    for (const runtime of given === undefined ? INSTALLABLE : [named ?? []].flat())
      if (named !== undefined || (await isInstalled(world.home, runtime.name)))
        runtimes.push(await checkRuntime(runtime, world, store?.events));
    const text = renderDoctor(machine, runtimes, given === undefined, terminal);
    return outcomeOf(machine, runtimes, text);
  }
}

function outcomeOf(machine: readonly Check[], runtimes: readonly RuntimeCheckup[], text: string): Outcome {
  const failing = [...machine, ...runtimes.flatMap(({ checks }) => checks)].filter(({ kind }) => kind === "fails");
  const result = { conduct: machine, runtimes, isolation: ISOLATION };
  if (failing.length === 0) {
    const next = runtimes.length > 0 ? [] : [{ command: "conduct init claude-code", description: "Set up a runtime" }];
    return { ok: true, result, text, next };
  }
  const message = `${plural(failing.length, "thing")} that should hold ${failing.length === 1 ? "does" : "do"} not`;
  const fix = failing[0]?.fix ?? "see above";
  const next = failing.flatMap((one) =>
    one.fix?.startsWith("conduct ") ? [{ command: one.fix, description: one.text }] : [],
  );
  return { ok: false, code: "DOCTOR_FOUND", message, fix, result, text, next };
}
