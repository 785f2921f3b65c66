import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../src/base/kernel/bounded-map.ts";
import type { ToolCall } from "../src/base/words/call.ts";
import type { Agent } from "../src/base/words/hosting/agent.ts";
import type { ToolPolicy } from "../src/base/words/policy.ts";
import { allow, deny } from "../src/behavior/policy/policy-decision.ts";
import { CompiledAgent } from "../src/engine/agent/compiled-agent.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import { decideCall } from "../src/engine/moments/decide-call.ts";
import { gatherForCall } from "../src/engine/moments/gather.ts";
import { normaliseCall } from "../src/engine/moments/normalise-call.ts";
import { LiveView } from "../src/engine/session/session-context.ts";
import type { Side } from "./harness.ts";
import { benchCall, type Driver, instantFilesystem } from "./workload.ts";

const TOOLS = [
  "read_file",
  "edit_file",
  "write_file",
  "shell",
  "search",
  "fetch",
  "task",
  "deploy",
  "publish",
  "login",
];

/** Ten tools with ten stateful policies each, like a hundred rules of which ten apply to the called tool. */
export function manyPolicies(): Agent {
  return defineAgent({
    name: "many",
    sections: TOOLS.map((tool) => ({
      heading: tool,
      content: tool,
      tools: [tool],
      policies: [...range(5).map((n) => quota(tool, n)), ...range(5).map((n) => quotaByTarget(tool, n))],
    })),
  });
}

/** Limits the calls of a tool in a session. */
function quota(tool: string, n: number): ToolPolicy<number> {
  return {
    name: `${tool}-quota-${n}`,
    initial: 0,
    check: (_call, { state }) => (state > 10_000_000 ? deny("too often") : allow()),
    onResult: (_call, _result, { state }) => state + 1,
  };
}

/** Limits the calls of a tool on one file, command or address; remembers the newest thousand. */
function quotaByTarget(tool: string, n: number): ToolPolicy<BoundedMap<number>> {
  return {
    name: `${tool}-by-target-${n}`,
    initial: boundedMap(1_000),
    check: (call, { state }) => ((boundedGet(state, target(call)) ?? 0) > 10_000_000 ? deny("too often") : allow()),
    onResult: (call, _result, { state }) => boundedSet(state, target(call), (boundedGet(state, target(call)) ?? 0) + 1),
  };
}

function target({ args, tool }: ToolCall): string {
  const named = args.path ?? args.command ?? args.url;
  return typeof named === "string" ? named : tool;
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Runs `decideCall` alone on a session's current state: facts are ready, nothing is awaited or recorded. */
export function decideSide(driver: Driver, agent: Agent): Side {
  const compiled = new CompiledAgent(agent, []);
  const { slices } = driver.session.snapshot();
  const view = new LiveView(driver.session.id, slices, agent, driver.session.view.now);
  let ids = 0;
  const env = {
    agent: compiled,
    view,
    argsHash: "0123456789abcdef0123",
    hashOf: () => "0123456789abcdef0123",
    ended: false,
    exhausted: undefined,
    stopwatch: performanceClock,
    newId: (prefix: string) => `${prefix}_${ids++}`,
  };
  let ready: readonly (() => unknown)[] = [];
  let at = 0;
  return {
    prepare: async () => {
      if (ready.length > 0) return;
      // Calls on the files that this session read last.
      const from = Math.max(0, driver.calls - 10);
      ready = await Promise.all(
        range(10).map(async (n) => {
          const call = normaliseCall(benchCall(from + n), compiled);
          if ("fault" in call) throw new Error(call.fault);
          const facts = await gatherForCall(call, compiled.policiesFor(call), instantFilesystem, 1_000);
          const { decision } = decideCall(slices, call, facts, env);
          if (decision.kind !== "allow") throw new Error(`not allowed: ${JSON.stringify(decision)}`);
          return () => decideCall(slices, call, facts, env);
        }),
      );
    },
    run: () => ready[at++ % ready.length]?.(),
  };
}

const performanceClock = { monotonic: () => performance.now() };
