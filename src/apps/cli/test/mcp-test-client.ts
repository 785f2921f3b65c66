import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, type ClientCapabilities } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { type Protocol, speaking } from "../../../edge/adapters/shared/test/stream-client.ts";

export const CONDUCT = join(import.meta.dirname, "../conduct.mjs");

export type McpPlace = {
  readonly home: string;
  readonly workspace: string;
  readonly env: Record<string, string>;
  /** The program to start; the sources by default. */
  readonly program?: string;
  remove(): void;
};

export function mcpPlace(config?: string): McpPlace {
  const folder = mkdtempSync(join(tmpdir(), "conduct-mcp-"));
  const [home, workspace] = [join(folder, "home"), join(folder, "work")];
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(workspace);
  if (config !== undefined) writeFileSync(join(home, "conduct.yaml"), config);
  return {
    home,
    workspace,
    env: { PATH: process.env.PATH ?? "", HOME: folder, CONDUCT_HOME: home },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** The SDK's client, connected to its own `conduct mcp …`. `logs` is the stderr of that process. */
export async function mcpClient(
  place: McpPlace,
  args: readonly string[],
  {
    capabilities = {},
    prepare,
    protocol,
  }: {
    readonly capabilities?: ClientCapabilities;
    readonly prepare?: (client: Client) => void;
    readonly protocol?: Protocol;
  } = {},
) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [place.program ?? CONDUCT, "mcp", ...args],
    env: place.env,
    cwd: place.workspace,
    stderr: "pipe",
  });
  let logs = "";
  transport.stderr?.on("data", (chunk) => {
    logs += chunk;
  });
  const client = new Client({ name: "test", version: "1" }, { capabilities, ...speaking(protocol) });
  prepare?.(client);
  await client.connect(transport);
  return { client, logs: () => logs, call: caller(client), pid: transport.pid };
}

/** Calls a tool and returns the texts of its result. */
export function caller(client: Client) {
  return async (name: string, args: { [name: string]: unknown } = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const content = result.content as readonly { readonly text?: string }[];
    return { text: content.map(({ text }) => text).join("\n"), failed: result.isError === true, result };
  };
}
