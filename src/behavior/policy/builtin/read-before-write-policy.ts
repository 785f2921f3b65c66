import { type BoundedMap, boundedGet, boundedMap, boundedSet } from "../../../base/kernel/bounded-map.ts";
import { checkOptions, flag, name, names, optional, type ShapesOf } from "../../../base/kernel/check-options.ts";
import type { Access, ToolCall } from "../../../base/words/call.ts";
import type { Facts, PathFact } from "../../../base/words/facts.ts";
import type { PolicyContext, PolicyDecision, PolicyResultContext, ToolPolicy } from "../../../base/words/policy.ts";
import type { ToolResult } from "../../../base/words/result.ts";
import { allow, deny } from "../policy-decision.ts";

/** Resolved path -> the version of the file that the agent last saw or wrote itself. */
type Seen = BoundedMap<string>;

const MAX_PATHS = 10_000;

export type ReadBeforeWriteOptions = {
  readonly readTools?: Iterable<string>;
  readonly writeTools?: Iterable<string>;
  readonly name?: string;
  /** After compaction the agent no longer has the text before it, so by default it must read again. */
  readonly rearmOnCompaction?: boolean;
};

/**
 * An existing file is overwritten only by an agent that has seen what is in it now. New files are free, and so is
 * rewriting what the agent itself wrote. Paths are compared as the filesystem resolves them.
 */
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
      const fact = factOf(facts, path);
      if (fact === undefined) {
        return deny(`File '${path}' could not be looked up, so it may not be overwritten.`, {
          code: "policy-error",
          next: "Tell the operator: this session has no filesystem to check files on.",
          key: path,
        });
      }
      // What exists and has no version is a folder, or a device: it has no text to lose.
      if (!fact.exists || fact.version === undefined) continue;
      const seen = boundedGet(state, fact.resolved);
      if (seen === undefined) return this.#unread(path, fact, "not-read");
      if (seen !== fact.version) return this.#unread(path, fact, "stale-read");
    }
    return written.length === 0 || call.unclear?.includes("write") ? unclear(call) : allow();
  }

  /** A read counts as of before it ran: a file that changed meanwhile is stale. A write counts as of after. */
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

  #unread(path: string, fact: PathFact, code: "not-read" | "stale-read"): PolicyDecision {
    const stale = code === "stale-read";
    return deny(
      stale ? `File '${path}' has changed since it was read.` : `File '${path}' must be read before overwriting.`,
      {
        code,
        missing: [
          {
            what: `read_file ${path}`,
            why: stale ? "the last read is older than the file" : "never read in this session",
          },
        ],
        next: `Read '${path}', and write it in a later step.`,
        key: fact.resolved,
      },
    );
  }
}

/** A file that cannot be told may be one that was never read. */
function unclear(call: ToolCall): PolicyDecision {
  return deny(`It cannot be told which file this '${call.tool}' call would overwrite.`, {
    code: "not-read",
    missing: [{ what: "a plain path", why: "variables, patterns and unreadable command lines may stand for any file" }],
    next: "Write to a plain path: one file, named literally, in a short command or with a file tool.",
    key: "unclear",
  });
}

function record(seen: Seen, call: ToolCall, access: Access, facts: Facts): Seen {
  let next = seen;
  for (const path of pathsOf(call, access)) {
    const fact = factOf(facts, path);
    if (fact?.exists && fact.version !== undefined) next = boundedSet(next, fact.resolved, fact.version);
  }
  return next;
}

function pathsOf(call: ToolCall, access: Access): readonly string[] {
  return call.paths.filter((path) => path.access === access).map((path) => path.path);
}

/** Paths are named by the model: `constructor` is found only where it was looked up. */
function factOf(facts: Facts, path: string): PathFact | undefined {
  return Object.hasOwn(facts.paths, path) ? facts.paths[path] : undefined;
}

const KEYS: ShapesOf<ReadBeforeWriteOptions> = {
  readTools: optional(names),
  writeTools: optional(names),
  name: optional(name),
  rearmOnCompaction: optional(flag),
};
