import type { ActionSpec } from "../src/base/words/hosting/agent.ts";

import type { Procedures } from "./sopbench-data.ts";

/** Maps a fact's parameters to the call's arguments. */
export type Given = ReadonlyMap<string, string>;

/** Returns the additional facts of calls that `implies` can express. */
export function impliedActions(procedures: Procedures): { readonly [name: string]: ActionSpec } {
  const entries = Object.entries(procedures.implied_by_innate).map(([tool, facts]) => {
    const implies = Object.keys(facts).filter((fact) => isPlain(tool, fact, procedures));
    return [tool, { tool, implies }] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the calls that establish a fact in a way that `implies` cannot express, each with its arguments. */
export function otherWays(
  fact: string,
  procedures: Procedures,
): readonly { readonly tool: string; readonly given: Given }[] {
  return Object.keys(procedures.implied_by_innate)
    .filter((tool) => !isPlain(tool, fact, procedures))
    .flatMap((tool) => givenBy(tool, fact, procedures).map((given) => ({ tool, given })));
}

/**
 * Whether `implies` can express it: the fact takes all its arguments from the call under the same names, and implies
 * no further facts that the call does not establish (`implies` is transitive).
 */
function isPlain(tool: string, fact: string, procedures: Procedures): boolean {
  const [given, ...more] = givenBy(tool, fact, procedures);
  if (given === undefined || more.length > 0) return false;
  const sameNames = [...given].every(([parameter, argument]) => parameter === argument);
  const parameters = own(procedures.action_parameters, fact) ?? [];
  const established = own(procedures.implied_by_innate, tool) ?? {};
  const further = Object.keys(own(procedures.implied_by_innate, fact) ?? {});
  return (
    sameNames &&
    parameters.length > 0 &&
    parameters.every((parameter) => given.has(parameter)) &&
    further.every((one) => one === tool || Object.hasOwn(established, one))
  );
}

/**
 * Keys are the fact's parameters and values are the call's arguments, unless the declarations of both functions show
 * the opposite. In all known domains they are equal.
 */
function givenBy(tool: string, fact: string, { implied_by_innate, action_parameters }: Procedures): readonly Given[] {
  const implied = own(own(implied_by_innate, tool) ?? {}, fact);
  if (implied === undefined) return [];
  const ofTool = own(action_parameters, tool) ?? [];
  const ofFact = own(action_parameters, fact) ?? [];
  return implied.value_param_names.map((values) => {
    const pairs = implied.keys.map((key, i) => [key, values[i] ?? key] as const);
    const asSaid = pairs.every(([key, value]) => ofFact.includes(key) && ofTool.includes(value));
    const turned = pairs.every(([key, value]) => ofTool.includes(key) && ofFact.includes(value));
    return new Map(turned && !asSaid ? pairs.map(([key, value]) => [value, key] as const) : pairs);
  });
}

/** Reads only own properties, because the table comes from a file. */
export function own<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
