import type { SessionClassification } from "./classification.ts";
import type { ChannelProfile } from "./hosting/channel.ts";
import type { ToldInstructions, ToldMemory } from "./hosting/instructions.ts";
import type { Modes } from "./modes.ts";

export type TagDimension = "topic" | "complexity" | "domain" | "flag" | "channel" | "custom";

/** Selects a contributor for sessions with this value; `*` matches any. Case-insensitive. */
export type ContributorTag = { readonly dimension: TagDimension; readonly value: string };

/**
 * How long a section stays unchanged: for all sessions, one session, or one turn. The cached prefix ends before
 * `turn`.
 */
export type PromptZone = "static" | "session" | "turn";

/** full: everything. minimal: Identity, contract, Soul, Safety, Tools. none: Identity and contract. */
export type PromptMode = "full" | "minimal" | "none";

/** cache: sorted by zone, so that changing parts come last. priority: sorted by priority alone. */
export type PromptLayout = "cache" | "priority";

/** A contributor's output. Content over the limit is truncated and marked. */
export type PromptSection = {
  readonly heading?: string;
  readonly content: string;
  readonly maxChars?: number;
  readonly maxTokens?: number;
};

/** The session data that a contributor may use to write its section. */
export type ContributorContext = {
  readonly agentId: string;
  readonly sessionKey?: string;
  /** The stable classification used in the prompt; short-lived changes of a label do not appear. */
  readonly classification?: SessionClassification;
  /** Names as the model sees them. `some`: the runtime has not reported its tools, so there may be more. */
  readonly availableTools: readonly string[];
  readonly toolsKnown: "all" | "some";
  /** Servers of the agent whose tools are missing now. */
  readonly missingServers?: readonly string[];
  readonly channel: string;
  readonly channelProfile: ChannelProfile;
  readonly promptMode: PromptMode;
  /** `pi`, `claude-sdk`, `codex`, …, or the adapter's name. */
  readonly runtime: string;
  readonly workspaceDir: string;
  readonly model?: string;
  readonly user?: { readonly id: string };
  /** `zone` is always a valid time zone. */
  readonly time: { readonly at: number; readonly zone: string };
  readonly modes: Modes;
  /** Custom values of the session, for tags of the dimension `custom`. */
  readonly custom: readonly string[];
  /** The operator's directives in force, as the block in the prompt; empty if there are none. */
  readonly contract?: string;
  readonly instructions?: ToldInstructions;
  readonly memory?: ToldMemory;
  /** The model's name for a tool of the common vocabulary or of Conduct; other names are returned unchanged. */
  toolName(tool: string): string;
};

/** Returns a section, or nothing, for a session that selects it. */
export type PromptContributor = {
  readonly id: string;
  /** Any match selects it; without tags it applies to every session. */
  readonly tags?: readonly ContributorTag[];
  /** Lower comes earlier. Default: 100. */
  readonly priority?: number;
  /** Default: `static` without tags, `session` with tags. */
  readonly zone?: PromptZone;
  /** False leaves the section out. Called after the tags match. */
  shouldContribute?(context: ContributorContext): boolean;
  /** Returns the section; `undefined` leaves it out. */
  contribute(context: ContributorContext): PromptSection | undefined;
};

/** Sources by precedence, strongest first: for duplicate ids the stronger one wins. */
export type ContributorSource = "builtin" | "agent" | "config" | "plugin" | "workspace";

export type TraceReason = "included" | "tag-miss" | "vetoed" | "failed" | "empty" | "over-budget";

/** Why a contributor is in the prompt or not. */
export type TraceEntry = {
  readonly contributor: string;
  readonly reason: TraceReason;
  /** The matching tag, the failure, or the exceeded limit. */
  readonly detail?: string;
};

/** A section in the prompt. Lines count from 1. */
export type BuiltSection = {
  readonly contributor: string;
  readonly source: ContributorSource;
  readonly zone: PromptZone;
  readonly priority: number;
  readonly heading?: string;
  readonly text: string;
  readonly tokens: number;
  readonly hash: string;
  readonly lines: { readonly from: number; readonly to: number };
};

/** A section in the journal; its text is stored under the hash. Older events have neither source nor zone. */
export type ToldSection = Pick<BuiltSection, "contributor" | "tokens" | "hash"> &
  Partial<Pick<BuiltSection, "source" | "zone">>;

/** The part of a section that was cut, in characters, and the limit that required it. */
export type PromptCut = {
  readonly contributor: string;
  readonly limit: "maxChars" | "maxTokens" | "budget";
  readonly kept: number;
  readonly of: number;
};

/** The agent's prompt, with the source of every line. */
export type BuiltPrompt = {
  readonly text: string;
  readonly sections: readonly BuiltSection[];
  /** The contributor of each line, in order; empty for blank lines between sections. */
  readonly provenance: readonly string[];
  /** Sum of all sections. */
  readonly tokens: number;
  readonly hash: string;
  /** Hash of everything before the first `turn` section. */
  readonly prefixHash: string;
  readonly prefixTokens: number;
  readonly cuts: readonly PromptCut[];
  /** Covers every selected contributor; `explain` also lists the others. */
  readonly trace: readonly TraceEntry[];
};
