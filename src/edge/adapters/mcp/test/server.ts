import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { serve } from "@hono/node-server";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport as SessionTransport,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** A test server with tools of every kind. Runs over stdio, or with `--http` on a free port, which it prints. */
export const KINDS = import.meta.filename;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

function makeServer(): McpServer {
  const server = new McpServer(
    { name: "kinds", version: "1.0.0" },
    {
      capabilities: { logging: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      instructions: "A server for tests.",
    },
  );
  const ran: string[] = [];
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, async ({ text: said }) => {
    ran.push(said);
    return text(said);
  });
  const region = z.string().meta({ "x-mcp-header": "Region" });
  server.registerTool("routed", { inputSchema: z.object({ region }) }, async (given) => text(given.region));
  server.registerTool("ran", {}, async () => text(JSON.stringify(ran)));
  server.registerTool("lines", { inputSchema: z.object({ count: z.number() }) }, async ({ count }) =>
    text(Array.from({ length: count }, (_, at) => `line ${at}: ${"lorem ipsum ".repeat(4)}`).join("\n")),
  );
  server.registerTool("fail", {}, async () => ({ ...text("it failed"), isError: true }));
  server.registerTool("throw", {}, async () => {
    throw new Error("thrown by the tool");
  });
  server.registerTool(
    "table",
    {
      inputSchema: z.object({ rows: z.number() }),
      outputSchema: z.object({ rows: z.array(z.object({ id: z.number(), name: z.string() })) }),
    },
    async ({ rows }) => {
      const structuredContent = {
        rows: Array.from({ length: rows }, (_, id) => ({ id, name: `row ${id} `.repeat(5) })),
      };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
  );
  server.registerTool("requires", { inputSchema: z.object({ names: z.array(z.string()) }) }, async ({ names }) => ({
    ...text("done"),
    structuredContent: { state: "open", __directives: { requireBeforeNext: names } },
  }));
  server.registerTool("media", {}, async () => ({
    content: [
      { type: "text", text: "a pixel, a sound, two files, a link" },
      { type: "image", data: PIXEL, mimeType: "image/png" },
      { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "a file's text" } },
      { type: "resource", resource: { uri: "file:///b.bin", mimeType: "application/octet-stream", blob: "AAEC" } },
      { type: "resource_link", uri: "file:///c.txt", name: "c" },
    ],
  }));
  server.registerTool("slow", { inputSchema: z.object({ steps: z.number() }) }, async ({ steps }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= steps && !mcpReq.signal.aborted; progress++) {
      if (progressToken !== undefined) {
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: steps },
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return text(mcpReq.signal.aborted ? "aborted" : "done");
  });
  const tell = (data: string) => server.server.sendLoggingMessage({ level: "error", data });
  server.registerTool("forever", {}, async ({ mcpReq }) => {
    await tell("forever began");
    await new Promise((resolve) => mcpReq.signal.addEventListener("abort", resolve));
    await tell("forever was cancelled");
    return text("cancelled");
  });
  server.registerTool("asks_client", {}, async () => {
    const { roots } = await server.server.listRoots();
    const sampled = await server.server.createMessage({
      messages: [{ role: "user", content: { type: "text", text: "say hi" } }],
      maxTokens: 10,
    });
    const form = await server.server.elicitInput({
      message: "your name?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    });
    await server.server.sendLoggingMessage({ level: "info", data: "asked" });
    return text(JSON.stringify({ roots, sampled: sampled.content, form: form.content }));
  });
  server.registerTool("grow", {}, async () => {
    server.registerTool("grown", {}, async () => text("new"));
    return text("grown");
  });
  server.registerTool("crash", {}, () => process.exit(3));
  server.registerTool("form", {}, async ({ mcpReq }) => {
    const given = acceptedContent(mcpReq.inputResponses, "name", z.object({ name: z.string() }));
    if (given !== undefined) {
      ran.push(given.name);
      return text(given.name);
    }
    const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
    return inputRequired({
      inputRequests: { name: inputRequired.elicit({ message: "your name?", requestedSchema }) },
      requestState: "asked",
    });
  });
  server.registerResource("readme", "kinds://readme", {}, async () => ({
    contents: [{ uri: "kinds://readme", text: "read me" }],
  }));
  const template = new ResourceTemplate("kinds://note/{id}", {
    list: undefined,
    complete: { id: (value) => [`${value}1`, `${value}2`] },
  });
  server.registerResource("note", template, {}, async ({ href }) => ({
    contents: [{ uri: href, text: `note ${href}` }],
  }));
  server.registerPrompt("greet", { argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${who}.` } }],
  }));
  return server;
}

/** Serves sessions, and requests without one. */
function serveHttp(): void {
  const sessions = new Map<string, SessionTransport>();
  const stateless = createMcpHandler(makeServer);
  async function answer(request: Request): Promise<Response> {
    if (request.headers.get("authorization") !== "Bearer of-the-test") return new Response("", { status: 401 });
    if (request.headers.get("mcp-protocol-version") === "2026-07-28") return stateless.fetch(request);
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) return known.handleRequest(request);
    const made: SessionTransport = new SessionTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, made),
    });
    await makeServer().connect(made);
    return made.handleRequest(request);
  }
  serve({ fetch: answer, hostname: "127.0.0.1", port: 0 }, ({ port }) =>
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`),
  );
}

/** The tool `task`, which the SDK cannot serve: it answers with a task, as the protocol of the call has it. */
function serveTasks(): PassThrough {
  const rest = new PassThrough();
  const counts = new Map<string, number>();
  createInterface(process.stdin)
    .on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const result = taskResult(method, params ?? {});
      if (result === undefined) rest.write(`${line}\n`);
      else process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    })
    .on("close", () => process.exit(0));
  function taskResult(method: string, { name, taskId, arguments: args, task }: TaskParams): object | undefined {
    const words = () => text("word ".repeat(counts.get(taskId) ?? 0));
    const state = { taskId, ttlMs: 60_000, createdAt: "2026-07-28T00:00:00Z", lastUpdatedAt: "2026-07-28T00:00:00Z" };
    if (method === "tasks/result") return words();
    if (method === "tasks/get") return { resultType: "complete", ...state, status: "completed", result: words() };
    if (method !== "tools/call" || name !== "task") return undefined;
    const made = { ...state, taskId: `t${counts.size}`, status: "working" };
    counts.set(made.taskId, args.count);
    return task === undefined ? { resultType: "task", ...made } : { task: { ...made, ttl: 60_000 } };
  }
  return rest;
}

type TaskParams = {
  readonly name: string;
  readonly taskId: string;
  readonly arguments: { readonly count: number };
  readonly task?: object;
};

if (process.argv[1] === KINDS) {
  if (process.argv.includes("--http")) serveHttp();
  else serveStdio(makeServer, { transport: new StdioServerTransport(serveTasks()) });
}
