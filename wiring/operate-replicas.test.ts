import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { collector } from "./collector.ts";
import { DESK } from "./mcp-world.ts";
import { converse, replicasWorld, shareFolder, TAKEOVER } from "./replicas-world.ts";
import { type Gateway, TOKEN } from "./shipped.ts";
import { wired } from "./wired.ts";

const { heldModel, twoMachines, closing } = replicasWorld();

/** The figures of `GET /api/metrics`. */
async function figuresOf({ url }: Gateway): Promise<Readonly<Record<string, number>>> {
  const response = await fetch(`${url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const lines = (await response.text()).split("\n").filter((line) => /^conduct_(replica|turns)_/.test(line));
  return Object.fromEntries(lines.map((line) => [line.split(" ")[0] ?? "", Number(line.split(" ")[1])]));
}

type Point = {
  readonly asDouble: number;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
};
type Points = { readonly dataPoints: readonly Point[] };
type Sent = {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly { readonly name: string; readonly gauge?: Points; readonly sum?: Points }[];
    }[];
  }[];
};

/** The newest figures of a gateway that the collector got. */
function collected(received: readonly { readonly path: string; readonly text: string }[], replica: string) {
  const all = received
    .filter(({ path }) => path === "/v1/metrics")
    .flatMap(({ text }) => (JSON.parse(text) as Sent).resourceMetrics)
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
    .flatMap(({ name, gauge, sum }) => (gauge ?? sum)?.dataPoints.map((point) => ({ name, point })) ?? [])
    .filter(({ point }) => point.attributes.some(({ value }) => value.stringValue === replica));
  return Object.fromEntries(all.map(({ name, point }) => [name, point.asDouble]));
}

const selfOf = async (gateway: Gateway) => {
  const { self = "", replicas } = await gateway.operator.call("GET /api/replicas");
  return { self, pid: replicas.find(({ id }) => id === self)?.pid ?? 0 };
};

const probe = async ({ url }: Gateway, path: string) => {
  const response = await fetch(`${url}${path}`).catch(() => undefined);
  return `${response?.status} ${response === undefined ? "" : await response.text()}`;
};

describe("operating two shipped gateways", () => {
  wired(
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_METRIC_EXPORT_INTERVAL"],
    "WIR-943 each gateway tells its running turns, leases, losses and lag, and the queue of all, to Prometheus and over OTLP",
    async () => {
      const env: NodeJS.ProcessEnv = { OTEL_METRIC_EXPORT_INTERVAL: "500" };
      const { first, second, configure } = await twoMachines({ env });
      const { url, received } = await collector(first);
      const { model, release } = await heldModel(first);
      configure(model);
      const to = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
      const [a, b] = [await first.gateway([], to), await second.gateway([], to)];
      const [ofA, ofB] = [await selfOf(a), await selfOf(b)];
      const talk = await converse(a);
      await talk.send(a, "hold one");
      for (const text of ["two", "three"]) await talk.send(b, text);
      const busy = { conduct_replica_turns_running: 1, conduct_replica_leases: 1, conduct_turns_queued: 2 };
      await expect.poll(() => figuresOf(a), TAKEOVER).toMatchObject({ ...busy, conduct_replica_lease_losses_total: 0 });
      const figures = await figuresOf(b);
      expect(figures).toMatchObject({ conduct_replica_turns_running: 0, conduct_turns_queued: 2 });
      expect(figures.conduct_turns_oldest_queued_seconds).toBeGreaterThan(0);
      expect(figures.conduct_replica_heartbeat_seconds).toBeGreaterThan(0);
      const ofUrl = () => collected(received, a.url);
      await expect.poll(ofUrl, TAKEOVER).toMatchObject({ "conduct.replica.turns_running": 1 });
      const queue = { "conduct.turns_queued": 2, "conduct.turns_oldest_queued": expect.any(Number) };
      await expect
        .poll(() => collected(received, ofA.self), TAKEOVER)
        .toMatchObject({ "conduct.replica.turns_running": 1, "conduct.replica.leases": 1, ...queue });
      await expect
        .poll(() => collected(received, ofB.self), TAKEOVER)
        .toMatchObject({
          "conduct.replica.turns_running": 0,
          "conduct.replica.heartbeat": expect.any(Number),
          ...queue,
        });
      // Frozen for longer than a gateway may be silent: the other one takes over.
      process.kill(ofA.pid, "SIGSTOP");
      closing.push(() => void process.kill(ofA.pid, "SIGCONT"));
      await expect.poll(async () => (await b.operator.call("GET /api/replicas")).replicas.length, TAKEOVER).toBe(1);
      process.kill(ofA.pid, "SIGCONT");
      closing.pop();
      await expect.poll(() => figuresOf(a), TAKEOVER).toMatchObject({ conduct_replica_lease_losses_total: 1 });
      const lost = async () => collected(received, (await selfOf(a)).self);
      await expect.poll(lost, TAKEOVER).toMatchObject({ "conduct.replica.lease_losses": 1 });
      release();
      await expect
        .poll(async () => (await talk.turns(b)).map(({ text, status }) => `${text} ${status}`), TAKEOVER)
        .toEqual(["three complete", "two complete", "hold one interrupted"]);
    },
  );

  wired(
    "CONDUCT_STORE",
    "WIR-944 after SIGTERM a gateway is alive and not ready, finishes its turn and leaves the queue; a turn that does not end is handed over",
    async () => {
      const { first, second, configure } = await twoMachines();
      const { model, release, asked } = await heldModel(second);
      configure(model);
      shareFolder(first, second);
      const [a, b] = [await first.gateway(), await second.gateway()];
      expect(await probe(a, "/api/health/ready")).toMatch(/^200 /);
      const talk = await converse(a);
      await talk.send(a, "hold one");
      await talk.send(b, "two");
      const stopping = a.stop();
      await expect.poll(() => probe(a, "/api/health/ready"), TAKEOVER).toMatch(/^503 .*DRAINING/);
      expect(await probe(a, "/api/health/live")).toMatch(/^200 /);
      expect(await probe(b, "/api/health/ready")).toMatch(/^200 /);
      release();
      await stopping;
      const ended = async () => (await talk.turns(b)).map(({ text, status }) => `${text} ${status}`);
      await expect.poll(ended, TAKEOVER).toEqual(["two complete", "hold one complete"]);
      expect([asked("hold one"), asked("two")]).toEqual([1, 1]);

      // The model never answers this one.
      const third = await first.gateway();
      const stuck = await converse(third);
      await stuck.send(third, "stall for ever");
      await stuck.send(b, "after it");
      await expect.poll(() => asked("stall for ever"), TAKEOVER).toBe(1);
      await third.stop();
      const left = async () => (await stuck.turns(b)).map(({ text, status }) => `${text} ${status}`);
      await expect
        .poll(left, TAKEOVER)
        .toEqual(["after it complete", expect.stringMatching(/^stall for ever (interrupted|cancelled|failed)$/)]);
      expect(asked("stall for ever")).toBe(1);
    },
  );

  wired("CONDUCT_STORE", "WIR-945 after its last turn a gateway that stops takes no new connection", async () => {
    // No sandbox is found on this PATH.
    const { first } = await twoMachines({ env: { PATH: dirname(process.execPath) } });
    const model = await first.model(() => ({ text: "done" }));
    const server = `{ command: node, args: [${first.work}/desk.mjs] }`;
    first.write({
      "work/desk.mjs": `${DESK}
process.exit = () => undefined;
process.on("SIGTERM", () => undefined);
setInterval(() => undefined, 1_000);
`,
      ".conduct/conduct.yaml": `
agents: { clerk: { model: own/scripted, mcpServers: { desk: ${server} } } }
models: { own/scripted: { baseUrl: "${model.openaiUrl}", api: openai-completions, key: SCRIPTED_KEY } }
`,
    });
    const gateway = await first.gateway();
    await gateway.say("clerk", "hello");
    const stopping = gateway.stop();
    await expect.poll(() => probe(gateway, "/api/health/live"), TAKEOVER).toMatch(/^undefined/);
    // It is not over: it waits for its MCP server, which takes seconds.
    expect(existsSync(join(first.home, "run/gateway.json"))).toBe(true);
    await stopping;
  });
});
