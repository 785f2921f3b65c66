import { errorText } from "../../../../base/kernel/error-text.ts";
import { type RuntimeSettings, readRuntimes, writeRuntime } from "../../../../edge/host/opening/runtime-settings.ts";
import { acp, mcp, type StartedRuntime } from "../../../install/client-runtimes.ts";
import { isInstalled } from "../../../install/install-record.ts";
import { launcherPath } from "../../../install/launcher/launcher-files.ts";
import { applyEnforcement, type ModeChange, planEnforcement } from "../../../install/plan.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import { INSTALLABLE, KNOWN_NAMES } from "../../../install/runtimes.ts";
import type { EnforceArgs } from "../../declared/setup-commands.ts";
import { done, failed, type Outcome } from "../../line/outcome.ts";
import { askFirst, requirePerson } from "../../line/person.ts";
import type { Terminal } from "../../line/terminal.ts";
import { type JournalWorld, processWorld, withStore } from "../../stores/with-store.ts";
import { type InitWorld, initWorld, refusedHere, settingsRefused, unknownRuntime } from "../init/init-world.ts";
import { renderEnforced, renderTallies, type ShadowTally, tallyShadow } from "./shadow-tally.ts";

type EnforceWorld = InitWorld & Pick<JournalWorld, "zone">;

/** A runtime that `init` installs into, or one that a client starts. */
type Enforceable = InstallableRuntime | StartedRuntime;
const ENFORCEABLE: readonly Enforceable[] = [...INSTALLABLE, acp, mcp];

/** An installed runtime with its entries in the journal. */
export type Watched = {
  readonly runtime: Enforceable;
  readonly settings: RuntimeSettings;
  readonly tally: ShadowTally;
};

/** Shows what would have been blocked so far, asks, and turns enforcement on; `--shadow` turns it off again. */
export async function enforce(
  args: EnforceArgs,
  terminal: Terminal,
  world: EnforceWorld = { ...processWorld(), ...initWorld() },
): Promise<Outcome> {
  const given = args.runtime === "all" ? undefined : args.runtime;
  const named = ENFORCEABLE.find(({ name }) => name === given);
  if (given !== undefined && named === undefined) return unknownRuntime(given, "enforce", KNOWN_NAMES);
  const wanted = args.shadow === true ? "shadow" : "enforce";
  const again = ["conduct enforce", named?.name ?? [], wanted === "shadow" ? "--shadow" : []].flat();
  const refused = refusedHere(world, "can change what is enforced", again.join(" "));
  if (refused !== undefined) return refused;
  const fix = `run it in your own terminal: ${again.join(" ")}`;
  const person = wanted === "shadow" ? requirePerson(world.person, "can stop enforcing", fix) : { proof: "" };
  if ("ok" in person) return person;
  try {
    const all = await readRuntimes(world.home);
    const chosen: Omit<Watched, "tally">[] = [];
    for (const runtime of named === undefined ? ENFORCEABLE : [named]) {
      const settings = Object.hasOwn(all, runtime.name) ? all[runtime.name] : undefined;
      const asked = named !== undefined || !("files" in runtime) || (await isInstalled(world.home, runtime.name));
      if (settings !== undefined && asked) chosen.push({ runtime, settings });
    }
    if (chosen.length === 0) return notSetUp(named);
    const turned = chosen.filter(({ settings }) => settings.enforcement !== wanted);
    const watched = await tallied(wanted === "enforce" ? turned : [], world);
    if ("ok" in watched) return watched;
    const result = {
      runtimes: chosen.map(({ runtime: { name }, settings }) => {
        const tally = watched.find((one) => one.runtime.name === name)?.tally;
        return { runtime: name, enforcement: settings.enforcement, since: settings.since, shadow: tally };
      }),
    };
    if (turned.length === 0) {
      const text = `\n  ${terminal.paint("green", "✓")} ${chosen.map(({ runtime }) => runtime.title).join(", ")}: ${wanted === "enforce" ? "enforced" : "in shadow mode"} already\n\n`;
      return done({ ...result, changed: [] }, text);
    }
    const settings = await planSettings(turned, wanted, world);
    if ("ok" in settings) return settings;
    const shown = renderTallies(watched, terminal, world);
    const names = turned.map(({ runtime }) => runtime.title).join(", ");
    const question =
      wanted === "enforce"
        ? `Enforce the rules in ${names}? Such calls are then blocked, with the reason.`
        : `Put ${names} back into shadow mode? Nothing is blocked there then.`;
    const asked = { yes: args.yes, shown, question };
    const unconfirmed = await askFirst(asked, [...again, "--yes"].join(" "), result, terminal, world.ask);
    if (unconfirmed !== undefined) return unconfirmed;
    // In this order, a failure never blocks a call in shadow mode.
    if (wanted === "enforce") await applyEnforcement(settings.changes);
    const notJournaled = await turn(turned, wanted, person.proof, world);
    if (wanted === "shadow") await applyEnforcement(settings.changes);
    const text = renderEnforced(turned, wanted, notJournaled, terminal);
    return done(
      {
        ...result,
        changed: turned.map(({ runtime }) => runtime.name),
        notJournaled,
      },
      args.yes === true ? `${shown}${text}` : text,
      [{ command: "conduct watch", description: "Watch it live" }],
    );
  } catch (error) {
    const fix = "conduct doctor";
    return failed("ENFORCE_FAILED", errorText(error), fix);
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

const DONE: Outcome = done({}, "");
const NOTHING: ShadowTally = { sessions: 0, calls: 0, stopped: 0, rules: [], stops: { times: 0 }, partial: false };

/** The changes to the runtimes' own settings, which define how a hook fails; or why they cannot be made. */
async function planSettings(
  turned: readonly Omit<Watched, "tally">[],
  wanted: RuntimeSettings["enforcement"],
  world: EnforceWorld,
): Promise<{ readonly changes: readonly ModeChange[] } | Outcome> {
  const { env, home } = world;
  const changes: ModeChange[] = [];
  for (const { runtime } of turned) {
    if (!("files" in runtime)) continue;
    const place = { env, home, launcher: launcherPath(home), daemon: await world.daemon() };
    const plan = await planEnforcement(runtime, place, wanted);
    if ("refused" in plan) return settingsRefused(plan);
    changes.push(...plan.changes);
  }
  return { changes };
}

/** Returns why the change is not in the governance journal; `undefined` if it is. */
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

function notSetUp(named: Enforceable | undefined): Outcome {
  const name = named?.name ?? "claude-code";
  const message = named === undefined ? "no runtime is set up" : `${named.title} is not set up`;
  const next = [{ command: `conduct init ${name}`, description: "Set it up, in shadow mode at first" }];
  return failed("NOT_INSTALLED", message, `conduct init ${name}`, { next });
}
