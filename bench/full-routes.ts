import { openGateway } from "../src/apps/gateway/gateway.ts";
import { ROUTES } from "../src/apps/gateway/http/routes/index.ts";
import { demoAgent } from "../src/edge/host/opening/demo-agent.ts";
import { openConductFromEnv } from "../src/edge/host/opening/open-conduct.ts";
import { homeStores } from "../src/edge/stores/home-stores.ts";
import type { FullStore } from "./full-store.ts";
import { quantile } from "./statistics.ts";

export type RouteTime = { readonly route: string; readonly p50: number; readonly p99: number; readonly cpu: number };

type Json = { readonly [name: string]: unknown };

/** Paths whose answer depends on a query: the widest that the console asks for. */
const QUERIES: { readonly [route: string]: readonly string[] } = {
  "GET /api/agents/{name}/diff": ["?from=1&to=2"],
  "GET /api/contract/diff": ["?from=1&to=2"],
  "GET /api/rules/cases": ["?rule=no-force-push&file=packs/coding/rules.yaml"],
  "GET /api/instructions": ["?agent=demo"],
  "GET /api/memory": ["?agent=demo"],
  "GET /api/measures": ["?since=SINCE&until=NOW"],
  "GET /api/overview": ["", "?days=31"],
  "GET /api/figures": ["", "?by=day&since=SINCE", "?by=hour&agent=coder"],
  "GET /api/events": ["", "?denied=true", "?text=mend", "?agent=coder&type=call", "?session=SESSION", "?channel=cli"],
  "GET /api/journal/sessions": [
    ...[
      "",
      "?agent=coder",
      "?denied=true",
      "?text=mend+point+7",
      "?text=mend",
      "?since=SINCE&until=NOW",
      "?offset=5000",
    ],
    ...["?user=user-3", "?channel=cli", "?denied=true&since=SINCE&until=NOW", "?recent=3", "?active=true"],
  ],
  "GET /api/sessions": ["", "?agent=helper"],
};
const MONTH = 30 * 86_400_000;

/**
 * Asks every GET route of a gateway on the full store, over HTTP and with the same client connection. Times in
 * microseconds; `cpu` is the processor time of a request, client included.
 */
export async function measureRoutes({ home, file, now }: FullStore, runs: number): Promise<readonly RouteTime[]> {
  const stores = homeStores({ kind: "sqlite", file });
  const conduct = openConductFromEnv({ agents: [demoAgent()], home, workspace: home });
  const gateway = await openGateway({
    ...{ conduct, stores, home, port: 0, report: () => undefined },
    review: { config: { runner: "off" } },
  });
  try {
    let made = 0;
    // Another user for each route, because the gateway limits the requests of one.
    const newHeaders = async () => {
      const id = `bench-${process.pid}-${made++}`;
      await stores.users.add({ id, name: id, role: "operator", zone: "UTC", at: 0 });
      const { secret } = await gateway.access.newToken(id, "bench");
      return { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    };
    const headers = await newHeaders();
    const ask = async (path: string, body?: Json): Promise<Json> => {
      const method = body === undefined ? "GET" : "POST";
      const answer = await fetch(gateway.url + path, { method, headers, body: body && JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Json;
    };
    const ids = await prepare(ask, `bench-${process.pid}-0`);
    const times: RouteTime[] = [];
    for (const { key } of ROUTES.filter((one) => one.key.startsWith("GET "))) {
      for (const query of QUERIES[key] ?? [""]) {
        const filled = query
          .replace("SINCE", String(now - MONTH))
          .replace("NOW", String(now))
          .replace("SESSION", ids.journal ?? "");
        const path = `${pathOf(key, ids)}${filled}`;
        times.push({ route: `${key}${query}`, ...(await measure(gateway.url + path, await newHeaders(), runs)) });
      }
    }
    return times;
  } finally {
    await gateway.close();
    await conduct.close();
    await stores.close();
  }
}

type Ids = { readonly [word: string]: string };

/** One conversation with a turn of the demo, whose ids the routes ask for. */
async function prepare(ask: (path: string, body?: Json) => Promise<Json>, user: string): Promise<Ids> {
  const { id } = await ask("/api/sessions", { agent: "demo" });
  await ask(`/api/sessions/${id}/messages?wait=true`, { text: "hello" });
  const { sessions } = (await ask("/api/journal/sessions?agent=coder")) as { sessions: readonly { session: string }[] };
  const { events: denied } = (await ask("/api/events?denied=true")) as { events: readonly Denied[] };
  const own = (await ask(`/api/events?session=${id}`)) as { events: readonly Denied[] };
  const prompt = own.events.find(({ type }) => type === "prompt");
  const decision = denied.find((event) => event.decision?.id !== undefined)?.decision?.id;
  return {
    ...{
      sessions: String(id),
      journal: sessions[0]?.session ?? "",
      prompts: prompt?.id ?? "",
      turns: prompt?.turn ?? "1",
    },
    ...{ agents: "demo", users: user, decisions: decision ?? "", replay: "none", schedules: "none", results: "none" },
  };
}

type Denied = {
  readonly id: string;
  readonly type: string;
  readonly turn?: string;
  readonly decision?: { readonly id?: string };
};

function pathOf(key: string, ids: Ids): string {
  const path = key.slice("GET ".length);
  return path.replaceAll(/(\w+)\/\{\w+\}/g, (_, word: string) => {
    const id = path.startsWith("/api/journal/") ? ids.journal : ids[word];
    if (id === undefined) throw new Error(`no id for ${word} in ${key}`);
    return `${word}/${encodeURIComponent(id)}`;
  });
}

/** A stream counts until its first bytes; the others until the answer is whole. */
async function measure(url: string, headers: { readonly [name: string]: string }, runs: number) {
  const times: number[] = [];
  let used = process.cpuUsage();
  for (let run = -2; run < runs; run++) {
    if (run === 0) used = process.cpuUsage();
    const leaving = new AbortController();
    const began = performance.now();
    const answer = await fetch(url, { headers, signal: leaving.signal });
    if (url.endsWith("/stream")) leaving.abort();
    else await answer.arrayBuffer();
    if (run >= 0) times.push((performance.now() - began) * 1_000);
    if (answer.status >= 400 && answer.status !== 404) throw new Error(`${url}: ${answer.status}`);
  }
  const { user, system } = process.cpuUsage(used);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), cpu: (user + system) / runs };
}
