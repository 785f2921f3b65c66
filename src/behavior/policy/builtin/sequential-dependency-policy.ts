import { checkOptions, flag, mapOf, name, names, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { ToolCall } from "../../../base/words/call.ts";
import type { PolicyContext, PolicyDecision, PolicyResultContext, ToolPolicy } from "../../../base/words/policy.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { allow, deny } from "../policy-decision.ts";

type Proven = readonly string[];

export type SequentialDependencyOptions = {
  /** A tool or action, and what must have succeeded before it. */
  readonly dependencies: { readonly [tool: string]: Iterable<string> };
  readonly name?: string;
  readonly rearmOnCompaction?: boolean;
};

/** A tool or action may run only after others have succeeded in this session. */
export class SequentialDependencyPolicy implements ToolPolicy<Proven> {
  readonly name: string;
  readonly initial: Proven = [];
  readonly rearmOnCompaction: boolean;
  /** The sorted prerequisites of each tool or action. */
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
  readonly #relevant: ReadonlySet<string>;

  constructor(options: SequentialDependencyOptions) {
    checkOptions("SequentialDependencyPolicy", options, KEYS);
    this.name = options.name ?? "sequential-dependency";
    this.rearmOnCompaction = options.rearmOnCompaction ?? false;
    this.dependencies = new Map(
      Object.entries(options.dependencies).map(([tool, needs]) => [tool, [...new Set(needs)].sort()]),
    );
    this.#relevant = new Set([...this.dependencies.values()].flat());
  }

  check(call: ToolCall, { state }: PolicyContext<Proven>): PolicyDecision {
    for (let at = -1; at < call.actions.length; at++) {
      const name = call.actions[at] ?? call.tool;
      const needs = this.dependencies.get(name);
      if (needs === undefined) continue;
      const missing = needs.filter((needed) => !state.includes(needed));
      if (missing.length === 0) continue;
      return deny(`Tool '${name}' requires: ${missing.join(", ")}`, {
        code: "missing-prerequisite",
        missing: missing.map((what) => ({ what, why: "has not succeeded in this session" })),
        next: `Run ${missing[0]} until it succeeds${missing.length > 1 ? ", then the others," : ""} and then repeat this call in a later step.`,
        key: name,
      });
    }
    return allow();
  }

  onResult(call: ToolCall, _result: ToolResult, { state }: PolicyResultContext<Proven>): Proven {
    let proven = state;
    for (let at = -1; at < call.proves.length; at++) {
      const name = call.proves[at] ?? call.tool;
      if (this.#relevant.has(name) && !proven.includes(name)) proven = [...proven, name];
    }
    return proven;
  }
}

const KEYS: ShapesOf<SequentialDependencyOptions> = {
  dependencies: mapOf(names),
  name: optional(name),
  rearmOnCompaction: optional(flag),
};
