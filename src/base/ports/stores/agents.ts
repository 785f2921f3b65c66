import type { JsonObject } from "../../words/json.ts";

/** A new definition with its author and reason. `at` is milliseconds since the epoch. */
export type AgentWrite = {
  readonly definition: JsonObject;
  readonly at: number;
  readonly by: string;
  readonly reason: string;
};

/** `version` counts from 1 without gaps. */
export type AgentVersion = AgentWrite & { readonly name: string; readonly version: number };

/**
 * Stores every version of every agent's definition. Rejects if the store fails, so a failed read never looks like
 * "none".
 */
export type AgentsStore = {
  /** The newest version; `undefined` if there is none. */
  read(name: string): Promise<AgentVersion | undefined>;
  /**
   * Writes version `after + 1` (0 for the first). Returns false and writes nothing if the newest version is not
   * `after`.
   */
  put(name: string, after: number, next: AgentWrite): Promise<boolean>;
  /** Returns `undefined` if this version does not exist. */
  version(name: string, version: number): Promise<AgentVersion | undefined>;
  /** The newest version of each agent, sorted by name. */
  list(): Promise<readonly AgentVersion[]>;
};
