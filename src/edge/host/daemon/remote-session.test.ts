import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseSync } from "oxc-parser";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConductEvent } from "../../../base/words/event.ts";
import type { ToolPolicy } from "../../../base/words/policy.ts";
import { EvidenceChecker } from "../../../behavior/completion/completion-checkers.ts";
import { defineAgent } from "../../../engine/agent/define-agent.ts";
import type { Conduct } from "../../../engine/session/conduct.ts";
import type { SessionHost, SessionMoments, SessionOrigin } from "../../../engine/session/session-moments.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import { localHost } from "../opening/local-host.ts";
import { openConductFromEnv } from "../opening/open-conduct.ts";
import { type HookHandler, type HookServer, listenForHooks } from "./hook-socket.ts";
import { endPause, writePause } from "./paused.ts";
import { remoteHost, VOCABULARY } from "./remote-session.ts";
import { serveMoments } from "./serve-sessions.ts";

const noDeploy: ToolPolicy = {
  name: "no-deploy",
  check: ({ tool }) => (tool === "deploy" ? { kind: "deny", reason: "Not today." } : { kind: "allow" }),
};
const AGENT = defineAgent({
  name: "clerk",
  policies: [noDeploy],
  sections: [{ heading: "Task", content: "Marker TOLD-1." }],
  completion: new EvidenceChecker({ actions: ["test"] }),
});

let dir: string;
let socket: string;
let conduct: Conduct;
let server: HookServer | undefined;
let events: ConductEvent[];
let remote: SessionHost;
let origin: SessionOrigin;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "conduct-remote-"));
  socket = join(dir, "run", "s.sock");
  origin = { runtime: "test", id: "s", cwd: dir };
  conduct = openConductFromEnv({ agents: [AGENT], workspace: dir, home: join(dir, "home"), journal: false });
  events = [];
  conduct.subscribe((event) => void events.push(event));
  const host = localHost(conduct, { agent: "clerk", sessionOptions: () => ({ sender: { role: "operator" } }) });
  server = await listenForHooks(socket, (request) => serveMoments(request, host));
  remote = remoteHost({ socket, home: join(dir, "home") });
});
afterEach(async () => {
  await server?.close();
  await conduct.close();
  rmSync(dir, { recursive: true, force: true });
});

const call = (id: string, tool: string) => ({
  id,
  tool,
  args: {},
  native: { runtime: "test", name: tool, input: {} },
});
const OK = { outcome: "ok", parts: [{ kind: "text", text: "fine" }] } as const;

