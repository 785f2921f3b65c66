import type { InstructionItem, Instructions, UserAgent } from "../../words/hosting/instructions.ts";

export type InstructionsWrite = {
  readonly items: readonly InstructionItem[];
  readonly at: number;
  readonly by: string;
  readonly change: Exclude<Instructions["change"], "none">;
};

/** Keeps every version. Rejects when it cannot tell: a failed read is not "none". */
export type InstructionsStore = {
  read(owner: UserAgent): Promise<Instructions>;
  /** Writes version `after + 1`; false, and nothing written, when the newest version is not `after`. */
  write(owner: UserAgent, after: number, next: InstructionsWrite): Promise<boolean>;
  /** One version as it was; `undefined` when there is none. */
  version(owner: UserAgent, version: number): Promise<Instructions | undefined>;
};
