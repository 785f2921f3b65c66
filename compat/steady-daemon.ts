import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { launcherPath, writeLauncher } from "../src/apps/install/launcher/launcher-files.ts";
import { helloDaemon } from "../src/edge/host/daemon/daemon-client.ts";
import { daemonPlace } from "../src/edge/host/daemon/daemon-place.ts";
import { readDaemonSettings } from "../src/edge/host/daemon/daemon-settings.ts";
import { conductProgram } from "../src/edge/host/node/package-files.ts";
import { probeArgs, probesFolder, type SteadyProcess } from "./steady-processes.ts";

/** The daemon itself (`conduct daemon run`), with the coding pack, in a home of its own. */
export type SteadyDaemon = {
  readonly home: string;
  readonly socket: string;
  readonly port: number;
  readonly token: string;
  readonly process: SteadyProcess;
  /** The `conduct` of this home, as `conduct init` writes it into a runtime's settings. */
  readonly command: string;
  /** Ends it. Rejects when nobody has ever asked it: then nothing was measured. */
  close(): Promise<void>;
};

const START_MS = 60_000;

export async function startSteadyDaemon(home: string): Promise<SteadyDaemon> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const keys = `${home}-keys`;
  const { CONDUCT_SOCKET: _, NODE_OPTIONS: __, ...env } = process.env;
  const child = spawn(process.execPath, [...probeArgs, conductProgram(), "daemon", "run"], {
    cwd: home,
    env: { ...env, ...probesFolder, CONDUCT_HOME: home, CONDUCT_KEYS: keys, CONDUCT_STORE: "" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const gone = once(child, "exit");
  await untilUp(home, () => child.exitCode !== null);
  await writeLauncher(home, { node: process.execPath, program: conductProgram() });
  const { socket, settings } = daemonPlace(home);
  const { port = 0, token = "" } = readDaemonSettings(settings) ?? {};
  return {
    home,
    socket,
    port,
    token,
    process: { name: "daemon", pid: child.pid ?? 0, probed: true },
    command: `env CONDUCT_KEYS=${keys} ${launcherPath(home)}`,
    async close() {
      const { sessions } = await helloDaemon(home);
      child.kill("SIGTERM");
      await gone;
      if (sessions === 0) throw new Error("the daemon was never asked: nothing was measured");
    },
  };
}

async function untilUp(home: string, ended: () => boolean): Promise<void> {
  const until = performance.now() + START_MS;
  for (;;) {
    const hello = await helloDaemon(home).catch(() => undefined);
    if (hello !== undefined) return;
    if (ended() || performance.now() > until) throw new Error(`the daemon in ${home} does not start`);
    await sleep(20);
  }
}
