import type { AttackWorld } from "./world.ts";

/** How often an attack was tried and how often it failed to get through. */
export type AttackOutcome = {
  readonly tried: number;
  readonly held: number;
  /** One plain sentence: the answer the attacker got, or the reason why nothing could be tried. */
  readonly note: string;
};

export type AttackCase = {
  /** The attack in one line, as a person would describe it. */
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
