import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { testTerminal } from "../../test/test-terminal.ts";
import { runGateway } from "./gateway.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

function place(config?: string): NodeJS.ProcessEnv {
  const root = mkdtempSync(join(tmpdir(), "conduct-cli-gw-"));
  roots.push(root);
  if (config !== undefined) writeFileSync(join(root, "conduct.yaml"), config);
  return { CONDUCT_HOME: root };
}

/** A terminal, and the signal that comes once the gateway has said that it runs. */
function terminalThatEnds() {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const terminal = testTerminal();
  const out = (text: string) => {
    terminal.out(text);
    if (text.includes("/login#code=")) resolve("SIGTERM");
  };
  return { terminal: { ...terminal, out }, ended };
}

const never = new Promise<string>(() => undefined);

describe("conduct gateway", () => {
  it("GWC-1 the gateway prints its address, its store and its model, and ends on request", async () => {
    const { terminal, ended } = terminalThatEnds();
    const outcome = await runGateway({ port: "0" }, terminal, place(), ended);
    expect(outcome).toMatchObject({ ok: true });
    const text = terminal.said();
    for (const part of ["conduct.db", "demo (no key set", "contract v0, empty", "/login#code=cl_", "deploy it"])
      expect(text).toContain(part);
  });

  it.each([
    [{ port: "many" }, {}, "BAD_PORT"],
    [{ port: "0", host: "0.0.0.0" }, {}, "TOKEN_NEEDED"],
    [{ port: "0" }, { CONDUCT_TOKEN: "short" }, "TOKEN_SHORT"],
  ])("GWC-2 %j with %j is rejected as %s, and no port is opened", async (args, env, code) => {
    const outcome = await runGateway(args, testTerminal(), { ...place(), ...env }, never);
    expect(outcome).toMatchObject({ ok: false, code, fix: expect.any(String) });
  });

  it("GWC-4 a report is a single line without control characters and without secrets", async () => {
    const { terminal, ended } = terminalThatEnds();
    const agent = '"x\\e[31m\\nconduct: all is well password=hunter2222"';
    const schedule = `{ agent: ${agent}, user: ann, cron: "0 8 * * *", say: hello }`;
    const env = place(`agents:\n  ada: {}\nschedules:\n  - ${schedule}\n`);
    await runGateway({ port: "0" }, terminal, env, ended);
    const said = terminal.complained();
    expect(said).toContain("is ignored");
    expect(said.trimEnd().split("\n")).toHaveLength(1);
    for (const hidden of ["\u001b", "hunter2222"]) expect(said).not.toContain(hidden);
  });

  it("GWC-6 a signal during the start ends the gateway and releases its lock", async () => {
    const terminal = testTerminal();
    const env = place();
    expect(await runGateway({ port: "0" }, terminal, env, Promise.resolve("SIGTERM"))).toMatchObject({ ok: true });
    expect(terminal.said()).not.toContain("/login");
    // The lock on the store is free again.
    const again = terminalThatEnds();
    expect(await runGateway({ port: "0" }, again.terminal, env, again.ended)).toMatchObject({ ok: true });
    expect(again.terminal.complained()).toBe("");
  });

  it("GWC-7 a second gateway on the same home is rejected with the owner, start time, location and what to do", async () => {
    const { terminal } = terminalThatEnds();
    const env = place();
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    const first = runGateway({ port: "0" }, terminal, env, ended);
    await expect.poll(() => terminal.said(), { timeout: 20_000 }).toContain("/login#code=");
    const second = await runGateway({ port: "0" }, testTerminal(), env, never);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(terminal.said())?.[0] ?? "none";
    expect(second).toMatchObject({ ok: false, code: "STORE_IN_USE", fix: expect.stringContaining("kill ") });
    for (const part of [`process ${process.pid}`, url, "since 20"])
      expect(second).toMatchObject({ message: expect.stringContaining(part) });
    resolve("SIGTERM");
    expect(await first).toMatchObject({ ok: true });
  });

  it.each([
    [{ url: "conduct.example.org" }, {}],
    [{ url: "https://conduct.example.org/path" }, {}],
    [{}, { CONDUCT_ORIGINS: "https://a.example, javascript:alert(1)" }],
    [{ origin: "https://user:pw@a.example" }, {}],
  ])("GWC-5 %j with %j is rejected as an invalid address, and no port is opened", async (args, env) => {
    const outcome = await runGateway({ port: "0", ...args }, testTerminal(), { ...place(), ...env }, never);
    expect(outcome).toMatchObject({ ok: false, code: "BAD_URL" });
  });

  it("GWC-3 a conduct.yaml with faults is reported with its lines, and nothing is started", async () => {
    const env = place("agents:\n  ada:\n    modle: x\n");
    const outcome = await runGateway({ port: "0" }, testTerminal(), env, never);
    expect(outcome).toMatchObject({
      ok: false,
      code: "CONFIG_INVALID",
      text: expect.stringContaining("did you mean 'model'"),
    });
  });
});
