import { createRequire } from "node:module";
import type { Rule, RuleSet } from "../src/base/words/rule.ts";
import { shellAccess } from "../src/behavior/commands/files/access.ts";
import { RulesPolicy } from "../src/behavior/policy/rules/rules-policy.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { CompiledAgent } from "../src/engine/agent/compiled-agent.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import { decideCall } from "../src/engine/moments/decide-call.ts";
import { NO_FACTS } from "../src/engine/moments/gather.ts";
import { normaliseCall } from "../src/engine/moments/normalise-call.ts";
import { LiveView } from "../src/engine/session/session-context.ts";
import { type Benchmark, main, progress, type Report } from "./report.ts";

export const rules: Benchmark = {
  name: "rules",
  about: [
    "decide of a call under rules as data: stateful rules (an earlier call with the same user, within an hour), at most 10 of them on",
    "the called tool, after 200 calls of history. Facts are there, nothing is awaited, nothing recorded.",
    "casbin and cedar decide one equivalent stateless rule (no payment above 1,000), their policies parsed beforehand, in the same run.",
  ],
  run,
};

const ON_TOOL = 10;
const HISTORY = 200;

async function run(report: Report): Promise<void> {
  const one = await sideWith(ruleSet(1), HISTORY);
  const rows = await Promise.all(
    [1, 10, 100, 1_000].map(async (count) => ({ count, run: await sideWith(ruleSet(count), HISTORY) })),
  );
  const measured = await report.group(
    "decide, by number of rules",
    { ours: "conduct", reference: "with 1 rule" },
    rows.map(({ count, run: ours }) => ({
      name: `${count.toLocaleString("en-US")} ${count === 1 ? "rule" : "rules"}`,
      ours,
      reference: one,
      perBatch: 2_000,
      each: true,
    })),
  );
  report.budget("issue 20: one rule, p50", 2, measured[0]?.ours.p50 ?? Number.NaN, "time");
  report.figures("one rule", [
    { name: "issue 20: one rule, p99", value: measured[0]?.ours.p99 ?? Number.NaN, unit: "time" },
  ]);
  report.budget(
    "design.md: decide of a call, 100 stateful rules of which 10 on the called tool, 200 calls of history, p99",
    50,
    measured[2]?.ours.p99 ?? Number.NaN,
    "time",
  );
  const long = report.quick ? 10_000 : 100_000;
  const [before, after] = [await sideWith(ruleSet(100), HISTORY), await sideWith(ruleSet(100), long)];
  const [grown] = await report.group(
    "decide, 100 rules, by length of history",
    { ours: "then", reference: `after ${HISTORY} calls` },
    [{ name: `after ${long.toLocaleString("en-US")} calls`, ours: after, reference: before, perBatch: 4_000 }],
  );
  report.budget("design.md: within 20 % of that after 100,000 calls", 1.2, grown?.ratio.median ?? Number.NaN, "ratio");

  const [grownLine] = await report.group(
    "reading a command line into commands and files",
    { ours: "100 KB", reference: "10 KB" },
    [{ name: "a script", ours: readingSide(100_000), reference: readingSide(10_000), perBatch: 5 }],
  );
  report.budget("design.md: a command line of 10 KB", 1_000, grownLine?.reference.spread.median ?? Number.NaN, "time");
  report.budget("linear: 100 KB takes about ten times 10 KB", 15, grownLine?.ratio.median ?? Number.NaN, "ratio");

  const stateless = await sideWith(
    { actions: {}, rules: [{ id: "limit", on: ["pay"], when: "args.amount > 1000", effect: "deny" }] },
    0,
  );
  await report.group("one stateless rule", { ours: "conduct, whole decision", reference: "the engine named" }, [
    { name: "casbin", ours: stateless, reference: await casbinSide(), perBatch: 500 },
    { name: "cedar-wasm, preparsed", ours: stateless, reference: cedarSide(), perBatch: 500 },
  ]);
}

/** Parses a script of about this length, a different one each time, because recent lines are cached. */
function readingSide(length: number): () => void {
  const part = 'cd pkg && npm run lint > out.txt 2>&1; git add src/a.ts "$HOME/b" | tee log\n';
  const script = part.repeat(Math.ceil(length / part.length));
  let count = 0;
  return () => {
    count += 1;
    shellAccess(`${script}echo ${count}`);
  };
}

