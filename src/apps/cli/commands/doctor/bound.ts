import { type RuntimeBinding, resolveRuntime } from "../../../../edge/host/daemon/daemon-agents.ts";
import { failureRule } from "../../../../edge/host/watched/failure-rule.ts";
import type { StartedRuntime } from "../../../install/client-command.ts";
import { type Check, type DoctorWorld, fails, holds, warns } from "./check.ts";

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
export type ProbeEnd = { readonly letThrough: boolean; readonly as: string | undefined };

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
