import { asList, asObject, isObject } from "../../../base/kernel/json.ts";
import type { CallInput } from "../../../base/words/call.ts";
import type { Json, JsonObject } from "../../../base/words/json.ts";
import { CONDUCT_TOOLS } from "../../../engine/tools/conduct-tool.ts";
import type { McpCall } from "../shared/mcp/own-calls.ts";
import { declareTools } from "../shared/own-tools.ts";

/** Reads a `tools/call`, or returns why it cannot be read. Arguments are optional. */
export function readCall(params: JsonObject): McpCall | { readonly fault: string } {
  const { name } = params;
  const args = params.arguments ?? {};
  if (typeof name !== "string" || name === "") return { fault: "tools/call needs the name of a tool" };
  return isObject(args) ? { name, arguments: args } : { fault: `the arguments of '${name}' are not an object` };
}

/** A call of a proxied server in Conduct's vocabulary. The operator names the server, never the server itself. */
export function mapCall(server: string, call: McpCall, id: string): CallInput {
  const { name, arguments: args } = call;
  return { id, tool: `${server}/${name}`, args, native: { runtime: "mcp", server, name, input: args } };
}

/** Programs that only start another one; the server's name follows them. */
const LAUNCHERS = /^(npx|npm|node|bun|bunx|deno|uv|uvx|pipx|python[\d.]*|docker|podman|env|sh|bash|exec|run|-.*)$/;

/** The default name of a server: its host, or its program. */
export function serverName(target: { readonly url: URL } | { readonly command: readonly string[] }): string {
  if ("url" in target) return cleanName(target.url.hostname);
  const words = target.command.map((word) => word.split(/[\\/]/).at(-1) ?? word);
  const program = words.find((word) => !LAUNCHERS.test(word) && !word.includes("=")) ?? words[0] ?? "";
  return cleanName(program.replace(/\.[cm]?[jt]s$|\.py$|\.exe$|(?<=.)@[^@]*$/, ""));
}

/** A name for rules: no `/`, and no character that needs quoting. */
export function cleanName(name: string): string {
  return name.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "");
}

export const READ_RESULT = "read_result";

const READ_RESULT_TOOL = declareTools(CONDUCT_TOOLS.filter(({ name }) => name === READ_RESULT));

export function listedNames(response: JsonObject): readonly string[] {
  return asList(asObject(response.result).tools).flatMap((tool) =>
    isObject(tool) && typeof tool.name === "string" ? [tool.name] : [],
  );
}

/** Appends Conduct's `read_result` to the last page of a server's tools, unless the server has a tool of that name. */
export function withReadResult(exact: JsonObject, taken: ReadonlySet<string>): JsonObject | undefined {
  const { result } = exact;
  if (!isObject(result) || !Array.isArray(result.tools) || typeof result.nextCursor === "string") return undefined;
  if (taken.has(READ_RESULT)) return undefined;
  const tools: readonly Json[] = [...asList(result.tools), ...READ_RESULT_TOOL];
  return { ...exact, result: { ...result, tools } };
}
