import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CONDUCT, mcpPlace } from "../../src/apps/cli/test/mcp-test-client.ts";
import type { Steady, SteadyOptions } from "../steady.ts";
import { probedEnv } from "../steady-processes.ts";

const SERVER = [join(import.meta.dirname, "node_modules/.bin/mcp-server-everything"), "stdio"];

/** The everything server, alone or behind `conduct mcp proxy`: a call is one of its tool `echo`. */
export async function openSteady({ calls, under }: SteadyOptions): Promise<Steady> {
  const place = mcpPlace();
  const [command = "", ...args] =
    under === "conduct" ? [process.execPath, CONDUCT, "mcp", "proxy", "--name", "everything", "--", ...SERVER] : SERVER;
  const env = { ...place.env, ...(probedEnv as Record<string, string>) };
  const transport = new StdioClientTransport({ command, args, env, cwd: place.workspace, stderr: "ignore" });
  const client = new Client({ name: "steady", version: "1" });
  await client.connect(transport);
  const name = under === "conduct" ? "conduct mcp proxy" : "server";
  let made = 0;
  return {
    processes: [{ name, pid: transport.pid ?? 0, probed: true }],
    async turn() {
      const from = performance.now();
      for (let at = 0; at < calls; at += 1) {
        // Ever new: nobody tells a proxy that a turn is over, and the same calls again and again are a loop.
        made += 1;
        const { isError, content } = await client.callTool({ name: "echo", arguments: { message: `hello ${made}` } });
        if (isError === true) throw new Error(`the call failed: ${JSON.stringify(content)}`);
      }
      return performance.now() - from;
    },
    async close() {
      await client.close();
      place.remove();
    },
  };
}
