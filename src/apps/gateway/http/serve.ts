import { type Context, Hono } from "hono";
import { getCookie } from "hono/cookie";
import { errorText } from "../../../base/kernel/error-text.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Access } from "./access.ts";
import type { ApiContext } from "./api-context.ts";
import { json, once } from "./idempotency.ts";
import { type Limits, type Rate, RateLimit, StreamLimit } from "./limits.ts";
import { forbidden, notFound, Problem, problemResponse } from "./problem.ts";
import { addressOf, nodeOf, parseJson, readBody } from "./request.ts";
import { type Caller, isStream, Reply, type Route, type RouteSpec, specOf } from "./route.ts";
import { type EventSource, eventStream } from "./streams/event-stream.ts";
import { Outboxes } from "./streams/outbox.ts";

/** Name of the session cookie, which is HttpOnly and SameSite=Strict. */
export const COOKIE = "conduct_session";

export type ServeOptions = {
  /** Accepted Host headers. Others are rejected, to prevent DNS rebinding. */
  readonly hosts: () => readonly string[];
  /** Other origins that may use the API from a browser; none by default. */
  readonly origins?: readonly string[];
  readonly rate?: Rate;
  readonly maxBody?: number;
  /** Interval of heartbeats, each of which also checks the caller's role; 15 seconds by default. */
  readonly heartbeatMs?: number;
  /** Maximum open streams per user; 50 by default. */
  readonly streams?: number;
  /** Instead of limits of its own. */
  readonly limits?: Limits;
};

const RATE: Rate = { burst: 300, perMinute: 1_200 };
/** For the moments of agents: one user's agents may make many calls a second. */
const FREQUENT: Rate = { burst: 3_000, perMinute: 60_000 };
/** A role that is changed during a request applies to it at the latest after so long. */
const LONG_MS = 20;
const MAX_BODY = 1024 * 1024;
const SAFE = new Set(["GET", "HEAD"]);
/** Keeps proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000;
/** More tabs than anybody opens, but too few to exhaust the gateway's connections. */
const STREAMS = 50;

/** The limits of one gateway; `shareLimits` makes them count over all. */
export function openLimits(clock: Clock, options: Pick<ServeOptions, "rate" | "streams"> = {}): Limits {
  return {
    rate: new RateLimit(options.rate ?? RATE, clock),
    frequent: new RateLimit(options.rate ?? FREQUENT, clock),
    streams: new StreamLimit(options.streams ?? STREAMS),
  };
}

/** Returns the API as a hono app. Checks that apply to every route are here. */
export function serveRoutes(api: ApiContext, options: ServeOptions): Hono {
  const app = new Hono();
  const limits = { ...(options.limits ?? openLimits(api.clock, options)), outboxes: new Outboxes() };
  app.onError((error) => problemResponse(error, (unexpected) => api.report(errorText(unexpected))));
  app.use("*", async (context, next) => {
    // Monitoring uses any host name, and health checks reveal nothing.
    if (!context.req.path.startsWith("/api/health/")) checkHost(context, options.hosts());
    const allowed = checkOrigin(context, options.origins ?? []);
    if (allowed !== undefined && context.req.method === "OPTIONS") return preflight(allowed);
    await next();
    // After `next`, because a handler's own response would drop headers set before.
    if (allowed !== undefined) {
      context.header("access-control-allow-origin", allowed);
      context.header("vary", "origin");
    }
    context.header("x-content-type-options", "nosniff");
    // Cookies ignore ports, so a page of another server on this machine must not embed ours.
    context.header("cross-origin-resource-policy", "same-origin");
    context.header("referrer-policy", "no-referrer");
    return undefined;
  });
  for (const route of api.routes) {
    const [method = "", path = ""] = route.key.split(" ");
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ":$1"), (context) => answer(context, route, api, options, limits));
  }
  app.all("/api/*", () => {
    throw notFound("such route");
  });
  return app;
}

