import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type McpPlace, mcpClient, mcpPlace } from "../../src/apps/cli/test/mcp-test-client.ts";

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
  place = mcpPlace(CONFIG);
  folder = mkdtempSync(join(tmpdir(), "conduct-files-"));
});
afterEach(() => {
  place.remove();
  rmSync(folder, { recursive: true, force: true });
});

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
});
