import { type RuntimeBinding, resolveRuntime } from "../../../../edge/host/daemon/daemon-agents.ts";
import { conductProgram } from "../../../../edge/host/daemon/daemon-place.ts";
import { failureRule } from "../../../../edge/host/watched/failure-rule.ts";
import type { StartedRuntime } from "../../../install/client-runtimes.ts";
import { launcherPath, readLauncher, repairLauncher } from "../../../install/launcher/launcher-files.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import type { InitWorld } from "../init/init-world.ts";

/** What the doctor needs of the world; a test gives its own. */
export type DoctorWorld = Pick<InitWorld, "env" | "home" | "now" | "daemon" | "find" | "codexTrust"> & {
  /** The folder that agents work in. */
  readonly cwd: string;
  version(program: string): string | undefined;
};

/** One thing that was looked at. `warns`: it works, but a person should know; `fails`: something that should hold does not. */
export type Check = {
  readonly kind: "holds" | "warns" | "fails";
  readonly what: string;
  readonly text: string;
  /** What to do about it. */
  readonly fix?: string;
};

/** What was found about one runtime; `open` is what Conduct cannot enforce there. */
export type RuntimeCheckup = {
  readonly runtime: string;
  readonly title: string;
  readonly checks: readonly Check[];
  readonly open: string;
};

export function holds(what: string, text: string): Check {
  return { kind: "holds", what, text };
}

export function warns(what: string, text: string, fix?: string): Check {
  return { kind: "warns", what, text, fix };
}

export function fails(what: string, text: string, fix: string): Check {
  return { kind: "fails", what, text, fix };
}

/** What Conduct cannot enforce there, in one line. */
export function openOf({ loose, capabilities }: Pick<InstallableRuntime, "loose" | "capabilities">): string {
  const cannot = Object.entries(capabilities).flatMap(([capability, can]) => (can === true ? [] : [capability]));
  return `${loose}${cannot.length === 0 ? "" : `; not possible there: ${cannot.join(", ")}`}`;
}

/** What no check can make hold. */
export const ISOLATION =
  "the agent runs on your account: Conduct stops what its runtime asks it about, and does not isolate a program that means to get around it";

type Place = Pick<DoctorWorld, "home" | "cwd">;

/** What a client that started this runtime now would be bound to: the same question that the daemon asks for every session. */
export function bindingOf({ name }: { readonly name: string }, { home, cwd }: Place): Promise<RuntimeBinding> {
  return resolveRuntime(name, { home, workspace: cwd });
}

/** Which agent it is, and whether its rules are enforced. */
export async function checkBound(runtime: StartedRuntime, place: Place): Promise<Check> {
  const binding = await bindingOf(runtime, place);
  switch (binding.kind) {
    case "broken":
      return fails("bound", "nothing runs until the configuration is right", "conduct doctor");
    case "undecided": {
      const words = [runtime.name, "--agent", binding.agents[0] ?? "NAME"].join(" ");
      return fails("bound", binding.message, `name one in the client's settings: ${words}`);
    }
    case "bound": {
      const { agent, settings, source } = binding;
      const rules = source === "built-in" ? ", with the built-in coding rules" : "";
      if (settings.enforcement === "enforce") return holds("bound", `as ${agent.name}, enforced${rules}`);
      return warns("bound", `as ${agent.name}, watched only: nothing is blocked${rules}`);
    }
  }
}

/** Nothing is held back there now, because it is only watched, or because of a pause. */
function isLetThrough({ name }: { readonly name: string }, { home }: Place): boolean {
  return failureRule(home, name) === "pass";
}

/** What came of the call that must not pass. `as` is the agent that the journal has for it, if the journal has it at all. */
type ProbeEnd = { readonly letThrough: boolean; readonly as: string | undefined };

/** The self-test in one line: denied, recorded, and decided for the agent that `checkBound` names. */
export async function checkEnd(
  runtime: { readonly name: string },
  place: Place,
  { letThrough, as }: ProbeEnd,
  { way, fix }: { readonly way: string; readonly fix: string },
): Promise<Check> {
  if (as === undefined) return fails("self-test", "the journal has nothing of the call that was just made", fix);
  const binding = await bindingOf(runtime, place);
  if (binding.kind === "bound" && binding.agent.name !== as) {
    return fails("self-test", `the call was decided for the agent '${as}', and not for '${binding.agent.name}'`, fix);
  }
  if (!letThrough) return holds("self-test", `a forbidden call was denied over ${way}, and recorded`);
  if (isLetThrough(runtime, place))
    return holds("self-test", `a forbidden call was seen over ${way}, and recorded; it is only watched`);
  return fails("self-test", `a forbidden call was let through over ${way}`, fix);
}

/**
 * Whether what the settings of a runtime start leads to a Conduct that is there. One that leads nowhere is repaired. `optional`: the
 * runtime also works when a person has it start `conduct` itself.
 */
export async function checkLauncher(
  home: string,
  again: string,
  need: "required" | "optional" = "required",
): Promise<Check> {
  const path = launcherPath(home);
  const state = await readLauncher(home);
  switch (state.kind) {
    case "missing":
      return need === "optional"
        ? warns("launcher", "not set up: a client that starts conduct itself fails when this Conduct is moved", again)
        : fails("launcher", `${path} is missing`, again);
    case "broken":
      await repairLauncher(home);
      return warns("launcher", `${path} could not start Conduct (${state.why}); it starts this one now`);
    case "works": {
      const { program } = state.installation;
      if (program === conductProgram()) return holds("launcher", `${path} starts this Conduct`);
      return warns("launcher", `${path} starts another Conduct: ${program}`, again);
    }
  }
}
