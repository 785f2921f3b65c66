import { sha256 } from "../../base/kernel/canonical-json.ts";
import type { Filesystem } from "../../base/ports/filesystem.ts";
import type { Outcome, ToolCall } from "../../base/words/call.ts";
import type { Decision, Objection } from "../../base/words/decision.ts";
import type { Programs } from "../../base/words/hosting/program.ts";
import type { JsonObject } from "../../base/words/json.ts";
import type { RuleSet } from "../../base/words/rule.ts";
import { characterCounter } from "../../behavior/results/token-counter.ts";
import { nodeFilesystem } from "../../edge/host/node/node-filesystem.ts";
import { openConductFromEnv } from "../../edge/host/opening/open-conduct.ts";
import { repositoryFacts } from "../../edge/host/repository/repository-facts.ts";
import type { RepositoryFiles } from "../../edge/host/repository/repository-files.ts";
import { memoryResults } from "../../edge/stores/memory-results.ts";
import { defineAgent } from "../../engine/agent/define-agent.ts";
import { type ExplainedRule, ExplainingRulesPolicy } from "../../engine/agent/rules/explain-rules.ts";
import { type CaseCall, type SessionFile, toolCallOf } from "../../engine/agent/rules/parse-cases.ts";
import type { Conduct } from "../../engine/session/conduct.ts";
import type { Session } from "../../engine/session/session.ts";

const ROOT = "/workspace";
/** Not in the workspace, as on a real machine. */
const HOME = "/home/dev";
const MORNING = Date.UTC(2026, 0, 5, 9);

/** The real engine with the rules, in an environment for one case: its own time and files. */
type PolicyWorld = {
  readonly conduct: Conduct;
  readonly policy: ExplainingRulesPolicy;
  pass(ms: number): void;
  /** Writes files, or removes them (`null`). */
  change(files: { readonly [path: string]: string | null }): void;
};

/** `folder`: a real one, whose files are only read. */
type Where = { readonly programs?: Programs | undefined; readonly folder?: string | undefined };

const POLICY_AGENT = "policy-test";

function openPolicyWorld(
  ruleSet: RuleSet,
  { programs, folder, repo }: Where & { readonly repo: JsonObject },
): PolicyWorld {
  let now = MORNING;
  let ids = 0;
  const files = new Map<string, string>();
  const policy = new ExplainingRulesPolicy(ruleSet);
  const conduct = openConductFromEnv({
    agents: [defineAgent({ name: POLICY_AGENT, actions: ruleSet.actions, programs, policies: [policy] })],
    workspace: folder ?? ROOT,
    home: "/conduct-home",
    journal: false,
    ports: {
      clock: { now: () => now, monotonic: () => now - MORNING },
      ids: { next: (prefix) => `${prefix}_${++ids}` },
      results: memoryResults(),
      counter: async () => characterCounter,
      filesystem: folder === undefined ? memoryFilesystem(files, repo) : nodeFilesystem(folder, { temporary: true }),
    },
  });
  return {
    conduct,
    policy,
    pass: (ms) => {
      now += ms;
    },
    change: (changes) => {
      // The files of a real folder are only read.
      for (const [path, content] of Object.entries(folder === undefined ? changes : {})) {
        if (content === null) files.delete(resolvePath(path));
        else files.set(resolvePath(path), content);
      }
    },
  };
}

/** The files of a case. */
function memoryFilesystem(files: ReadonlyMap<string, string>, repo: JsonObject): Filesystem {
  return {
    root: ROOT,
    look: async (path) => {
      const resolved = resolvePath(path);
      const content = files.get(resolved);
      const inside = resolved === ROOT || resolved.startsWith(`${ROOT}/`);
      const version = content === undefined ? {} : { version: sha256(content).slice(0, 12) };
      const temporary = /^\/(?:var\/)?tmp(?:\/|$)/.test(resolved) ? ({ temporary: true } as const) : {};
      const from = inside ? resolved.slice(ROOT.length + 1) || "." : resolved;
      const shown = path.endsWith("/") ? `${from}/` : from;
      return { resolved, inside, exists: content !== undefined, shown, ...version, ...temporary };
    },
    repository: async (call, facts) => ({ ...(await repositoryFacts(memoryFiles(files), ROOT, call, facts)), ...repo }),
  };
}

