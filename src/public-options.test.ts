import { describe, expect, it } from "vitest";
import * as client from "./apps/gateway/client.ts";
import * as completion from "./completion.ts";
import * as acp from "./edge/adapters/acp/index.ts";
import * as aiSdk from "./edge/adapters/ai-sdk/index.ts";
import * as claude from "./edge/adapters/claude/index.ts";
import * as claudeCode from "./edge/adapters/claude-code/index.ts";
import * as codex from "./edge/adapters/codex/index.ts";
import * as langchain from "./edge/adapters/langchain/index.ts";
import * as mastra from "./edge/adapters/mastra/index.ts";
import * as mcp from "./edge/adapters/mcp/index.ts";
import * as openaiAgents from "./edge/adapters/openai-agents/index.ts";
import * as openclaw from "./edge/adapters/openclaw/index.ts";
import * as opencode from "./edge/adapters/opencode/index.ts";
import * as pi from "./edge/adapters/pi/index.ts";
import * as piExtension from "./edge/adapters/pi-extension/index.ts";
import * as feedback from "./feedback.ts";
import * as main from "./index.ts";
import * as policies from "./policies.ts";
import * as prompt from "./prompt.ts";
import * as testing from "./testing/index.ts";

const MODULES = {
  main,
  policies,
  completion,
  feedback,
  prompt,
  testing,
  claude,
  pi,
  piExtension,
  claudeCode,
  opencode,
  openclaw,
  codex,
  acp,
  mcp,
  client,
  aiSdk,
  langchain,
  mastra,
  openaiAgents,
};

type Callable = (...args: unknown[]) => unknown;
type Options = { readonly [key: string]: unknown };

/** How an export is given its options; `key` is one of them, and `wrong` a value that it cannot have. */
type Case = {
  readonly valid: Options;
  readonly key: string;
  readonly wrong?: unknown;
  readonly call: (made: Callable, options: unknown) => unknown;
};

const nothing = () => undefined;
const host = { open: nothing };
const pipe = { listen: nothing, send: nothing, resume: nothing, close: nothing };
const counter = { count: () => 0, countUpTo: () => ({ tokens: 0, exact: true }), fit: () => ({ end: 0, tokens: 0 }) };
const session = { onCall: nothing, onResult: nothing };
const construct = (made: Callable, options: unknown) => Reflect.construct(made, [options]);
const only = (made: Callable, options: unknown) => made(options);
const second = (made: Callable, options: unknown) => made({}, options);
const third = (made: Callable, options: unknown) => made({}, {}, options);
const first = async (made: Callable, options: unknown) => (third(made, options) as AsyncGenerator<unknown>).next();

