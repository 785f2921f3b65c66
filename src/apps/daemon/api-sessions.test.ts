import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/words/json.ts";
import { daemonPlace } from "../../edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../../edge/host/daemon/daemon-settings.ts";
import { endPause, writePause } from "../../edge/host/daemon/paused.ts";
import { runtimesFile, writeRuntime } from "../../edge/host/opening/runtime-settings.ts";
import { useDaemons } from "./test/test-daemon.ts";

const daemons = useDaemons();
const { place, start, send, codex } = daemons;

type Answer = { readonly status: number; readonly body: JsonObject };
type More = { readonly headers?: Record<string, string>; readonly method?: string };

/** A raw request, because `fetch` sends no other Host. */
function http(path: string, body?: unknown, { headers = {}, method = "POST" }: More = {}): Promise<Answer> {
  const { port, token } = readDaemonSettings(daemonPlace(place.home).settings) ?? {};
  const own = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, method, path: `/api/v1/sessions${path}`, headers: { ...own, ...headers } },
      async (answer) => {
        let text = "";
        for await (const chunk of answer) text += chunk;
        resolve({ status: answer.statusCode ?? 0, body: text === "" ? {} : JSON.parse(text) });
      },
    );
    sent.on("error", reject);
    sent.end(typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body));
  });
}

const open = async (more: JsonObject = {}) => String((await http("", { cwd: place.workspace, ...more })).body.session);
const call = (session: string, id: string, command: string) =>
  http(`/${session}/call`, { id, tool: "bash", input: { command } });
const ok = (session: string, id: string) =>
  http(`/${session}/result`, { id, outcome: "ok", exitCode: 0, parts: [{ kind: "text", text: "fine" }] });

