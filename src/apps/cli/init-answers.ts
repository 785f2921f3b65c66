import { nearest } from "../../base/kernel/nearest.ts";
import type { Plan } from "../install/plan.ts";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "../install/runtime.ts";
import { RUNTIME_NAMES } from "../install/runtimes.ts";
import { badArgument } from "./behavior-answers.ts";
import type { Arguments } from "./command.ts";
import type { InitWorld } from "./init-world.ts";
import type { Outcome } from "./outcome.ts";

/** What was asked for, with all that is known about it. `folder` is where the record is kept. */
export type InitRequest = {
  readonly runtime: InstallableRuntime;
  readonly files: readonly SettingsFile[];
  readonly folder: string;
  readonly place: InstallPlace;
  readonly args: Arguments;
  readonly yes: boolean;
};

/** What keeps a file from being changed, with the line that is to blame. */
export function settingsRefused(plan: Extract<Plan, { readonly refused: string }>): Outcome {
  const where = plan.line === undefined ? plan.path : `${plan.path}:${plan.line}`;
  return failed("SETTINGS_BROKEN", `${where}  ${plan.refused}`, plan.fix);
}

export function notConfirmed(answer: boolean | undefined, again: string, result: unknown): Outcome {
  const next = [{ command: again, description: "Do it without a question" }];
  if (answer === false) {
    const message = "nothing was changed";
    return { ok: false, code: "NOT_CONFIRMED", message, fix: "run it again when you want it", result, next };
  }
  const message = "nothing was changed: nobody is at a terminal to be asked";
  return { ok: false, code: "CONFIRMATION_NEEDED", message, fix: again, result, next };
}

/** Only a person changes what agents are bound to. */
export function refuseAgent(world: Pick<InitWorld, "inside">, does: string, again: string): Outcome | undefined {
  const around = world.inside();
  if (around === undefined) return undefined;
  const message = `this is run by ${around.agent} (${around.sign}), and only a person ${does}`;
  return failed("INSIDE_AGENT", message, `run it yourself, in a terminal of your own: ${again}`);
}

export function unknownRuntime(given: unknown): Outcome {
  if (given === undefined)
    return badArgument(`which runtime? ${RUNTIME_NAMES.join(", ")}`, `conduct init ${RUNTIME_NAMES[0]}`);
  const meant = typeof given === "string" ? nearest(given, RUNTIME_NAMES) : undefined;
  const hint = meant === undefined ? `there are: ${RUNTIME_NAMES.join(", ")}` : `did you mean '${meant}'?`;
  return badArgument(`there is no runtime '${given}': ${hint}`, `conduct init ${meant ?? RUNTIME_NAMES[0]}`);
}

export function failed(code: string, message: string, fix: string): Outcome {
  return { ok: false, code, message, fix, next: [] };
}
