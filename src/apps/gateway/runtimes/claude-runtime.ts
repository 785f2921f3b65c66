import { errorText } from "../../../base/kernel/error-text.ts";
import type { Agent } from "../../../base/words/hosting/agent.ts";
import type { Part } from "../../../base/words/result.ts";
import { conductQuery } from "../../../edge/adapters/claude/adapter.ts";
import type { ClaudeOptions, ClaudeSdk, UserMessage } from "../../../edge/adapters/claude/native.ts";
import { toolName } from "../../../edge/adapters/shared/claude/tool-map.ts";
import { OWN_SERVER } from "../../../edge/adapters/shared/own-tools.ts";
import type { IncomingMessage } from "../../../engine/session/session-options.ts";
import type { ConductTool } from "../../../engine/tools/conduct-tool.ts";
import { claudeServers, isOfServer, vocabularyName } from "../mcp/server-tools.ts";
import { ClaudeSession } from "./claude-session.ts";
import { type ClaudeMessage, ClaudeSilence, ClaudeTurn } from "./claude-turn.ts";
import {
  type HostedEnd,
  type HostedOptions,
  type HostedRuntime,
  type HostedSession,
  recordFailures,
  type TurnOptions,
} from "./hosted.ts";
import { LIMITS, type SteadyLimits, silenceOf } from "./steady-stream.ts";

/** The part of the SDK's module that the gateway uses. `compat/gateway` tests it with the real SDK. */
export type ClaudeModule = ClaudeSdk & {
  query(params: { prompt: AsyncIterable<UserMessage>; options?: QueryOptions }): AsyncIterable<ClaudeMessage>;
};

type QueryOptions = ClaudeOptions & {
  cwd: string;
  settingSources: never[];
  permissionMode: "default";
  allowedTools: string[];
  includePartialMessages: true;
  abortController: AbortController;
};

export type ClaudeRuntimeOptions = {
  /** Environment of Claude Code and its child processes; the necessary part of ours by default. */
  readonly env?: { readonly [name: string]: string | undefined };
  readonly load?: () => Promise<ClaudeModule>;
  readonly limits?: Partial<Pick<SteadyLimits, "idleMs" | "retries">>;
};

const PACKAGE: string = "@anthropic-ai/claude-agent-sdk";
/** The agent's commands get no other variables, because the gateway's environment contains other keys. */
const PASSED =
  /^(?:PATH|HOME|SHELL|USER|LANG|LC_\w+|TZ|TMPDIR|TERM|ANTHROPIC_\w+|CLAUDE_\w+|\w+_PROXY|\w+_proxy|NODE_EXTRA_CA_CERTS|API_TIMEOUT_MS)$/;

/**
 * Runs agents on the Claude Agent SDK, which stores the conversation itself. The transcript contains its id, which the
 * next turn resumes.
 */
export function claudeRuntime({ env, load = loadSdk, limits = {} }: ClaudeRuntimeOptions = {}): HostedRuntime {
  const { idleMs, retries } = { ...LIMITS, ...limits };
  // By default Claude Code retries ten times and waits ten minutes for a request, too long for a person.
  const bounds = { CLAUDE_CODE_MAX_RETRIES: String(retries), API_TIMEOUT_MS: String(idleMs) };
  const given = { ...bounds, ...(env ?? passedOn(process.env)) };
  return recordFailures({ name: "claude", open: async (hosted) => openClaude(hosted, load, given, idleMs) });
}

function openClaude(
  hosted: HostedOptions,
  load: () => Promise<ClaudeModule>,
  env: NonNullable<ClaudeRuntimeOptions["env"]>,
  idleMs: number,
): HostedSession {
  const { agent, workspace, transcript } = hosted;
  const plugins = pluginTools(hosted);
  const conducted = new ClaudeSession(hosted.session, plugins);
  const tools = nativeTools(hosted, plugins);
  let resume = transcript.findLast(({ claude }) => typeof claude === "string")?.claude as string | undefined;
  let running: { readonly input: Input; readonly abort: AbortController; readonly over: Promise<unknown> } | undefined;

  /** Missing requirements fail the turn. They are checked again each time, because they may be met by then. */
  async function prompt(message: IncomingMessage, options: TurnOptions): Promise<HostedEnd> {
    try {
      return await ask(message, options, await load(), modelOf(agent));
    } catch (error) {
      return { status: "failed", text: "", why: errorText(error), notes: [] };
    }
  }

  async function ask(
    message: IncomingMessage,
    turn: TurnOptions,
    sdk: ClaudeModule,
    model: string | undefined,
  ): Promise<HostedEnd> {
    if (turn.signal.aborted) return { status: "cancelled", text: "", notes: [] };
    const abort = new AbortController();
    const cancel = () => abort.abort();
    turn.signal.addEventListener("abort", cancel, { once: true });
    const served = await hosted.servers.tools();
    const { servers, skipped } = claudeServers(sdk, served.tools);
    const offered = served.tools.filter((one) => !skipped.includes(vocabularyName(one)));
    const names = new Map(offered.map((one) => [vocabularyName(one), `mcp__${one.server}__${one.tool.name}`]));
    if (skipped.length > 0) reportMissing(hosted, skipped);
    conducted.begin(message, { names, missing: served.missing });
    const input = new Input(message);
    const seen = new ClaudeTurn(turn);
    const silence = new ClaudeSilence(idleMs, cancel);
    const over = Promise.withResolvers<void>();
    running = { input, abort, over: over.promise };
    const options: QueryOptions = {
      cwd: workspace,
      env: { ...env },
      settingSources: [],
      permissionMode: "default",
      tools,
      // Conduct decides on calls, and gets a person's answer before the runtime would ask.
      allowedTools: [...tools, ...plugins.map(({ name }) => `mcp__${OWN_SERVER}__${name}`), ...names.values()],
      mcpServers: servers,
      includePartialMessages: true,
      abortController: abort,
      model,
      resume,
    };
    try {
      const asked = { prompt: input.messages(), options };
      for await (const sent of conductQuery(asked, conducted.session, { sdk, keepOpen: true })) {
        silence.take(sent);
        seen.take(sent);
        if (sent.type === "result") input.close();
        // Only set after the model has answered. Before that there is nothing to resume.
        if (sent.type === "assistant" && sent.session_id !== undefined && sent.session_id !== resume) {
          resume = sent.session_id;
          await hosted.keep([{ claude: resume }]);
        }
      }
      const end = silence.isOver ? seen.silent(silenceOf(idleMs)) : seen.end(conducted.end);
      return { ...end, unheard: input.takeUnsent() };
    } catch (error) {
      const end = silence.isOver ? seen.silent(silenceOf(idleMs)) : seen.failed(errorText(error));
      return { ...end, unheard: input.takeUnsent() };
    } finally {
      silence.stop();
      turn.signal.removeEventListener("abort", cancel);
      input.close();
      running = undefined;
      over.resolve();
    }
  }

  return {
    prompt,
    steer(message) {
      if (running === undefined || !running.input.say(message)) return false;
      conducted.expect(message);
      return true;
    },
    async close() {
      running?.abort.abort();
      await running?.over;
    },
  };
}

