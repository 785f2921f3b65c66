import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallInput } from "../src/base/words/call.ts";
import { RulesPolicy } from "../src/behavior/policy/rules/rules-policy.ts";
import { nodeClock } from "../src/edge/host/node/node-clock.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { openSqlStore } from "../src/edge/stores/sql/open-sql-store.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import { parseRules } from "../src/engine/agent/rules/parse-rules.ts";
import type { Conduct } from "../src/engine/session/conduct.ts";
import { PersistentSession, type SessionSaves } from "../src/engine/session/persistent-session.ts";
import type { Session } from "../src/engine/session/session.ts";
import type { Report } from "./report.ts";

/** Each address is remembered, up to the rule's limit of 10,000. */
const RULES = "rules:\n  - { id: once, on: fetch, atMost: { count: 1_000_000, per: [url] } }\n";

/**
 * Measures a call and its result, saving the session's state to SQLite before the call runs and before the result is
 * delivered. Compares deltas with full snapshots, on two sessions with the same number of calls.
 */
export async function measureKeeping(report: Report): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "conduct-bench-keep-"));
  const store = await openSqlStore({ kind: "sqlite", file: join(root, "conduct.db") });
  const rules = parseRules(RULES, "bench.yaml");
  if ("faults" in rules) throw new Error("the rules have faults");
  const agent = defineAgent({ name: "bench", tools: [{ name: "fetch" }], policies: [new RulesPolicy(rules.ruleSet)] });
  const conduct = openConductFromEnv({ agents: [agent], home: join(root, "home"), workspace: root, journal: false });
  const { now } = nodeClock();
  try {
    const cases = [];
    for (const calls of report.quick ? [100, 2_000] : [100, 1_000, 10_000]) {
      cases.push({
        name: `after ${calls.toLocaleString("en")} calls`,
        ours: await made(conduct, calls, (session) => {
          const saves: SessionSaves = { store: store.sessions, now, onFailure: "deny" };
          const persistent = new PersistentSession(session, { saves, details: {}, version: 0 });
          return () => persistent.save();
        }),
        reference: await made(conduct, calls, (session) => {
          let expectedVersion = 0;
          return async () => {
            const state = { snapshot: session.serialise(), beside: {}, expectedVersion, at: now() };
            if (await store.sessions.save(session.id, state)) expectedVersion += 1;
          };
        }),
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

/** Creates a session with this number of calls. Returns a side that makes and saves one more. */
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