const CASES: { readonly [name: string]: Case } = {
  CommandChecker: { valid: { command: "true" }, key: "timeoutMs", call: construct },
  CompositeChecker: { valid: { checkers: [] }, key: "allMustPass", call: construct },
  EvidenceChecker: { valid: { actions: [] }, key: "actions", call: construct },
  FileOutputChecker: { valid: { files: [] }, key: "files", call: construct },
  DeadlineFeedback: { valid: {}, key: "warningThresholdSeconds", call: construct },
  RepeatedFailureFeedback: { valid: {}, key: "after", call: construct },
  StaticFeedbackProvider: { valid: { feedback: "x" }, key: "feedback", call: construct },
  TokenBudgetFeedback: { valid: {}, key: "cautionAt", call: construct },
  ReadBeforeWritePolicy: { valid: {}, key: "readTools", call: construct },
  SequentialDependencyPolicy: { valid: { dependencies: {} }, key: "dependencies", call: construct },
  RulesPolicy: { valid: { actions: {}, rules: [] }, key: "rules", call: construct },
  ToolResultTruncator: { valid: { counter }, key: "maxTokens", call: construct },
  buildAgentPrompt: {
    valid: { counter },
    key: "layout",
    call: (made, options) => made(new prompt.PromptContributorRegistry(), { modes: {} }, options),
  },
  deny: { valid: {}, key: "next", call: (made, options) => made("no", options) },
  ask: { valid: {}, key: "key", call: (made, options) => made("may I?", options) },
  openConduct: { valid: { agents: [] }, key: "workspace", call: only },
  openConductFromEnv: { valid: { agents: [] }, key: "store", call: only },
  Conduct: {
    valid: { clock: { now: () => 0 }, ids: { next: () => "x" }, results: {}, counter: nothing },
    key: "paused",
    call: (made, options) => Reflect.construct(made, [[], options]),
  },
  Session: { valid: { agent: "a" }, key: "channel", call: (_made, options) => openSession(options) },
  piModels: { valid: {}, key: "models", call: only },
  terminalApprover: { valid: {}, key: "output", call: only },
  folderResults: { valid: {}, key: "maxBytes", call: (made, options) => made("/nowhere", { seal: nothing }, options) },
  memoryResults: { valid: {}, key: "maxBytes", call: only },
  defineAgent: { valid: { name: "a" }, key: "policies", call: only },
  parseRules: { valid: {}, key: "tools", call: (made, options) => made("rules: []", "f", options) },
  withConduct: { valid: {}, key: "waitMs", call: third },
  conductQuery: { valid: { sdk: { query: nothing } }, key: "waitMs", call: first },
  observer: { valid: {}, key: "resumed", call: second },
  conductPi: { valid: {}, key: "waitMs", call: third },
  conductExtension: { valid: { host }, key: "asks", call: only },
  claudeCodeHooks: { valid: {}, key: "waitMs", call: second },
  claudeCodeSettings: { valid: { url: "", token: "", startCommand: "" }, key: "token", call: only },
  opencodeHooks: { valid: {}, key: "waitMs", call: third },
  conductPlugin: { valid: {}, key: "home", call: only },
  OpenClawAdapter: { valid: { host }, key: "operators", call: construct },
  codexHooks: { valid: { agent: "a" }, key: "host", call: second },
  conductCodexOptions: { valid: {}, key: "socket", call: second },
  listenForHooks: { valid: {}, key: "receiveMs", call: (made, options) => made("/nowhere", nothing, options) },
  runAcpProxy: {
    valid: {
      ...{ host, cwd: "", interactive: false, waitMs: 1, modes: "any", newId: nothing, version: "", log: nothing },
    },
    key: "modes",
    call: (made, options) => made(pipe, pipe, options),
  },
  ownTools: { valid: { open: nothing, newId: nothing, now: nothing, waitMs: 1 }, key: "waitMs", call: only },
  runProxy: {
    valid: { server: "", session, newId: nothing, now: nothing, waitMs: 1, log: nothing },
    key: "server",
    call: (made, options) => made(pipe, pipe, options),
  },
  runScriptedLoop: { valid: { session, model: nothing, tools: {}, message: "" }, key: "message", call: only },
  conductClient: { valid: {}, key: "token", call: only },
  guardTools: { valid: {}, key: "callId", call: (made, options) => made(session, {}, options) },
  conductAiSdk: { valid: {}, key: "ask", call: (made, options) => made(session, options) },
  conductAgents: { valid: {}, key: "ask", call: (made, options) => made(session, options) },
  conductLangChain: { valid: {}, key: "ask", call: (made, options) => made(session, options) },
  conductMastra: { valid: {}, key: "ask", call: (made, options) => made(session, options) },
};

