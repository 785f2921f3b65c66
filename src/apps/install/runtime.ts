import type { Capabilities } from "../../base/words/hosting/capability.ts";
import type { Enforcement } from "../../engine/session/session-options.ts";

/** The runtimes that `conduct init` installs into, by their names in `runtimes.json`. */
export type RuntimeName = "claude-code" | "codex" | "gemini" | "copilot" | "cursor" | "opencode" | "pi" | "openclaw";

/** The new content of a file, `undefined` for no file; or why it is left alone, with the line at fault. */
export type Edited =
  | { readonly text: string | undefined }
  | { readonly refused: string; readonly line?: number; readonly fix: string };

/** A runtime's file that Conduct changes. Pure: the caller reads and writes it. */
export type SettingsFile = {
  readonly path: string;
  /** The project that the file belongs to: links must not lead out of it. */
  readonly within?: string;
  /** It contains the daemon's token, so no other account may read it. */
  readonly secret?: true;
  /** Conduct's part in it, described for the person. */
  readonly about: string;
  /** The text with Conduct's part added to the existing content. */
  add(text: string | undefined): Edited;
  /** The text without Conduct's part. `before` is the file before Conduct was installed. */
  remove(text: string | undefined, before: string | undefined): Edited;
  /** Why Conduct is not enforced with this file; empty if it is. */
  faults(text: string | undefined): readonly string[];
};

/** Where a runtime is installed. `project` is the folder, if it is installed for one project only. */
export type InstallPlace = {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly project?: string;
  /** The program that settings name instead of Conduct itself (`launcherPath`). */
  readonly launcher: string;
  readonly enforcement: Enforcement;
  /** By default the one of this process. Decides the shell of hooks, and whether there is an exec gate. */
  readonly platform?: NodeJS.Platform;
  readonly daemon: { readonly port: number; readonly token: string };
};

/** Everything that `init`, `enforce` and `doctor` know about a runtime. */
export type InstallableRuntime = {
  readonly name: RuntimeName;
  readonly title: string;
  readonly program: string;
  /** Its settings folder, which shows that it was used on this machine. */
  folder(env: NodeJS.ProcessEnv): string;
  /** Its name in docs/coverage.json. */
  readonly coverage: string;
  readonly capabilities: Capabilities;
  /** A short text on what Conduct cannot intercept there, even if nothing is broken. */
  readonly loose: string;
  /** Why nobody there can be the operator; `undefined` if `--operator` works. */
  readonly whyNoOperator?: string;
  /** Why it may not work as described; `undefined` if the coverage map proves it. */
  readonly unproven?: string;
  /** Why the programs that its commands start are gated on no machine. */
  readonly neverGated?: string;
  /** Why they are not gated on this machine; `undefined` if they are. */
  whyNotGated?(env: NodeJS.ProcessEnv): string | undefined;
  /** The person's next step for it to take effect. */
  readonly start: string;
  /** The files in writing order; or why it cannot be installed this way. */
  files(place: InstallPlace): readonly SettingsFile[] | { readonly refused: string; readonly fix: string };
};

/** A fault of settings that an earlier version has written: `conduct init` adds the gate. */
export const NOT_GATED = "the exec gate is not on the PATH of its shell";
