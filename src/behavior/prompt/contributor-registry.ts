import { nearest } from "../../base/kernel/nearest.ts";
import type {
  ContributorContext,
  ContributorSource,
  ContributorTag,
  PromptContributor,
  PromptLayout,
  PromptZone,
  TagDimension,
  TraceEntry,
} from "../../base/words/prompt.ts";

const DEFAULT_PRIORITY = 100;

/** Plugins and workspaces come after Identity, contract, Soul, the agent's sections and Safety. */
const FIRST_FOR_OTHERS = 26;
/** In the order of the prompt. */
const ZONES: readonly PromptZone[] = ["static", "session", "turn"];
const DIMENSIONS: readonly TagDimension[] = ["topic", "complexity", "domain", "flag", "channel", "custom"];

type ContributorFault =
  | "bad-id"
  | "reserved-id"
  | "duplicate-id"
  | "bad-priority"
  | "bad-zone"
  | "bad-tag"
  | "bad-function";

/** A contributor or section has a wrong value; the message names it. */
export class ContributorError extends Error {
  readonly code: ContributorFault;
  constructor(code: ContributorFault, message: string) {
    super(message);
    this.name = "ContributorError";
    this.code = code;
  }
}

/** A contributor as registered; later changes by its owner do not move it. */
type Registered = {
  readonly contributor: PromptContributor;
  readonly source: ContributorSource;
  readonly id: string;
  readonly zone: PromptZone;
  readonly priority: number;
  /** Its tags, or the universal key. */
  readonly keys: readonly string[];
};

/** Validates a contributor. Throws a ContributorError. */
function readContributor(contributor: PromptContributor, source: ContributorSource): Registered {
  const { id, tags = [], priority = DEFAULT_PRIORITY } = contributor;
  checkId(id, source);
  if (!Array.isArray(tags)) reject("bad-tag", id, "the tags are not a list; write [{ dimension, value }]");
  const keys = tags.map((tag) => readTag(id, tag));
  const { zone = keys.length === 0 ? "static" : "session" } = contributor;
  if (!Number.isFinite(priority)) {
    const advice = "give a number (lower comes earlier), or leave it out for 100";
    reject("bad-priority", id, `the priority is ${String(priority)}; ${advice}`);
  }
  if (!ZONES.includes(zone)) reject("bad-zone", id, `there is no zone "${String(zone)}"; use static, session or turn`);
  const { contribute, shouldContribute } = contributor;
  if (typeof contribute !== "function") {
    reject("bad-function", id, `contribute is ${describe(contribute)}; make it a function that returns a section`);
  }
  if (shouldContribute !== undefined && typeof shouldContribute !== "function") {
    const is = describe(shouldContribute);
    reject("bad-function", id, `shouldContribute is ${is}; make it a function, or leave it out`);
  }
  const outsider = source === "plugin" || source === "workspace";
  const place = outsider ? Math.max(priority, FIRST_FOR_OTHERS) : priority;
  return { contributor, source, id, zone, priority: place, keys: keys.length === 0 ? [UNIVERSAL] : keys };
}

function reject(code: ContributorFault, id: string, what: string): never {
  throw new ContributorError(code, `contributor "${id}": ${what}`);
}

function checkId(id: string, source: ContributorSource): void {
  const given: unknown = id;
  if (typeof given !== "string" || given.trim() === "" || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(given)) {
    throw new ContributorError(
      "bad-id",
      `a contributor of ${source} has no usable id (${describe(given)}); give it a unique one-line id`,
    );
  }
  if (source !== "builtin" && /^\s*builtin:/i.test(given)) {
    reject("reserved-id", id, "ids that begin with builtin: are reserved; choose another id");
  }
}

function readTag(id: string, tag: ContributorTag): string {
  const { dimension, value }: Partial<ContributorTag> = tag ?? {};
  if (dimension === undefined || !DIMENSIONS.includes(dimension)) {
    const meant = nearest(String(dimension), DIMENSIONS);
    const hint = meant === undefined ? "" : `did you mean ${meant}? `;
    const known = `It is one of ${DIMENSIONS.join(", ")}`;
    return reject("bad-tag", id, `there is no tag dimension "${String(dimension)}"; ${hint}${known}`);
  }
  const text: unknown = value;
  if (typeof text !== "string" || text.trim() === "") {
    return reject("bad-tag", id, `its tag of dimension ${dimension} has no value; give one, or * for any`);
  }
  return tagKey(dimension, text);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "string" ? "blank" : `a ${typeof value}`;
}

/** The key of contributors without tags. */
const UNIVERSAL = "universal";

/** A tag as compared and shown, such as `domain:security`: trimmed and in lower case. */
function tagKey(dimension: TagDimension, value: string): string {
  return `${dimension}:${value.trim().toLowerCase()}`;
}

/** The keys of a session. The first key that matches a contributor is its reason. */
function sessionKeys({ classification, channel, custom }: ContributorContext): readonly string[] {
  const { topic, complexity, domain = [], flags = [] } = classification ?? {};
  return [
    UNIVERSAL,
    ...keysOf("topic", [topic ?? ""]),
    ...keysOf("complexity", [complexity ?? ""]),
    ...keysOf("domain", domain),
    ...keysOf("flag", flags),
    ...keysOf("channel", [channel]),
    ...keysOf("custom", custom),
  ];
}

