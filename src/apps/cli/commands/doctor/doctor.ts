import { homedir } from "node:os";
import { storePlace } from "../../../../edge/host/workspace/store-place.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import type { SqlStore } from "../../../../edge/stores/sql/sql-store.ts";
import { acp, mcp } from "../../../install/client-runtimes.ts";
import { programVersion } from "../../../install/find-program.ts";
import { isInstalled } from "../../../install/install-record.ts";
import { INSTALLABLE, KNOWN_NAMES, runtimeNamed } from "../../../install/runtimes.ts";
import { hang, oneLine, plural, wrap } from "../../../shared/printable.ts";
import type { DoctorArgs } from "../../declared/setup-commands.ts";
import { asTyped } from "../../line/invocation.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import type { Terminal } from "../../line/terminal.ts";
import { withStore } from "../../stores/with-store.ts";
import { initWorld, knownDaemon, unknownRuntime } from "../init/init-world.ts";
import { type Check, checkMachine, type DoctorWorld, ISOLATION, type RuntimeCheckup } from "./check.ts";
import { checkClient } from "./check-client.ts";
import { checkRuntime } from "./runtime.ts";

const MARKS = {
  holds: { mark: "✓", style: "green" },
  warns: { mark: "!", style: "amber" },
  fails: { mark: "✗", style: "red" },
} as const;
const LABEL = 11;

/** One line per check, with the fix below it where there is one. `whole`: no runtime was named. */
export function renderDoctor(
  machine: readonly Check[],
  runtimes: readonly RuntimeCheckup[],
  whole: boolean,
  terminal: Terminal,
): string {
  const { paint } = terminal;
  const none =
    runtimes.length === 0
      ? ["  No runtime is set up yet.", `  ${paint("dim", "try:")} ${terminal.invocation} init claude-code`, ""]
      : [];
  const lines = [
    "",
    `  ${paint("bold", "Conduct")}`,
    ...machine.flatMap((check) => renderCheck(check, terminal)),
    "",
    ...runtimes.flatMap(({ title, checks, open }) => [
      `  ${paint("bold", title)}`,
      ...checks.flatMap((check) => renderCheck(check, terminal)),
      ...labelled(paint("dim", "○"), "open", open, terminal),
      "",
    ]),
    ...none,
    ...(whole
      ? [
          `  ${paint("dim", "For an editor that speaks ACP:")} ${terminal.invocation} init acp`,
          `  ${paint("dim", "For a client of MCP servers:")} ${terminal.invocation} init mcp`,
          "",
        ]
      : []),
    ...wrap(`Limit: ${ISOLATION}.`, terminal.columns - 4).map((line) => `  ${paint("dim", line)}`),
    "",
    "",
  ];
  return lines.join("\n");
}

function renderCheck({ kind, what, text, fix }: Check, terminal: Terminal): readonly string[] {
  const { paint, invocation } = terminal;
  const { mark, style } = MARKS[kind];
  const lines = labelled(paint(style, mark), what, text.replaceAll(`${homedir()}/`, "~/"), terminal);
  if (fix === undefined) return lines;
  return [...lines, `${" ".repeat(LABEL + 4)}${paint("dim", "do:")} ${asTyped(oneLine(fix), invocation)}`];
}

function labelled(mark: string, label: string, text: string, { columns }: Terminal): readonly string[] {
  return hang(`  ${mark} ${label.padEnd(LABEL)}`, text, columns);
}

/** `conduct doctor [RUNTIME]` */
export function doctor(args: DoctorArgs, terminal: Terminal): Promise<Outcome> {
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
    const text = renderDoctor(machine, runtimes, given === undefined, terminal);
    return outcomeOf(machine, runtimes, text);
  }
}

function outcomeOf(machine: readonly Check[], runtimes: readonly RuntimeCheckup[], text: string): Outcome {
  const failing = [...machine, ...runtimes.flatMap(({ checks }) => checks)].filter(({ kind }) => kind === "fails");
  const result = { conduct: machine, runtimes, isolation: ISOLATION };
  if (failing.length === 0) {
    const next = runtimes.length > 0 ? [] : [{ command: "conduct init claude-code", description: "Set up a runtime" }];
    return done(result, text, next);
  }
  const message = `${plural(failing.length, "check")} failed`;
  const fix = failing[0]?.fix ?? "see above";
  const next = failing.flatMap((one) =>
    one.fix?.startsWith("conduct ") ? [{ command: one.fix, description: one.text }] : [],
  );
  return failed("DOCTOR_FOUND", message, fix, { result, text, next });
}
