export { mcpProxyCapabilities } from "./capabilities.ts";
export { type OwnToolsOptions, ownTools } from "./own-tools.ts";
export { type Pipe, type PipeEnd, type PipeListener, streamPipe } from "./pipe.ts";
export { type ProxyEnd, runProxy } from "./proxy.ts";
export type { ProxyOptions } from "./proxy-options.ts";
export { type HttpOptions, type HttpServing, serveHttp } from "./serve-http.ts";
export { startServer } from "./server-process.ts";
export { connectServer } from "./server-url.ts";
export { serveStreams, type ToolHost, toolServer } from "./tool-server.ts";
