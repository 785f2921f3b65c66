import type { Given } from "../../data/client.ts";

type Asked = NonNullable<Given<"GET /api/events">["query"]>;
export type EventKind = NonNullable<Asked["kind"]>;

/** Names of the kinds, in the order of the choice. */
export const KIND_NAMES: { readonly [K in EventKind]: string } = {
  call: "Calls",
  denied: "Denials",
  asked: "Questions",
  "stop-refused": "Refused stops",
  error: "Errors",
  usage: "Model usage",
  truncated: "Shortened results",
};

const PAGE = 100;

/** Reads the filters from the address, and ignores invalid ones. */
export function askedBy(address: URLSearchParams): Asked {
  const text = (name: string) => address.get(name)?.trim() || undefined;
  const time = (name: string) => {
    const value = Number(address.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? value : undefined;
  };
  const kind = address.get("kind") ?? "";
  return {
    kind: isKind(kind) ? kind : undefined,
    agent: text("agent"),
    channel: text("channel"),
    text: text("text"),
    since: time("since"),
    until: time("until"),
    limit: PAGE,
  };
}

function isKind(kind: string): kind is EventKind {
  return Object.hasOwn(KIND_NAMES, kind);
}

/** Removes every filter from the address. */
export const NO_FILTERS = { kind: "", agent: "", channel: "", text: "", since: "", until: "" };

type Span = { readonly since: number; readonly until: number };

/** Returns the address of the events that a figure counts. */
export function activityHref(kind: EventKind, { since, until }: Span, agent = ""): string {
  const query = new URLSearchParams({ kind, since: String(since), until: String(until) });
  if (agent !== "") query.set("agent", agent);
  return `/activity?${query}`;
}