describe("a session behind a socket", () => {
  it("RS-1 a remote session is opened once, in its runtime's folder, and handles all five moments", async () => {
    const session = await remote.open({ ...origin, model: "m", window: 9_000 });
    await remote.open(origin);
    expect(await session.onMessage({ text: "/think:high do it" })).toMatchObject({
      text: "do it",
      modes: { think: true },
    });
    const prompt = await session.onPrompt({ tools: ["Edit", "x-verify_context"], toolName: (tool) => `x-${tool}` });
    expect(prompt.text).toContain("Marker TOLD-1.");
    expect(prompt.text).toContain("x-verify_context");
    expect(await session.decide(call("c1", "deploy"))).toMatchObject({ kind: "deny", reason: "Not today." });
    expect(await session.decide(call("c2", "test"))).toMatchObject({ kind: "allow" });
    expect(await session.onStop({})).toMatchObject({ done: false });
    expect(await session.onResult(call("c2", "test"), OK)).toMatchObject({ changed: false, result: OK });
    expect(await session.onStop({})).toMatchObject({ done: true, status: "complete" });
    expect(events.filter((event) => event.type === "session")).toHaveLength(1);
    expect(events.find((event) => event.type === "notice")).toMatchObject({
      notice: { kind: "started", adapter: "test", model: "m", window: 9_000 },
    });
  });

  it("RS-2 requests of a remote session wait for earlier notices", async () => {
    const session = await remote.open(origin);
    for (let at = 0; at < 5; at++) session.notice({ kind: "usage", inputTokens: 1 });
    await session.decide(call("c1", "test"));
    const seen = events.flatMap((event) =>
      event.type === "call" ? ["call"] : event.type === "notice" ? [event.notice.kind] : [],
    );
    expect(seen).toEqual(["started", ...Array.from({ length: 5 }, () => "usage"), "call"]);
  });

  it("RS-3 a remote session returns each verbose text once", async () => {
    const session = await remote.open(origin);
    await session.onMessage({ text: "/verbose go" });
    await session.decide(call("c1", "test"));
    await session.onResult(call("c1", "test"), OK);
    expect(session.takeDebug()).toContain("test");
    expect(session.takeDebug()).toBeUndefined();
  });

  it("RS-4 a remote session lists Conduct's own tools and runs them in the daemon", async () => {
    const session = await remote.open(origin);
    const names = session.tools().map(({ name }) => name);
    expect(names).toContain("verify_context");
    const tool = session.tools().find(({ name }) => name === "verify_context");
    expect((await tool?.run({}))?.outcome).toBe("ok");
  });

  it("RS-5 a subagent's session is a child of the session it names", async () => {
    await remote.open(origin);
    await remote.open({ ...origin, id: "child", parent: "s" });
    expect(conduct.find("child")?.parent?.id).toBe("s");
  });

  it.each([
    [{}, "a runtime, an id and a cwd"],
    [{ moments: { runtime: "test", id: "", cwd: "/" } }, "a runtime, an id and a cwd"],
    [{ moments: { runtime: "test", id: "s", cwd: "/" }, does: "fly" }, "operation 'fly'"],
    [{ moments: { runtime: "test", id: "s", cwd: "/" }, does: "tool", args: ["none"] }, "no tool 'none'"],
    ["x", "not a request"],
  ])("RS-6 the request %j is rejected: %s", async (request, why) => {
    await expect(serveMoments(request, localHost(conduct, { agent: "clerk" }))).rejects.toThrow(why);
  });

  it("RS-7 a remote session knows the prompt names of all of Conduct's tools", () => {
    expect(VOCABULARY).toEqual(expect.arrayContaining(CONDUCT_TOOLS.map(({ name }) => name)));
  });
});

describe("when the daemon is gone", () => {
  it("RS-8 without a daemon calls are denied, results withheld, messages and prompts rejected, and stops allowed", async () => {
    const session = await remote.open(origin);
    await server?.close();
    server = undefined;
    const denied = await session.decide(call("c1", "test"));
    expect(denied).toMatchObject({
      kind: "deny",
      code: "unreachable",
      next: expect.stringContaining("conduct doctor"),
    });
    const withheld = await session.onResult(call("c1", "test"), OK);
    expect(withheld).toMatchObject({ changed: true, result: { outcome: "unknown" } });
    expect(JSON.stringify(withheld)).not.toContain("fine");
    await expect(session.onMessage({ text: "hi" })).rejects.toThrow("no Conduct daemon");
    await expect(session.onPrompt()).rejects.toThrow("no Conduct daemon");
    await expect(remote.open(origin)).rejects.toThrow("no Conduct daemon");
    expect(await session.onStop()).toMatchObject({ done: true, status: "bypassed" });
    session.notice({ kind: "compacted" });
  });

  it("RS-9 without a daemon everything passes unchanged while Conduct is paused, and only then", async () => {
    const home = join(dir, "home");
    const session = await remote.open(origin);
    await server?.close();
    server = undefined;
    const now = Date.now();
    writePause(home, { at: now, until: now + 60_000, by: "ann", proof: "test" });
    expect(await (await remote.open(origin)).decide(call("c0", "deploy"))).toMatchObject({ because: "paused" });
    expect(await session.decide(call("c1", "deploy"))).toMatchObject({ kind: "allow", because: "paused" });
    expect(await session.onResult(call("c1", "deploy"), OK)).toEqual({ result: OK, changed: false });
    expect(await session.onMessage({ text: "/think hi" })).toMatchObject({ text: "/think hi", notes: [] });
    expect(await session.onPrompt()).toMatchObject({ text: "", sections: [] });
    expect(await session.onStop()).toMatchObject({ done: true });
    endPause(home);
    expect(await session.decide(call("c2", "deploy"))).toMatchObject({ kind: "deny", code: "unreachable" });
  });

  it("RS-10 a pause has no effect if there is no home", async () => {
    const session = await remoteHost({ socket }).open(origin);
    await server?.close();
    server = undefined;
    const now = Date.now();
    writePause(join(dir, "home"), { at: now, until: now + 60_000, by: "ann", proof: "test" });
    expect(await session.decide(call("c1", "test"))).toMatchObject({ kind: "deny" });
  });
});

