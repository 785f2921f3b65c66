import { parseDuration } from "../../../../../base/kernel/duration.ts";
import type { GovernanceJournal } from "../../../../../base/ports/stores/governance.ts";
import type { BehaviorDirective } from "../../../../../base/words/contract.ts";
import { allDirectives, type ContractState } from "../../../../../behavior/contract/contract-state.ts";
import { writeCheck } from "../../../../../behavior/contract/directive-check.ts";
import { readTime } from "../../../../../behavior/contract/iso-time.ts";
import { ContractService } from "../../../../../engine/governance/contract-service.ts";
import type { AdherenceRow } from "../../../../learning/adherence/adherence.ts";
import { type AdherenceSources, adherenceSince } from "../../../../learning/adherence/adherence-since.ts";
import { type GovernanceWorld, textOf } from "../world.ts";

/** A directive or rule over all days that were looked at. `days`: the share that was followed, where it could be told. */
export type Followed = {
  readonly of: AdherenceRow["of"];
  readonly id: string;
  readonly directive?: BehaviorDirective;
  readonly inForce: number;
  readonly followed: number;
  readonly violated: number;
  readonly cannotTell: number;
  readonly by?: string;
  readonly days: readonly { readonly day: string; readonly share?: number }[];
  readonly violations: readonly string[];
  readonly helpful: number;
  readonly harmful: number;
};

export type AdherenceSeen = { readonly since?: string; readonly adherence: readonly Followed[] };

export const NOTHING_SEEN: AdherenceSeen = { adherence: [] };

const THIRTY_DAYS = 30 * 86_400_000;

/** Milliseconds since the epoch; `undefined` when it is no time. */
export function sinceOf(given: unknown, now: number): number | undefined {
  const text = textOf(given);
  if (text === undefined) return now - THIRTY_DAYS;
  const duration = parseDuration(text);
  if (duration !== undefined) return now - duration;
  const time = readTime(text);
  return time === undefined ? undefined : Date.parse(time);
}

/** Opens the whole store: what happened in sessions is needed too. */
export async function adherenceSeen(
  world: GovernanceWorld,
  state: ContractState,
  governance: GovernanceJournal,
  since: number,
  progress: NonNullable<AdherenceSources["progress"]>,
): Promise<AdherenceSeen> {
  const opened = await world.open("write");
  try {
    const { clock, ids } = world;
    const counter = async () => (await import("../../../../../behavior/results/tokens.ts")).loadTokenizer();
    const contracts = new ContractService({ journal: opened.journal, clock, ids, counter });
    const { events } = opened;
    const rows = events === undefined ? [] : await adherenceSince({ events, governance, contracts, progress }, since);
    const found = [...Map.groupBy(rows, ({ of, id }) => `${of} ${id}`).values()]
      .flatMap((some) => byCheck(some, state))
      .map((some) => followedOf(some, state));
    const told = new Set(found.map(({ id }) => id));
    const silent = allDirectives(state).filter(({ id }) => !told.has(id));
    const quiet = silent.map((directive) => followedOf([], state, directive));
    return { since: new Date(since).toISOString(), adherence: [...found, ...quiet] };
  } finally {
    await opened.close();
  }
}

/** Another check is another measure: each stands by itself, and turns before any was declared stand with the one of now. */
function byCheck(rows: readonly AdherenceRow[], state: ContractState): readonly (readonly AdherenceRow[])[] {
  const check = allDirectives(state).find(({ id }) => id === rows[0]?.id)?.check;
  const now = check === undefined ? rows.findLast(({ by }) => by !== undefined)?.by : writeCheck(check);
  const groups = Map.groupBy(rows, ({ by = now }) => by);
  const current = groups.get(now);
  groups.delete(now);
  return [...(current === undefined ? [] : [current]), ...groups.values()];
}

function followedOf(
  rows: readonly AdherenceRow[],
  { tallies, ...state }: ContractState,
  given?: BehaviorDirective,
): Followed {
  const newest = rows.at(-1);
  const by = rows.findLast((row) => row.by !== undefined)?.by;
  const id = newest?.id ?? given?.id ?? "";
  const directive = given ?? allDirectives({ tallies, ...state }).find((one) => one.id === id);
  const sum = (of: "inForce" | "followed" | "violated" | "cannotTell") => rows.reduce((all, row) => all + row[of], 0);
  const { helpful = 0, harmful = 0 } = tallies.get(id) ?? {};
  const days = [...Map.groupBy(rows, ({ day }) => day)].map(([day, some]) => {
    const followed = some.reduce((all, row) => all + row.followed, 0);
    const told = some.reduce((all, row) => all + row.followed + row.violated, 0);
    return { day, ...(told === 0 ? {} : { share: followed / told }) };
  });
  return {
    ...{ of: newest?.of ?? "directive", id },
    ...(directive === undefined ? {} : { directive }),
    ...{ inForce: sum("inForce"), followed: sum("followed"), violated: sum("violated"), cannotTell: sum("cannotTell") },
    ...(by === undefined ? {} : { by }),
    days,
    violations: rows.flatMap(({ shown }) => shown.violated).slice(-3),
    ...{ helpful, harmful },
  };
}
