import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { memoryStores } from "../../edge/stores/home-stores.ts";
import { openSqlStore } from "../../edge/stores/sql/open-sql-store.ts";
import { findPostgres, startPostgres, type TestPostgres } from "../../edge/stores/test/servers/postgres.ts";
import type { Script } from "../../testing/test/model-server/index.ts";
import { patientConversations, patientSessions } from "./conversations/patient-stores.ts";
import { ran, WEB, world } from "./test/test-faults.ts";
import { say } from "./test/test-gateway.ts";

describe("a store that does not take a session's state", () => {
  it("GW-42 a call that cannot be recorded does not run, and the model and the operator are informed", async () => {
    const append = { calls: [{ name: "shell", input: { command: "echo x >> ran.txt" } }] };
    const full = () => Promise.reject(new Error("the disk is full"));
    const sessions = { load: async () => undefined, setAside: full, save: full, append: full };
    const test = await world([append, { text: "I could not." }], {
      stores: { conversations: memoryStores().conversations, sessions },
    });
    const conversation = await test.conversations.start(WEB);
    expect(await say(test.conversations, conversation, "go")).toMatchObject({
      status: "complete",
      answer: "I could not.",
    });
    expect(test.server.requests.at(-1)?.results.at(-1)?.text).toMatch(/could not be saved.*the disk is full/s);
    expect(ran(test.root, conversation.id)).toBe("");
    const faults = test.events.flatMap((event) => (event.type === "fault" ? [event.fault.code] : []));
    expect(faults).toContain("state-not-kept");
  });
});

