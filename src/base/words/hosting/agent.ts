import type { Budget } from "../budget.ts";
import type { Access } from "../call.ts";
import type { FeedbackProviderConfig } from "../feedback.ts";
import type { ToolPolicy } from "../policy.ts";
import type { PromptContributor, PromptLayout, PromptMode } from "../prompt.ts";
import type { CompletionChecker } from "./completion.ts";
import type { Programs } from "./program.ts";

/** A declared tool. `paths` lists the arguments that name files. */
export type ToolSpec = {
  readonly name: string;
  readonly description?: string;
  readonly risk?: "low" | "high";
  readonly paths?: { readonly [argument: string]: Access };
  /** All argument names; a rule that uses another one is rejected. Omitted means unknown. */
  readonly args?: readonly string[];
  /** Tools or actions that must have succeeded earlier in the session. */
  readonly prerequisites?: readonly string[];
};

/** A name for a kind of call: a tool, and for a shell tool a pattern over its command (`*` matches anything). */
export type ActionSpec = {
  readonly tool: string;
  readonly command?: string;
  /** Facts and effects that it also establishes, with the same arguments. */
  readonly implies?: readonly string[];
};

/** A prompt section with the tools it introduces and the policies for them. */
export type AgentSection = {
  readonly heading: string;
  readonly content: string;
  readonly tools?: readonly string[];
  readonly policies?: readonly AnyPolicy[];
};

/** Limits. Those of a budget apply to one session. `deadline` is milliseconds from its start. */
export type Limits = Budget & {
  readonly deadline?: number;
  /** Limits of one turn. `deadline` is milliseconds from the message. */
  readonly turn?: Budget & { readonly deadline?: number };
  /** Limits of a user's day, over all sessions with this agent. */
  readonly day?: Omit<Budget, "time">;
  /** Share of the model's window for one result, and for all results of a turn. */
  readonly toolResultShare?: number;
  readonly turnResultShare?: number;
  /** The model's window in tokens, if the runtime does not report it. */
  readonly window?: number;
  /** How often a stop may be refused per turn. */
  readonly stops?: number;
  readonly gatherMs?: number;
  readonly checkMs?: number;
  readonly completionMs?: number;
};

/** A tool of a server (absent: the runtime's own) whose results may contain requirements. */
export type TrustedTool = { readonly server?: string; readonly tool: string };

/** Where a secret comes from: a variable of the gateway's environment, or a file. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** An MCP server of an agent in the gateway: a program that it starts, or an address. */
export type McpServer = {
  /** Values that only this server gets, by name. */
  readonly secrets?: { readonly [name: string]: SecretSource };
  /** Timeout of a call in milliseconds. Default: two minutes. */
  readonly timeout?: number;
} & (
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: { readonly [name: string]: string };
      /** Hosts that the program may reach. Default: none. */
      readonly network?: readonly string[];
    }
  | {
      readonly url: string;
      /** `${NAME}` stands for a secret. */
      readonly headers?: { readonly [name: string]: string };
      /** The address may be loopback or in a private network. */
      readonly allowPrivate?: boolean;
    }
);

/** Overrides for the texts that the checkpoint tools return. */
export type CheckpointTexts = { readonly verify_context?: string; readonly review_plan?: string };

// biome-ignore lint/suspicious/noExplicitAny: a list holds policies of different state types; each sees only its own.
export type AnyPolicy = ToolPolicy<any>;

/** All fields are optional; without any, the prompt has no Identity section. */
export type AgentIdentity = { readonly name?: string; readonly vibe?: string; readonly description?: string };

/** Instructions in a file that the agent reads when needed. */
export type SkillSpec = { readonly name: string; readonly description: string; readonly path: string };

/** Prompt settings, and the content of its optional built-in sections. */
export type PromptSettings = {
  readonly mode?: PromptMode;
  readonly layout?: PromptLayout;
  /** Token limit of the whole prompt. Default: a quarter of the model's window. */
  readonly budget?: number;
  readonly skills?: readonly SkillSpec[];
  /** Documents to read before guessing. */
  readonly docs?: readonly { readonly path: string; readonly about?: string }[];
  readonly messaging?: string;
  readonly voice?: string;
  readonly replyTags?: readonly { readonly tag: string; readonly means: string }[];
};

/** Settings for classifying sessions. `model` is `provider/model`; `local/rules` needs no model. */
export type SessionLabels = {
  readonly enabled: boolean;
  readonly model?: string;
  /** Turns until the next classification. Default: 10. */
  readonly every?: number;
  /** Milliseconds that the first prompt may wait for the classification. Default: 0. */
  readonly wait?: number;
};

/** A versioned, portable definition that includes its constraints. Created by `defineAgent`. */
export type Agent = {
  readonly name: string;
  readonly sections: readonly AgentSection[];
  readonly tools: readonly ToolSpec[];
  readonly actions: { readonly [name: string]: ActionSpec };
  /** Programs that its commands may run, in addition to those that Conduct knows. They only add effects. */
  readonly programs?: Programs;
  readonly policies: readonly AnyPolicy[];
  readonly feedback: readonly FeedbackProviderConfig[];
  readonly completion?: CompletionChecker;
  readonly limits: Limits;
  readonly trustedTools: readonly TrustedTool[];
  readonly checkpoints?: CheckpointTexts;
  readonly identity?: AgentIdentity;
  /** The agent's character and behavioral philosophy. */
  readonly soul?: string;
  /** `provider/model`, for hosts that can choose. */
  readonly model?: string;
  readonly contributors: readonly PromptContributor[];
  readonly prompt: PromptSettings;
  readonly sessionLabels?: SessionLabels;
  /** Custom tags of its sessions, unless a session has its own. */
  readonly custom?: readonly string[];
  /** How saved memory reaches the agent. Default: on demand. */
  readonly memory?: "on-demand" | "preload" | "off";
  /** `never`: no message or option can elevate a session of this agent. */
  readonly elevation?: "never";
  /** Hosts that its commands may reach from the gateway's sandbox. Default: none. */
  readonly network?: readonly string[];
  /** Servers whose tools it has in the gateway, by name. */
  readonly mcpServers?: { readonly [name: string]: McpServer };
};
