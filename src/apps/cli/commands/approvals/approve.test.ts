import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { CallInput } from "../../../../base/words/call.ts";
import type { ConductEvent } from "../../../../base/words/event.ts";
import { ensureDaemon, helloDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../../../../edge/host/daemon/daemon-settings.ts";
import { sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { remoteHost } from "../../../../edge/host/daemon/remote-session.ts";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { openCallStores } from "../../../../edge/stores/call-stores.ts";
import { openSqlStore } from "../../../../edge/stores/sql/open-sql-store.ts";
import type { SessionMoments, SessionOrigin } from "../../../../engine/session/session-moments.ts";
import { shellCall, useDaemons, verdict } from "../../../daemon/test/test-daemon.ts";
import type { OpenApproval } from "../../../shared/open-approvals.ts";
import type { Outcome } from "../../line/outcome.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { why } from "../why/why.ts";
import { approvals } from "./approvals.ts";
import { type AnswerWorld, approve, deny, sendAnswer } from "./approve.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const daemons = useDaemons();
const { place, start } = daemons;

const ASKS = `
agents:
  coder:
    rules:
      - { id: ask-first, on: shell, when: 'args.command.startsWith("publish")', effect: ask, say: "Publish it?" }
`;
/** Long enough that nobody gets there; the test answers before, or lets go. */
const LONG = 60_000;

const world = (change: Partial<AnswerWorld> = {}): AnswerWorld => ({
  env: {},
  home: place.home,
  now: Date.now,
  zone: "UTC",
  inside: async () => undefined,
  by: async () => "cli:ann",
  send: (request) => sendAnswer(place.home, request),
  ...change,
});
const answer = (word: "yes" | "no", id: string, reason?: string, change: Partial<AnswerWorld> = {}): Promise<Outcome> =>
  (word === "yes" ? approve : deny)({ id, reason }, testTerminal(), world(change));

/** What waits, once so many do: the journal is a moment behind. */
async function waiting(
  count = 1,
  columns = 100,
): Promise<{ readonly open: readonly OpenApproval[]; readonly text: string }> {
  for (;;) {
    const outcome = await approvals({}, testTerminal({ columns }), world());
    if (!outcome.ok) throw new Error(outcome.message);
    const { approvals: open } = outcome.result as { readonly approvals: readonly OpenApproval[] };
    if (open.length >= count) return { open, text: outcome.text };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function theOne(): Promise<OpenApproval> {
  const [one] = (await waiting()).open;
  if (one === undefined) throw new Error("no call waits");
  return one;
}

const publish = (id: string): CallInput => ({ id, tool: "shell", args: { command: "publish now" } });
const open = (more: Partial<SessionOrigin> = {}): Promise<SessionMoments> =>
  remoteHost({ socket: daemonPlace(place.home).socket }).open({
    runtime: "test",
    id: "s1",
    cwd: place.workspace,
    ...more,
  });
const codex = (id: string) =>
  sendHook(daemonPlace(place.home).socket, shellCall(place.workspace, "publish now", id), LONG).then(verdict);

/** The answers in the journal, once there is one. */
async function journaled(): Promise<readonly ConductEvent[]> {
  const store = await openSqlStore({ kind: "sqlite", file: join(place.home, "conduct.db") });
  try {
    for (;;) {
      const { events } = await store.events.read({ types: ["approval"], limit: 5 });
      if (events.length > 0) return events.map(({ event }) => event);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    await store.close();
  }
}

/** What Claude Code is answered that nobody sits before, over http. */
async function claudeCode(id: string): Promise<string> {
  const { port, token } = readDaemonSettings(daemonPlace(place.home).settings) ?? {};
  const call = { tool_name: "Bash", tool_input: { command: "publish now" }, tool_use_id: id };
  const event = { hook_event_name: "PreToolUse", session_id: "cc", cwd: place.workspace, permission_mode: "default" };
  const response = await fetch(`http://127.0.0.1:${port}/hooks/claude-code`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...event, ...call }),
  });
  expect(response.status).toBe(200);
  return verdict(await response.json());
}

async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("conduct approvals, approve, deny", () => {
  it("APR-1 a daemon denies a call with an approval id; after approval one identical retry passes, and the next one asks again", {
    timeout: PATIENT,
  }, async () => {
    daemons.configure(ASKS);
    const { pid } = await ensureDaemon(place.home);
    try {
      const session = await open();
      const asked = await session.decide(publish("c1"), { waitMs: 50 });
      if (asked.kind !== "ask") throw new Error(`it is ${asked.kind}`);
      await session.onResult({ id: "c1", tool: "shell" }, { outcome: "cancelled", parts: [] });
      const { open: listed, text } = await waiting();
      expect(listed).toEqual([
        expect.objectContaining({
          approval: asked.approval,
          session: "s1",
          rule: "ask-first",
          tool: "shell",
          input: { command: "publish now" },
          question: "Publish it?",
          expiresAt: asked.expiresAt,
          at: "daemon",
        }),
      ]);
      for (const shown of [asked.approval, "publish now", "ask-first", "s1", "expires in", "conduct approve"])
        expect(text).toContain(shown);
      expect(await answer("yes", asked.approval)).toMatchObject({ ok: true, result: { answer: "yes", by: "cli:ann" } });
      expect((await approvals({}, testTerminal(), world())).text).toContain("No call waits");
      expect(await session.decide(publish("c2"))).toMatchObject({ kind: "allow", because: "approved" });
      await session.onResult({ id: "c2", tool: "shell" }, { outcome: "ok", parts: [] });
      const again = await session.decide(publish("c3"));
      expect(again).toMatchObject({ kind: "ask", approval: expect.not.stringMatching(asked.approval) });
      expect(await journaled()).toMatchObject([{ approval: asked.approval, answer: "yes", by: "cli:ann" }]);
    } finally {
      await sendHook(daemonPlace(place.home).socket, { daemon: "stop" }, LONG).catch(() => undefined);
      await gone(pid);
    }
  });

  it("APR-2 a waiting call runs as soon as a person approves it, be it from a plugin, a hook or a headless run", async () => {
    daemons.configure(ASKS);
    await start();
    const session = await open();
    const asking: string[] = [];
    const plugin = session.decide(publish("c1"), {
      waitMs: LONG,
      onAsking: ({ approval }) => asking.push(approval),
    });
    const hook = codex("c2");
    const headless = claudeCode("c3");
    const { open: all } = await waiting(3);
    for (const { approval } of all) expect(await answer("yes", approval)).toMatchObject({ ok: true });
    expect(await plugin).toMatchObject({ kind: "allow", because: "approved" });
    expect(await hook).toBe("allow");
    expect(await headless).toBe("allow");
    expect(all.map(({ approval }) => approval)).toContain(asking[0]);
  });

  it("APR-3 a denial reaches the waiting call with its reason, and applies for the rest of the session", async () => {
    daemons.configure(ASKS);
    await start();
    const first = codex("c1");
    const { approval } = await theOne();
    expect(await answer("no", approval.slice(0, 8), "not on a Friday")).toMatchObject({ ok: true });
    expect(await first).toContain(`A person denied this (${approval}): Publish it? Their reason: not on a Friday`);
    expect(await codex("c2")).toContain("Their reason: not on a Friday");
    expect(await journaled()).toMatchObject([{ approval, answer: "no", reason: "not on a Friday" }]);
    expect(await answer("yes", approval)).toMatchObject({
      ok: false,
      code: "NOT_OPEN",
      message: expect.stringContaining(`${approval} was answered with no by cli:ann`),
    });
  });

  it.each([
    ["a plugin's", {}],
    ["a subagent's", { id: "child", parent: "s1" }],
  ])("APR-4 without a running daemon %s stored question can still be answered", async (_whose, more) => {
    daemons.configure(ASKS);
    const first = await start();
    await open();
    const session = await open(more);
    expect((await session.decide(publish("c1"), { waitMs: 1 })).kind).toBe("ask");
    const { approval } = await theOne();
    await first.end("idle");
    expect(await answer("yes", approval)).toMatchObject({ ok: true });
    await start();
    const later = await open(more);
    expect(await later.decide(publish("c2"))).toMatchObject({ kind: "allow", because: "approved" });
    await later.onResult({ id: "c2", tool: "shell" }, { outcome: "ok", parts: [] });
    expect((await later.decide(publish("c3"))).kind).toBe("ask");
  });

  it("APR-5 if the daemon is killed while Codex waits, the question stays open, and an approval admits one retry", {
    timeout: PATIENT,
  }, async () => {
    daemons.configure(ASKS);
    const { pid } = await ensureDaemon(place.home);
    const waits = codex("c1").catch((error: unknown) => String(error));
    const { approval } = await theOne();
    process.kill(pid, "SIGKILL");
    await gone(pid);
    expect(await waits).toContain("Error");
    expect(await answer("yes", approval)).toMatchObject({ ok: true });
    await start();
    const call = shellCall(place.workspace, "publish now", "c2");
    await daemons.send({ ...call, hook_event_name: "PreModelRequest" });
    expect(await codex("c2")).toBe("allow");
    expect((await helloDaemon(place.home)).pid).toBe(process.pid);
  });

  it("APR-10 if no answer comes, the Codex hook returns the question's id before its timeout", {
    timeout: PATIENT,
  }, async () => {
    daemons.configure(ASKS);
    await start();
    const { CONDUCT_SOCKET: _, CONDUCT_HOOK_MS: __, ...env } = process.env;
    const hook = spawn(process.execPath, [conductProgram(), "hook", "codex"], {
      env: { ...env, CONDUCT_HOME: place.home },
      stdio: ["pipe", "pipe", "ignore"],
    });
    hook.stdin.end(JSON.stringify(shellCall(place.workspace, "publish now", "c1")));
    const { approval } = await theOne();
    const said = verdict(JSON.parse(await text(hook.stdout)));
    expect(said).toContain(`Waiting for a person's approval ${approval}`);
    expect(said).toContain(`with: conduct approve ${approval}`);
  });

  it("APR-11 a question names the command that answers it, to the agent after a timeout and in conduct why", async () => {
    daemons.configure(ASKS);
    await start();
    const decision = await (await open()).decide(publish("c1"), { waitMs: 1 });
    const { approval } = await theOne();
    expect(decision).toMatchObject({ kind: "ask", approval, answer: `conduct approve ${approval}` });
    const asked = await why({ id: approval }, testTerminal(), world());
    expect(asked.text).toContain(`answer    still open: conduct approve ${approval}, or conduct deny ${approval}`);
    expect(asked.next.map(({ command }) => command)).toContain(`conduct approve ${approval}`);
    expect(await answer("yes", approval)).toMatchObject({ ok: true });
    const over = await why({ id: approval }, testTerminal(), world());
    expect(over.text).not.toContain("still open");
  });

  it("APR-6 if the configuration changes while a call waits, the call returns unapproved and its question stays open", async () => {
    daemons.configure(ASKS);
    await start();
    const waits = (await open()).decide(publish("c1"), { waitMs: LONG });
    const { approval } = await theOne();
    writeFileSync(join(place.home, "conduct.yaml"), `${ASKS}# another\n`);
    const other = await open({ id: "s2" });
    expect(await other.decide({ id: "c1", tool: "shell", args: { command: "ls" } })).toMatchObject({ kind: "allow" });
    expect(await waits).toMatchObject({ kind: "ask", approval });
    expect(await answer("yes", approval)).toMatchObject({ ok: true });
    expect(await (await open()).decide(publish("c2"))).toMatchObject({ kind: "allow", because: "approved" });
  });

  it("APR-7 a daemon that stops releases every call that waits for a person", async () => {
    daemons.configure(ASKS);
    const daemon = await start();
    const waits = (await open()).decide(publish("c1"), { waitMs: LONG });
    const { approval } = await theOne();
    await daemon.end("over");
    expect(await waits).toMatchObject({ kind: "ask", approval });
  });

  it("APR-8 an agent cannot answer a question, and a question that cannot be answered reports why", async () => {
    daemons.configure(ASKS);
    expect(await answer("yes", "a_1")).toMatchObject({ ok: false, code: "NOT_FOUND" });
    await start();
    const session = await open();
    await session.decide(publish("c1"), { waitMs: 1 });
    const { approval, expiresAt } = await theOne();
    const inside = async () => ({ agent: "Claude Code", sign: "CLAUDECODE is set" });
    expect(await answer("yes", approval, undefined, { inside })).toMatchObject({ ok: false, code: "INSIDE_AGENT" });
    expect(await answer("no", "")).toMatchObject({ ok: false, code: "BAD_ARGUMENT", fix: "conduct deny ID" });
    expect(await answer("yes", "a_nothing")).toMatchObject({
      ok: false,
      code: "NOT_FOUND",
      message: expect.stringContaining(approval),
      fix: "conduct approvals",
    });
    expect(await answer("no", approval, "x".repeat(1_001))).toMatchObject({ ok: false, code: "BAD_ARGUMENT" });
    expect(await answer("yes", approval, undefined, { now: () => expiresAt })).toMatchObject({
      ok: false,
      code: "NOT_OPEN",
      message: expect.stringContaining("expired at"),
    });
    expect(await answer("yes", approval, undefined, { send: async () => ({ kind: "used" }) })).toMatchObject({
      message: expect.stringContaining("somebody else"),
    });
    expect((await waiting()).open).toHaveLength(1);
  });

  it("APR-12 the beginning of several ids lists these questions, and answers none", async () => {
    daemons.configure(ASKS);
    await start();
    const session = await open();
    await session.decide(publish("c1"), { waitMs: 1 });
    await session.decide({ ...publish("c2"), args: { command: "publish later" } }, { waitMs: 1 });
    const { open: listed } = await waiting(2);
    const outcome = await answer("yes", "a_");
    expect(outcome).toMatchObject({ ok: false, code: "AMBIGUOUS", message: "2 questions begin with 'a_'" });
    for (const { approval } of listed) expect(outcome.text).toContain(approval);
    expect(outcome.text).toContain("publish later");
    expect((await waiting(2)).open).toHaveLength(2);
  });

  it("APR-9 a question of a session outside the daemon says where to answer it", async () => {
    daemons.configure(ASKS);
    await start();
    const session = await open();
    await session.decide(publish("c1"), { waitMs: 1 });
    const { approval } = await theOne();
    const stores = await openCallStores({ kind: "sqlite", file: join(place.home, "conduct.db") });
    const kept = await stores.sessions.load("s1");
    if (kept === undefined) throw new Error("it is not kept");
    const state = { snapshot: kept.snapshot, beside: {}, expectedVersion: kept.version, at: Date.now() };
    expect(await stores.sessions.save("s1", state)).toBe(true);
    await stores.close();
    expect((await waiting()).text).toContain("runs in the gateway");
    expect(await answer("yes", approval)).toMatchObject({ ok: false, code: "NOT_HERE" });
  });
});
