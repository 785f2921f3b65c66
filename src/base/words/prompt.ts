import type { SessionClassification } from "./classification.ts";
import type { ChannelProfile } from "./hosting/channel.ts";
import type { ToldInstructions, ToldMemory } from "./hosting/instructions.ts";
import type { Modes } from "./modes.ts";

export type TagDimension = "topic" | "complexity" | "domain" | "flag" | "channel" | "custom";

/** Selects a contributor for sessions that have this value; `*` stands for any. Compared without case. */
export type ContributorTag = { readonly dimension: TagDimension; readonly value: string };

/** How long a section stays as it is: for every session, for one session, for one turn. The cache ends before `turn`. */
export type PromptZone = "static" | "session" | "turn";

/** full: everything. minimal: Identity, contract, Soul, Safety, Tools. none: Identity and contract. */
export type PromptMode = "full" | "minimal" | "none";

/** cache: zones first, so that what changes comes last. priority: priorities alone. */
export type PromptLayout = "cache" | "priority";

/** What a contributor gives. Content that is too long is cut and says so. */
export type PromptSection = {
  readonly heading?: string;
  readonly content: string;
  readonly maxChars?: number;
  readonly maxTokens?: number;
};

/** What a contributor may know when it is asked. */
export type ContributorContext = {
  readonly agentId: string;
  readonly sessionKey?: string;
  /** As it holds for the prompt; a label that wobbles does not show here. */
  readonly classification?: SessionClassification;
  /** As the model sees them. `some`: the runtime has not told, and there may be more. */
  readonly availableTools: readonly string[];
  readonly toolsKnown: "all" | "some";
  readonly channel: string;
  readonly channelProfile: ChannelProfile;
  readonly promptMode: PromptMode;
  /** `pi`, `claude-sdk`, `codex`, …; the name of the adapter otherwise. */
  readonly runtime: string;
  readonly workspaceDir: string;
  readonly model?: string;
  readonly user?: { readonly id: string };
  /** `zone` is one that exists. */
  readonly time: { readonly at: number; readonly zone: string };
  readonly modes: Modes;
  /** Values set on the session, for tags of the dimension `custom`. */
  readonly custom: readonly string[];
  /** The operator's directives in force, as the block that is told; empty when there are none. */
  readonly contract?: string;
  readonly instructions?: ToldInstructions;
  readonly memory?: ToldMemory;
  /** How the model sees a tool of the common vocabulary or one of Conduct's; other names stay as they are. */
  toolName(tool: string): string;
};

/** Gives a section, or nothing, for a session it is selected for. */
export type PromptContributor = {
  readonly id: string;
  /** Any match selects it; without tags it is for every session. */
  readonly tags?: readonly ContributorTag[];
  /** Lower comes earlier. 100 unless set. */
  readonly priority?: number;
  /** `static` without tags and `session` with them, unless set. */
  readonly zone?: PromptZone;
  /** False leaves it out; asked after the tags. */
  shouldContribute?(context: ContributorContext): boolean;
  contribute(context: ContributorContext): PromptSection | undefined;
};

/** Where a contributor comes from, the strongest first: of two with one id the stronger stays. */
export type ContributorSource = "builtin" | "agent" | "config" | "plugin" | "workspace";

/** Why a contributor is in the prompt or not. */
export type TraceReason = "included" | "tag-miss" | "vetoed" | "failed" | "empty" | "over-budget";

export type TraceEntry = {
  readonly contributor: string;
  readonly reason: TraceReason;
  /** The tag that selected it, what failed, or which limit was over. */
  readonly detail?: string;
};

/** A section as it stands in the prompt. Lines count from 1. */
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

/** A section as the journal has it; its text is kept under the hash. Events of before have neither source nor zone. */
export type ToldSection = Pick<BuiltSection, "contributor" | "tokens" | "hash"> &
  Partial<Pick<BuiltSection, "source" | "zone">>;

/** What was left out of a section, and which limit asked for it. Characters of its content. */
export type PromptCut = {
  readonly contributor: string;
  readonly limit: "maxChars" | "maxTokens" | "budget";
  readonly kept: number;
  readonly of: number;
};

/** What the agent is told, and where every line of it comes from. */
export type BuiltPrompt = {
  readonly text: string;
  readonly sections: readonly BuiltSection[];
  /** The contributor of each line, the first line first; empty for the blank lines between sections. */
  readonly provenance: readonly string[];
  /** Sum over the sections. */
  readonly tokens: number;
  readonly hash: string;
  /** Over what comes before the first section of the turn. */
  readonly prefixHash: string;
  readonly prefixTokens: number;
  readonly cuts: readonly PromptCut[];
  /** Of every contributor that was selected; `explain` tells of the others too. */
  readonly trace: readonly TraceEntry[];
};