describe("a daemon that hangs", () => {
  const LIMIT_MS = 1_500;
  const asked = {
    kind: "ask",
    id: "d_1",
    rule: "r",
    approval: "a_1",
    question: "Really?",
    inputHash: "h",
    expiresAt: 1,
  } as const;
  /** Answers `open`, and leaves the rest to the test. */
  async function served(decide: HookHandler, limitMs = LIMIT_MS): Promise<SessionMoments> {
    await server?.close();
    server = await listenForHooks(socket, async (request, tell) =>
      (request as { readonly does: string }).does === "open" ? { value: [] } : decide(request, tell),
    );
    return remoteHost({ socket, limitMs }).open(origin);
  }
  const never = () => new Promise<never>(() => undefined);

  it.each([
    ["before it has decided", never],
    [
      "while it waits for a person",
      (_request: unknown, tell: (waits: object) => void) => {
        tell(asked);
        return never();
      },
    ],
  ])(
    "RS-12 a daemon that stops responding %s is detected and the call denied, even while a person is asked",
    async (_when, decide) => {
      const session = await served(decide);
      const decision = await session.decide(call("c1", "test"), { waitMs: 3_600_000 });
      expect(decision).toMatchObject({
        kind: "deny",
        code: "unreachable",
        reason: expect.stringContaining(`sent nothing for ${LIMIT_MS} ms`),
      });
    },
  );

  it("RS-13 a daemon that reports progress gets the full waiting time, and its question is shown once", async () => {
    let told = 0;
    const limitMs = 3_000;
    const session = await served(async (_request, tell) => {
      for (; told < 8; told++) {
        tell(asked);
        await new Promise((resolve) => setTimeout(resolve, limitMs / 6));
      }
      return { value: { kind: "allow", id: "d_2", advice: [] } };
    }, limitMs);
    const heard: unknown[] = [];
    const waits = { waitMs: 3_600_000, onAsking: (question: unknown) => heard.push(question) };
    expect(await session.decide(call("c1", "test"), waits)).toMatchObject({ kind: "allow" });
    expect(told).toBe(8);
    expect(heard).toEqual([asked]);
  });

  it("RS-14 a daemon that exits while a person is asked causes a denial", async () => {
    const session = await served(async (_request, tell) => {
      tell(asked);
      setTimeout(() => void server?.close(), 20);
      return never();
    }, 30_000);
    expect(await session.decide(call("c1", "test"), { waitMs: 3_600_000 })).toMatchObject({
      kind: "deny",
      code: "unreachable",
      reason: expect.stringContaining("exited while it waited for a person's answer"),
    });
    server = undefined;
  });
});

it("RS-11 plugins do not load the engine, the tokenizer or the stores", () => {
  const src = resolve(import.meta.dirname, "../../..");
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const { module } = parseSync(file, readFileSync(file, "utf8"));
    for (const { moduleRequest, entries } of module.staticImports) {
      if (entries.length > 0 && entries.every(({ isType }) => isType)) continue;
      const from = moduleRequest.value;
      if (!from.startsWith(".")) expect(from).toMatch(/^node:/);
      else load(resolve(dirname(file), from));
    }
  };
  load(resolve(import.meta.dirname, "daemon-host.ts"));
  const files = [...loaded].map((file) => relative(src, file));
  expect(files).toContain("edge/host/daemon/remote-session.ts");
  for (const file of files) expect(file).toMatch(/^(base\/kernel|edge\/host)\//);
});
