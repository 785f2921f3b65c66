import { RecentMap } from "../../base/kernel/bounded-map.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { CommandEffect } from "./programs/program-effects.ts";
import type { ProgramTable } from "./programs/program-table.ts";

/** What one command does, whatever the commands before it did. */
export type Reading = {
  readonly effects: readonly CommandEffect[];
  /** The effects as a rule sees them, from where the line starts. `folders`: absolute ones that must be in the workspace. */
  readonly seen: readonly {
    readonly key: string;
    readonly name: string;
    readonly args: JsonObject;
    readonly sure: boolean;
    readonly folders: readonly string[];
  }[];
  /** A test runner, or what it runs, is replaced. */
  readonly replaces: boolean;
  /** Tests that ran before say nothing any more. */
  readonly changes: boolean;
};

const MAX_READINGS = 512;
const readings = new WeakMap<ProgramTable, RecentMap<Reading>>();

/** The readings of recent commands. Programs that an agent adds change what commands do. */
export function readingsOf(table: ProgramTable): RecentMap<Reading> {
  const known = readings.get(table) ?? new RecentMap<Reading>(MAX_READINGS);
  readings.set(table, known);
  return known;
}
