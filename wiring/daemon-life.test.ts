import { afterAll, beforeAll, describe, expect } from "vitest";
import { ClaudeCode } from "./claude-code.ts";
import { Machine } from "./shipped.ts";
import { wired } from "./wired.ts";

const machine = new Machine();
const CONFIG = `
agents:
  clerk:
    rules:
      - { id: no-rm, on: shell, when: 'args.command.startsWith("rm")', say: Nothing is deleted. }
      - { id: no-drill, on: shell, when: 'args.command.contains("drill") && "drilling" in session.custom', say: No drills now. }
`;

beforeAll(async () => {
  machine.write({ ".conduct/conduct.yaml": CONFIG });
  machine.onClose(() => machine.conduct(["daemon", "stop"]));
  const { code, out, err } = await machine.conduct(["init", "claude-code", "--yes"]);
  expect(code, out + err).toBe(0);
});
afterAll(() => machine.close());

async function session(id: string): Promise<ClaudeCode> {
  const claude = new ClaudeCode(machine, id);
  await claude.start();
  await claude.say("begin");
  return claude;
}

/** The daemon over HTTP, as a program of one's own uses it. */
async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const { port, token } = JSON.parse(machine.read(".conduct/daemon.json")) as { port: number; token: string };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.json() };
}

describe("what the daemon serves", () => {
  wired(
    "conduct enforce --shadow",
    "WIR-620 with a broken file, a runtime in shadow continues with the reason, and an enforced one is blocked",
    async () => {
      const claude = await session("broken");
      machine.write({ ".conduct/conduct.yaml": "agents: [\n" });
      const watched = await claude.shell("echo one");
      expect(watched).not.toContain('"deny"');
      expect(watched).toContain("conduct.yaml");
      await machine.atTerminal(["enforce", "claude-code", "--yes"]);
      expect(await claude.shell("echo two")).toContain('"deny"');
      machine.write({ ".conduct/conduct.yaml": CONFIG });
      expect(await claude.shell("echo three")).not.toContain('"deny"');
    },
  );

  wired("conduct tag --none", "WIR-621 tags that a person sets count in the rules of a daemon's session", async () => {
    const claude = await session("tagged");
    expect(await claude.shell("echo drill")).not.toContain("No drills now");
    await machine.atTerminal(["tag", "tagged", "drilling"]);
    expect(await claude.shell("echo drill again")).toContain("No drills now");
    await machine.atTerminal(["tag", "tagged", "--none"]);
    expect(await claude.shell("echo drill once more")).not.toContain("No drills now");
  });

  wired(
    "conduct daemon run --idle",
    "WIR-622 a program opens a session over HTTP, has its calls decided, and closes the session",
    async () => {
      expect(await ask("GET", "/health")).toMatchObject({
        status: 200,
        body: { ok: true, version: expect.any(String) },
      });
      const opened = await ask("POST", "/api/v1/sessions", { cwd: machine.work });
      expect(opened).toMatchObject({ status: 201, body: { session: expect.any(String), agent: "clerk" } });
      const path = `/api/v1/sessions/${(opened.body as { session: string }).session}`;
      const call = (command: string) =>
        ask("POST", `${path}/call`, { id: `call-${command.length}`, tool: "shell", input: { command } });
      expect(JSON.stringify(await call("rm -r all"))).toContain("Nothing is deleted.");
      expect(JSON.stringify(await call("echo hi"))).toContain('"allow"');
      expect((await ask("DELETE", path)).status).toBe(200);
      expect((await call("echo late")).status).toBeGreaterThanOrEqual(400);
    },
  );
});
