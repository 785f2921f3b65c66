import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type McpPlace, mcpClient, mcpPlace } from "../../src/apps/cli/test/mcp-test-client.ts";
import { KINDS } from "../../src/edge/adapters/mcp/test/server.ts";
import { PROTOCOLS } from "../../src/edge/adapters/shared/test/stream-client.ts";
import { PACKAGE_VARIABLE } from "../shipped/install.ts";

const BIN = join(import.meta.dirname, "node_modules/.bin");
const CONFIG = `agents:
  helper:
    tools:
      - { name: files/write_file, paths: { path: write } }
      - { name: files/read_text_file, paths: { path: read } }
    rules:
      - id: read-first
        on: files/write_file
        require: { call: files/read_text_file, same: { path: path }, fresh: true }
        unless: "!fileExists(args.path)"
    limits: { window: 8_000 }
`;

let place: McpPlace;
let folder: string;
beforeEach(() => {
  place = { ...mcpPlace(CONFIG), program: join(process.env[PACKAGE_VARIABLE] ?? "", "dist/conduct.mjs") };
  folder = mkdtempSync(join(tmpdir(), "conduct-files-"));
});
afterEach(() => {
  place.remove();
  rmSync(folder, { recursive: true, force: true });
});

const RULES = `agents:
  helper:
    rules:
      - { id: echo-first, on: kinds/media, require: { call: kinds/echo } }
      - { id: once, on: kinds/form, atMost: { count: 1 } }
      - { id: person, on: kinds/grow, effect: ask, require: { call: kinds/never }, say: "Grow?" }
      - { id: task-first, on: kinds/fail, require: { call: kinds/task } }
    limits: { window: 8_000 }
`;

/** The installed program guards the servers, as in an editor's configuration. */
describe("servers that people use, through the proxy", () => {
  it("MZ-1 the filesystem server writes a file only after it was read, and a long file comes in pages", async () => {
    const inside = { ...place, workspace: folder };
    const server = ["--", join(BIN, "mcp-server-filesystem"), folder];
    const { client, call } = await mcpClient(inside, ["proxy", "--name", "files", ...server]);
    const path = join(folder, "a.txt");
    writeFileSync(path, "old\n");
    writeFileSync(join(folder, "long.txt"), "a line of a long file\n".repeat(20_000));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_result");
    expect((await call("write_file", { path, content: "new\n" })).text).toContain("Denied by read-first");
    expect(readFileSync(path, "utf8")).toBe("old\n");
    expect((await call("read_text_file", { path })).text).toBe("old\n");
    expect(await call("write_file", { path, content: "new\n" })).toMatchObject({ failed: false });
    expect(readFileSync(path, "utf8")).toBe("new\n");
    const long = await call("read_text_file", { path: join(folder, "long.txt") });
    expect(long.text).toContain("Output truncated");
    // This server repeats the text as a field, which the client checks against the tool's schema.
    expect(long.result.structuredContent).toEqual({ content: long.text });
    const [, handle, offset] = /"handle":"([^"]+)","offset":(\d+)/.exec(long.text) ?? [];
    expect((await call("read_result", { handle, offset: Number(offset) })).text).toContain("a line of a long file");
    await client.close();
  });

  it("MZ-2 the everything server lists and returns the same through the proxy as without it", async () => {
    const server = [join(BIN, "mcp-server-everything"), "stdio"];
    const through = await mcpClient(place, ["proxy", "--name", "everything", "--", ...server]);
    const { tools } = await through.client.listTools();
    expect(tools.length).toBeGreaterThan(10);
    expect((await through.call("echo", { message: "hi" })).text).toBe("Echo: hi");
    expect(
      (await through.call("get-structured-content", { location: "Chicago" })).result.structuredContent,
    ).toBeDefined();
    const image = (await through.call("get-tiny-image")).result.content as readonly { readonly type: string }[];
    expect(image.map(({ type }) => type)).toContain("image");
    expect((await through.client.listResources()).resources.length).toBeGreaterThan(0);
    expect((await through.client.listPrompts()).prompts.length).toBeGreaterThan(0);
    await through.client.close();
  });

  it("MZ-3 a tool that nobody declared is gated by the rules on file tools", async () => {
    place.remove();
    const config =
      "agents:\n  helper:\n    policies: [{ readBeforeWrite: {} }]\n    rules: [{ id: no-moves, on: files.move }]\n";
    place = { ...mcpPlace(config), program: place.program };
    const server = ["--", join(BIN, "mcp-server-filesystem"), folder];
    const { client, call } = await mcpClient({ ...place, workspace: folder }, ["proxy", "--name", "disk", ...server]);
    const path = join(folder, "a.txt");
    writeFileSync(path, "old\n");
    const edit = { path, edits: [{ oldText: "old", newText: "new" }] };
    expect((await call("edit_file", edit)).text).toContain("must be read before overwriting");
    expect((await call("read_text_file", { path })).text).toBe("old\n");
    expect(await call("edit_file", edit)).toMatchObject({ failed: false });
    expect(readFileSync(path, "utf8")).toBe("new\n");
    const move = { source: path, destination: join(folder, "b.txt") };
    expect((await call("move_file", move)).text).toContain("Denied by no-moves");
    await client.close();
  });
});

