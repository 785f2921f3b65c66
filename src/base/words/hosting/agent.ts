import type { Budget } from "../budget.ts";
import type { Access } from "../call.ts";
import type { CompletionChecker } from "../completion.ts";
import type { FeedbackProviderConfig } from "../feedback.ts";
import type { ToolPolicy } from "../policy.ts";
import type { PromptContributor, PromptLayout, PromptMode } from "../prompt.ts";

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

/** Who the agent is. All of it can be left out, and then the prompt has no Identity section. */
export type AgentIdentity = { readonly name?: string; readonly vibe?: string; readonly description?: string };

/** A skill: instructions in a file that the agent reads when it needs them. */
export type SkillSpec = { readonly name: string; readonly description: string; readonly path: string };

/** How the prompt is made, and what its optional built-in sections say. */
export type PromptSettings = {
  readonly mode?: PromptMode;
  readonly layout?: PromptLayout;
  /** Tokens of the whole prompt; a quarter of the model's window unless set. */
  readonly budget?: number;
  readonly skills?: readonly SkillSpec[];
  /** Documents worth reading before guessing. */
  readonly docs?: readonly { readonly path: string; readonly about?: string }[];
  readonly messaging?: string;
  readonly voice?: string;
  readonly replyTags?: readonly { readonly tag: string; readonly means: string }[];
};

/** Whether and by what sessions are classified. `model` is `provider/model`; `local/rules` needs no model. */
export type SessionLabels = {
  readonly enabled: boolean;
  readonly model?: string;
  /** Turns after which it is looked at again; 10 unless set. */
  readonly every?: number;
  /** Milliseconds that the first prompt may wait for it; 0 unless set. */
  readonly wait?: number;
};

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
  readonly identity?: AgentIdentity;
  /** Who the agent is at heart: its behavioral philosophy. */
  readonly soul?: string;
  /** `provider/model`, where the host can choose. */
  readonly model?: string;
  readonly contributors: readonly PromptContributor[];
  readonly prompt: PromptSettings;
  readonly sessionLabels?: SessionLabels;
  /** How what was saved reaches the agent; on demand unless set. */
  readonly memory?: "on-demand" | "preload" | "off";
  /** `never`: no message and no option can elevate a session of this agent. */
  readonly elevation?: "never";
  /** Hosts that its commands may reach where the gateway runs them in a sandbox; none unless set. */
  readonly network?: readonly string[];
};
