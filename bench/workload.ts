import type { Filesystem } from "../src/base/ports/filesystem.ts";
import type { CallInput } from "../src/base/words/call.ts";
import type { FeedbackProviderConfig } from "../src/base/words/feedback.ts";
import type { Agent, AnyPolicy } from "../src/base/words/hosting/agent.ts";
import type { ToolPolicy } from "../src/base/words/policy.ts";
import type { ToolResult } from "../src/base/words/result.ts";
import {
  DeadlineFeedback,
  RepeatedFailureFeedback,
  StaticFeedbackProvider,
  TokenBudgetFeedback,
} from "../src/behavior/feedback/feedback-providers.ts";
import { ReadBeforeWritePolicy } from "../src/behavior/policy/builtin/read-before-write-policy.ts";
import { SequentialDependencyPolicy } from "../src/behavior/policy/builtin/sequential-dependency-policy.ts";
import { allow, deny } from "../src/behavior/policy/policy-decision.ts";
import { defineAgent } from "../src/engine/agent/define-agent.ts";
import type { Session } from "../src/engine/session/session.ts";

/** Number of calls before a new message, because results are budgeted per turn. */
export const CALLS_PER_TURN = 50;

/**
 * The measured agent: ten policies on every call and ten providers after it, in addition to Conduct's own five
 * policies.
 */
export function benchAgent(): Agent {
  return defineAgent({
    name: "bench",
    actions: {
      test: { tool: "shell", command: "npm test *" },
      build: { tool: "shell", command: "npm run build *" },
      deploy: { tool: "shell", command: "*deploy*" },
    },
    policies: [
      new SequentialDependencyPolicy({ name: "deploy-order", dependencies: { deploy: ["test", "build"] } }),
      new SequentialDependencyPolicy({ name: "look-first", dependencies: { edit_file: ["read_file"] } }),
      new SequentialDependencyPolicy({ name: "search-first", dependencies: { fetch: ["search"] } }),
      new SequentialDependencyPolicy({ name: "publish-order", dependencies: { publish: ["test", "login"] } }),
      new ReadBeforeWritePolicy(),
      new ReadBeforeWritePolicy({ name: "patch-after-read", writeTools: ["apply_patch"] }),
      ...customPolicies(),
    ],
    feedback: providers(),
  });
}

/** Typical custom policies: a pattern on arguments, a count, counts by tool, and a look at the record. */
function customPolicies(): readonly AnyPolicy[] {
  const noForce: ToolPolicy = {
    name: "no-force",
    check: ({ args }) =>
      typeof args.command === "string" && args.command.includes("--force") ? deny("no --force") : allow(),
  };
  const shellQuota: ToolPolicy<number> = {
    name: "shell-quota",
    initial: 0,
    check: ({ tool }, { state }) => (tool === "shell" && state >= 10_000_000 ? deny("too many commands") : allow()),
    onResult: ({ tool }, _result, { state }) => (tool === "shell" ? state + 1 : state),
  };
  const byTool: ToolPolicy<{ readonly [tool: string]: number }> = {
    name: "by-tool",
    initial: {},
    check: ({ tool }, { state }) => ((state[tool] ?? 0) >= 10_000_000 ? deny("too many calls") : allow()),
    onResult: ({ tool }, _result, { state }) => ({ ...state, [tool]: (state[tool] ?? 0) + 1 }),
  };
  const testedLately: ToolPolicy = {
    name: "tested-lately",
    check: ({ tool }, { session }) =>
      tool === "task" && session.evidence("test") === undefined && session.callCount > 50
        ? deny("test first")
        : allow(),
  };
  return [noForce, shellQuota, byTool, testedLately];
}

