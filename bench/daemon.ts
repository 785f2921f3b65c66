import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildHook } from "../scripts/build-hook.ts";
import { isHookBundleStale } from "../src/apps/daemon/hook-bundle.ts";
import { ensureDaemon } from "../src/edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../src/edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../src/edge/host/daemon/daemon-settings.ts";
import { sendHook } from "../src/edge/host/daemon/hook-socket-client.ts";
import { conductProgram } from "../src/edge/host/node/package-files.ts";
import { type Benchmark, main, type Report } from "./report.ts";

export const daemon: Benchmark = {
  name: "daemon",
  about: [
    "The daemon in a process of its own, with the coding pack: one Codex call, decided and kept in SQLite before it is answered, in a",
    "session that has made 200 calls; against a program that sends the same line back. Then `conduct hook codex` as a whole process,",
    "from its bundle and with the daemon running, against Node that does nothing. `POST …/call` is the same decision for a program in any",
    "language, over loopback HTTP with a connection that stays open, in a session that has made 200 calls.",
  ],
  run,
};

const HISTORY = 200;
const LIMIT_MS = 30_000;
/** Echoes every connection's input, as a reference for the daemon's socket. */
const ECHO = `
require("node:net").createServer((socket) => {
  let text = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    text += chunk;
    if (text.endsWith("\\n")) socket.end(JSON.stringify({ ok: true, answer: JSON.parse(text) }) + "\\n");
  });
}).listen(process.argv[1], () => console.log("ready"));
`;

async function run(report: Report): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "conduct-bench-daemon-"));
  // Separate folders, because calls on files in Conduct's home are denied, and denials are not measured here.
  const [home, workspace] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, workspace]) mkdirSync(folder, { mode: 0o700 });
  const { socket } = daemonPlace(home);
  const echoSocket = join(home, "run", "echo.sock");
  await buildHook();
  await ensureDaemon(home);
  const echo = spawn(process.execPath, ["-e", ECHO, echoSocket], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(echo.stdout, "data");
    let made = 0;
    const event = (name: string) => ({
      hook_event_name: name,
      session_id: "bench",
      cwd: workspace,
      tool_use_id: `call_${made}`,
      tool_name: "Bash",
      tool_input: { command: `cat file-${made}.txt` },
      tool_response: "text",
    });
    const call = async () => {
      made += 1;
      const answer = await sendHook(socket, event("PreToolUse"), LIMIT_MS);
      if (JSON.stringify(answer) !== "{}") throw new Error(`a call was not let pass: ${JSON.stringify(answer)}`);
    };
    const settle = async () => {
      await sendHook(socket, event("PostToolUse"), LIMIT_MS);
      await sendHook(socket, event("PreModelRequest"), LIMIT_MS);
    };
    for (let at = 0; at < HISTORY; at++) {
      await call();
      await settle();
    }
    const [request] = await report.group("request to reply", { ours: "daemon", reference: "echo" }, [
      {
        name: "a call",
        ours: { run: call, before: settle },
        reference: { run: () => sendHook(echoSocket, event("PreToolUse"), LIMIT_MS) },
        perBatch: 20,
        each: true,
      },
    ]);
    report.budget("design.md: the local daemon, request to reply, p50", 2_000, request?.ours.p50 ?? Number.NaN, "time");
    report.budget("issue 20: daemon reply, p50", 1_000, request?.ours.p50 ?? Number.NaN, "time");
    report.budget("issue 20: daemon reply, p99", 5_000, request?.ours.p99 ?? Number.NaN, "time");
    const http = await apiCalls(home, workspace);
    const [moment] = await report.group("request to reply, HTTP", { ours: "POST …/call", reference: "GET /health" }, [
      {
        name: "a call",
        ours: { run: http.call, before: http.settle },
        reference: { run: http.health },
        perBatch: 20,
        each: true,
      },
    ]);
    report.budget("issue 22: a call over HTTP, request to reply, p50", 2_000, moment?.ours.p50 ?? Number.NaN, "time");
    const [hook] = await report.group("a whole process", { ours: "conduct hook codex", reference: "bare Node" }, [
      {
        name: "a call",
        ours: () => {
          made += 1;
          start([conductProgram(), "hook", "codex"], home, JSON.stringify(event("PreToolUse")));
        },
        reference: () => start(["-e", "0"], home, ""),
        perBatch: 1,
      },
    ]);
    // If the source changes meanwhile, hooks run from source, which is slower.
    if (isHookBundleStale()) throw new Error("the hooks' source was changed while they were measured: run it again");
    report.budget("design.md: a whole command hook, against bare Node", 1.6, hook?.ratio.median ?? Number.NaN, "ratio");
    report.budget("issue 20: a command hook, against bare Node", 1.3, hook?.ratio.median ?? Number.NaN, "ratio");
  } finally {
    echo.kill();
    await sendHook(socket, { daemon: "stop" }, LIMIT_MS).catch(() => undefined);
    rmSync(root, { recursive: true, force: true });
  }
}

/** Calls of a program over the daemon's loopback HTTP, after `HISTORY` calls. */
async function apiCalls(home: string, workspace: string) {
  const { port, token } = readDaemonSettings(daemonPlace(home).settings) ?? {};
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const send = (method: string, path: string, body?: object): Promise<{ readonly [key: string]: unknown }> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path, method, agent, headers }, async (answer) => {
        let text = "";
        for await (const chunk of answer) text += chunk;
        resolve(JSON.parse(text));
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const { session } = await send("POST", "/api/v1/sessions", { cwd: workspace });
  let made = 0;
  const call = async () => {
    made += 1;
    const input = { command: `cat file-${made}.txt` };
    const answer = await send("POST", `/api/v1/sessions/${session}/call`, { id: `c${made}`, tool: "shell", input });
    if (answer.kind !== "allow") throw new Error(`a call was not let pass: ${JSON.stringify(answer)}`);
  };
  const settle = async () => {
    if (made === 0) return;
    const parts = [{ kind: "text", text: "text" }];
    await send("POST", `/api/v1/sessions/${session}/result`, { id: `c${made}`, outcome: "ok", parts });
  };
  for (let at = 0; at < HISTORY; at++) {
    await call();
    await settle();
  }
  return { call, settle, health: () => send("GET", "/health") };
}

function start(args: readonly string[], home: string, input: string): void {
  const { CONDUCT_SOCKET: _, ...env } = process.env;
  const done = spawnSync(process.execPath, args, { env: { ...env, CONDUCT_HOME: home }, input });
  if (done.status !== 0) throw new Error(`${args.join(" ")} ended with ${done.status}: ${done.stdout}${done.stderr}`);
}

await main(daemon);
