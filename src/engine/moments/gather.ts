import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { ToolCall } from "../../base/words/call.ts";
import type { Facts, PathFact } from "../../base/words/facts.ts";
import type { AnyPolicy } from "../../base/words/hosting/agent.ts";
import type { Json } from "../../base/words/json.ts";
import { MAX_PATHS } from "../../behavior/policy/command-limits/read-budget.ts";
import { withinLimit } from "./within-limit.ts";

/** How long the facts for one decision may take, unless the agent says otherwise. */
export const GATHER_MS = 2_000;

export const NO_FACTS: Facts = nothingYet();

type Gathered = {
  paths: Record<string, PathFact>;
  policies: Record<string, Json>;
  faults: Record<string, { code: "gather-timeout" | "gather-error"; message: string }>;
};

/** Everything the policies on this call need to know, within the limit. What cannot be had is a fault, and denies. */
export async function gatherForCall(
  call: ToolCall,
  policies: readonly AnyPolicy[],
  filesystem: Filesystem | undefined,
  limitMs: number,
): Promise<Facts> {
  const asking = policies.filter((policy) => policy.gather !== undefined);
  if (asking.length === 0 && (call.paths.length === 0 || filesystem === undefined)) return NO_FACTS;
  const facts = nothingYet();
  const ports = filesystem === undefined ? {} : { filesystem };
  // A call with more files than that is denied for their number alone.
  const looked = call.paths.length > MAX_PATHS ? [] : call.paths.map(({ path }) => path);
  await Promise.all([
    lookInto(facts, looked, filesystem, limitMs),
    ...asking.map((policy) =>
      limited(facts, policy.name, limitMs, async (signal) => {
        const found = (await policy.gather?.(call, ports, signal)) ?? null;
        if (!signal.aborted) facts.policies[policy.name] = found;
      }),
    ),
  ]);
  return facts;
}

/** The paths as they are now; used after a call, for what it wrote and for files that are watched. */
export async function gatherPaths(
  paths: readonly string[],
  filesystem: Filesystem | undefined,
  limitMs: number,
): Promise<Facts> {
  if (paths.length === 0 || filesystem === undefined) return NO_FACTS;
  const facts = nothingYet();
  await lookInto(facts, paths, filesystem, limitMs);
  return facts;
}

/** Foreign names are the keys: without a prototype a file or policy called `constructor` is not found where nothing was. */
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
  await limited(facts, "paths", limitMs, async (signal) => {
    const looked = await Promise.all(paths.map((path) => filesystem.look(path, signal)));
    if (signal.aborted) return;
    looked.forEach((fact, i) => {
      facts.paths[paths[i] ?? ""] = fact;
    });
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
