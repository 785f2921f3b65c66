import { allExcept } from "../shared/capability-rows.ts";

export const piCapabilities = allExcept({
  subagents: "pi-agent-core starts none; an agent that a tool of yours starts is under Conduct with session.child()",
  mcp: "pi-agent-core has no MCP client; the tools of a server are your own, and your toolMap names them",
  "no-daemon": "Conduct is in the same process",
});
