import { LAUNCHER } from "./guarded-file.ts";

/**
 * A change of a file that Conduct depends on by anything but its own commands, or a pause by a person (`paused`).
 * `restored`: reverted. `reported`: left unchanged. `given-up`: something keeps reverting the repair.
 */
export type GuardReport = {
  readonly code: "hooks-removed" | "hooks-silent" | "pause-forged" | "setup-changed" | "config-changed" | "paused";
  readonly runtime?: string;
  /** The file; for `hooks-silent` the session. */
  readonly where: string;
  readonly outcome: "restored" | "reported" | "given-up";
  /** One or two sentences for a person: what happened and what to do. */
  readonly message: string;
};

export function hooksRemoved(
  runtime: string,
  where: string,
  why: string,
  outcome: GuardReport["outcome"],
  fault?: string,
): GuardReport {
  // The hooks of all runtimes use the launcher, so it belongs to none of them.
  if (runtime === LAUNCHER) return setupChanged(where, why, outcome, "Look at it with: conduct doctor");
  const what = `Conduct's hooks for ${runtime} were switched off in ${where}: ${why}.`;
  const undo = `To take Conduct out, run: conduct init ${runtime} --undo`;
  const again = `If that was not you, run: conduct init ${runtime}`;
  const becauseOf = fault === undefined ? "" : ` They cannot be put back: ${fault}.`;
  const message = {
    restored: `${what} They were put back at once. ${undo}`,
    reported: `${what}${becauseOf} ${again}. ${undo}`,
    "given-up": `${what} Something keeps removing them, so Conduct has stopped putting them back. Find out what it is. ${again}`,
  }[outcome];
  return { code: "hooks-removed", runtime, where, outcome, message };
}

export function setupChanged(where: string, what: string, outcome: GuardReport["outcome"], fix: string): GuardReport {
  const done = outcome === "restored" ? " It was put back at once." : "";
  const message = `${where} was changed by something other than Conduct: ${what}.${done} ${fix}`;
  return { code: "setup-changed", where, outcome, message };
}
