import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { conductProgram } from "../../../../edge/host/node/package-files.ts";
import { conductClient } from "../../../gateway/client.ts";
import { startGateway } from "../../../gateway/start-gateway.ts";
import { testTerminal } from "../../test/test-terminal.ts";
import { memoryForget, memoryList } from "../memory/memory.ts";
import { promptShow } from "../prompt/show.ts";
import { gateway } from "./gateway.ts";
import { runGatewayLogin } from "./gateway-login.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function running(more: { readonly url?: string; readonly origins?: readonly string[] } = {}) {
  const root = mkdtempSync(join(tmpdir(), "conduct-login-"));
  closing.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const home = join(root, "home");
  const env = { CONDUCT_HOME: home };
  const started = await startGateway({ home, env, port: 0, report: () => undefined, ...more });
  let open = true;
  const close = async () => {
    if (open) await started.close();
    open = false;
  };
  closing.push(close);
  return { home, env, started, close };
}

const person = { look: () => ({ kind: "person", proof: "at pts/0" }) as const };
const login = (env: NodeJS.ProcessEnv, args = {}) => runGatewayLogin(args, testTerminal(), env, undefined, person);

async function signIn(url: string, link: string): Promise<Response> {
  const code = new URL(link).hash.replace("#code=", "");
  const headers = { "content-type": "application/json" };
  return fetch(`${url}/api/login`, { method: "POST", headers, body: JSON.stringify({ code }) });
}

