import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../../../base/kernel/bounded-map.ts";
import { checkOptions, flag, name, names, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { Access, ToolCall } from "../../../base/words/call.ts";
import type { Facts } from "../../../base/words/facts.ts";
import type { PolicyContext, PolicyDecision, PolicyResultContext, ToolPolicy } from "../../../base/words/policy.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { allow, deny, pathFact } from "../policy-decision.ts";

/** The version of each file, by resolved path, that the agent last read or wrote. */
type Seen = BoundedMap<string>;

const MAX_PATHS = 10_000;

export type ReadBeforeWriteOptions = {
  readonly readTools?: Iterable<string>;
  readonly writeTools?: Iterable<string>;
  readonly name?: string;
  /** True by default: compaction removes the text that the agent had read. */
  readonly rearmOnCompaction?: boolean;
};

/** An existing file may be overwritten only after its current version was read or written by the agent. New files are free. */
export class ReadBeforeWritePolicy implements ToolPolicy<Seen> {
  readonly name: string;
  readonly initial: Seen = boundedMap(MAX_PATHS);
  readonly rearmOnCompaction: boolean;
  readonly #tools: { readonly read: ReadonlySet<string>; readonly write: ReadonlySet<string> };

  constructor(options: ReadBeforeWriteOptions = {}) {
    checkOptions("ReadBeforeWritePolicy", options, KEYS);
    this.name = options.name ?? "read-before-write";
    this.rearmOnCompaction = options.rearmOnCompaction ?? true;
    this.#tools = {
      read: new Set(options.readTools ?? ["read_file"]),
      write: new Set(options.writeTools ?? ["write_file", "edit_file"]),
    };
  }

  check(call: ToolCall, { state, facts }: PolicyContext<Seen>): PolicyDecision {
    if (!this.#is(call.tool, call.actions, "write")) return allow();
    const written = pathsOf(call, "write");
    for (const path of written) {
      const fact = pathFact(facts, path);
      if (fact === undefined) {
        return deny(`File '${path}' could not be looked up, so it may not be overwritten.`, {
          code: "policy-error",
          next: "Tell the operator that this session has no filesystem to check files.",
          key: path,
        });
      }
      // A folder or a device has no version, and no text to lose.
      if (!fact.exists || fact.version === undefined) continue;
      const seen = boundedGet(state, fact.resolved);
      if (seen !== fact.version) return unread(path, fact.resolved, seen !== undefined);
    }
    return written.length === 0 || call.unclear?.includes("write") ? unclear(call) : allow();
  }

  /** A read counts with the version before it ran, a write with the version after it. */
  onResult(call: ToolCall, _result: ToolResult, { state, facts, factsAtCall }: PolicyResultContext<Seen>): Seen {
    let seen = state;
    if (this.#is(call.tool, call.proves, "read")) seen = record(seen, call, "read", factsAtCall);
    if (this.#is(call.tool, call.proves, "write")) seen = record(seen, call, "write", facts);
    return seen;
  }

  #is(tool: string, actions: readonly string[], access: "read" | "write"): boolean {
    const tools = this.#tools[access];
    return tools.has(tool) || actions.some((action) => tools.has(action));
  }
}

function unread(path: string, resolved: string, stale: boolean): PolicyDecision {
  const why = stale ? "the last read is older than the file" : "never read in this session";
  return deny(
    stale ? `File '${path}' has changed since it was read.` : `File '${path}' must be read before overwriting.`,
    {
      code: stale ? "stale-read" : "not-read",
      missing: [{ what: `read ${path}`, why }],
      next: `Read '${path}', and write it in a later step.`,
      key: resolved,
    },
  );
}

/** An unknown target may be a file that was never read. */
function unclear(call: ToolCall): PolicyDecision {
  return deny(`The file that this '${call.tool}' call would overwrite is unknown.`, {
    code: "not-read",
    missing: [{ what: "a plain path", why: "variables, patterns and unparsable commands can mean any file" }],
    next: "Write to one literal path, in a short command or with a file tool.",
    key: "unclear",
  });
}

function record(seen: Seen, call: ToolCall, access: Access, facts: Facts): Seen {
  let next = seen;
  for (const path of pathsOf(call, access)) {
    const fact = pathFact(facts, path);
    if (fact?.exists && fact.version !== undefined) next = boundedSet(next, fact.resolved, fact.version);
  }
  return next;
}

function pathsOf(call: ToolCall, access: Access): readonly string[] {
  return call.paths.filter((path) => path.access === access).map((path) => path.path);
}

const KEYS: ShapesOf<ReadBeforeWriteOptions> = {
  readTools: optional(names),
  writeTools: optional(names),
  name: optional(name),
  rearmOnCompaction: optional(flag),
};
