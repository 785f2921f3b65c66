import { type Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import type { z } from "zod";
import type { Clock } from "../../../base/ports/clock.ts";
import type { RepliesStore } from "../../../base/ports/stores/replies.ts";
import type { Access } from "./access.ts";
import { json, once } from "./idempotency.ts";
import { addressOf, nodeOf } from "./node-request.ts";
import { parseJson } from "./parse-json.ts";
import { problemResponse } from "./problem-json.ts";
import { type Rate, RateLimit } from "./rate-limit.ts";
import { readBody } from "./read-body.ts";
import { type Caller, forbidden, notFound, Problem, type RouteSpec, type RouteTable } from "./route.ts";
import { type EventSource, eventStream } from "./streams/event-stream.ts";
import { Outboxes } from "./streams/outbox.ts";
import type { Revocations } from "./streams/revocations.ts";
import { StreamLimit } from "./streams/stream-limit.ts";

/** The cookie's name; httpOnly and SameSite=Strict where it is set. */
export const COOKIE = "conduct_session";

export type ServeOptions = {
  readonly routes: RouteTable;
  /** By route; typed where they are written (`RouteHandlers`). */
  readonly handlers: { readonly [key: string]: (input: never, caller: never) => unknown };
  readonly access: Access;
  readonly revocations: Revocations;
  readonly replies: RepliesStore;
  readonly clock: Clock;
  /** Host headers that are answered; another one may be a page that points its own name here (DNS rebinding). */
  readonly hosts: () => readonly string[];
  /** Other origins that may use the API from a browser; none unless set. */
  readonly origins?: readonly string[];
  readonly rate?: Rate;
  readonly maxBody?: number;
  /** How often a stream says that it is there, and asks whether it may be; 15 seconds unless told. */
  readonly heartbeatMs?: number;
  /** So many streams each user may have open; 50 unless told. */
  readonly streams?: number;
  readonly report: (error: unknown) => void;
};

const RATE: Rate = { burst: 300, perMinute: 1_200 };
const MAX_BODY = 1024 * 1024;
const SAFE = new Set(["GET", "HEAD"]);
/** Keeps proxies from ending a stream on which nothing happens. */
const HEARTBEAT_MS = 15_000;
/** More tabs than anybody has, and few enough that one user cannot take the gateway's connections. */
const STREAMS = 50;

/** What all requests share. */
type Limits = { readonly rate: RateLimit; readonly streams: StreamLimit; readonly outboxes: Outboxes };

/** The API as a hono app: every route of the table, with everything that holds for all of them in one place. */
export function serveRoutes(options: ServeOptions): Hono {
  const app = new Hono();
  const limits: Limits = {
    rate: new RateLimit(options.rate ?? RATE, options.clock),
    streams: new StreamLimit(options.streams ?? STREAMS),
    outboxes: new Outboxes(),
  };
  app.onError((error) => problemResponse(error, options.report));
  app.use("*", async (context, next) => {
    // Monitoring asks by address; a page that points its own name here learns nothing from it.
    if (!context.req.path.startsWith("/api/health/")) checkHost(context, options.hosts());
    const allowed = checkOrigin(context, options.origins ?? []);
    if (allowed !== undefined && context.req.method === "OPTIONS") return preflight(allowed);
    await next();
    // After it: what is set before is lost where a handler gives a response of its own.
    if (allowed !== undefined) {
      context.header("access-control-allow-origin", allowed);
      context.header("vary", "origin");
    }
    context.header("x-content-type-options", "nosniff");
    // Cookies know no ports: a page of another server on this machine must not even embed what is here.
    context.header("cross-origin-resource-policy", "same-origin");
    context.header("referrer-policy", "no-referrer");
    return undefined;
  });
  for (const [key, spec] of Object.entries(options.routes)) {
    const [method = "", path = ""] = key.split(" ");
    const handler = options.handlers[key];
    if (handler === undefined) throw new Error(`no handler for ${key}`);
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), (context) =>
      answer(context, key, spec, handler, options, limits),
    );
  }
  app.all("/api/*", () => {
    throw notFound("such route");
  });
  return app;
}

