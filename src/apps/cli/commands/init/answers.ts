import { nearest } from "../../../../base/kernel/nearest.ts";
import type { Plan } from "../../../install/plan.ts";
import type { InstallableRuntime, InstallPlace, SettingsFile } from "../../../install/runtime.ts";
import type { Arguments } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import { oneLine } from "../../line/printable.ts";
import { badArgument } from "../behavior/answers.ts";
import type { InitWorld } from "./world.ts";

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
  return failed(plan.readOnly ? "SETTINGS_READ_ONLY" : "SETTINGS_BROKEN", `${where}  ${plan.refused}`, plan.fix);
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

/** A name that `conduct COMMAND` does not know, with those that it does. */
export function unknownRuntime(given: unknown, command: string, names: readonly string[]): Outcome {
  const known = names.join(", ");
  const first = `conduct ${command} ${names[0]}`;
  if (given === undefined) return badArgument(`which runtime? ${known}`, first);
  const word = String(given).toLowerCase();
  const meant = (word === "" ? undefined : names.find((name) => name.startsWith(word))) ?? nearest(word, names);
  const hint = meant === undefined ? "" : `did you mean '${meant}'? `;
  const fix = meant === undefined ? first : `conduct ${command} ${meant}`;
  return badArgument(`there is no runtime '${oneLine(String(given))}': ${hint}there are ${known}`, fix);
}

export function failed(code: string, message: string, fix: string): Outcome {
  return { ok: false, code, message, fix, next: [] };
}
