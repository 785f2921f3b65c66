import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";

/** A test server with tools of every kind. Runs over stdio, or with `--http` on a free port, which it prints. */
export const KINDS = import.meta.filename;

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

function makeServer(): McpServer {
  const taskStore = new InMemoryTaskStore();
  const server = new McpServer(
    { name: "kinds", version: "1.0.0" },
    {
      capabilities: { logging: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      instructions: "A server for tests.",
      taskStore,
    },
  );
  const ran: string[] = [];
  server.registerTool("echo", { inputSchema: { text: z.string() } }, async ({ text: said }) => {
    ran.push(said);
    return text(said);
  });
  server.registerTool("ran", {}, async () => text(JSON.stringify(ran)));
  server.registerTool("lines", { inputSchema: { count: z.number() } }, async ({ count }) =>
    text(Array.from({ length: count }, (_, at) => `line ${at}: ${"lorem ipsum ".repeat(4)}`).join("\n")),
  );
  server.registerTool("fail", {}, async () => ({ ...text("it failed"), isError: true }));
  server.registerTool("throw", {}, async () => {
    throw new Error("thrown by the tool");
  });
  server.registerTool(
    "table",
    {
      inputSchema: { rows: z.number() },
      outputSchema: { rows: z.array(z.object({ id: z.number(), name: z.string() })) },
    },
    async ({ rows }) => {
      const structuredContent = {
        rows: Array.from({ length: rows }, (_, id) => ({ id, name: `row ${id} `.repeat(5) })),
      };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
  );
  server.registerTool("requires", { inputSchema: { names: z.array(z.string()) } }, async ({ names }) => ({
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
  server.registerTool("slow", { inputSchema: { steps: z.number() } }, async ({ steps }, extra) => {
    const progressToken = extra._meta?.progressToken;
    for (let progress = 1; progress <= steps && !extra.signal.aborted; progress++) {
      if (progressToken !== undefined) {
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress, total: steps },
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return text(extra.signal.aborted ? "aborted" : "done");
  });
  const tell = (data: string) => server.server.sendLoggingMessage({ level: "error", data });
  server.registerTool("forever", {}, async (extra) => {
    await tell("forever began");
    await new Promise((resolve) => extra.signal.addEventListener("abort", resolve));
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
  server.experimental.tasks.registerToolTask(
    "task",
    { inputSchema: { count: z.number() }, execution: { taskSupport: "optional" } },
    {
      async createTask({ count }, { taskStore: store }) {
        const task = await store.createTask({ ttl: 60_000 });
        setTimeout(() => void store.storeTaskResult(task.taskId, "completed", text("word ".repeat(count))), 5);
        return { task };
      },
      getTask: async (_args, { taskId, taskStore: store }) => store.getTask(taskId),
      getTaskResult: async (_args, { taskId, taskStore: store }) =>
        (await store.getTaskResult(taskId)) as ReturnType<typeof text>,
    },
  );
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
  server.registerPrompt("greet", { argsSchema: { who: z.string() } }, ({ who }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${who}.` } }],
  }));
  return server;
}

async function serveHttp(): Promise<void> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    if (request.headers.authorization !== "Bearer of-the-test") return void response.writeHead(401).end();
    const known = transports.get(String(request.headers["mcp-session-id"]));
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => void transports.set(id, transport),
      });
    if (known === undefined) await makeServer().connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1", () => {
    process.stdout.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`);
  });
}

if (process.argv[1] === KINDS) {
  if (process.argv.includes("--http")) await serveHttp();
  else {
    process.stdin.on("end", () => process.exit(0));
    await makeServer().connect(new StdioServerTransport());
  }
}
