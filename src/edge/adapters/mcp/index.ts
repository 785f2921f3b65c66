/**
 * Conduct as an MCP server, and between an MCP client and a server.
 * @module mcp
 */

export { mcpProxyCapabilities } from "../capabilities.ts";
export { type OwnTools, type OwnToolsOptions, ownTools } from "./own-tools.ts";
export type { ProxyOptions } from "./proxy.ts";
export { type ProxyEnd, runProxy } from "./proxy.ts";
export { connectServer } from "./server-url.ts";
