import type { AdherenceRow } from "../../../../src/base/ports/stores/adherence.ts";

export type { AdherenceRow };

export type Sums = {
  readonly inForce: number;
  readonly followed: number;
  readonly violated: number;
  readonly cannotTell: number;
};

const NONE: Sums = { inForce: 0, followed: 0, violated: 0, cannotTell: 0 };

export function sumOf(rows: readonly Sums[]): Sums {
  return rows.reduce<Sums>(
    (sum, row) => ({
      inForce: sum.inForce + row.inForce,
      followed: sum.followed + row.followed,
      violated: sum.violated + row.violated,
      cannotTell: sum.cannotTell + row.cannotTell,
    }),
    NONE,
  );
}

export type Day = Sums & { readonly day: string };

const DAY = 86_400_000;

/** Returns every day up to today (UTC), including days on which the directive was not in force. */
export function daysOf(rows: readonly AdherenceRow[], count: number, now: number): readonly Day[] {
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(now - (count - 1 - at) * DAY).toISOString().slice(0, 10);
    return { day, ...sumOf(byDay.get(day) ?? []) };
  });
}

/** `followed 12, violated 1, not measured 3 of 16 turns`. */
export function sumInWords({ inForce, followed, violated, cannotTell }: Sums): string {
  const turns = inForce === 1 ? "1 turn" : `${inForce} turns`;
  const parts = [
    ...(followed === 0 ? [] : [`followed ${followed}`]),
    ...(violated === 0 ? [] : [`violated ${violated}`]),
    ...(cannotTell === 0 ? [] : [`not measured ${cannotTell}`]),
  ];
  return inForce === 0 ? "no turns yet" : `${parts.join(", ")} of ${turns}`;
}
