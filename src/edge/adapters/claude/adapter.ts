import { z } from "zod";
import {
  callback,
  checkOptions,
  flag,
  having,
  number,
  object,
  optional,
  type ShapesOf,
} from "../../../base/kernel/check-options.ts";
import { errorText } from "../../../base/kernel/error-text.ts";
import { asObject, asString } from "../../../base/kernel/json.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import type { BuiltPrompt } from "../../../base/words/prompt.ts";
import type { SessionMoments } from "../../../engine/session/session-moments.ts";
import type { PromptRequest } from "../../../engine/session/session-options.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import { gatedEnvironment } from "../../host/gate/local-gate.ts";
import { Scopes } from "../shared/claude/scopes.ts";
import { toolName } from "../shared/claude/tool-map.ts";
import { textBlock } from "../shared/content.ts";
import { OWN_SERVER, runOwnTool } from "../shared/own-tools.ts";
import { conductHooks, type HookSettings, type MessageSettings, Shown, Told } from "./hooks.ts";
import { Announcements, type Input, openInput } from "./messages.ts";
import type { ClaudeOptions, ClaudeSdk, HookMatcher, SystemPrompt, ThinkingControls } from "./native.ts";
import { observer, type StreamMessage, type Totals } from "./observe.ts";
import { Thinking, thinkingAfter } from "./thinking.ts";

/** The session that guards a query. */
export type ConductSettings = {
  /** The module `@anthropic-ai/claude-agent-sdk`; imported by default. */
  readonly sdk?: ClaudeSdk;
  /** How long a call waits for Conduct and for the person its approver asks; then it is blocked. Default: one hour. */
  readonly waitMs?: number;
  /** The running query, if there is one: /think sets its thinking. */
  readonly query?: () => Partial<ThinkingControls> | undefined;
};

/**
 * Adds Conduct's hooks, prompt and tools to the options of a query. Call it once per query. An allow by Conduct grants
 * nothing: permission mode, rules and `canUseTool` apply as before.
 */
export async function withConduct<O extends object>(
  options: O & ClaudeOptions,
  session: SessionMoments,
  settings: ConductSettings = {},
): Promise<O> {
  checkOptions("withConduct", settings, SETTINGS);
  const { sdk, query, waitMs } = settings;
  const begun = begin(options, session, () => query?.());
  const prompt = await session.onPrompt(begun.request);
  const gated = await withGate(options, session);
  const name: string = "@anthropic-ai/claude-agent-sdk";
  return queryOptions(gated, { ...begun, waitMs, sdk: sdk ?? ((await import(name)) as ClaudeSdk), prompt });
}

/** The parameters of the SDK's `query`. */
export type QueryParams<P, O> = { readonly prompt: P; readonly options?: O & ClaudeOptions };

/** The session, and the SDK to use. */
export type ConductQuerySettings<P, O, M> = Pick<ConductSettings, "waitMs"> & {
  readonly sdk: ClaudeSdk & {
    /** The SDK's `query`. */
    query(params: { prompt: P; options?: O }): AsyncIterable<M> & Partial<ThinkingControls>;
  };
  /** Keeps the session open after this query, for a message that resumes it. */
  readonly keepOpen?: boolean;
};

/**
 * Runs a query under Conduct: removes mode words from messages before they are sent, passes the runtime's messages on, and
 * reports usage, replies and the end. A message of modes only is answered by a `result` with `num_turns: 0`.
 */
export async function* conductQuery<P extends Input, O extends object, M extends StreamMessage>(
  { prompt, options }: QueryParams<P, O>,
  session: SessionMoments,
  settings: ConductQuerySettings<P, O, M>,
): AsyncGenerator<M, void, undefined> {
  checkOptions("conductQuery", settings, { sdk: having("query"), keepOpen: optional(flag), waitMs: optional(number) });
  const { sdk, keepOpen = false, waitMs } = settings;
  const given = options ?? ({} as O & ClaudeOptions);
  const scopes = scopesOf(session);
  const observe = observer((notice) => session.notice(notice), { resumed: isResumed(given), totals: scopes.totals });
  let query: ReturnType<typeof sdk.query> | undefined;
  let reason = "completed";
  try {
    const begun = begin(given, session, () => query);
    const { shown, thinking } = begun;
    const input = await openInput(prompt, () => session.observing === undefined);
    // The first message is handled before the query begins, so that the prompt reflects it.
    const heard = input.first === undefined ? undefined : await session.onMessage(input.first.message);
    const built = await session.onPrompt(begun.request);
    const prepared = heard === undefined ? undefined : { heard, prompt: built };
    const announcements = new Announcements();
    const sent = await input.send(async (message) => {
      announcements.add(message === input.first ? { ...message, heard } : message);
      const { modes } = session;
      await thinking.expect(message.modes ? thinkingAfter(modes, message.message.text) : modes);
    });
    const gated = await withGate(given, session);
    const ready = queryOptions(gated, { ...begun, prepared, waitMs, sdk, prompt: built, announcements });
    const alone = typeof prompt === "string" ? thinking.begin(session.modes) : {};
    query = sdk.query({ prompt: sent, options: { ...ready, ...alone } });
    for await (const message of query) {
      const plain = shown.plain(message);
      observe(plain);
      yield plain;
    }
  } catch (error) {
    reason = errorText(error);
    throw error;
  } finally {
    if (!keepOpen) scopes.end(reason);
  }
}

function begin(options: ClaudeOptions, session: SessionMoments, query: () => Partial<ThinkingControls> | undefined) {
  const scopes = scopesOf(session);
  session.notice({ kind: "started", adapter: "claude", model: options.model });
  const thinking = new Thinking(options, query, (error) => scopes.tell("thinking", error));
  return { scopes, shown: new Shown(), thinking, request: promptRequest(options, session) };
}

