import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import * as sdk from "@anthropic-ai/claude-agent-sdk";
import type { ConductEvent } from "../../src/base/words/event.ts";
import { conductQuery, withConduct } from "../../src/edge/adapters/claude/adapter.ts";
import { claudeCapabilities } from "../../src/edge/adapters/claude/capabilities.ts";
import { toolName } from "../../src/edge/adapters/claude/tool-names.ts";
import { openConduct } from "../../src/edge/host/open-conduct.ts";
import type { Session } from "../../src/engine/moments/session.ts";
import type { KitCall, KitOutcome, KitReply, KitRequest, KitRun, RuntimeDriver } from "../../src/testing/kit/driver.ts";
import {
  type ModelRequest,
  type ModelServer,
  type Script,
  type ScriptedCall,
  type ScriptedMessage,
  startModelServer,
} from "../../src/testing/model-server/index.ts";

/** The bytes and, for tests of this runtime alone, the SDK's own messages. */
export type ClaudeOutcome = KitOutcome & {
  readonly messages: readonly sdk.SDKMessage[];
  readonly modelRequests: readonly ModelRequest[];
};

type Content = sdk.SDKUserMessage["message"]["content"];

/** How one run differs from the usual one. */
export type ClaudeRunOptions = {
  readonly options?: sdk.Options;
  /** Instead of the kit's script, for native calls. */
  readonly script?: (workspace: string) => Script;
  readonly prompt?: string | AsyncIterable<sdk.SDKUserMessage>;
  /** A streaming input in its place: each message when the turn before it is over. */
  readonly streamed?: readonly Content[];
  /** The host runs its query itself, with no more of Conduct than its options. */
  readonly withConductAlone?: boolean;
  /** Gets the session before the query starts. */
  readonly prepare?: (session: Session, workspace: string) => void;
};

/** The Claude Agent SDK 0.3 with its bundled CLI, for the conformance kit. */
export function claudeDriver(): RuntimeDriver {
  return { name: "claude", capabilities: claudeCapabilities, toolName, run: (run) => runClaude(run) };
}

