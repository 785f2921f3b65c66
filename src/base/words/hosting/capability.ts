import type { CAPABILITY_MEANING } from "../../kernel/capability-meaning.ts";

/** A guarantee that an adapter can enforce in its runtime. */
export type Capability = Exclude<keyof typeof CAPABILITY_MEANING, "exec-gate" | "same-decisions">;

/** A driver may omit these; they then count as not proven. */
export type FurtherCapability =
  | "user"
  | "operator"
  | "survives-compaction"
  | "survives-resume"
  | "approval"
  | "subagents"
  | "mcp"
  | "requirements"
  | "shadow"
  | "fail-closed"
  | "no-daemon";

/** `cannot` is the reason why this runtime cannot do it; every skip needs one. */
export type Can = true | { readonly cannot: string };

/** The capabilities of a runtime: which of them Conduct can use there, and why not the others. */
export type Capabilities = { readonly [C in Exclude<Capability, FurtherCapability>]: Can } & {
  readonly [C in FurtherCapability]?: Can;
};

/** One capability in one runtime: the proving scenarios, the runtime's reason, or the failed scenarios. */
export type CoverageCell =
  | { readonly proven: readonly string[] }
  | { readonly impossible: string }
  | { readonly failed: readonly string[] };

/** One driver's column of `docs/coverage.json`. A runtime may have several drivers. */
export type CoverageColumn = {
  /** Folder in `compat/`. */
  readonly runtime: string;
  readonly driver: string;
  readonly package: string;
  readonly version: string;
  /** How the runtime was set up: a command, or an import. */
  readonly setUp?: string;
  /** Day of the run, as 2026-11-15. */
  readonly run: string;
  /** Capabilities that the driver does not list are omitted. */
  readonly capabilities: { readonly [capability: string]: CoverageCell };
};
