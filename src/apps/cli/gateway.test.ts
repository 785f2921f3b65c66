import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runGateway } from "./gateway.ts";
import { testTerminal } from "./test-terminal.ts";

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

const never = new Promise<string>(() => undefined);

describe("conduct gateway", () => {
  it("GWC-1 says where it is, what it keeps and with which model, and ends when told", async () => {
    const terminal = testTerminal();
    const outcome = await runGateway({ port: "0" }, terminal, place(), Promise.resolve("SIGTERM"));
    expect(outcome).toMatchObject({ ok: true });
    const text = terminal.said();
    for (const part of ["conduct.db", "demo (no key set", "contract v0, empty", "/login#code=cl_", "deploy it"])
      expect(text).toContain(part);
  });

  it.each([
    [{ port: "many" }, {}, "BAD_PORT"],
    [{ port: "0", host: "0.0.0.0" }, {}, "TOKEN_NEEDED"],
    [{ port: "0" }, { CONDUCT_TOKEN: "short" }, "TOKEN_SHORT"],
  ])("GWC-2 %j with %j is refused as %s, and nothing is bound", async (args, env, code) => {
    const outcome = await runGateway(args, testTerminal(), { ...place(), ...env }, never);
    expect(outcome).toMatchObject({ ok: false, code, fix: expect.any(String) });
  });

  it("GWC-3 a conduct.yaml with faults is shown with its lines, and nothing is started", async () => {
    const env = place("agents:\n  ada:\n    modle: x\n");
    const outcome = await runGateway({ port: "0" }, testTerminal(), env, never);
    expect(outcome).toMatchObject({
      ok: false,
      code: "CONFIG_INVALID",
      text: expect.stringContaining("did you mean 'model'"),
    });
  });
});
