import type { Replayed, Verdict } from "./sopbench-replay.ts";
import { quantile } from "./statistics.ts";

/**
 * Denied compared with out of order: `hits` are both, `wrong` only denied, `missed` only out of order. Both shares are
 * 1 if there are no calls.
 */
export type Agreement = {
  readonly judged: number;
  readonly hits: number;
  readonly wrong: number;
  readonly missed: number;
  readonly precision: number;
  readonly recall: number;
};

/** Calls of one tool on which engine and label disagree in the same way. */
export type Disagreement = {
  readonly tool: string;
  readonly kind: "wrong" | "missed";
  readonly count: number;
  /** How many came after a call that was in order and failed. */
  readonly afterFailure: number;
  readonly example: string;
};

/** Score of one domain, or of all domains. */
export type Score = {
  readonly name: string;
  readonly runs: number;
  readonly successfulRuns: number;
  readonly calls: number;
  readonly perCall: Agreement;
  readonly perRun: Agreement;
  /** Denied calls in successful runs with everything in order; should be 0. */
  readonly deniedInSuccessful: number;
  /** Denied calls without a label, or denied by something other than the procedure's rules. */
  readonly deniedBeyond: number;
  readonly microseconds: { readonly mean: number; readonly p50: number; readonly p99: number };
  readonly disagreements: readonly Disagreement[];
};

export function scoreOf(name: string, replayed: readonly Replayed[]): Score {
  const verdicts = replayed.flatMap((one) => one.verdicts);
  const successful = replayed.filter(({ run }) => run.labels.success);
  const times = verdicts.map(({ microseconds }) => microseconds);
  return {
    name,
    runs: replayed.length,
    successfulRuns: successful.length,
    calls: verdicts.length,
    perCall: agreement(verdicts.filter(isJudged).map((one) => [isDenied(one), isOutOfOrder(one)])),
    perRun: agreement(
      replayed.map((one) => [
        one.verdicts.some((verdict) => isJudged(verdict) && isDenied(verdict)),
        one.verdicts.some(isOutOfOrder),
      ]),
    ),
    deniedInSuccessful: successful.flatMap((one) => one.verdicts.filter(isDenied)).length,
    deniedBeyond: verdicts.filter((one) => isDenied(one) && !(isJudged(one) && one.denied?.startsWith("order:")))
      .length,
    microseconds: {
      mean: times.reduce((sum, time) => sum + time, 0) / times.length,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
    },
    disagreements: disagreements(replayed),
  };
}

function isJudged({ call }: Verdict): boolean {
  return call.order_ok !== null;
}

function isDenied({ denied }: Verdict): boolean {
  return denied !== undefined;
}

function isOutOfOrder({ call }: Verdict): boolean {
  return call.order_ok === false;
}

function agreement(pairs: readonly (readonly [denied: boolean, outOfOrder: boolean])[]): Agreement {
  const count = (denied: boolean, outOfOrder: boolean) =>
    pairs.filter((pair) => pair[0] === denied && pair[1] === outOfOrder).length;
  const [hits, wrong, missed] = [count(true, true), count(true, false), count(false, true)];
  const share = (of: number) => (of === 0 ? 1 : hits / of);
  return { judged: pairs.length, hits, wrong, missed, precision: share(hits + wrong), recall: share(hits + missed) };
}

const NONE_YET = { count: 0, afterFailure: 0, example: undefined };

/** Most frequent first. */
function disagreements(replayed: readonly Replayed[]): readonly Disagreement[] {
  const found = new Map<string, Disagreement>();
  for (const { run, verdicts } of replayed) {
    let failures = 0;
    for (const verdict of verdicts) {
      const after = Math.min(failures, 1);
      if (verdict.call.order_ok === true && !verdict.worked) failures++;
      if (!isJudged(verdict) || isDenied(verdict) === isOutOfOrder(verdict)) continue;
      const { tool } = verdict.call;
      const kind = isDenied(verdict) ? "wrong" : "missed";
      const { count, afterFailure, example } = found.get(`${kind} ${tool}`) ?? NONE_YET;
      const more = { count: count + 1, afterFailure: afterFailure + after, example: example ?? run.id };
      found.set(`${kind} ${tool}`, { tool, kind, ...more });
    }
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count);
}