describe("conduct gateway login", () => {
  it("GWL-1 gateway login prints a fresh link for the running gateway, which signs the operator in once", async () => {
    const { env, started, home } = await running();
    const outcome = await login(env);
    if (!outcome.ok) throw new Error(outcome.message);
    const { login: link } = outcome.result as { readonly login: string };
    expect(link).not.toBe(started.loginLink);
    expect(link.startsWith(`${started.gateway.url}/login#code=cl_`)).toBe(true);
    expect(await (await signIn(started.gateway.url, link)).json()).toMatchObject({ id: "operator", role: "operator" });
    expect((await signIn(started.gateway.url, link)).status).toBe(401);
    // The first link is as good as it was.
    expect((await signIn(started.gateway.url, started.loginLink)).status).toBe(200);
    expect(statSync(join(home, "run", "gateway.json")).mode & 0o777).toBe(0o600);
  });

  it("GWL-2 gateway login fails with a reason if no gateway runs, no person asks, or the store is another one", async () => {
    const { env, close, home } = await running();
    expect(await runGatewayLogin({}, testTerminal(), { ...env, CLAUDECODE: "1" })).toMatchObject({
      ok: false,
      code: "INSIDE_AGENT",
    });
    const around = { agent: "Codex", sign: "its parent process 1 is Codex" };
    expect(await runGatewayLogin({}, testTerminal(), env, around)).toMatchObject({ ok: false, code: "INSIDE_AGENT" });
    const nobody = { look: () => ({ kind: "nobody", why: "there is no terminal" }) as const };
    expect(await runGatewayLogin({}, testTerminal(), env, undefined, nobody)).toMatchObject({
      ok: false,
      code: "NO_PERSON",
    });
    expect(await login({ ...env, CONDUCT_STORE: "postgres://u:secret@127.0.0.1:1/x" })).toMatchObject({
      ok: false,
      code: "OTHER_STORE",
      message: expect.not.stringContaining("secret"),
    });
    expect(await login(env, { user: "nobody" })).toMatchObject({ ok: false, code: "NO_USER" });
    // What others could have written is not believed.
    chmodSync(join(home, "run", "gateway.json"), 0o666);
    expect(await login(env)).toMatchObject({ ok: false, code: "NOT_RUNNING" });
    chmodSync(join(home, "run", "gateway.json"), 0o600);
    expect(await login(env)).toMatchObject({ ok: true });
    await close();
    expect(await login(env)).toMatchObject({ ok: false, code: "NOT_RUNNING", fix: expect.stringContaining("gateway") });
  });

  it.each([
    ["gateway", "login"],
    ["open", "--print"],
  ])(
    "GWL-6 the shipped program gives no login link to a program without a terminal: conduct %s %s",
    async (...words) => {
      const { env } = await running();
      const said = await new Promise<string>((resolve) => {
        const options = { env: { PATH: process.env.PATH, HOME: env.CONDUCT_HOME, ...env } };
        execFile(process.execPath, [conductProgram(), ...words], options, (_error, out, error) => resolve(out + error));
      });
      expect(said).toMatch(/NO_PERSON|http:\/\/127\.0\.0\.1:\d+\/\n/);
      expect(said).not.toContain("code=");
    },
  );

  it("GWL-3 an unknown subcommand of conduct gateway is rejected", async () => {
    expect(await gateway({ what: "lgoin" }, testTerminal())).toMatchObject({ ok: false, code: "UNKNOWN_COMMAND" });
  });

  it("GWL-4 behind https, links use the public name, that origin is accepted, and the cookie is https-only", async () => {
    const { env, started } = await running({
      url: "https://conduct.example.org",
      origins: ["https://app.example.org"],
    });
    const outcome = await login(env);
    if (!outcome.ok) throw new Error(outcome.message);
    const { login: link } = outcome.result as { readonly login: string };
    expect(link).toMatch(/^https:\/\/conduct\.example\.org\/login#code=/);
    const { url } = started.gateway;
    const signed = await signIn(url, link);
    expect(signed.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+; Secure$/);
    const health = (origin: string) => fetch(`${url}/api/health`, { headers: { origin } });
    for (const origin of ["https://app.example.org", "https://conduct.example.org"])
      expect((await health(origin)).headers.get("access-control-allow-origin")).toBe(origin);
    expect((await health("https://evil.example.org")).status).toBe(403);
  });
});

describe("what the gateway keeps, from the command line", () => {
  it("GWL-5 the command line shows the prompt of a past turn of the gateway, and deletes a note", async () => {
    const { env, home, started } = await running();
    const { secret } = await started.gateway.access.newToken("operator", "test");
    const client = conductClient({ url: started.gateway.url, token: secret });
    const { id } = await client.call("POST /api/sessions", { body: { agent: "demo" } });
    for (const text of ["remember that I like tea", "hello"])
      await client.call("POST /api/sessions/{id}/messages", {
        params: { id },
        query: { wait: "true" },
        body: { text },
      });
    const past = await expect
      .poll(
        () =>
          client
            .call("GET /api/sessions/{id}/turns/{turn}/prompt", { params: { id, turn: "2" } })
            .catch(() => undefined),
        { timeout: 10_000 },
      )
      .toMatchObject({ exact: true })
      .then(() => client.call("GET /api/sessions/{id}/turns/{turn}/prompt", { params: { id, turn: "2" } }));
    const world = { env, home, now: Date.now };
    const shown = await promptShow({ session: id, turn: "2" }, testTerminal(), world);
    expect(shown).toMatchObject({ ok: true, result: past, text: expect.stringContaining("cached above") });
    for (const [args, code] of [
      [{ session: id, turn: "99" }, "NO_PROMPT"],
      [{ session: "s_none" }, "NO_SESSION"],
      [{ session: "last", turn: "99" }, "NO_PROMPT"],
      [{ session: id, turn: "x" }, "BAD_ARGUMENT"],
    ] as const)
      expect(await promptShow(args, testTerminal(), world)).toMatchObject({ ok: false, code });

    const memory = { env, inside: () => undefined };
    const { notes } = await client.call("GET /api/memory", { query: { agent: "demo" } });
    const [note] = notes;
    if (note === undefined) throw new Error("nothing was remembered");
    const listed = await memoryList({ agent: "demo", search: "tea" }, testTerminal(), memory);
    expect(listed).toMatchObject({ ok: true, text: expect.stringContaining("tea"), result: { total: 1 } });
    const around = { agent: "Codex", sign: "x" };
    const forget = { agent: "demo", id: note.id };
    expect(await memoryForget(forget, testTerminal(), { env, inside: () => around })).toMatchObject({
      code: "INSIDE_AGENT",
    });
    expect(await memoryForget(forget, testTerminal(), memory)).toMatchObject({ ok: true });
    expect(await memoryForget(forget, testTerminal(), memory)).toMatchObject({ ok: false, code: "NO_NOTE" });
    expect(await memoryList({}, testTerminal(), memory)).toMatchObject({ ok: false, code: "BAD_ARGUMENT" });
    expect((await client.call("GET /api/memory", { query: { agent: "demo" } })).total).toBe(0);
  });
});
