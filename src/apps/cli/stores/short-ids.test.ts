import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqlStore } from "../../../edge/stores/sql/open-sql-store.ts";
import type { SqlStore } from "../../../edge/stores/sql/sql-store.ts";
import { sampleEvent } from "../../../edge/stores/test/events-samples.ts";
import { findSession, sessionName, sessionNames, shortIds } from "./with-store.ts";

/** Codex sessions of one minute, ACP sessions, sessions of OpenClaw, own ids, and two that end alike. */
const IDS = [
  "01a1e0c2-7d11-7abc-8def-0123456789ab",
  "01a1e0c2-7d19-7abc-8def-fedcba987654",
  "acp-ses_1",
  "acp-session-2b",
  "agent:main:main",
  "agent:other:main",
  "s_8kq2v0x3m7t1za",
  "night",
];
const open = (session: string, at: number) =>
  sampleEvent({ type: "session", change: "opened" }, { session, agent: "a-very-long-agent-name", id: `e_${at}` });

let folder: string;
let store: SqlStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conduct-ids-"));
  store = await openSqlStore({ kind: "sqlite", file: join(folder, "conduct.db") });
  await store.events.append(IDS.map(open));
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

describe("ids on the screen", () => {
  it("SID-1 ids that are shown together differ, and the same id is always shown alike", () => {
    const short = shortIds();
    const shown = IDS.map(short);
    expect(new Set(shown).size).toBe(IDS.length);
    expect(IDS.map(short)).toEqual(shown);
    expect(shown.slice(0, 2)).toEqual(["6789ab", "987654"]);
  });

  it("SID-2 commands find the session by what is shown, with and without the agent", async () => {
    const short = shortIds();
    for (const session of IDS) {
      const shown = short(session);
      expect(await findSession(store.events, shown), shown).toEqual({ session });
      expect(
        await findSession(
          store.events,
          sessionName({ agent: "a", session }, () => shown),
        ),
      ).toEqual({ session });
    }
  });

  it("SID-3 a beginning still works, and an end that several sessions have names them", async () => {
    expect(await findSession(store.events, "8kq2")).toEqual({ session: "s_8kq2v0x3m7t1za" });
    expect(await findSession(store.events, ":main")).toEqual({ near: ["agent:main:main", "agent:other:main"] });
  });

  it("SID-4 in the narrow column of watch a long agent's name is cut, not the id", async () => {
    const nameOf = sessionNames(store.events);
    const names = await Promise.all(IDS.map((session, at) => nameOf(open(session, at))));
    expect(new Set(names).size).toBe(IDS.length);
    for (const name of names) expect(name.length).toBeLessThanOrEqual(26);
  });
});
