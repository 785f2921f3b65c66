import { errorText } from "../../base/kernel/error-text.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts, PathFact, WorkspaceState } from "../../base/words/facts.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { Json } from "../../base/words/json.ts";
import { MAX_PATHS } from "../../behavior/commands/shell/read-budget.ts";

export const GATHER_MS = 2_000;

/** Most calls have no fault and no facts of policies: then these tables are shared. */
const EMPTY: Readonly<Record<string, never>> = Object.freeze(Object.create(null));

export const NO_FACTS: Facts = nothingYet();

export type GatherFault = { readonly code: "gather-timeout" | "gather-error"; readonly message: string };

type Gathered = {
  paths: Readonly<Record<string, PathFact>>;
  policies: Readonly<Record<string, Json>>;
  workspace?: WorkspaceState;
  faults: Readonly<Record<string, GatherFault>>;
};

/** The policies that take part in gathering, worked out once for each list of an agent. */
type Gatherers = { readonly asking: readonly AnyPolicy[]; readonly comparing: readonly AnyPolicy[] };
const gatherers = new WeakMap<readonly AnyPolicy[], Gatherers>();

function gatherersOf(policies: readonly AnyPolicy[]): Gatherers {
  const known = gatherers.get(policies) ?? {
    asking: policies.filter((policy) => policy.gather !== undefined),
    comparing: policies.filter((policy) => policy.needsWorkspace !== undefined),
  };
  gatherers.set(policies, known);
  return known;
}

/** Whether a policy compares the state of the workspace at this moment of the call. */
export function needsWorkspace(policies: readonly AnyPolicy[], call: ToolCall, at: "call" | "result"): boolean {
  return gatherersOf(policies).comparing.some((policy) => policy.needsWorkspace?.(call, at) === true);
}

/**
 * Gathers the facts that the policies need for this call, within the limit. A missing fact is a fault and denies. Returns
 * at once if nothing has to be gathered.
 */
export function gatherForCall(
  call: ToolCall,
  policies: readonly AnyPolicy[],
  filesystem: Filesystem | undefined,
  limitMs: number,
): Facts | Promise<Facts> {
  const { asking } = gatherersOf(policies);
  const comparing = needsWorkspace(policies, call, "call");
  const isPlain = !comparing && asking.length === 0;
  if (isPlain && (call.paths.length === 0 || filesystem === undefined)) return NO_FACTS;
  // A call with more paths is denied for their number alone.
  const looked = call.paths.length > MAX_PATHS ? [] : call.paths.map(({ path }) => path);
  if (isPlain) return lookInto(nothingYet(), looked, filesystem, limitMs);
  return gatherAll(call, { looked, comparing, asking }, filesystem, limitMs);
}

async function gatherAll(
  call: ToolCall,
  what: { readonly looked: readonly string[]; readonly comparing: boolean; readonly asking: readonly AnyPolicy[] },
  filesystem: Filesystem | undefined,
  limitMs: number,
): Promise<Facts> {
  const { looked, comparing, asking } = what;
  const facts = nothingYet();
  const ports = filesystem === undefined ? {} : { filesystem };
  await Promise.all([
    lookInto(facts, looked, filesystem, limitMs),
    comparing ? lookAtWorkspace(facts, filesystem, limitMs) : undefined,
    ...asking.map((policy) =>
      limited(facts, policy.name, limitMs, async (signal) => {
        const found = (await policy.gather?.(call, ports, signal)) ?? null;
        if (!signal.aborted) facts.policies = named(facts.policies, policy.name, found);
      }),
    ),
  ]);
  return facts;
}

/**
 * Reads the current state of paths after a call: its written files and watched files. With `proving`, also the state of
 * the workspace that its result is about.
 */
export function gatherAfter(
  { paths, proving }: { readonly paths: readonly string[]; readonly proving: boolean },
  filesystem: Filesystem | undefined,
  limitMs: number,
): Facts | Promise<Facts> {
  if ((paths.length === 0 && !proving) || filesystem === undefined) return NO_FACTS;
  const facts = nothingYet();
  const looking = lookInto(facts, paths, filesystem, limitMs);
  return proving ? lookAtWorkspace(facts, filesystem, limitMs).then(() => looking) : looking;
}

