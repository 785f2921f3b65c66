import { isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";

/** The name that Conduct's own server goes by: no other may have it. */
export const OWN_SERVER = "conduct";

/** A call as an MCP client makes it. */
export type McpCall = { readonly name: string; readonly arguments: JsonObject };

/** What a `tools/call` asks for, or why it cannot be told. Left-out arguments are none. */
export function readCall(params: JsonObject): McpCall | { readonly fault: string } {
  const { name } = params;
  const args = params.arguments ?? {};
  if (typeof name !== "string" || name === "") return { fault: "tools/call needs the name of a tool" };
  return isObject(args) ? { name, arguments: args } : { fault: `the arguments of '${name}' are not an object` };
}

/** A call to a proxied server in Conduct's vocabulary. The server's name is the operator's word, never the server's own. */
export function mapCall(server: string, call: McpCall, id: string): CallInput {
  const { name, arguments: args } = call;
  return { id, tool: `${server}/${name}`, args, native: { runtime: "mcp", server, name, input: args } };
}

/** A call to one of Conduct's own tools, which go by their plain names everywhere. */
export function mapOwnCall(call: McpCall, id: string): CallInput {
  const { name, arguments: args } = call;
  return { id, tool: name, args, native: { runtime: "mcp", server: OWN_SERVER, name, input: args } };
}

/** Programs that only start another one, which is what the server is named after. */
const LAUNCHERS = /^(npx|npm|node|bun|bunx|deno|uv|uvx|pipx|python[\d.]*|docker|podman|env|sh|bash|exec|run|-.*)$/;

/** What a server is called where the operator does not say: its host, or the program that is run. */
export function serverName(target: { readonly url: URL } | { readonly command: readonly string[] }): string {
  if ("url" in target) return cleanName(target.url.hostname);
  const words = target.command.map((word) => word.split(/[\\/]/).at(-1) ?? word);
  const program = words.find((word) => !LAUNCHERS.test(word) && !word.includes("=")) ?? words[0] ?? "";
  return cleanName(program.replace(/\.[cm]?[jt]s$|\.py$|\.exe$|(?<=.)@[^@]*$/, ""));
}

/** As rules write it: no `/`, nothing that has to be quoted. */
export function cleanName(name: string): string {
  return name.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
}

/** Conduct's `read_result`, as a server declares it. */
export const READ_RESULT = "read_result";

/** Conduct's tools as MCP declares tools. Nothing is destroyed by them: notes are added, a change of instructions can be undone. */
export function declareTools(
  tools: readonly { name: string; description: string; inputSchema: JsonObject; access: "read" | "write" }[],
): readonly JsonObject[] {
  return tools.map(({ name, description, inputSchema, access }) => ({
    name,
    description,
    inputSchema,
    annotations: { readOnlyHint: access === "read", destructiveHint: false, openWorldHint: false },
  }));
}

/** The one tool that a proxy adds to a server's own. */
export const READ_RESULT_TOOL = declareTools(CONDUCT_TOOLS.filter(({ name }) => name === READ_RESULT));
