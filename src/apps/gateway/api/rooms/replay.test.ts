import { afterAll, beforeAll, expect, it } from "vitest";
import type { SessionQuery } from "../../../../base/ports/event-journal.ts";
import { RulesPolicy } from "../../../../behavior/policy/rules/rules-policy.ts";
import { memoryEvents } from "../../../../edge/stores/events-memory.ts";
import { defineAgent } from "../../../../engine/agent/define-agent.ts";
import { parseRules } from "../../../../engine/agent/rules/parse-rules.ts";
import type { ReplayReport } from "../../../learning/replay/report.ts";
import { httpWorld } from "../../test-http.ts";
import { replayHandlers } from "./replay.ts";

const OWN = "rules:\n  - { id: no-fetch, on: fetch }\n";
let world: Awaited<ReturnType<typeof httpWorld>>;
let secrets: Record<"olga" | "vic", string>;

beforeAll(async () => {
  const parsed = parseRules(OWN, "own.yaml");
  if ("faults" in parsed) throw new Error("faults");
  world = await httpWorld({ agents: [defineAgent({ name: "clerk", policies: [new RulesPolicy(parsed.ruleSet)] })] });
  const [olga, vic] = [await world.person("olga", "operator"), await world.person("vic", "viewer")];
  secrets = { olga: olga.secret, vic: vic.secret };
  const session = world.conduct.session({ agent: "clerk", id: "one", channel: "web" });
  await session.onMessage({ text: "go" });
  await session.onPrompt();
  for (const [id, tool] of [
    ["c1", "fetch"],
    ["c2", "search"],
  ] as const) {
    const call = { id, tool, args: {} };
    if ((await session.onCall(call)).kind === "allow") await session.onResult(call, { outcome: "ok", parts: [] });
  }
});
afterAll(() => world.close());

type Answer = {
  readonly code?: string;
  readonly faults?: readonly unknown[];
  readonly report?: ReplayReport;
};

async function replay(body: unknown, as: "olga" | "vic" = "olga") {
  const response = await fetch(`${world.gateway.url}/api/replay`, {
    method: "POST",
    headers: { authorization: `Bearer ${secrets[as]}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: Answer = JSON.parse(await response.text());
  return { status: response.status, answer };
}

it("RPA-1 recorded sessions against other rules, or more of them", async () => {
  const none = await replay({ rules: OWN });
  expect(none).toMatchObject({ status: 200, answer: { kind: "rules", report: { sessions: 1, calls: 2, changed: 0 } } });
  const other = await replay({ rules: "rules:\n  - { id: no-search, on: search }\n" });
  expect(other.answer.report).toMatchObject({ newlyDenied: 1, noLongerDenied: 1 });
  const causes = [{ rule: "no-search", place: { line: 2 } }];
  expect(other.answer.report?.details[0]?.changes[1]).toMatchObject({ kind: "newly-denied", causes });
  const more = await replay({ rules: "rules:\n  - { id: no-search, on: search }\n", add: true, session: "one" });
  expect(more.answer.report).toMatchObject({ newlyDenied: 1, noLongerDenied: 0 });
});

it("RPA-2 recorded turns against another contract", async () => {
  const { status, answer } = await replay({ contract: 0 });
  expect(status).toBe(200);
  expect(answer).toMatchObject({ kind: "contract", report: { sessions: 1, turns: 1, changed: 0, cannotTell: 0 } });
});

it.each([
  { body: {}, status: 400 },
  { body: { rules: OWN, contract: 1 }, status: 400 },
  { body: { rules: OWN, since: "soon" }, status: 400 },
  { body: { rules: "rules:\n  - { id: x }\n" }, status: 422 },
])("RPA-3 $body is refused with $status", async ({ body, status }) => {
  const refused = await replay(body);
  expect(refused.status).toBe(status);
  expect(refused.answer).toHaveProperty("code");
  if (status === 422) expect(refused.answer.faults?.[0]).toMatchObject({ file: "rules.yaml", line: 2 });
});

it("RPA-4 operators only", async () => {
  expect((await replay({ rules: OWN }, "vic")).status).toBe(403);
});

it("RPA-5 one at a time: the second is told to wait, and the next one after it is served", async () => {
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const journal = memoryEvents();
  const slow = { ...journal, sessions: (query: SessionQuery) => held.then(() => journal.sessions(query)) };
  const contracts = world.conduct.contracts;
  if (contracts === undefined) throw new Error("there is a contract");
  const clock = { now: () => 0, monotonic: () => 0 };
  const handler = replayHandlers({ journal: slow, contracts, agents: () => [], clock })["POST /api/replay"];
  const input = { params: {}, query: {}, body: { rules: OWN, add: false, since: "7d" } };
  const caller = { user: { id: "olga", name: "olga", role: "operator", at: 0 }, via: "token", secret: "" } as const;
  const first = handler(input, caller);
  await expect(handler(input, caller)).rejects.toMatchObject({ status: 409, code: "REPLAY_RUNNING" });
  go();
  expect((await first).report).toMatchObject({ sessions: 0 });
  expect((await handler(input, caller)).report).toMatchObject({ sessions: 0 });
});

it("RPA-6 a standing rule that is given again is changed, and does not bind beside its change", async () => {
  const text = "rules:\n  - { id: no-lookup, on: lookup }\n";
  const contracts = world.conduct.contracts;
  await contracts?.change({ kind: "harden", rule: "no-lookup", text }, "olga");
  await contracts?.change({ kind: "enforce-rule", id: "no-lookup" }, "olga");
  const session = world.conduct.session({ agent: "clerk", id: "two", channel: "web" });
  await session.onMessage({ text: "go" });
  await session.onPrompt();
  expect((await session.onCall({ id: "c3", tool: "lookup", args: {} })).kind).toBe("deny");
  const same = await replay({ rules: text, add: true, session: "two" });
  expect(same.answer.report).toMatchObject({ calls: 1, newlyDenied: 0, noLongerDenied: 0 });
  const softer = await replay({ rules: text.replace("lookup }", "lookup, effect: warn }"), add: true, session: "two" });
  expect(softer.answer.report).toMatchObject({ noLongerDenied: 1 });
});
