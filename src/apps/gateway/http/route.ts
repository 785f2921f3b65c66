import type { z } from "zod";
import type { Role, User } from "../../../base/words/hosting/user.ts";
import type { EventSource } from "./streams/event-stream.ts";

/** One route of the API. Validation, roles, the OpenAPI description and the typed client all come from this declaration. */
export type RouteSpec = {
  readonly summary: string;
  readonly tag: string;
  /** `public` needs no token. No route is public by default. */
  readonly roles: readonly Role[] | "public";
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** `text` is plain text. For streams, see `events`. */
  readonly response: z.ZodType | "text" | Events;
  /** The response contains a secret that is shown once and never stored, not even for an Idempotency-Key. */
  readonly secret?: true;
  /** For monitoring: no user lookup and no rate limit, so that it answers even while the store is down. */
  readonly probe?: true;
  /** The handler sets headers or the status itself, with a `Reply`. */
  readonly reply?: true;
  /** 200 by default. */
  readonly status?: 200 | 201 | 202 | 204;
};

/** Server-sent events; `E` has the data of each event by its name. */
export type Events<E = unknown> = { readonly kind: "events"; readonly data?: E };

export function events<E>(): Events<E> {
  return { kind: "events" };
}

export function isStream(response: RouteSpec["response"]): response is Events {
  return typeof response === "object" && "kind" in response;
}

/** By method and path: `GET /api/agents/{name}`. */
export type RouteTable = { readonly [key: string]: RouteSpec };

type ParamsOf<K> = K extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & ParamsOf<Rest>
  : unknown;

export type RouteInput<K, S extends RouteSpec> = {
  readonly params: ParamsOf<K>;
  readonly query: S["query"] extends z.ZodObject ? z.output<S["query"]> : Record<never, never>;
  readonly body: S["body"] extends z.ZodType ? z.output<S["body"]> : undefined;
};

export type RouteRequest<K, S extends RouteSpec> = (unknown extends ParamsOf<K>
  ? unknown
  : { readonly params: ParamsOf<K> }) &
  (S["query"] extends z.ZodObject ? { readonly query?: z.input<S["query"]> } : unknown) &
  (S["body"] extends z.ZodType ? { readonly body: z.input<S["body"]> } : unknown);

export type RouteOutput<S extends RouteSpec> = S["response"] extends z.ZodType
  ? z.output<S["response"]>
  : S["response"] extends "text"
    ? string
    : S["response"] extends Events<infer E>
      ? EventSource<E>
      : never;

export type RouteEvents<S extends RouteSpec> =
  S["response"] extends Events<infer E>
    ? { [N in keyof E & string]: { readonly event: N; readonly data: E[N] } }[keyof E & string]
    : never;

export type Caller = { readonly user: User; readonly via: "token" | "cookie"; readonly secret: string };

/** Only handlers of public routes can be called without a caller. */
type CallerOf<S extends RouteSpec> = S["roles"] extends "public" ? Caller | undefined : Caller;

export class Reply<T> {
  readonly value: T;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(value: T, more: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }) {
    this.value = value;
    this.status = more.status;
    this.headers = more.headers ?? {};
  }
}

type Replied<S extends RouteSpec> = S["reply"] extends true ? Reply<RouteOutput<S>> : RouteOutput<S>;

export type RouteHandlers<T extends RouteTable> = {
  readonly [K in keyof T]: (
    input: RouteInput<K, T[K]>,
    caller: CallerOf<T[K]>,
  ) => Promise<Replied<T[K]>> | Replied<T[K]>;
};