/** Few of them fire: reminders every 200 to 1,000 calls, the others only when they apply. */
function providers(): readonly FeedbackProviderConfig[] {
  const reminders = [200, 300, 400, 500, 750, 1_000].map((everyNCalls) => ({
    provider: new StaticFeedbackProvider({ name: `every-${everyNCalls}`, feedback: "Keep to the plan." }),
    trigger: { everyNCalls },
  }));
  return [
    { provider: new DeadlineFeedback(), trigger: { everyNSeconds: 30 } },
    { provider: new TokenBudgetFeedback(), trigger: { everyNSeconds: 60 } },
    { provider: new RepeatedFailureFeedback(), trigger: { everyNCalls: 10 } },
    {
      provider: new StaticFeedbackProvider({ name: "report", feedback: "The report is there: check it." }),
      trigger: { onFileCreated: { filename: "report.md" } },
    },
    ...reminders,
  ];
}

/**
 * Returns a call of the measured session: ten kinds in turn, each in its own step, on new files until `files` are
 * used.
 */
export function benchCall(index: number, files = 100_000): CallInput {
  const round = Math.floor(index / 10);
  const path = `src/part-${(round * 2) % files}.ts`;
  const other = `src/part-${(round * 2 + 1) % files}.ts`;
  const base = { id: `c${index}`, step: `s${index}` };
  switch (index % 10) {
    case 0:
      return { ...base, tool: "read_file", args: { path } };
    case 1:
      return { ...base, tool: "edit_file", args: { path, old: `const a = ${index};`, new: `const a = ${index + 1};` } };
    case 2:
      return { ...base, tool: "shell", args: { command: "npm test -- --run", timeout: 60 } };
    case 3:
      return { ...base, tool: "search", args: { query: `usage of part ${round}`, limit: 20 } };
    case 4:
      return { ...base, tool: "read_file", args: { path: other, offset: 0, limit: 200 } };
    case 5:
      return { ...base, tool: "write_file", args: { path: other, content: `export const part = ${index};\n` } };
    case 6:
      return { ...base, tool: "shell", args: { command: "npm run build", timeout: 60 } };
    case 7:
      return { ...base, tool: "fetch", args: { url: `https://docs.example/part/${round}` } };
    case 8:
      return { ...base, tool: "shell", args: { command: `git add ${other} && git status --short` } };
    default:
      return { ...base, tool: "task", args: { prompt: `Look over part ${round}.` } };
  }
}

let results = 0;

/** About forty tokens, and one in twenty failed. All results differ, because the token counter caches its counts. */
export function benchResult(index: number): ToolResult {
  const text = `part ${results++}: 12 files looked at, ${index % 97} changed.\nconst total = parts.reduce((sum, part) => sum + part.size, 0);\nok`;
  if (index % 20 === 12) return { outcome: "failed", exitCode: 1, parts: [{ kind: "text", text }] };
  return { outcome: "ok", parts: [{ kind: "text", text }] };
}

/** Every file exists, never changes and is returned immediately. */
export const instantFilesystem: Filesystem = {
  root: "/w",
  look: async (path) => ({ resolved: `/w/${path}`, inside: true, exists: path !== "report.md", version: "1" }),
};

/** Runs the calls of a session, and counts them. */
export class Driver {
  readonly session: Session;
  readonly #files: number;
  #index = 0;

  constructor(session: Session, files?: number) {
    this.session = session;
    this.#files = files ?? 100_000;
  }

  get calls(): number {
    return this.#index;
  }

  /** Starts a new turn when one is due. Not measured. */
  async between(): Promise<void> {
    if (this.#index % CALLS_PER_TURN === 0) await this.session.onMessage({ text: "go on" });
  }

  /** Runs one call with its result. Throws if it is denied, because that would measure something else. */
  async call(): Promise<void> {
    const index = this.#index++;
    const call = benchCall(index, this.#files);
    const decision = await this.session.onCall(call);
    if (decision.kind !== "allow") throw new Error(`call ${index} was not allowed: ${JSON.stringify(decision)}`);
    await this.session.onResult(call, benchResult(index));
  }

  async upTo(calls: number, tick?: (done: number) => void): Promise<this> {
    while (this.#index < calls) {
      await this.between();
      await this.call();
      if (this.#index % 1_000 === 0) tick?.(this.#index);
    }
    return this;
  }
}
