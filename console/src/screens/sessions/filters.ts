import type { Given } from "../../data/client.ts";

export const PAGE_SIZE = 25;
/** Moments in each session's strip. */
const RECENT = 18;

export const TOPICS = [
  "coding",
  "research",
  "ops",
  "conversation",
  "creative",
  "debugging",
  "config",
  "other",
] as const;
export const COMPLEXITIES = ["trivial", "simple", "moderate", "hard", "complex"] as const;

type Asked = NonNullable<Given<"GET /api/journal/sessions">["query"]>;

/** Reads the filters from the address, and ignores invalid ones. */
export function askedBy(address: URLSearchParams): Asked {
  const text = (name: string) => {
    const value = address.get(name)?.trim() ?? "";
    return value === "" ? {} : { [name]: value };
  };
  const number = (name: string) => {
    const value = Number(address.get(name) ?? Number.NaN);
    return Number.isFinite(value) ? { [name]: value } : {};
  };
  const flag = (name: string) => (address.get(name) === "true" ? { [name]: "true" as const } : {});
  return {
    ...text("parent"),
    ...text("agent"),
    ...text("channel"),
    ...text("user"),
    ...text("class"),
    ...text("text"),
    ...flag("denied"),
    ...flag("incomplete"),
    ...flag("active"),
    ...number("since"),
    ...number("until"),
    recent: RECENT,
    limit: PAGE_SIZE,
    offset: (pageOf(address) - 1) * PAGE_SIZE,
  };
}

export function pageOf(address: URLSearchParams): number {
  const page = Number(address.get("page") ?? 1);
  return Number.isSafeInteger(page) && page >= 1 ? page : 1;
}

const FILTERS = [
  "parent",
  "agent",
  "channel",
  "user",
  "class",
  "text",
  "denied",
  "incomplete",
  "active",
  "since",
  "until",
] as const;

export function isFiltered(address: URLSearchParams): boolean {
  return FILTERS.some((name) => (address.get(name) ?? "") !== "");
}

/** Removes every filter from the address. */
export const NO_FILTERS: { readonly [name: string]: string } = Object.fromEntries(
  [...FILTERS, "page"].map((name) => [name, ""]),
);