/** The case's files as a disk. Without an index, every file is new to git. */
function memoryFiles(files: ReadonlyMap<string, string>): RepositoryFiles {
  const below = (folder: string) => [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
  return {
    read: async (path, most) => {
      const content = files.get(path);
      return content === undefined ? undefined : Buffer.from(content).subarray(0, most);
    },
    list: async (folder) => {
      const names = new Set(below(folder).map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""));
      return [...names].map((name) => ({ name, isFolder: !files.has(`${folder}/${name}`) }));
    },
    stat: async (path) => {
      const size = files.get(path)?.length;
      if (size !== undefined) return { isFolder: false, size, mtimeNs: 0n };
      return path === ROOT || below(path).length > 0 ? { isFolder: true, size: 0, mtimeNs: 0n } : undefined;
    },
  };
}

/** Resolves `.`, `..` and absolute paths like a disk without links. */
function resolvePath(path: string): string {
  const parts: string[] = [];
  const given = path.replace(/^~(?=\/|$)/, HOME);
  for (const part of (given.startsWith("/") ? given : `${ROOT}/${given}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export type RanCall = {
  readonly tool: string;
  readonly args: JsonObject;
  readonly decision: Decision;
  readonly shadows: readonly Objection[];
  /** Absent when the call was not made. */
  readonly outcome?: Outcome;
  readonly seen?: ToolCall;
  /** All names that the call establishes when it succeeds. */
  readonly establishes: readonly string[];
  readonly rules: readonly ExplainedRule[];
};

/**
 * Makes the calls one after the other, like an adapter, and records the decisions. With a `folder`, they are judged with the
 * real files there; otherwise only with the files of the case.
 */
export async function runCalls(
  ruleSet: RuleSet,
  { files = {}, session: opened = {}, repo = {}, calls }: SessionFile,
  { programs, folder }: Where = {},
): Promise<readonly RanCall[]> {
  const world = openPolicyWorld(ruleSet, { programs, folder, repo });
  world.change(files);
  const shadows: (readonly Objection[])[] = [];
  world.conduct.subscribe((event) => {
    if (event.type === "call") shadows.push(event.shadows ?? []);
  });
  const { elevated, ...identity } = opened;
  const session = world.conduct.session({
    agent: POLICY_AGENT,
    ...identity,
    ...(elevated === undefined ? {} : { modes: { elevated } }),
  });
  await session.onMessage({ text: "policy test" });
  const ran: RanCall[] = [];
  for (const [at, call] of calls.entries()) {
    const one = await makeCall(world, session, call, `c${at + 1}`);
    ran.push({ ...one, shadows: shadows.at(-1) ?? [] });
  }
  return ran;
}

async function makeCall(
  world: PolicyWorld,
  session: Session,
  call: CaseCall,
  id: string,
): Promise<Omit<RanCall, "shadows">> {
  const { message, after, files, step, answer } = call;
  if (after !== undefined) world.pass(after);
  if (files !== undefined) world.change(files);
  if (message !== undefined) await session.onMessage({ text: message });
  const { tool, args } = toolCallOf(call);
  const input = { tool, args, step };
  const decision = await session.onCall({ id, ...input });
  const rules = world.policy.explainLast();
  const seen = world.policy.lastCall;
  const names = seen === undefined ? [] : [seen.tool, ...seen.proves];
  const establishes = [...new Set(names.flatMap((name) => [...world.policy.rules.implied(name)]))];
  const went = { tool, args, decision, establishes, rules, seen };
  if (decision.kind === "allow") return { ...went, outcome: await finish(world, session, call, { id, tool }) };
  if (decision.kind !== "ask" || answer === undefined) return went;
  session.resolve(decision.approval, answer, "the case");
  if (answer === "no") return went;
  const again = { id: `${id}-again`, tool };
  const retried = await session.onCall({ ...input, ...again });
  return retried.kind === "allow" ? { ...went, outcome: await finish(world, session, call, again) } : went;
}

/** Runs the call: changes the files as its case says, and reports its result. */
async function finish(
  world: PolicyWorld,
  session: Session,
  call: CaseCall,
  made: { readonly id: string; readonly tool: string },
): Promise<Outcome> {
  const { outcome = "ok", writes = {}, write_file, edit_file } = call;
  const { args } = toolCallOf(call);
  const path = write_file ?? edit_file ?? (/^(write|edit)_file$/.test(made.tool) ? args.path : undefined);
  if (outcome === "ok" && typeof path === "string") {
    world.change({ [path]: typeof args.content === "string" ? args.content : `as call ${made.id} left it` });
  }
  if (outcome !== "cancelled") world.change(writes);
  await session.onResult(made, { outcome, parts: [] });
  return outcome;
}