/** Exports that take no options of ours, and why. */
const WITHOUT: { readonly [why: string]: readonly string[] } = {
  "errors, made by Conduct": ["AgentError", "ContributorError", "SessionError", "TrustError", "OptionsError"],
  "more errors": ["CodexUnguardedError", "KitFailure", "GatewayError"],
  "plain values in, plain values out": [
    ...["ok", "incomplete", "allow", "renderDenial", "renderQuestion", "renderPrerequisites", "renderFeedback"],
    ...["collectFeedback", "classifyLocally", "parseSnapshot", "serialiseSnapshot", "conductHome", "loadTokenizer"],
    ...["loadConfigFile", "modelOverrides", "loadRules", "trustStore", "memoryStores"],
    ...["PromptContributorRegistry", "piToolMap", "claudeCodeRoutes", "claudeCodeMcpArguments"],
    ...["mergeClaudeCodeSettings", "removeFromClaudeCodeSettings", "claudeCodeSettingsFaults"],
    ...["serveConductTools"],
    ...["codexHooksJson", "codexTrustStatus", "trustCodexHooks", "connectServer"],
    ...["answerOrFail", "capabilityOf", "conformanceSuite", "skipReason", "playKitScript"],
    ...["addDirectives", "isOperators", "kitAgent", "localRun"],
    ...["answerSideRequest", "requestKind", "extensionAt"],
  ],
  "called by the runtime with its own objects": ["default"],
};

function openSession(options: unknown): unknown {
  const agents = [main.defineAgent({ name: "a" })];
  const conduct = main.openConduct({ agents, home: "/nonexistent-conduct-home", journal: false });
  return conduct.session(options as main.SessionOptions);
}

const functions = Object.values(MODULES).flatMap((module) =>
  Object.entries(module).flatMap(([name, made]) =>
    typeof made === "function" ? [[name, made as Callable] as const] : [],
  ),
);

async function messageOf(run: () => unknown): Promise<string> {
  try {
    await run();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return "";
}

describe("options of public constructors", () => {
  it("OPT-1 every public function is either tested here or listed as one without options", () => {
    const known = new Set([...Object.keys(CASES), ...Object.values(WITHOUT).flat()]);
    expect(functions.map(([name]) => name).filter((name) => !known.has(name))).toEqual([]);
    const exported = new Set(functions.map(([name]) => name));
    expect(Object.keys(CASES).filter((name) => !exported.has(name))).toEqual([]);
  });

  const tried = functions.flatMap(([name, made]) => {
    const found = Object.hasOwn(CASES, name) ? CASES[name] : undefined;
    return found === undefined ? [] : [{ name, made, ...found }];
  });

  it.each(tried)("OPT-2 $name rejects an unknown key, and names the nearest known one", async (one) => {
    const { name, made, valid, key, call } = one;
    const misspelt = `${key}z`;
    const message = await messageOf(() => call(made, { ...valid, [misspelt]: 1 }));
    expect(message).toContain(`'${name === "Conduct" ? "ports." : ""}${misspelt}'`);
    expect(message).toContain(`did you mean '${key}'?`);
    expect(message).toMatch(name === "defineAgent" ? /agent 'a'/ : new RegExp(name === "Session" ? "session" : name));
  });

  it.each(tried)("OPT-3 $name rejects a value of the wrong type, and says what it must be", async (one) => {
    const { made, valid, key, call, name } = one;
    const message = await messageOf(() => call(made, { ...valid, [key]: Symbol("wrong") }));
    expect(message).toContain(`'${name === "Conduct" ? "ports." : ""}${key}' is a symbol; it must be `);
  });

  it.each(tried)("OPT-4 $name rejects options that are not an object", async ({ made, call }) => {
    for (const options of ["text", 7, null, ["list"]]) {
      const message = await messageOf(() => call(made, options));
      expect(message).toContain("expected an object with");
    }
  });

  it("OPT-5 all faults of the options are reported at once", () => {
    const wrong = { deploy: ["test"], name: 7 } as unknown as ConstructorParameters<
      typeof policies.SequentialDependencyPolicy
    >[0];
    expect(() => new policies.SequentialDependencyPolicy(wrong)).toThrow(
      "SequentialDependencyPolicy: the options cannot be used.\n" +
        "  - there is no option 'deploy'. Options are 'dependencies', 'name', 'rearmOnCompaction'\n" +
        "  - 'dependencies' is missing; it must be a map from names to values, each a list of names\n" +
        "  - 'name' is 7; it must be a text that is not empty",
    );
  });
});
