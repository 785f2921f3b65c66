import type { JsonObject } from "../../words/json.ts";

/** A definition as it is written: by whom, and why. `at` is milliseconds since the epoch. */
export type AgentWrite = {
  readonly definition: JsonObject;
  readonly at: number;
  readonly by: string;
  readonly reason: string;
};

/** `version` counts from 1 without gaps. */
export type AgentVersion = AgentWrite & { readonly name: string; readonly version: number };

/** Keeps every version of every agent's definition. Rejects when it cannot tell: a failed read is not "none". */
export type AgentsStore = {
  /** The newest version; `undefined` when there is none. */
  read(name: string): Promise<AgentVersion | undefined>;
  /** Writes version `after + 1`, the first after 0; false, and nothing written, when the newest version is not `after`. */
  put(name: string, after: number, next: AgentWrite): Promise<boolean>;
  /** One version as it was; `undefined` when there is none. */
  version(name: string, version: number): Promise<AgentVersion | undefined>;
  /** The newest version of each, by name. */
  list(): Promise<readonly AgentVersion[]>;
};
