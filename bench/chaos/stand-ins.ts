import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ModelRequest, type ScriptedReply, startModelServer } from "../../src/testing/test/model-server/index.ts";
import type { ModelCall, ToolRun } from "./records.ts";

/** Marks of messages and directives in texts: `[c12-m3]`, `(D7)`. */
export const messageMark = (message: string): string => `[${message}]`;
export const directiveMark = (directive: string): string => `(${directive})`;
const MESSAGE = /\[(c\d+-m\d+)\]/g;
const DIRECTIVE = /\((D\d+)\)/g;

export type ModelStandIn = {
  readonly url: string;
  readonly calls: readonly ModelCall[];
  /** Turns in which the named replica waits for the model right now. */
  pending(replica: string): number;
  close(): Promise<void>;
};

/**
 * A model server with OpenAI's protocol. It asks for the tool once per message, then answers. `delay` is the thinking
 * time of a request in ms.
 */
export async function startModel(now: () => number, delay: () => number): Promise<ModelStandIn> {
  const calls: ModelCall[] = [];
  const pending = new Map<string, number>();
  const change = (replica: string, by: number) => pending.set(replica, (pending.get(replica) ?? 0) + by);
  const server = await startModelServer({
    async script(request) {
      const call = readCall(request, now());
      if (call === undefined) return { text: "no message of the suite" };
      calls.push(call);
      // Only our short record is kept: whole requests of a long run would fill the memory.
      (server.requests as ModelRequest[]).length = 0;
      change(call.replica, 1);
      await sleep(delay());
      change(call.replica, -1);
      return replyTo(request, call);
    },
  });
  return {
    url: server.openaiUrl,
    calls,
    pending: (replica) => pending.get(replica) ?? 0,
    close: () => server.close(),
  };
}

/** Reads a request as the record of the checker; `undefined` for one without a message of ours. */
function readCall({ history, system, headers }: ModelRequest, at: number): ModelCall | undefined {
  const marked = history.flatMap((item, place) =>
    item.kind === "text" && item.role === "user"
      ? [...item.text.matchAll(MESSAGE)].map(([, message = ""]) => ({ message, place }))
      : [],
  );
  const last = marked.pop();
  if (last === undefined) return undefined;
  const earlier = marked.map(({ message }) => message).filter((message) => message !== last.message);
  return {
    at,
    replica: /^Bearer (.*)$/i.exec(headers.authorization ?? "")?.[1] ?? "unknown",
    message: last.message,
    step: history.slice(last.place).filter(({ kind }) => kind === "result").length,
    earlier: earlier.filter((message, nth) => message !== earlier[nth - 1]),
    directives: [...new Set([...system.matchAll(DIRECTIVE)].map(([, id = ""]) => id))],
  };
}

function replyTo({ toolNames }: ModelRequest, { step, message }: ModelCall): ScriptedReply {
  const tool = toolNames.find((name) => name.endsWith("append"));
  if (step > 0 || tool === undefined) return { text: `Done ${messageMark(message)}.` };
  return { calls: [{ name: tool, input: { message } }] };
}

export type ToolStandIn = {
  readonly url: string;
  /** Reads its log file. */
  runs(): readonly ToolRun[];
  close(): Promise<void>;
};

/** An MCP server over HTTP with one tool, whose side effect is a line in a file. */
export async function startTool(file: string, now: () => number, delay: () => number): Promise<ToolStandIn> {
  writeFileSync(file, "");
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.method !== "POST") return void outgoing.writeHead(405).end();
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const { id, method, params = {} } = JSON.parse(Buffer.concat(parts).toString());
    // Notifications have no id.
    if (id === undefined) return void outgoing.writeHead(202).end();
    if (method === "tools/call") {
      const run: ToolRun = { at: now(), message: String(params.arguments?.message) };
      appendFileSync(file, `${JSON.stringify(run)}\n`);
      await sleep(delay());
    }
    const result = resultOf(method, params);
    const error = { code: -32601, message: `there is no method '${method}' here` };
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    runs: () =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as ToolRun),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const APPEND = {
  name: "append",
  description: "Appends a message to the log.",
  inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
};

function resultOf(method: string, { protocolVersion = "2025-11-25" }: { readonly protocolVersion?: string }) {
  switch (method) {
    case "initialize":
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "log", version: "1" } };
    case "ping":
      return {};
    case "tools/list":
      return { tools: [APPEND] };
    case "tools/call":
      return { content: [{ type: "text", text: "appended" }] };
    default:
      return undefined;
  }
}
