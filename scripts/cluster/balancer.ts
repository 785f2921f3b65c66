import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type BalancerOptions = {
  /** Origins of the replicas, such as `http://127.0.0.1:4871`. */
  readonly replicas: readonly string[];
  /** 0 picks a free port. */
  readonly port?: number;
  /** Pause between two readiness checks of a replica. */
  readonly checkMs?: number;
  /** A replica that has not answered a readiness check by then counts as gone. */
  readonly limitMs?: number;
  /** Receives a line whenever a replica starts or stops taking traffic. */
  readonly report?: (line: string) => void;
};

/** `draining` answers and takes no new request; `gone` does not answer at all. */
export type ReplicaState = "ready" | "draining" | "gone";

export type Balancer = {
  readonly url: string;
  states(): ReadonlyMap<string, ReplicaState>;
  /** Resolves when every replica takes traffic, or when the signal ends the wait. */
  allReady(signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

type Target = {
  readonly origin: string;
  state: ReplicaState;
  /** Requests without a complete response. Each is called if the replica is gone. */
  readonly abandon: Set<() => void>;
};

const CHECK_MS = 500;
/** The gateway answers within 2 s whatever its store does. */
const LIMIT_MS = 2_500;
const READY = "/api/health/ready";
/** Headers that belong to one connection. */
const HOP = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "proxy-connection"]);

/**
 * A reverse proxy for the replicas of one machine: round robin over those that are ready, streams unbuffered. A request
 * is sent to a second replica only if the first cannot have acted on it: no connection, or a GET without a response.
 */
export async function startBalancer(options: BalancerOptions): Promise<Balancer> {
  const { checkMs = CHECK_MS, limitMs = LIMIT_MS, report = () => undefined } = options;
  const targets: readonly Target[] = options.replicas.map((origin) => ({ origin, state: "gone", abandon: new Set() }));
  let turn = 0;

  function setState(target: Target, state: ReplicaState): void {
    if (target.state === state) return;
    report(`${target.origin} is ${state}`);
    target.state = state;
    if (state === "gone") for (const give of [...target.abandon]) give();
  }

  function pick(tried: ReadonlySet<Target>): Target | undefined {
    const open = targets.filter((target) => target.state === "ready" && !tried.has(target));
    turn += 1;
    return open[turn % Math.max(1, open.length)];
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, tried: Set<Target>): void {
    const target = pick(tried);
    if (target === undefined) {
      refuse(outgoing, NO_REPLICA);
      return;
    }
    tried.add(target);
    // Without keep-alive, so that a failure to connect proves that nothing was sent.
    const upstream = openRequest(new URL(incoming.url ?? "/", target.origin), {
      agent: false,
      method: incoming.method,
      headers: { ...withoutHop(incoming), host: incoming.headers.host, ...forwarded(incoming) },
    });
    let step: "connecting" | "sent" | "answering" | "over" = "connecting";

    function fail(): void {
      const at = step;
      if (at === "over") return;
      end();
      upstream.destroy();
      if (outgoing.destroyed) return;
      if (at === "connecting" || (at === "sent" && isSafe(incoming))) forward(incoming, outgoing, tried);
      else if (at === "sent") refuse(outgoing, MAYBE_DONE);
      // The client must see that the response is incomplete.
      else outgoing.destroy();
    }
    function end(): void {
      step = "over";
      target?.abandon.delete(fail);
      outgoing.off("close", onClientGone);
    }
    function onClientGone(): void {
      end();
      upstream.destroy();
    }
    target.abandon.add(fail);
    outgoing.on("close", onClientGone);
    upstream.on("socket", (socket) =>
      socket.once("connect", () => {
        step = "sent";
        incoming.pipe(upstream);
      }),
    );
    upstream.on("error", () => {
      if (step === "connecting") setState(target, "gone");
      fail();
    });
    upstream.on("response", (response) => {
      step = "answering";
      outgoing.writeHead(response.statusCode ?? 502, withoutHop(response));
      // The first bytes of an event stream may come much later.
      outgoing.flushHeaders();
      response.on("error", fail);
      response.on("aborted", fail);
      response.on("end", end);
      response.pipe(outgoing);
    });
  }

  const server = createServer((incoming, outgoing) => forward(incoming, outgoing, new Set()));
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });

  let isClosed = false;
  const timers = new Set<NodeJS.Timeout>();
  async function watch(target: Target): Promise<void> {
    const state = await look(target.origin, limitMs);
    if (isClosed) return;
    setState(target, state);
    const timer = setTimeout(() => {
      timers.delete(timer);
      void watch(target);
    }, checkMs);
    timers.add(timer);
  }
  await Promise.all(targets.map(watch));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    states: () => new Map(targets.map(({ origin, state }) => [origin, state])),
    async allReady(signal) {
      while (targets.some(({ state }) => state !== "ready") && signal?.aborted !== true) await sleep(20);
    },
    async close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function look(origin: string, limitMs: number): Promise<ReplicaState> {
  try {
    const response = await fetch(origin + READY, { signal: AbortSignal.timeout(limitMs) });
    await response.body?.cancel();
    return response.ok ? "ready" : "draining";
  } catch {
    return "gone";
  }
}

/** A request that changes nothing and whose body is empty can be sent twice. */
function isSafe({ method }: IncomingMessage): boolean {
  return method === "GET" || method === "HEAD";
}

function withoutHop({ headers }: IncomingMessage): NodeJS.Dict<string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));
}

function forwarded({ headers, socket }: IncomingMessage): Record<string, string> {
  const before = headers["x-forwarded-for"];
  const from = socket.remoteAddress ?? "";
  return { "x-forwarded-for": before === undefined ? from : `${String(before)}, ${from}`, "x-forwarded-proto": "http" };
}

type Refusal = { readonly status: number; readonly code: string; readonly detail: string; readonly fix: string };

const NO_REPLICA: Refusal = {
  status: 503,
  code: "NO_REPLICA",
  detail: "No gateway is ready.",
  fix: "Try again in a second.",
};
const MAYBE_DONE: Refusal = {
  status: 502,
  code: "REPLICA_LOST",
  detail: "The gateway was lost after it received this request, so it may or may not have been done.",
  fix: "Send it again with the same Idempotency-Key.",
};

function refuse(outgoing: ServerResponse, { status, ...problem }: Refusal): void {
  const title = status === 503 ? "Service Unavailable" : "Bad Gateway";
  outgoing.writeHead(status, { "content-type": "application/problem+json", "retry-after": "1" });
  outgoing.end(JSON.stringify({ title, status, ...problem }));
}
