import type {
  ContributorContext,
  ContributorSource,
  PromptContributor,
  PromptLayout,
  PromptZone,
  TagDimension,
  TraceEntry,
} from "../../base/words/prompt.ts";
import { ContributorError, type Registered, readContributor } from "./read-contributor.ts";

/** The key of contributors without tags. */
export const UNIVERSAL = "universal";

/** A tag as compared and shown, such as `domain:security`: trimmed and in lower case. */
export function tagKey(dimension: TagDimension, value: string): string {
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
const ZONE_RANK: Readonly<Record<PromptZone, number>> = { static: 0, session: 1, turn: 2 };

/** A contributor selected for a session. `because` is `universal` or the tag that matched (`domain:security`). */
export type Selected = {
  readonly contributor: PromptContributor;
  readonly id: string;
  readonly source: ContributorSource;
  readonly zone: PromptZone;
  readonly priority: number;
  readonly because: string;
};

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
  readonly #contested = new Set<string>();
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
        `contributor "${entry.id}": ${source} has one with this id already; give it another id, or unregister the first`,
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
    return [...this.#contested].sort().flatMap((id) => {
      const [kept, ...held] = this.#of(id);
      return kept === undefined ? [] : held.map(({ source }) => ({ id, kept: kept.source, held: source }));
    });
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
    if (after.length > 1) this.#contested.add(id);
    else this.#contested.delete(id);
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
  const zones = layout === "priority" ? 0 : ZONE_RANK[a.zone] - ZONE_RANK[b.zone];
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
