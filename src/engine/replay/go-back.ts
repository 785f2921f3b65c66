import type { Slices } from "../../behavior/session/snapshot/slices.ts";

/** Which way a course took at each fork that it came to, by the number of the fork. */
export type Taken = ReadonlyMap<number, number>;

/** The courses that things may have taken by some point, and the one they took, once it is another than the first. */
export type CoursesAt = {
  readonly worlds: readonly Slices[];
  readonly taken: readonly Taken[];
  readonly asRecorded: Slices | undefined;
};

/** `lost`: there are more than are followed. */
type GoneBack = {
  readonly worlds: Slices[];
  readonly taken: Taken[];
  readonly asRecorded: Slices | undefined;
} & {
  readonly lost: boolean;
};

/**
 * STATE as it was then, in every course that may have been that one: both took the same way wherever they came to the same fork. Where
 * the session went on from before that point, more than one may be.
 */
export function goBack(now: CoursesAt, then: CoursesAt, most: number): GoneBack {
  const [real, before] = [now.asRecorded ?? now.worlds[0], then.asRecorded ?? then.worlds[0]];
  const worlds: Slices[] = [];
  const taken: Taken[] = [];
  let lost = false;
  let asRecorded: Slices | undefined;
  for (const [at, world] of now.worlds.entries()) {
    for (const [back, past] of then.worlds.entries()) {
      const ways = joined(now.taken[at] ?? NONE, then.taken[back] ?? NONE);
      if (ways === undefined) continue;
      if (worlds.length === most) {
        lost = true;
        continue;
      }
      const gone = world.restored(past);
      if (world === real && past === before) asRecorded = gone;
      worlds.push(gone);
      taken.push(ways);
    }
  }
  const apart = now.asRecorded !== undefined || then.asRecorded !== undefined;
  if (!apart) return { worlds, taken, asRecorded: undefined, lost };
  return { worlds, taken, asRecorded: asRecorded ?? (before && real?.restored(before)), lost };
}

export const NONE: Taken = new Map();

/** The ways of both; `undefined` where they went different ways. */
function joined(one: Taken, other: Taken): Taken | undefined {
  for (const [fork, way] of other) if ((one.get(fork) ?? way) !== way) return undefined;
  return other.size === 0 ? one : new Map([...one, ...other]);
}
