import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { CallInput, ToolCall } from "../../base/words/call.ts";
import type { ConductEvent } from "../../base/words/event.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Json, JsonObject } from "../../base/words/json.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import type { Asked } from "../moments/call.ts";
import { NO_FACTS } from "../moments/gather.ts";
import { normaliseCall } from "../moments/normalise-call.ts";
import { PROTECTED_PATHS } from "./replay-agents.ts";

export type EventOf<T extends ConductEvent["type"]> = Extract<ConductEvent, { readonly type: T }>;

/** A recorded call as the agent of today reads it. `hidden`: arguments that were redacted or cut, in part or wholly. */
export type RecordedCall = {
  readonly call: ToolCall;
  readonly input: CallInput;
  readonly asked: Asked;
  readonly root: string;
  readonly facts: CallFacts;
  readonly hidden: readonly string[];
};

/** The facts of the call as the runtime made it, and of the call after rules rewrote it. */
export type CallFacts = { readonly made: Facts; readonly final: Facts };

/** A path that is no folder. */
const ELSEWHERE = "\0elsewhere";
const MAX_PARSED = 10_000;

type Parsed = Pick<ToolCall, "actions" | "proves" | "paths" | "unclear">;

/** Reads recorded calls. The same command lines come again and again, so parsed ones are cached. */
export class CallReader {
  readonly #parsed = new WeakMap<CompiledAgent, Map<string, Parsed>>();

  /** Returns `undefined` if the call is unreadable. */
  read(event: EventOf<"call">, agent: CompiledAgent): RecordedCall | undefined {
    const { made = {} } = event;
    const root = made.elsewhere === true ? ELSEWHERE : (made.cwd ?? "/");
    const input = inputOf(event);
    const call = this.#normalise(input, agent, root);
    if ("fault" in call) return undefined;
    const cwd = made.cwd ?? null;
    const asked = { cwd, argsHash: canonicalJson([input.args, cwd]), made };
    return { call, input, asked, root, facts: factsOf(event), hidden: hiddenIn(input.args) };
  }

  #normalise(input: CallInput, agent: CompiledAgent, root: string): ReturnType<typeof normaliseCall> {
    const { command } = input.args;
    if (input.tool !== "shell" || typeof command !== "string") return normaliseCall(input, agent, root);
    const ofAgent = this.#parsed.get(agent) ?? new Map<string, Parsed>();
    this.#parsed.set(agent, ofAgent);
    const { id, tool, args, step, cwd = null, actions = null, proves = null, paths = null, unclear = null } = input;
    const key = JSON.stringify([command, root, cwd, actions, proves, paths, unclear]);
    const known = ofAgent.get(key);
    if (known !== undefined) {
      return {
        id,
        tool,
        args,
        step,
        ...known,
        native: input.native ?? { runtime: "conduct", name: tool, input: args },
      };
    }
    const call = normaliseCall(input, agent, root);
    if ("fault" in call) return call;
    if (ofAgent.size >= MAX_PARSED) ofAgent.clear();
    ofAgent.set(key, { actions: call.actions, proves: call.proves, paths: call.paths, unclear: call.unclear });
    return call;
  }
}

/** What the runtime handed in, as far as it was recorded. */
function inputOf({ call, made = {} }: EventOf<"call">): CallInput {
  return {
    id: call.id,
    tool: call.tool,
    args: made.args ?? call.args,
    // A native call that Conduct made up is made up again, from the rewritten arguments too.
    native: call.native.runtime === "conduct" ? undefined : call.native,
    step: call.step,
    cwd: made.cwd,
    actions: made.actions,
    proves: made.proves,
    paths: made.paths === true ? call.paths : undefined,
    unclear: made.paths === true ? call.unclear : undefined,
  };
}

/** The recorded facts, with what was protected on the machine of then. */
function factsOf(event: EventOf<"call">): CallFacts {
  const found = protectedBy(event);
  const whole = (facts: Facts | undefined): Facts => {
    const plain = plainFacts(facts);
    return found === undefined ? plain : { ...plain, policies: { ...plain.policies, [PROTECTED_PATHS]: found } };
  };
  const final = whole(event.facts);
  return { made: event.made?.facts === undefined ? final : whole(event.made.facts), final };
}

/** Recorded facts without a prototype: keys come from the model, and `constructor` must not be found. */
export function plainFacts(facts: Facts | undefined): Facts {
  if (facts === undefined) return NO_FACTS;
  const { paths, policies, faults } = facts;
  if (isEmpty(paths) && isEmpty(policies) && isEmpty(faults)) return NO_FACTS;
  return {
    paths: bare(paths, NO_FACTS.paths),
    policies: bare(policies, NO_FACTS.policies),
    faults: bare(faults, NO_FACTS.faults),
  };
}

function bare<T extends object>(from: T, nothing: T): T {
  return isEmpty(from) ? nothing : Object.assign(Object.create(null), from);
}

function isEmpty(of: object): boolean {
  for (const _ in of) return false;
  return true;
}

function protectedBy({ decision, shadows = [] }: EventOf<"call">): JsonObject | undefined {
  if (decision.kind === "deny" && decision.rule === PROTECTED_PATHS) {
    return { reason: decision.reason, next: decision.next };
  }
  const others = decision.kind === "deny" ? [...decision.others, ...shadows] : shadows;
  const found = others.find(({ rule }) => rule === PROTECTED_PATHS);
  return found === undefined ? undefined : { reason: found.reason, next: "" };
}

/** Stands for all arguments, where together they were too large to be recorded. */
export const EVERYTHING: readonly string[] = ["all arguments"];

function hiddenIn(args: JsonObject): readonly string[] {
  const hidden: string[] = [];
  for (const name in args) if (isHidden(args[name])) hidden.push(name);
  return hidden.length === 1 && hidden[0] === "cut" && Object.keys(args).length === 1 ? EVERYTHING : hidden;
}

function isHidden(value: Json | undefined): boolean {
  if (typeof value === "string") return value.includes("[redacted:") || value.includes("[cut: ");
  if (Array.isArray(value)) return value.some(isHidden);
  return isObject(value) && Object.entries(value).some(([name, item]) => name.includes("[redacted:") || isHidden(item));
}