async function answer(
  context: Context,
  declared: Route,
  api: ApiContext,
  { maxBody = MAX_BODY, heartbeatMs = HEARTBEAT_MS }: ServeOptions,
  { rate, frequent, streams, outboxes }: Limits & { readonly outboxes: Outboxes },
): Promise<Response> {
  const { access, revocations, stores, clock } = api;
  const { key, answer: handle } = declared;
  const spec = specOf(declared);
  if (spec.probe === true) return respond(context, spec, await handle({} as never, undefined as never, api as never));
  const isSafe = SAFE.has(context.req.method);
  const first = await callerOf(context, access);
  const address = `address ${addressOf(context)}`;
  (spec.frequent === true && first !== undefined ? frequent : rate).take(first?.user.id ?? address);
  checkRole(spec, first);
  const began = clock.monotonic();
  const text = isSafe ? "" : await readBody(context.req.raw, spec.maxBody ?? maxBody);
  // If reading the body took long, check again that the role and the key are still valid.
  const caller = clock.monotonic() - began < LONG_MS ? first : await callerOf(context, access);
  if (caller !== first) checkRole(spec, caller);
  const input = {
    params: context.req.param(),
    query: spec.query === undefined ? {} : spec.query.parse(context.req.query()),
    body: spec.body === undefined ? undefined : spec.body.parse(parseJson(text)),
  };
  const stream = (source: EventSource) => {
    const user = caller?.user.id ?? address;
    const may = async () => spec.roles === "public" || mayStill(await callerOf(context, access), caller);
    const onRevoked = (end: () => void) => revocations.subscribe(user, end);
    const hangUp = () => nodeOf(context)?.outgoing?.destroy();
    return eventStream(source, { outboxes, may, onRevoked, heartbeatMs, hangUp, onClosed: streams.take(user) });
  };
  const run = async () => respond(context, spec, await handle(input as never, caller as never, api as never), stream);
  const idempotencyKey = context.req.header("idempotency-key");
  if (idempotencyKey === undefined || caller === undefined || isSafe) return run();
  const route = `${key} ${context.req.path}`;
  const request = { key: idempotencyKey, user: caller.user.id, route, body: text, secret: spec.secret };
  return once(stores.replies, clock, request, run);
}

/** Sends only the fields that the route declares, because any other field might be a secret. */
function respond(
  context: Context,
  { response, status = 200 }: RouteSpec,
  output: unknown,
  stream?: (source: EventSource) => Response,
): Response {
  const { value, status: replied = status, headers } = output instanceof Reply ? output : new Reply(output, {});
  if (response === "text")
    return new Response(String(value), { headers: { "content-type": "text/plain; charset=utf-8" } });
  if (isStream(response)) {
    // A HEAD request has no reader, so a stream would never end.
    if (context.req.method === "HEAD" || stream === undefined)
      return new Response(null, { headers: { "content-type": "text/event-stream" } });
    return stream(value as EventSource);
  }
  return json(replied, JSON.stringify(response.parse(value)), headers);
}

function checkRole({ roles }: RouteSpec, caller: Caller | undefined): void {
  if (roles === "public") return;
  if (caller === undefined)
    throw new Problem(
      401,
      "UNAUTHORIZED",
      "This needs a token or a signed-in browser.",
      "Send 'Authorization: Bearer TOKEN', or open the login link that the gateway printed.",
    );
  if (!roles.includes(caller.user.role)) throw forbidden(`This needs the role ${roles.join(" or ")}.`);
}

/** Requires the same user with the same role, because the content of a stream may depend on the role. */
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
    throw new Problem(
      421,
      "WRONG_HOST",
      `This gateway does not serve the host '${host.slice(0, 100)}'.`,
      "Use the address that it printed, or start it with --host.",
    );
}

/** Returns another origin if it is allowed, and `undefined` for our own. Throws for any other origin. */
function checkOrigin(context: Context, origins: readonly string[]): string | undefined {
  const origin = context.req.header("origin");
  if (origin === undefined) return undefined;
  const host = context.req.header("host") ?? "";
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  if (origins.includes(origin)) return origin;
  throw forbidden("Requests from other origins are not allowed.");
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
