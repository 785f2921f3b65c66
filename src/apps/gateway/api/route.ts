import type { z } from "zod";
import type { Role, User } from "../../../base/words/hosting/user.ts";
import type { EventSource } from "./streams/event-stream.ts";

/**
 * One route of the API, said once: what it takes, gives and who may use it. Validation, roles, the OpenAPI description and
 * the typed client all come from here.
 */
export type RouteSpec = {
  readonly summary: string;
  readonly tag: string;
  /** `public` needs no token. Nothing is public by omission. */
  readonly roles: readonly Role[] | "public";
  /** The names in the path; all are texts. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** `events`: a stream of server-sent events. `text`: plain text. */
  readonly response: z.ZodType | "events" | "text";
  /** Its answer is a secret that is shown once and kept nowhere, also not for an Idempotency-Key. */
  readonly secret?: true;
  /** For monitoring: nobody is looked up and nothing is counted, so that it answers whatever the store does. */
  readonly probe?: true;
  /** 200 unless said otherwise. */
  readonly status?: 200 | 201 | 202 | 204;
};

/** By method and path: `GET /api/agents/{name}`. */
export type RouteTable = { readonly [key: string]: RouteSpec };

type ParamsOf<K> = K extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & ParamsOf<Rest>
  : unknown;

/** What a handler is given, checked. */
export type RouteInput<K, S extends RouteSpec> = {
  readonly params: ParamsOf<K>;
  readonly query: S["query"] extends z.ZodObject ? z.output<S["query"]> : Record<never, never>;
  readonly body: S["body"] extends z.ZodType ? z.output<S["body"]> : undefined;
};

/** What the client sends. */
export type RouteRequest<K, S extends RouteSpec> = (unknown extends ParamsOf<K>
  ? unknown
  : { readonly params: ParamsOf<K> }) &
  (S["query"] extends z.ZodObject ? { readonly query?: z.input<S["query"]> } : unknown) &
  (S["body"] extends z.ZodType ? { readonly body: z.input<S["body"]> } : unknown);

export type RouteOutput<S extends RouteSpec> = S["response"] extends z.ZodType
  ? z.output<S["response"]>
  : S["response"] extends "text"
    ? string
    : EventSource;

/** Who asks. */
export type Caller = { readonly user: User; readonly via: "token" | "cookie"; readonly secret: string };

/** What a handler of a public route is not given, one of any other is. */
type CallerOf<S extends RouteSpec> = S["roles"] extends "public" ? Caller | undefined : Caller;

export type RouteHandlers<T extends RouteTable> = {
  readonly [K in keyof T]: (
    input: RouteInput<K, T[K]>,
    caller: CallerOf<T[K]>,
  ) => Promise<RouteOutput<T[K]>> | RouteOutput<T[K]>;
};

/** What a caller is told when something is not as it should be; becomes problem+json (RFC 9457). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { readonly fix?: string; readonly detail?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message);
    this.name = "Problem";
    this.status = status;
    this.code = code;
    this.fix = more.fix;
    this.detail = more.detail ?? {};
  }
}

export const notFound = (what: string): Problem =>
  new Problem(404, "NOT_FOUND", `There is no ${what}.`, { fix: "Look at what there is, and check the spelling." });
export const forbidden = (why: string): Problem => new Problem(403, "FORBIDDEN", why);
