import type { ContractScope } from "../../../base/words/contract.ts";
import type { TurnJudged } from "./judge-turn.ts";

const SHOWN = 5;

type Named = Pick<AdherenceRow, "of" | "id" | "scope" | "by"> & { readonly at: number };

/** Counts turns by day and by directive or rule. */
export class AdherenceTable {
  readonly #rows = new Map<string, AdherenceRow>();

  add({ at, ...named }: Named, judged: TurnJudged): void {
    const day = new Date(at).toISOString().slice(0, 10);
    const one: AdherenceRow = {
      ...{ day, ...named, inForce: 1 },
      followed: judged.kind === "followed" ? 1 : 0,
      violated: judged.kind === "violated" ? 1 : 0,
      cannotTell: judged.kind === "cannot-tell" ? 1 : 0,
      shown: {
        followed: judged.kind === "followed" ? [judged.event] : [],
        violated: judged.kind === "violated" ? [judged.event] : [],
      },
    };
    this.#put(one);
  }

  #put(row: AdherenceRow): void {
    // Each check has its own row.
    const key = JSON.stringify([row.day, row.of, row.id, row.by]);
    const before = this.#rows.get(key);
    this.#rows.set(key, before === undefined ? row : joined(before, row));
  }

  /** Sorted by day, then directives before rules, then id, so that equal turns give equal rows. */
  rows(): readonly AdherenceRow[] {
    return [...this.#rows.values()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  }

  static join(rows: Iterable<AdherenceRow>): readonly AdherenceRow[] {
    const table = new AdherenceTable();
    for (const row of rows) table.#put(row);
    return table.rows();
  }
}

function orderOf({ day, of, id, by = "" }: AdherenceRow): string {
  return [day, of, id, by].join("\u0000");
}

function joined(a: AdherenceRow, b: AdherenceRow): AdherenceRow {
  const both = (of: "followed" | "violated") => [...a.shown[of], ...b.shown[of]].slice(-SHOWN);
  return {
    ...a,
    inForce: a.inForce + b.inForce,
    followed: a.followed + b.followed,
    violated: a.violated + b.violated,
    cannotTell: a.cannotTell + b.cannotTell,
    shown: { followed: both("followed"), violated: both("violated") },
  };
}

/**
 * Adherence to one directive or rule on one day (UTC), over the turns in which it was in force. A turn counts once:
 * violated if any check says so, else followed if one does, else unknown.
 */
export type AdherenceRow = {
  /** For example `2026-11-15`. */
  readonly day: string;
  readonly of: "directive" | "rule";
  readonly id: string;
  readonly scope?: ContractScope;
  readonly inForce: number;
  readonly followed: number;
  readonly violated: number;
  readonly cannotTell: number;
  /** The check, as a person writes it; absent if none was declared. */
  readonly by?: string;
  /** Up to five events as evidence for each, newest last. */
  readonly shown: { readonly followed: readonly string[]; readonly violated: readonly string[] };
};
