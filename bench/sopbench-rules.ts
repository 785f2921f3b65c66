import type { CallLeaf, Condition, RuleSet } from "../src/base/words/rule.ts";
import type { Graph, GraphNode, Procedures } from "./sopbench-data.ts";
import { impliedActions, otherWays, own } from "./sopbench-facts.ts";
import { withAndWithout } from "./sopbench-optional.ts";

export type Counts = CallLeaf["counts"];

/**
 * Translates a procedure of any domain: each tool requires what its node needs, in the task's graph or else in its
 * own. Additional facts of a call become `implies`, or an alternative if that cannot express them.
 */
export function translate(graph: Graph, procedures: Procedures, counts: Counts): RuleSet {
  const tools = new Set([...functionsIn(graph), ...Object.keys(procedures.default_graphs)]);
  const rules = [...tools].flatMap((tool) => {
    // Undeclared parameters have no value to compare with.
    const declared = own(procedures.action_parameters, tool) ?? [];
    return withAndWithout(tool, declared, (given) => requirement(tool, graph, { given, procedures, counts }));
  });
  return { actions: impliedActions(procedures), rules };
}

/** Context of a rule; `given`: the arguments of its tool that can be compared. */
type Making = { readonly given: readonly string[]; readonly procedures: Procedures; readonly counts: Counts };

/** Returns `undefined` if the tool has no requirements, or none are known. */
function requirement(tool: string, graph: Graph, making: Making): Condition | undefined {
  for (const one of [graph, own(making.procedures.default_graphs, tool)]) {
    const node = one?.nodes.findIndex((other) => typeof other !== "string" && other[0] === tool) ?? -1;
    if (one === undefined || node < 0) continue;
    const needs = childrenOf(one, node).flatMap((child) => condition(one, child, making, []));
    return needs.length === 0 ? undefined : joined("all", needs);
  }
  return undefined;
}

/** Stops at a leaf, because a call that counts was itself in order. Skips cycles and missing nodes. */
function condition(graph: Graph, at: number, making: Making, above: readonly number[]): readonly Condition[] {
  const node = graph.nodes[at];
  if (node === undefined || above.includes(at)) return [];
  if (typeof node !== "string") return [leaf(node, making)];
  const parts = childrenOf(graph, at).flatMap((child) => condition(graph, child, making, [...above, at]));
  return [joined(node === "or" ? "any" : "all", parts)];
}

function leaf([name, names]: Exclude<GraphNode, string>, making: Making): Condition {
  const fn = withoutNot(name);
  const same = Object.entries(names ?? {}).flatMap(([theirs, expected]) =>
    making.given.includes(expected) ? [{ mine: expected, theirs }] : [],
  );
  const met = joined("any", [call(fn, same, [], making), ...alternatives(fn, same, making)]);
  return fn === name ? met : { kind: "not", of: met };
}

/**
 * A call without the compared parameter is no alternative, and it establishes the fact only with all of its arguments.
 */
function alternatives(fact: string, same: CallLeaf["same"], making: Making): readonly Condition[] {
  return otherWays(fact, making.procedures).flatMap(({ tool, given }) => {
    const renamed = same.flatMap(({ mine, theirs }) => {
      const argument = given.get(theirs);
      return argument === undefined ? [] : [{ mine, theirs: argument }];
    });
    return renamed.length < same.length ? [] : [call(tool, renamed, [...given.values()], making)];
  });
}

function call(tool: string, same: CallLeaf["same"], needed: readonly string[], { counts }: Making): Condition {
  const where = needed.map((argument) => `has(args.${argument})`).join(" && ");
  return { kind: "call", call: tool, same, fresh: false, counts, ...(where === "" ? {} : { where }) };
}

function joined(kind: "all" | "any", of: readonly Condition[]): Condition {
  const [only, ...more] = of;
  return only !== undefined && more.length === 0 ? only : { kind, of };
}

function functionsIn({ nodes }: Graph): readonly string[] {
  return nodes.flatMap((node) => (typeof node === "string" ? [] : [withoutNot(node[0])]));
}

function withoutNot(fn: string): string {
  return fn.startsWith("not ") ? fn.slice("not ".length) : fn;
}

function childrenOf({ connections }: Graph, node: number): readonly number[] {
  return connections.flatMap(([from, to]) => (from === node ? [to] : []));
}
