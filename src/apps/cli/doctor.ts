import type { SqlStore } from "../../edge/stores/sql/sql-store.ts";
import { programVersion } from "../install/find-program.ts";
import { isInstalled } from "../install/record.ts";
import { INSTALLABLE, runtimeNamed } from "../install/runtimes.ts";
import { textOf } from "./behavior-world.ts";
import type { Arguments, CommandBody } from "./command.ts";
import { type Check, type DoctorWorld, ISOLATION, type RuntimeCheckup } from "./doctor-check.ts";
import { checkMachine } from "./doctor-machine.ts";
import { renderDoctor } from "./doctor-render.ts";
import { checkRuntime } from "./doctor-runtime.ts";
import { unknownRuntime } from "./init-answers.ts";
import { initWorld } from "./init-world.ts";
import type { Outcome } from "./outcome.ts";
import { plural } from "./printable.ts";
import type { Terminal } from "./terminal.ts";
import { withStore } from "./watch-store.ts";

/** `conduct doctor [RUNTIME]` */
export const doctor: CommandBody = (args, terminal) => {
  const version = (program: string) => programVersion(program, process.env);
  return runDoctor(args, terminal, { ...initWorld(), cwd: terminal.cwd, version });
};

/** Looks at everything that has to hold for a runtime to be bound, and says what is not enforced even then. */
export async function runDoctor(args: Arguments, terminal: Terminal, world: DoctorWorld): Promise<Outcome> {
  const given = textOf(args.runtime);
  const named = runtimeNamed(given);
  if (given !== undefined && named === undefined) return unknownRuntime(given);
  return withStore(
    world,
    (store, where) => examine(store, where),
    (where) => examine(undefined, where),
  );

  async function examine(store: SqlStore | undefined, where: string): Promise<Outcome> {
    const machine = await checkMachine(world, store, where);
    const runtimes: RuntimeCheckup[] = [];
    for (const runtime of named === undefined ? INSTALLABLE : [named])
      if (named !== undefined || (await isInstalled(world.home, runtime.name)))
        runtimes.push(await checkRuntime(runtime, world, store?.events));
    return outcomeOf(machine, runtimes, terminal);
  }
}

function outcomeOf(machine: readonly Check[], runtimes: readonly RuntimeCheckup[], terminal: Terminal): Outcome {
  const failing = [...machine, ...runtimes.flatMap(({ checks }) => checks)].filter(({ kind }) => kind === "fails");
  const text = renderDoctor(machine, runtimes, terminal);
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