/** One run in a workspace, a home and a configuration of its own, on loopback only. */
export async function runClaude(run: KitRun, more: ClaudeRunOptions = {}): Promise<ClaudeOutcome> {
  const root = mkdtempSync(join(tmpdir(), "conduct-claude-"));
  const workspace = join(root, "workspace");
  for (const folder of ["workspace", "home", "config"]) mkdirSync(join(root, folder));
  for (const [path, text] of Object.entries(run.files ?? {})) put(join(workspace, path), text);
  const script = more.script?.(workspace) ?? run.script.map((reply) => say(reply, workspace));
  const server = await startModelServer({ script });
  try {
    const { events, messages } = await play(run, more, root, server);
    const files = new Map(readAll(workspace));
    return {
      requests: server.requests.map(kitRequest),
      modelRequests: server.requests,
      events,
      messages,
      shown: messages.flatMap((one) => (one.type === "system" && one.subtype === "informational" ? [one.content] : [])),
      unplayed: server.remaining,
      file: (path) => files.get(path),
    };
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function play(run: KitRun, more: ClaudeRunOptions, root: string, server: ModelServer) {
  const place = { workspace: join(root, "workspace"), home: join(root, "conduct") };
  const { workspace, home } = place;
  await run.before?.(1, place);
  const conduct = openConduct({ agents: [run.agent], workspace, home, ports: run.ports ?? {} });
  const events: ConductEvent[] = [];
  conduct.subscribe((event) => events.push(event));
  const session = conduct.session({ agent: run.agent.name, ...run.session });
  more.prepare?.(session, workspace);
  const messages: sdk.SDKMessage[] = [];
  const options: sdk.Options = {
    cwd: workspace,
    env: environment(root, server.url),
    settingSources: [],
    permissionMode: "default",
    allowedTools: ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "Agent", "Task"],
    ...more.options,
  };
  const turns =
    more.streamed === undefined ? undefined : turnByTurn(more.streamed, (turn) => run.before?.(turn, place));
  const prompts = [turns?.prompt ?? more.prompt ?? run.message, ...(run.further ?? [])];
  try {
    for (const [at, prompt] of prompts.entries()) {
      if (at > 0) await run.before?.(at + 1, place);
      const resume = messages.at(-1)?.session_id;
      const given = { prompt, options: { ...options, ...(resume === undefined ? {} : { resume }) } };
      const keepOpen = at < prompts.length - 1;
      const stream =
        more.withConductAlone === true
          ? await ownQuery(given, session)
          : conductQuery(given, session, { sdk, keepOpen });
      for await (const message of stream) {
        messages.push(message);
        if (message.type === "result") turns?.over();
      }
    }
  } finally {
    await conduct.close();
  }
  return { events, messages };
}

/** A streaming input that waits for each turn's end. */
function turnByTurn(contents: readonly Content[], before: (turn: number) => unknown) {
  let over = (): void => undefined;
  async function* prompt(): AsyncGenerator<sdk.SDKUserMessage> {
    for (const [at, content] of contents.entries()) {
      if (at > 0) await before(at + 1);
      const ended = new Promise<void>((resolve) => {
        over = resolve;
      });
      yield { type: "user", parent_tool_use_id: null, message: { role: "user", content } };
      await ended;
    }
  }
  return { prompt: prompt(), over: () => over() };
}

async function ownQuery({ prompt, options }: Parameters<typeof sdk.query>[0], session: Session): Promise<sdk.Query> {
  let query: sdk.Query | undefined;
  query = sdk.query({ prompt, options: await withConduct(options ?? {}, session, { sdk, query: () => query }) });
  return query;
}

/** Nothing of this machine's user: own home, own configuration, a model on loopback, and no other traffic. */
function environment(root: string, url: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/bin:/bin",
    SHELL: "/bin/bash",
    HOME: join(root, "home"),
    CLAUDE_CONFIG_DIR: join(root, "config"),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}

function say(reply: KitRun["script"][number], workspace: string) {
  if (typeof reply !== "function") return message(reply, workspace);
  return (request: ModelRequest) => message(reply(kitRequest(request)), workspace);
}

function message({ text, calls }: KitReply, workspace: string): ScriptedMessage {
  return {
    ...(text === undefined ? {} : { text }),
    ...(calls === undefined ? {} : { calls: calls.map((call) => nativeCall(call, workspace)) }),
  };
}

/** The call as Claude's model would make it: files by their absolute path. */
function nativeCall({ id, tool, args }: KitCall, workspace: string): ScriptedCall {
  const file_path = resolve(workspace, String(args.path ?? ""));
  switch (tool) {
    case "read_file":
      return { id, name: "Read", input: { file_path } };
    case "write_file":
      return { id, name: "Write", input: { file_path, content: String(args.content ?? "") } };
    case "shell":
      return { id, name: "Bash", input: { command: String(args.command ?? "") } };
    default:
      return { id, name: toolName(tool), input: JSON.parse(JSON.stringify(args)) };
  }
}

/** What stood beside older messages is no longer told: it is the conversation. */
function kitRequest({ raw, body, history, lastUserText, thinking, results }: ModelRequest): KitRequest {
  const texts = history.flatMap((item) => (item.kind === "text" ? [item] : []));
  const newest = texts.findLast(({ role }) => role === "user")?.message ?? 0;
  const beside = texts.filter(({ role, message }) => role === "system" && message > newest).map(({ text }) => text);
  return {
    raw,
    system: [...systemPrompt(body), ...beside].join("\n\n"),
    lastUserText,
    ...(thinking === undefined ? {} : { thinking }),
    results: results.map(({ callId, text }) => ({ callId, text })),
  };
}

/** The blocks of the system prompt. */
export function systemPrompt({ system }: ModelRequest["body"]): readonly string[] {
  return [system].flat().flatMap((block) => {
    if (typeof block === "string") return [block];
    return typeof block === "object" && block !== null && "text" in block ? [String(block.text)] : [];
  });
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function readAll(folder: string): readonly (readonly [string, string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => [relative(folder, path), readFileSync(path, "utf8")] as const);
}
