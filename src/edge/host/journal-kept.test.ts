import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { SequentialDependencyPolicy } from "../../behavior/policy/sequential-dependency-policy.ts";
import { defineAgent } from "../../engine/agent/define-agent.ts";
import { openSqlStore } from "../stores/sql/open-sql-store.ts";
import { openConduct } from "./open-conduct.ts";

const home = mkdtempSync(join(tmpdir(), "conduct-kept-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("JNL-30: with `journal` every event of a session is in the store once Conduct is closed, secrets redacted", async () => {
  const policies = [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })];
  const conduct = openConduct({
    agents: [defineAgent({ name: "release", policies })],
    home,
    workspace: home,
    journal: true,
  });
  const session = conduct.session({ agent: "release", user: "ann", channel: "web" });
  await session.onMessage({ text: "deploy with ghp_0123456789abcdefghijklmnopqrstuvwxyz" });
  await session.onPrompt();
  const decision = await session.onCall({ id: "c1", tool: "deploy", args: {} });
  await session.onStop({});
  await conduct.close();
  const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
  try {
    const { events } = await store.events.read({ limit: 50 });
    const types = events.map(({ event }) => event.type);
    for (const type of ["session", "message", "prompt", "call", "stop"]) expect(types).toContain(type);
    expect(JSON.stringify(events)).not.toContain("ghp_0123");
    expect((await store.events.findDecision(decision.id))[0]?.event.type).toBe("call");
    expect(await store.events.session(session.id)).toMatchObject({ user: "ann", channel: "web", denials: 1 });
  } finally {
    await store.close();
  }
});
