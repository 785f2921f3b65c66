import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../../../../../base/kernel/canonical-json.ts";
import { daemonPlace } from "../../../../../edge/host/daemon/daemon-place.ts";
import { sendHook } from "../../../../../edge/host/daemon/hook-socket-client.ts";
import { conductProgram } from "../../../../../edge/host/node/package-files.ts";
import { writeRuntime } from "../../../../../edge/host/opening/runtime-settings.ts";
import { trustStore } from "../../../../../edge/host/trust/trust.ts";
import { startModelServer } from "../../../../../testing/test/model-server/index.ts";
import { type Daemon, startDaemon } from "../../../../daemon/daemon.ts";
import { verdict } from "../../../../daemon/test/test-daemon.ts";
import { conductClient } from "../../../../gateway/client.ts";
import { startGateway } from "../../../../gateway/start-gateway.ts";
import { probeAcp, probeMcp } from "../../doctor/check-client.ts";

/** Whole processes on a machine that others use too. */
const PATIENT = 240_000;
const PUSH = "git push --force origin main";
/** Denies the force push to shells, and the call that the MCP client tries. */
const STRICT = `rules: [packs/coding, { id: no-writing, on: "doctor/write_file", say: "Not here." }]`;

let root: string;
let daemon: Daemon | undefined;
const home = () => join(root, "home");
const work = () => join(root, "work");
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "conduct-same-")));
  for (const folder of [home(), work()]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(async () => {
  await daemon?.end("the test is over");
  daemon = undefined;
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const place = () => {
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH ?? "", HOME: root, CONDUCT_HOME: home() };
  return { env, home: home(), cwd: work() };
};
const configure = (config: string) => writeFileSync(join(home(), "conduct.yaml"), config);
const call = () => ({
  hook_event_name: "PreToolUse",
  session_id: randomUUID(),
  cwd: work(),
  tool_use_id: "c1",
  tool_name: "Bash",
  tool_input: { command: PUSH },
});

/** Where a call can be decided. Each gives whether it was let through. */
const PATHS = {
  async "the daemon"() {
    return verdict(await sendHook(daemonPlace(home()).socket, call(), PATIENT)) === "allow";
  },
  async "a hook"() {
    const child = spawn(process.execPath, [conductProgram(), "hook", "codex"], { cwd: work(), env: place().env });
    child.stdin.end(JSON.stringify(call()));
    const [stdout] = await Promise.all([text(child.stdout), once(child, "close")]);
    return verdict(JSON.parse(stdout)) === "allow";
  },
  async "conduct acp"() {
    return (await probeAcp({ ...place(), session: randomUUID(), command: PUSH })).asked;
  },
  async "conduct mcp proxy"() {
    return (await probeMcp({ ...place(), args: { path: "a.txt", content: "" } })).ran;
  },
};

/** No daemon can be started here, so everything is decided in the process that asks. */
const forbidDaemons = () => writeFileSync(join(home(), "run"), "");

type Row = { readonly what: string; readonly denied: boolean; readonly mcp?: boolean; setUp(): unknown };
const WORKSPACE = `agents: { helper: { ${STRICT} } }\n`;
const ROWS: readonly Row[] = [
  // The built-in rules are about shells and files; a server's own tools are the operator's to name.
  { what: "no conduct.yaml", denied: true, mcp: false, setUp: () => undefined },
  { what: "one agent", denied: true, setUp: () => configure(`agents: { helper: { ${STRICT} } }\n`) },
  {
    what: "several agents, one of them called default",
    denied: true,
    setUp: () => configure(`agents: { loose: {}, default: { ${STRICT} } }\n`),
  },
  {
    what: "an agent that runtimes.json names",
    denied: true,
    async setUp() {
      configure(`agents: { default: {}, strict: { ${STRICT} } }\n`);
      for (const runtime of ["codex", "acp", "mcp"])
        await writeRuntime(home(), runtime, { agent: "strict", enforcement: "enforce", operator: false, since: "" });
    },
  },
  {
    what: "a project's conduct.yaml that is trusted",
    denied: true,
    async setUp() {
      configure("agents: { helper: {} }\n");
      writeFileSync(join(work(), "conduct.yaml"), WORKSPACE);
      await trustStore(home()).trust([{ path: join(work(), "conduct.yaml"), sha256: sha256(WORKSPACE) }]);
    },
  },
  {
    what: "a project's conduct.yaml that nobody has trusted",
    denied: false,
    setUp() {
      configure("agents: { helper: {} }\n");
      writeFileSync(join(work(), "conduct.yaml"), WORKSPACE);
    },
  },
];

describe("the same call is decided alike wherever it is decided", { timeout: PATIENT }, () => {
  it.each(ROWS)(
    "BND-1 with a daemon every path makes the same decision on a call: $what",
    async ({ denied, mcp = denied, setUp }) => {
      await setUp();
      daemon = await startDaemon({ home: home() });
      expect(await decisions(Object.keys(PATHS))).toEqual({
        "the daemon": !denied,
        "a hook": !denied,
        "conduct acp": !denied,
        "conduct mcp proxy": !mcp,
      });
    },
  );

  it.each(ROWS)(
    "BND-2 without a daemon every path makes the same decision on a call: $what",
    async ({ denied, mcp = denied, setUp }) => {
      await setUp();
      forbidDaemons();
      const paths = ["a hook", "conduct acp", "conduct mcp proxy"];
      expect(await decisions(paths)).toEqual({ "a hook": !denied, "conduct acp": !denied, "conduct mcp proxy": !mcp });
    },
  );

  it("BND-3 the gateway denies the same call under the same conduct.yaml", async () => {
    const push = { calls: [{ name: "shell", input: { command: PUSH } }] };
    const server = await startModelServer({ script: [push, { text: "Done." }] });
    const models = `models: { own/scripted: { baseUrl: "${server.openaiUrl}", api: openai-completions, key: KEY } }`;
    const tools = "model: own/scripted, tools: [{ name: shell, args: [command] }]";
    configure(`agents: { loose: {}, helper: { ${tools}, ${STRICT} } }\n${models}\n`);
    const token = "a-token-for-the-test-of-same-decisions";
    const env = { ...place().env, KEY: "none", CONDUCT_TOKEN: token };
    const started = await startGateway({ home: home(), env, port: 0, report: () => undefined });
    try {
      const client = conductClient({ url: started.gateway.url, token });
      const { id } = await client.call("POST /api/sessions", { body: { agent: "helper" } });
      const said = { params: { id }, query: { wait: "true" }, body: { text: "push it" } } as const;
      await client.call("POST /api/sessions/{id}/messages", said);
      expect(server.requests.at(-1)?.raw).toContain("Denied by no-force-push");
    } finally {
      await started.close();
      await server.close();
    }
  });

  it("BND-4 without an installation `conduct acp` prints its agent, mode and rules in one line on stderr", async () => {
    const words = ["acp", "--", process.execPath, "-e", "process.stdin.resume()"];
    const child = spawn(process.execPath, [conductProgram(), ...words], { cwd: work(), env: place().env });
    let logs = "";
    child.stderr.on("data", (chunk) => {
      logs += chunk;
    });
    await expect.poll(() => logs, { timeout: PATIENT }).toContain("\n");
    child.stdin.end();
    await once(child, "close");
    expect(logs.trim().split("\n")).toEqual([
      expect.stringMatching(
        /^conduct acp: agent coding, enforced \(not set up\); config built in \(no conduct\.yaml found\);/,
      ),
    ]);
  });
});

/** By path: was the call let through? */
async function decisions(paths: readonly string[]): Promise<object> {
  const found: [string, boolean][] = [];
  for (const [path, decide] of Object.entries(PATHS)) if (paths.includes(path)) found.push([path, await decide()]);
  return Object.fromEntries(found);
}