async function answer(
  context: Context,
  key: string,
  spec: RouteSpec,
  handler: (input: never, caller: never) => unknown,
  { access, revocations, replies, clock, maxBody = MAX_BODY, heartbeatMs = HEARTBEAT_MS }: ServeOptions,
  { rate, streams, outboxes }: Limits,
): Promise<Response> {
  if (spec.probe === true) {
    const value = await handler({ params: {}, query: {}, body: undefined } as never, undefined as never);
    return value instanceof Response ? value : json(200, JSON.stringify(encode(spec.response as z.ZodType, value)));
  }
  const isSafe = SAFE.has(context.req.method);
  const first = await callerOf(context, access);
  rate.take(first?.user.id ?? `address ${addressOf(context)}`);
  checkRole(spec, first);
  const text = isSafe ? "" : await readBody(context.req.raw, maxBody);
  // A body may take its time: a role or a key that was taken away meanwhile must not count any more.
  const caller = isSafe ? first : await callerOf(context, access);
  checkRole(spec, caller);
  const input = {
    params: context.req.param(),
    query: spec.query === undefined ? {} : spec.query.parse(context.req.query()),
    body: spec.body === undefined ? undefined : spec.body.parse(parseJson(text)),
  };
  const given = context.req.header("idempotency-key");
  const may = async () => spec.roles === "public" || mayStill(await callerOf(context, access), caller);
  const stream = (source: EventSource) => {
    const user = caller?.user.id ?? `address ${addressOf(context)}`;
    const onRevoked = (end: () => void) => revocations.subscribe(user, end);
    const hangUp = () => nodeOf(context)?.outgoing?.destroy();
    return eventStream(source, { outboxes, may, onRevoked, heartbeatMs, hangUp, onClosed: streams.take(user) });
  };
  const run = async () => respond(context, spec, await handler(input as never, caller as never), stream);
  if (given === undefined || caller === undefined || isSafe) return run();
  return once(
    replies,
    clock,
    {
      key: given,
      user: caller.user.id,
      route: `${key} ${context.req.path}`,
      body: text,
      ...(spec.secret === undefined ? {} : { secret: true as const }),
    },
    run,
  );
}

function respond(
  context: Context,
  { response, status = 200 }: RouteSpec,
  value: unknown,
  stream: (source: EventSource) => Response,
): Response {
  if (value instanceof Response) return value;
  if (response === "text")
    return new Response(String(value), { headers: { "content-type": "text/plain; charset=utf-8" } });
  if (response === "events") {
    // Nobody would read it, and nobody end it.
    if (context.req.method === "HEAD") return new Response(null, { headers: { "content-type": "text/event-stream" } });
    return stream(value as EventSource);
  }
  return json(status, JSON.stringify(encode(response, value)));
}

/** Only what the route says it gives: a field too many may be a secret. */
function encode(schema: z.ZodType, value: unknown): unknown {
  return schema.parse(value);
}

function checkRole({ roles }: RouteSpec, caller: Caller | undefined): void {
  if (roles === "public") return;
  if (caller === undefined)
    throw new Problem(401, "UNAUTHORIZED", "This needs a token or a signed-in browser.", {
      fix: "Send 'Authorization: Bearer TOKEN', or open the login link that the gateway printed.",
    });
  if (!roles.includes(caller.user.role)) throw forbidden(`This needs the role ${roles.join(" or ")}.`);
}

/** The same person with the same role: what a stream shows may depend on the role, not only whether it may be opened. */
function mayStill(now: Caller | undefined, before: Caller | undefined): boolean {
  return now !== undefined && now.user.id === before?.user.id && now.user.role === before.user.role;
}

async function callerOf(context: Context, access: Access): Promise<Caller | undefined> {
  const header = context.req.header("authorization");
  const bearer = header === undefined ? undefined : /^Bearer\s+(\S+)$/i.exec(header)?.[1];
  if (bearer !== undefined) return access.caller(bearer, "token");
  const cookie = getCookie(context, COOKIE);
  return cookie === undefined ? undefined : access.caller(cookie, "cookie");
}

function checkHost(context: Context, hosts: readonly string[]): void {
  const host = context.req.header("host") ?? "";
  if (!hosts.includes(host.toLowerCase()))
    throw new Problem(421, "WRONG_HOST", `This gateway does not answer to the name '${host.slice(0, 100)}'.`, {
      fix: "Use the address that it printed, or start it with --host.",
    });
}

/** The allowed origin, where the request has another than ours. A browser of somebody else's page gets nothing. */
function checkOrigin(context: Context, origins: readonly string[]): string | undefined {
  const origin = context.req.header("origin");
  if (origin === undefined) return undefined;
  const host = context.req.header("host") ?? "";
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  if (origins.includes(origin)) return origin;
  throw forbidden("Requests from another origin are not taken.");
}

function preflight(origin: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
      "access-control-allow-headers": "authorization, content-type, idempotency-key",
      "access-control-max-age": "600",
      vary: "origin",
    },
  });
}
