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
import { dirname, join, relative } from "node:path";
import * as sdk from "@anthropic-ai/claude-agent-sdk";
import { claudeCapabilities } from "../../src/edge/adapters/capabilities.ts";
import { conductQuery, withConduct } from "../../src/edge/adapters/claude/adapter.ts";
import { toolName } from "../../src/edge/adapters/shared/claude/tool-map.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { type KitOutcome, playKitScript } from "../../src/testing/kit/driver.ts";
import { type LocalDriver, type LocalRun, localRun } from "../../src/testing/kit/local-run.ts";
import {
  type ModelRequest,
  type ModelServer,
  type Script,
  startModelServer,
} from "../../src/testing/test/model-server/index.ts";
import { FAILING_MS, openKitSession } from "../kit-session.ts";
import { kitRequest, nativeMessage } from "./script.ts";

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
export function claudeDriver(): LocalDriver {
  return {
    name: "claude",
    capabilities: claudeCapabilities,
    toolName,
    run: async (run) => runClaude(await localRun(run)),
    runLocal: (run) => runClaude(run),
  };
}

/** One run in a workspace, a home and a configuration of its own, on loopback only. */
export async function runClaude(run: LocalRun, more: ClaudeRunOptions = {}): Promise<ClaudeOutcome> {
  const root = mkdtempSync(join(tmpdir(), "conduct-claude-"));
  const workspace = join(root, "workspace");
  for (const folder of ["workspace", "home", "config"]) mkdirSync(join(root, folder));
  for (const [path, text] of Object.entries(run.files ?? {})) put(join(workspace, path), text);
  const player = playKitScript(run.script);
  const script: Script = (request) =>
    nativeMessage(player.next(kitRequest(request)) ?? { text: "script exhausted" }, workspace);
  const server = await startModelServer({ script: more.script?.(workspace) ?? script });
  try {
    const { events, messages } = await play(run, more, root, server);
    const files = new Map(readAll(workspace));
    return {
      requests: server.requests.map(kitRequest),
      modelRequests: server.requests,
      events,
      messages,
      shown: messages.flatMap((one) => (one.type === "system" && one.subtype === "informational" ? [one.content] : [])),
      unplayed: more.script === undefined ? player.unplayed() : server.remaining,
      file: (path) => files.get(path),
    };
  } finally {
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

async function play(run: LocalRun, more: ClaudeRunOptions, root: string, server: ModelServer) {
  const place = { workspace: join(root, "workspace"), home: join(root, "conduct") };
  await run.before?.(1, place);
  const kit = openKitSession(run, place, () => server.requests.length > 0);
  more.prepare?.(kit.session, place.workspace);
  const messages: sdk.SDKMessage[] = [];
  const options = optionsOf(run, root, server.url);
  const turns =
    more.streamed === undefined ? undefined : turnByTurn(more.streamed, (turn) => run.before?.(turn, place));
  const waiting = run.failing === undefined ? {} : { waitMs: FAILING_MS };
  /** Every message is a process of the runtime's, which resumes the conversation. */
  const say = async (prompt: string | AsyncIterable<sdk.SDKUserMessage>, keepOpen: boolean): Promise<void> => {
    const resume = messages.at(-1)?.session_id;
    const given = { prompt, options: { ...options, ...more.options, ...(resume === undefined ? {} : { resume }) } };
    const stream =
      more.withConductAlone === true
        ? await ownQuery(given, kit.session)
        : conductQuery(given, kit.session, { sdk, keepOpen, ...waiting });
    for await (const message of stream) {
      messages.push(message);
      if (message.type === "result") turns?.over();
    }
  };
  const prompts = [turns?.prompt ?? more.prompt ?? run.message, ...(run.further ?? [])];
  try {
    for (const [at, prompt] of prompts.entries()) {
      const step = run.steps?.[at + 1];
      if (step === "compact") await say("/compact", true);
      if (step === "resume") await kit.restart();
      await kit.direct(at + 1);
      if (at > 0) await run.before?.(at + 1, place);
      await say(prompt, at < prompts.length - 1);
    }
  } finally {
    await kit.close();
  }
  return { events: kit.events, messages };
}

const TOOLS = ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "Agent", "Task"];

/** Nothing of this machine's user, and every tool that a script calls. */
export function optionsOf({ mcpServers = {} }: Pick<LocalRun, "mcpServers">, root: string, url: string): sdk.Options {
  const servers = Object.entries(mcpServers).map(([name, { command, args }]): [string, sdk.McpServerConfig] => [
    name,
    { type: "stdio", command, args: [...args], alwaysLoad: true },
  ]);
  return {
    cwd: join(root, "workspace"),
    env: environment(root, url),
    settingSources: [],
    permissionMode: "default",
    allowedTools: [...TOOLS, ...servers.map(([name]) => `mcp__${name}`)],
    ...(servers.length === 0 ? {} : { mcpServers: Object.fromEntries(servers) }),
  };
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
