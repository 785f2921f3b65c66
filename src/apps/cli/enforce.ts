import { errorText } from "../../base/kernel/error-text.ts";
import { type RuntimeSettings, readRuntimes, writeRuntime } from "../../edge/host/runtime-settings.ts";
import { isInstalled } from "../install/record.ts";
import type { InstallableRuntime } from "../install/runtime.ts";
import { INSTALLABLE, RUNTIME_NAMES, runtimeNamed } from "../install/runtimes.ts";
import { textOf } from "./behavior-world.ts";
import type { Arguments, CommandBody } from "./command.ts";
import { renderEnforced, renderTallies } from "./enforce-render.ts";
import { type ShadowTally, tallyShadow } from "./enforce-tally.ts";
import { notConfirmed, refuseAgent, unknownRuntime } from "./init-answers.ts";
import { type InitWorld, initWorld } from "./init-world.ts";
import { requirePerson } from "./only-a-person.ts";
import type { Outcome } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";
import { type JournalWorld, processWorld, withStore } from "./watch-store.ts";

type EnforceWorld = InitWorld & Pick<JournalWorld, "zone">;

/** `conduct enforce [RUNTIME] [--shadow] [--yes]` */
export const enforce: CommandBody = (args, terminal) =>
  runEnforce(args, terminal, { ...processWorld(), ...initWorld() });

/** A runtime that is set up, and what the journal has of it. */
export type Watched = {
  readonly runtime: InstallableRuntime;
  readonly settings: RuntimeSettings;
  readonly tally: ShadowTally;
};

/** Shows what would have been blocked so far, asks, and turns it on; with `--shadow` off again. */
export async function runEnforce(args: Arguments, terminal: Terminal, world: EnforceWorld): Promise<Outcome> {
  const given = args.runtime === "all" ? undefined : textOf(args.runtime);
  const named = runtimeNamed(given);
  if (given !== undefined && named === undefined) return unknownRuntime(given, "enforce", RUNTIME_NAMES);
  const wanted = args.shadow === true ? "shadow" : "enforce";
  const again = [
    "conduct enforce",
    ...(named === undefined ? [] : [named.name]),
    ...(wanted === "shadow" ? ["--shadow"] : []),
  ];
  const refused = refuseAgent(world, "decides what is enforced", again.join(" "));
  if (refused !== undefined) return refused;
  const fix = `run it in a terminal of your own: ${again.join(" ")}`;
  const person = wanted === "shadow" ? requirePerson(world.person, "stops enforcing", fix) : { proof: "" };
  if ("ok" in person) return person;
  try {
    const all = await readRuntimes(world.home);
    const chosen: Omit<Watched, "tally">[] = [];
    for (const runtime of named === undefined ? INSTALLABLE : [named]) {
      const settings = Object.hasOwn(all, runtime.name) ? all[runtime.name] : undefined;
      const asked = named !== undefined || (await isInstalled(world.home, runtime.name));
      if (settings !== undefined && asked) chosen.push({ runtime, settings });
    }
    if (chosen.length === 0) return notSetUp(named);
    const turned = chosen.filter(({ settings }) => settings.enforcement !== wanted);
    const watched = await tallied(wanted === "enforce" ? turned : [], world);
    if ("ok" in watched) return watched;
    const result = {
      runtimes: chosen.map(({ runtime: { name }, settings }) => {
        const tally = watched.find((one) => one.runtime.name === name)?.tally;
        return {
          runtime: name,
          enforcement: settings.enforcement,
          since: settings.since,
          ...(tally && { shadow: tally }),
        };
      }),
    };
    if (turned.length === 0) {
      const text = `\n  ${terminal.paint("green", "✓")} ${chosen.map(({ runtime }) => runtime.title).join(", ")}: ${wanted === "enforce" ? "enforced" : "watched only"} already\n\n`;
      return { ok: true, result: { ...result, changed: [] }, text, next: [] };
    }
    const shown = renderTallies(watched, terminal, world);
    const names = turned.map(({ runtime }) => runtime.title).join(", ");
    if (args.yes !== true) {
      if (!terminal.json) terminal.out(shown);
      const question =
        wanted === "enforce"
          ? `  Enforce it in ${names}? Such calls are blocked then, with the reason. [y/N] `
          : `  Only watch ${names}? Nothing is blocked there then. [y/N] `;
      const answer = terminal.json ? undefined : await world.ask(question);
      if (answer !== true) return notConfirmed(answer, [...again, "--yes"].join(" "), result);
    }
    const notJournaled = await turn(turned, wanted, person.proof, world);
    const text = renderEnforced(turned, wanted, notJournaled, terminal);
    return {
      ok: true,
      result: {
        ...result,
        changed: turned.map(({ runtime }) => runtime.name),
        ...(notJournaled === undefined ? {} : { notJournaled }),
      },
      text: args.yes === true ? `${shown}${text}` : text,
      next: [{ command: "conduct watch", description: "See what it does" }],
    };
  } catch (error) {
    const fix = "conduct doctor";
    return { ok: false, code: "ENFORCE_FAILED", message: errorText(error), fix, next: [] };
  }
}

async function tallied(
  turned: readonly Omit<Watched, "tally">[],
  { env, home, now }: EnforceWorld,
): Promise<readonly Watched[] | Outcome> {
  const found: Watched[] = [];
  const outcome = await withStore(
    { env, home, now },
    async (store) => {
      for (const one of turned) {
        const { name } = one.runtime;
        found.push({ ...one, tally: await tallyShadow(store.events, name, Date.parse(one.settings.since) || 0) });
      }
      return DONE;
    },
    () => {
      found.push(...turned.map((one) => ({ ...one, tally: NOTHING })));
      return DONE;
    },
  );
  return outcome.ok ? found : outcome;
}

const DONE: Outcome = { ok: true, result: {}, text: "", next: [] };
const NOTHING: ShadowTally = { sessions: 0, calls: 0, stopped: 0, rules: [], stops: { times: 0 }, partial: false };

/** Why it is not in the governance journal; `undefined` when it is. */
async function turn(
  turned: readonly Omit<Watched, "tally">[],
  enforcement: RuntimeSettings["enforcement"],
  proof: string,
  world: EnforceWorld,
): Promise<string | undefined> {
  let fault: string | undefined;
  for (const { runtime, settings } of turned) {
    const since = new Date(world.now()).toISOString();
    await writeRuntime(world.home, runtime.name, (now) => ({ ...(now ?? settings), enforcement, since }));
    const kind = enforcement === "enforce" ? "runtime.enforced" : "runtime.watched";
    const body = proof === "" ? { runtime: runtime.name } : { runtime: runtime.name, proof };
    fault ??= await world.journal({ at: world.now(), by: world.by, kind, body });
  }
  return fault;
}

function notSetUp(named: InstallableRuntime | undefined): Outcome {
  const name = named?.name ?? "claude-code";
  const message = named === undefined ? "no runtime is set up" : `${named.title} is not set up`;
  const next = [{ command: `conduct init ${name}`, description: "Set it up; it is only watched at first" }];
  return { ok: false, code: "NOT_INSTALLED", message, fix: `conduct init ${name}`, next };
}
