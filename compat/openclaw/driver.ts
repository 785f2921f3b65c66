import { openclawCapabilities } from "../../src/edge/adapters/capabilities.ts";
import type { KitOutcome, KitPlace } from "../../src/testing/kit/driver.ts";
import { addDirectives, type LocalDriver, type LocalRun, localRun } from "../../src/testing/kit/local-run.ts";
import { type ModelServer, startModelServer } from "../../src/testing/test/model-server/index.ts";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type Gateway, startGateway } from "./gateway.ts";
import { type ClawPlace, newPlace, readFiles, writeFiles } from "./place.ts";
import { answerSummary, clawScript } from "./script.ts";

/** How long the agent may take to go on after a refused stop; only a failing test waits that long. */
const GO_ON_MS = 30_000;

/** One OpenClaw for all runs: it takes ten seconds to start, and half a second for a turn. */
type Claw = {
  readonly place: ClawPlace;
  readonly server: ModelServer;
  gateway: Gateway;
  servers: NonNullable<LocalRun["mcpServers"]>;
};

/** OpenClaw's own gateway, with the plugin as `conduct init openclaw` installs it and a daemon in this process. */
export function openclawDriver(): LocalDriver & { close(): Promise<void> } {
  let started: Promise<Claw> | undefined;
  const runLocal = async (run: LocalRun) => {
    started ??= start();
    return runKit(run, await started);
  };
  return {
    name: "openclaw",
    capabilities: openclawCapabilities,
    toolName: (tool) => tool,
    run: async (run) => runLocal(await localRun(run)),
    runLocal,
    async close() {
      const claw = await started;
      started = undefined;
      await claw?.gateway.stop();
      await claw?.server.close();
      claw?.place.remove();
    },
  };
}

async function start(): Promise<Claw> {
  const place = newPlace();
  const server = await startModelServer({ script: [], ignore: answerSummary });
  const gateway = await startGateway(place, { modelUrl: server.url });
  return { place, server, gateway, servers: {} };
}

/** Ended, and started again on the same state. */
async function restart(claw: Claw, mcpServers = claw.servers): Promise<void> {
  await claw.gateway.stop();
  claw.servers = mcpServers;
  claw.gateway = await startGateway(claw.place, { modelUrl: claw.server.url, mcpServers });
}

async function runKit(run: LocalRun, claw: Claw): Promise<KitOutcome> {
  const { agent, files, session = {}, ports = {}, failing, mcpServers } = run;
  const at = claw.place.newRun();
  writeFiles(at.workspace, files);
  await run.before?.(1, at);
  if (mcpServers !== undefined) await restart(claw, mcpServers);
  const daemon = await startDaemon(agent, { socket: claw.place.socket, ...at, session, ports });
  const script = clawScript(run.script, async () => (failing === undefined ? undefined : daemon.fail(failing)));
  const first = claw.server.requests.length;
  claw.server.setScript(script.reply);
  try {
    const key = `agent:main:${at.name}`;
    await claw.gateway.request("sessions.create", { key, cwd: at.workspace });
    const shown = await playTurns(run, claw, daemon, key, at);
    const found = readFiles(at.workspace);
    return {
      requests: claw.server.requests.slice(first).map(script.request),
      events: daemon.events,
      shown,
      unplayed: script.unplayed(),
      file: (path) => found.get(path),
    };
  } finally {
    claw.server.setScript([]);
    await daemon.close();
  }
}

async function playTurns(
  run: LocalRun,
  claw: Claw,
  daemon: Daemon,
  key: string,
  at: KitPlace,
): Promise<readonly string[]> {
  const shown: string[] = [];
  for (const [index, message] of [run.message, ...(run.further ?? [])].entries()) {
    const step = run.steps?.[index + 1];
    if (step === "compact") await claw.gateway.request("sessions.compact", { key });
    if (step === "resume") await restart(claw);
    await addDirectives(run, index + 1, daemon.conduct);
    if (index > 0) await run.before?.(index + 1, at);
    shown.push(...(await playTurn(run, claw, daemon, key, message)));
  }
  return shown;
}

async function playTurn(run: LocalRun, { gateway }: Claw, daemon: Daemon, key: string, message: string) {
  if (isForHttp(run, message)) {
    await gateway.post(key, message);
    await daemon.quiet();
    return [];
  }
  const { said } = await gateway.chat(key, message);
  await daemon.quiet();
  while (lastStop(daemon) === "refused" && run.failing === undefined) {
    if ((await gateway.next(key, GO_ON_MS)) === undefined) break;
    await daemon.quiet();
  }
  return said;
}

/**
 * OpenClaw's chat has directives of its own: it takes `/think` and `/verbose` out of a message, and answers `/elevated` itself. Its
 * HTTP side, like `openclaw agent`, sends what it is given.
 */
function isForHttp({ session }: LocalRun, message: string): boolean {
  return session?.enforcement === "shadow" || message.startsWith("/elevated");
}

function lastStop({ events }: Daemon): string | undefined {
  return events.findLast((event) => event.type === "stop")?.status;
}
