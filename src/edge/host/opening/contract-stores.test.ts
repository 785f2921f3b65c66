import { chmodSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../base/words/event.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import { homeStores } from "../../stores/home-stores.ts";
import { findPostgres, startPostgres } from "../../stores/test/servers/postgres.ts";
import { openConductFromEnv } from "./open-conduct.ts";

const root = mkdtempSync(join(tmpdir(), "conduct-contract-stores-"));
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(root, { recursive: true, force: true });
});

const operator = { id: "1", role: "operator" } as const;
const agents = [defineAgent({ name: "agent", soul: "Be kind." })];
let made = 0;

function watch(conduct: Conduct) {
  const events: ConductEvent[] = [];
  conduct.subscribe((event) => events.push(event));
  return {
    events,
    degraded: () => events.filter((event) => event.type === "fault" && event.fault.code === "contract-degraded").length,
  };
}

/** A home of its own, with one directive in force. */
async function begun() {
  const home = join(root, String(++made));
  const conduct = openConductFromEnv({ agents, home, workspace: root });
  closing.push(() => conduct.close());
  const { events, degraded } = watch(conduct);
  const session = conduct.session({ agent: "agent", sender: operator });
  await session.onMessage({ text: "STOP: long reports\ngo" });
  expect((await session.onPrompt()).text).toContain("- STOP: long reports");
  return { home, file: join(home, "conduct.db"), conduct, session, events, degraded };
}

describe("the contract on a real disk", () => {
  it("D13: a turn sees a contract change that another process made before it", async () => {
    const { home, session } = await begun();
    const other = openConductFromEnv({ agents, home, workspace: root });
    closing.push(() => other.close());
    await other.contracts?.change({ kind: "add", type: "keep", text: "short notes at the end" }, "cli:me");
    await session.onMessage({ text: "next" });
    expect((await session.onPrompt()).text).toContain("- STOP: long reports\n- KEEP: short notes at the end");
  });

  it("D05: with a truncated database the last known contract stays in force, a fault is reported, and nothing is written", async () => {
    const { file, session, degraded, home } = await begun();
    for (const more of ["", "-wal", "-shm"]) rmSync(`${file}${more}`, { force: true });
    writeFileSync(file, readFileSync(import.meta.filename).subarray(0, 700));
    truncateSync(file, 600);
    await session.onMessage({ text: "next" });
    expect((await session.onPrompt()).text).toContain("- STOP: long reports");
    expect(degraded()).toBe(1);
    const heard = await session.onMessage({ text: "MORE: tests before a push\ngo", sender: operator });
    expect(heard.notes[0]).toMatch(/not added/);
    expect(readFileSync(file)).toHaveLength(600);
    const again = openConductFromEnv({ agents, home, workspace: root });
    closing.push(() => again.close());
    const fresh = again.session({ agent: "agent" });
    await fresh.onMessage({ text: "hi" });
    expect((await fresh.onPrompt()).text).toMatch(/could not be read right now/);
  });

  // Root may write anywhere.
  it.skipIf(process.getuid?.() === 0)(
    "D10: on a read-only disk reads still work, and a rejected change gives the reason",
    async () => {
      const { home, file, session } = await begun();
      chmodSync(file, 0o400);
      chmodSync(home, 0o500);
      try {
        const heard = await session.onMessage({ text: "MORE: tests before a push\ngo", sender: operator });
        expect(heard.notes[0]).toMatch(/not added/);
        expect((await session.onPrompt()).text).toContain("- STOP: long reports");
      } finally {
        chmodSync(home, 0o700);
      }
    },
  );
});

const programs = findPostgres();
describe.skipIf(programs === undefined)("the contract on PostgreSQL", () => {
  it("D14: after a database restart the turn keeps its contract, the next turn reads it again, and nothing is lost", async () => {
    const server = await startPostgres(programs ?? "", { durable: true });
    closing.push(() => server.stop());
    const stores = homeStores({ kind: "postgres", url: await server.createDatabase() });
    closing.push(() => stores.close());
    const { governance, instructions, memory, events: journal } = stores;
    const home = join(root, String(++made));
    const conduct = openConductFromEnv({
      agents,
      home,
      workspace: root,
      journal,
      ports: { governance, instructions, memory },
    });
    closing.push(() => conduct.close());
    const { degraded } = watch(conduct);
    const session = conduct.session({ agent: "agent", sender: operator });
    await session.onMessage({ text: "STOP: long reports\ngo" });
    await session.onPrompt();
    await server.restart("SIGKILL");
    expect((await session.onPrompt()).text).toContain("- STOP: long reports");
    for (let turn = 0; turn < 3; turn++) {
      await session.onMessage({ text: "next" });
      expect((await session.onPrompt()).text).toContain("- STOP: long reports");
    }
    // A connection that died with the server may be noticed in one turn.
    expect(degraded()).toBeLessThanOrEqual(1);
    const heard = await session.onMessage({ text: "KEEP: short notes at the end\ngo", sender: operator });
    expect(heard.notes[0]).toMatch(/in force from now on/);
  });
});
