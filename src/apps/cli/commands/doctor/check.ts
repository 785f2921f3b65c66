import type { InstallableRuntime } from "../../../install/runtime.ts";
import type { InitWorld } from "../init/world.ts";

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
