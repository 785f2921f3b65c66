import { randomBytes } from "node:crypto";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Balancer, startBalancer } from "../../scripts/cluster/balancer.ts";
import { type Replica, startReplica } from "../../scripts/cluster/replica.ts";
import { type Services, startServices } from "../../scripts/cluster/services.ts";
import { type ConductClient, conductClient } from "../../src/apps/gateway/client.ts";
import { freePort } from "../../src/edge/stores/test/servers/server.ts";
import { type ModelStandIn, startModel, startTool, type ToolStandIn } from "./stand-ins.ts";
import { openTcpGate, type TcpGate, throughGate } from "./tcp-gate.ts";

export type WorldOptions = {
  readonly replicas: number;
  /** The program instead of this checkout's. */
  readonly program?: string;
  /** Receives what the replicas print. */
  readonly logs?: string;
  /** Connects replicas to PostgreSQL and Redis directly: for measurements. Then their network cannot be cut. */
  readonly isDirect?: boolean;
  /** The last replica's clock is ahead by this much. */
  readonly skewMs?: number;
  readonly now: () => number;
  /** Thinking times of the model and the tool, in ms. */
  readonly modelDelay: () => number;
  readonly toolDelay: () => number;
};

/** One replica as faults see it: its process can be replaced, its network cut. */
export type Member = {
  readonly name: string;
  current(): Replica;
  /** Starts a new process after the old one has ended. */
  start(): Replica;
  setCut(isCut: boolean): void;
};

export type World = {
  readonly services: Services;
  readonly balancer: Balancer;
  readonly members: readonly Member[];
  readonly model: ModelStandIn;
  readonly tool: ToolStandIn;
  readonly operator: ConductClient;
  /** How the clock of the last replica is skewed; absent if it is not. */
  readonly skew?: string;
  /** Adds a user and returns its token. */
  user(name: string): Promise<string>;
  close(): Promise<void>;
};

export const AGENT = "worker";

/** Starts servers, stand-ins, replicas and the reverse proxy. On failure, everything opened is closed again. */
export async function openWorld(options: WorldOptions): Promise<World> {
  await using opening = new AsyncDisposableStack();
  const { now, skewMs = 0 } = options;
  const root = mkdtempSync(join(tmpdir(), "conduct-chaos-"));
  opening.defer(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const services = await startServices();
  opening.defer(() => services.close());
  const model = await startModel(now, options.modelDelay);
  opening.defer(() => model.close());
  const tool = await startTool(join(root, "tool.log"), now, options.toolDelay);
  opening.defer(() => tool.close());
  const config = join(root, "conduct.yaml");
  writeFileSync(config, configText(model.url, tool.url));

  const ports = await Promise.all(Array.from({ length: options.replicas }, freePort));
  const balancer = await startBalancer({ replicas: ports.map((port) => `http://127.0.0.1:${port}`) });
  opening.defer(() => balancer.close());
  const token = randomBytes(24).toString("hex");
  const env = {
    ...process.env,
    CONDUCT_URL: balancer.url,
    CONDUCT_TOKEN: token,
    CONDUCT_DATA_KEY: randomBytes(32).toString("hex"),
  };
  const skew = skewMs === 0 ? undefined : clockSkew(skewMs);
  const members: Member[] = [];
  for (const [at, port] of ports.entries()) {
    const gates = [await openGate(services.database, opening), await openGate(services.redis.url, opening)] as const;
    const isSkewed = skew !== undefined && at === ports.length - 1;
    const member = openMember(`r${at + 1}`, gates, () => ({
      home: join(root, `home-${at + 1}`),
      port,
      args: ["--config", config],
      program: options.program,
      log: options.logs,
      env: {
        ...env,
        CONDUCT_STORE: options.isDirect ? services.database : throughGate(services.database, gates[0]),
        CONDUCT_REDIS_URL: options.isDirect ? services.redis.url : throughGate(services.redis.url, gates[1]),
        CHAOS_MODEL_KEY: `r${at + 1}`,
        ...(isSkewed ? skew.env : {}),
      },
    }));
    opening.defer(async () => {
      member.current().signal("SIGKILL");
      await member.current().ended;
    });
    members.push(member);
    // One after the other: the first one creates the tables.
    await member.current().ready();
  }
  await balancer.allReady();
  const operator = conductClient({ url: balancer.url, token });
  const closing = opening.move();
  return {
    ...{ services, balancer, members, model, tool, operator, skew: skew?.how },
    async user(name) {
      await operator.call("POST /api/users", { body: { id: name, name, role: "user" } });
      const body = { label: "chaos" };
      return (await operator.call("POST /api/users/{id}/tokens", { params: { id: name }, body })).token;
    },
    close: () => closing.disposeAsync(),
  };
}

function openMember(
  name: string,
  gates: readonly TcpGate[],
  options: () => Omit<Parameters<typeof startReplica>[0], "name">,
): Member {
  let replica = startReplica({ name, ...options() });
  return {
    name,
    current: () => replica,
    start() {
      replica = startReplica({ name, ...options() });
      return replica;
    },
    setCut(isCut) {
      for (const gate of gates) gate.setCut(isCut);
    },
  };
}

async function openGate(url: string, opening: AsyncDisposableStack): Promise<TcpGate> {
  const gate = await openTcpGate(Number(new URL(url).port));
  opening.defer(() => gate.close());
  return gate;
}

/** An agent whose model and tool are ours. The window is large, so that no transcript is compacted. */
function configText(modelUrl: string, toolUrl: string): string {
  return [
    "agents:",
    `  ${AGENT}:`,
    "    model: own/chaos",
    "    mcpServers:",
    `      log: { url: "${toolUrl}", allowPrivate: true }`,
    "models:",
    `  own/chaos: { baseUrl: "${modelUrl}", api: openai-completions, key: CHAOS_MODEL_KEY, window: 1_000_000 }`,
    "",
  ].join("\n");
}

type Skew = { readonly how: string; readonly env: NodeJS.ProcessEnv };

/**
 * With the library of `faketime` for the whole process; where it is not installed, for its JavaScript clock only. Not
 * with the command: it stays as a parent that passes no signal on.
 */
function clockSkew(ms: number): Skew {
  const [library] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");
  if (library !== undefined)
    return {
      how: "by faketime",
      env: { LD_PRELOAD: library, FAKETIME: `+${ms / 1_000}s`, FAKETIME_DONT_FAKE_MONOTONIC: "1" },
    };
  const clock = pathToFileURL(join(import.meta.dirname, "skewed-clock.mjs")).href;
  const nodeOptions = `${process.env.NODE_OPTIONS ?? ""} --import ${clock}`.trim();
  return {
    how: "its JavaScript clock only, because faketime is not installed (apt-get install faketime)",
    env: { NODE_OPTIONS: nodeOptions, CONDUCT_CHAOS_SKEW_MS: String(ms) },
  };
}
