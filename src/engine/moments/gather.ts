import { errorText } from "../../base/kernel/error-text.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts, PathFact, WorkspaceState } from "../../base/words/facts.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { Json } from "../../base/words/json.ts";
import { MAX_PATHS } from "../../behavior/commands/shell/read-budget.ts";

export const GATHER_MS = 2_000;

export const NO_FACTS: Facts = nothingYet();

export type GatherFault = { readonly code: "gather-timeout" | "gather-error"; readonly message: string };

type Gathered = {
  paths: Record<string, PathFact>;
  policies: Record<string, Json>;
  workspace?: WorkspaceState;
  faults: Record<string, GatherFault>;
};

/** Gathers the facts that the policies need for this call, within the limit. A missing fact is a fault and denies. */
export async function gatherForCall(
  call: ToolCall,
  policies: readonly AnyPolicy[],
  filesystem: Filesystem | undefined,
  limitMs: number,
): Promise<Facts> {
  const asking = policies.filter((policy) => policy.gather !== undefined);
  const comparing = policies.some((policy) => policy.needsWorkspace?.(call, "call") === true);
  const isPlain = !comparing && asking.length === 0;
  if (isPlain && (call.paths.length === 0 || filesystem === undefined)) return NO_FACTS;
  const facts = nothingYet();
  const ports = filesystem === undefined ? {} : { filesystem };
  // A call with more paths is denied for their number alone.
  const looked = call.paths.length > MAX_PATHS ? [] : call.paths.map(({ path }) => path);
  if (isPlain) {
    await lookInto(facts, looked, filesystem, limitMs);
    return facts;
  }
  await Promise.all([
    lookInto(facts, looked, filesystem, limitMs),
    comparing ? lookAtWorkspace(facts, filesystem, limitMs) : undefined,
    ...asking.map((policy) =>
      limited(facts, policy.name, limitMs, async (signal) => {
        const found = (await policy.gather?.(call, ports, signal)) ?? null;
        if (!signal.aborted) facts.policies[policy.name] = found;
      }),
    ),
  ]);
  return facts;
}

/**
 * Reads the current state of paths after a call: its written files and watched files. With `proving`, also the state of
 * the workspace that its result is about.
 */
export async function gatherAfter(
  { paths, proving }: { readonly paths: readonly string[]; readonly proving: boolean },
  filesystem: Filesystem | undefined,
  limitMs: number,
): Promise<Facts> {
  if ((paths.length === 0 && !proving) || filesystem === undefined) return NO_FACTS;
  const facts = nothingYet();
  const looking = lookInto(facts, paths, filesystem, limitMs);
  if (proving) await lookAtWorkspace(facts, filesystem, limitMs);
  await looking;
  return facts;
}

/** Not reading the workspace in time is no fault: rules then know only what the calls changed. */
async function lookAtWorkspace(facts: Gathered, filesystem: Filesystem | undefined, limitMs: number): Promise<void> {
  if (filesystem?.workspace === undefined) return;
  const looked = await withinLimit(limitMs, async (signal) => filesystem.workspace?.(signal));
  facts.workspace = ("value" in looked ? looked.value : undefined) ?? { at: 0, changes: [] };
}

/** Keys are untrusted names: without a prototype, looking up `constructor` finds nothing. */
function nothingYet(): Gathered {
  return { paths: Object.create(null), policies: Object.create(null), faults: Object.create(null) };
}

async function lookInto(
  facts: Gathered,
  paths: readonly string[],
  filesystem: Filesystem | undefined,
  limitMs: number,
): Promise<void> {
  if (filesystem === undefined || paths.length === 0) return;
  const [only = ""] = paths;
  const looked = await withinLimit(limitMs, async (signal) =>
    paths.length === 1
      ? [await filesystem.look(only, signal)]
      : Promise.all(paths.map((path) => filesystem.look(path, signal))),
  );
  if ("fault" in looked) facts.faults.paths = looked.fault;
  else
    looked.value.forEach((fact, i) => {
      facts.paths[paths[i] ?? ""] = fact;
    });
}

async function limited(
  facts: Gathered,
  who: string,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const done = await withinLimit(limitMs, work);
  if ("fault" in done) facts.faults[who] = done.fault;
}

export type LimitFault = { readonly code: "gather-timeout" | "gather-error"; readonly message: string };

/** Times out even if the work never settles; a late answer is ignored. Never rejects. */
export function withinLimit<T>(
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: LimitFault }> {
  return new Promise((resolve) => {
    const late = new AbortController();
    const fail = (code: LimitFault["code"], message: string) => {
      clearTimeout(timer);
      late.abort();
      resolve({ fault: { code, message } });
    };
    const timer = setTimeout(() => fail("gather-timeout", `took longer than ${limitMs} ms`), limitMs);
    // Finished work is not aborted: creating the abort error with its stack costs more than the gathering.
    try {
      work(late.signal).then(
        (value) => {
          clearTimeout(timer);
          resolve({ value });
        },
        (error: unknown) => fail("gather-error", errorText(error)),
      );
    } catch (error) {
      fail("gather-error", errorText(error));
    }
  });
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  return promise;
}
