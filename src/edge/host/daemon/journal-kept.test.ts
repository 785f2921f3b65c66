import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, it, vi } from "vitest";
import type { ConductEvent } from "../../../base/words/event.ts";
import { SequentialDependencyPolicy } from "../../../behavior/policy/builtin/sequential-dependency-policy.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import { memoryStores } from "../../stores/home-stores.ts";
import { openSqlStore } from "../../stores/sql/open-sql-store.ts";
import { openConductFromEnv } from "../opening/open-conduct.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-kept-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const policies = [new SequentialDependencyPolicy({ dependencies: { deploy: ["test"] } })];
const agents = [defineAgent({ name: "release", policies })];
const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
let made = 0;

function open(more: { journal?: false } = {}) {
  const home = join(root, String(++made), "home");
  mkdirSync(join(home, ".."));
  const conduct = openConductFromEnv({ agents, home, workspace: root, ...more });
  const faults: string[] = [];
  const hear = (event: ConductEvent) => {
    if (event.type === "fault") faults.push(event.fault.code);
  };
  conduct.subscribe(hear);
  return { home, conduct, faults, session: conduct.session({ agent: "release", user: "ann", channel: "web" }) };
}

async function kept(home: string): Promise<readonly ConductEvent[]> {
  if (!existsSync(join(home, "conduct.db"))) return [];
  const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
  try {
    return (await store.events.read({ limit: 50 })).events.map(({ event }) => event);
  } finally {
    await store.close();
  }
}

it("JNL-30: every event of a session is in the store once Conduct is closed, secrets redacted", async () => {
  const { home, conduct, session } = open();
  await session.onMessage({ text: `deploy with ${secret}` });
  await session.onPrompt();
  const decision = await session.onCall({ id: "c1", tool: "deploy", args: {} });
  await session.onStop({});
  await conduct.close();
  const events = await kept(home);
  const types = events.map(({ type }) => type);
  for (const type of ["session", "message", "prompt", "call", "stop"]) expect(types).toContain(type);
  expect(JSON.stringify(events)).not.toContain(secret);
  const store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
  expect((await store.events.findDecision(decision.id))[0]?.event.type).toBe("call");
  expect(await store.events.session(session.id)).toMatchObject({ user: "ann", channel: "web", denials: 1 });
  await store.close();
});

it("JNL-31: events are stored while the session continues, without a flush", async () => {
  const { home, conduct, session } = open();
  await session.onMessage({ text: "hello" });
  await vi.waitFor(async () => expect((await kept(home)).map(({ type }) => type)).toContain("message"), 30_000);
  await conduct.close();
});

it("JNL-32: opening Conduct creates no file, and with `journal: false` no file is ever created", async () => {
  const { home, conduct, session } = open({ journal: false });
  await session.onMessage({ text: "hello" });
  await session.onStop({});
  await conduct.close();
  expect(existsSync(home)).toBe(false);
  const unused = join(root, "unused");
  await openConductFromEnv({ agents, home: unused, workspace: root }).close();
  expect(existsSync(unused)).toBe(false);
});

it("JNL-33: a journal passed as an option replaces the store's", async () => {
  const journal = memoryStores().events;
  const home = join(root, "own");
  const conduct = openConductFromEnv({ agents, home, workspace: root, journal });
  await conduct.session({ agent: "release" }).onMessage({ text: "hello" });
  await conduct.close();
  expect(await journal.count({ types: ["message"] })).toBe(1);
  expect(readdirSync(home).filter((name) => name.endsWith(".key"))).toEqual([]);
});

it.each([
  { when: "before the first event was written", wait: false },
  { when: "between two", wait: true },
])(
  "JNL-34: a home that is removed $when is reported as a fault, fails no turn and is not recreated",
  async ({ wait }) => {
    const { home, conduct, session, faults } = open();
    if (wait) await vi.waitFor(() => expect(existsSync(join(home, "conduct.db"))).toBe(true), 30_000);
    // The operator's rules were read once: the last known ones bind. Without that nothing would pass (HRD-6b).
    if (wait) await session.onPrompt();
    rmSync(join(home, ".."), { recursive: true });
    expect(await session.onCall({ id: "c1", tool: "test", args: {} })).toMatchObject({ kind: "allow" });
    await vi.waitFor(() => expect(faults).toContain("journal-behind"), 30_000);
    await conduct.close();
    expect(faults).toContain("journal-lost");
    expect(existsSync(join(home, ".."))).toBe(false);
  },
);

it("JNL-35: events after the close are not stored, and closing twice is harmless", async () => {
  const { home, conduct, session } = open();
  await Promise.all([conduct.close(), conduct.close()]);
  rmSync(join(home, ".."), { recursive: true });
  expect(await session.onCall({ id: "c1", tool: "deploy", args: {} })).toMatchObject({ kind: "deny" });
  await session.onMessage({ text: "STOP: long reports", sender: { id: "1", role: "operator" } });
  await session.onStop({});
  await sleep(120);
  expect(existsSync(join(home, ".."))).toBe(false);
});

it("JNL-36: without a usable key secrets are still redacted, and a fault is reported", async () => {
  const { home, conduct, session, faults } = open();
  mkdirSync(home);
  writeFileSync(join(home, "journal.key"), "not a key");
  await session.onMessage({ text: `deploy with ${secret}` });
  await conduct.close();
  const told = JSON.stringify(await kept(home));
  expect(told).toMatch(/deploy with ghp_\[redacted:[0-9a-f]{12}\]/);
  expect(told).not.toContain(secret);
  expect(faults).toContain("journal-key");
});