/** Input of a turn: its message and steering messages, until the result arrives. */
class Input {
  readonly #first: IncomingMessage;
  readonly #waiting: IncomingMessage[];
  #closed = false;
  #wake = (): void => undefined;

  constructor(first: IncomingMessage) {
    this.#first = first;
    this.#waiting = [first];
  }

  /** Returns false if the turn has already ended. */
  say(message: IncomingMessage): boolean {
    if (this.#closed) return false;
    this.#waiting.push(message);
    this.#wake();
    return true;
  }

  /** Returns the steering messages that the runtime did not read, and closes the input. */
  takeUnsent(): readonly IncomingMessage[] {
    this.close();
    return this.#waiting.splice(0).filter((message) => message !== this.#first);
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *messages(): AsyncGenerator<UserMessage & { readonly type: "user" }> {
    for (;;) {
      const content = this.#waiting.shift()?.text;
      if (content !== undefined)
        yield { type: "user", parent_tool_use_id: null, message: { role: "user", content } } as never;
      else if (this.#closed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/**
 * Returns the runtime's own tools that the agent declares, and reports other names, because the agent cannot use them.
 */
function nativeTools(hosted: HostedOptions, plugins: readonly ConductTool[]): readonly string[] {
  const { agent } = hosted;
  const named = agent.tools.map(({ name }) => ({ name, native: toolName(name) }));
  const others = named.filter(({ name, native }) => native === name).map(({ name }) => name);
  const missing = others.filter((name) => !isOfServer(agent, name) && !plugins.some((tool) => tool.name === name));
  if (missing.length > 0) reportMissing(hosted, missing);
  return named.filter(({ name, native }) => native !== name).map(({ native }) => native);
}

function reportMissing({ agent, session }: HostedOptions, names: readonly string[]): void {
  const message = `Claude has no tool ${names.map((name) => `'${name}'`).join(", ")}; ${agent.name} runs without it`;
  session.notice({ kind: "fault", fault: { where: `agent ${agent.name}`, code: "tool-not-hosted", message } });
}

/** The plugins' tools that the agent declares. They run in this process, and Conduct decides on their calls. */
function pluginTools({ agent, tools, workspace }: HostedOptions): readonly ConductTool[] {
  const declared = tools.filter(({ name }) => agent.tools.some((tool) => tool.name === name));
  return declared.map((tool) => ({
    ...{ name: tool.name, description: tool.description, inputSchema: tool.parameters, access: "write" as const },
    async run(args) {
      try {
        const answer = await tool.run(args, { workspace });
        const part: Part =
          typeof answer === "string" ? { kind: "text", text: answer } : { kind: "json", value: answer };
        return { outcome: "ok", parts: [part] };
      } catch (error) {
        return { outcome: "failed", parts: [{ kind: "text", text: errorText(error) }] };
      }
    },
  }));
}

function modelOf({ name, model }: Agent): string | undefined {
  if (model === undefined) return undefined;
  if (model.startsWith("anthropic/")) return model.slice("anthropic/".length);
  throw new Error(`${name} has 'runtime: claude', which only runs Anthropic models; '${model}' is none`);
}

function passedOn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
}

async function loadSdk(): Promise<ClaudeModule> {
  try {
    return (await import(PACKAGE)) as ClaudeModule;
  } catch (cause) {
    throw new Error(`'runtime: claude' needs the package ${PACKAGE}; install it: npm install ${PACKAGE}`, { cause });
  }
}
