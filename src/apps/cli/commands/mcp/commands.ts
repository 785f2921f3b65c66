import type { Command } from "../../line/command.ts";

/** `conduct mcp` and `conduct mcp proxy`: the words after `--` are a server's command, whatever they look like. */
export const MCP: Command = {
  description: "Serve Conduct's tools over MCP; `mcp proxy -- COMMAND` stands between a client and another server",
  many: true,
  args: {
    words: { type: "positional", default: "serve", description: "serve, or proxy and the server's command after --" },
    agent: { type: "string", description: "The agent (the only one, or default, unless told)" },
    user: { type: "string", description: "Whose memory and instructions it is (this account's unless told)" },
    http: { type: "boolean", description: "Serve streamable HTTP in place of stdin and stdout" },
    port: { type: "string", description: "With --http: the port (one that is free unless told)" },
    host: { type: "string", description: "With --http: the address (127.0.0.1 unless told)" },
    name: { type: "string", description: "With proxy: what rules call the server, as in NAME/tool" },
    url: { type: "string", description: "With proxy: a server behind a URL, in place of a command" },
    "token-env": { type: "string", description: "With --url: the variable that holds the server's bearer token" },
    wait: { type: "string", description: "How long a call waits for a person elsewhere, as 45s (50s unless told)" },
  },
  load: async () => (await import("./mcp.ts")).mcp,
};
