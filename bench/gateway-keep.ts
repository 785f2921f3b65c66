import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keptStates, StateKeeper } from "../src/apps/gateway/conversations/states.ts";
import type { CallInput } from "../src/base/words/call.ts";
import { RulesPolicy } from "../src/behavior/policy/rules/rules-policy.ts";
import { nodeClock } from "../src/edge/host/node/node-clock.ts";
import { openConduct } from "../src/edge/host/opening/open-conduct.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import { parseRules } from "../src/engine/agent/rules/parse-rules.ts";
import type { Conduct } from "../src/engine/moments/conduct.ts";
import type { Session } from "../src/engine/moments/session.ts";
import type { Report } from "./report.ts";

/** Each address is remembered, up to the 10,000 that a rule remembers. */
const RULES = "rules:\n  - { id: once, on: fetch, atMost: { count: 1_000_000, per: [url] } }\n";

/**
 * A call and its result, with the session's state in SQLite before the call runs and before its result is heard: as what has changed, and
 * whole each time, as it was before. In one run, on two sessions that have made as many calls.
 */
export async function measureKeeping(report: Report): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "conduct-bench-keep-"));
  const store = await openSqlStore({ kind: "sqlite", file: join(root, "conduct.db") });
  const rules = parseRules(RULES, "bench.yaml");
  if ("faults" in rules) throw new Error("the rules have faults");
  const agent = defineAgent({ name: "bench", tools: [{ name: "fetch" }], policies: [new RulesPolicy(rules.ruleSet)] });
  const conduct = openConduct({ agents: [agent], home: join(root, "home"), workspace: root, journal: false });
  const states = keptStates(store.sessions, nodeClock());
  try {
    const cases = [];
    for (const calls of report.quick ? [100, 2_000] : [100, 1_000, 10_000]) {
      cases.push({
        name: `after ${calls.toLocaleString("en")} calls`,
        ours: await made(conduct, calls, (session) => {
          const keeper = new StateKeeper(session, states);
          return () => keeper.keep();
        }),
        reference: await made(conduct, calls, (session) => () => states.save(session.id, session.serialise())),
        perBatch: 20,
      });
    }
    await report.group("a call and its result, kept", { ours: "what has changed", reference: "whole" }, cases);
  } finally {
    await conduct.close();
    await store.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** A session that has made so many calls; gives what makes one more, and keeps it. */
async function made(conduct: Conduct, calls: number, keeping: (session: Session) => () => Promise<void>) {
  const session = conduct.session({ agent: "bench", channel: "web" });
  await session.onMessage({ text: "go" });
  let at = 0;
  while (at < calls) await callOnce(session, at++, async () => undefined);
  const keep = keeping(session);
  return () => callOnce(session, at++, keep);
}

async function callOnce(session: Session, at: number, keep: () => Promise<void>): Promise<void> {
  const args = { url: `https://example.org/${at % 10_000}` };
  const call: CallInput = { id: `c${at}`, step: `s${at}`, tool: "fetch", args };
  const { kind } = await session.onCall(call);
  if (kind !== "allow") throw new Error(`call ${at} is not allowed`);
  await keep();
  await session.onResult(call, { outcome: "ok", parts: [{ kind: "text", text: "fetched" }] });
  await keep();
}
