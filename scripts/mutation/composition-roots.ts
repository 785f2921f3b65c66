/**
 * Where the parts of the programs are put together: the files, and the functions in them. Without names, the whole file.
 * Caches, parsers and texts in the same files are none of it; their own tests judge them.
 */
export const COMPOSITION_ROOTS: Readonly<Record<string, readonly string[]>> = {
  "src/apps/gateway/start-gateway.ts": [],
  "src/apps/gateway/gateway.ts": [],
  "src/apps/gateway/channels/open-channels.ts": [],
  "src/apps/gateway/review/review-desk.ts": ["openReviewDesk"],
  "src/apps/daemon/daemon.ts": ["startDaemon", "openHttp", "logDamage"],
  "src/apps/daemon/workspaces.ts": ["openWorkspace", "load", "claudeCodeFailure", "codexFailure"],
  "src/apps/daemon/requests.ts": ["openRequests", "brokenHost"],
  "src/apps/cli/line/run-command-line.ts": ["runCommandLine", "outcomeOf"],
  "src/apps/cli/commands/gateway/gateway.ts": ["gateway", "runGateway", "serveUntil", "reachedAt"],
  "src/apps/cli/commands/mcp/mcp.ts": [
    ...["runMcpProxy", "startTarget", "stdioClient", "runMcpServer", "serve", "serveOverHttp", "mcp"],
  ],
  "src/apps/cli/commands/mcp/mcp-host.ts": ["mcpHost", "asWho", "interrupted"],
  "src/apps/cli/commands/acp/acp.ts": ["acp"],
};
