import type { CallInput } from "../src/base/words/call.ts";
import type { ToolResult } from "../src/base/words/result.ts";

type Logged = { readonly id: string; readonly tool: string; readonly outcome: string; readonly at: number };
type Said = { readonly provider: string; readonly at: number; readonly callIndex: number };

/**
 * Seed 001's session in TypeScript: an immutable log copied on each append, policies over one shared state copied on
 * each change, and providers that scan the log to count the calls since their last message. Does less than Conduct: no
 * file lookups, hashes, token counts, budgets or reports.
 */
export class SeedSession {
  #log: readonly Logged[];
  #said: readonly Said[] = [];
  #proven: ReadonlySet<string> = new Set();
  #read: ReadonlySet<string> = new Set();

  constructor(history: readonly CallInput[]) {
    this.#log = history.map(({ id, tool }, at) => ({ id, tool, outcome: "ok", at }));
  }

  /** Four order policies, two file policies, and four with one comparison each. */
  onCall({ tool, args }: CallInput): boolean {
    for (const needs of ORDER)
      if (needs.tool === tool && !needs.before.every((name) => this.#proven.has(name))) return false;
    const path = args.path;
    for (const writes of WRITES) if (writes === tool && typeof path === "string" && !this.#read.has(path)) return false;
    for (const bad of PATTERNS) if (typeof args.command === "string" && args.command.includes(bad)) return false;
    return true;
  }

  onResult({ id, tool, args }: CallInput, { outcome }: ToolResult): readonly string[] {
    const at = Date.now();
    this.#log = [...this.#log, { id, tool, outcome, at }];
    if (outcome === "ok") {
      this.#proven = new Set([...this.#proven, tool]);
      if (tool === "read_file" && typeof args.path === "string") this.#read = new Set([...this.#read, args.path]);
    }
    const spoken: string[] = [];
    for (const { provider, every } of CADENCES) {
      const last = this.#said.findLast((said) => said.provider === provider);
      const since = this.#log.filter((_call, index) => index >= (last?.callIndex ?? 0)).length;
      if (since >= every) spoken.push(provider);
    }
    for (const provider of spoken) this.#said = [...this.#said, { provider, at, callIndex: this.#log.length }];
    return spoken;
  }

  /** A snapshot is a copy of everything. */
  snapshot(): unknown {
    return structuredClone({ log: this.#log, said: this.#said, proven: this.#proven, read: this.#read });
  }
}

const ORDER = [
  { tool: "deploy", before: ["test", "build"] },
  { tool: "edit_file", before: ["read_file"] },
  { tool: "fetch", before: ["search"] },
  { tool: "publish", before: ["test", "login"] },
];
const WRITES = ["edit_file", "apply_patch"];
const PATTERNS = ["--force", "rm -rf", "sudo ", "| sh"];
const CADENCES = [200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000].map((every) => ({
  provider: `every-${every}`,
  every,
}));
