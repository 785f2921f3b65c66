import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { conductClient } from "../src/apps/gateway/client.ts";
import { freePort } from "../src/edge/stores/test/servers/server.ts";
import { startBalancer } from "./cluster/balancer.ts";
import { type Replica, startReplica } from "./cluster/replica.ts";
import { missingServices, startServices } from "./cluster/services.ts";

/** A killed gateway is started again after this time, as an orchestrator would do. */
const RESTART_MS = 2_000;
/** The gateway gives running turns their time, then exits in any case. */
const DRAIN_MS = 35_000;

const USAGE = `npm run cluster [-- OPTIONS]
Start PostgreSQL, Redis, several gateways and a reverse proxy on this machine. Ctrl C ends all of them.

  --replicas N     Number of gateways, 1 to 9 (default: 3)
  --port PORT      Port of the reverse proxy; 0 picks a free one (default: 4870)
  --config FILE    conduct.yaml of all gateways (default: the built-in demo agent)
`;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (typeof options === "string") {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const missing = missingServices();
  if (missing.length > 0) {
    process.stderr.write(`${missing.join("\n")}\n`);
    return 1;
  }
  const ended = Promise.withResolvers<void>();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => ended.resolve());
  await using opened = new AsyncDisposableStack();
  try {
    await runCluster(options, opened, ended.promise);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

type Options = { readonly replicas: number; readonly port: number; readonly config?: string; readonly help: boolean };

function readOptions(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        replicas: { type: "string", default: "3" },
        port: { type: "string", default: "4870" },
        config: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    const [replicas, port] = [Number(values.replicas), Number(values.port)];
    if (!Number.isInteger(replicas) || replicas < 1 || replicas > 9) return "--replicas needs a number from 1 to 9.";
    if (!Number.isInteger(port) || port < 0 || port > 65_535) return "--port needs a number from 0 to 65535.";
    return { replicas, port, config: values.config && resolve(values.config), help: values.help };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`;
  }
}

async function runCluster(
  { replicas, port, config }: Options,
  opened: AsyncDisposableStack,
  ended: Promise<void>,
): Promise<void> {
  const say = (line: string) => process.stdout.write(`  ${line}\n`);
  const root = mkdtempSync(join(tmpdir(), "conduct-cluster-"));
  opened.defer(() => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  say("starting PostgreSQL and Redis …");
  const services = await startServices();
  opened.defer(() => services.close());

  const ports = await Promise.all(Array.from({ length: replicas }, freePort));
  const balancer = await startBalancer({
    replicas: ports.map((one) => `http://127.0.0.1:${one}`),
    port,
    report: (line) => say(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  opened.defer(() => balancer.close());

  const token = randomBytes(24).toString("hex");
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    CONDUCT_STORE: services.database,
    CONDUCT_REDIS_URL: services.redis.url,
    CONDUCT_URL: balancer.url,
    CONDUCT_TOKEN: token,
    // All gateways of a store need its key.
    CONDUCT_DATA_KEY: randomBytes(32).toString("hex"),
  };
  const state = { isEnding: false, running: [] as Replica[] };
  const start = (at: number): Replica => {
    const name = `gateway ${at + 1}`;
    const args = config === undefined ? [] : ["--config", config];
    return startReplica({ name, home: join(root, `home-${at + 1}`), port: ports[at] ?? 0, env, args });
  };
  opened.defer(async () => {
    state.isEnding = true;
    say("ending the gateways; running turns finish first …");
    await Promise.all(state.running.map(endReplica));
  });
  // One after the other: the first one creates the tables.
  for (let at = 0; at < replicas; at++) {
    say(`starting gateway ${at + 1} of ${replicas} …`);
    const replica = start(at);
    state.running[at] = replica;
    await Promise.race([replica.ready(), ended]);
  }
  for (const at of state.running.keys()) void keepRunning(at);

  /** Starts a gateway again whenever it ends, until the cluster ends. */
  async function keepRunning(at: number): Promise<void> {
    while (!state.isEnding) {
      const how = await state.running[at]?.ended;
      if (state.isEnding) return;
      say(`gateway ${at + 1} ended (${how}); it is started again in ${RESTART_MS / 1_000} s`);
      await sleep(RESTART_MS, undefined, { ref: false });
      if (state.isEnding) return;
      const replica = start(at);
      state.running[at] = replica;
      say(`gateway ${at + 1} is process ${replica.pid}`);
    }
  }

  const interrupted = new AbortController();
  void ended.then(() => interrupted.abort());
  await balancer.allReady(interrupted.signal);
  if (interrupted.signal.aborted) return;
  const operator = conductClient({ url: balancer.url, token });
  const { code } = await operator.call("POST /api/users/{id}/login", { params: { id: "operator" } });
  const [first] = state.running;
  process.stdout.write(
    [
      "",
      `  open      ${balancer.url}/login#code=${code}`,
      "            one-time link through the reverse proxy, signs you in as operator",
      "",
      ...state.running.map(({ name, url, pid }) => `  ${name} ${url}  process ${pid}`),
      `  postgres  ${services.database}`,
      `  redis     ${services.redis.url}`,
      "",
      "  Try it:",
      `    export CONDUCT_TOKEN=${token}`,
      `    curl -s ${balancer.url}/api/health/ready`,
      `    curl -s ${first?.url}/api/me -H "authorization: Bearer $CONDUCT_TOKEN"`,
      `    kill -9 ${first?.pid}        # the others continue; it is started again after ${RESTART_MS / 1_000} s`,
      `    kill -STOP ${first?.pid}     # a frozen gateway; wake it up with kill -CONT ${first?.pid}`,
      "",
      "  Ctrl C ends everything. All data is temporary.",
      "",
      "",
    ].join("\n"),
  );
  await ended;
}

async function endReplica(replica: Replica): Promise<void> {
  replica.signal("SIGTERM");
  replica.signal("SIGCONT");
  const late = sleep(DRAIN_MS, "late" as const, { ref: false });
  if ((await Promise.race([replica.ended, late])) === "late") {
    replica.signal("SIGKILL");
    await replica.ended;
  }
}

process.exitCode = await main();
