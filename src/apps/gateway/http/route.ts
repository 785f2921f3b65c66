import type { z } from "zod";
import type { Role, TokenScope, User } from "../../../base/words/hosting/user.ts";
import type { ApiContext } from "./api-context.ts";
import type { EventSource } from "./streams/event-stream.ts";

/** One route of the API. Validation, roles, the OpenAPI description and the typed client all come from this declaration. */
export type RouteSpec = {
  readonly summary: string;
  /** `public` needs no token. No route is public by default. */
  readonly roles: readonly Role[] | "public";
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** `text` is plain text. For streams, see `events`. */
  readonly response: z.ZodType | "text" | Events;
  /** The response contains a secret that is shown once and never stored, not even for an Idempotency-Key. */
  readonly secret?: true;
  /** Largest body in bytes; the server's limit by default. */
  readonly maxBody?: number;
  /** An agent sends many of these, so they have a rate limit of their own. */
  readonly frequent?: true;
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

/** The fields that determine the types of a route's input and output. */
type RouteTypes = Pick<RouteSpec, "roles" | "response" | "query" | "body" | "reply">;

type ParamsOf<K> = K extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & ParamsOf<Rest>
  : unknown;

export type RouteInput<K, S extends RouteTypes> = {
  readonly params: ParamsOf<K>;
  readonly query: S["query"] extends z.ZodObject ? z.output<S["query"]> : Record<never, never>;
  readonly body: S["body"] extends z.ZodType ? z.output<S["body"]> : undefined;
};

/** Requests and responses of the client as plain types, because its declarations must not need zod. */
export type Exchange = { readonly query: unknown; readonly body: unknown; readonly response: unknown };

type ExchangeOf<P, Q, B> = {
  readonly query: Q extends z.ZodObject ? z.input<Q> : undefined;
  readonly body: B extends z.ZodType ? z.input<B> : undefined;
  readonly response: P extends z.ZodType ? z.output<P> : P extends "text" ? string : P;
};

export type RouteRequest<K, E extends Exchange> = (unknown extends ParamsOf<K>
  ? unknown
  : { readonly params: ParamsOf<K> }) &
  (E["query"] extends undefined ? unknown : { readonly query?: E["query"] }) &
  (E["body"] extends undefined ? unknown : { readonly body: E["body"] });

type RouteOutput<S extends RouteTypes> = S["response"] extends z.ZodType
  ? z.output<S["response"]>
  : S["response"] extends "text"
    ? string
    : S["response"] extends Events<infer E>
      ? EventSource<E>
      : never;

export type RouteEvents<S extends Exchange> =
  S["response"] extends Events<infer E>
    ? { [N in keyof E & string]: { readonly event: N; readonly data: E[N] } }[keyof E & string]
    : never;

export type Caller = {
  readonly user: User;
  readonly via: "token" | "cookie";
  readonly secret: string;
  readonly scopes?: readonly TokenScope[];
};

/** Only handlers of public routes can be called without a caller. */
type CallerOf<S extends RouteTypes> = S["roles"] extends "public" ? Caller | undefined : Caller;

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

type Replied<S extends RouteTypes> = S["reply"] extends true ? Reply<RouteOutput<S>> : RouteOutput<S>;

/**
 * A route by method and path, such as `GET /api/agents/{name}`, and the function that answers it. `spec` (see `specOf`)
 * and `answer` do not name their types, so that the client's declarations need neither zod nor the gateway.
 */
export type Route<K extends string = string, E extends Exchange = Exchange> = {
  readonly key: K;
  readonly spec: object;
  /** Only a type; never set. */
  readonly exchange?: E;
  readonly answer: (input: never, caller: never, api: never) => unknown;
};

export function specOf({ spec }: Route): RouteSpec {
  // Only `route` makes routes.
  return spec as RouteSpec;
}

/** Declares a route. The key and the other fields determine the type of `answer`. */
export function route<
  const K extends string,
  const R extends RouteSpec["roles"],
  const P extends RouteSpec["response"],
  const Q extends z.ZodObject | undefined = undefined,
  const B extends z.ZodType | undefined = undefined,
  const F extends true | undefined = undefined,
>(
  key: K,
  {
    answer,
    ...spec
  }: Omit<RouteSpec, keyof RouteTypes> & {
    readonly roles: R;
    readonly response: P;
    readonly query?: Q;
    readonly body?: B;
    readonly reply?: F;
    readonly answer: (
      input: RouteInput<K, Typed<R, P, Q, B, F>>,
      caller: CallerOf<Typed<R, P, Q, B, F>>,
      api: ApiContext,
    ) => Promise<Replied<Typed<R, P, Q, B, F>>> | Replied<Typed<R, P, Q, B, F>>;
  },
): Route<K, ExchangeOf<P, Q, B>> {
  return { key, spec, answer };
}

type Typed<R, P, Q, B, F> = {
  readonly roles: R;
  readonly response: P;
  readonly query: Q;
  readonly body: B;
  readonly reply: F;
};
