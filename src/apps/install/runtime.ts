import type { Capabilities } from "../../base/words/hosting/capability.ts";
import type { Enforcement } from "../../engine/session/session-options.ts";

/** The runtimes that `conduct init` sets up, by the name that `runtimes.json` has for each. */
export type RuntimeName = "claude-code" | "codex" | "opencode" | "pi" | "openclaw";

/** What a file becomes, `undefined` for one that is not there; or why it is left alone, with the line that is to blame. */
export type Edited =
  | { readonly text: string | undefined }
  | { readonly refused: string; readonly line?: number; readonly fix: string };

/** A file of a runtime's that Conduct changes. Pure: who calls reads and writes it. */
export type SettingsFile = {
  readonly path: string;
  /** What Conduct has in it, for the person. */
  readonly about: string;
  /** With Conduct in it, beside all that is there. */
  add(text: string | undefined): Edited;
  /** Without it. `before` is the file as it was before Conduct came. */
  remove(text: string | undefined, before: string | undefined): Edited;
  /** Why Conduct does not bind with the file as it is; empty when it does. */
  faults(text: string | undefined): readonly string[];
};

/** Where a runtime is set up. `project` is the folder of the one project that it is set up for. */
export type InstallPlace = {
  readonly env: NodeJS.ProcessEnv;
  /** Conduct's own folder. */
  readonly home: string;
  readonly project?: string;
  /** The program that settings name in place of Conduct itself (`launcherPath`). */
  readonly launcher: string;
  readonly enforcement: Enforcement;
  /** How the daemon is reached over http. */
  readonly daemon: { readonly port: number; readonly token: string };
};

/** All that `init`, `enforce` and `doctor` know of a runtime. */
export type InstallableRuntime = {
  readonly name: RuntimeName;
  readonly title: string;
  /** Its command, as found on the PATH. */
  readonly program: string;
  /** Its name in docs/coverage.json. */
  readonly coverage: string;
  readonly capabilities: Capabilities;
  /** What slips past Conduct there although nothing is broken, in a few words. */
  readonly loose: string;
  /** What a person does next for it to take effect. */
  readonly start: string;
  /** The files, in the order in which they are written; or why it cannot be set up so. */
  files(place: InstallPlace): readonly SettingsFile[] | { readonly refused: string; readonly fix: string };
};