describe("a SQLite file that another process holds in the middle of a turn", () => {
  it("GW-43 a turn waits for a SQLite file locked longer than SQLite itself waits; nothing is lost or run twice", async () => {
    const folder = mkdtempSync(join(tmpdir(), "conduct-held-"));
    const file = join(folder, "conduct.db");
    const sql = await openSqlStore({ kind: "sqlite", file });
    // After the world's own, which still write.
    onTestFinished(async () => {
      await sql.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const stores = {
      conversations: patientConversations(sql.conversations),
      sessions: patientSessions(sql.sessions),
    };
    const call = {
      name: "shell",
      input: { command: "echo x >> ran.txt; for n in $(seq 1200); do [ -e go ] && break; sleep 0.05; done" },
    };
    const test = await world([{ calls: [call] }, { text: "Done." }], { stores });
    const conversation = await test.conversations.start(WEB);
    const turn = await test.conversations.submit(conversation, { text: "go", sender: { id: "ann", role: "operator" } });
    await expect.poll(() => ran(test.root, conversation.id), { timeout: 20_000 }).toBe("x\n");
    const holder = spawn(process.execPath, ["-e", HOLD, file], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    execFileSync("touch", [join(test.root, "work", conversation.id, "go")]);
    expect(await test.conversations.ended(turn)).toMatchObject({ status: "complete", answer: "Done." });
    expect(await sql.conversations.turn(turn.id)).toMatchObject({ status: "complete", answer: "Done." });
    const roles = (await sql.conversations.transcript(conversation.id)).map(({ entry }) => entry.role);
    expect(roles).toEqual(["user", "assistant", "toolResult", "assistant"]);
    expect(ran(test.root, conversation.id)).toBe("x\n");
  });
});

/** Holds the file's lock for longer than the five seconds that SQLite waits. */
const HOLD = `
const database = new (require("node:sqlite").DatabaseSync)(process.argv[1], { timeout: 5000 });
database.exec("begin immediate");
console.log("held");
setTimeout(() => database.exec("commit"), 7000);
`;

const programs = findPostgres();
describe.skipIf(programs === undefined)("PostgreSQL that is restarted in the middle of a turn", () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres(programs ?? "", { durable: true });
    return () => server.stop();
  });

  async function onPostgres(script: Script, patienceMs?: number) {
    const sql = await openSqlStore({ kind: "postgres", url: await server.createDatabase() });
    // After the world's own, which still write.
    onTestFinished(() => sql.close());
    const stores = {
      conversations: patientConversations(sql.conversations, patienceMs),
      sessions: patientSessions(sql.sessions, patienceMs),
    };
    return { ...(await world(script, { stores })), sql };
  }

  it.each(["SIGINT", "SIGKILL"] as const)(
    "GW-37 a turn waits for PostgreSQL that is restarted with %s; nothing is lost or run twice",
    async (how) => {
      const call = {
        name: "shell",
        input: { command: "echo x >> ran.txt; for n in $(seq 1200); do [ -e go ] && break; sleep 0.05; done" },
      };
      const { conversations, sql, root } = await onPostgres([{ calls: [call] }, { text: "Done." }, { text: "Yes." }]);
      const conversation = await conversations.start(WEB);
      const turn = await conversations.submit(conversation, { text: "go", sender: { id: "ann", role: "operator" } });
      await expect.poll(() => ran(root, conversation.id), { timeout: 20_000 }).toBe("x\n");
      await server.restart(how, async () => {
        execFileSync("touch", [join(root, "work", conversation.id, "go")]);
        // The result comes while the store is away.
        await new Promise((resolve) => setTimeout(resolve, 700));
      });
      expect(await conversations.ended(turn)).toMatchObject({ status: "complete", answer: "Done." });
      expect(await sql.conversations.turn(turn.id)).toMatchObject({ status: "complete", answer: "Done." });
      // The end of the turn and its transcript are written at the same time, and each waits for the store on its own.
      await expect
        .poll(async () => (await sql.conversations.transcript(conversation.id)).map(({ entry }) => entry.role))
        .toEqual(["user", "assistant", "toolResult", "assistant"]);
      expect(await say(conversations, conversation, "there?")).toMatchObject({ status: "complete", answer: "Yes." });
      expect(ran(root, conversation.id)).toBe("x\n");
      // The decision, the result with the end of its turn, and the end of the second turn: each was kept once.
      expect((await sql.sessions.load(conversation.id))?.version).toBe(3);
    },
  );

  it("GW-38 if PostgreSQL is down longer than the gateway waits, the person is informed and pending writes are saved later", async () => {
    const call = {
      name: "shell",
      input: { command: "echo x >> ran.txt; for n in $(seq 1200); do [ -e go ] && break; sleep 0.05; done" },
    };
    const { conversations, sql, root } = await onPostgres(
      [{ calls: [call] }, { text: "Done." }, { text: "Yes." }],
      300,
    );
    const conversation = await conversations.start(WEB);
    const turn = await conversations.submit(conversation, { text: "go", sender: { id: "ann", role: "operator" } });
    await expect.poll(() => ran(root, conversation.id), { timeout: 20_000 }).toBe("x\n");
    await server.restart("SIGINT", async () => {
      execFileSync("touch", [join(root, "work", conversation.id, "go")]);
      const told = await new Promise<unknown>((resolve) => {
        conversations.updates.subscribe(conversation.id, (update) => {
          if (update.kind === "turn" && update.turn.endedAt !== undefined) resolve(update.turn);
        });
      });
      expect(told).toMatchObject({ status: "failed", why: expect.stringMatching(/store does not respond/) });
      expect(JSON.stringify(told)).not.toContain("postgres");
    });
    await conversations.sweep();
    expect(await sql.conversations.turn(turn.id)).toMatchObject({ status: "failed" });
    expect(await say(conversations, conversation, "there?")).toMatchObject({ status: "complete", answer: "Yes." });
    const roles = (await sql.conversations.transcript(conversation.id)).map(({ entry }) => entry.role);
    expect(roles.slice(0, 3)).toEqual(["user", "assistant", "toolResult"]);
    expect(ran(root, conversation.id)).toBe("x\n");
  });
});