export function ruleSet(count: number): RuleSet {
  return {
    actions: {},
    rules: Array.from(
      { length: count },
      (_, i): Rule => ({
        id: `rule-${i}`,
        on: [i < ON_TOOL ? "pay" : `tool-${i}`],
        when: "args.amount > 0",
        require: {
          kind: "call",
          call: `check-${i % 5}`,
          same: [{ mine: "user", theirs: "user" }],
          fresh: false,
          within: 3_600_000,
          counts: "succeeded",
        },
        effect: "deny",
      }),
    ),
  };
}

/** Creates a session with a history. The returned function decides on its next call. */
export async function sideWith(set: RuleSet, history: number): Promise<() => unknown> {
  const agent = defineAgent({ name: "bench", policies: [new RulesPolicy(set)] });
  const session = openConductFromEnv({
    agents: [agent],
    workspace: "/",
    journal: false,
    ports: { filesystem: { root: "/", look: () => Promise.reject(new Error("no files here")) } },
  }).session({ agent: "bench" });
  const tick = progress(`a session with ${history} calls`);
  for (let i = 0; i < history; i++) {
    const call = {
      id: `c${i}`,
      tool: `check-${i % 5}`,
      args: { user: `u${Math.floor(i / 5) % 2_000}` },
      step: `s${i}`,
    };
    await session.onCall(call);
    await session.onResult(call, { outcome: "ok", parts: [] });
    if (i % 1_000 === 0) {
      await session.onMessage({ text: "next" });
      tick(i, history);
    }
  }
  session.notice({ kind: "step-closed" });
  const compiled = new CompiledAgent(agent, []);
  const call = normaliseCall({ id: "next", tool: "pay", args: { user: "u3", amount: 500 } }, compiled);
  if ("fault" in call) throw new Error(call.fault);
  const { slices } = session.snapshot();
  let ids = 0;
  const env = {
    agent: compiled,
    view: new LiveView(session.id, slices, agent, session.view.now),
    argsHash: "0123456789abcdef0123",
    hashOf: () => "0123456789abcdef0123",
    ended: false,
    exhausted: undefined,
    stopwatch: { monotonic: () => performance.now() },
    newId: (prefix: string) => `${prefix}_${ids++}`,
  };
  const { decision } = decideCall(slices, call, NO_FACTS, env);
  if (decision.kind !== "allow") throw new Error(`not allowed: ${JSON.stringify(decision)}`);
  return () => decideCall(slices, call, NO_FACTS, env);
}

async function casbinSide(): Promise<() => unknown> {
  const { newEnforcer, newModelFromString } = await import("casbin");
  const model = newModelFromString(`
[request_definition]
r = act, amount
[policy_definition]
p = act
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.act == p.act && r.amount <= 1000`);
  const enforcer = await newEnforcer(model);
  await enforcer.addPolicy("pay");
  if (enforcer.enforceSync("pay", 500) !== true || enforcer.enforceSync("pay", 5_000) !== false)
    throw new Error("casbin decides otherwise");
  return () => enforcer.enforceSync("pay", 500);
}

function cedarSide(): () => unknown {
  const cedar: typeof import("@cedar-policy/cedar-wasm/nodejs") = createRequire(import.meta.url)(
    "@cedar-policy/cedar-wasm/nodejs",
  );
  const policies = { staticPolicies: "permit(principal, action, resource) when { context.amount <= 1000 };" };
  cedar.preparsePolicySet("bench", policies);
  const ask = (amount: number) =>
    cedar.statefulIsAuthorized({
      principal: { type: "Agent", id: "a" },
      action: { type: "Action", id: "pay" },
      resource: { type: "Tool", id: "pay" },
      context: { amount },
      preparsedPolicySetId: "bench",
      entities: [],
    });
  const decided = (amount: number) => {
    const answer = ask(amount);
    return answer.type === "success" ? answer.response.decision : answer.type;
  };
  if (decided(500) !== "allow" || decided(5_000) !== "deny")
    throw new Error(`cedar decides otherwise: ${decided(500)}, ${decided(5_000)}`);
  return () => ask(500);
}

if (import.meta.main) await main(rules);
