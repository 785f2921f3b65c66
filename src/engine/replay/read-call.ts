import { canonicalJson } from "../../base/kernel/canonical-json.ts";
import { isObject } from "../../base/kernel/json.ts";
import type { CallInput, ToolCall } from "../../base/words/call.ts";
import type { Facts } from "../../base/words/facts.ts";
import type { Json, JsonObject } from "../../base/words/json.ts";
import type { CompiledAgent } from "../agent/compiled-agent.ts";
import type { Asked } from "../moments/call.ts";
import { normaliseCall } from "../moments/normalise-call.ts";
import { PROTECTED_PATHS } from "./replay-agents.ts";
import { type EventOf, plainFacts } from "./replay-session.ts";

/** A recorded call as the agent of today would read it. `hidden`: arguments of which something was redacted or cut. */
export type ReadCall = {
  readonly call: ToolCall;
  readonly input: CallInput;
  readonly asked: Asked;
  readonly root: string;
  readonly facts: CallFacts;
  readonly hidden: readonly string[];
};

/** What was known of the call as the runtime made it, and of the one that rules made of it. */
export type CallFacts = { readonly made: Facts; readonly final: Facts };

/** No folder is this one. */
const ELSEWHERE = "\0elsewhere";

type Parsed = Pick<ToolCall, "actions" | "proves" | "paths" | "unclear">;

/** Reads recorded calls anew. Command lines come again and again: what they are is remembered. */
export class CallReader {
  readonly #known = new WeakMap<CompiledAgent, Map<string, Parsed>>();
  /** Calls of the session that were looked at before their turn. */
  readonly #ahead = new Map<EventOf<"call">, { readonly agent: CompiledAgent; readonly call: ToolCall }>();

  /** Another session: what was read ahead is of no use any more. */
  begin(): void {
    this.#ahead.clear();
  }

  read(event: EventOf<"call">, agent: CompiledAgent): ReadCall | undefined {
    const { made = {} } = event;
    const root = rootOf(event);
    const input = inputOf(event);
    const ahead = this.#ahead.get(event);
    const call = ahead?.agent === agent ? ahead.call : this.#normalised(input, agent, root);
    if (call === undefined) return undefined;
    const cwd = made.cwd ?? null;
    const asked = { cwd, argsHash: canonicalJson([input.args, cwd]), made };
    return { call, input, asked, root, facts: factsOf(event), hidden: hiddenIn(input.args) };
  }

  /** The call alone, for who wants to know before its turn which rules are on it. */
  readAhead(event: EventOf<"call">, agent: CompiledAgent): ToolCall | undefined {
    const call = this.#normalised(inputOf(event), agent, rootOf(event));
    if (call !== undefined) this.#ahead.set(event, { agent, call });
    return call;
  }

  #normalised(input: CallInput, agent: CompiledAgent, root: string): ToolCall | undefined {
    const { command } = input.args;
    if (input.tool !== "shell" || typeof command !== "string") return usable(normaliseCall(input, agent, root));
    const ofAgent = this.#known.get(agent) ?? new Map<string, Parsed>();
    this.#known.set(agent, ofAgent);
    const { cwd = null, actions = null, proves = null, paths = null, unclear = null } = input;
    const key = JSON.stringify([command, root, cwd, actions, proves, paths, unclear]);
    const known = ofAgent.get(key);
    if (known !== undefined) {
      const { id, tool, args, step, native = { runtime: "conduct", name: tool, input: args } } = input;
      return { id, tool, args, ...known, ...(step === undefined ? {} : { step }), native };
    }
    const call = usable(normaliseCall(input, agent, root));
    if (call === undefined) return undefined;
    if (ofAgent.size >= MAX_KNOWN) ofAgent.clear();
    ofAgent.set(key, {
      actions: call.actions,
      proves: call.proves,
      paths: call.paths,
      ...(call.unclear === undefined ? {} : { unclear: call.unclear }),
    });
    return call;
  }
}

const MAX_KNOWN = 10_000;

function rootOf({ made = {} }: EventOf<"call">): string {
  return made.elsewhere === true ? ELSEWHERE : (made.cwd ?? "/");
}

/** What the runtime gave, as far as it was recorded. */
function inputOf({ call: recorded, made = {} }: EventOf<"call">): CallInput {
  const { cwd, actions, proves } = made;
  return {
    id: recorded.id,
    tool: recorded.tool,
    args: made.args ?? recorded.args,
    // One that Conduct made up for a call is made up again, for what rules make of it too.
    ...(recorded.native.runtime === "conduct" ? {} : { native: recorded.native }),
    ...(recorded.step === undefined ? {} : { step: recorded.step }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(actions === undefined ? {} : { actions }),
    ...(proves === undefined ? {} : { proves }),
    ...(made.paths === true ? { paths: recorded.paths } : {}),
    ...(made.paths === true && recorded.unclear !== undefined ? { unclear: recorded.unclear } : {}),
  };
}

function usable(call: ToolCall | { readonly fault: string }): ToolCall | undefined {
  return "fault" in call ? undefined : call;
}

/** The recorded facts, and what the machine of then protected. */
function factsOf(event: EventOf<"call">): CallFacts {
  const found = protectedBy(event);
  const whole = (facts: Facts): Facts =>
    found === undefined ? facts : { ...facts, policies: { ...facts.policies, [PROTECTED_PATHS]: found } };
  const final = whole(plainFacts(event.facts));
  const { facts } = event.made ?? {};
  return { made: facts === undefined ? final : whole(plainFacts(facts)), final };
}

function protectedBy({ decision, shadows = [] }: EventOf<"call">): JsonObject | undefined {
  if (decision.kind === "deny" && decision.rule === PROTECTED_PATHS) {
    return { reason: decision.reason, next: decision.next };
  }
  const others = decision.kind === "deny" ? [...decision.others, ...shadows] : shadows;
  const found = others.find(({ rule }) => rule === PROTECTED_PATHS);
  return found === undefined ? undefined : { reason: found.reason, next: "" };
}

/** All arguments together were too large to be kept. */
export const EVERYTHING: readonly string[] = ["all arguments"];

/** Top-level arguments of which the journal does not have everything. */
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
