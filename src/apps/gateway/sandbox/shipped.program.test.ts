import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { conductProgram } from "../../../edge/host/node/package-files.ts";
import { findSandbox } from "../../../edge/host/sandbox/find-sandbox.ts";
import { type ModelServer, startModelServer } from "../../../testing/test/model-server/index.ts";
import { type ConductClient, conductClient } from "../client.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 180_000;
const TOKEN = "a-token-for-the-test-of-the-sandbox";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const configOf = (server: ModelServer, network: string) => `
agents:
  clerk:
    model: own/scripted
    network: [${network}]
    tools: [{ name: shell, args: [command] }]
    completion: { command: "test ! -e ${join(tmpdir(), "conduct-shipped-mark")} && test -z \\"$SCRIPTED_KEY\\"" }
models:
  own/scripted: { baseUrl: "${server.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY }
schedules:
  - { id: nightly, agent: clerk, user: uma, cron: "* * * * *", say: "run it" }
`;

/** The shipped program, and a person's conversation with its agent. */
async function start({ network = "", env: more = {} }: { network?: string; env?: NodeJS.ProcessEnv } = {}) {
  const root = mkdtempSync(join(tmpdir(), "conduct-shipped-"));
  const home = join(root, "home");
  mkdirSync(home);
  closing.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const server = await startModelServer({ script: [] });
  closing.push(() => server.close());
  writeFileSync(join(home, "conduct.yaml"), configOf(server, network));
  const { CONDUCT_STORE: _, ...inherited } = process.env;
  const env = { ...inherited, CONDUCT_HOME: home, CONDUCT_TOKEN: TOKEN, SCRIPTED_KEY: "provider-key", ...more };
  const child = spawn(process.execPath, [conductProgram(), "gateway", "--port", "0", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  closing.push(() => kill(child));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url, sandbox } = JSON.parse(line) as { readonly url: string; readonly sandbox: string };
  const operator = conductClient({ url, token: TOKEN });
  async function person(id: string): Promise<ConductClient> {
    await operator.call("POST /api/users", { body: { id, name: id, role: "user" } });
    const made = await operator.call("POST /api/users/{id}/tokens", { params: { id }, body: { label: "test" } });
    return conductClient({ url, token: made.token });
  }
  /** Has the agent run a command for somebody; gives what the model got back. */
  async function run(client: ConductClient, command: string): Promise<string> {
    const { id } = await client.call("POST /api/sessions", { body: { agent: "clerk" } });
    server.setScript([{ calls: [{ name: "shell", input: { command } }] }, { text: "done" }]);
    const ended = await client.call("POST /api/sessions/{id}/messages", {
      params: { id },
      query: { wait: "true" },
      body: { text: "run it" },
    });
    expect(ended).toMatchObject({ status: "complete" });
    return server.requests.at(-1)?.results.at(-1)?.text ?? "";
  }
  return { child, sandbox, operator, person, run, url };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

const probe = mkdtempSync(join(tmpdir(), "conduct-probe-"));
const found = await findSandbox({ home: probe, env: process.env, folder: probe });
rmSync(probe, { recursive: true });

describe.skipIf(found.kind === "none")("the gateway on a machine with a sandbox", () => {
  it(
    "SBX-60 a user's command sees neither the gateway's environment nor another user's files, and reaches no host",
    async () => {
      const { child, sandbox, person, operator, run, url } = await start();
      expect(sandbox).toMatch(/^bubblewrap \d/);
      const [uma, ulf] = [await person("uma"), await person("ulf")];
      await run(ulf, "echo of-ulf > a.txt");
      const environ = `python3 -c 'print(open("/pr" + "oc/${child.pid}/environ").read())' 2>&1; env`;
      expect(await run(uma, environ)).not.toMatch(/provider-key|CONDUCT_TOKEN/);
      expect(await run(uma, "cat $(printf ..)/ulf/a.txt 2>&1")).toContain("No such file");
      expect(await run(uma, `curl -s -m 5 ${url}/api/health || echo unreachable`)).toContain("unreachable");
      expect(await run(ulf, "cat a.txt")).toContain("of-ulf");
      // The operator's commands run in it too.
      expect(await run(operator, "whoami")).toContain("agent");
    },
    PATIENT,
  );

  it(
    "SBX-61 an agent's commands reach only the hosts that its definition allows",
    async () => {
      const listen = async () => {
        const server = createServer((_, reply) => void reply.end("reached"));
        await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
        closing.push(() => server.close());
        return (server.address() as AddressInfo).port;
      };
      const [allowed, other] = [await listen(), await listen()];
      const { person, run } = await start({ network: `"127.0.0.1:${allowed}"` });
      const uma = await person("uma");
      const ask = (port: number) => `curl -s -m 20 http://127.0.0.1:${port}/; exit 3`;
      expect(await run(uma, ask(allowed))).toContain("reached");
      expect(await run(uma, ask(other))).toContain("not one of this agent's allowed hosts");
      expect(
        await run(uma, `node -e 'fetch("http://127.0.0.1:${allowed}").then(r => r.text()).then(console.log)'`),
      ).toContain("reached");
    },
    PATIENT,
  );
});

it(
  "SBX-62 without a sandbox a user is denied the agent with install instructions, and the operator is not",
  async () => {
    const bin = mkdtempSync(join(tmpdir(), "conduct-bin-"));
    closing.push(() => rmSync(bin, { recursive: true }));
    writeFileSync(join(bin, "sh"), '#!/bin/sh\nexec /bin/sh "$@"\n', { mode: 0o755 });
    const { sandbox, person, operator, run } = await start({ env: { PATH: bin } });
    expect(sandbox).toMatch(/^none \(.*only operators may use agents that run commands/);
    const uma = await person("uma");
    const refused = { status: 403, code: "OPERATORS_ONLY", message: expect.stringContaining("Only operators") };
    await expect(uma.call("POST /api/sessions", { body: { agent: "clerk" } })).rejects.toMatchObject(refused);
    expect(await run(operator, "echo by the operator")).toContain("by the operator");
    // Somebody who was an operator when the conversation began, and is none now.
    await operator.call("PATCH /api/users/{id}", { params: { id: "uma" }, body: { role: "operator" } });
    const { id } = await uma.call("POST /api/sessions", { body: { agent: "clerk" } });
    await operator.call("PATCH /api/users/{id}", { params: { id: "uma" }, body: { role: "user" } });
    const say = uma.call("POST /api/sessions/{id}/messages", { params: { id }, body: { text: "run it" } });
    await expect(say).rejects.toMatchObject(refused);
    // The schedule of conduct.yaml asks for uma every minute.
    const runs = () => operator.call("GET /api/schedules/{id}/runs", { params: { id: "nightly" } });
    await expect
      .poll(async () => JSON.stringify(await runs()), { timeout: 100_000, interval: 500 })
      .toMatch(/"status":"failed".*Only operators/);
  },
  PATIENT,
);
