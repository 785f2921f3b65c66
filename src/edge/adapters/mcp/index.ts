export { mcpProxyCapabilities } from "../capabilities.ts";
export { type Pipe, type PipeEnd, type PipeListener, startServer, streamPipe } from "../shared/mcp/pipe.ts";
export { type HttpOptions, type HttpServing, serveHttp } from "../shared/mcp/serve-http.ts";
export { serveStreams, type ToolHost, toolServer } from "../shared/mcp/tool-server.ts";
export { type OwnToolsOptions, ownTools } from "./own-tools.ts";
export type { ProxyOptions } from "./proxy.ts";
export { type ProxyEnd, runProxy } from "./proxy.ts";
export { connectServer } from "./server-url.ts";
