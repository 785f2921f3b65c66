/** Owner of instructions and memory: no tool call can name another user or agent. */
export type UserAgent = { readonly user: string; readonly agent: string };

/** One standing instruction of a user, such as "always answer in bullet points". */
export type InstructionItem = { readonly id: string; readonly text: string };

/** A user's standing instructions for one agent. Version 0 has no items and was never written. */
export type Instructions = {
  readonly version: number;
  readonly items: readonly InstructionItem[];
  readonly at: number;
  /** The session that changed them. */
  readonly by: string;
  readonly change: "none" | "add" | "edit" | "remove" | "replace" | "clear" | "undo";
};

/** A note that the agent was asked to remember. */
export type MemoryNote = { readonly id: string; readonly text: string; readonly at: number };

/**
 * Instructions in a prompt: quoted, truncated to the prompt's limit, empty if there are none. `stale`: the last known
 * ones, because the store could not be read. `more` counts the items that are missing or truncated in `text`.
 */
export type ToldInstructions =
  | { readonly kind: "current" | "stale"; readonly text: string; readonly more: number }
  | { readonly kind: "unreadable" };

/** Memory in a prompt. `more` counts the notes that are missing in `text`. */
export type ToldMemory =
  | { readonly kind: "on-demand" }
  | { readonly kind: "preload"; readonly text: string; readonly more: number }
  | { readonly kind: "unreadable" };
