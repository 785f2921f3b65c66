import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Capabilities } from "../src/base/words/hosting/capability.ts";
import type { JsonObject } from "../src/base/words/json.ts";
import { shownText } from "../src/behavior/results/result-text.ts";
import type { GuardOptions } from "../src/edge/adapters/shared/framework/agent-moments.ts";
import { workspaceTools } from "../src/edge/adapters/shared/workspace-tools.ts";
import type { MessageResult } from "../src/engine/moments/message.ts";
import type { SessionMoments } from "../src/engine/session/session-moments.ts";
import {
  type KitOutcome,
  type KitReply,
  type KitRequest,
  type KitRun,
  playKitScript,
} from "../src/testing/kit/driver.ts";
import { type LocalDriver, type LocalRun, localRun } from "../src/testing/kit/local-run.ts";
import {
  type ModelRequest,
  type ModelServer,
  type ScriptedCall,
  type ScriptedMessage,
  startModelServer,
} from "../src/testing/test/model-server/index.ts";
import { FAILING_MS, openKitSession } from "./kit-session.ts";

/** A tool of the kit, to be declared in the framework's own way. A failure throws an error with its exit code. */
export type FrameworkTool = {
  readonly name: string;
  readonly description: string;
  readonly schema: { readonly type: "object"; readonly properties: JsonObject; readonly required: string[] };
  run(args: JsonObject): Promise<unknown>;
};

/** Everything that a framework needs to build one agent. */
export type AgentPlace = {
  readonly session: SessionMoments;
  readonly server: ModelServer;
  readonly model: string;
  readonly tools: readonly FrameworkTool[];
  readonly options: GuardOptions;
};

/** An agent built with a framework, and its conversation. */
export type FrameworkAgent = {
  message(text: string): Promise<MessageResult>;
  /** Runs a turn and returns the answer. */
  run(text: string): Promise<string>;
  /** The conversation so far; it survives JSON. */
  history: unknown[];
};

export type Framework = {
  readonly name: string;
  readonly capabilities: Capabilities;
  build(place: AgentPlace): FrameworkAgent | Promise<FrameworkAgent>;
  /** What is left of a conversation after it was cut. */
  readonly summary: unknown;
};

// Some clients send a thinking effort only to models that they know to reason.
const MAIN = "gpt-5-scripted";
const BELOW = "gpt-5-scripted-below";

/** A framework in this process, with real tools and a scripted model on loopback. */
export function frameworkDriver(framework: Framework): LocalDriver {
  const { name, capabilities } = framework;
  return {
    name,
    capabilities,
    toolName: (tool) => tool,
    run: async (run) => runFramework(await localRun(run), framework),
    runLocal: (run) => runFramework(run, framework),
  };
}

