/** Whose instructions and memory they are: no tool call can name another user or agent. */
export type UserAgent = { readonly user: string; readonly agent: string };

/** One standing instruction of a user, such as "always answer in bullet points". */
export type InstructionItem = { readonly id: string; readonly text: string };

/** A user's standing instructions for one agent. Version 0 has no items and was never written. */
export type Instructions = {
  readonly version: number;
  readonly items: readonly InstructionItem[];
  readonly at: number;
  /** The session in which they were changed. */
  readonly by: string;
  readonly change: "none" | "add" | "edit" | "remove" | "replace" | "clear" | "undo";
};

/** Something the agent was told to remember. */
export type MemoryNote = { readonly id: string; readonly text: string; readonly at: number };

/**
 * Instructions as a prompt has them: quoted, cut to what a prompt may hold, empty when there are none. `stale`: the store
 * could not be read, these are the last known ones. `more` counts the items that are not, or not wholly, in `text`.
 */
export type ToldInstructions =
  | { readonly kind: "current" | "stale"; readonly text: string; readonly more: number }
  | { readonly kind: "unreadable" };

/** Memory as a prompt has it. `more` counts the notes that are not in `text`. */
export type ToldMemory =
  | { readonly kind: "on-demand" }
  | { readonly kind: "preload"; readonly text: string; readonly more: number }
  | { readonly kind: "unreadable" };