function keysOf(dimension: TagDimension, values: readonly string[]): readonly string[] {
  const given = values.filter((value) => value.trim() !== "");
  // Every session has a channel, even without a name.
  if (given.length === 0 && dimension !== "channel") return [];
  return [...given.map((value) => tagKey(dimension, value)), tagKey(dimension, "*")];
}

/** In order of precedence. */
const SOURCES: readonly ContributorSource[] = ["builtin", "agent", "config", "plugin", "workspace"];

/** A contributor selected for a session. `because` is `universal` or the tag that matched (`domain:security`). */
export type Selected = Omit<Registered, "keys"> & { readonly because: string };

/** Two contributors with one id: that of source `kept` is used, that of `held` waits until the other is removed. */
export type ContributorClash = {
  readonly id: string;
  readonly kept: ContributorSource;
  readonly held: ContributorSource;
};

/** The contributors of an agent, indexed by tag: a prompt costs what it selects, however many there are. */
export class PromptContributorRegistry {
  /** By id, in order of precedence. */
  readonly #byId = new Map<string, readonly Registered[]>();
  readonly #byKey = new Map<string, Set<Registered>>();
  #revision = 0;

  /** Changes with every registration and removal. */
  get revision(): number {
    return this.#revision;
  }

  /** Returns a function that removes the contributor. Throws a ContributorError. */
  register(contributor: PromptContributor, source: ContributorSource): () => void {
    const entry = readContributor(contributor, source);
    const before = this.#of(entry.id);
    if (before.some((other) => other.source === source)) {
      throw new ContributorError(
        "duplicate-id",
        `contributor "${entry.id}": ${source} already has a contributor with this id; choose another id, or unregister the first`,
      );
    }
    this.#replace(entry.id, before, [...before, entry].sort(byStrength));
    return () => {
      const now = this.#of(entry.id);
      const others = now.filter((other) => other !== entry);
      if (others.length < now.length) this.#replace(entry.id, now, others);
    };
  }

  /** The contributors for this session, in prompt order: those with a matching tag and those without tags. */
  select(context: ContributorContext, layout: PromptLayout = "cache"): readonly Selected[] {
    return [...this.#match(context)]
      .sort(([a], [b]) => inOrder(a, b, layout))
      .map(([{ keys: _, ...entry }, because]) => ({ ...entry, because }));
  }

  /** `trace` of a built prompt, plus an entry for every contributor that no tag selected. */
  explain(context: ContributorContext, trace: readonly TraceEntry[]): readonly TraceEntry[] {
    const matched = this.#match(context);
    const missed = [...this.#byId.values()].flatMap(([kept]) =>
      kept === undefined || matched.has(kept) ? [] : [kept],
    );
    const unclassified = context.classification === undefined;
    return [...trace, ...missed.sort((a, b) => inOrder(a, b, "cache")).map((entry) => missOf(entry, unclassified))];
  }

  /** Contributors that wait behind another one with the same id. */
  clashes(): readonly ContributorClash[] {
    const clashes = [...this.#byId].flatMap(([id, [kept, ...held]]) =>
      kept === undefined ? [] : held.map(({ source }) => ({ id, kept: kept.source, held: source })),
    );
    return clashes.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  }

  #of(id: string): readonly Registered[] {
    return this.#byId.get(id) ?? [];
  }

  #match(context: ContributorContext): ReadonlyMap<Registered, string> {
    const matched = new Map<Registered, string>();
    for (const key of sessionKeys(context)) {
      for (const entry of this.#byKey.get(key) ?? []) if (!matched.has(entry)) matched.set(entry, key);
    }
    return matched;
  }

  #replace(id: string, before: readonly Registered[], after: readonly Registered[]): void {
    const [was] = before;
    const [is] = after;
    if (was !== is) {
      if (was !== undefined) this.#unindex(was);
      if (is !== undefined) this.#index(is);
    }
    if (is === undefined) this.#byId.delete(id);
    else this.#byId.set(id, after);
    this.#revision += 1;
  }

  #index(entry: Registered): void {
    for (const key of entry.keys) this.#byKey.set(key, (this.#byKey.get(key) ?? new Set()).add(entry));
  }

  #unindex(entry: Registered): void {
    for (const key of entry.keys) {
      const found = this.#byKey.get(key);
      found?.delete(entry);
      if (found?.size === 0) this.#byKey.delete(key);
    }
  }
}

/** Prompt order: zone, priority, id (compared by code units). */
function inOrder(a: Registered, b: Registered, layout: PromptLayout): number {
  const zones = layout === "priority" ? 0 : ZONES.indexOf(a.zone) - ZONES.indexOf(b.zone);
  return zones || a.priority - b.priority || (a.id < b.id ? -1 : 1);
}

function byStrength(a: Registered, b: Registered): number {
  return SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source);
}

function missOf({ id, keys }: Registered, unclassified: boolean): TraceEntry {
  const needs = `needs ${[...new Set(keys)].sort().join(" or ")}`;
  const classified = keys.every((key) => /^(?:topic|complexity|domain|flag):/.test(key));
  const why = unclassified && classified ? "; the session is not classified" : "";
  return { contributor: id, reason: "tag-miss", detail: `${needs}${why}` };
}
