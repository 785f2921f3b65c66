import { allExcept } from "../shared/capability-rows.ts";

/** Enforced in pi-coding-agent 0.87, verified with the real `pi`. */
export const piExtensionCapabilities = allExcept({
  subagents: "Pi has none of its own; a `pi` that a tool starts loads the extension and is a session of its own",
  mcp: "Pi has no MCP client; what another extension brings is a tool like any other",
});