/** Not reading the workspace in time is no fault: rules then know only what the calls changed. */
async function lookAtWorkspace(facts: Gathered, filesystem: Filesystem | undefined, limitMs: number): Promise<void> {
  if (filesystem?.workspace === undefined) return;
  const looked = await withinLimit(limitMs, async (signal) => filesystem.workspace?.(signal));
  facts.workspace = ("value" in looked ? looked.value : undefined) ?? { at: 0, changes: [] };
}

/** Keys are untrusted names: without a prototype, looking up `constructor` finds nothing. */
function named<T>(before: Readonly<Record<string, T>>, name: string, value: T): Readonly<Record<string, T>> {
  const all: Record<string, T> = Object.create(null);
  for (const key in before) all[key] = before[key] as T;
  all[name] = value;
  return all;
}

function nothingYet(): Gathered {
  return { paths: EMPTY, policies: EMPTY, faults: EMPTY };
}

/** Fills in the facts about the paths, and returns them. */
function lookInto(
  facts: Gathered,
  paths: readonly string[],
  filesystem: Filesystem | undefined,
  limitMs: number,
): Promise<Gathered> | Gathered {
  const only = paths[0];
  if (filesystem === undefined || only === undefined) return facts;
  if (paths.length === 1)
    return withinLimit(limitMs, (signal) => filesystem.look(only, signal)).then((looked) => {
      if ("fault" in looked) facts.faults = named(facts.faults, "paths", looked.fault);
      else facts.paths = named(EMPTY, only, looked.value);
      return facts;
    });
  const all = (signal: AbortSignal) => Promise.all(paths.map((path) => filesystem.look(path, signal)));
  return withinLimit(limitMs, all).then((looked) => {
    if ("fault" in looked) facts.faults = named(facts.faults, "paths", looked.fault);
    else {
      const found: Record<string, PathFact> = Object.create(null);
      for (const [at, path] of paths.entries()) found[path] = looked.value[at] as PathFact;
      facts.paths = found;
    }
    return facts;
  });
}

async function limited(
  facts: Gathered,
  who: string,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const done = await withinLimit(limitMs, work);
  if ("fault" in done) facts.faults = named(facts.faults, who, done.fault);
}

export type LimitFault = { readonly code: "gather-timeout" | "gather-error"; readonly message: string };

type Limited<T> = { readonly value: T } | { readonly fault: LimitFault };

/** Work that needs no more turns of the promise queue than this gets no timer. */
const QUICK_TURNS = 4;

const NOW = Promise.resolve();

/**
 * Times out even if the work never settles; a late answer is ignored. Never rejects. The signal belongs to the work until
 * it settles: afterwards other work may get it.
 */
export function withinLimit<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<Limited<T>> {
  return new Promise((resolve) => {
    const late = unused ?? new AbortController();
    unused = undefined;
    let turns = 0;
    let isDone = false;
    let timer: NodeJS.Timeout | undefined;
    const settle = (answer: Limited<T>) => {
      if (isDone) return;
      isDone = true;
      clearTimeout(timer);
      // Finished work is not aborted: creating the abort error with its stack costs more than the gathering.
      if ("fault" in answer) late.abort();
      else if (timer === undefined) unused = late;
      resolve(answer);
    };
    const failed = (error: unknown) => settle({ fault: { code: "gather-error", message: errorText(error) } });
    const wait = () => {
      turns += 1;
      if (isDone) return;
      if (turns <= QUICK_TURNS) {
        void NOW.then(wait);
        return;
      }
      const message = `took longer than ${limitMs} ms`;
      timer = setTimeout(() => settle({ fault: { code: "gather-timeout", message } }), limitMs);
    };
    try {
      work(late.signal).then((value) => settle({ value }), failed);
      wait();
    } catch (error) {
      failed(error);
    }
  });
}

/** The signal of work that finished at once, for the next one: creating one costs as much as a decision. */
let unused: AbortController | undefined;

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  return promise;
}
