import { sha256 } from "../../base/kernel/canonical-json.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { characterCounter } from "../../behavior/results/counter.ts";
import { openConduct } from "../../edge/host/open-conduct.ts";
import { memoryResults } from "../../edge/stores/memory-results.ts";
import { defineAgent } from "../../engine/agent/define-agent.ts";
import { ExplainingRulesPolicy } from "../../engine/agent/rules/explain-rules.ts";
import type { Conduct } from "../../engine/moments/conduct.ts";

const ROOT = "/workspace";
const MORNING = Date.UTC(2026, 0, 5, 9);

/** The real engine with rules in it, in a world made for one case: its own time and files. */
export type PolicyWorld = {
  readonly conduct: Conduct;
  readonly policy: ExplainingRulesPolicy;
  pass(ms: number): void;
  /** Puts files where they are, or takes them away (`null`). */
  change(files: { readonly [path: string]: string | null }): void;
};

export const POLICY_AGENT = "policy-test";

export function openPolicyWorld(ruleSet: RuleSet): PolicyWorld {
  let now = MORNING;
  let ids = 0;
  const files = new Map<string, string>();
  const policy = new ExplainingRulesPolicy(ruleSet);
  const conduct = openConduct({
    agents: [defineAgent({ name: POLICY_AGENT, actions: ruleSet.actions, policies: [policy] })],
    workspace: ROOT,
    home: "/conduct-home",
    journal: false,
    ports: {
      clock: { now: () => now, monotonic: () => now - MORNING },
      ids: { next: (prefix) => `${prefix}_${++ids}` },
      results: memoryResults(),
      counter: async () => characterCounter,
      filesystem: {
        root: ROOT,
        look: async (path) => {
          const resolved = resolvePath(path);
          const content = files.get(resolved);
          const inside = resolved === ROOT || resolved.startsWith(`${ROOT}/`);
          const version = content === undefined ? {} : { version: sha256(content).slice(0, 12) };
          return { resolved, inside, exists: content !== undefined, ...version };
        },
      },
    },
  });
  return {
    conduct,
    policy,
    pass: (ms) => {
      now += ms;
    },
    change: (changes) => {
      for (const [path, content] of Object.entries(changes)) {
        if (content === null) files.delete(resolvePath(path));
        else files.set(resolvePath(path), content);
      }
    },
  };
}

/** `.`, `..` and absolute paths as on a disk without links. */
function resolvePath(path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${ROOT}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
