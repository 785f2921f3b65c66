import type { HookRequest, HookRoute } from "../../host/daemon/hook-http.ts";
import type { ClaudeCodeHooks } from "./adapter.ts";
import { answerMcp } from "./conduct-mcp.ts";
import type { From } from "./live-session.ts";

/** What Claude Code reaches on the daemon: its hooks, and Conduct's own tools. */
export function claudeCodeRoutes(hooks: ClaudeCodeHooks): readonly HookRoute[] {
  return [
    {
      method: "POST",
      path: "/hooks/claude-code",
      handle: async (request) => ({ status: 200, body: await hooks.handle(request.body, fromOf(request)) }),
    },
    {
      method: "POST",
      path: "/mcp/claude-code",
      async handle({ body }) {
        const answer = await answerMcp(body, hooks);
        return answer === undefined ? { status: 202 } : { status: 200, body: answer };
      },
    },
  ];
}

/** A Claude Code that an agent has started is not one that a person sits before, whatever it takes itself for. */
function fromOf({ query, headers }: HookRequest): From {
  const inside = headers["x-conduct-inside"] ?? "";
  const part = Number(query.get("part") ?? 1);
  return {
    interactive: headers["x-conduct-entrypoint"] === "cli" && inside === "",
    ...(Number.isInteger(part) && part > 1 ? { part } : {}),
  };
}
