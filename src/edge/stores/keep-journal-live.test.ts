import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JournalWriter } from "../../engine/journal/journal-writer.ts";
import { redactWith } from "../../engine/journal/redact-event.ts";
import { testConduct } from "../../engine/session/test/test-conduct.ts";
import { orderPolicy, play } from "../../engine/session/test/test-play.ts";
import { openSqlStore } from "./sql/open-sql-store.ts";
import type { SqlStore } from "./sql/sql-store.ts";

let home: string;
let store: SqlStore;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "conduct-live-"));
  store = await openSqlStore({ kind: "sqlite", file: join(home, "conduct.db") });
});
afterEach(async () => {
  await store.close();
  await rm(home, { recursive: true, force: true });
});

async function open() {
  const world = testConduct({ policies: [orderPolicy()] });
  const writer = new JournalWriter((listener) => world.conduct.subscribe(listener), {
    journal: store.events,
    redact: redactWith(await store.keys.journal()),
    report: (fault) => world.conduct.report(fault),
  });
  return { ...world, writer, session: world.open({ id: "s" }) };
}

describe("a live session's journal", () => {
  it("JNL-20 a live session's journal has the bus events in order and finds decisions by id", async () => {
    const { session, events, writer } = await open();
    await session.onMessage({ text: "deploy it" });
    expect(await play(session, "deploy")).toBe("deny");
    expect(await play(session, "test")).toBe("allow");
    await session.onStop();
    expect(await writer.flush()).toEqual({ kind: "kept" });
    const kept = await store.events.follow({ after: 0, limit: 100 });
    // A result's hash is kept under the journal's key.
    const plain = (event: object) => ("resultHash" in event ? { ...event, resultHash: expect.any(String) } : event);
    expect(kept.map(({ event }) => event)).toEqual(JSON.parse(JSON.stringify(events)).map(plain));
    const denied = events.find((event) => event.type === "call" && event.decision.kind === "deny");
    if (denied?.type !== "call") throw new Error("not denied");
    expect(await store.events.findDecision(denied.decision.id)).toMatchObject([{ event: { id: denied.id } }]);
    expect(await store.events.session("s")).toMatchObject({ agent: "agent", calls: 2, denials: 1, turns: 1 });
    await writer.close();
  });

  it("JNL-21 a store that fails during a turn has all events once it recovers", async () => {
    const { session, events, writer } = await open();
    await writer.flush();
    await rename(join(home, "conduct.db"), join(home, "away.db"));
    expect(await play(session, "deploy")).toBe("deny");
    expect(await writer.flush()).toMatchObject({ kind: "behind", dropped: 0 });
    await rename(join(home, "away.db"), join(home, "conduct.db"));
    expect(await writer.flush()).toEqual({ kind: "kept" });
    const kept = await store.events.follow({ after: 0, limit: 100 });
    expect(kept.map(({ event }) => event.id)).toEqual(events.map(({ id }) => id));
    expect(kept.at(-1)?.event).toMatchObject({ type: "fault", fault: { code: "journal-behind" } });
    await writer.close();
  });

  it("JNL-22 no secret of a session is in the store's files", async () => {
    const { session, writer } = await open();
    await session.onMessage({ text: "my password=hunter22xyz" });
    await session.onCall({ id: "c", tool: "http", args: { headers: { "api-key": "hunter22xyz" } } });
    await writer.close();
    await store.close();
    for (const name of ["conduct.db", "conduct.db-wal"]) {
      const bytes = await readFile(join(home, name)).catch(() => Buffer.alloc(0));
      expect(bytes.includes("hunter22xyz")).toBe(false);
    }
  });
});
