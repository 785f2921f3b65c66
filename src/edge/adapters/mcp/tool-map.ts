import type { CallInput } from "../../../base/words/call.ts";
import type { McpCall } from "../shared/own-tools.ts";

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
