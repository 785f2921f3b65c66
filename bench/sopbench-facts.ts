import type { RuleAction } from "../src/base/words/rule.ts";
import type { Procedures } from "./sopbench-data.ts";

/** The parameters of a fact, each with the argument of the call that gives its value. */
export type Given = ReadonlyMap<string, string>;

/** What calls prove besides themselves, as far as `implies` says it. */
export function impliedActions(procedures: Procedures): { readonly [name: string]: RuleAction } {
  const entries = Object.entries(procedures.implied_by_innate).map(([tool, facts]) => {
    const implies = Object.keys(facts).filter((fact) => isPlain(tool, fact, procedures));
    return [tool, { tool, implies }] as const;
  });
  return Object.fromEntries(entries);
}

/** The calls that establish a fact in a way that `implies` does not say, and what each gives it. */
export function otherWays(
  fact: string,
  procedures: Procedures,
): readonly { readonly tool: string; readonly given: Given }[] {
  return Object.keys(procedures.implied_by_innate)
    .filter((tool) => !isPlain(tool, fact, procedures))
    .flatMap((tool) => givenBy(tool, fact, procedures).map((given) => ({ tool, given })));
}

/**
 * Does `implies` say it? The fact takes its arguments from the call under the same names, all that it has, and brings no
 * further facts (`implies` is transitive) that the call is not said to establish.
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
 * The keys are the fact's parameters and the values the call's arguments, unless what the two functions declare says that it
 * is the other way round. (In the domains that this was written with they are always equal.)
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

/** A table from a file has no other entries than its own. */
export function own<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
