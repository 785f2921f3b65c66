import { setTimeout as sleep } from "node:timers/promises";
import { errorText } from "../../../../base/kernel/error-text.ts";
import { type DaemonHello, ensureDaemon, helloDaemon } from "../../../../edge/host/daemon/daemon-client.ts";
import { compareVersions, daemonPlace } from "../../../../edge/host/daemon/daemon-place.ts";
import { NoDaemonError, sendHook } from "../../../../edge/host/daemon/hook-socket-client.ts";
import { readPause } from "../../../../edge/host/daemon/paused.ts";
import { conductVersion } from "../../../../edge/host/node/package-files.ts";
import { type AgentAround, insideAgent } from "../../../../edge/host/trust/inside-agent.ts";
import { conductHome } from "../../../../edge/host/workspace/conduct-home.ts";
import { done, failed, type Outcome, refuseAgent, unwritable } from "../../line/outcome.ts";
import type { Paint, Terminal } from "../../line/terminal.ts";

const STOP_MS = 10_000;
const LOOK_MS = 20;

export const daemonStart = (_args: object, { paint }: Terminal) =>
  answering(async () => described(await ensureDaemon(conductHome()), paint));

export const daemonStatus = (_args: object, { paint }: Terminal) =>
  answering(async () => {
    const hello = await running(conductHome());
    if (hello !== undefined) return described(hello, paint);
    const next = [{ command: "conduct daemon start", description: "Start it" }];
    const text = "\n  The daemon is not running. The next hook starts it.\n\n";
    return done({ running: false }, text, next);
  });

export const daemonStop = () => runStop(conductHome(), insideAgent());

/** Stops the daemon of a home; refused when an agent asks for it. */
export async function runStop(home: string, around: AgentAround | undefined): Promise<Outcome> {
  if (around !== undefined) return refuseAgent(around, "only a person can stop the daemon");
  return answering(async () => {
    const hello = await running(home);
    if (hello === undefined) return done({ running: false }, "\n  The daemon is not running.\n\n");
    await sendHook(daemonPlace(home).socket, { daemon: "stop" }, STOP_MS);
    const until = performance.now() + STOP_MS;
    // A socket that is being closed may break a connection.
    while ((await running(home).catch(() => hello))?.pid === hello.pid) {
      if (performance.now() > until) throw new Error(`process ${hello.pid} has not stopped after ${STOP_MS / 1_000} s`);
      await sleep(LOOK_MS);
    }
    return done({ running: false, ended: hello.pid }, "\n  The daemon was stopped.\n\n");
  });
}

/** The running daemon; `undefined` if none answers. Rejects if the socket cannot be trusted. */
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
  const other = describeOtherVersion(version);
  const lines = [
    "",
    `  ${paint("green", "✓")} The daemon is running: Conduct ${version}, process ${pid}`,
    other && row("version", paint("amber", `${other.text} (${other.fix})`)),
    row("socket", place.socket),
    row("http", port === undefined ? paint("red", `not reachable: ${httpFault}`) : `127.0.0.1:${port}`),
    row("sessions", String(sessions)),
    row("log", place.log),
    pause && row("paused", `until ${new Date(pause.until).toISOString()}, by ${pause.by}`),
    "",
    "",
  ].filter((line) => typeof line === "string");
  const result = { running: true, version, pid, startedAt, socket: place.socket, sessions, log: place.log };
  const http = { port, httpFault };
  return done({ ...result, ...http, paused: pause ?? null }, lines.join("\n"));
}

/** How the version of a running daemon differs from this program's, and what to do; `undefined` if it does not. */
export function describeOtherVersion(
  version: string,
  own = conductVersion(),
): { readonly text: string; readonly fix: string } | undefined {
  if (version === own) return undefined;
  if (compareVersions(version, own) > 0) return { text: `newer than this Conduct ${own}`, fix: "conduct upgrade" };
  return { text: `older than this Conduct ${own}; it restarts when it is idle`, fix: "conduct daemon stop" };
}

async function answering(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return unwritable(error) ?? failed("DAEMON_FAILED", errorText(error), "conduct doctor");
  }
}
