import type { InstructionItem, Instructions, UserAgent } from "../../words/hosting/instructions.ts";

/** A new version of a user's instructions. */
export type InstructionsWrite = {
  readonly items: readonly InstructionItem[];
  readonly at: number;
  readonly by: string;
  readonly change: Exclude<Instructions["change"], "none">;
};

/** Stores every version. Rejects if the store fails, so a failed read never looks like "none". */
export type InstructionsStore = {
  /** Returns the newest version; version 0 without items if there is none. */
  read(owner: UserAgent): Promise<Instructions>;
  /** Writes version `after + 1`. Returns false and writes nothing if the newest version is not `after`. */
  write(owner: UserAgent, after: number, next: InstructionsWrite): Promise<boolean>;
  /** Returns `undefined` if this version does not exist. */
  version(owner: UserAgent, version: number): Promise<Instructions | undefined>;
};
