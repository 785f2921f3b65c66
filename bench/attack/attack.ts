import type { AttackWorld } from "./world.ts";

/** Number of attempts, and how many were blocked. */
export type AttackOutcome = {
  readonly tried: number;
  readonly held: number;
  /** One sentence: the answer the attacker got, or why nothing could be tried. */
  readonly note: string;
};

export type AttackCase = {
  /** The attack in one line. */
  readonly name: string;
  /** Uses only the shipped programs, with files and requests that a user could write. */
  run(world: AttackWorld): Promise<AttackOutcome>;
};

/** All cases of one weakness. `id` is unique and sorts the report. */
export type Attack = {
  readonly id: string;
  readonly title: string;
  readonly cases: readonly AttackCase[];
};