/** Puts the exec gate first on the PATH of Claude's shell, unless it has none. */
async function withGate<O extends ClaudeOptions>(options: O, session: SessionMoments): Promise<O> {
  const { tools, cwd = process.cwd() } = options;
  const env = options.env ?? process.env;
  if (Array.isArray(tools) && !tools.includes("Bash")) return options;
  return { ...options, env: { ...env, ...(await gatedEnvironment(session, cwd, env).catch(() => ({}))) } };
}

const SETTINGS: ShapesOf<ConductSettings> = {
  sdk: optional(object),
  waitMs: optional(number),
  query: optional(callback),
};

type Beginning = MessageSettings &
  Pick<HookSettings, "waitMs"> & { readonly sdk: ClaudeSdk; readonly prompt: BuiltPrompt };

function queryOptions<O extends object>(
  options: O & ClaudeOptions,
  { sdk, prompt, ...settings }: Beginning,
): O & ClaudeOptions {
  const { canUseTool, permissionPromptToolName, env } = options;
  const { scopes } = settings;
  const systemPrompt = systemPromptWith(options.systemPrompt, scopes.told.begin(prompt, isResumed(options)));
  const hooks = conductHooks({
    ...settings,
    asker: canUseTool !== undefined || permissionPromptToolName !== undefined,
    home: env?.HOME,
  });
  const ready = { ...options, hooks: mergedHooks(options.hooks, hooks) };
  if (systemPrompt !== undefined) ready.systemPrompt = systemPrompt;
  // In shadow mode nothing is added to the model's input.
  if (scopes.session.observing === "shadow") return ready;
  return { ...ready, mcpServers: { ...options.mcpServers, [OWN_SERVER]: ownTools(sdk, scopes) } };
}

function isResumed({ resume, continue: continues }: ClaudeOptions): boolean {
  return resume !== undefined || continues === true;
}

/** The host's hooks are unchanged; all hooks of an event run. */
function mergedHooks(theirs: object | undefined, ours: { readonly [event: string]: HookMatcher[] }): object {
  const merged: Record<string, unknown[]> = {};
  for (const [event, matchers] of [...Object.entries(theirs ?? {}), ...Object.entries(ours)]) {
    merged[event] = [...(merged[event] ?? []), ...(Array.isArray(matchers) ? matchers : [])];
  }
  return merged;
}

/** State that the queries of one session share. */
export class QueryScopes extends Scopes {
  readonly session: SessionMoments;
  readonly totals: Totals = new Map();
  readonly told = new Told();

  constructor(session: SessionMoments) {
    super(session, (id) => session.child(id));
    this.session = session;
  }
}

const ofSessions = new WeakMap<SessionMoments, QueryScopes>();

/** All queries of a session share the scopes: a subagent of an earlier query can continue in a later one. */
export function scopesOf(session: SessionMoments): QueryScopes {
  const scopes = ofSessions.get(session) ?? new QueryScopes(session);
  ofSessions.set(session, scopes);
  return scopes;
}

/**
 * Appends the agent's prompt to the host's preset or custom prompt. The runtime must not record it: a recorded prompt
 * would outlive a changed contract.
 */
export function systemPromptWith(given: SystemPrompt | undefined, prompt: string): SystemPrompt | undefined {
  if (prompt === "") return given;
  if (typeof given === "object" && !Array.isArray(given) && given.type === "preset") {
    const append = given.append === undefined ? prompt : `${given.append}\n\n${prompt}`;
    return { ...given, append, snapshot: false };
  }
  const own = typeof given === "object" && !Array.isArray(given) ? given.prompt : (given ?? []);
  return { type: "custom", prompt: [own, prompt].flat(), snapshot: false };
}

/**
 * The model's tools as far as known: the host's list, if there is one. The runtime reports them only after the first
 * message, and naming them then would change a cached prompt.
 */
export function promptRequest({ tools, disallowedTools = [] }: ClaudeOptions, session: SessionMoments): PromptRequest {
  if (!Array.isArray(tools)) return { toolName };
  const own = session.tools().map(({ name }) => toolName(name));
  return { toolName, tools: [...tools, ...own].filter((name) => !disallowedTools.includes(name)) };
}

/** Conduct's tools as an in-process MCP server. Calls pass the moments, without a permission prompt. */
function ownTools(sdk: ClaudeSdk, scopes: Scopes): object {
  return sdk.createSdkMcpServer({
    name: OWN_SERVER,
    version: "1.0.0",
    // Otherwise the runtime hides them behind its tool search.
    alwaysLoad: true,
    tools: scopes.main.session.tools().map((tool) => asMcpTool(sdk, tool, scopes)) as never[],
  });
}

type McpResult = { content: { type: "text"; text: string }[]; isError: boolean };

function asMcpTool(sdk: ClaudeSdk, declared: ConductTool, scopes: Scopes): object {
  const { name, description, inputSchema, access } = declared;
  const schema = z.fromJSONSchema(inputSchema);
  const shape = schema instanceof z.ZodObject ? schema.shape : {};
  const run = async (args: JsonObject, extra?: unknown): Promise<McpResult> => {
    // One server serves the main thread and every subagent; the call's id identifies the session.
    const id = asString(asObject(asObject(extra)._meta)["claudecode/toolUseId"]);
    const scope = scopes.holding(id) ?? scopes.main;
    const { text, isError } = await runOwnTool(scope.session, name, args);
    return { content: [textBlock(text)], isError };
  };
  return sdk.tool(name, description, shape as never, run, { annotations: { readOnlyHint: access === "read" } });
}
