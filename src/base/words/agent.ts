import type { Budget } from "./budget.ts";
import type { Access } from "./call.ts";
import type { CompletionChecker } from "./completion.ts";
import type { FeedbackProviderConfig } from "./feedback.ts";
import type { ToolPolicy } from "./policy.ts";

/** A tool as its agent declares it. `paths` says which arguments name files. */
export type ToolSpec = {
  readonly name: string;
  readonly description?: string;
  readonly risk?: "low" | "high";
  readonly paths?: { readonly [argument: string]: Access };
  /** The names of all its arguments; a rule that names another one is refused. Unknown when left out. */
  readonly args?: readonly string[];
  /** Tools or actions that must have succeeded in the session before it. */
  readonly prerequisites?: readonly string[];
};

/** A name for a kind of call: a tool, and for a shell tool a pattern over its command (`*` matches anything). */
export type ActionSpec = { readonly tool: string; readonly command?: string };

/** A part of what the agent is told, with the tools it introduces and the policies that bind them. */
export type AgentSection = {
  readonly heading: string;
  readonly content: string;
  readonly tools?: readonly string[];
  readonly policies?: readonly AnyPolicy[];
};

/** Bounds of one session of this agent. `deadline` is milliseconds from its start. */
export type Limits = Budget & {
  readonly deadline?: number;
  /** Share of the model's window that one result may take, and all results of a turn together. */
  readonly toolResultShare?: number;
  readonly turnResultShare?: number;
  /** The model's window in tokens, where the runtime does not tell. */
  readonly window?: number;
  /** How often a stop may be refused in one turn. */
  readonly stops?: number;
  readonly gatherMs?: number;
  readonly checkMs?: number;
  readonly completionMs?: number;
};

/** A tool of a server (absent: the runtime's own) whose results may carry requirements. */
export type TrustedTool = { readonly server?: string; readonly tool: string };

/** Texts that the checkpoint tools return, where they are not Conduct's own. */
export type CheckpointTexts = { readonly verify_context?: string; readonly review_plan?: string };

// biome-ignore lint/suspicious/noExplicitAny: a list holds policies of different state types; each sees only its own.
export type AnyPolicy = ToolPolicy<any>;

/** A versioned, portable definition that owns its constraints. Made by `defineAgent`. */
export type Agent = {
  readonly name: string;
  readonly sections: readonly AgentSection[];
  readonly tools: readonly ToolSpec[];
  readonly actions: { readonly [name: string]: ActionSpec };
  readonly policies: readonly AnyPolicy[];
  readonly feedback: readonly FeedbackProviderConfig[];
  readonly completion?: CompletionChecker;
  readonly limits: Limits;
  readonly trustedTools: readonly TrustedTool[];
  readonly checkpoints?: CheckpointTexts;
};
