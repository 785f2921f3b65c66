import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pipe } from "../../src/edge/adapters/shared/mcp/pipe.ts";
import { startServer } from "../../src/edge/adapters/shared/mcp/pipe.ts";

/** Records what real servers answer to `tools/call`, for the tests of the adapter: `node compat/mcp/record.ts`. */
const INTO = join(import.meta.dirname, "../../src/edge/adapters/mcp/recorded");
const BIN = join(import.meta.dirname, "node_modules/.bin");

const folder = await mkdtemp(join(tmpdir(), "conduct-mcp-"));
await writeFile(join(folder, "a.txt"), "one\ntwo\n");

const CALLS = [
  { server: "everything", name: "echo", arguments: { message: "hi" } },
  { server: "everything", name: "get-structured-content", arguments: { location: "Chicago" } },
  { server: "everything", name: "get-tiny-image", arguments: {} },
  { server: "everything", name: "get-annotated-message", arguments: { messageType: "error", includeImage: true } },
  { server: "everything", name: "get-resource-reference", arguments: { resourceType: "Text", resourceId: 1 } },
  {
    server: "everything",
    name: "get-resource-reference",
    as: "get-blob",
    arguments: { resourceType: "Blob", resourceId: 2 },
  },
  { server: "everything", name: "get-resource-links", arguments: { count: 2 } },
  { server: "everything", name: "no-such-tool", arguments: {} },
  { server: "filesystem", name: "read_text_file", arguments: { path: join(folder, "a.txt") } },
  { server: "filesystem", name: "read_text_file", as: "read-outside", arguments: { path: "/etc/hostname" } },
  { server: "filesystem", name: "list_directory", arguments: { path: folder } },
] as const;

const SERVERS = {
  everything: [join(BIN, "mcp-server-everything"), "stdio"],
  filesystem: [join(BIN, "mcp-server-filesystem"), folder],
};

/** One answer at a time. */
function asker(pipe: Pipe): (message: object) => Promise<string> {
  let heard: (line: string) => void = () => undefined;
  pipe.listen({
    message: (line) => {
      const text = line.toString();
      if (/"(?:result|error)":/.test(text) && !/"method":/.test(text)) heard(text);
    },
    end: () => undefined,
    drained: () => undefined,
  });
  return (message) =>
    new Promise((resolve) => {
      heard = resolve;
      pipe.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
    });
}

await mkdir(INTO, { recursive: true });
for (const [server, command] of Object.entries(SERVERS)) {
  const pipe = await startServer(command, process.env, folder);
  const ask = asker(pipe);
  const clientInfo = { name: "recorder", version: "1" };
  await ask({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  pipe.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  for (const call of CALLS.filter((one) => one.server === server)) {
    const params = { name: call.name, arguments: call.arguments };
    const answer = await ask({ id: 1, method: "tools/call", params });
    const name = "as" in call ? call.as : call.name;
    await writeFile(join(INTO, `${server}-${name}.json`), `${answer.replaceAll(folder, "/work")}\n`);
  }
  await pipe.close();
}
await rm(folder, { recursive: true });
