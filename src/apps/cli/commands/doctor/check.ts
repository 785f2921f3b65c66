import { type RuntimeBinding, resolveRuntime } from "../../../../edge/host/daemon/daemon-agents.ts";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { failureRule } from "../../../../edge/host/watched/failure-rule.ts";
import type { StartedRuntime } from "../../../install/client-runtimes.ts";
import { launcherPath, readLauncher, repairLauncher } from "../../../install/launcher/launcher-files.ts";
import type { InstallableRuntime } from "../../../install/runtime.ts";
import type { InitWorld } from "../init/init-world.ts";

/** The doctor's dependencies; replaced in tests. */
export type DoctorWorld = Pick<InitWorld, "env" | "home" | "now" | "daemon" | "find" | "codexTrust"> & {
  readonly cwd: string;
  version(program: string): string | undefined;
};

/** The result of one check. `warns`: it works, but a person should know; `fails`: a requirement is not met. */
export type Check = {
  readonly kind: "holds" | "warns" | "fails";
  readonly what: string;
  readonly text: string;
  readonly fix?: string;
};

/** The checks of one runtime; `open` is what Conduct cannot enforce there. */
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

/** One line with what Conduct cannot enforce in the runtime. */
export function openOf({ loose, capabilities }: Pick<InstallableRuntime, "loose" | "capabilities">): string {
  const cannot = Object.entries(capabilities).flatMap(([capability, can]) => (can === true ? [] : [capability]));
  return `${loose}${cannot.length === 0 ? "" : `; not possible there: ${cannot.join(", ")}`}`;
}

/** No check can ensure this. */
export const ISOLATION =
  "the agent runs on your account: Conduct stops what its runtime asks it about, and does not isolate a program that means to get around it";

type Place = Pick<DoctorWorld, "home" | "cwd">;

/** The binding of a session started now; the daemon resolves it the same way for every session. */
export function bindingOf({ name }: { readonly name: string }, { home, cwd }: Place): Promise<RuntimeBinding> {
  return resolveRuntime(name, { home, workspace: cwd });
}

/** Checks which agent is bound, and whether its rules are enforced. */
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

/** True if nothing is blocked there now, because of shadow mode or a pause. */
function isLetThrough({ name }: { readonly name: string }, { home }: Place): boolean {
  return failureRule(home, name) === "pass";
}

/** The outcome of the forbidden call. `as` is the agent recorded in the journal, if the call was recorded. */
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
 * Checks that the command in a runtime's settings leads to an existing Conduct, and repairs it if not. `optional`: the
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
