import { CAPABILITY_MEANING } from "../../../../src/base/kernel/capability-meaning.ts";
import type { CoverageColumn } from "../../../../src/base/words/hosting/capability.ts";

/** Coverage of a capability in one mode of a runtime, as text. */
export type Shown = {
  readonly kind: "proven" | "impossible" | "failed" | "untold";
  readonly driver: string;
  readonly capability: string;
  readonly meaning: string;
  /** Why the capability is not enforced; empty if it is. */
  readonly reason: string;
  readonly scenarios: readonly string[];
};

const CAPABILITIES: readonly string[] = Object.keys(CAPABILITY_MEANING);

export function meaningOf(capability: string): string {
  return (CAPABILITY_MEANING as { readonly [name: string]: string })[capability] ?? "";
}

/** An untested capability counts as not enforced, like a failed one. */
export function shownOf(column: CoverageColumn, capability: string): Shown {
  const cell = column.capabilities[capability];
  const about = { driver: column.driver, capability, meaning: meaningOf(capability) };
  if (cell === undefined) return { ...about, kind: "untold", reason: "not tested", scenarios: [] };
  if ("proven" in cell) return { ...about, kind: "proven", reason: "", scenarios: cell.proven };
  if ("impossible" in cell) return { ...about, kind: "impossible", reason: cell.impossible, scenarios: [] };
  return { ...about, kind: "failed", reason: "its tests failed in the last run", scenarios: cell.failed };
}

/** Returns the known capabilities in their usual order, then unknown ones. */
export function rowsOf(columns: readonly CoverageColumn[]): readonly string[] {
  const all = new Set(columns.flatMap(({ capabilities }) => Object.keys(capabilities)));
  return [...CAPABILITIES.filter((name) => all.has(name)), ...[...all].filter((name) => !CAPABILITIES.includes(name))];
}