/** Client and server of the SDK, version 2, with the installed program between them or as the server. */
describe.each(PROTOCOLS)("the SDK's client and server, protocol %s", (protocol) => {
  const forms: string[] = [];
  const guarded = (): Promise<McpClient> => {
    place.remove();
    place = { ...mcpPlace(RULES), program: place.program };
    const server = ["--", process.execPath, KINDS];
    return mcpClient(place, ["proxy", "--name", "kinds", ...server], {
      protocol,
      capabilities: { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } },
      prepare(client) {
        client.setRequestHandler("elicitation/create", ({ params }) => {
          forms.push(params.message);
          const content = { answer: "yes", name: "Ann" };
          return { action: "accept", content };
        });
      },
    });
  };

  it("MZ-4 the model reads why a call is denied, a person is asked, and a call that needs input counts once", async () => {
    forms.length = 0;
    const { client, call } = await guarded();
    expect(client.getServerVersion()?.name).toBe("kinds");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_result");
    expect(await call("media")).toMatchObject({ failed: true, text: expect.stringContaining("Denied by echo-first") });
    await call("echo", { text: "hi" });
    expect(await call("media")).toMatchObject({ failed: false });
    expect((await call("grow")).text).toBe("grown");
    expect((await call("form")).text).toBe("Ann");
    expect(await call("form")).toMatchObject({ failed: true, text: expect.stringContaining("Denied by once") });
    expect(forms).toEqual([expect.stringContaining("Grow?"), "your name?"]);
    await client.close();
  });

  it("MZ-6 conduct mcp serves its own tools", async () => {
    const { client, call } = await mcpClient(place, [], { protocol });
    expect(client.getServerVersion()?.name).toBe("conduct");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("save_memory");
    expect(await call("initial_instructions")).toMatchObject({ failed: false });
    await client.close();
  });
});

/** The SDK's client knows no tasks in 2026-07-28, so this client writes its messages itself. */
it("MZ-5 without a handshake the result of a task is shortened, and is evidence", async () => {
  place.remove();
  place = { ...mcpPlace(RULES), program: place.program };
  const args = [place.program ?? "", "mcp", "proxy", "--name", "kinds", "--", process.execPath, KINDS];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: place.env,
    cwd: place.workspace,
    stderr: "ignore",
  });
  const answers = new Map<string | number, (result: object) => void>();
  transport.onmessage = (message) => {
    if ("result" in message) answers.get(message.id ?? "")?.(message.result);
  };
  await transport.start();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
  };
  const ask = (method: string, params: object) =>
    new Promise<object>((resolve) => {
      const id = `r${answers.size}`;
      answers.set(id, resolve);
      void transport.send({ jsonrpc: "2.0", id, method, params: { _meta, ...params } });
    });
  expect(await ask("server/discover", {})).toMatchObject({ resultType: "complete" });
  const fail = () => ask("tools/call", { name: "fail", arguments: {} });
  expect(JSON.stringify(await fail())).toContain("Denied by task-first");
  const made = await ask("tools/call", { name: "task", arguments: { count: 50_000 } });
  expect(made).toMatchObject({ resultType: "task" });
  const polled = await ask("tasks/get", { taskId: "taskId" in made ? made.taskId : "" });
  expect(polled).toMatchObject({ status: "completed" });
  expect(JSON.stringify(polled)).toContain("Output truncated");
  expect(JSON.stringify(await fail())).toContain("it failed");
  await transport.close();
});

type McpClient = Awaited<ReturnType<typeof mcpClient>>;
