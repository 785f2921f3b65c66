import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as acp from "@agentclientprotocol/sdk";
import { afterEach, describe, expect, it, vi } from "vitest";
import { OPENCODE, opencodeEnv, PLUGIN_FILE } from "../opencode/place.ts";
import { openPlace } from "../opencode/server.ts";
import { type ProxyClient, pick, startClient } from "./proxy-client.ts";

const SDK_AGENT = [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  join(import.meta.dirname, "sdk-agent.ts"),
];
const CONFIG = `agents:
  helper:
    soul: Count twice.
    actions: { test: { tool: shell, command: sh test.sh } }
    rules:
      - { id: test-first, on: shell, when: "args.command == 'sh deploy.sh'", require: { call: test }, say: "Test first." }
      - { id: read-first, on: write_file, when: "args.path.endsWith('a.txt')", require: { call: read_file, same: [path] } }
    limits: { window: 4_000 }
`;

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A home with the operator's own configuration, a workspace, and an editor that really has files and terminals. */
async function editor(command: readonly string[] = SDK_AGENT) {
  const root = mkdtempSync(join(tmpdir(), "conduct-acp-"));
  ends.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(workspace);
  writeFileSync(join(home, "conduct.yaml"), CONFIG);
  const heard: string[] = [];
  const client = await startClient({
    through: [],
    command,
    cwd: workspace,
    env: { PATH: process.env.PATH, HOME: root, CONDUCT_HOME: home },
    capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    prepare: (app) => withFilesAndTerminals(app, workspace),
    hear: ({ update }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
        heard.push(update.content.text);
    },
    answer: (request) => pick(request, "allow_once"),
  });
  ends.push(() => client.close());
  const { sessionId } = await client.agent.request("session/new", { cwd: workspace, mcpServers: [] });
  const say = async (text: string) => {
    heard.length = 0;
    const { stopReason } = await client.agent.request("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    return { stopReason, said: heard.join("") };
  };
  return { client, workspace, say, heard, sessionId };
}

function withFilesAndTerminals(app: acp.ClientApp, cwd: string): void {
  const { fs, terminal } = acp.methods.client;
  const running = new Map<string, { readonly over: Promise<number | null>; output: string }>();
  const found = (id: string) => {
    const one = running.get(id);
    if (one === undefined) throw acp.RequestError.resourceNotFound(id);
    return one;
  };
  app
    .onRequest(fs.readTextFile, ({ params }) => ({ content: readFileSync(params.path, "utf8") }))
    .onRequest(fs.writeTextFile, ({ params }) => {
      writeFileSync(params.path, params.content);
      return {};
    })
    .onRequest(terminal.create, ({ params }) => {
      const child = spawn(params.command, params.args ?? [], { cwd });
      const one = { over: once(child, "close").then(([code]) => code as number | null), output: "" };
      for (const side of [child.stdout, child.stderr]) {
        side.on("data", (text) => {
          one.output += text;
        });
      }
      running.set(`t${running.size + 1}`, one);
      return { terminalId: `t${running.size}` };
    })
    .onRequest(terminal.waitForExit, async ({ params }) => ({ exitCode: await found(params.terminalId).over }))
    .onRequest(terminal.output, ({ params }) => ({ output: found(params.terminalId).output, truncated: false }))
    .onRequest(terminal.release, () => ({}));
}

describe("the SDK's client and the SDK's agent, with `conduct acp` between them", () => {
  it("ACPR-1 file and command requests of the client are gated with a reason, and long results are shortened", async () => {
    const { workspace, say } = await editor();
    const file = join(workspace, "a.txt");
    writeFileSync(file, "old");
    writeFileSync(join(workspace, "test.sh"), "test -f fixed.txt && seq 1 3000");
    writeFileSync(join(workspace, "deploy.sh"), "echo deployed | tee deployed.txt");
    expect((await say(`write ${file} new`)).said).toMatch(/failed: Denied by read-first/);
    expect(readFileSync(file, "utf8")).toBe("old");
    expect((await say(`read ${file}`)).said).toBe("old");
    expect((await say(`write ${file} new`)).said).toBe("written");
    expect(readFileSync(file, "utf8")).toBe("new");
    expect((await say("run sh deploy.sh")).said).toMatch(/failed: Denied by test-first: Test first\./);
    await say("run sh test.sh");
    expect((await say("run sh deploy.sh")).said).toMatch(/failed: Denied by test-first/);
    writeFileSync(join(workspace, "fixed.txt"), "");
    const tested = await say("run sh test.sh");
    expect(tested.said).toMatch(/^1\n2\n.*Output truncated/s);
    expect(tested.said).not.toContain("2999");
    expect((await say("run sh deploy.sh")).said).toBe("deployed\n");
  });

  it("ACPR-2 a denied permission request is rejected, and the reason is sent as a further prompt of the same turn", async () => {
    const { say } = await editor();
    const { said, stopReason } = await say("ask sh deploy.sh");
    expect(stopReason).toBe("end_turn");
    expect(said).toMatch(/n.*heard: Conduct checks your calls.*Denied by test-first: Test first\./s);
    expect((await say("ask echo hi")).said).toBe("y");
  });

  it("ACPR-3 a cancel reaches the agent, and the agent's answer reaches the client", async () => {
    const { client, say, heard, sessionId } = await editor();
    const turn = say("wait");
    await vi.waitFor(() => expect(heard.join("")).toContain("waiting"), { timeout: 60_000 });
    await client.agent.notify("session/cancel", { sessionId });
    expect((await turn).stopReason).toBe("cancelled");
  });

  it("ACPR-4 a killed agent ends the proxy, and the pending prompt is answered", async () => {
    const { client, say, heard } = await editor(["sh", "-c", `${SDK_AGENT.join(" ")}; exit 9`]);
    const exited = once(client.child, "exit");
    const turn = say("wait").catch((error: unknown) => String(error));
    await vi.waitFor(() => expect(heard.join("")).toContain("waiting"), { timeout: 60_000 });
    process.kill(Number(/waiting (\d+)/.exec(heard.join(""))?.[1]), "SIGKILL");
    expect(await turn).toMatch(/the agent is gone: it ended with code 9|closed/);
    expect(await exited).toEqual([9, null]);
  });
});

describe("`opencode acp`, with `conduct acp` before it", () => {
  /** An editor that has files: OpenCode writes what it was allowed to change there too. */
  async function openCode(script: Parameters<typeof openPlace>[1]) {
    const { place, models } = await openPlace(
      { config: { permission: { "*": "ask" } }, files: { [PLUGIN_FILE]: undefined } },
      script,
    );
    ends.push(
      () => place.remove(),
      () => models.close(),
    );
    const { CONDUCT_SOCKET: _, ...env } = opencodeEnv(place);
    const workspace = join(place.root, "work");
    mkdirSync(workspace);
    const conductHome = join(place.root, "conduct-home");
    mkdirSync(conductHome, { mode: 0o700 });
    writeFileSync(join(conductHome, "conduct.yaml"), CONFIG);
    const written: string[] = [];
    const client: ProxyClient = await startClient({
      through: [],
      command: [OPENCODE, "acp"],
      cwd: workspace,
      env: { ...env, CONDUCT_HOME: conductHome },
      capabilities: { fs: { readTextFile: true, writeTextFile: true } },
      prepare: (app) =>
        app.onRequest(acp.methods.client.fs.writeTextFile, ({ params }) => {
          written.push(params.path);
          writeFileSync(params.path, params.content);
          return {};
        }),
      hear: () => undefined,
      answer: (request) => pick(request, "allow_once"),
    });
    ends.push(() => client.close());
    const { sessionId } = await client.agent.request("session/new", { cwd: workspace, mcpServers: [] });
    const say = (text: string) =>
      client.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    return { client, sessionId, workspace, models, written, say };
  }

  it("ACPR-5 without a daemon, the operator's conduct.yaml applies: a write is denied until the file was read", async () => {
    const call = (id: string, name: string, input: { [key: string]: string }) => ({ calls: [{ id, name, input }] });
    const { workspace, models, written, say } = await openCode([
      call("c1", "write", { filePath: "a.txt", content: "new" }),
      call("c2", "read", { filePath: "a.txt" }),
      call("c3", "write", { filePath: "a.txt", content: "new" }),
      { text: "Done." },
    ]);
    const file = join(workspace, "a.txt");
    writeFileSync(file, "old");
    expect((await say("write it")).stopReason).toBe("end_turn");
    expect(models.requests[1]?.lastUserText).toMatch(/Denied by read-first/);
    expect(models.requests).toHaveLength(4);
    expect(readFileSync(file, "utf8")).toBe("new");
    expect(written).toEqual([file]);
  });

  it("ACPR-6 cancel ends a turn whose model never answers", async () => {
    const { client, sessionId, models, say } = await openCode([{ broken: "hangs" }]);
    const turn = say("go");
    await vi.waitFor(() => expect(models.requests).toHaveLength(1), { timeout: 60_000 });
    await client.agent.notify("session/cancel", { sessionId });
    expect(["cancelled", "end_turn"]).toContain((await turn).stopReason);
    expect(models.requests).toHaveLength(1);
  });
});