export async function runFramework(run: LocalRun, framework: Framework): Promise<KitOutcome> {
  const root = mkdtempSync(join(tmpdir(), "conduct-framework-"));
  const place = { workspace: join(root, "workspace"), home: join(root, "home") };
  mkdirSync(place.workspace);
  for (const [path, text] of Object.entries(run.files ?? {})) {
    mkdirSync(dirname(join(place.workspace, path)), { recursive: true });
    writeFileSync(join(place.workspace, path), text);
  }
  const player = playKitScript(run.script);
  const server = await startModelServer({
    script: (request) => scripted(player.next(kitRequest(request)) ?? { text: "script exhausted" }),
  });
  await run.before?.(1, place);
  const kit = openKitSession(run, place, () => server.requests.length > 0);
  const mcp = await mcpTools(run.mcpServers);
  const shown: string[] = [];
  try {
    const options = {
      show: (text: string) => shown.push(text),
      ...(run.failing === undefined ? {} : { waitMs: FAILING_MS }),
    };
    const tools = [...fileTools(place.workspace), ...mcp.tools];
    const build = async (history: unknown[]) => {
      const task = taskTool(async (prompt) => {
        const session = await kit.session.child(`below-${server.requests.length}`);
        const below = await framework.build({ session, server, model: BELOW, tools, options });
        await below.message(prompt);
        return below.run(prompt);
      });
      const agent = await framework.build({
        session: kit.session,
        server,
        model: MAIN,
        tools: [...tools, task],
        options,
      });
      agent.history = history;
      return agent;
    };
    let agent = await build([]);
    for (const [at, text] of [run.message, ...(run.further ?? [])].entries()) {
      const step = run.steps?.[at + 1];
      if (step === "compact") {
        agent.history = [framework.summary];
        kit.session.notice({ kind: "compacted" });
      }
      if (step === "resume") {
        const kept = JSON.stringify(agent.history);
        await kit.restart();
        agent = await build(JSON.parse(kept));
      }
      if (at > 0) await run.before?.(at + 1, place);
      await kit.direct(at + 1);
      const heard = await agent.message(text);
      if (heard.reply === undefined) await agent.run(heard.text);
      else shown.push(heard.reply);
    }
    const files = filesIn(place.workspace);
    return {
      requests: server.requests.map(kitRequest),
      events: kit.events,
      shown,
      unplayed: player.unplayed(),
      file: (path) => files.get(path),
    };
  } finally {
    await mcp.close();
    await kit.close();
    await server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

function fileTools(workspace: string): FrameworkTool[] {
  const texts = { read_file: ["path"], write_file: ["path", "content"], shell: ["command"] };
  return Object.entries(workspaceTools(workspace)).map(([name, run]) => {
    const required = texts[name as keyof typeof texts];
    return {
      name,
      description: `The ${name} tool.`,
      schema: schemaOf(required),
      async run(args) {
        const { outcome, parts, exitCode } = await run(args);
        if (outcome !== "ok") throw Object.assign(new Error(shownText(parts)), { exitCode });
        return shownText(parts);
      },
    };
  });
}

function taskTool(run: (prompt: string) => Promise<string>): FrameworkTool {
  return {
    name: "task",
    description: "Gives a task to a subagent.",
    schema: schemaOf(["prompt"]),
    run: ({ prompt }) => run(String(prompt)),
  };
}

function schemaOf(required: string[]): FrameworkTool["schema"] {
  return {
    type: "object",
    properties: Object.fromEntries(required.map((name) => [name, { type: "string" }])),
    required,
  };
}

/** Real servers on stdio. A tool returns the server's own result. */
async function mcpTools(servers: KitRun["mcpServers"] = {}) {
  const clients: Client[] = [];
  const tools: FrameworkTool[] = [];
  for (const [server, { command, args }] of Object.entries(servers)) {
    const client = new Client({ name: "framework", version: "1" });
    await client.connect(new StdioClientTransport({ command, args: [...args] }));
    clients.push(client);
    for (const { name } of (await client.listTools()).tools) {
      tools.push({
        name: `mcp__${server}__${name}`,
        description: `${name} of ${server}`,
        schema: schemaOf(["shelf"]),
        run: (given) => client.callTool({ name, arguments: given }),
      });
    }
  }
  return { tools, close: () => Promise.all(clients.map((client) => client.close())) };
}

function scripted({ text, calls = [], mcpCalls = [], task }: KitReply): ScriptedMessage {
  const all = [
    ...calls.map(({ id, tool, args }) => ({ id, name: tool as string, input: args })),
    ...mcpCalls.map(({ id, server, tool, args }) => ({ id, name: `mcp__${server}__${tool}`, input: args })),
    ...(task === undefined ? [] : [{ id: task.id, name: "task", input: { prompt: task.prompt } }]),
  ];
  return { text, calls: all as ScriptedCall[] };
}

function kitRequest({ raw, system, lastUserText, thinking, results, model }: ModelRequest): KitRequest {
  return {
    raw,
    system,
    lastUserText,
    thinking,
    results: results.map(({ callId, text }) => ({ callId, text })),
    ...(model === BELOW ? { subagent: true } : {}),
  };
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), readFileSync(path, "utf8")];
    }),
  );
}
