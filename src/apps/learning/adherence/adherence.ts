import type { AdherenceRow, CountedTurn } from "../../../base/ports/stores/adherence.ts";

const SHOWN = 5;

/** Counts turns by day and by directive or rule. */
export class AdherenceTable {
  readonly #rows = new Map<string, AdherenceRow>();

  constructor(rows: Iterable<AdherenceRow> = []) {
    for (const row of rows) this.#put(row);
  }

  add(turn: CountedTurn): void {
    this.#put(rowOf(turn, 1));
  }

  /** Takes back a turn that was added before. */
  remove(turn: CountedTurn): void {
    this.#put(rowOf(turn, -1));
    const key = keyOf(turn);
    const row = this.#rows.get(key);
    if (row === undefined) return;
    const without = (of: "followed" | "violated") => row.shown[of].filter((event) => event !== turn.event);
    this.#rows.set(key, { ...row, shown: { followed: without("followed"), violated: without("violated") } });
  }

  #put(row: AdherenceRow): void {
    // Each check has its own row.
    const key = keyOf(row);
    const before = this.#rows.get(key);
    this.#rows.set(key, before === undefined ? row : joined(before, row));
  }

  /** Sorted by day, then directives before rules, then id, so that equal turns give equal rows. */
  rows(): readonly AdherenceRow[] {
    return sorted(this.#rows.values());
  }

  static join(rows: Iterable<AdherenceRow>): readonly AdherenceRow[] {
    return new AdherenceTable(rows).rows();
  }
}

/** Of two counts of the same turns, the one that has seen more of them: events may have been deleted before the other. */
export function fullerRows(a: readonly AdherenceRow[], b: readonly AdherenceRow[]): readonly AdherenceRow[] {
  const rows = new Map(a.map((row) => [keyOf(row), row]));
  for (const row of b) if (row.inForce > (rows.get(keyOf(row))?.inForce ?? 0)) rows.set(keyOf(row), row);
  return sorted([...rows.values()].filter(({ inForce }) => inForce > 0));
}

function sorted(rows: Iterable<AdherenceRow>): readonly AdherenceRow[] {
  return [...rows].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

function keyOf({ day, of, id, by }: Pick<AdherenceRow, "day" | "of" | "id" | "by">): string {
  return JSON.stringify([day, of, id, by]);
}

function orderOf({ day, of, id, by = "" }: AdherenceRow): string {
  return [day, of, id, by].join("\u0000");
}

function rowOf({ kind, event, ...named }: CountedTurn, count: 1 | -1): AdherenceRow {
  const shown = (of: "followed" | "violated") => (count === 1 && kind === of && event !== undefined ? [event] : []);
  return {
    ...named,
    inForce: count,
    followed: kind === "followed" ? count : 0,
    violated: kind === "violated" ? count : 0,
    cannotTell: kind === "cannot-tell" ? count : 0,
    shown: { followed: shown("followed"), violated: shown("violated") },
  };
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
