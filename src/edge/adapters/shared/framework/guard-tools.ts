import { randomUUID } from "node:crypto";
import {
  callback,
  checkOptions,
  having,
  mapOf,
  optional,
  type ShapesOf,
} from "../../../../base/kernel/check-options.ts";
import type { JsonObject } from "../../../../base/words/json.ts";
import type { SessionMoments } from "../../../../engine/session/session-moments.ts";
import { AgentMoments, GUARD_KEYS, type GuardOptions } from "./agent-moments.ts";

/** A tool as a function of its arguments; what else your loop passes is passed on. */
// biome-ignore lint/suspicious/noExplicitAny: a tool's own parameter types are narrower than any common one
export type ToolFunction = (args: any, ...rest: any[]) => unknown;

/** How your loop names calls. */
export type GuardToolsOptions = GuardOptions & {
  /** The id of a call, from what your loop passes after the arguments. Default: a random one. */
  readonly callId?: (...rest: readonly unknown[]) => string;
  /** A name of the model response that the call belongs to. Default: calls that overlap belong to one response. */
  readonly step?: (...rest: readonly unknown[]) => string;
};

/** The same tools, each of which returns its value or the text that the model has to read instead. */
export type GuardedTools<T> = {
  readonly [K in keyof T]: T[K] extends (...given: infer A) => infer R
    ? (...given: A) => Promise<Awaited<R> | string>
    : never;
};

/**
 * Puts the moments `call` and `result` around tools, for any agent loop: a denied call returns the reason for the model
 * and does not run, a rewritten one runs with the new arguments, a long result comes back shortened. A tool that throws
 * counts as failed, and its error is thrown on.
 */
export function guardTools<T extends Readonly<Record<string, ToolFunction>>>(
  session: SessionMoments,
  tools: T,
  options: GuardToolsOptions = {},
): GuardedTools<T> {
  checkOptions("guardTools", { session, tools }, { session: having("onCall", "onResult"), tools: mapOf(callback) });
  checkOptions("guardTools", options, KEYS);
  const { callId, step, ...guard } = options;
  const moments = new AgentMoments(session, "guard-tools", guard);
  const guarded = Object.entries(tools).map(([name, tool]) => {
    const run = (input: JsonObject = {}, ...rest: readonly unknown[]) => {
      const id = callId?.(...rest) ?? randomUUID();
      return moments.run({ id, name, input, step: step?.(...rest) }, (given) => tool(given, ...rest));
    };
    return [name, run] as const;
  });
  return Object.fromEntries(guarded) as unknown as GuardedTools<T>;
}

const KEYS: ShapesOf<GuardToolsOptions> = {
  ...GUARD_KEYS,
  callId: optional(callback),
  step: optional(callback),
};
