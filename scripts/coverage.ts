import type { Capability, CoverageCell, CoverageColumn } from "../src/base/words/hosting/capability.ts";
import { capabilityOf, scenarios } from "../src/testing/kit/conformance.ts";
import type { RuntimeDriver } from "../src/testing/kit/driver.ts";

/** Content of `docs/coverage.json`. */
export type Coverage = { readonly generated: string; readonly columns: readonly CoverageColumn[] };

/** A test in vitest's JSON report. */
export type TestResult = {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
};

/** Proven by tests of their own, not by the kit: a test's title is the driver's name. */
export const SAME_DECISIONS = "same-decisions";
export const BESIDE_KIT = ["exec-gate", SAME_DECISIONS] as const;
const GENERATED = "by npm run compat; do not edit";

export const CAPABILITIES: readonly Capability[] = [...new Set(scenarios.flatMap(({ needs }) => needs))];

/** Returns the results of one driver. A claimed capability that no passed scenario proves counts as failed. */
export function columnOf(
  driver: Pick<RuntimeDriver, "name" | "capabilities">,
  about: Pick<CoverageColumn, "runtime" | "package" | "version" | "run" | "setUp">,
  results: readonly TestResult[],
): CoverageColumn {
  const ofKit = results.filter(({ ancestorTitles }) => ancestorTitles.includes(`conformance: ${driver.name}`));
  const statusOf = (id: string) => ofKit.find(({ title }) => title.startsWith(`${id}: `))?.status;
  const spokenOf = CAPABILITIES.filter((name) => driver.capabilities[name] !== undefined);
  const cells = spokenOf.map((name): readonly [string, CoverageCell] => {
    const can = capabilityOf(driver, name);
    if (can !== true) return [name, { impossible: can.cannot }];
    const needing = scenarios.filter(({ needs }) => needs.includes(name));
    const run = needing.filter(({ needs }) => needs.every((need) => capabilityOf(driver, need) === true));
    return [name, judge(run.map(({ id }) => ({ id, status: statusOf(id) })))];
  });
  const beside = BESIDE_KIT.flatMap((name) => {
    const cell = besideKit(name, driver.name, results);
    return cell === undefined ? [] : [[name, cell] as const];
  });
  return {
    ...about,
    driver: driver.name,
    capabilities: Object.fromEntries([...cells, ...beside]),
  };
}

/** Replaces the columns of the runtimes that were run; the others stay unchanged. */
export function mergeCoverage(before: Coverage | undefined, run: readonly CoverageColumn[]): Coverage {
  const ran = new Set(run.map(({ runtime }) => runtime));
  const kept = (before?.columns ?? []).filter(({ runtime }) => !ran.has(runtime));
  const columns = [...kept, ...run].sort((a, b) => (a.runtime < b.runtime ? -1 : a.runtime > b.runtime ? 1 : 0));
  return { generated: GENERATED, columns };
}

/** Returns where the claimed capabilities differ from the results of a column; empty if they match. */
export function unprovenClaims(capabilities: RuntimeDriver["capabilities"], column: CoverageColumn): readonly string[] {
  return CAPABILITIES.flatMap((name) => {
    const [can, cell] = [capabilities[name], column.capabilities[name] ?? {}];
    if (can === true) return "proven" in cell ? [] : [`${name} is claimed and not proven`];
    const reason = "impossible" in cell ? cell.impossible : undefined;
    return reason === can?.cannot ? [] : [`${name} has another reason in the map, or none`];
  });
}

function judge(run: readonly { readonly id: string; readonly status: string | undefined }[]): CoverageCell {
  if (run.length === 0) return { failed: ["no scenario that needs it can run here"] };
  const not = run.filter(({ status }) => status !== "passed").map(({ id }) => id);
  return not.length === 0 ? { proven: run.map(({ id }) => id) } : { failed: not };
}

/** A driver that cannot be compared gives the reason in the test titles. Returns `undefined` if nothing was run. */
function besideKit(name: string, driver: string, results: readonly TestResult[]): CoverageCell | undefined {
  const own = results.filter(
    ({ ancestorTitles, title }) =>
      ancestorTitles.some((above) => above.startsWith(name)) &&
      (title === driver || title.startsWith(`${driver} [cannot: `)),
  );
  if (own.length === 0) return undefined;
  const reason = own.map(({ title }) => /\[cannot: (.*)\]$/.exec(title)?.[1]).find((text) => text !== undefined);
  if (reason !== undefined) return { impossible: reason };
  const failed = own.filter(({ status }) => status !== "passed");
  const titles = (tests: readonly TestResult[]) => tests.map(({ ancestorTitles }) => ancestorTitles.at(-1) ?? "");
  return failed.length === 0 ? { proven: titles(own) } : { failed: titles(failed) };
}
