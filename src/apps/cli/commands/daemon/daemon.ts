import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { type DaemonHello, ensureDaemon, helloDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { conductVersion, daemonPlace, oldVersion } from "../../../../edge/host/daemon/daemon-place.ts";
import { NoDaemonError, sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { readPause } from "../../../../edge/host/daemon/paused.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import type { CommandBody } from "../../line/command.ts";
import type { Outcome } from "../../line/outcome.ts";
import type { Paint } from "../../line/paint.ts";
import { plural } from "../../line/printable.ts";

const STOP_MS = 10_000;
const LOOK_MS = 20;

/** `conduct daemon start` */
export const daemonStart: CommandBody = async (_args, { paint }) => {
  try {
    return described(await ensureDaemon(conductHome()), paint);
  } catch (error) {
    return failed(error);
  }
};

/** `conduct daemon status` */
export const daemonStatus: CommandBody = async (_args, { paint }) => {
  const home = conductHome();
  try {
    const hello = await running(home);
    if (hello !== undefined) return described(hello, paint);
    const next = [{ command: "conduct daemon start", description: "Start it" }];
    const text = "\n  The daemon does not run. The next hook of an agent starts it.\n\n";
    return { ok: true, result: { running: false }, text, next };
  } catch (error) {
    return failed(error);
  }
};

/** `conduct daemon stop` */
export const daemonStop: CommandBody = () => runStop(conductHome(), insideAgent());

/** Ends the daemon of a home, unless an agent asks for it. */
export async function runStop(home: string, around: AgentAround | undefined): Promise<Outcome> {
  if (around !== undefined) {
    const message = `this is run by ${around.agent} (${around.sign}), and only a person ends the daemon`;
    return { ok: false, code: "INSIDE_AGENT", message, fix: "run it in a terminal of your own", next: [] };
  }
  try {
    const hello = await running(home);
    if (hello === undefined)
      return { ok: true, result: { running: false }, text: "\n  It does not run.\n\n", next: [] };
    await sendHook(daemonPlace(home).socket, { daemon: "stop" }, STOP_MS);
    const until = performance.now() + STOP_MS;
    while ((await running(home))?.pid === hello.pid) {
      if (performance.now() > until) throw new Error(`process ${hello.pid} has not ended after ${STOP_MS / 1_000} s`);
      await sleep(LOOK_MS);
    }
    return { ok: true, result: { running: false, ended: hello.pid }, text: "\n  The daemon has ended.\n\n", next: [] };
  } catch (error) {
    return failed(error);
  }
}

/** The daemon that answers now; `undefined` when none does. Rejects when what is there cannot be relied on. */
async function running(home: string): Promise<DaemonHello | undefined> {
  try {
    return await helloDaemon(home);
  } catch (error) {
    if (error instanceof NoDaemonError) return undefined;
    throw error;
  }
}

function described(hello: DaemonHello, paint: Paint): Outcome {
  const home = conductHome();
  const { version, pid, port, httpFault, sessions, startedAt } = hello;
  const place = daemonPlace(home);
  const pause = readPause(home);
  const row = (label: string, text: string) => `  ${paint("dim", label.padEnd(8))}  ${text}`;
  const lines = [
    "",
    `  ${paint("green", "✓")} The daemon runs: Conduct ${version}, process ${pid}`,
    ...(version === oldVersion(conductVersion())
      ? [row("code", paint("amber", "from before a change; it makes way when it has nothing to do"))]
      : []),
    row("socket", place.socket),
    row("http", port === undefined ? paint("red", `not reachable: ${httpFault}`) : `127.0.0.1:${port}`),
    row("holds", plural(sessions, "session")),
    row("log", place.log),
    ...(pause === undefined ? [] : [row("paused", `until ${new Date(pause.until).toISOString()}, by ${pause.by}`)]),
    "",
    "",
  ];
  const result = { running: true, version, pid, startedAt, socket: place.socket, sessions, log: place.log };
  const http = { port, httpFault };
  return { ok: true, result: { ...result, ...http, paused: pause ?? null }, text: lines.join("\n"), next: [] };
}

function failed(error: unknown): Outcome {
  const fix = "conduct doctor";
  return { ok: false, code: "DAEMON_FAILED", message: errorText(error), fix, next: [] };
}