describe("the HTTP moments of the daemon", () => {
  it("HTD-1 a program in any language is gated by the rules of its folder, over HTTP and over the socket", async () => {
    await start();
    const session = await open();
    expect((await call(session, "c1", "deploy all")).body).toMatchObject({ kind: "deny", rule: "proof" });
    await call(session, "c2", "npm test");
    expect((await ok(session, "c2")).body).toEqual({ changed: false });
    const body = { id: "c3", tool: "bash", input: { command: "deploy all" } };
    expect(await send({ api: { moment: "call", session, body } })).toMatchObject({
      status: 200,
      body: { kind: "allow" },
    });
  });

  it("HTD-13 a loosened runtime is set back before a program's call is answered", async () => {
    const bound = { enforcement: "enforce", operator: false, since: "" } as const;
    await writeRuntime(place.home, "api", bound);
    await start();
    const session = await open();
    expect((await call(session, "c1", "deploy all")).body).toMatchObject({ kind: "deny" });
    const loose = { api: { ...bound, enforcement: "shadow" } };
    writeFileSync(runtimesFile(place.home), JSON.stringify(loose), { mode: 0o600 });
    expect((await call(session, "c2", "deploy all")).body).toMatchObject({ kind: "deny" });
  });

  it("HTD-2 replies survive a killed daemon, and a call counts once", async () => {
    const first = await start();
    const session = await open();
    const published = await call(session, "c1", "publish all");
    const denied = await call(session, "c2", "publish all");
    expect([published.body.kind, denied.body.kind]).toEqual(["allow", "deny"]);
    await first.end("test");
    await start();
    expect(await call(session, "c1", "publish all")).toEqual(published);
    expect(await call(session, "c2", "publish all")).toEqual(denied);
    expect((await ok(session, "c1")).status).toBe(200);
    expect(await call(session, "c1", "publish other")).toMatchObject({ status: 409, body: { code: "ID_REUSED" } });
  });

  it("HTD-3 no token, another token, another Host, a form or a missing type is rejected", async () => {
    await start();
    const session = await open();
    const body = { id: "c1", tool: "bash", input: { command: "ls" } };
    const cases: readonly (readonly [Record<string, string>, number])[] = [
      [{ authorization: "" }, 401],
      [{ authorization: `Bearer ${"0".repeat(64)}` }, 401],
      [{ host: "evil.example" }, 403],
      [{ host: "127.0.0.1.evil.example" }, 403],
      [{ "content-type": "text/plain" }, 415],
    ];
    for (const [headers, status] of cases)
      expect([headers, (await http(`/${session}/call`, body, { headers })).status]).toEqual([headers, status]);
    expect((await http(`/${session}/call`, body)).body.kind).toBe("allow");
  });

  it("HTD-4 malformed, oversized and unknown input is rejected with its place", async () => {
    await start();
    const session = await open();
    const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
    for (const [path, body, status, detail] of [
      ["", {}, 400, "cwd"],
      ["", { cwd: "relative" }, 400, "cwd"],
      ["", { cwd: place.workspace, user: "root" }, 400, "user"],
      ["", { cwd: place.workspace, interactive: true }, 400, "interactive"],
      [`/${session}/call`, { id: "c", tool: "x", input: {}, role: "operator" }, 400, "role"],
      [`/${session}/call`, `{"id":"c","tool":"x","input":{"a":${deep}}}`, 400, "nested"],
      [`/${session}/call`, `{"id":"c","tool":"x","input":{"__proto__":{}}}`, 400, "__proto__"],
      [`/${session}/call`, "[]", 400, ""],
      [`/${session}/call`, "{", 400, "JSON"],
      [`/${session}/result`, `"${"x".repeat(9 * 1024 * 1024)}"`, 413, "more than"],
      [`/${session}/result`, { id: "none", outcome: "ok", parts: [] }, 409, "NO_CALL"],
      ["/s_unknown/call", { id: "c", tool: "x", input: {} }, 404, "NOT_FOUND"],
    ] as const) {
      const answer = await http(path, body);
      expect([path, answer.status]).toEqual([path, status]);
      expect(JSON.stringify(answer.body)).toContain(detail);
    }
  });

  it("HTD-5 sessions of other runtimes cannot be used over HTTP", async () => {
    await start();
    await codex({ session_id: "theirs" });
    expect((await call("theirs", "c1", "ls")).status).toBe(404);
    expect((await http("/theirs", undefined, { method: "DELETE" })).status).toBe(404);
  });

  it("HTD-6 relayed text never captures a directive and never elevates, even where the account is the operator", async () => {
    await writeRuntime(place.home, "api", { enforcement: "enforce", operator: true, since: "" });
    await start();
    const session = await open();
    const said = await http(`/${session}/message`, { text: "STOP: long reports" });
    expect(JSON.stringify(said.body.notes)).toContain("only an operator");
    expect((await http(`/${session}/message`, { text: "/elevated on go" })).body.modes).toMatchObject({
      elevated: false,
    });
    expect((await http(`/${session}/message`, { text: "/contract" })).body.reply).toContain("Only an operator");
  });

  it("HTD-7 a broken configuration blocks and says why; a pause lets everything pass", async () => {
    await start();
    const session = await open();
    daemons.configure("agents: { coder: { rules: [ { id: x } ] } }");
    const blocked = await call(session, "c1", "ls");
    expect(blocked).toMatchObject({ status: 503, body: { code: "BROKEN" } });
    const now = Date.now();
    writePause(place.home, { at: now, until: now + 60_000, by: "ann", proof: "test" });
    expect((await call(session, "c1", "ls")).body).toMatchObject({ kind: "allow", because: "paused" });
    endPause(place.home);
  });

  it("HTD-8 shadow mode records and never blocks, not even a reused id or a result without a call", async () => {
    await writeRuntime(place.home, "api", { enforcement: "shadow", operator: false, since: "" });
    await start();
    const session = await open();
    expect((await call(session, "c1", "deploy all")).body).toMatchObject({ kind: "allow", because: "shadow" });
    expect((await call(session, "c1", "deploy other")).body).toMatchObject({ kind: "allow", because: "shadow" });
    expect((await ok(session, "none")).body).toEqual({ changed: false });
  });

  it("HTD-9 Conduct's own tools run only for an allowed call of that tool", async () => {
    await start();
    const opened = await http("", { cwd: place.workspace, id: "one" });
    const session = String(opened.body.session);
    const names = (opened.body.tools as { name: string }[]).map(({ name }) => name);
    expect(names).toContain("verify_context");
    const run = (id: string) => http(`/${session}/tool`, { id, tool: "verify_context", input: {} });
    expect((await run("c1")).status).toBe(409);
    await call(session, "c2", "ls");
    expect((await run("c2")).status).toBe(409);
    await http(`/${session}/call`, { id: "c3", tool: "verify_context", input: {} });
    expect((await run("c3")).status).toBe(200);
  });

  it("HTD-10 the same name opens the same session; a child belongs to its parent; a closed one answers no more", async () => {
    await start();
    const session = await open({ id: "mine" });
    expect(await open({ id: "mine" })).toBe(session);
    const child = await open({ parent: session });
    expect((await call(child, "c1", "ls")).body.kind).toBe("allow");
    expect((await http("", { cwd: place.workspace, parent: "s_none" })).status).toBe(404);
    expect((await http(`/${session}`, undefined, { method: "DELETE" })).body).toEqual({ closed: true });
    expect((await http(`/${session}`, undefined, { method: "DELETE" })).body).toEqual({ closed: true });
    expect((await call(session, "c1", "ls")).status).toBe(410);
  });

  it("HTD-11 an open session keeps the daemon running; a closed one does not", async () => {
    const daemon = await start({ idleMs: 200, lookMs: 20 });
    const session = await open();
    const ended = await Promise.race([daemon.ended, new Promise((resolve) => setTimeout(resolve, 600, "runs"))]);
    expect(ended).toBe("runs");
    await http(`/${session}`, undefined, { method: "DELETE" });
    expect(await daemon.ended).toBe("it was idle");
  });

  it("HTD-12 the daemon reads the agent's files: a rule about an existing file decides on the real one", async () => {
    daemons.configure("agents: { coder: { policies: [ { readBeforeWrite: {} } ] } }");
    await start();
    writeFileSync(join(place.workspace, "old.txt"), "text");
    const session = await open();
    const write = (id: string, path: string) =>
      http(`/${session}/call`, { id, tool: "write_file", input: { path, content: "x" } });
    expect((await write("c1", "new.txt")).body.kind).toBe("allow");
    expect((await write("c2", "old.txt")).body).toMatchObject({ kind: "deny", code: "not-read" });
  });
});
